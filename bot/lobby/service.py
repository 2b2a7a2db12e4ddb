"""Lobbies: challenges, open seats, joining and leaving, and the start by lot."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.kernel.commandline import Mentioned
from bot.kernel.context import Context, Public
from bot.kernel.line import (
    IDS_KEY,
    Line,
    SeedContributions,
    draw_seats,
    draws_for,
    joining_id,
    opening_line,
    read_contributions,
    with_contributions,
)
from bot.kernel.names import clean_name, mention, name_player
from bot.kernel.permissions import check_clock
from bot.kernel.preferences import CHALLENGES_FROM_NOBODY, CHALLENGES_FROM_OPPONENTS, check_start
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, check_pace, list_seated_people, note_public, private_guest_place
from bot.kernel.requests import Reply
from bot.kernel.table import (
    COMPUTER_POOL,
    Table,
    final_results,
    has_computer,
    list_awaited_people,
    list_joined_seats,
    moved_row,
    player_key,
    rotates_seats,
    start_state,
    step_events,
)
from bot.table.clocks import INVITATION_LIFETIME
from bot.table.game_lookup import check_may_take_part
from bot.table.notices import challenge_notices
from bot.table.ratings import with_unrated_reason
from bot.table.service import store_step
from engine import fair, games
from engine.record import cut_name
from storage import GameRow, NewEvent, NewGame, Person, PlaceRow, ProcessedEvent, Seat, Terms
from storage.agreements import dump_fields
from storage.people import name_key


def with_entropy(row: GameRow, requester: RequestContext) -> GameRow:
    """Return the row of a lobby with a person's contribution to the lot."""
    given = read_contributions(row.chance).after_action(requester.id, requester.request, row.id)
    return with_contributions(row, replace(given, done=given.done | {requester.id}))


def start_row(
    context: Context, row: GameRow, happened: int, finished: Collection[int]
) -> tuple[GameRow, list[NewEvent], Line]:
    """Return the row of a game that begins: seats drawn by lot, and the first actions of chance.

    `happened` is the number of earlier events in the same step, `finished` are the people who have finished a game of
    this kind before.
    """
    rotated = rotates_seats(row)
    given = read_contributions(row.chance)
    lot = [(at, given.ids[person]) for at, entry in enumerate(row.seats) if (person := entry.person or 0) in given.ids]
    seats = _assign_seats(row.seats, row.terms.order) if rotated else draw_seats(row, [each for _, each in lot])
    people = {entry.person: seat for entry, seat in zip(row.seats, seats, strict=True) if entry.person is not None}
    newcomers = frozenset(seat for person, seat in people.items() if person not in finished)
    now = context.clock()
    ready = replace(
        row,
        seats=tuple(replace(entry, seat=seat) for entry, seat in zip(row.seats, seats, strict=True)),
        seat_count=len(seats),
        status="playing",
        started_at=now,
        terms=replace(row.terms, rotated=rotated),
        progress=replace(row.progress, newcomers=newcomers),
    )
    given = given.by_seat(people)
    draws = draws_for(ready, given)
    line, steps = opening_line(start_state(ready), draws)
    ready = with_contributions(ready, given, line)
    taken = [] if rotated or row.chance is None else [[seats[at], each] for at, each in lot]
    data = {"seats": list(seats), **({IDS_KEY: taken} if taken else {})}
    events = [NewEvent("started", data), *step_events(steps, ready, draws)]
    return moved_row(ready, line, now, happened + len(events)), events, line


async def begin_game(
    context: Context,
    table: Table,
    full: GameRow,
    happened: Sequence[NewEvent] = (),
    *,
    processed: ProcessedEvent | None = None,
) -> GameRow:
    """Store the beginning of a game whose seats are all taken, in one step with the events in `happened`.

    A team's game is unrated, and all its players count as newcomers. Refused if the game has changed meanwhile.
    """
    finished: Collection[int] = ()
    if full.terms.team is None:
        people = [entry.person for entry in list_joined_seats(full) if entry.person is not None]
        finished = await context.store.lessons.people_who_finished(people, full.game)
        full = await with_unrated_reason(context, full)
    changed, begun, line = start_row(context, full, len(happened), finished)
    results = final_results(changed, line)
    return await store_step(
        context, table, changed, [*happened, *begun], line=line, processed=processed, results=results
    )


def _assign_seats(entries: Sequence[Seat], order: Sequence[int]) -> tuple[int, ...]:
    """Return the seats of entries in a given order; entries with the same key get theirs one after another."""
    free, seats = list(order), list[int]()
    for entry in entries:
        seats.append(free.index(player_key(entry)))
        free[seats[-1]] = 0  # taken: it is no player's key
    return tuple(seats)


MAX_INVITED: Final = 4


async def find_invited(context: Context, requester: RequestContext, people: Iterable[Mentioned]) -> tuple[Seat, ...]:
    """Return the seats of the people in the value of a `people` parameter; Refused for oneself, or too many.

    A plain name is looked up in the place, then on the platform. If none or several people match, the seat is reserved
    for the name.
    """
    found: list[Seat] = []
    user = requester.request.user
    for mentioned in people:
        name = clean_name(mentioned.name, "")
        if mentioned.id is None and not name:
            raise Refused("refusal.no-such-person", name=cut_name(mentioned.name, 20))
        if mentioned.id is None and share_name(name, user.name, user.handle):
            raise Refused("refusal.yourself")
        known = await find_person(context, requester, mentioned)
        invited = await invite(context, requester, known.id) if known else Seat(0, "invited", name=name)
        if invited not in found:
            found.append(invited)
    if len(found) > MAX_INVITED:
        raise Refused("refusal.too-many-people", most=MAX_INVITED)
    return tuple(found)


async def invite(context: Context, requester: RequestContext, person: int) -> Seat:
    """Return the seat of an invited person; Refused for oneself, and for people who do not want to be challenged."""
    if person == requester.id:
        raise Refused("refusal.yourself")
    if await context.store.people.get(person) is None:
        raise Refused("refusal.stale")
    await check_may_challenge(context, requester, person)
    return Seat(0, "invited", person=person)


def are_apart(one: Person, other: Person) -> bool:
    """Return True if one of two people does not want to play with the other."""
    return is_blocked_by(one, other) or is_blocked_by(other, one)


def is_blocked_by(one: Person, other: Person) -> bool:
    """Return True if a person does not want to play with another."""
    return other.id in one.settings.get("blocked", [])


async def check_may_challenge(
    context: Context, requester: RequestContext, invited: int, *, again: bool = False
) -> None:
    """Raise Refused if the other person accepts no challenges, none from strangers, or none from the requester.

    With `again`, the two have just played, and only a block prevents the challenge. The check is only reliable in the
    transaction that stores the challenge, because cached settings may be outdated.
    """
    other = await context.store.people.get(invited)
    if other is None:
        return
    allowed = other.settings.get("challenges")
    stranger = allowed == CHALLENGES_FROM_OPPONENTS and not await context.store.ratings.head_to_head(
        invited, requester.id
    )
    unwanted = not again and (allowed == CHALLENGES_FROM_NOBODY or stranger)
    if unwanted or is_blocked_by(other, requester.person):
        raise Refused("refusal.not-to-be-challenged", who=mention(other))
    if is_blocked_by(requester.person, other):
        raise Refused("refusal.you-blocked", who=mention(other))


def share_name(stored: str, *names: str | None) -> bool:
    """Return True if a reserved name is one of a person's names."""
    return any(name is not None and name_key(name) == name_key(stored) for name in names)


async def find_person(context: Context, requester: RequestContext, mentioned: Mentioned) -> Person | None:
    """Return the mentioned person: by the platform's id, by name in the place, or by name on the platform."""
    platform = requester.place.platform
    if mentioned.id is not None:
        name = name_player(mentioned.name)
        return await context.store.people.identify(platform, mentioned.id, name, at=context.clock())
    for place in (requester.place.id, None):
        people = await context.store.people.find(mentioned.name, platform=platform, place=place)
        if len(people) == 1:
            return people[0]
    return None


CALLED_OFF_REASONS: Final = frozenset({"withdrawn", "declined", "expired", "closed"})
"""Reasons for which a game may end before it began."""
MAX_COMMIT_ATTEMPTS: Final = 8
"""Maximum number of attempts to change a lobby while others change it."""


Changed = tuple[GameRow, NewEvent]
"""The row of a lobby after a step, and the event of the step."""
LobbyStep = Callable[[Context, RequestContext, GameRow], Changed]


async def open_table(
    context: Context,
    requester: RequestContext,
    game: str,
    options: Mapping[str, str | int],
    terms: Terms,
    reply: Reply,
    *,
    seats: int,
    invited: Sequence[Seat] = (),
    computers: Sequence[int] = (),
) -> GameRow:
    """Create a game in its lobby, shown in the requester's place, with some levels of computers.

    If only computers join, it starts at once. Refused if the game may not be played here.
    """
    check_start(requester.place, game, requester.speaker)
    alone = requester.request.nonmember and len(computers) + 1 == seats
    if requester.request.nonmember and not alone and not requester.request.place.guest:
        raise Refused("refusal.alone")
    await check_clock(context, requester, terms)
    await check_limit(context, requester)
    if computers:
        await check_computers(context, requester)
    own = Seat(0, "joined", person=requester.id, joined_by=joining_id(requester.request))
    entries = [own, *invited, *map(computer_seat, computers)]
    entries += [Seat(0, "open")] * (seats - len(entries))
    place = await private_guest_place(context, requester.request, requester.id) if alone else requester.place
    async with context.store.transaction():
        row = await create_game(context, requester, game, options, terms, entries, place, reply)
        row = await begin_if_full(context, row, requester.person)
        if not alone:
            await context.store.posts.add(row.id, requester.place.id, context.clock())
    note_public(context, requester, Public.BEGIN)
    return row


async def begin_if_full(context: Context, row: GameRow, *people: Person) -> GameRow:
    """Begin a new game at once if all its seats are taken, by these people and by computers; return its row."""
    if len(list_joined_seats(row)) < row.seat_count:
        return row
    table = Table(brief=row, row=row, people={person.id: person for person in people}, line=None)
    return await begin_game(context, table, row)


async def create_game(
    context: Context,
    requester: RequestContext,
    game: str,
    options: Mapping[str, str | int],
    terms: Terms,
    entries: Sequence[Seat],
    place: PlaceRow,
    reply: Reply,
) -> GameRow:
    """Store a new lobby, first with the seat of its starter, and challenge the people who are invited to it.

    Call it in a transaction. The game's seed is fixed before anybody else joins. Refused for people who do not want to
    be challenged.
    """
    now, seed = context.clock(), context.entropy().hex()
    first, count = entries[0], len(entries)
    contributed = SeedContributions().after_joining(first.person or 0, first.joined_by or "", is_new=True)
    new = NewGame(
        game=game,
        place=place.id,
        starter=requester.id,
        rules_version=games[game].rules_version,
        seat_count=count,
        seats=arrange_seats(entries),
        options=dict(options),
        seed=seed,
        seed_hash=fair.hash_seed(seed),
        terms=terms,
        alarm_at=now + INVITATION_LIFETIME,
        chance=dump_fields(contributed),
    )
    happened = [NewEvent("opened", {"seats": count, "options": dict(options)}, requester.id)]
    row = await context.store.games.create(new, now, happened=happened, processed=requester.receipt(reply))
    # The requester may be the opponent of their own team.
    asked = [person for person in list_seated_people(row, ("invited",)) if person != requester.id]
    for person in asked:
        # The earlier check may have used cached data: they may have changed their settings in another process.
        await check_may_challenge(context, requester, person, again=bool(terms.rematch_of))
    if asked:
        notices = challenge_notices(row, await context.store.people.get_many(asked), now)
        await context.store.notices.promise(row.id, (), notices, now)
    return row


async def note_rematch(context: Context, requester: RequestContext, table: Table, again: GameRow) -> None:
    """Record in a finished game which game repeats it."""
    noted = replace(table.row, progress=replace(table.row.progress, rematch=again.id))
    await store_step(context, table, noted, [NewEvent("rematch", {"game": again.id}, requester.id)])


async def join(context: Context, requester: RequestContext, game: str, reply: Reply) -> GameRow:
    """Take a seat in a lobby: the one reserved for the person, or an open one; the game starts when all are taken."""
    await check_limit(context, requester)
    table = await context.table(game)
    await check_may_take_part(context, requester, table.row)
    if table.row.is_lobby:
        team = table.row.terms.team
        if team is not None and team.against == "channel":
            raise Refused("refusal.team-channel", code=game)
        await check_clock(context, requester, table.row.terms, game)
    if has_computer(table.row):
        await check_computers(context, requester, game)
    people = table.people
    joined = [event for event in await context.store.games.events(game) if event.kind == "joined"]
    # A person who leaves and returns keeps the id of their first joining.
    own_ids = (str(event.data["by"]) for event in joined if event.person == requester.id and "by" in event.data)
    first = next(own_ids, None)

    def step(_context: Context, requester: RequestContext, row: GameRow) -> Changed:
        own = find_entry(row, requester)
        if own is not None and own.state == "joined":
            raise Refused("refusal.already-in")
        free = own or find_open_seat(row)
        check_players(requester, row, people)
        by = first or joining_id(requester.request, frozenset(entry.joined_by or "" for entry in row.seats))
        taken = replace(free, state="joined", person=requester.id, name="", joined_by=by)
        given = read_contributions(row.chance).after_joining(requester.id, by, is_new=first is None)
        changed = with_contributions(with_seat(row, free, taken), given)
        return changed, NewEvent("joined", {"by": by}, requester.id)

    row = await take_step(context, requester, game, step, reply)
    note_public(context, requester, Public.BEGIN)
    return row


def check_players(requester: RequestContext, row: GameRow, people: Mapping[int, Person]) -> None:
    """Raise Refused if the requester has blocked a player of the game, or a player has blocked the requester."""
    players = [known for entry in list_joined_seats(row) if (known := people.get(entry.person or 0)) is not None]
    if any(are_apart(other, requester.person) for other in players):
        raise Refused("refusal.cannot-join")


async def add_computer(context: Context, requester: RequestContext, game: str, level: int, reply: Reply) -> GameRow:
    """Give an open seat to a computer; Refused for people who have not joined, or if no seat is open."""
    await check_computers(context, requester, game)

    def step(_context: Context, requester: RequestContext, row: GameRow) -> Changed:
        check_joined(row, requester)
        changed = with_seat(row, find_open_seat(row), computer_seat(level))
        return changed, NewEvent("computer", {"level": level}, requester.id)

    return await take_step(context, requester, game, step, reply)


def decline(context: Context, requester: RequestContext, row: GameRow) -> Changed:
    """Decline an invitation, or leave; the starter thereby calls the game off."""
    own = find_entry(row, requester)
    if row.starter == requester.id:
        return call_off(row, "withdrawn", context.clock()), NewEvent("withdrawn", {}, requester.id)
    if own is None or own.state == "declined":
        raise Refused("refusal.not-invited")
    if own.state == "joined":
        return with_seat(row, own, Seat(0, "open")), NewEvent("left", {}, requester.id)
    changed = with_seat(row, own, replace(own, state="declined", person=requester.id, name=""))
    if sum(entry.state != "declined" for entry in changed.seats) < games[row.game].seats[0]:
        changed = call_off(changed, "declined", context.clock())
    return changed, NewEvent("declined", {}, requester.id)


def withdraw(context: Context, requester: RequestContext, row: GameRow) -> Changed:
    """Call a game off before it has started; only its starter can."""
    if row.starter != requester.id:
        raise Refused("refusal.not-yours-to-withdraw")
    return decline(context, requester, row)


def start(_context: Context, requester: RequestContext, row: GameRow) -> Changed:
    """Start a game with the people who are in; only its starter can. Refused with too few people."""
    if row.starter != requester.id:
        raise Refused("refusal.only-starter")
    seated = list_joined_seats(row)
    least = games[row.game].seats[0]
    if len(seated) < least:
        raise Refused("refusal.too-few", least=least)
    full = replace(row, seats=arrange_seats(seated), seat_count=len(seated))
    return with_entropy(full, requester), NewEvent("begun", {}, requester.id)


def begin(_context: Context, requester: RequestContext, row: GameRow) -> Changed:
    """Contribute to the lot; the game starts after the last missing contribution. Refused for all others."""
    if requester.id not in list_awaited_people(row):
        raise Refused("refusal.not-awaited")
    return with_entropy(row, requester), NewEvent("begun", {}, requester.id)


def with_seat(row: GameRow, old: Seat, new: Seat) -> GameRow:
    """Return the row of a lobby with another entry in place of one."""
    return replace(row, seats=arrange_seats([*(entry for entry in row.seats if entry is not old), new]))


def find_open_seat(row: GameRow) -> Seat:
    """Return the first open seat of a lobby; Refused if none is open."""
    free = next((entry for entry in row.seats if entry.state == "open"), None)
    if free is None:
        raise Refused("refusal.no-seat-free", game=row.game)
    return free


def check_joined(row: GameRow, requester: RequestContext) -> None:
    """Raise Refused if the requester has not joined."""
    own = find_entry(row, requester)
    if own is None or own.state != "joined":
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


def no_lobby_refusal(row: GameRow, requester: RequestContext) -> Refused:
    """Return the refusal of a lobby action on a game that has left the lobby, with its state."""
    if row.is_playing:
        inside = any(entry.person == requester.id for entry in row.seats)
        return Refused("refusal.has-started.you" if inside else "refusal.has-started")
    reason = (row.outcome or {}).get("reason")
    if row.started_at is None and reason in CALLED_OFF_REASONS:
        return Refused(f"refusal.was-{reason}")
    return Refused("refusal.is-over")


def find_entry(row: GameRow, requester: RequestContext) -> Seat | None:
    """Return the entry that is the requester's, or reserved for their name."""
    user, reserved = requester.request.user, [entry for entry in row.seats if entry.state == "invited" and entry.name]
    named = (entry for entry in reserved if share_name(entry.name, user.name, user.handle))
    return next((entry for entry in row.seats if entry.person == requester.id), None) or next(named, None)


async def take_step(
    context: Context, requester: RequestContext, game: str, step: LobbyStep, reply: Reply | None = None
) -> GameRow:
    """Take a step in a lobby, with retries if others are faster; the game starts when all seats are taken.

    Before that it waits for missing contributions to the lot. Without a reply, the step is not the answer to the
    request.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        table = await context.table(game)
        row = table.row
        if not row.is_lobby:
            raise no_lobby_refusal(row, requester)
        changed, event = step(context, requester, row)
        is_full = changed.is_lobby and len(list_joined_seats(changed)) == changed.seat_count
        table = replace(table, people={**table.people, requester.id: requester.person})
        processed = requester.receipt(reply) if reply is not None else None
        try:
            async with context.store.savepoint():
                if is_full and not list_awaited_people(changed):
                    return await begin_game(context, table, changed, [event], processed=processed)
                return await store_step(context, table, changed, [event], processed=processed)
        except Refused:
            continue
    raise Refused("refusal.moved-on")


async def check_limit(context: Context, requester: RequestContext) -> None:
    """Raise Refused if the person has as many games as the operator allows, or started too many within an hour."""
    check_pace(context, requester, Public.BEGIN)
    if len(await context.store.games.list_for_person(requester.id, context.most_games)) >= context.most_games:
        raise Refused("refusal.too-many-games", most=context.most_games)


async def check_computers(context: Context, requester: RequestContext, game: str = "") -> None:
    """Raise Refused for a game with computers (a new one, or this one) if the person has too many others."""
    own = await context.store.games.list_for_person(requester.id, context.most_games)
    if sum(has_computer(each) for each in own if each.id != game) >= context.most_computer_games:
        raise Refused("refusal.too-many-computers", most=context.most_computer_games)
