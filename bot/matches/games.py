"""Games of competitions: opening them for a pairing, where they are shown, and their results."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.competitions.events import COMPUTER_ENTRANT, CupTerms
from bot.competitions.league.events import LeagueTerms
from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.lobby.beginning import start_row
from bot.lobby.service import arrange_seats, computer_seat
from bot.matches.keeper import C, CompetitionKeeper
from bot.matches.stored import MAX_COMMIT_ATTEMPTS, StoredCompetition
from bot.play.rated_games import with_unrated_reason
from bot.play.replaying import line_of_play
from bot.play.service import store_step
from bot.tables.chance import SeedContributions
from bot.tables.changes import final_results
from bot.tables.table import BrokenGame, Table, player_key
from engine import fair, games
from engine.fair import CHAIN_PREFIX, UNKNOWN_ID
from storage import CodeTaken, GameRow, NewGame, Seat, Terms
from storage.plain_text import CODE_ALPHABET, CODE_LENGTH

DAMAGED_REASON: Final = "damaged"
"""The reason of the draw if a game cannot be read."""


async def open_match(
    context: Context,
    keeper: CompetitionKeeper[Any, C],
    found: C,
    slot: str,
    players: Sequence[int],
    attached: Callable[[str], Any],
) -> None:
    """Open a game for entrants in the order of their seats, and store the event that attaches it, in one transaction.

    Raises Conflict if another process was faster.
    """
    async with context.store.transaction():
        row = await _begin_game(context, found, slot, players)
        await keeper.store(context, found, [attached(row.id)], opened=[(slot, row.id)])
        for place in await _game_places(context, found, players):
            await context.store.posts.add(row.id, place, context.clock())
    context.signals.notify_changed()
    context.signals.wake("notices")


async def read_match_result(
    context: Context, game: str, seats: int
) -> tuple[tuple[int, ...], str, tuple[int, ...]] | None:
    """Return places, reason and the seats that never moved of a finished game; None if it is still played."""
    drawn = (1,) * seats
    try:
        row = (await context.table_as_stored(game)).row
    except Refused:
        return drawn, DAMAGED_REASON, ()
    if row.status != "over":
        aside = row.status == "playing" and (row.course.set_aside is not None or bool(row.unread))
        return (drawn, DAMAGED_REASON, ()) if aside else None
    outcome = row.outcome or {}
    places = tuple(outcome.get("places") or drawn)
    late = [seat for seat, why in row.course.left.items() if why == "time"]
    absent: tuple[int, ...] = ()
    if late:
        try:
            acted = {
                event.data.get("seat")
                for event in line_of_play(await context.store.games.events(row.id))
                if not event.data.get("auto") and "why" not in event.data
            }
            absent = tuple(sorted(set(late) - acted))
        except BrokenGame:
            absent = ()
    return places, str(outcome.get("reason", DAMAGED_REASON)), absent


async def _begin_game(context: Context, cup: StoredCompetition[Any], slot: str, players: Sequence[int]) -> GameRow:
    """Begin a game with the seats of its pairing; its seed and id are derived from the competition's seed.

    On a ladder no computer plays, and a holiday extends a turn without limit.
    """
    terms = cup.stands.terms
    more = terms if isinstance(terms, CupTerms | LeagueTerms) else None
    seed = _derive_seed(cup, f"game {slot}").hex()
    seats, given = [], SeedContributions()
    for each in players:
        person = cup.person_of(each)
        if each == COMPUTER_ENTRANT or person is None:
            seats.append(computer_seat(int((more.computers if more is not None else "") or 1)))
            continue
        by = cup.entries[each].joined_by
        # The chain that a browser committed to was for the lot; the game gets a new one.
        by = f"{CHAIN_PREFIX}{UNKNOWN_ID}" if by.startswith(CHAIN_PREFIX) else by
        seats.append(Seat(0, "joined", person=person.id, joined_by=by))
        given = given.after_joining(person.id, by, anew=True)
    seats = list(arrange_seats(seats))
    new = NewGame(
        game=cup.row.game_key,
        place=(await _game_places(context, cup, players))[0],
        starter=cup.row.maker,
        rules_version=games[cup.row.game_key].rules_version,
        seat_count=len(seats),
        seats=tuple(seats),
        options=dict(terms.options),
        seed=seed,
        seed_hash=fair.hash_seed(seed),
        terms=Terms(
            clock=terms.clock,
            rated=terms.rated,
            hints=False,
            order=tuple(map(player_key, seats)),
            cup=cup.row.id,
            cup_kind=cup.row.kind,
            holidays=None if more is None else more.holidays,
        ),
        chance=given.to_json(),
    )
    row = await _create_game(context, cup, slot, new)
    people = [entry.person for entry in row.seats if entry.person is not None]
    finished = await context.store.lessons.people_who_finished(people, row.game)
    changed, events, line = start_row(context, await with_unrated_reason(context, row), 0, finished, at_once=True)
    table = Table(brief=row, row=row, people=dict(cup.people), line=None)
    return await store_step(context, table, changed, events, line=line, results=final_results(changed, line))


async def _create_game(context: Context, cup: StoredCompetition[Any], slot: str, new: NewGame) -> GameRow:
    """Create a game with the first free id among those derived from the competition's seed."""
    for attempt in range(MAX_COMMIT_ATTEMPTS):
        digest = int.from_bytes(_derive_seed(cup, f"id {slot} {attempt}"), "big")
        code = ""
        for _ in range(CODE_LENGTH):
            digest, letter = divmod(digest, len(CODE_ALPHABET))
            code += CODE_ALPHABET[letter]
        try:
            async with context.store.savepoint():
                return await context.store.games.create(replace(new, id=code), context.clock())
        except CodeTaken:
            continue
    return await context.store.games.create(new, context.clock())


def _derive_seed(cup: StoredCompetition[Any], what: str) -> bytes:
    return hmac.digest(bytes.fromhex(cup.row.seed), f"{cup.row.id} {what}".encode(), hashlib.sha256)


async def _game_places(context: Context, cup: StoredCompetition[Any], players: Sequence[int]) -> list[int]:
    """Return the places that show a game: the channels of its players or their private chats."""
    found: dict[int, None] = {}
    for each in players:
        person, entry = cup.person_of(each), cup.entries.get(each)
        if person is None or entry is None:
            continue
        place = await context.store.places.get(entry.place or cup.row.place)
        if place is None:
            continue
        adapter = context.adapters.get(place.platform)
        shows_apart = adapter is not None and (adapter.has_threads or adapter.draws_for_readers)
        own = None
        if place.kind == "group" and not shows_apart:
            own = await context.store.competitions.private_place(person.id, place.platform)
        found[own or place.id] = None
    return list(found) or [cup.row.place]
