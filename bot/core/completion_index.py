"""Cache from which completions are answered: running games and their people, kept current by the store's news.

Nothing is decided by it: a move is read, checked and stored against the database alone.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from cachetools import Cache, LRUCache

from bot.interface.requests import Request
from storage import Attempt, GameBrief, GameRow, Lesson, News, Person, PlaceRow, Result, Store

CACHE_SIZE: Final = 20_000
"""Maximum number of cached answers; a running game is one, and so is a list."""

Answer = TypeVar("Answer")
Key = tuple[Any, ...]

LIST_KINDS: Final = ("games of", "games in")
"""The kinds of answers that are lists of games."""
NOT_KEPT: Final = frozenset({"room", "puzzle", "seen", "due", "notices", "thinking"})
"""The kinds of news about data that is not cached here; of puzzles only the attempts are cached."""
_BRIEF_FIELDS: Final = tuple(field.name for field in fields(GameBrief))


class CompletionIndex:
    """Cached answers; what is not in the cache is read from the store."""

    def __init__(self, store: Store, most: int = CACHE_SIZE) -> None:
        self._store = store
        self._cache: LRUCache[Key, Any] = LRUCache(most)
        self._listing: defaultdict[str, set[Key]] = defaultdict(set)
        self._news_count = 0
        store.add_listener(self._on_store_change)

    async def asker(
        self, request: Request, ask: Callable[[], Awaitable[tuple[Person, PlaceRow]]]
    ) -> tuple[Person, PlaceRow]:
        """Return the person who asks, and the place."""
        return await self._get_or_read(("asker", request.user, request.place), ask)

    def remember_asker(self, request: Request, person: Person, place: PlaceRow) -> None:
        """Cache the person who asked, and the place."""
        self._store_answer(("asker", request.user, request.place), (person, place))
        self._store_answer(("person", person.id), person)

    async def games_of(self, person: int) -> list[GameBrief]:
        """Return the cached `store.games.list_for_person`."""
        return await self._get_or_read(("games of", person), lambda: self._store.games.list_for_person(person))

    async def games_in(self, place: int) -> list[GameBrief]:
        """Return the cached `store.games.list_in_place`."""
        return await self._get_or_read(("games in", place), lambda: self._store.games.list_in_place(place))

    async def game(self, game: str) -> GameRow | None:
        """Return the cached `store.games.get`."""
        return await self._get_or_read(("game", game), lambda: self._store.games.get(game))

    async def results_of(self, person: int, most: int) -> list[Result]:
        """Return the cached `store.ratings.results_of_person`."""
        return await self._get_or_read(
            ("results of", person), lambda: self._store.ratings.results_of_person(person, limit=most)
        )

    async def lessons_of(self, person: int) -> list[Lesson]:
        """Return the cached `store.lessons.list_for_person`."""
        return await self._get_or_read(("lessons of", person), lambda: self._store.lessons.list_for_person(person))

    async def attempt_of(self, person: int) -> Attempt | None:
        """Return the cached `store.puzzles.get_last_attempt`."""
        return await self._get_or_read(("attempt of", person), lambda: self._store.puzzles.get_last_attempt(person))

    async def people(self, ids: Collection[int]) -> dict[int, Person]:
        """Return the cached `store.people.get_many`."""
        unknown = [number for number in ids if ("person", number) not in self._cache]
        if unknown:
            before = self._news_count
            found = await self._store.people.get_many(unknown)
            if before != self._news_count:
                return await self._store.people.get_many(ids)
            for number in unknown:
                self._store_answer(("person", number), found.get(number))
        known = {number: self._cache.get(("person", number)) for number in ids}
        return {number: person for number, person in known.items() if person is not None}

    async def _get_or_read(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        if key in self._cache:
            known: Answer = self._cache[key]
            return known
        before = self._news_count
        found = await ask()
        # The answer may lack what was stored meanwhile: do not cache it.
        if before == self._news_count:
            self._store_answer(key, found)
        return found

    def _store_answer(self, key: Key, answer: Any) -> None:
        self._cache[key] = answer
        if key[0] in LIST_KINDS:
            for brief in answer:
                self._listing[brief.id].add(key)

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        self._news_count += 1
        if kind == "elsewhere":
            self._changed_elsewhere(what)
        elif kind in NOT_KEPT:
            pass
        elif kind == "game":
            self._update_game(what)
        elif kind == "shown":
            self._add_place(*what)
        elif kind == "lessons":
            self._cache.pop(("lessons of", what), None)
        elif kind == "attempts":
            self._cache.pop(("attempt of", what), None)
        elif kind == "person":
            self._cache.pop(("person", what), None)
            for key in [key for key in self._cache if key[0] == "asker"]:
                # Read without counting as a use, so that the entry keeps its age in the LRU order.
                if Cache.__getitem__(self._cache, key)[0].id == what:
                    del self._cache[key]
        else:
            self._cache.clear()
            self._listing.clear()

    def _changed_elsewhere(self, what: Sequence[Any] | None) -> None:
        """Drop what another process may have changed; it is read again when needed."""
        kind, which = what or (None, None)
        game = which[1] if kind == "shown" and which else which
        if kind in ("game", "shown") and game is not None:
            lists = [key for key in self._cache if key[0] in LIST_KINDS or key[0] == "results of"]
            for key in [("game", game), *lists]:
                self._cache.pop(key, None)
            self._listing.clear()
        elif kind == "attempts":
            for key in [key for key in self._cache if key[0] == "attempt of"]:
                del self._cache[key]
        elif kind not in NOT_KEPT:
            self._cache.clear()
            self._listing.clear()

    def _update_game(self, row: GameRow) -> None:
        """Update the cached lists with a game's new row."""
        live = row.status != "over"
        seated = {seat.person for seat in row.seats if seat.person is not None}
        lists = self._listing.pop(row.id, set()) | {("games of", person) for person in seated}
        for kind, whose in lists:
            listed = self._cache.get((kind, whose))
            if listed is None:
                continue
            rest = [brief for brief in listed if brief.id != row.id]
            entry = (_brief_for(row, whose) if kind == "games of" else _brief_of_row(row)) if live else None
            order = _urgency_key if kind == "games of" else _age_key
            self._store_answer((kind, whose), sorted([*rest, entry], key=order) if entry is not None else rest)
        if live:
            self._store_answer(("game", row.id), row)
            return
        self._cache.pop(("game", row.id), None)
        for person in seated:
            self._cache.pop(("results of", person), None)

    def _add_place(self, place: int, game: str) -> None:
        """Add a game that is now shown in a place to the cached list of that place."""
        listed, row = self._cache.get(("games in", place)), self._cache.get(("game", game))
        if listed is None or any(brief.id == game for brief in listed):
            return
        if row is None:
            del self._cache["games in", place]
        elif row.status != "over":
            self._store_answer(("games in", place), sorted([*listed, _brief_of_row(row)], key=_age_key))


def _brief_of_row(row: GameRow, *, waiting: bool = False) -> GameBrief:
    return replace(GameBrief(**{name: getattr(row, name) for name in _BRIEF_FIELDS}), waiting=waiting)


def _brief_for(row: GameRow, person: int | None) -> GameBrief | None:
    """Return a game's entry in a person's list, None if it has none."""
    mine = [seat for seat in row.seats if seat.person == person and seat.state != "declined"]
    if not mine:
        return None
    invited = row.status == "lobby" and any(seat.state == "invited" for seat in mine)
    return _brief_of_row(row, waiting=row.to_move == person or invited)


def _urgency_key(brief: GameBrief) -> tuple[int, Any, str]:
    """Return the sort key of a person's games, as `store.games.list_for_person` orders them."""
    rank = (0 if brief.status == "playing" else 1) if brief.waiting else 2
    return rank, brief.waiting_since, brief.id


def _age_key(brief: GameBrief) -> tuple[float, str]:
    """Return the sort key of the games in a place, as `store.games.list_in_place` orders them."""
    return -brief.created_at.timestamp(), brief.id
