"""Shared decisions on what may be shown publicly (`bot/kernel/permissions.py`); store news invalidates them."""

from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeVar

from cachetools import LRUCache

from bot.kernel.context import Context
from bot.kernel.permissions import allows_pages, has_profile, may_show_competition, may_show_game
from bot.platforms.public.answers import NothingToShow
from render.pool import SharedResults
from storage import MISSED_NEWS, News, Person, PublicPage
from storage.public_pages import Subject
from storage.schema import PageKind

MAX_CACHED_PAGES: Final = 20_000
_CONCERNS_ALL: Final = frozenset({"person", "place", "people", MISSED_NEWS.kind})
_CONCERNS_ONE: Final = frozenset({"game", "table", "shown", "competition"})

T = TypeVar("T")

Missing = Literal["unknown", "gone"]
"""Why a page cannot be shown: it never existed, or it is no longer public."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """A page that may be shown, with the `revision` and `status` of its game, if it has one."""

    page: PublicPage
    revision: int = 0
    status: str = ""


class Consent:
    """Decides whether pages may be shown.

    `changes` is incremented by every change that may affect a decision, `epoch` by every change of people or places.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decisions = SharedResults[Allowed | Missing](LRUCache(MAX_CACHED_PAGES))
        self._public_places = SharedResults[frozenset[int]](LRUCache(1))
        self.changes = 0
        self.epoch = 0
        context.store.add_listener(self._on_store_change, _CONCERNS_ALL | _CONCERNS_ONE)

    def _on_store_change(self, news: News) -> None:
        self.changes += 1
        self.epoch += news.kind in _CONCERNS_ALL

    async def share(self, results: SharedResults[T], key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return the result with a key, shared until the public data changes.

        While the store does not receive all changes, nothing is shared.
        """
        if not self._context.store.receives_changes:
            return await make()
        return await results.get((key, self.changes), make)

    async def look_up(self, page: str) -> Allowed | Missing:
        """Return the page with an id if it may be shown now, or the reason why not."""
        return await self.share(self._decisions, page, partial(self._decide, page))

    async def require(self, page: str, kind: str) -> Allowed:
        """Return the page with an id; NothingToShow if it may not be shown now or is of another kind."""
        found = await self.look_up(page)
        if isinstance(found, str):
            raise NothingToShow(found)
        if found.page.kind != kind:
            raise NothingToShow("unknown")
        return found

    async def _decide(self, page: str) -> Allowed | Missing:
        store = self._context.store
        row = await store.public.get(page)
        if row is None:
            return "unknown"
        if row.game is not None:
            consent = await store.public.game_consent(row.game)
            if consent is None or not may_show_game(consent):
                return "gone"
            return Allowed(row, consent.revision, consent.status)
        if row.competition is not None:
            return Allowed(row) if await may_show_competition(self._context, row.competition) else "gone"
        if row.person is None:
            return "gone"
        now = await store.public.current_person(row.person)
        person = await store.people.get(now)
        return Allowed(row) if person is not None and has_profile(person) else "gone"

    async def pages_of_people(self, people: Iterable[Person]) -> dict[int, str]:
        """Return the ids of the profiles of those people who want one."""
        return await self.ids("person", [each.id for each in people if has_profile(each)])

    async def ids(self, kind: PageKind, subjects: Collection[Subject]) -> dict[Subject, str]:
        """Return the page ids of some games, competitions or people."""
        return await self._context.store.public.create_ids(kind, subjects, self._context.clock())

    async def places(self) -> frozenset[int]:
        """Return the places that allow public pages."""
        return await self.share(self._public_places, "places", self._read_places)

    async def _read_places(self) -> frozenset[int]:
        found = await self._context.store.public.list_public_places()
        return frozenset(place.id for place in found if allows_pages(place))
