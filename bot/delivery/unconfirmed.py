"""What was shown after the claim to do so was lost: another process may have shown something newer before it landed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog

from bot.core.notice_routes import Route
from storage import Store, Surface

MAX_UNCONFIRMED_SENDS: Final = 1000
"""How many doubts are kept: an outage with more boards under way than that is none that this could mend."""

Chat = tuple[str, str]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveredRevision:
    """A revision that a message was told to show: `before` is the surface as it was read, `turn` what it announces.

    `told` are the notices that the message tells. Where nobody knows whether the message shows it, `sure` is False.
    """

    before: Surface
    message: str
    revision: int
    turn: int
    notices: tuple[int, ...] = field(default=())
    sure: bool = True


async def record_delivery(
    store: Store, delivered: DeliveredRevision, at: datetime, later: datetime | None = None
) -> Surface | None:
    """Note what a message shows and whom it has told; return the surface, None if there is no such.

    Old messages are retired `later`.
    """
    surface = delivered.before
    async with store.transaction():
        noted = await store.surfaces.record_shown(
            surface, revision=delivered.revision, message=delivered.message, turn=delivered.turn, at=at, later=later
        )
        if delivered.notices:
            await store.notices.record_delivered(delivered.notices, at, way=Route.HERE, place=surface.place.id)
    return noted


class UnconfirmedSends:
    """Remembers by chat what may have landed too late, until that is noted under a new claim."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._left: dict[Chat, list[DeliveredRevision]] = defaultdict(list)

    @property
    def chats(self) -> Iterable[Chat]:
        """The chats with something to note."""
        return list(self._left)

    def add(self, chat: Chat, delivered: DeliveredRevision) -> None:
        """Have something looked at again as soon as the chat is claimed anew."""
        log.warning("claim-lost", platform=chat[0], game=delivered.before.game, surface=delivered.before.id)
        if sum(map(len, self._left.values())) < MAX_UNCONFIRMED_SENDS:
            self._left[chat].append(delivered)

    async def resolve(self, chat: Chat) -> None:
        """Note what was left of a chat, which must be claimed, so that nobody is showing anything there meanwhile."""
        while left := self._left.get(chat):
            await self._settle(left[0])
            left.pop(0)
        self._left.pop(chat, None)

    async def _settle(self, delivered: DeliveredRevision) -> None:
        store, surface, at = self._store, delivered.before, self._clock()
        now = await store.surfaces.get(surface.id)
        if now is None or now.gone:
            return
        if _as_shown(now) == _as_shown(surface):
            # Nobody has shown anything since.
            if delivered.sure:
                await record_delivery(store, delivered, at)
            return
        if now.message == delivered.message:
            if now.shown_revision != delivered.revision:
                await store.surfaces.record_overwritten(surface.id, delivered.message, delivered.revision, at)
        else:
            await store.surfaces.record_orphan(surface.id, delivered.message, delivered.revision, at)
        if delivered.notices and delivered.sure:
            await store.notices.record_delivered(delivered.notices, at, way=Route.HERE, place=surface.place.id)


def _as_shown(surface: Surface) -> tuple[str | None, int | None, int | None]:
    return surface.message, surface.shown_revision, surface.announced_turn
