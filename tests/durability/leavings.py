"""What several processes on one PostgreSQL have left to do: boards, what is due, and whose work it is."""

from collections.abc import Iterable, Iterator
from itertools import islice

from bot.platforms.discord.client import shard_claim
from storage.coordination import lock_number
from tests.durability.ledger import Ledger

BOARDS = """
SELECT posts.id, posts.game, places.platform, places.channel, message, shown_revision, games.revision,
       announced, stale_messages, due_at, attempts, gone, posts.waiting
FROM posts JOIN games ON games.id = posts.game JOIN places ON places.id = posts.place
WHERE due_at IS NOT NULL OR (NOT gone AND shown_revision IS DISTINCT FROM games.revision) ORDER BY due_at
"""
NOTICES = "SELECT id, person, kind, subject, game, route, due_at, attempts FROM notices WHERE due_at IS NOT NULL"
CLAIMS = """
SELECT (classid::bigint << 32) | objid::bigint, mode, granted, pid FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 ORDER BY pid
"""
THINKING = "SELECT id FROM games WHERE thinking"
MAX_ROWS = 50
"""How many lines of each are told."""


def what_is_left(ledger: Ledger) -> list[str]:
    """Return in lines the boards that are not up to date, what is due, and which process holds which claim."""
    return [
        *_lines("board", ledger.rows(BOARDS)),
        *_lines("notice", ledger.rows(NOTICES)),
        *_lines("thinking", ledger.rows(THINKING)),
        *_lines("claim", _named(ledger)),
    ]


def _named(ledger: Ledger) -> Iterator[tuple[object, ...]]:
    channels = ledger.rows("SELECT DISTINCT platform, channel FROM places")
    names = [f"chat {platform} {channel}" for platform, channel in channels]
    names += [f"computer {game}" for (game,) in ledger.rows("SELECT id FROM games")]
    names += ["discord", "telegram", *map(shard_claim, range(16))]
    known = {lock_number(name): name for name in names}
    for number, *rest in ledger.rows(CLAIMS):
        yield known.get(number, number), *rest


def _lines(what: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    for row in islice(rows, MAX_ROWS):
        yield f"{what}: {', '.join(map(str, row))}"
