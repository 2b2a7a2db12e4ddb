"""The kinds of competitions: reading and checking a stored one of any kind, and its cards."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Final

from bot.competitions.cards import AnyCards
from bot.competitions.cups.cards import CupCards
from bot.competitions.cups.service import Cup
from bot.competitions.events import InvalidCompetition
from bot.competitions.file import FILE_TYPES
from bot.competitions.keeper import read_timed_event
from bot.competitions.ladders.cards import LadderCards
from bot.competitions.ladders.service import StoredLadder
from bot.competitions.leagues.cards import LeagueCards
from bot.competitions.leagues.service import StoredLeague
from bot.kernel.context import Context
from bot.kernel.operations.clock import Clock
from bot.table.checking import Finding
from storage import CompetitionKind, CompetitionRow, Store
from storage.competition_schema import COMPETITION_KINDS
from storage.database import iterate_pages

AnyCompetition = Cup | StoredLeague | StoredLadder
CARDS: Final[Mapping[CompetitionKind, type[AnyCards]]] = {
    "cup": CupCards,
    "league": LeagueCards,
    "ladder": LadderCards,
}


async def read_competition(context: Context, row: CompetitionRow) -> AnyCompetition:
    """Return a stored competition with its state; Refused if its events are invalid."""
    found: AnyCompetition = await CARDS[row.kind].keeper.read(context, row)
    return found


async def check_competitions(store: Store) -> AsyncIterator[tuple[str, tuple[Finding, ...]]]:
    """Yield the id of every stored competition with its errors, usually none."""
    clock = Clock()
    await clock.load_moves(store)
    for kind in COMPETITION_KINDS:
        async for code in iterate_pages(partial(store.competitions.list_ids, kind=kind)):
            row = await store.competitions.get(code)
            if row is not None:
                yield code, tuple([each async for each in _find_contradictions(store, row, clock)])


async def _find_contradictions(store: Store, row: CompetitionRow, clock: Clock) -> AsyncIterator[Finding]:
    code, form = row.id, FILE_TYPES[row.kind]
    events = await store.competitions.events(code)
    try:
        file = form({}, tuple(read_timed_event(clock, form.state.codec, each) for each in events))
        state, games = file.replay, file.games()
    except InvalidCompetition as error:
        yield Finding("cup-events", str(error)[:120])
        return
    if [each.number for each in events] != list(range(1, row.revision + 1)):
        yield Finding("cup-revision", f"{row.revision} / {len(events)}")
    if state.stage != row.status:
        yield Finding("cup-status", f"{row.status} / {state.stage}")
    missing = set(state.entrants) - {each.number for each in await store.competitions.entrants(code)}
    if missing:
        yield Finding("cup-entrants", str(min(missing)))
    paired = {game: slot for slot, game in (await store.competitions.paired_games(code)).items()}
    if set(paired) != set(games):
        yield Finding("cup-game", str(min(set(paired) ^ set(games))))
    for game, played in games.items():
        found = await store.games.get(game)
        if found is None or found.terms.cup != code or found.seat_count != len(played.seats):
            yield Finding("cup-game", game)
            continue
        ended = tuple((found.outcome or {}).get("places") or ())
        if paired.get(game) != played.slot or (played.places is not None and ended and ended != played.places):
            yield Finding("cup-game", game)
