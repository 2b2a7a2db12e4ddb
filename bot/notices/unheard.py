"""Games with a clock where nothing can be shown at present: what their time is about is told in private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.context.context import Context
from bot.context.guests import is_alone
from bot.notices.promised import TIME_OUT
from bot.notices.ways import NoticeKind
from storage import GameRow, NewEvent, NewNotice

TIMELY: Final = frozenset({NoticeKind.TURN, NoticeKind.TIME, NoticeKind.OVER})
"""What has to be told in time where a clock runs."""


async def unheard(context: Context, row: GameRow, kind: str) -> frozenset[int]:
    """Return the places of a game with a clock where nothing can be shown now that would call people to something.

    What is played alone, in answers to what one does, shows its turns and its end itself, but never its time.
    """
    if not row.terms.clock or kind not in TIMELY:
        return frozenset()
    found = await context.store.places_without_pass(row.id, context.clock())
    if found or kind == NoticeKind.TURN:
        return frozenset(found)
    place = await context.store.place_by_id(row.place)
    return frozenset({place.id}) if place is not None and is_alone(place.channel) else frozenset()


async def hastened(
    context: Context, row: GameRow, events: Sequence[NewEvent], promised: tuple[NewNotice, ...], now: datetime
) -> tuple[NewNotice, ...]:
    """Return what a step of a game promises, due at once as far as no board may tell it in time."""
    by_time = any(event.data.get("why") == TIME_OUT for event in events)
    people = {entry.person for entry in row.seats} - {None}
    # Whoever has no company is answered by an end that did not come by time.
    told = TIMELY if by_time or len(people) > 1 else TIMELY - {NoticeKind.OVER}
    late = {each.kind for each in promised if each.due_at is None and each.kind in told}
    late = {kind for kind in late if await unheard(context, row, kind)}
    return tuple(replace(each, due_at=now) if each.kind in late and each.due_at is None else each for each in promised)
