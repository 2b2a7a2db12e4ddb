"""The check of stored ladders and leagues: folding their events must give what the row and the games say."""

from collections.abc import AsyncIterator
from typing import Final, get_args

from bot.competitions.events import InvalidCompetition
from bot.competitions.ladder.ladder import Ladder
from bot.competitions.season_file import SEASON_CODECS, SeasonFile, SeasonKind
from bot.play.checking import BATCH_SIZE, Finding
from storage import Store

KINDS: Final[tuple[SeasonKind, ...]] = get_args(SeasonKind)


async def check_seasons(store: Store) -> AsyncIterator[tuple[str, tuple[Finding, ...]]]:
    """Yield the id of every stored ladder and league with its list of errors."""
    for kind in KINDS:
        after = ""
        while batch := await store.competitions.list_ids(after, BATCH_SIZE, kind=kind):
            for code in batch:
                yield code, tuple([each async for each in _find_contradictions(store, code, kind)])
            after = batch[-1]


async def _find_contradictions(store: Store, code: str, kind: SeasonKind) -> AsyncIterator[Finding]:
    row = await store.competitions.get(code)
    if row is None:
        return
    events = await store.competitions.events(code)
    try:
        timed = tuple((each.at, SEASON_CODECS[kind].from_json(each.kind, each.data)) for each in events)
        file = SeasonFile(kind, {}, timed)
        stands, games = file.replay, file.games()
    except InvalidCompetition as error:
        yield Finding(code, "cup-events", str(error)[:120])
        return
    if [each.number for each in events] != list(range(1, row.revision + 1)):
        yield Finding(code, "cup-revision", f"{row.revision} / {len(events)}")
    if stands.over != (row.status == "over"):
        yield Finding(code, "cup-status", row.status)
    people = stands.climbers if isinstance(stands, Ladder) else stands.members
    missing = set(people) - {each.number for each in await store.competitions.entrants(code)}
    if missing:
        yield Finding(code, "cup-entrants", str(min(missing)))
    paired = {game: slot for slot, game in (await store.competitions.paired_games(code)).items()}
    if set(paired) != set(games):
        yield Finding(code, "cup-game", str(min(set(paired) ^ set(games))))
    for game, played in games.items():
        found = await store.games.get(game)
        ended = tuple((found.outcome or {}).get("places") or ()) if found is not None else ()
        differs = played.places is not None and bool(ended) and ended != played.places
        if found is None or found.terms.cup != code or paired.get(game) != played.slot or differs:
            yield Finding(code, "cup-game", game)
