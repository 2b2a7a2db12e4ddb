"""Stored competitions: the people with the numbers in the events, and who may do what."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Final, Generic, Literal, TypeVar

from bot.competitions.events import Leaving, Left
from bot.competitions.state import CompetitionState
from bot.core.allowed_games import check_start
from bot.core.context import Context
from bot.core.features import find_page
from bot.core.permissions import check_not_departed, is_here, is_manager
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.language.names import tell_all_apart
from bot.play.game_lookup import not_installed_refusal
from bot.play.ratings import rating_points
from engine import games
from engine.record_fields import FORGOTTEN_NAME
from storage import CompetitionKind, CompetitionRow, EntrantRow, Person, PlaceRow, read_code
from storage.competition_schema import COMPETITION_KINDS
from storage.schema import PEOPLE_POOL

MAX_COMMIT_ATTEMPTS: Final = 8
"""Maximum number of attempts of a step while other writers are faster."""
RECHECK_INTERVAL: Final = timedelta(hours=1)
"""A running competition is looked at this often even if no event wakes its job."""

Entry = Literal["here", "group", "code"]


S = TypeVar("S", bound=CompetitionState[Any, Any])


@dataclass(frozen=True)
class StoredCompetition(Generic[S]):
    """A stored competition with its people and its state."""

    row: CompetitionRow
    entries: Mapping[int, EntrantRow]
    people: Mapping[int, Person]
    stands: S

    def person_of(self, entrant: int) -> Person | None:
        """Return the person with a number; None if there is none, or if they were linked with another person."""
        entry = self.entries.get(entrant)
        return self.people.get(entry.person) if entry is not None and entry.person is not None else None

    def name(self, entrant: int) -> str:
        """Return the name of the person with a number; that of a forgotten person if there is none."""
        return self._names.get(entrant, FORGOTTEN_NAME)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of those who are known, by their numbers: no two look alike."""
        people = {number: self.person_of(number) for number in self.entries}
        return tell_all_apart({number: person.name for number, person in people.items() if person is not None})

    def entrant_of(self, person: int) -> int | None:
        """Return a person's number, None if they never entered."""
        return next((number for number, each in self.entries.items() if each.person == person), None)

    @property
    def refusals(self) -> frozenset[tuple[int, int]]:
        """The pairs of those who take part of whom the first has blocked the second."""
        there = self.stands.present
        numbers = {person.id: each for each in there if (person := self.person_of(each)) is not None}
        return frozenset(
            (numbers[person], numbers[other])
            for person in numbers
            for other in self.people[person].settings.get("blocked", [])
            if other in numbers
        )

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """The pairs of those who take part of whom one has blocked the other."""
        return frozenset(map(frozenset, self.refusals))


async def find_competition(context: Context, code: str, kind: CompetitionKind) -> CompetitionRow:
    """Return the competition of a kind with a code from a typed line or a button.

    Refused if there is none, or the code is that of something else.
    """
    read = read_code(code)
    if read is None:
        raise Refused("refusal.no-such-cup", code=code[:12])
    row = await context.store.competitions.get(read)
    if row is None:
        other = await context.store.games.get(read) is not None
        raise Refused("refusal.cup-is-game" if other else "refusal.no-such-cup", code=read)
    if row.kind != kind:
        # A damaged row may have any kind.
        raise Refused(
            f"refusal.code-of.{row.kind}" if row.kind in COMPETITION_KINDS else "refusal.cup-broken", code=read
        )
    return row


async def check_may_run(context: Context, asker: RequestContext, row: CompetitionRow) -> None:
    """Raise Refused unless the asker runs a competition: its maker does, and the managers of its channel.

    Who has made it and has left its channel since runs it no longer. MembershipUnknown where that cannot be asked.
    """
    if row.maker == asker.person.id:
        home = await context.store.places.get(row.place)
        runs = home is None or await is_here(context, asker, home)
    else:
        at_home = asker.place.id == row.place and asker.request.place.kind == "group"
        runs = at_home and await is_manager(context, asker)
    if not runs:
        raise Refused("refusal.cup-not-yours")


def check_enough_for_table(least: int, fewest: int) -> None:
    """Raise Refused if a competition would begin with fewer people than its smallest table takes."""
    if least < fewest:
        raise Refused("refusal.cup-least-seats", least=least, fewest=fewest)


def check_installed(context: Context, row: CompetitionRow) -> None:
    """Raise Refused if the competition's game is not installed."""
    if row.game_key not in games:
        raise not_installed_refusal(context, row.game_key)


async def check_may_enter(context: Context, asker: RequestContext, row: CompetitionRow, entry: Entry) -> None:
    """Raise Refused if the asker is not in a place where they may enter, or the place does not allow the game."""
    host = await context.store.places.get(row.place)
    if host is not None and entry != "code" and not _is_at(asker.place, host, whole=entry == "group"):
        raise Refused("refusal.cup-elsewhere" if entry == "here" else "refusal.cup-other-server")
    check_start(asker.place, row.game_key, asker.mine)


async def check_may_take_part(context: Context, asker: RequestContext, row: CompetitionRow) -> None:
    """Raise Refused if the asker was in a group that shows a competition, and is in none that does now.

    MembershipUnknown where nobody says who is there.
    """
    if asker.place.id == row.place:
        return
    shown = {each.place.id: each.place for each in await context.store.posts.list_of_competition(row.id)}
    if row.place not in shown and (home := await context.store.places.get(row.place)) is not None:
        shown[home.id] = home
    await check_not_departed(context, asker, shown.values())


async def check_may_see(context: Context, asker: RequestContext, found: StoredCompetition[Any]) -> None:
    """Raise Refused as `check_may_take_part`, but not to those who have entered, or if it has a public page."""
    if found.entrant_of(asker.person.id) is not None:
        return
    try:
        await check_may_take_part(context, asker, found.row)
    except Refused:
        if await find_page(context, found.row.kind, found.row.id) is None:
            raise


async def show_where_asked(context: Context, asker: RequestContext, row: CompetitionRow, entry: Entry) -> bool:
    """Show a competition in the asker's place if they may enter there; return False if it is shown there already."""
    shown = {each.place.id for each in await context.store.posts.list_of_competition(row.id) if not each.gone}
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


async def read_ratings(context: Context, competition: StoredCompetition[Any]) -> dict[int, int]:
    """Return the points of those who take part and have a rating among people in the game."""
    present = competition.stands.present
    by_person = {person.id: number for number in present if (person := competition.person_of(number)) is not None}
    known = await context.store.ratings.list_for_people(list(by_person))
    return {
        by_person[each.person]: rating_points(each)
        for each in known
        if each.game_key == competition.row.game_key and each.pool == PEOPLE_POOL
    }


def list_departures(found: StoredCompetition[Any]) -> list[Left]:
    """Return the events for those who are gone: they were forgotten, or linked with another entrant."""
    return [
        Left(number, Leaving.FORGOTTEN if found.entries[number].person is not None else Leaving.LINKED)
        for number in found.stands.present
        if not found.entries[number].inside
    ]
