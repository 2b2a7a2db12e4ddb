"""Games with a clock where nothing can be shown at present: what their time is about is told in private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.core.context import Context
from bot.core.interaction_passes import is_private_channel
from bot.core.notice_routes import NoticeKind
from bot.notices.changes import TIMEOUT_REASON
from storage import GameRow, NewEvent, NewNotice

TIME_CRITICAL_KINDS: Final = frozenset({NoticeKind.TURN, NoticeKind.TIME, NoticeKind.OVER})
"""What has to be told in time where a clock runs."""


async def unreachable_places(context: Context, row: GameRow, kind: str) -> frozenset[int]:
    """Return the places of a game with a clock where nothing can be shown now that would call people to something.

    What is played alone, in answers to what one does, shows its turns and its end itself, but never its time.
    """
    if not row.terms.clock or kind not in TIME_CRITICAL_KINDS:
        return frozenset()
    found = await context.store.passes.places_without(row.id, context.clock())
    if found or kind == NoticeKind.TURN:
        return frozenset(found)
    place = await context.store.places.get(row.place)
    return frozenset({place.id}) if place is not None and is_private_channel(place.channel) else frozenset()


async def with_urgent_notices(
    context: Context, row: GameRow, events: Sequence[NewEvent], promised: tuple[NewNotice, ...], now: datetime
) -> tuple[NewNotice, ...]:
    """Return what a step of a game promises, due at once as far as no board may tell it in time."""
    by_time = any(event.data.get("why") == TIMEOUT_REASON for event in events)
    people = {entry.person for entry in row.seats} - {None}
    # A player without human opponents sees an end in the answer, unless it came by time.
    urgent_kinds = TIME_CRITICAL_KINDS if by_time or len(people) > 1 else TIME_CRITICAL_KINDS - {NoticeKind.OVER}
    late = {each.kind for each in promised if each.due_at is None and each.kind in urgent_kinds}
    late = {kind for kind in late if await unreachable_places(context, row, kind)}
    return tuple(replace(each, due_at=now) if each.kind in late and each.due_at is None else each for each in promised)
