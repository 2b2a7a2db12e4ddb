"""The chat room of the page: an adapter that stores the messages of the program and of people, and notifies tabs."""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from bot.kernel.cards import Attachment, Card, Headline
from bot.kernel.operations.clock import Times
from bot.kernel.presses import game_of_press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.requests import Adapter, GameLink, Place, Reply, TryLater, Undeliverable
from bot.kernel.texts import strip_styles
from bot.platforms.web.present import (
    PicturePart,
    card_to_json,
    join_stored_bytes,
    read_stored_file,
    split_kept_bytes,
    without_buttons,
)
from bot.platforms.web.sessions import PLATFORM, browser_prefix
from engine.record import FORGOTTEN_NAME
from storage import Identity, Json, News, PlaceRow, RoomMessage, StorageError, Store, Unavailable

MAX_FINISHED_GAMES: Final = 200
"""Maximum number of finished games kept, the newest."""


@dataclass(frozen=True, slots=True)
class AttachedMessage:
    """A private message under a public one: its person, whether it has a picture, and whether it is transient.

    `passing`: True if it is obsolete after the game's next change.
    """

    person: int
    picture: bool
    passing: bool


class RoomIndex:
    """In-memory index of the room's messages, rebuilt from them."""

    def __init__(self) -> None:
        self.hung: dict[int, dict[int, AttachedMessage]] = {}
        self.sheets: dict[int, int] = {}
        """The message on each person's sheet."""
        self.going: dict[int, int] = {}
        self.calls: dict[int, Json] = {}
        self.tables: dict[int, Json] = {}

    def add_message(self, message: RoomMessage) -> None:
        """Index a message."""
        card = message.card
        if card is None or message.author is not None:
            return
        if message.recipient is None:
            self.calls.pop(message.id, None)
            if card["calls"]:
                self.calls[message.id] = card
            self._index_table(message.id, card)
        elif "parent" in card:
            hung = AttachedMessage(message.recipient, card["picture"] is not None, _is_passing(card))
            self.hung.setdefault(card["parent"], {})[message.id] = hung
        elif card.get("sheet"):
            self.sheets[message.recipient] = max(message.id, self.sheets.get(message.recipient, 0))

    def _index_table(self, message: int, card: Json) -> None:
        self.tables.pop(message, None)
        if card.get("table") is None:
            return
        self.tables[message] = {**card["table"], "free": has_free_seat(card)}
        over = [each for each, headline in self.tables.items() if headline["status"] == "over"]
        for each in over[: max(0, len(over) - MAX_FINISHED_GAMES)]:
            del self.tables[each]

    def remove_message(self, message: int) -> None:
        """Remove a deleted message from the index."""
        self.calls.pop(message, None)
        self.tables.pop(message, None)
        for children in self.hung.values():
            children.pop(message, None)

    def outdated_messages(self, old: RoomMessage, after: Headline) -> list[int]:
        """Return the messages under a game's message that are obsolete because the game has changed."""
        before = (old.card or {}).get("table") or {}
        if (before.get("position"), before.get("status")) == (after.position, after.status):
            return []
        return [child for child, hung in self.hung.get(old.id, {}).items() if hung.passing]

    def replaced_messages(self, parent: int, person: int, *, picture: bool, but: int | None) -> list[int]:
        """Return the messages that a new private message replaces: old notes and, for a picture, the old picture."""
        children = self.hung.get(parent, {}).items()
        return [
            child
            for child, hung in children
            if child != but and hung.person == person and (picture or not hung.picture)
        ]


def has_free_seat(card: Json) -> bool:
    """Return True if a stored card has a button with which anybody may join a game."""
    buttons = [button for row in card["rows"] if not isinstance(row, dict) for button in row]
    return any(button["press"].startswith("join:") and not button.get("people") for button in buttons)


def card_presses(card: Json) -> Iterator[str]:
    """Yield the presses of a stored card."""
    yield from card["presses"].values()
    for row in card["rows"]:
        for button in row["options"] if isinstance(row, dict) else row:
            yield button["press"]


def _is_passing(card: Json) -> bool:
    """Return True if a private answer belongs to one state of a game: a refusal, a hint, or a question."""
    pressed = list(card_presses(card))
    return not pressed or any(game_of_press(press) for press in pressed)


def is_live(message: RoomMessage) -> bool:
    return not message.deleted and not (message.card or {}).get("retired", False)


def is_board(card: Card) -> bool:
    """Return True if a card has cells to see or to press, which the page shows on the table."""
    return bool(card.presses or card.cells or (card.picture is not None and card.picture.spots))


def asks_something(card: Card) -> bool:
    """Return True if a card shows a board with a question."""
    return card.picture is not None and bool(card.rows)


_NUMBER: Final = r" \(\d+\)"
"""The suffix that distinguishes a name from others that look like it: `Anna (2)`."""
_NUMBER_PATTERN: Final = re.compile(f"{_NUMBER}$")


def without_people(card: Json, people: Collection[int], names: Collection[str]) -> Json | None:
    """Return a stored card without some people and their names; None if it mentions none of them.

    Pictures contain names, so a card that mentions them also loses its picture and its presses.
    """
    known = {name for name in names if name}
    spans = [_remove_names(span, people, known) for span in card.get("text", ())]
    is_mentioned = spans != card.get("text", [])
    quoted = {key: card[key] for key in ("used", "answers") if card.get(key) and card[key].get("name") in known}
    table = card.get("table")
    sitting = [] if table is None else [_remove_player(each, people, known) for each in table["sitting"]]
    named = table is not None and sitting != table["sitting"]
    panels = card["page"]["panels"] if card.get("page") else []
    is_on_page = any(_is_on_tile(each, people, known) for panel in panels for each in panel["tiles"])
    if not is_mentioned and not quoted and not named and not is_on_page:
        return None
    changed = {**card, **{key: {**value, "name": FORGOTTEN_NAME} for key, value in quoted.items()}}
    if table is not None and named:
        changed["table"] = {**table, "sitting": sitting}
    if is_mentioned:
        changed |= {"text": spans, "picture": None, "presses": {}}
    if is_mentioned or is_on_page:
        changed.pop("page", None)
    return changed


def without_names(text: str, names: Collection[str]) -> str:
    """Return a text with each name, as a separate word, replaced by an ellipsis.

    The number that distinguishes the name from others is also replaced.
    """
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:{_NUMBER})?(?!\w)", FORGOTTEN_NAME, text)
    return text


def _is_name(shown: str, names: Collection[str]) -> bool:
    """Return True if a text is one of the names, with or without a number that distinguishes it from others."""
    return shown in names or _NUMBER_PATTERN.sub("", shown) in names


def _is_on_tile(tile: Json, people: Collection[int], names: Collection[str]) -> bool:
    return tile["person"] in people or any(without_names(tile[part], names) != tile[part] for part in ("label", "note"))


def _remove_player(sitting: Json, people: Collection[int], names: Collection[str]) -> Json:
    return {**sitting, "name": ""} if sitting["person"] in people or _is_name(sitting["name"], names) else sitting


def _remove_names(span: Json, people: Collection[int], names: Collection[str]) -> Json:
    named = span.get("bold") and _is_name(span["text"].removeprefix("@"), names)
    if span.get("person") not in people and not named:
        return span
    return {key: value for key, value in span.items() if key != "person"} | {"text": FORGOTTEN_NAME}


ROOM_CHANNEL: Final = "room"
ROOM_PLACE: Final = Place(PLATFORM, ROOM_CHANNEL, group=ROOM_CHANNEL, known=True)
PAGE_SIZE: Final = 60
"""Number of messages per page."""
MAX_MESSAGES: Final = 5000
"""Maximum number of messages kept, the newest; messages of running games are kept in addition."""
MAX_PRIVATE_MESSAGES: Final = 200
"""Maximum number of private messages kept per person, the newest."""
CLEANUP_BATCH: Final = 64
"""Number of new messages after which old ones are deleted."""
RESTORED_MESSAGES: Final = 400
"""Number of public messages read at start to find the games that are over."""

_MAX_GAMES: Final = 10_000


class ChatRoom(Adapter):
    """Adapter of the platform `web`; its messages are in the database, since no platform stores them."""

    platform = PLATFORM
    draws_for_readers = True

    def __init__(self, store: Store, clock: Times, address: str = "") -> None:
        self._store = store
        self.clock = clock
        self._address = address
        self._index = RoomIndex()
        self.changed = asyncio.Event()
        """Set when anything that tabs show has changed."""
        self.here: Counter[int] = Counter()
        """The people who are viewing the room, with their number of tabs."""
        self._restoring: asyncio.Task[None] | None = None
        self._messages_since_cleanup = 0
        store.add_listener(self._on_store_change, {"bans", "room"})

    async def restore(self) -> None:
        """Rebuild the index of mentions and game messages; called once, before anybody connects."""
        for said in await self._store.room.list_messages(None, limit=RESTORED_MESSAGES):
            self._index.add_message(said)
        for game in await self._store.games.list_in_place((await self.place()).id, _MAX_GAMES):
            for post in await self._store.posts.list_for_game(game.id):
                if post.place.platform == PLATFORM and post.message is not None and post.message.isdecimal():
                    message = await self._store.room.get(int(post.message))
                    if message is not None and not message.deleted:
                        self._index.add_message(message)

    def _on_store_change(self, news: News) -> None:
        """Show messages that another process has written; check access again after a change of bans."""
        if news.kind == "bans":
            self.changed.set()
        elif news.is_remote and self._restoring is None:
            self._restoring = asyncio.create_task(self._restore_messages(), name="room")

    async def _restore_messages(self) -> None:
        self.changed.set()
        try:
            await self.restore()
        except StorageError:
            return  # the store reports again when the database is back
        finally:
            self._restoring = None
            self.changed.set()

    async def remove_old_messages(self) -> None:
        """Delete old messages except those of running games, and release the free space."""
        self._messages_since_cleanup = 0
        going = {message for message, headline in self.tables().items() if headline["status"] != "over"}
        for old in await self._store.room.delete_old_messages(
            MAX_MESSAGES, MAX_PRIVATE_MESSAGES, going | set(self._index.calls)
        ):
            self._index.remove_message(old)
        await self._store.release_free_space()

    async def _trim_if_grown(self) -> None:
        """Delete old messages every CLEANUP_BATCH messages, in addition to the scheduled clean-up."""
        self._messages_since_cleanup += 1
        if self._messages_since_cleanup >= CLEANUP_BATCH:
            with suppress(StorageError):
                await self.remove_old_messages()

    async def place(self) -> PlaceRow:
        """Return the room's row in the store."""
        return await self._store.places.get_or_create(
            ROOM_PLACE.platform, ROOM_PLACE.channel, ROOM_PLACE.thread, ROOM_PLACE.group
        )

    # Methods of an adapter.

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Post a card as a new message and return its id; in a private chat only its person sees it."""
        with _writing_to(place):
            recipient = None if place.kind == "group" else await self._person(place.title)
            message = await self._add_card(card, key=f"card:{key}", recipient=recipient)
            if message.card != card_to_json(card):
                # It was sent before a crash, and the game has changed since then.
                await self._replace_card(message, card)
        return str(message.id)

    async def private_chat(self, user: str) -> Place:
        """Return the private part of the room for a person."""
        return Place(PLATFORM, ROOM_CHANNEL, kind="private", title=user)

    def game_link(self, code: str) -> GameLink | None:
        """Return a link to the page with a game's code; None without a configured address."""
        return GameLink(f"{self._address}/#join={code}") if self._address else None

    def browser_of(self, user: str) -> str:
        """Return the id prefix shared by all names of a user's browser."""
        return browser_prefix(user)

    async def _person(self, user: str) -> int:
        found = (await self._store.people.ids_of_users(PLATFORM, [user])).get(user)
        if found is None:
            raise Undeliverable("channel-gone")
        return found

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        """Replace the card of a message."""
        with _writing_to(place):
            old = await self._current_message(message)
            await self._replace_card(old, card)
            if card.headline is not None:
                for child in self._index.outdated_messages(old, card.headline):
                    await self._remove(child)

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Remove the buttons of an old board, or the whole message, and the private messages under it."""
        with _writing_to(place):
            old = await self._current_message(message)
            self._index.remove_message(old.id)
            # A game's board is in one message, so other messages of the game are deleted.
            if remove or (old.card or {}).get("table") is not None:
                await self._store.room.delete_message(old.id, self.clock())
            else:
                png = await self._store.room.picture(old.id, None)
                card = without_buttons(old.card or {})
                await self._store.room.update_message(old.id, self.clock(), text=old.text, card=card, picture=png)
            for child in list(self._index.hung.get(old.id, ())):
                await self._remove(child)
            self._index.hung.pop(old.id, None)
        self.changed.set()

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:
        """Remove people and the names they had from all messages; a picture that shows a name is removed."""
        last = 0
        while found := await self._store.room.messages_after(last):
            last = found[-1].id
            for message in found:
                card = without_people(message.card or {}, people, names)
                if card is None:
                    continue
                text = message.text if message.author is not None else without_names(message.text, names)
                changed = await self._store.room.update_message(message.id, self.clock(), text=text, card=card)
                if changed is not None:
                    self._index.add_message(changed)
        self.changed.set()

    # Actions of people.

    async def choose_language(self, language: str | None) -> None:
        """Set the room's language to that of its first visitor; a room with members keeps its language."""
        place = await self.place()
        if language is None or place.effective.get("language") or await self._store.places.members(place.id):
            return
        if not await self._store.room.last_change():
            await self._store.places.change_settings(place.id, {"language": language})

    async def say(self, speaker: Identity, event: str, text: str, answers: Json | None) -> None:
        """Post a person's message to all; repeating an event has no effect."""
        card: Json = {"name": speaker.name, "answers": answers, "event": event}
        key = f"say:{speaker.user_id}:{event}"
        await self._store.room.add_message(self.clock(), author=speaker.person, text=text, card=card, key=key)
        self.changed.set()
        await self._trim_if_grown()

    async def reply(
        self, speaker: Identity, event: str, reply: Reply, *, to: RoomMessage | None = None, used: str | None = None
    ) -> str | None:
        """Show the direct reply to a request: privately under its message, or to all.

        `to` is the message whose button was pressed or that was answered, `used` the typed text. A private reply that
        is no board and belongs to no message of a game is shown on the reader's sheet, where it replaces the previous
        one. Returns the code of the game to open, if the reply is a reader's board or a person has started, offered or
        joined a game.
        """
        card = reply.card
        if card is not None and reply.private and (game := find_opened_game(card)) is not None:
            return game
        mine = to is not None and to.recipient is not None
        if to is not None and reply.update and (mine or (to.author is None and not reply.private)):
            if card is not None:
                await self._replace_card(to, card)
                if mine and reply.private and asks_something(card) and "parent" not in (to.card or {}):
                    self._index.going[speaker.person] = to.id
            elif mine:
                await self._remove(to.id)
            return reply.opens
        if card is None:
            return reply.opens
        key = f"reply:{speaker.user_id}:{event}"
        extra: Json = {} if used is None else {"used": {"name": speaker.name, "text": used}}
        if not reply.private:
            await self._add_card(card, key=key, extra=extra)
            return reply.opens
        parent = None if reply.apart else await self._parent(to, board=is_board(card))
        if parent is None:
            replaced = {self._index.sheets.pop(speaker.person, None)}
            # A reply with a game that opens now, or with a search in progress, must not cover a board.
            stays = is_board(card) or reply.opens is not None or card.search is not None
            extra |= {} if stays else {"sheet": True}
            # A lesson continued by typing is shown again below, as one message.
            if asks_something(card) and to is None and reply.update:
                replaced.add(self._index.going.get(speaker.person))
            said = await self._add_card(card, key=key, recipient=speaker.person, extra=extra)
            if asks_something(card) and (reply.apart or reply.update):
                self._index.going[speaker.person] = said.id
            for old in replaced - {said.id}:
                if old is not None:
                    await self._remove(old)
            return reply.opens
        await self._remove_replaced(parent, speaker.person, picture=card.picture is not None)
        await self._add_card(card, key=key, recipient=speaker.person, extra={**extra, "parent": parent})
        return reply.opens

    async def dismiss(self, speaker: Identity, message: RoomMessage) -> None:
        """Delete a private message that its reader has dismissed."""
        if message.recipient == speaker.person:
            await self._remove(message.id)

    # Reading.

    async def message(self, viewer: Identity, message: object) -> RoomMessage | None:
        """Return a message that a person may see; None if there is none."""
        if not isinstance(message, int) or isinstance(message, bool) or not 0 < message < 2**31:
            return None
        found = await self._store.room.get(message)
        if found is None or found.deleted or found.recipient not in (None, viewer.person):
            return None
        return found

    async def find_sheet(self, viewer: Identity) -> RoomMessage | None:
        """Return the message on a person's sheet, None if there is none."""
        messages, _ = await self.page(viewer)
        return next((each for each in reversed(messages) if (each.card or {}).get("sheet")), None)

    async def page(self, viewer: Identity, before: int | None = None) -> tuple[list[RoomMessage], bool]:
        """Return the newest messages, or those before one, and whether there are more before them.

        Messages under a board retired meanwhile are left out and deleted.
        """
        found = await self._store.room.list_messages(viewer.person, before=before, limit=PAGE_SIZE + 1)
        parents = {parent for message in found if (parent := (message.card or {}).get("parent")) is not None}
        live = {each.id for each in await self._store.room.get_many(parents) if is_live(each)}
        shown = []
        for message in found[-PAGE_SIZE:]:
            if (message.card or {}).get("parent") in (None, *live):
                self._index.add_message(message)
                shown.append(message)
            else:
                await self._remove(message.id)
        return shown, len(found) > PAGE_SIZE

    async def picture(self, message: int, viewer: int | None, part: PicturePart = "png") -> bytes | None:
        """Return a part of a message's picture; None if it has none, or this person may not see it."""
        stored = await self._store.room.picture(message, viewer)
        return None if stored is None else split_kept_bytes(stored)[part] or None

    async def file(self, viewer: Identity, message: RoomMessage) -> Attachment | None:
        """Return the file of a message that a person may see; None if it has none, or no longer has it."""
        beside = None if message.picture is None else await self._store.room.picture(message.id, viewer.person)
        return read_stored_file(message, beside)

    async def names(self) -> list[str]:
        """Return the names of people seen here, the last seen first."""
        return [person.name for person in await self._store.places.members((await self.place()).id)]

    def all_mentions(self) -> list[tuple[int, Json]]:
        """Return the messages that call anybody, with their stored cards."""
        return list(self._index.calls.items())

    def mentioned_people(self) -> set[int]:
        """Return all people called by a message."""
        return {person for card in self._index.calls.values() for person in card["calls"]}

    def tables(self) -> dict[int, Json]:
        """Return the room's games by message, those changed last at the end."""
        return dict(self._index.tables)

    # Storage of messages.

    async def _add_card(
        self, card: Card, *, key: str, recipient: int | None = None, extra: Json | None = None
    ) -> RoomMessage:
        message = await self._store.room.add_message(
            self.clock(),
            recipient=recipient,
            text=strip_styles(card.text),
            card={**card_to_json(card), **(extra or {})},
            picture=join_stored_bytes(card),
            key=key,
        )
        self._index.add_message(message)
        self.changed.set()
        await self._trim_if_grown()
        return message

    async def _replace_card(self, old: RoomMessage, card: Card) -> None:
        previous: Json = old.card or {}
        new = card_to_json(card) | {name: previous[name] for name in ("used", "parent") if name in previous}
        if previous.get("sheet") and not is_board(card):
            new["sheet"] = True
        png = join_stored_bytes(card)
        message = await self._store.room.update_message(
            old.id, self.clock(), text=strip_styles(card.text), card=new, picture=png
        )
        if message is None:
            return
        self._index.add_message(message)
        if message.recipient is not None and "parent" in new:
            await self._remove_replaced(new["parent"], message.recipient, picture=png is not None, but=message.id)
        self.changed.set()

    async def _remove(self, message: int) -> None:
        await self._store.room.delete_message(message, self.clock())
        self._index.remove_message(message)
        self.changed.set()

    async def _remove_replaced(self, parent: int, person: int, *, picture: bool, but: int | None = None) -> None:
        """Delete the messages that a new private message under a board replaces."""
        for child in self._index.replaced_messages(parent, person, picture=picture, but=but):
            await self._remove(child)

    async def _current_message(self, message: str) -> RoomMessage:
        found = await self._store.room.get(int(message)) if message.isdecimal() else None
        if found is None or found.deleted:
            raise Undeliverable("message-gone")
        return found

    async def _parent(self, message: RoomMessage | None, *, board: bool) -> int | None:
        """Return the message for a private answer to be attached to: a game's message, or any message for a board."""
        if message is None:
            return None
        card = message.card or {}
        public = message.id if board or card.get("table") is not None else None
        parent = card.get("parent") if message.recipient is not None else public
        found = None if parent is None else await self._store.room.get(parent)
        return parent if found is not None and is_live(found) else None


def find_opened_game(card: Card) -> str | None:
    """Return the game whose board a private answer shows or asks about, for the page to open; None if there is none."""
    if card.headline is not None:
        return card.headline.code
    asked = [
        each
        for each in card_presses(card_to_json(card))
        if each.startswith((f"{PUBLIC_CHOICE}:", f"{PRIVATE_CHOICE}:"))
    ]
    return game_of_press(asked[0]) if asked else None


@contextmanager
def _writing_to(place: Place) -> Iterator[None]:
    """Raise Undeliverable for a place that is no longer the room, and TryLater while the database is unavailable."""
    if place.channel != ROOM_CHANNEL:
        raise Undeliverable("channel-gone")
    try:
        yield
    except Unavailable as error:
        raise TryLater from error
