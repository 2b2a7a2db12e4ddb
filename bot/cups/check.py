"""Checks of stored cups: their events are replayed and must lead to what their row and games say."""

from collections.abc import AsyncIterator, Iterator

from bot.competitions.competition import Competition
from bot.competitions.events import InvalidCompetition, from_json
from bot.play.checking import BATCH_SIZE, Finding
from storage import CompetitionRow, GameRow, Store


async def check_competitions(store: Store) -> AsyncIterator[tuple[str, tuple[Finding, ...]]]:
    """Yield the id of every cup in a store with its findings, mostly none."""
    after = ""
    while batch := await store.competitions.list_ids(after, BATCH_SIZE):
        for code in batch:
            yield code, tuple([each async for each in _find_contradictions(store, code)])
        after = batch[-1]


async def _find_contradictions(store: Store, code: str) -> AsyncIterator[Finding]:
    row = await store.competitions.get(code)
    if row is None:
        return
    events = await store.competitions.events(code)
    try:
        stands = Competition.replay([from_json(each.kind, each.data) for each in events])
    except InvalidCompetition as error:
        yield Finding(code, "cup-events", str(error)[:120])
        return
    if [each.number for each in events] != list(range(1, row.revision + 1)):
        yield Finding(code, "cup-revision", f"{row.revision} / {len(events)}")
    if stands.stage != row.status:
        yield Finding(code, "cup-status", f"{row.status} / {stands.stage}")
    missing = set(stands.entrants) - {each.number for each in await store.competitions.entrants(code)}
    if missing:
        yield Finding(code, "cup-entrants", str(min(missing)))
    paired = set((await store.competitions.paired_games(code)).values())
    for *_, game in stands.games():
        if game.id is None:
            continue
        found = await store.games.get(game.id) if game.id in paired else None
        for finding in _check_game(row, found, game.id, game.seats, game.places):
            yield finding


def _check_game(
    row: CompetitionRow, found: GameRow | None, game: str, seats: tuple[int, ...], places: tuple[int, ...] | None
) -> Iterator[Finding]:
    """Yield what contradicts the cup in one of its games."""
    if found is None or found.terms.cup != row.id or found.seat_count != len(seats):
        yield Finding(row.id, "cup-game", game)
        return
    ended = tuple((found.outcome or {}).get("places") or ())
    if places is not None and ended and found.status == "over" and ended != places:
        yield Finding(row.id, "cup-game", game)
