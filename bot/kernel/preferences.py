"""The preferences of people and places: their values, and how they are stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from bot.kernel.cards import Card
from bot.kernel.pictures import THEMES
from bot.kernel.refusals import Refused
from bot.kernel.requests import Place
from bot.kernel.texts import Speaker
from bot.kernel.time_zones import load_time_zone
from engine import games
from storage import PlaceRow, Store
from storage.puzzles import PUZZLES_SETTING

ROUTE_SETTING: Final = "notices"
"""The setting for how a person is notified; if unset, `Route.HERE`."""
CHANNEL_ROUTES_SETTING: Final = "notices_apart"
"""The setting that marks a person who has chosen other routes for some channels."""
DIGEST_HOUR_SETTING: Final = "digest_hour"
"""The setting for the hour of a person's digest, in their time zone."""
DEFAULT_DIGEST_HOUR: Final = 9
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_DIGEST_SPREAD_MINUTES: Final = 50
"""Digests are spread over these minutes of their hour: a bot that opens many private chats at once is blocked."""


class NoticeKind(StrEnum):
    """The kinds of notices, by subject."""

    TURN = "turn"
    OFFER = "offer"
    CHALLENGE = "challenge"
    OVER = "over"
    TIME = "time"
    PLAN = "plan"
    LADDER = "ladder"
    LEAGUE = "league"
    CUP = "cup"
    TEAM = "team"


_TIMED_KINDS: Final = frozenset({NoticeKind.TIME, NoticeKind.LADDER, NoticeKind.LEAGUE, NoticeKind.CUP})
"""Kinds that would come too late in a daily digest."""


class Route(StrEnum):
    """Ways to notify a person; `CHANNEL` is an extra message where the game is shown, after a private one failed."""

    HERE = "here"
    PRIVATE = "private"
    DIGEST = "digest"
    NONE = "none"
    CHANNEL = "channel"


ROUTE_CHOICES: Final = (Route.HERE, Route.PRIVATE, Route.DIGEST, Route.NONE)
"""The routes that can be chosen, the default first."""


@dataclass(frozen=True, slots=True)
class VisiblePost:
    """A place that shows a game, for one person; `own`: True if it is their private chat; `seen`: their last visit.

    `choice` is the route that they have chosen for its channel, None for their general route.
    """

    place: int
    platform: str
    private: bool = False
    own: bool = False
    seen: datetime | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """The route of a notice. For `HERE`, `place` is where a board or an offer mentions the person; None without one."""

    route: Route
    place: int | None = None


def choose_route(
    kind: str, settings: Mapping[str, Any], platforms: Collection[str], shown: Sequence[VisiblePost]
) -> RouteDecision:
    """Return the route of a notice about a game: in at most one of the places where the game is shown.

    The place is the person's private chat if they prefer that, otherwise where they were last seen, otherwise where the
    game has been shown for the longest. `platforms` are those on which the person has an account.
    """
    known = [each for each in shown if each.platform in platforms and (each.own or not each.private)]
    # Most recently seen first; if none was seen, the oldest stays first.
    known.sort(key=lambda each: each.seen or LONG_AGO, reverse=True)
    best = known[0] if known else None
    chosen = best.choice if best is not None and best.choice else settings.get(ROUTE_SETTING, Route.HERE)
    way = Route(chosen) if chosen in ROUTE_CHOICES else Route.HERE
    if kind in _TIMED_KINDS and way == Route.DIGEST:
        way = Route.PRIVATE
    if kind == NoticeKind.PLAN:
        # Plans are private, so no board may mention them.
        return RouteDecision(Route.PRIVATE if way == Route.HERE else way)
    if way == Route.PRIVATE and (own := next((each for each in known if each.own), None)) is not None:
        return RouteDecision(Route.HERE, own.place)
    if way != Route.HERE:
        return RouteDecision(way)
    return RouteDecision(Route.HERE, best.place if best is not None else None)


def next_digest_at(person: int, settings: Mapping[str, Any], now: datetime) -> datetime:
    """Return when a person's next digest is due: at their hour, spread by some minutes from person to person."""
    local = now.astimezone(load_time_zone(settings.get("timezone")))
    hour, minute = int(settings.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)), person * 37 % _DIGEST_SPREAD_MINUTES
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= local:
        due += timedelta(days=1)
    return due.astimezone(now.tzinfo)


ME: Final = "me"
CHANNEL: Final = "channel"
SERVER: Final = "server"
"""Scope: the whole server or group that a channel belongs to."""
ME_HERE: Final = "me-here"
"""Scope: one person, in this channel only."""
SCOPES: Final = (ME, ME_HERE, CHANNEL, SERVER)

LANGUAGES: Final = ("en", "it")
AUTOMATIC: Final = "auto"
ON: Final = "on"
OFF: Final = "off"

CHALLENGES_FROM_OPPONENTS: Final = "known"
CHALLENGES_FROM_NOBODY: Final = "nobody"
"""The people who may challenge a person: past opponents, or no one; if unset, everybody."""

ORIENTATION: Final = "side"
ORIENTATION_MOVER: Final = "mover"
ORIENTATION_FIXED: Final = "fixed"
"""The side from which boards are shown: that of the player to move, or always the same."""

ALLOWED_GAMES: Final = "games"
"""The setting for the games allowed in a place; if unset, all."""


SOUND: Final = "sound"
"""The setting of a place that is False if messages come without a sound there."""
MONTHLY: Final = "monthly"
"""The setting of a place that is False if it does not want its monthly message."""
PUBLIC: Final = "public"
"""The setting of a place that says whether its games are public."""
PROFILE: Final = "profile"
PROFILE_PUBLIC: Final = "public"
PROFILE_HIDDEN: Final = "hidden"
"""Visibility of a person: a public profile, or hidden with all their games."""
VOTES: Final = "votes"
VOTES_NAMED: Final = "named"
VOTES_HIDDEN: Final = "hidden"
"""The setting that says if a person's name is shown with their votes and proposals after a game of their channel."""
TEAM_TABLE: Final = "team_table"
"""The setting of a place that says whether its teams appear in the table of all channels."""
PUZZLES: Final = PUZZLES_SETTING
"""The setting that says whether positions of a person's finished games may become puzzles."""
NEED_ADDRESS: Final = frozenset({PUBLIC, PROFILE})
"""The preferences that need a public address of the program."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One preference; `stored_values` maps each value to what is stored, None for automatic.

    `personal`: True if a person can set it in general, `apart`: for one channel. `placed`: True if a place can set it.
    `stored_name` is its name among the stored settings, if that differs.
    """

    name: str
    stored_values: Mapping[str, Any]
    personal: bool = False
    placed: bool = True
    apart: bool = False
    stored_name: str = ""

    @property
    def key(self) -> str:
        """The name of the setting that stores it."""
        return self.stored_name or self.name

    def fits(self, whose: str) -> bool:
        """Return True if the preference can be set in a scope: a person, a person in one channel, or a place."""
        return {ME: self.personal, ME_HERE: self.apart}.get(whose, self.placed)

    @property
    def values(self) -> tuple[str, ...]:
        """All values that can be chosen."""
        return (*self.stored_values, AUTOMATIC)

    def chosen(self, settings: Mapping[str, Any]) -> str:
        """Return the value in some settings."""
        found = settings.get(self.key)
        return next((value for value, stored_values in self.stored_values.items() if stored_values == found), AUTOMATIC)


def _as_named(*values: str) -> dict[str, str]:
    """Return a mapping of values to themselves, for values that are stored by their names."""
    return {value: value for value in values}


SWITCH: Final = {ON: True, OFF: False}
PREFERENCES: Final[Mapping[str, Preference]] = {
    preference.name: preference
    for preference in (
        Preference("language", _as_named(*LANGUAGES), personal=True),
        Preference("theme", _as_named(*THEMES), personal=True),
        Preference(ORIENTATION, _as_named(ORIENTATION_MOVER, ORIENTATION_FIXED), personal=True),
        Preference("boards", {"all": False, "newest": True}, stored_name="newest_only"),
        Preference("threads", SWITCH),
        Preference(
            "challenges",
            _as_named(CHALLENGES_FROM_OPPONENTS, CHALLENGES_FROM_NOBODY),
            personal=True,
            placed=False,
        ),
        Preference(ROUTE_SETTING, _as_named(*map(str, ROUTE_CHOICES)), personal=True, placed=False, apart=True),
        Preference("reminders", SWITCH, personal=True, placed=False),
        Preference("playing", SWITCH),
        Preference(SOUND, SWITCH),
        Preference(MONTHLY, SWITCH),
        Preference("text", SWITCH, personal=True),
        Preference(PUBLIC, SWITCH),
        Preference(PROFILE, _as_named(PROFILE_PUBLIC, PROFILE_HIDDEN), personal=True, placed=False),
        Preference(VOTES, _as_named(VOTES_NAMED, VOTES_HIDDEN), personal=True, placed=False),
        Preference(PUZZLES, SWITCH, personal=True, placed=False),
    )
}


def allowed_games(place: PlaceRow) -> tuple[str, ...]:
    """Return the games that may be started in a place."""
    chosen = place.effective.get(ALLOWED_GAMES)
    return tuple(key for key in games if chosen is None or key in chosen)


def check_start(place: PlaceRow, game: str, speaker: Speaker) -> None:
    """Raise Refused if a game may not be started in a place."""
    if place.effective.get("playing") is False:
        raise Refused("refusal.no-playing")
    allowed = allowed_games(place)
    if game not in allowed:
        names = tuple(speaker.game_name(key) for key in allowed)
        key = "refusal.game-not-here" if names else "refusal.no-playing"
        raise Refused(key, game=game, name=speaker.game_name(game), games=names)


def place_of(row: PlaceRow, language: str | None = None) -> Place:
    """Return a stored place as adapters know it, with the language of messages to everybody there."""
    return Place(
        row.platform,
        row.channel,
        row.thread,
        row.group,
        row.kind,
        row.title,
        language,
        guest=row.guest,
        quiet=is_quiet(row),
    )


def is_quiet(row: PlaceRow) -> bool:
    """Return True if messages come without a sound in a place; in private chats that is each person's own setting."""
    return row.kind != "private" and row.effective.get(SOUND) is False


async def read_called_users(store: Store, card: Card, platform: str) -> dict[int, int]:
    """Return a platform's ids of the people whom a card notifies, by person."""
    unread = [person for person in card.calls if person not in card.user_ids]
    identities = await store.people.identities(*unread) if unread else []
    users = {**card.user_ids, **{each.person: each.user_id for each in identities if each.platform == platform}}
    return {person: int(users[person]) for person in card.calls if person in users}
