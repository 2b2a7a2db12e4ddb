"""Titles of people, for seasons of leagues and for months of a place; computers hold none."""

from enum import StrEnum


class TitleKind(StrEnum):
    """The kinds of titles; each has an emblem of the same name."""

    LEAGUE = "league"
    LADDER = "ladder"
    MONTH = "month"
    STREAK = "streak"
    IMPROVED = "improved"
    UPSET = "upset"
    CAPTURE = "capture"
