"""Lobbies: challenges, open seats, joining and leaving, and the start by lot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.interaction_passes import private_guest_place
from bot.core.private_reach import check_clock
from bot.core.request_context import RequestContext, check_pace, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.beginning import start_row, with_entropy
from bot.lobby.people import Invited, check_may_challenge, is_blocked_by, share_name
from bot.notices.rules import challenge_notices
from bot.play.clocks import CLOCKS, INVITATION_LIFETIME, NO_CLOCK
from bot.play.game_access import check_may_take_part
from bot.play.rated_games import with_unrated_reason
from bot.play.service import store_step
from bot.tables.chance import SeedContributions, joining_id, stored_contributions, with_contributions
from bot.tables.changes import COMPUTER_POOL, final_results
from bot.tables.table import Table, list_awaited_people, list_joined_seats
from engine import fair, games
from storage import GameBrief, GameRow, NewEvent, NewGame, Person, Seat, Terms

CALLED_OFF_REASONS: Final = frozenset({"withdrawn", "declined", "expired", "closed"})
"""Reasons for which a game may end before it began."""
MAX_COMMIT_ATTEMPTS: Final = 8
"""Maximum attempts to change a lobby when others change it at the same time."""


LobbyStep = Callable[[GameRow], tuple[GameRow, list[NewEvent]]]


@dataclass(frozen=True, slots=True)
class GameProposal:
    """A proposed game: its key, its options as the rules know them, the seats and the invited people.

    `clock` is one of CLOCKS; a casual game is not `rated`; `computers` are the levels of the computers that play.
    `hints`: True if hints are allowed, None for the game's default. `tries`: True if lines may be tried out during the
    game. `rematch_of` is the game that is repeated, and `order` its players, as `player_key` tells them apart, by the
    seats they will have.
    """

    game: str
    options: Mapping[str, str | int]
    seats: int
    invited: tuple[Invited, ...] = ()
    clock: str = NO_CLOCK
    rated: bool = True
    rematch_of: str = ""
    order: tuple[int, ...] = ()
    computers: tuple[int, ...] = ()
    hints: bool | None = None
    tries: bool = True

    @property
    def terms(self) -> Terms:
        """The agreed terms, as they are stored."""
        terms = Terms(clock=CLOCKS[self.clock], rated=self.rated, hints=self.hints, tries=self.tries)
        return replace(terms, rematch_of=self.rematch_of, order=self.order) if self.rematch_of else terms


async def open_table(context: Context, asker: RequestContext, plan: GameProposal, reply: Reply) -> GameRow:
    """Create a game in its lobby, shown in the asker's place; its seed is fixed before anybody joins.

    If only computers join, it starts at once. Refused where the game may not be played.
    """
    check_start(asker.place, plan.game, asker.mine)
    alone = asker.request.nonmember and len(plan.computers) + 1 == plan.seats
    if asker.request.nonmember and not alone and not asker.request.place.guest:
        raise Refused("refusal.alone")
    await check_clock(context, asker, plan.terms.clock)
    await check_limit(context, asker)
    if plan.computers:
        await check_computers(context, asker)
    seed = context.entropy().hex()
    mine = joining_id(asker.request)
    entries = [Seat(0, "joined", person=asker.person.id, joined_by=mine)]
    for invited in plan.invited:
        entries.append(Seat(len(entries), "invited", person=invited.person, name=invited.name))
    entries += [computer_seat(level) for level in plan.computers]
    entries += [Seat(0, "open")] * (plan.seats - len(entries))
    now = context.clock()
    new = NewGame(
        game=plan.game,
        place=(await private_guest_place(context, asker.request, asker.person.id)).id if alone else asker.place.id,
        starter=asker.person.id,
        rules_version=games[plan.game].rules_version,
        seat_count=plan.seats,
        seats=arrange_seats(entries),
        options=dict(plan.options),
        seed=seed,
        seed_hash=fair.hash_seed(seed),
        terms=plan.terms,
        alarm_at=now + INVITATION_LIFETIME,
        chance=SeedContributions().after_joining(asker.person.id, mine, anew=True).to_json(),
    )
    happened = [NewEvent("opened", {"seats": plan.seats, "options": dict(plan.options)}, asker.person.id)]
    async with context.store.transaction():
        row = await context.store.games.create(new, now, happened=happened, processed=asker.receipt(reply))
        asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
        for person in asked:
            # It was checked before, but perhaps with cached data: they may have changed their settings in another
            # process.
            await check_may_challenge(context, asker, person, again=bool(plan.rematch_of))
        if asked:
            await context.store.notices.promise(
                row.id, (), challenge_notices(row, await context.store.people.get_many(asked), now), now
            )
        if len(list_joined_seats(row)) == row.seat_count:
            changed, begun, line = start_row(
                context,
                await with_unrated_reason(context, row),
                0,
                await _experienced_players(context, row),
                at_once=True,
            )
            table = Table(brief=row, row=row, people={asker.person.id: asker.person}, line=None)
            row = await store_step(context, table, changed, begun, line=line, results=final_results(changed, line))
        if not alone:
            await context.store.posts.add(row.id, asker.place.id, now)
    note_public(context, asker, Public.BEGIN)
    context.signals.notify_changed()
    context.signals.wake("notices")
    return row


async def join(context: Context, asker: RequestContext, game: str, reply: Reply) -> GameRow:
    """Take a seat in a lobby: the one reserved for the person, or an open one; the game starts when all are taken."""
    await check_limit(context, asker)
    table = await context.table(game)
    await check_may_take_part(context, asker, table.row)
    if table.row.status == "lobby":
        team = table.row.terms.team
        if team is not None and team.against == "channel":
            raise Refused("refusal.team-channel", code=game)
        await check_clock(context, asker, table.row.terms.clock, game)
    if has_computer(table.row):
        await check_computers(context, asker, game)
    people = table.people
    first = await _first_joining_id(context, asker, game)

    def step(row: GameRow) -> tuple[GameRow, list[NewEvent]]:
        mine = find_entry(row, asker)
        if mine is not None and mine.state == "joined":
            raise Refused("refusal.already-in")
        free = mine or next((entry for entry in row.seats if entry.state == "open"), None)
        if free is None:
            raise Refused("refusal.no-seat-free", game=row.game)
        check_players(asker, row, people)
        by = first or joining_id(asker.request, frozenset(entry.joined_by or "" for entry in row.seats))
        taken = replace(free, state="joined", person=asker.person.id, name="", joined_by=by)
        rest = [entry for entry in row.seats if entry is not free]
        given = stored_contributions(row).after_joining(asker.person.id, by, anew=first is None)
        changed = with_contributions(replace(row, seats=arrange_seats([*rest, taken])), given)
        return changed, [NewEvent("joined", {"by": by}, asker.person.id)]

    row = await _commit_step(context, asker, game, step, reply)
    note_public(context, asker, Public.BEGIN)
    return row


async def _first_joining_id(context: Context, asker: RequestContext, game: str) -> str | None:
    """Return the id by which a person first joined a game: it stays theirs if they leave and return."""
    known = [event for event in await context.store.games.events(game) if event.kind == "joined" and "by" in event.data]
    return next((str(event.data["by"]) for event in known if event.person == asker.person.id), None)


def check_players(asker: RequestContext, row: GameRow, people: Mapping[int, Person]) -> None:
    """Raise Refused if the asker, or one of the players, does not want to meet the other."""
    players = [known for entry in list_joined_seats(row) if (known := people.get(entry.person or 0)) is not None]
    if any(is_blocked_by(other, asker.person) or is_blocked_by(asker.person, other) for other in players):
        raise Refused("refusal.cannot-join")


async def add_computer(context: Context, asker: RequestContext, game: str, level: int, reply: Reply) -> GameRow:
    """Give an open seat to a computer; Refused to people who are not in, or if there is none."""
    await check_computers(context, asker, game)

    def step(row: GameRow) -> tuple[GameRow, list[NewEvent]]:
        check_joined(row, asker)
        free = next((entry for entry in row.seats if entry.state == "open"), None)
        if free is None:
            raise Refused("refusal.no-seat-free", game=row.game)
        rest = [entry for entry in row.seats if entry is not free]
        changed = replace(row, seats=arrange_seats([*rest, computer_seat(level)]))
        return changed, [NewEvent("computer", {"level": level}, asker.person.id)]

    return await _commit_step(context, asker, game, step, reply)


async def decline(context: Context, asker: RequestContext, game: str, reply: Reply | None) -> GameRow:
    """Decline an invitation, or leave; the starter thereby calls the game off.

    Without a reply, it is not the answer to the request.
    """

    def step(row: GameRow) -> tuple[GameRow, list[NewEvent]]:
        mine = find_entry(row, asker)
        if row.starter == asker.person.id:
            return call_off(row, "withdrawn", context.clock()), [NewEvent("withdrawn", {}, asker.person.id)]
        if mine is None or mine.state == "declined":
            raise Refused("refusal.not-invited")
        rest = [entry for entry in row.seats if entry is not mine]
        if mine.state == "joined":
            left = replace(row, seats=arrange_seats([*rest, Seat(0, "open")]))
            return left, [NewEvent("left", {}, asker.person.id)]
        declined = replace(mine, state="declined", person=asker.person.id, name="")
        changed = replace(row, seats=arrange_seats([*rest, declined]))
        happened = [NewEvent("declined", {}, asker.person.id)]
        if check_game_possible(changed) < games[row.game].seats[0]:
            return call_off(changed, "declined", context.clock()), happened
        return changed, happened

    return await _commit_step(context, asker, game, step, reply)


async def withdraw(context: Context, asker: RequestContext, game: str, reply: Reply) -> GameRow:
    """Call a game off before it has started; only its starter can."""
    if (await context.table(game)).row.starter != asker.person.id:
        raise Refused("refusal.not-yours-to-withdraw")
    return await decline(context, asker, game, reply)


async def start(context: Context, asker: RequestContext, game: str, reply: Reply) -> GameRow:
    """Start a game with the people who are in; only its starter can, and only with enough people."""

    def step(row: GameRow) -> tuple[GameRow, list[NewEvent]]:
        if row.starter != asker.person.id:
            raise Refused("refusal.only-starter")
        seated = list_joined_seats(row)
        least = games[row.game].seats[0]
        if len(seated) < least:
            raise Refused("refusal.too-few", least=least)
        full = replace(row, seats=arrange_seats(seated), seat_count=len(seated))
        return with_entropy(full, asker), [NewEvent("begun", {}, asker.person.id)]

    return await _commit_step(context, asker, game, step, reply)


async def begin(context: Context, asker: RequestContext, game: str, reply: Reply) -> GameRow:
    """Contribute to the lot; the game starts once everybody has who must. Refused to all others."""

    def step(row: GameRow) -> tuple[GameRow, list[NewEvent]]:
        if asker.person.id not in list_awaited_people(row):
            raise Refused("refusal.not-awaited")
        return with_entropy(row, asker), [NewEvent("begun", {}, asker.person.id)]

    return await _commit_step(context, asker, game, step, reply)


def check_game_possible(row: GameRow) -> int:
    """Return the number of players who may still play."""
    return sum(entry.state != "declined" for entry in row.seats)


def check_joined(row: GameRow, asker: RequestContext) -> None:
    """Raise Refused if the asker has not joined."""
    mine = find_entry(row, asker)
    if mine is None or mine.state != "joined":
        raise Refused("refusal.only-players")


def computer_seat(level: int) -> Seat:
    """Return the entry of a computer that has joined."""
    return Seat(0, "joined", computer=str(level), joined_by=f"{COMPUTER_POOL}:{level}")


def arrange_seats(entries: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return renumbered entries: joined ones in the order of joining, then invitations, open seats, and refusals."""
    order = ("joined", "invited", "open", "declined")
    return tuple(
        replace(entry, number=number)
        for number, entry in enumerate(sorted(entries, key=lambda entry: order.index(entry.state)))
    )


def call_off(row: GameRow, reason: str, now: datetime) -> GameRow:
    """Return the row of a game that never began."""
    return replace(row, status="over", outcome={"reason": reason}, ended_at=now, to_move=None)


def no_lobby_refusal(row: GameRow, asker: RequestContext) -> Refused:
    """Return the refusal of a lobby action on a game that is no lobby any more, with its state."""
    if row.status == "playing":
        inside = any(entry.person == asker.person.id for entry in row.seats)
        return Refused("refusal.has-started.you" if inside else "refusal.has-started")
    reason = (row.outcome or {}).get("reason")
    if row.started_at is None and reason in CALLED_OFF_REASONS:
        return Refused(f"refusal.was-{reason}")
    return Refused("refusal.is-over")


def find_entry(row: GameRow, asker: RequestContext) -> Seat | None:
    """Return the entry that is the asker's, or reserved for their name."""
    for entry in row.seats:
        if entry.person == asker.person.id:
            return entry
    user = asker.request.user
    for entry in row.seats:
        if entry.state == "invited" and entry.person is None and share_name(entry.name, user.name, user.handle):
            return entry
    return None


async def _experienced_players(context: Context, row: GameRow) -> set[int]:
    """Return the people who are in and have finished a game of this kind before."""
    people = [entry.person for entry in list_joined_seats(row) if entry.person is not None]
    return await context.store.lessons.people_who_finished(people, row.game)


async def _commit_step(
    context: Context, asker: RequestContext, game: str, step: LobbyStep, reply: Reply | None
) -> GameRow:
    """Make a step in a lobby, retrying if others are faster; the game starts when all seats are taken.

    It waits for contributions to the lot that are still missing.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        table = await context.table(game)
        row = table.row
        if row.status != "lobby":
            raise no_lobby_refusal(row, asker)
        changed, happened = step(row)
        line = None
        if (
            changed.status == "lobby"
            and len(list_joined_seats(changed)) == changed.seat_count
            and not list_awaited_people(changed)
        ):
            finished = await _experienced_players(context, changed)
            changed, begun, line = start_row(
                context, await with_unrated_reason(context, changed), len(happened), finished
            )
            happened = [*happened, *begun]
        table = replace(table, people={**table.people, asker.person.id: asker.person})
        processed = asker.receipt(reply) if reply is not None else None
        results = final_results(changed, line) if line else ()
        try:
            async with context.store.savepoint():
                return await store_step(
                    context, table, changed, happened, line=line, processed=processed, results=results
                )
        except Refused:
            continue
    raise Refused("refusal.moved-on")


async def check_limit(context: Context, asker: RequestContext) -> None:
    """Raise Refused if the person has as many games as the operator allows, or started too many within an hour."""
    check_pace(context, asker, Public.BEGIN)
    if len(await context.store.games.list_for_person(asker.person.id, context.most_games)) >= context.most_games:
        raise Refused("refusal.too-many-games", most=context.most_games)


async def check_computers(context: Context, asker: RequestContext, game: str = "") -> None:
    """Raise Refused for a game with computers (a new one, or this one) if the person has too many others."""
    mine = await context.store.games.list_for_person(asker.person.id, context.most_games)
    if sum(has_computer(each) for each in mine if each.id != game) >= context.most_computer_games:
        raise Refused("refusal.too-many-computers", most=context.most_computer_games)


def has_computer(brief: GameBrief) -> bool:
    """Return True if a computer plays in a game."""
    return any(entry.computer is not None for entry in brief.seats)
