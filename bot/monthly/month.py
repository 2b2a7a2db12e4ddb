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
from bot.monthly.highlights import Highlights, find_highlights
from bot.standings.periods import Month
from engine import games
from engine.record_fields import FORGOTTEN_NAME
from storage import NewTitle, Person, PlaceRow

MAX_COMPETITIONS: Final = 50
MIN_CLIMBERS: Final = 2
"""So many are on a ladder whose first place is worth a title."""


@dataclass(frozen=True, slots=True)
class First:
    """Who was first in a competition: of which game, by its code; `kind` says whether it is a league or a ladder.

    `titled` says whether that is worth a title: not if the first shares a browser with another entrant.
    """

    kind: TitleKind
    game_key: str
    code: str
    people: tuple[int, ...]
    titled: bool = True


@dataclass(frozen=True)
class PlayedMonth:
    """What there is to tell of a month of a place; `names` has those of all who are named."""

    month: Month
    games: int
    players: int
    highlights: Highlights
    firsts: tuple[First, ...]
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
    highlights = find_highlights([each for each in rated if each.game_key in games], everywhere, before)
    firsts = [*await _season_champions(context, place, month), *await _ladder_leaders(context, place, month)]
    capture = await find_largest_capture(context, codes)
    named = {each.person for each in here if each.person is not None}
    named |= {person for first in firsts for person in first.people}
    named |= {capture.person} if capture is not None else set()
    players = len({each.person for each in here if each.person is not None})
    count = len({each.game for each in here})
    return PlayedMonth(
        month, count, players, highlights, tuple(firsts), capture, await store.people.get_many(sorted(named))
    )


def titles_of(place: PlaceRow, played: PlayedMonth) -> Sequence[NewTitle]:
    """Return the titles that a month gives; those of seasons are given at the season's end."""
    source, label, highlights = f"place:{place.id}", played.month.label, played.highlights
    found = [(TitleKind.MONTH, each.game_key, person) for each in highlights.champions for person in each.people]
    if highlights.streak is not None:
        won = zip(highlights.streak.people, highlights.streak.game_keys, strict=True)
        found += [(TitleKind.STREAK, key, person) for person, key in won]
    if highlights.improvement is not None:
        found.append((TitleKind.IMPROVED, highlights.improvement.game_key, highlights.improvement.person))
    if highlights.upset is not None:
        found.append((TitleKind.UPSET, highlights.upset.game_key, highlights.upset.winner))
    if played.capture is not None and played.capture.pieces >= MIN_TITLE_PIECES:
        found.append((TitleKind.CAPTURE, played.capture.table.row.game, played.capture.person))
    titles = [NewTitle(person, kind, key, source, label) for kind, key, person in found]
    titles += [
        NewTitle(person, first.kind, first.game_key, first.code, label)
        for first in played.firsts
        if first.kind == TitleKind.LADDER and first.titled
        for person in first.people
    ]
    return [each for each in titles if played.people.get(each.person) is not None and played.people[each.person].name]


async def _season_champions(context: Context, place: PlaceRow, month: Month) -> list[First]:
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
                if people:
                    found.append(First(TitleKind.LEAGUE, row.game_key, row.id, tuple(people)))
    return found


async def _ladder_leaders(context: Context, place: PlaceRow, month: Month) -> list[First]:
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
            found.append(First(TitleKind.LADDER, row.game_key, row.id, (person.id,), titled))
    return found
