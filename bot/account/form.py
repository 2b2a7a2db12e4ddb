"""The form of settings: a person's own, those for one channel, and those of a place."""

from typing import Any, Final

from bot.account.times import DIGEST, HOLIDAY, LAST_HOUR, MAX_HOLIDAY_DAYS_PER_YEAR, QUIET, current_times, times_words
from bot.core.allowed_games import allowed_games
from bot.core.context import Context
from bot.core.forms import Field, Form, FormNotes, FormState, Values
from bot.core.notice_routes import ROUTE_SETTING
from bot.core.preferences import (
    ALLOWED_GAMES,
    AUTOMATIC,
    CHANNEL,
    ME,
    ME_HERE,
    NEED_ADDRESS,
    OFF,
    PREFERENCES,
    SCOPES,
    SERVER,
    SOUND,
)
from bot.core.request_context import RequestContext
from bot.delivery.notices import read_channel_route
from bot.entry.commandline import NOTHING, Parameter
from bot.interface.cards import Button
from bot.interface.forms import VALUE_SEPARATOR
from bot.interface.presses import press
from bot.puzzles.daily import DAILY_PARAMETER, TIMEZONE_SETTING
from engine import games
from storage import PlaceRow

FOR: Final = "for"
_HOURS: Final = tuple(map(str, range(LAST_HOUR + 1)))
_HOLIDAYS: Final = tuple(map(str, (0, 1, 2, 3, 5, 7, 10, 14, 21, MAX_HOLIDAY_DAYS_PER_YEAR)))
_ZONE: Final = r".*/.*|(?i:utc|gmt)(?:[+-].*)?|[+-]\d.*"


async def _tell(context: Context, asker: RequestContext, state: FormState) -> FormNotes:
    whose, private = state.subject, asker.request.place.kind == "private"
    others = [each for each in SCOPES if each != whose and (each != SERVER or has_server(asker))]
    buttons = [
        Button(asker.mine.line(f"button.settings.{each}"), state.about(each).press())
        for each in others
        if each != ME_HERE or not private
    ]
    if whose == ME:
        buttons.append(Button(asker.mine.line("button.privacy"), press("privacy")))
    return FormNotes(times_words(asker, state.values, context.clock()), buttons)


async def _current(context: Context, asker: RequestContext, whose: str) -> Values:
    """Return what is set now of all that has an effect in a scope."""
    place = await resolve_place(context, asker, whose)
    missing = find_missing(context, asker, place)
    known: Any = asker.person.settings if whose == ME else place.settings
    if whose == ME_HERE:
        known = {ROUTE_SETTING: await read_channel_route(context, asker)}
    fitting = {name: each for name, each in PREFERENCES.items() if each.fits(whose) and name not in missing}
    current = {name: each.chosen(known) for name, each in fitting.items()}
    if whose == ME:
        current |= current_times(known, context.clock())
    elif whose != ME_HERE:
        current[TIMEZONE_SETTING] = place.settings.get(TIMEZONE_SETTING) or ""
        current[ALLOWED_GAMES] = VALUE_SEPARATOR.join(allowed_games(place)) or NOTHING
    if whose == CHANNEL:
        daily = await context.store.daily.get(place.id)
        current[DAILY_PARAMETER] = OFF if daily is None else str(daily.hour)
    return current


def find_missing(context: Context, asker: RequestContext, place: PlaceRow) -> dict[str, str]:
    """Return the preferences that have no effect in a place, each with the key of the refusal that says why."""
    missing = {} if context.web_address else dict.fromkeys(NEED_ADDRESS, "refusal.no-public-address")
    if not asker.request.place.threads:
        missing["threads"] = "refusal.no-threads"
    if not context.sends_silently(place.platform):
        missing[SOUND] = "refusal.no-sound"
    return missing


async def resolve_place(context: Context, asker: RequestContext, whose: str) -> PlaceRow:
    """Return the place whose settings are meant: this one, or that of the whole server or group."""
    here = asker.place
    if whose != SERVER or not has_server(asker):
        return here
    return await context.store.places.get_or_create(here.platform, here.group or here.channel, None, here.group)


def has_server(asker: RequestContext) -> bool:
    """Return True if a place belongs to a server or group with settings of its own."""
    place = asker.place
    return place.group is not None and (place.group != place.channel or place.thread is not None)


FORM: Final = Form(
    command="settings",
    version=1,
    subject=Field("w", Parameter(FOR, "choice", choices=SCOPES), ME),
    fields=(
        *(Field(name, Parameter(name, "choice", choices=each.values), AUTOMATIC) for name, each in PREFERENCES.items()),
        Field("z", Parameter(TIMEZONE_SETTING, "text", pattern=_ZONE, spaced=True)),
        Field("d", Parameter(DIGEST, "number", least=0, most=LAST_HOUR), offers=lambda _: _HOURS, words="hour"),
        Field("q", Parameter(QUIET, "text", pattern=r"\d.*")),
        Field("h", Parameter(HOLIDAY, "number", least=0, most=MAX_HOLIDAY_DAYS_PER_YEAR), offers=lambda _: _HOLIDAYS),
        Field("g", Parameter(ALLOWED_GAMES, "several", choices=tuple(games)), words="game"),
        Field("p", Parameter(DAILY_PARAMETER, "choice", choices=(OFF, *_HOURS)), words="daily"),
    ),
    title=lambda voice, values: voice.say(f"settings.{values[FOR]}"),
    tell=_tell,
    current=_current,
)
