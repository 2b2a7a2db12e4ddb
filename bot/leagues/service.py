"""Leagues as people make, enter, leave and run them; what follows by itself: rounds.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.competitions.events import InvalidCompetition
from bot.competitions.league.course import start_season
from bot.competitions.league.events import (
    LEAGUE_CODEC,
    MIN_MEMBERS,
    LeagueCreated,
    LeagueEnded,
    LeagueEntered,
    LeagueEvent,
    LeagueExcluded,
    LeagueLeft,
    LeagueLimited,
    LeagueTerms,
    MemberStays,
)
from bot.competitions.league.league import League
from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.service import check_limit
from bot.matches.folding import fold_events
from bot.matches.stored import (
    MAX_COMMIT_ATTEMPTS,
    StoredCompetition,
    check_installed,
    check_may_enter,
    check_may_manage,
    find_competition,
    read_ratings,
    show_where_asked,
)
from bot.tables.chance import joining_id
from engine import fair
from storage import (
    CodeTaken,
    CompetitionChange,
    CompetitionRow,
    Conflict,
    EntrantRow,
    NewEvent,
    NewNotice,
    NewTitle,
    ProcessedEvent,
)
from storage.codes import generate_code

MAX_LEAGUES_PER_PERSON: Final = 5
"""So many leagues that are not over somebody may have made."""


@dataclass(frozen=True, slots=True)
class StoredLeague(StoredCompetition):
    """A league as it is stored and as it stands, with who is behind its numbers."""

    stands: League

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """The pairs of members of whom one would rather not meet the other."""
        return frozenset(map(frozenset, self.refusals(self.stands.present)))


async def find_league(context: Context, code: str) -> StoredLeague:
    """Return the league with a code; Refused where there is none, or where it cannot be read."""
    return await read_league(context, await find_competition(context, code, "league"))


async def read_league(context: Context, row: CompetitionRow) -> StoredLeague:
    """Return a stored league with how it stands; Refused where its events make no sense."""
    stands = await fold_events(context, row, LEAGUE_CODEC, League.created, League.apply)
    entries = {each.number: each for each in await context.store.competitions.entrants(row.id)}
    ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
    return StoredLeague(row, entries, await context.store.people.get_many(ids), stands)


async def store_league_events(
    context: Context,
    league: StoredLeague,
    events: Sequence[LeagueEvent],
    *,
    person: int | None = None,
    entries: Sequence[EntrantRow] = (),
    opened: Sequence[tuple[str, str]] = (),
    notices: Sequence[NewNotice] = (),
    titles: Sequence[NewTitle] = (),
    processed: ProcessedEvent | None = None,
) -> CompetitionRow:
    """Store what happens next in a league; it is looked at anew at once. Conflict where somebody was faster."""
    now, stands = context.clock(), league.stands
    for event in events:
        stands = stands.apply(now, event)
    row = replace(
        league.row,
        status="over" if stands.over else "running",
        due_at=None if stands.over else now,
        ended_at=now if stands.over else None,
    )
    change = CompetitionChange(
        row=row,
        events=tuple(NewEvent(LEAGUE_CODEC.kind_of(each), LEAGUE_CODEC.to_json(each), person) for each in events),
        at=now,
        entrants=tuple(entries),
        games=tuple(opened),
        notices=tuple(notices),
        titles=tuple(titles),
        processed=processed,
    )
    stored = await context.store.competitions.commit(change)
    context.signals.wake("competition")
    if notices:
        context.signals.wake("notices")
    return stored


async def make_league(context: Context, asker: RequestContext, terms: LeagueTerms, reply: Reply) -> str:
    """Make a league where it is asked for, shown there, and return its code; Refused where that cannot be."""
    check_start(asker.place, terms.game, asker.mine)
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    if asker.place.kind == "private" and terms.entry != "code":
        raise Refused("refusal.cup-private")
    if terms.problem() == "clock-too-slow":
        raise Refused("refusal.league-clock", n=terms.days)
    await check_limit(context, asker)
    made = await context.store.competitions.list_made_by(asker.person.id, kind="league")
    if sum(row.status != "over" for row in made) >= MAX_LEAGUES_PER_PERSON:
        raise Refused("refusal.league-too-many", most=MAX_LEAGUES_PER_PERSON)
    seed, now = context.entropy().hex(), context.clock()
    while True:
        row = CompetitionRow(
            id=generate_code(),
            status="running",
            game_key=terms.game,
            place=asker.place.id,
            maker=asker.person.id,
            seed=seed,
            seed_hash=fair.commitment(seed),
            revision=0,
            due_at=now,
            created_at=now,
            ended_at=None,
            kind="league",
        )
        event = LeagueCreated(terms, row.id, row.seed_hash)
        happened = NewEvent(LEAGUE_CODEC.kind_of(event), LEAGUE_CODEC.to_json(event), asker.person.id)
        try:
            await context.store.competitions.create(row, [happened], now, asker.receipt(reply))
        except CodeTaken:
            continue
        note_public(context, asker, Public.BEGIN)
        context.signals.wake("competition")
        return row.id


async def enter_league(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Enter a league for its next season, or come back; Refused to those who may not.

    Asked by somebody who is in already, it is shown where they ask, unless it is there.
    """
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    for _ in range(MAX_COMMIT_ATTEMPTS):
        league = await find_league(context, code)
        check_installed(context, league.row)
        stands, mine = league.stands, league.entrant_of(asker.person.id)
        if stands.over:
            raise Refused("refusal.cup-over")
        if mine in stands.present:
            if await show_where_asked(context, asker, league.row, stands.terms.entry):
                return
            raise Refused("refusal.cup-in")
        if mine is not None and stands.members[mine].state == "excluded":
            raise Refused("refusal.cup-excluded")
        await check_may_enter(context, asker, league.row, stands.terms.entry)
        await check_limit(context, asker)
        number = len(stands.members) if mine is None else mine
        taken = frozenset(each.joined_by for each in league.entries.values())
        by = joining_id(asker.request, taken) if mine is None else league.entries[mine].joined_by
        entry = EntrantRow(number, asker.person.id, asker.place.id, by)
        try:
            async with context.store.transaction():
                await store_league_events(
                    context,
                    league,
                    [LeagueEntered(number, by)],
                    person=asker.person.id,
                    entries=[entry],
                    processed=asker.receipt(reply),
                )
                await show_where_asked(context, asker, league.row, stands.terms.entry)
        except Conflict:
            continue
        except InvalidCompetition as error:
            raise Refused("refusal.league-full") from error
        note_public(context, asker, Public.BEGIN)
        context.signals.wake("competition")
        return
    raise Refused("refusal.moved-on")


async def leave_league(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Leave a league: games that are going on are played to their end."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        mine = my_number(league, asker)
        return LeagueLeft(mine), replace(league.entries[mine], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def stay(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Say that one is still in, after having been asked."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        mine = my_number(league, asker)
        if not league.stands.members[mine].asked:
            raise Refused("refusal.cup-not-asked")
        return MemberStays(mine), None

    await _commit_step(context, asker, code, step, reply)


async def set_limit(context: Context, asker: RequestContext, code: str, most: int, reply: Reply) -> None:
    """Set how many of one's own games may go on at once."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        return LeagueLimited(my_number(league, asker), most), None

    await _commit_step(context, asker, code, step, reply)


async def exclude(context: Context, asker: RequestContext, code: str, entrant: int, reply: Reply) -> None:
    """Put somebody out, as who runs the league; they cannot come back."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        check_may_manage(league.row, asker)
        if entrant not in league.stands.present:
            raise Refused("refusal.cup-not-in")
        return LeagueExcluded(entrant), replace(league.entries[entrant], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def end_league(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """End a league, as who runs it; games go on."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        check_may_manage(league.row, asker)
        return LeagueEnded(), None

    await _commit_step(context, asker, code, step, reply)


async def start_now(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Start the next season by hand; Refused to those who do not run it, while one is on, or with too few."""
    found = await find_league(context, code)
    check_may_manage(found.row, asker)
    check_installed(context, found.row)
    ratings = await read_ratings(context, found, found.stands.present)

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        if league.stands.is_season_on:
            raise Refused("refusal.league-on")
        if len(league.stands.present) < MIN_MEMBERS:
            raise Refused("refusal.cup-too-few", n=len(league.stands.present))
        return start_season(league.stands, context.clock(), ratings, league.blocked), None

    await _commit_step(context, asker, code, step, reply)


def my_number(league: StoredLeague, asker: RequestContext) -> int:
    """Return the number of the person who asks; Refused where they are not in the league."""
    mine = league.entrant_of(asker.person.id)
    if mine is None or mine not in league.stands.present:
        raise Refused("refusal.cup-not-in.you")
    return mine


async def _commit_step(
    context: Context,
    asker: RequestContext,
    code: str,
    step: Callable[[StoredLeague], tuple[LeagueEvent, EntrantRow | None]],
    reply: Reply,
) -> None:
    for _ in range(MAX_COMMIT_ATTEMPTS):
        with context.store.recalling(anew=True):
            league = await find_league(context, code)
        if league.stands.over:
            raise Refused("refusal.cup-over")
        event, entry = step(league)
        try:
            await store_league_events(
                context,
                league,
                [event],
                person=asker.person.id,
                entries=() if entry is None else (entry,),
                processed=asker.receipt(reply),
            )
        except Conflict:
            continue
        return
    raise Refused("refusal.moved-on")
