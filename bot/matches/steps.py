"""A person's action on a competition: stored at the revision for which it was decided, else decided again."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.matches.stored import MAX_COMMIT_ATTEMPTS, StoredCompetition
from storage import Conflict, EntrantRow

C = TypeVar("C", bound=StoredCompetition)
E = TypeVar("E")


async def commit_step(
    context: Context,
    code: str,
    find: Callable[[Context, str], Awaitable[C]],
    step: Callable[[C], tuple[E, EntrantRow | None]],
    store: Callable[[C, E, Sequence[EntrantRow]], Awaitable[object]],
) -> C:
    """Store the event that `step` returns, and return the competition's state before it.

    `step` returns an event, and the entry that it changes; it is called again if another writer was faster. Refused if
    the competition is over.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        found = await find(context, code)
        if found.row.status == "over":
            raise Refused("refusal.cup-over")
        event, entry = step(found)
        try:
            await store(found, event, () if entry is None else (entry,))
        except Conflict:
            continue
        return found
    raise Refused("refusal.moved-on")
