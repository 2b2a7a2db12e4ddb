"""The check of stored competitions: folding their events must give what the row and the games say."""

from collections.abc import AsyncIterator
from functools import partial

from bot.competitions.events import InvalidCompetition
from bot.competitions.file_types import FILE_TYPES
from bot.play.checking import Finding
from storage import CompetitionRow, Store
from storage.competition_schema import COMPETITION_KINDS
from storage.database import iterate_pages


async def check_competitions(store: Store) -> AsyncIterator[tuple[str, tuple[Finding, ...]]]:
    """Yield the id of every stored competition with its list of errors, mostly none."""
    for kind in COMPETITION_KINDS:
        async for code in iterate_pages(partial(store.competitions.list_ids, kind=kind)):
            row = await store.competitions.get(code)
            if row is not None:
                yield code, tuple([each async for each in _find_contradictions(store, row)])


async def _find_contradictions(store: Store, row: CompetitionRow) -> AsyncIterator[Finding]:
    code, form = row.id, FILE_TYPES[row.kind]
    events = await store.competitions.events(code)
    try:
        file = form({}, tuple((each.at, form.codec.from_json(each.kind, each.data)) for each in events))
        stands, games = file.replay, file.games()
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
    paired = {game: slot for slot, game in (await store.competitions.paired_games(code)).items()}
    if set(paired) != set(games):
        yield Finding(code, "cup-game", str(min(set(paired) ^ set(games))))
    for game, played in games.items():
        found = await store.games.get(game)
        if found is None or found.terms.cup != code or found.seat_count != len(played.seats):
            yield Finding(code, "cup-game", game)
            continue
        ended = tuple((found.outcome or {}).get("places") or ())
        if paired.get(game) != played.slot or (played.places is not None and ended and ended != played.places):
            yield Finding(code, "cup-game", game)
