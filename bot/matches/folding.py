"""Reading long competitions: the last known state is cached, and only newer events are read."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

from bot.competitions.events import EventCodec, InvalidCompetition
from bot.core.context import Context
from bot.interface.refusals import Refused
from storage import CompetitionRow, Store

MAX_REMEMBERED: Final = 200
"""Maximum number of cached competitions (least recently used)."""

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)
S = TypeVar("S", bound="Foldable")


class Foldable(Protocol):
    """The state of a competition after a number of events."""

    @property
    def revision(self) -> int:
        """The number of events."""


_REMEMBERED: Final[WeakKeyDictionary[Store, OrderedDict[str, Foldable]]] = WeakKeyDictionary()


async def fold_events(
    context: Context,
    row: CompetitionRow,
    codec: EventCodec[E],
    created: Callable[[E], S],
    apply: Callable[[S, datetime, E], S],
) -> S:
    """Return the state of a competition; Refused if its events are invalid."""
    memory = _REMEMBERED.setdefault(context.store, OrderedDict())
    known = memory.get(row.id)
    stands: S | None = known if known is not None and known.revision <= row.revision else None  # type: ignore[assignment]
    if stands is None or stands.revision < row.revision:
        events = await context.store.competitions.events(row.id, after=stands.revision if stands is not None else 0)
        try:
            for each in events:
                if each.number <= row.revision:
                    event = codec.from_json(each.kind, each.data)
                    stands = created(event) if stands is None else apply(stands, each.at, event)
        except InvalidCompetition as error:
            raise Refused("refusal.cup-broken", code=row.id) from error
    if stands is None or stands.revision != row.revision:
        raise Refused("refusal.cup-broken", code=row.id)
    memory[row.id] = stands
    memory.move_to_end(row.id)
    while len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)
    return stands
