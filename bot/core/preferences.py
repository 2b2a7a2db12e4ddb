"""The preferences of people and places: their values and how they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.core.notice_routes import ROUTE_CHOICES, ROUTE_SETTING
from bot.pictures.artist import THEMES
from storage.puzzles import PUZZLES_SETTING

ME: Final = "me"
CHANNEL: Final = "channel"
SERVER: Final = "server"
"""The whole server or group that a channel belongs to."""
ME_HERE: Final = "me-here"
"""One person in this channel only."""
SCOPES: Final = (ME, ME_HERE, CHANNEL, SERVER)

LANGUAGES: Final = ("en", "it")
AUTOMATIC: Final = "auto"
ON: Final = "on"
OFF: Final = "off"

CHALLENGES_FROM_OPPONENTS: Final = "known"
CHALLENGES_FROM_NOBODY: Final = "nobody"
"""People who may challenge a person: those they have played with, or nobody; if unset, everybody."""

ORIENTATION: Final = "side"
ORIENTATION_MOVER: Final = "mover"
ORIENTATION_FIXED: Final = "fixed"
"""From whose side boards are shown: that of the player to move, or always the same."""

ALLOWED_GAMES: Final = "games"
"""The setting for the games allowed in a place; if unset, all."""


SOUND: Final = "sound"
"""The setting of a place that is False if messages come without a sound there."""
MONTHLY: Final = "monthly"
"""The setting of a place that is False if it does not want its monthly message."""
PUBLIC: Final = "public"
"""The setting of a place for whether its games are public."""
PROFILE: Final = "profile"
PROFILE_PUBLIC: Final = "public"
PROFILE_HIDDEN: Final = "hidden"
"""Visibility of a person: a public profile, or no game shown in public."""
VOTES: Final = "votes"
VOTES_NAMED: Final = "named"
VOTES_HIDDEN: Final = "hidden"
"""Setting of whether a person's name is shown with their votes and proposals once a game of their channel is over."""
TEAM_TABLE: Final = "team_table"
"""The setting of a place for whether its teams appear in the table of all channels."""
PUZZLES: Final = PUZZLES_SETTING
"""Whether positions of somebody's finished games may become puzzles here."""
NEED_ADDRESS: Final = frozenset({PUBLIC, PROFILE})
"""Preferences that need a public address of the program."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One preference; `stored_values` maps each value to what is stored under `key`, None for automatic.

    `personal`: a person can set it for themselves. `apart`: they can set it for one channel. `placed`: a place can set
    it.
    """

    name: str
    key: str
    stored_values: Mapping[str, Any]
    personal: bool = False
    placed: bool = True
    apart: bool = False

    def fits(self, whose: str) -> bool:
        """Return True if it can be set in a scope: for a person, for a person in one channel, or for a place."""
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
        Preference(SOUND, SOUND, {ON: True, OFF: False}),
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
        Preference(PUZZLES, PUZZLES, {ON: True, OFF: False}, personal=True, placed=False),
    )
}
