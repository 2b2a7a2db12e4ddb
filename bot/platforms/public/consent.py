"""Cached decisions on what may be shown publicly (`bot/kernel/permissions.py`); store news invalidates them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from cachetools import LRUCache

from bot.kernel.context import Context
from bot.kernel.permissions import allows_pages, has_profile, may_show_competition, may_show_game
from bot.platforms.public.answers import NothingToShow
from storage import MISSED_NEWS, News, Person, PublicPage
from storage.public_pages import Subject
from storage.schema import PageKind

MAX_CACHED_PAGES: Final = 20_000
_CONCERNS_ALL: Final = frozenset({"person", "place", "people", MISSED_NEWS.kind})


Missing = Literal["unknown", "gone"]
"""Why a page cannot be shown: it never existed, or it is no longer public."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """A page that may be shown, with the `revision` and `status` of its game, if it has one."""

    page: PublicPage
    revision: int = 0
    status: str = ""


class Consent:
    """Decides whether pages may be shown, and caches the decisions.

    `changes` is incremented by every change that may affect a decision, `epoch` by every change of people or places.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._pages: LRUCache[str, Allowed | Missing] = LRUCache(MAX_CACHED_PAGES)
        self._by_subject: dict[tuple[str, str], str] = {}
        """The page of each game or competition with a cached decision."""
        self._places: frozenset[int] | None = None
        self.changes = 0
        self.epoch = 0
        context.store.add_listener(self._on_store_change)

    def _on_store_change(self, news: News) -> None:
        kind, what, _ = news
        if kind in _CONCERNS_ALL:
            self.changes += 1
            self.epoch += 1
            self._pages.clear()
            self._by_subject.clear()
            self._places = None
        elif kind in ("game", "table", "shown"):
            game = str(what[-1] if kind == "shown" else getattr(what, "id", what))
            self.changes += 1
            self._pages.pop(self._by_subject.pop(("game", game), ""), None)
        elif kind == "competition":
            self.changes += 1
            self._pages.pop(self._by_subject.pop(("competition", str(what)), ""), None)

    @property
    def is_current(self) -> bool:
        """True if the store receives all changes; if not, cached decisions are not used."""
        return self._context.store.receives_changes

    async def look_up(self, page: str) -> Allowed | Missing:
        """Return the page with an id if it may be shown now, or the reason why not."""
        believed = self.is_current
        known = self._pages.get(page) if believed else None
        if known is not None:
            return known
        before = self.changes
        found = await self._decide(page)
        if believed and before == self.changes and found != "unknown":
            self._pages[page] = found
            if isinstance(found, Allowed) and found.page.kind != "person":
                self._by_subject[found.page.kind, found.page.game or found.page.competition or ""] = page
        return found

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
        if self._places is not None and self.is_current:
            return self._places
        before = self.changes
        found = await self._context.store.public.list_public_places()
        allowed = frozenset(place.id for place in found if allows_pages(place))
        if before == self.changes:
            self._places = allowed
        return allowed
