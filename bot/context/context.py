"""What every handler works with: the store, the words, the clock, and who is asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bot.context.completion_index import CompletionIndex
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Reply, Request
from bot.interface.stored_replies import reply_to_json
from bot.language.game_names import GameNames
from bot.language.names import clean_name
from bot.language.texts import Speaker, Texts
from bot.pictures.artist import Artist
from bot.tables.broken import broken_record, see_that_it_is_installed, set_aside
from bot.tables.table import Company, LineCache, Table
from bot.thinking.advice import Advice
from bot.thinking.thinkers import Thinkers
from storage import AlreadyProcessed, GameBrief, Person, PlaceRow, ProcessedEvent, Store

Clock = Callable[[], datetime]


class Waker(Protocol):
    """What is to be done after a game has changed, as those see it who change games."""

    def wake(self) -> None:
        """Have what is due looked at soon."""
        ...


class Thoughts(Waker, Protocol):
    """The computer players, as those see them who wait for them."""

    async def thought(self, game: str, patience: float) -> None:
        """Return when no computer is to act in a game any more, or after so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who asks for something, where they do, and how they and all there are spoken to.

    `mine` speaks the person's language, for private answers; `ours` that of the place, for what all see.
    """

    request: Request
    person: Person
    place: PlaceRow
    mine: Speaker
    ours: Speaker

    def receipt(self, reply: Reply) -> ProcessedEvent:
        """Return the note that the request is answered like this."""
        return ProcessedEvent(self.request.user.platform, self.request.event, reply_to_json(reply))


class Context:
    """What the program has, and the questions that all handlers ask of it."""

    def __init__(
        self,
        store: Store,
        texts: Texts,
        clock: Clock,
        entropy: Callable[[], bytes],
        artist: Artist,
        language: str,
        most_games: int = 100,
        thinkers: Thinkers | None = None,
    ) -> None:
        """Make the house; `entropy` gives the 32 secret bytes of a game's seed, `language` is where none is known.

        Nobody may have more than `most_games` that are not over.
        """
        self.store = store
        self.texts = texts
        self.names = GameNames(texts)
        self.clock = clock
        self.entropy = entropy
        self.artist = artist
        self.language = language
        self.most_games = most_games
        self.lines = LineCache()
        self.memory = CompletionIndex(store)
        self.thinkers = thinkers or Thinkers()
        self.advice = Advice(self.thinkers)
        self.delivery: Waker | None = None
        self.adapters: Mapping[str, Adapter] = {}
        self.computers: Thoughts | None = None

    async def arrived(self, request: Request) -> Asker:
        """Return who sent a request, known from now on; AlreadyProcessed if its event was carried out before."""
        user, where = request.user, request.place
        known = await self.store.arrival(
            user.platform,
            request.event,
            user=user.id,
            name=clean_name(user.name),
            language=self.texts.supported(user.language),
            channel=where.channel,
            thread=where.thread,
            group=where.group,
            kind=where.kind,
            title=clean_name(where.title, ""),
            at=self.clock(),
        )
        processed = await self.store.processed(user.platform, request.event) if known is None else known.processed
        if processed is not None:
            raise AlreadyProcessed(user.platform, request.event, processed.reply)
        return await self.asker(request) if known is None else await self._met(request, known.person, known.place)

    async def asker(self, request: Request) -> Asker:
        """Return who sent a request, known from now on."""
        user, where = request.user, request.place
        name = clean_name(user.name)
        person = await self.store.person_by_identity(
            user.platform, user.id, name, self.texts.supported(user.language), at=self.clock()
        )
        place = await self.store.place(
            where.platform, where.channel, where.thread, where.group, where.kind, clean_name(where.title, "")
        )
        await self.store.seen(place.id, person.id, self.clock())
        return await self._met(request, person, place)

    async def _met(self, request: Request, person: Person, place: PlaceRow) -> Asker:
        if request.place.kind == "private":
            place = await self._own(place, person)
        self.memory.met(request, person, place)
        return self._asker(request, person, place)

    async def remembered(self, request: Request) -> Asker:
        """Return who sent a request as far as memory knows, for what decides nothing."""

        async def ask() -> tuple[Person, PlaceRow]:
            asker = await self.asker(request)
            return asker.person, asker.place

        return self._asker(request, *await self.memory.asker(request, ask))

    def _asker(self, request: Request, person: Person, place: PlaceRow) -> Asker:
        ours = self.place_language(place)
        mine = person.settings.get("language") or person.language or ours
        return Asker(request, person, place, self.speaker(mine), self.speaker(ours))

    async def _own(self, place: PlaceRow, person: Person) -> PlaceRow:
        """Return a private place with its person's own language and theme noted, for boards that come later."""
        own = {
            "own_language": person.settings.get("language") or person.language,
            "own_theme": person.settings.get("theme"),
            "own_text": person.settings.get("text"),
        }
        if own == {name: place.settings.get(name) for name in own}:
            return place
        return await self.store.set_place_settings(place.id, own) or place

    def place_language(self, place: PlaceRow) -> str:
        """Return the language of a place: the one chosen, in private that of the person, or the usual one."""
        known = (place.effective.get("language"), place.settings.get("own_language"))
        return next((language for language in known if self.texts.supported(language)), None) or self.language

    def speaker(self, language: str | None) -> Speaker:
        """Return who speaks a language, or the usual one."""
        return self.texts.speaker(self.texts.supported(language) or self.language)

    async def table(self, game: str) -> Table:
        """Return a game at its table; Refused if there is none, BrokenGame if it cannot be read or was set aside.

        NotInstalled, which is a BrokenGame, if the game that is played there is not installed here now.
        """
        table = await self.table_as_stored(game)
        see_that_it_is_installed(game, table.row.game)
        with set_aside(game):
            line = self.lines.read(table.row)
            if table.row.status == "playing" and table.row.course.set_aside is not None:
                raise broken_record(game, table.row.course.set_aside)
        return replace(table, line=line)

    async def table_as_stored(self, game: str) -> Table:
        """Return a game with whoever is around it and without its line, for what is done even with a damaged one."""
        found = await self.store.game_with_people(game)
        if found is None:
            raise Refused("refusal.no-such-game", code=game)
        row, people = found
        others = _people_in([row]) - people.keys()
        if others:
            people |= await self.store.people(others)
        return Table(brief=row, row=row, people=people, line=None, voice=self.speaker(None))

    async def companies(self, briefs: Iterable[GameBrief]) -> list[Company]:
        """Return the people around several games."""
        listed = list(briefs)
        return self._around(listed, await self.store.people(_people_in(listed)))

    async def remembered_companies(self, briefs: Iterable[GameBrief]) -> list[Company]:
        """Return the people around several games as far as memory knows, for what decides nothing."""
        listed = list(briefs)
        return self._around(listed, await self.memory.people(_people_in(listed)))

    def _around(self, briefs: Iterable[GameBrief], people: Mapping[int, Person]) -> list[Company]:
        return [Company(brief, people, voice=self.speaker(None)) for brief in briefs]

    def wake(self, *, thinking: bool = True) -> None:
        """Have boards brought up to date, and computers think if one may be due."""
        for waker in (self.delivery, self.computers if thinking else None):
            if waker is not None:
                waker.wake()


def _people_in(briefs: Iterable[GameBrief]) -> set[int]:
    seated = {entry.person for brief in briefs for entry in brief.seats if entry.person is not None}
    others = {offer.person for brief in briefs for offer in brief.offers.pending if offer.person is not None}
    return seated | others | {brief.starter for brief in briefs}
