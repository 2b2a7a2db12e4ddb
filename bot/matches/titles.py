"""Titles that people hold: of seasons of leagues, and of months of a place; computers hold none."""

from __future__ import annotations

from enum import StrEnum


class TitleKind(StrEnum):
    """What a title is for; the emblem of each is drawn under the same name."""

    LEAGUE = "league"
    LADDER = "ladder"
    MONTH = "month"
    STREAK = "streak"
    IMPROVED = "improved"
    UPSET = "upset"
    CAPTURE = "capture"
