"""What there is on the fake Telegram: people, chats, messages, presses."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.telegram.markup import Marked
from tests.fakes.telegram.schema import Json

Kind = Literal["private", "group", "supergroup"]
Status = Literal["creator", "administrator", "member", "restricted", "left", "kicked"]


@dataclass(eq=False)
class Account:
    """Somebody with an account."""

    id: int
    first_name: str
    username: str | None = None
    language: str | None = None
    is_bot: bool = False

    def to_json(self) -> Json:
        """Return it as the Bot API does."""
        made: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        optional = {"username": self.username, "language_code": self.language}
        return made | {name: value for name, value in optional.items() if value is not None}


@dataclass(eq=False)
class Chat:
    """A chat; `status` says for everybody what they are there, the bot included."""

    id: int
    kind: Kind
    title: str = ""
    person: Account | None = None
    forum: bool = False
    status: dict[int, Status] = field(default_factory=dict)
    hides_members: bool = False
    """True if only administrators are told who is in it."""
    may_send: bool = True
    may_send_photos: bool = True
    reactions: frozenset[str] | None = None
    """The reactions that are allowed, None for all."""
    migrated_to: int | None = None
    blocked: bool = False
    gone: bool = False
    closed: set[int | None] = field(default_factory=set)
    """The topics in which only administrators may write, None for the general one."""

    @property
    def group(self) -> bool:
        """Whether the limits of groups hold."""
        return self.kind != "private"

    @property
    def instance(self) -> str:
        """What presses there are told with: the same for all of a chat, and not its id."""
        return str(int.from_bytes(hashlib.sha256(f"{self.id}".encode()).digest()[:8], signed=True))

    def to_json(self) -> Json:
        """Return it as the Bot API does."""
        named = {"title": self.title} if self.person is None else {"first_name": self.person.first_name}
        return {"id": self.id, "type": self.kind, **named, **({"is_forum": True} if self.forum else {})}


@dataclass(eq=False)
class Message:
    """A message as it is now."""

    id: int
    chat: Chat
    author: Account
    date: int
    thread: int | None = None
    marked: Marked = field(default_factory=Marked)
    photo: bytes | None = None
    file_id: str | None = None
    document: str | None = None
    content: bytes | None = None
    keyboard: list[list[Json]] = field(default_factory=list)
    reply_to: Message | None = None
    inline: str | None = None
    """Its id where it was put there through the bot, which is not in its chat."""
    topic_created: str | None = None
    post: Json | None = None
    """The channel of which it is a post, brought here by Telegram itself."""
    reaction: str | None = None
    silent: bool = False
    pings: tuple[str | int, ...] = ()
    """Who was notified of it by name when it was sent: ids, and @names; an edit notifies nobody."""
    edits: int = 0
    deleted: bool = False

    @property
    def text(self) -> str:
        """What it says, be it a text or a caption."""
        return self.marked.text

    @property
    def buttons(self) -> list[Json]:
        """All its buttons, row by row."""
        return [button for row in self.keyboard for button in row]

    @property
    def labels(self) -> list[str]:
        return [button["text"] for button in self.buttons]

    @property
    def begun(self) -> Message | None:
        """The message that the thread of answers began with which it belongs to, None where it answers nothing."""
        return None if self.reply_to is None else self.reply_to.begun or self.reply_to

    def to_json(self, *, whole: bool = True) -> Json:
        """Return it as the Bot API does; `whole` is with what it answers."""
        made: Json = {
            "message_id": self.id,
            "from": self.author.to_json(),
            "chat": self.chat.to_json(),
            "date": self.date,
        }
        if self.thread is not None:
            made |= {"message_thread_id": self.thread, "is_topic_message": True}
        elif self.begun is not None and self.chat.kind == "supergroup":
            made["message_thread_id"] = self.begun.id
        if self.post is not None:
            made |= {"sender_chat": self.post, "is_automatic_forward": True}
        if self.topic_created is not None:
            made["forum_topic_created"] = {"name": self.topic_created, "icon_color": 7322096}
        elif self.photo is not None:
            sizes = ((90, "s"), (900, ""))
            made["photo"] = [
                {"file_id": f"{self.file_id}{mark}", "file_unique_id": f"u{self.file_id}{mark}"}
                | {"width": size, "height": size, "file_size": len(self.photo)}
                for size, mark in sizes
            ]
            made["caption"] = self.text
        elif self.document is not None:
            made["document"] = {"file_id": "d", "file_unique_id": "du", "file_name": self.document}
            made["caption"] = self.text
        else:
            made["text"] = self.text
        if self.keyboard:
            made["reply_markup"] = {"inline_keyboard": self.keyboard}
        if self.reply_to is not None and whole:
            made["reply_to_message"] = self.reply_to.to_json(whole=False)
        return made


@dataclass(eq=False)
class Asked:
    """What was asked of the bot in a chat that it is not in, by a list (`results`) or by a call (`sent`)."""

    id: str
    who: Account
    text: str
    chat: Chat
    results: list[Json] | None = None
    private: str | None = None
    """What the button above the list leads to."""
    sent: Message | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class Tap:
    """A press of a button and what was answered: a text (None until then), as an alert or not, or a link to follow."""

    id: str
    who: Account
    message: Message
    data: str
    text: str | None = None
    alert: bool = False
    url: str | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)
