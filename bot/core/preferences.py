"""What can be set, for a person or for all in a place: the values that can be chosen and how they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.core.notice_routes import ROUTE_CHOICES, ROUTE_SETTING
from bot.pictures.artist import THEMES

ME: Final = "me"
CHANNEL: Final = "channel"
SERVER: Final = "server"
"""The whole server or group that a channel belongs to."""
ME_HERE: Final = "me-here"
"""Somebody alone, as far as this channel goes."""
SCOPES: Final = (ME, ME_HERE, CHANNEL, SERVER)

LANGUAGES: Final = ("en", "it")
AUTOMATIC: Final = "auto"
ON: Final = "on"
OFF: Final = "off"

CHALLENGES_FROM_OPPONENTS: Final = "known"
CHALLENGES_FROM_NOBODY: Final = "nobody"
"""Who may challenge somebody, everybody if nothing is said: those they have played with, or nobody."""

ORIENTATION: Final = "side"
ORIENTATION_MOVER: Final = "mover"
ORIENTATION_FIXED: Final = "fixed"
"""From whose side boards are shown: that of the player to move, or always the same."""

ALLOWED_GAMES: Final = "games"
"""Kept under this name: the games that may be played in a place, all if there is nothing."""


MONTHLY: Final = "monthly"
"""Kept under this name in a place: False where it is not told of its months."""
PUBLIC: Final = "public"
"""Kept under this name in a place: whether the world may see its games."""
PROFILE: Final = "profile"
PROFILE_PUBLIC: Final = "public"
PROFILE_HIDDEN: Final = "hidden"
"""What somebody wants of the world: a profile for all to read, or that none of their games is shown."""
VOTES: Final = "votes"
VOTES_NAMED: Final = "named"
VOTES_HIDDEN: Final = "hidden"
"""Whether somebody's name stands beside their votes and proposals once a game that their channel played is over."""
TEAM_TABLE: Final = "team_table"
"""Kept under this name in a place: whether its teams stand in the table of all channels."""
NEED_ADDRESS: Final = frozenset({PUBLIC, PROFILE})
"""What means nothing where the program has no public address."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One thing to set: `stored_values` maps each value to what is stored under `key`, None for automatic.

    `personal`: a person can have it for themselves, `apart` for one channel otherwise than elsewhere; `placed`: so can
    a place.
    """

    name: str
    key: str
    stored_values: Mapping[str, Any]
    personal: bool = False
    placed: bool = True
    apart: bool = False

    def fits(self, whose: str) -> bool:
        """Say whether it can be set for a person, for them in one channel, or for a place."""
        return {ME: self.personal, ME_HERE: self.apart}.get(whose, self.placed)

    @property
    def values(self) -> tuple[str, ...]:
        """All values that can be chosen."""
        return (*self.stored_values, AUTOMATIC)

    def chosen(self, settings: Mapping[str, Any]) -> str:
        """Return the value that settings hold."""
        found = settings.get(self.key)
        return next((value for value, stored_values in self.stored_values.items() if stored_values == found), AUTOMATIC)


PREFERENCES: Final[Mapping[str, Preference]] = {
    preference.name: preference
    for preference in (
        Preference("language", "language", {value: value for value in LANGUAGES}, personal=True),
        Preference("theme", "theme", {value: value for value in THEMES}, personal=True),
        Preference(
            ORIENTATION,
            ORIENTATION,
            {ORIENTATION_MOVER: ORIENTATION_MOVER, ORIENTATION_FIXED: ORIENTATION_FIXED},
            personal=True,
        ),
        Preference("boards", "newest_only", {"all": False, "newest": True}),
        Preference("threads", "threads", {ON: True, OFF: False}),
        Preference(
            "challenges",
            "challenges",
            {CHALLENGES_FROM_OPPONENTS: CHALLENGES_FROM_OPPONENTS, CHALLENGES_FROM_NOBODY: CHALLENGES_FROM_NOBODY},
            personal=True,
            placed=False,
        ),
        Preference(
            ROUTE_SETTING,
            ROUTE_SETTING,
            {str(way): str(way) for way in ROUTE_CHOICES},
            personal=True,
            placed=False,
            apart=True,
        ),
        Preference("reminders", "reminders", {ON: True, OFF: False}, personal=True, placed=False),
        Preference("playing", "playing", {ON: True, OFF: False}),
        Preference(MONTHLY, MONTHLY, {ON: True, OFF: False}),
        Preference("text", "text", {ON: True, OFF: False}, personal=True),
        Preference(PUBLIC, PUBLIC, {ON: True, OFF: False}),
        Preference(
            PROFILE,
            PROFILE,
            {PROFILE_PUBLIC: PROFILE_PUBLIC, PROFILE_HIDDEN: PROFILE_HIDDEN},
            personal=True,
            placed=False,
        ),
        Preference(VOTES, VOTES, {VOTES_NAMED: VOTES_NAMED, VOTES_HIDDEN: VOTES_HIDDEN}, personal=True, placed=False),
    )
}
