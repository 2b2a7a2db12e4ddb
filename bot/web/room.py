"""The room of the local chat page: what the program shows there, what people say, and who is to hear of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final, Literal

from bot.interface.cards import Attachment, Card
from bot.interface.requests import GameLink, Place, Reply, TryLater, Undeliverable
from bot.language.rich_text import plain
from bot.presenters.asking import PRIVATE, PUBLIC
from bot.web.forgetting import without_names, without_people
from bot.web.noted import Noted, game_of, presses_of
from bot.web.presence import Presence
from bot.web.present import Json, card_to_json, kept_bytes, kept_file, parted, retired
from bot.web.sessions import PLATFORM, beginning_of
from storage import Identity, News, PlaceRow, RoomMessage, StorageError, Store, Unavailable

ROOM: Final = "room"
PLACE: Final = Place(PLATFORM, ROOM, group=ROOM, known=True)
PAGE: Final = 60
"""How many messages the page gets at once."""
MOST_KEPT: Final = 5000
"""How many messages the room keeps, the newest; those of games that go on stay beside them."""
MOST_PRIVATE: Final = 200
"""How many of what one person alone has seen, the newest."""
TIDIED: Final = 64
"""After so many new messages the old ones are forgotten."""
LOOKED_BACK: Final = 400
"""How many messages for all are read again at the beginning, for the games that are over."""

_MOST_GAMES: Final = 10_000


class ChatRoom:
    """The adapter of the platform `web`; its messages are kept by the store, since no platform does."""

    platform = PLATFORM
    draws_for_readers: Literal[True] = True

    def __init__(self, store: Store, clock: Callable[[], datetime], address: str = "") -> None:
        self._store = store
        self.clock = clock
        self._address = address
        self._noted = Noted()
        self.presence = Presence()
        self._restoring: asyncio.Task[None] | None = None
        self._untidied = 0
        store.listen(self._heard)

    async def restore(self) -> None:
        """Find the messages again that call somebody or stand for a game; once, before anybody looks."""
        for said in await self._store.messages(ROOM, None, limit=LOOKED_BACK):
            self._noted.note(said)
        for game in await self._store.games_in((await self.place()).id, _MOST_GAMES):
            for surface in await self._store.surfaces(game.id):
                if surface.place.platform == PLATFORM and surface.message is not None and surface.message.isdecimal():
                    message = await self._store.message(int(surface.message))
                    if message is not None and not message.deleted:
                        self._noted.note(message)

    def _heard(self, news: News) -> None:
        """Show what another process has said in the room; look who may stay when that has changed."""
        kind, what = news
        if kind == "bars" or (kind == "elsewhere" and what is not None and what[0] == "bars"):
            self.presence.tell()
        if kind == "elsewhere" and (what is None or what[0] == "room") and self._restoring is None:
            self._restoring = asyncio.create_task(self._restored(), name="room")

    async def _restored(self) -> None:
        self.presence.tell()
        try:
            await self.restore()
        except StorageError:
            return  # it is told again when the database is back
        finally:
            self._restoring = None
            self.presence.tell()

    async def tidy(self) -> None:
        """Forget what was said long ago, but not the games that go on, and give back the space that it took."""
        self._untidied = 0
        going = {message for message, kept in self.tables() if kept["status"] != "over"}
        for old in await self._store.forget_old_messages(ROOM, MOST_KEPT, MOST_PRIVATE, going | set(self._noted.calls)):
            self._noted.gone(old)
        await self._store.give_space_back()

    async def _grown(self) -> None:
        """Tidy now and then, however much is said between two visits of whoever does so by the clock."""
        self._untidied += 1
        if self._untidied >= TIDIED:
            with suppress(StorageError):
                await self.tidy()

    async def place(self) -> PlaceRow:
        """Return the room as the store knows it."""
        return await self._store.place(PLACE.platform, PLACE.channel, PLACE.thread, PLACE.group)

    # What the program asks of a platform.

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Show a card as a new message and return its id; in a private chat to its person alone."""
        _check(place)
        with _patience():
            recipient = None if place.kind == "group" else await self._person(place.title)
            message = await self._say(card, key=f"card:{key}", recipient=recipient)
        return str(message.id)

    async def private_chat(self, user: str) -> Place:
        """Return the part of the room that somebody sees alone."""
        return Place(PLATFORM, ROOM, kind="private", title=user)

    def way_to(self, code: str) -> GameLink | None:
        """Return the page's address with a game's code, None where nobody has said at which address it is reached."""
        return GameLink(f"{self._address}/#join={code}") if self._address else None

    def browser_of(self, user: str) -> str:
        """Return what the ids of all names in somebody's browser begin with."""
        return beginning_of(user)

    async def _person(self, user: str) -> int:
        known = await self._store.identities_like(PLATFORM, user)
        found = next((identity.person for identity in known if identity.user == user), None)
        if found is None:
            raise Undeliverable("channel-gone")
        return found

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Show a card in place of the one that the message shows."""
        _check(place)
        with _patience():
            old = await self._standing(message)
            await self._put(old, card)
            table = card_to_json(card)["table"]
            if table is not None:
                for child in self._noted.passed(old.id, (old.card or {}).get("table") or {}, table):
                    await self._remove(child)

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or the whole message, and all that hangs under it privately."""
        _check(place)
        with _patience():
            old = await self._standing(message)
            self._noted.gone(old.id)
            # A game's board stands in its one message: of another one nothing is left to be seen.
            if remove or (old.card or {}).get("table") is not None:
                await self._store.delete_message(old.id, self.clock())
            else:
                png = await self._store.picture(old.id, None)
                card = retired(old.card or {})
                await self._store.change_message(old.id, self.clock(), text=old.text, card=card, picture=png)
            for child in list(self._noted.hung.get(old.id, ())):
                await self._remove(child)
            self._noted.hung.pop(old.id, None)
        self.presence.tell()

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:
        """Take people, and the names they had, out of all messages; a picture that shows a name goes."""
        last = 0
        while found := await self._store.messages_after(ROOM, last):
            last = found[-1].id
            for message in found:
                card = without_people(message.card or {}, people, names)
                if card is not None:
                    text = message.text if message.author is not None else without_names(message.text, names)
                    await self._rewrite(message, card, text)
        self.presence.tell()

    async def _rewrite(self, message: RoomMessage, card: Json, text: str) -> None:
        changed = await self._store.change_message(message.id, self.clock(), text=text, card=card)
        if changed is not None:
            self._noted.note(changed)

    # What people do.

    async def opened(self, language: str | None) -> None:
        """Have the room speak the language of the first who comes; one where somebody has been keeps its own."""
        place = await self.place()
        if language is None or place.effective.get("language") or await self._store.members(place.id):
            return
        if not await self.last_change():
            await self._store.set_place_settings(place.id, {"language": language})

    async def chat(self, speaker: Identity, event: str, text: str, answers: Json | None) -> None:
        """Show what somebody says to all; the same event again does nothing."""
        card: Json = {"name": speaker.name, "answers": answers, "event": event}
        key = f"say:{speaker.user}:{event}"
        await self._store.say(ROOM, self.clock(), author=speaker.person, text=text, card=card, key=key)
        self.presence.tell()
        await self._grown()

    async def answer(
        self, speaker: Identity, event: str, reply: Reply, *, to: RoomMessage | None = None, used: str | None = None
    ) -> str | None:
        """Show the direct answer to a request: privately under the message it is about, or to all.

        `to` is the message whose button was pressed or that was answered, `used` what was typed. Of what is said
        privately and asks for nothing, only the newest stays. Returns the code of the game that is to be opened where
        that is the answer, its reader's board showing it, or where somebody has begun, put up or joined one.
        """
        return await self._answer(speaker, event, reply, to, used) or reply.opens

    async def _answer(
        self, speaker: Identity, event: str, reply: Reply, to: RoomMessage | None, used: str | None
    ) -> str | None:
        card = reply.card
        if card is not None and reply.private and (game := opened_game(card)) is not None:
            return game
        mine = to is not None and to.recipient is not None
        if to is not None and reply.update and (mine or (to.author is None and not reply.private)):
            if card is not None:
                await self._put(to, card)
                if mine and reply.private and _goes_on(card) and "parent" not in (to.card or {}):
                    self._noted.going[speaker.person] = to.id
            elif mine:
                await self._remove(to.id)
                self.presence.tell()
            return None
        if card is None:
            return None
        key = f"reply:{speaker.user}:{event}"
        extra: Json = {} if used is None else {"used": {"name": speaker.name, "text": used}}
        if not reply.private:
            await self._say(card, key=key, extra=extra)
            return None
        parent = None if reply.apart else await self._parent(to)
        if parent is None:
            # A lesson that was gone on with by typing goes on below, as one message.
            replaced = {self._noted.notes.pop(speaker.person, None)}
            if _goes_on(card) and to is None and reply.update:
                replaced.add(self._noted.going.get(speaker.person))
            said = await self._say(card, key=key, recipient=speaker.person, extra=extra)
            if _goes_on(card) and (reply.apart or reply.update):
                self._noted.going[speaker.person] = said.id
            for old in replaced - {said.id}:
                if old is not None:
                    await self._remove(old)
                    self.presence.tell()
            return None
        await self._make_room(parent, speaker.person, picture=card.picture is not None)
        await self._say(card, key=key, recipient=speaker.person, extra={**extra, "parent": parent})
        return None

    async def dismiss(self, speaker: Identity, message: RoomMessage) -> None:
        """Take away a private message that somebody does not need any more."""
        if message.recipient == speaker.person:
            await self._remove(message.id)
            self.presence.tell()

    # What people see.

    async def message(self, viewer: Identity, message: object) -> RoomMessage | None:
        """Return a message that somebody can see, None if there is no such."""
        if not isinstance(message, int) or isinstance(message, bool) or not 0 < message < 2**31:
            return None
        found = await self._store.message(message)
        if found is None or found.deleted or found.room != ROOM or found.recipient not in (None, viewer.person):
            return None
        return found

    async def page(self, viewer: Identity, before: int | None = None) -> tuple[list[RoomMessage], bool]:
        """Return the newest messages, or those before one, and whether there are more before them.

        What hung under a board that was retired meanwhile is left out, and gone.
        """
        found = await self._store.messages(ROOM, viewer.person, before=before, limit=PAGE + 1)
        parents = {parent for message in found if (parent := (message.card or {}).get("parent")) is not None}
        live = {each.id for each in await self._store.messages_among(parents) if _is_live(each)}
        shown = []
        for message in found[-PAGE:]:
            if (message.card or {}).get("parent") in (None, *live):
                self._noted.note(message)
                shown.append(message)
            else:
                await self._remove(message.id)
        return shown, len(found) > PAGE

    async def changes(self, viewer: Identity, since: int) -> list[RoomMessage]:
        """Return what one person can see of the changes after one, in their order; not always all at once."""
        return await self._store.changes_since(ROOM, viewer.person, since)

    async def every_change(self, since: int) -> list[RoomMessage]:
        """Return the changes after one, whoever sees them, in their order; not always all at once."""
        return await self._store.every_change_since(ROOM, since)

    async def last_change(self) -> int:
        """Return the number of the newest change."""
        return await self._store.last_change(ROOM)

    async def picture(self, message: int, viewer: int | None) -> bytes | None:
        """Return the picture of a message, None if there is none that this person may see."""
        kept = await self._store.picture(message, viewer)
        return None if kept is None else parted(kept)[0]

    async def animation(self, message: int, viewer: int | None) -> bytes | None:
        """Return the animation of a message, None if there is none that this person may see."""
        kept = await self._store.picture(message, viewer)
        return None if kept is None else parted(kept)[1] or None

    async def file(self, viewer: Identity, message: int) -> Attachment | None:
        """Return the file that a message offers somebody to take away, None if there is none, or none any more."""
        found = await self.message(viewer, message)
        if found is None or found.picture is None:
            return None if found is None else kept_file(found, None)
        return kept_file(found, await self._store.picture(message, viewer.person))

    async def names(self) -> list[str]:
        """Return the names of the people who were seen here, the last seen first."""
        return [person.name for person in await self._store.members((await self.place()).id)]

    def calls(self, person: int) -> list[tuple[int, Json]]:
        """Return the messages that call a person, with their cards as they are kept, the oldest first."""
        return sorted((message, card) for message, card in self._noted.calls.items() if person in card["calls"])

    def all_calls(self) -> list[tuple[int, Json]]:
        """Return the messages that call anybody, with their cards as they are kept."""
        return list(self._noted.calls.items())

    def called(self) -> set[int]:
        """Return all who are called by some message."""
        return {person for card in self._noted.calls.values() for person in card["calls"]}

    def tables(self) -> list[tuple[int, Json]]:
        """Return the games of the room by the messages that stand for them, those that changed last at the end."""
        return list(self._noted.tables.items())

    # How messages are kept.

    async def _say(
        self, card: Card, *, key: str, recipient: int | None = None, extra: Json | None = None
    ) -> RoomMessage:
        message = await self._store.say(
            ROOM,
            self.clock(),
            recipient=recipient,
            text=plain(card.text),
            card={**card_to_json(card), **(extra or {})},
            picture=kept_bytes(card),
            key=key,
        )
        self._noted.note(message)
        self.presence.tell()
        await self._grown()
        return message

    async def _put(self, old: RoomMessage, card: Card) -> None:
        kept: Json = old.card or {}
        new = card_to_json(card) | {name: kept[name] for name in ("used", "parent") if name in kept}
        png = kept_bytes(card)
        message = await self._store.change_message(old.id, self.clock(), text=plain(card.text), card=new, picture=png)
        if message is None:
            return
        self._noted.note(message)
        if message.recipient is not None and "parent" in new:
            await self._make_room(new["parent"], message.recipient, picture=png is not None, but=message.id)
        self.presence.tell()

    async def _remove(self, message: int) -> None:
        self._noted.gone(message)
        await self._store.delete_message(message, self.clock())

    async def _make_room(self, parent: int, person: int, *, picture: bool, but: int | None = None) -> None:
        """Remove what a new private message under a board replaces."""
        for child in self._noted.replaced(parent, person, picture=picture, but=but):
            await self._remove(child)

    async def _standing(self, message: str) -> RoomMessage:
        found = await self._store.message(int(message)) if message.isdecimal() else None
        if found is None or found.deleted:
            raise Undeliverable("message-gone")
        return found

    async def _parent(self, message: RoomMessage | None) -> int | None:
        """Return the message that a private answer hangs under, None if it stands by itself."""
        if message is None:
            return None
        parent = (message.card or {}).get("parent") if message.recipient is not None else message.id
        return parent if parent is not None and await self._hangs(parent) else None

    async def _hangs(self, message: int) -> bool:
        found = await self._store.message(message)
        return found is not None and _is_live(found)


def opened_game(card: Card) -> str | None:
    """Return the game whose board a private answer is, or asks on: the page has that open instead; None for others."""
    if card.headline is not None:
        return card.headline.code
    asked = [each for each in presses_of(card_to_json(card)) if each.startswith((f"{PUBLIC}:", f"{PRIVATE}:"))]
    return game_of(asked[0]) if asked else None


def _is_live(message: RoomMessage) -> bool:
    return not message.deleted and not (message.card or {}).get("retired", False)


def _goes_on(card: Card) -> bool:
    """Say whether a card shows a board that something is asked about."""
    return card.picture is not None and bool(card.rows)


def _check(place: Place) -> None:
    if place.channel != ROOM:
        raise Undeliverable("channel-gone")


@contextmanager
def _patience() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise TryLater from error
