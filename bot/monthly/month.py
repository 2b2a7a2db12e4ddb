"""A month of a place as it is told: who was first where, what stood out, and which titles that gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.competitions.league.tables import champions
from bot.core.browsers import find_sharers
from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.ladders.service import ladder_at
from bot.language.names import tell_all_apart
from bot.leagues.service import LEAGUES
from bot.matches.titles import TitleKind
from bot.monthly.captures import MAX_GAMES_SEARCHED, MIN_TITLE_PIECES, Capture, find_largest_capture
from bot.monthly.highlights import Highlight, find_highlights
from bot.standings.periods import Month
from engine import games
from engine.record_fields import FORGOTTEN_NAME
from storage import NewTitle, Person, PlaceRow

MAX_COMPETITIONS: Final = 50
_ORDER: Final = (
    TitleKind.MONTH,
    TitleKind.LEAGUE,
    TitleKind.LADDER,
    TitleKind.STREAK,
    TitleKind.IMPROVED,
    TitleKind.UPSET,
    TitleKind.CAPTURE,
)
"""The order of the lines of the message."""
MIN_CLIMBERS: Final = 2
"""So many are on a ladder whose first place is worth a title."""


@dataclass(frozen=True)
class PlayedMonth:
    """What there is to tell of a month of a place, in the order of its lines; `people` has all who are named."""

    month: Month
    games: int
    players: int
    highlights: tuple[Highlight, ...]
    capture: Capture | None
    people: Mapping[int, Person]

    def name(self, person: int) -> str:
        """Return somebody's name, that of somebody forgotten where there is none."""
        return self._names.get(person, FORGOTTEN_NAME)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of all, of which no two look alike."""
        return tell_all_apart({each: found.name for each, found in self.people.items()})


async def read_played_month(context: Context, place: PlaceRow, month: Month) -> PlayedMonth | None:
    """Return what there is to tell of a month of a place, None where no game ended in it."""
    store = context.store
    codes = await store.games.ended_in(place.id, month.since, month.until, MAX_GAMES_SEARCHED)
    if not codes:
        return None
    here = await store.games.list_results_between(place.id, month.since, month.until)
    rated = [each for each in here if each.rated and each.person is not None]
    persons = {each.person for each in rated if each.person is not None}
    everywhere = await store.ratings.rated_between(persons, month.since, month.until)
    before = await store.ratings.before(persons, month.since)
    found = [*find_highlights([each for each in rated if each.game_key in games], everywhere, before)]
    found += await _season_champions(context, place, month)
    found += await _ladder_leaders(context, place, month)
    capture = await find_largest_capture(context, codes)
    if capture is not None:
        row, titled = capture.table.row, capture.pieces >= MIN_TITLE_PIECES
        people, key = (capture.person,), (row.game,)
        found.append(Highlight(TitleKind.CAPTURE, people, key, capture.pieces, code=row.id, titled=titled))
    found.sort(key=lambda each: _ORDER.index(each.kind))
    named = {each.person for each in here if each.person is not None}
    named.update(*(each.people for each in found))
    players = len({each.person for each in here if each.person is not None})
    count = len({each.game for each in here})
    return PlayedMonth(month, count, players, tuple(found), capture, await store.people.get_many(sorted(named)))


def titles_of(place: PlaceRow, played: PlayedMonth) -> Sequence[NewTitle]:
    """Return the titles that a month gives; those of seasons are given at the season's end."""
    here, label = f"place:{place.id}", played.month.label
    named = {number: person.name for number, person in played.people.items()}
    return [
        NewTitle(person, each.kind, key, each.code if each.kind == TitleKind.LADDER else here, label)
        for each in played.highlights
        for person, key in zip(each.people, each.game_keys, strict=True)
        if each.titled and named.get(person)
    ]


async def _season_champions(context: Context, place: PlaceRow, month: Month) -> list[Highlight]:
    """Return who has won seasons that ended in a month, of the leagues that a place has."""
    found = []
    for row in await context.store.competitions.list_in_place(place.id, MAX_COMPETITIONS, kind="league"):
        try:
            league = await LEAGUES.read(context, row)
        except Refused:
            continue  # one that cannot be read does not keep the rest of the month from being told
        for season in (league.stands.before, league.stands.season):
            if season is not None and season.is_over and month.since <= season.ends_at < month.until:
                people = [person.id for each in champions(league.stands, season) if (person := league.person_of(each))]
                keys = (row.game_key,) * len(people)
                if people:
                    found.append(Highlight(TitleKind.LEAGUE, tuple(people), keys, code=row.id, titled=False))
    return found


async def _ladder_leaders(context: Context, place: PlaceRow, month: Month) -> list[Highlight]:
    """Return who stood first at the end of a month, on the ladders of a place on which a game was played in it."""
    found = []
    for row in await context.store.competitions.list_in_place(place.id, MAX_COMPETITIONS, kind="ladder"):
        if row.place != place.id or row.created_at >= month.until:
            continue
        try:
            ladder, played = await ladder_at(context, row, month.since, month.until)
        except Refused:
            continue
        order = ladder.stands.order
        person = ladder.person_of(order[0]) if order else None
        if played and len(order) >= MIN_CLIMBERS and person is not None:
            climbers = {each.id for number in order if (each := ladder.person_of(number)) is not None}
            titled = person.id not in await find_sharers(context, climbers)
            first, keys = (person.id,), (row.game_key,)
            found.append(Highlight(TitleKind.LADDER, first, keys, code=row.id, titled=titled))
    return found
