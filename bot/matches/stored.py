"""Competitions as they are stored: who is behind the numbers in their events, and who may do what with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from bot.core.allowed_games import check_start
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.play.ratings import rating_points
from bot.tables.table import FORGOTTEN_NAME
from engine import games
from storage import CompetitionKind, CompetitionRow, EntrantRow, Person, PlaceRow, read_code
from storage.rows import PEOPLE_POOL

MAX_COMMIT_ATTEMPTS: Final = 8
"""How often a step of a competition is tried again when somebody else was faster."""
RECHECK_INTERVAL: Final = timedelta(hours=1)
"""A competition under way is looked at so often, whatever happens: it waits for nothing that nobody tells of."""

Entry = Literal["here", "group", "code"]


@dataclass(frozen=True, slots=True)
class StoredCompetition:
    """A competition as it is stored, with who is behind its numbers."""

    row: CompetitionRow
    entries: Mapping[int, EntrantRow]
    people: Mapping[int, Person]

    def person_of(self, entrant: int) -> Person | None:
        """Return who is behind a number; None for nobody, and for a person who became one with another."""
        entry = self.entries.get(entrant)
        return self.people.get(entry.person) if entry is not None and entry.person is not None else None

    def name(self, entrant: int) -> str:
        """Return the name behind a number, that of somebody forgotten where there is none."""
        person = self.person_of(entrant)
        return (person.name if person is not None else "") or FORGOTTEN_NAME

    def entrant_of(self, person: int) -> int | None:
        """Return the number of somebody who has entered, None if they never did."""
        return next((number for number, each in self.entries.items() if each.person == person), None)

    def refusals(self, entrants: Iterable[int]) -> frozenset[tuple[int, int]]:
        """Return who of these has blocked whom of them."""
        there = list(entrants)
        numbers = {person.id: each for each in there if (person := self.person_of(each)) is not None}
        return frozenset(
            (numbers[person], numbers[other])
            for person in numbers
            for other in self.people[person].settings.get("blocked", [])
            if other in numbers
        )


async def find_competition(context: Context, code: str, kind: CompetitionKind) -> CompetitionRow:
    """Return the competition of a kind with a code that somebody typed or a button carries.

    Refused where there is none, and where the code is that of something else.
    """
    read = read_code(code)
    if read is None:
        raise Refused("refusal.no-such-cup", code=code[:12])
    row = await context.store.competitions.get(read)
    if row is None:
        other = await context.store.games.get(read) is not None
        raise Refused("refusal.cup-is-game" if other else "refusal.no-such-cup", code=read)
    if row.kind != kind:
        raise Refused(f"refusal.code-of.{row.kind}", code=read)
    return row


def may_manage(row: CompetitionRow, asker: RequestContext) -> bool:
    """Say whether somebody runs a competition: its maker, and who manages the channel where it was made."""
    if row.maker == asker.person.id:
        return True
    return asker.place.id == row.place and asker.request.place.kind == "group" and asker.request.user.manager


def check_may_manage(row: CompetitionRow, asker: RequestContext) -> None:
    """Refuse what only those may do who run a competition."""
    if not may_manage(row, asker):
        raise Refused("refusal.cup-not-yours")


def check_installed(context: Context, row: CompetitionRow) -> None:
    """Refuse what cannot be done while the game that a competition is of is not installed."""
    if row.game_key not in games:
        names = [context.speaker(context.language).of(game).line("name") for game in games]
        raise Refused("refusal.kind-not-installed", name=row.game_key, games=tuple(names))


async def check_may_enter(context: Context, asker: RequestContext, row: CompetitionRow, entry: Entry) -> None:
    """Refuse somebody who is not where a competition is open to people, or whom its place does not let play."""
    host = await context.store.places.get(row.place)
    if host is not None and entry != "code" and not _is_at(asker.place, host, whole=entry == "group"):
        raise Refused("refusal.cup-elsewhere" if entry == "here" else "refusal.cup-other-server")
    check_start(asker.place, row.game_key, asker.mine)


async def show_where_asked(context: Context, asker: RequestContext, row: CompetitionRow, entry: Entry) -> bool:
    """Have a competition shown where somebody asks who may be in it there; say whether it was not shown there yet."""
    shown = {each.place.id for each in await context.store.competitions.list_places(row.id) if not each.gone}
    if asker.place.kind != "group" or asker.place.id in shown:
        return False
    await check_may_enter(context, asker, row, entry)
    await context.store.competitions.add_place(row.id, asker.place.id, context.clock())
    context.signals.wake("competition")
    return True


def _is_at(place: PlaceRow, host: PlaceRow, *, whole: bool) -> bool:
    if place.platform != host.platform:
        return False
    return place.channel == host.channel or (whole and place.group is not None and place.group == host.group)


async def read_ratings(context: Context, competition: StoredCompetition, entrants: Iterable[int]) -> dict[int, int]:
    """Return the points of entrants who have a rating in the game among people."""
    by_person = {person.id: number for number in entrants if (person := competition.person_of(number)) is not None}
    known = await context.store.ratings.list_for_people(list(by_person))
    return {
        by_person[each.person]: rating_points(each)
        for each in known
        if each.game_key == competition.row.game_key and each.pool == PEOPLE_POOL
    }
