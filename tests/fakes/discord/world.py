"""What there is on the fake Discord: servers, channels, people, messages, interactions; and the time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from tests.fakes.discord.clock import START, Clock
from tests.fakes.discord.parts import FILE, GALLERY, THUMBNAIL, UPLOADED, Attachment, media, walk
from tests.fakes.discord.roles import Roles
from tests.fakes.discord.schema import Json
from tests.support.present import present

EPOCH: Final = 1_420_070_400


class Permission:
    """Bits of permissions (page Permissions)."""

    MANAGE_GUILD: Final = 1 << 5
    VIEW_CHANNEL: Final = 1 << 10
    SEND_MESSAGES: Final = 1 << 11
    EMBED_LINKS: Final = 1 << 14
    MENTION_EVERYONE: Final = 1 << 17
    USE_EXTERNAL_EMOJIS: Final = 1 << 18
    ATTACH_FILES: Final = 1 << 15
    READ_MESSAGE_HISTORY: Final = 1 << 16
    USE_APPLICATION_COMMANDS: Final = 1 << 31
    CREATE_PUBLIC_THREADS: Final = 1 << 35
    SEND_MESSAGES_IN_THREADS: Final = 1 << 38
    USE_EXTERNAL_APPS: Final = 1 << 50


EVERYTHING: Final = (1 << 51) - 1
USUAL: Final = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)

TEXT, DM, GROUP_DM, THREAD, PRIVATE_THREAD = 0, 1, 3, 11, 12

SUPPRESS_EMBEDS: Final = 1 << 2
SUPPRESS_NOTIFICATIONS: Final = 1 << 12
EPHEMERAL: Final = 1 << 6
LOADING: Final = 1 << 7
COMPONENTS_V2: Final = 1 << 15


class Snowflakes:
    """Makes ids that hold the time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._numbers: Iterator[int] = itertools.count(1)

    def new(self) -> str:
        """Return a new id, greater than all before it at the same time."""
        return str((int((self._clock.now - EPOCH) * 1000) << 22) + next(self._numbers))


@dataclass(eq=False)
class Account:
    """Somebody with an account."""

    id: str
    name: str
    shown: str
    locale: str = "en-US"
    bot: bool = False
    installed: bool = True
    """Whether they have installed the application for themselves, where it is not on a server."""
    beside: bool = True
    """Whether they share a server with the bot."""

    @property
    def within_reach(self) -> bool:
        """Whether the bot may write to them in private, if they do not refuse that.

        Who has installed an application for themselves is written to without a shared server (discord-api-docs issues
        7275 and 7666); code 50278 is for all others (page Opcodes and Status Codes).
        """
        return self.installed or self.beside

    def to_json(self) -> Json:
        """Return the account as Discord describes it."""
        named = {"id": self.id, "username": self.name, "global_name": None if self.bot else self.shown}
        return named | {"discriminator": "0", "avatar": None, "bot": self.bot}


@dataclass(eq=False)
class Channel:
    """A channel, thread or direct conversation; `permissions` are the bot's in it.

    `friends` are those of a conversation that the bot is not part of.
    """

    id: str
    kind: int
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    permissions: int = USUAL
    recipient: Account | None = None
    archived: bool = False
    locked: bool = False
    deleted: bool = False
    friends: tuple[Account, ...] = ()
    hidden_from: set[Account] = field(default_factory=set)
    """Those who may not see it."""
    members: set[Account] = field(default_factory=set)
    """Those who are in a thread; nobody else but managers of threads sees a private one."""
    silently_muted: bool = False
    """Whether a non-member application's answers are private although its permissions say otherwise."""

    @property
    def has_bot(self) -> bool:
        return not self.friends if self.guild is None else self.guild.has_bot

    @property
    def app_permissions(self) -> int:
        """What an interaction says that the application may do there.

        In conversations these are always the same ones (page Receiving and Responding, Interaction Object).
        """
        if self.guild is None:
            return (
                Permission.MENTION_EVERYONE
                | Permission.ATTACH_FILES
                | Permission.EMBED_LINKS
                | (Permission.USE_EXTERNAL_EMOJIS if self.has_bot else 0)
            )
        return (self.parent or self).permissions

    @property
    def is_muted(self) -> bool:
        """Whether a non-member application's answers are private (page Permissions)."""
        if self.has_bot or self.guild is None:
            return False
        return self.silently_muted or not self.app_permissions & Permission.USE_EXTERNAL_APPS

    def may(self, permission: int) -> bool:
        """Say whether the bot has a permission here; a thread has its parent's."""
        return self.guild is None or (self.parent or self).permissions & permission == permission

    def to_json(self) -> Json:
        """Return the channel as Discord describes it."""
        data: Json = {"id": self.id, "type": self.kind, "last_message_id": None, "flags": 0}
        if self.friends:
            return data | {"recipients": [each.to_json() for each in self.friends], "name": self.name or None}
        if self.kind == DM:
            return data | {"recipients": [present(self.recipient).to_json()]}
        assert self.guild is not None
        data |= {"guild_id": self.guild.id, "name": self.name, "nsfw": False}
        if self.parent is not None:
            settings: Json = {"archived": self.archived, "locked": self.locked, "auto_archive_duration": 1440}
            settings["archive_timestamp"] = datetime.fromtimestamp(START, UTC).isoformat()
            data |= {"parent_id": self.parent.id, "owner_id": self.guild.bot.id, "thread_metadata": settings}
            return data | {"message_count": 0, "member_count": 1, "rate_limit_per_user": 0}
        missing = EVERYTHING & ~self.permissions
        overwrite = {"id": self.guild.bot.id, "type": 1, "allow": str(self.permissions), "deny": str(missing)}
        hidden = [
            {"id": each.id, "type": 1, "allow": "0", "deny": str(Permission.VIEW_CHANNEL)} for each in self.hidden_from
        ]
        return data | {"position": 0, "permission_overwrites": [overwrite, *hidden], "parent_id": None, "topic": None}


@dataclass(eq=False)
class Guild:
    """A server that the bot may be in."""

    id: str
    name: str
    bot: Account
    owner: Account
    locale: str = "en-US"
    channels: list[Channel] = field(default_factory=list)
    system_channel: Channel | None = None
    managers: set[Account] = field(default_factory=set)
    has_bot: bool = True
    community: bool = False  # its managers have chosen its language (page Guild, `preferred_locale`)
    roles: Roles[Account] = field(default_factory=Roles)

    def permissions_of(self, person: Account) -> int:
        """Return a member's permissions."""
        return USUAL | (Permission.MANAGE_GUILD if person in self.managers or person is self.owner else 0)

    def member_json(self, person: Account) -> Json:
        """Return somebody as a member; an interaction tells their permissions as well."""
        joined = datetime.fromtimestamp(START, UTC).isoformat()
        member = {"user": person.to_json(), "nick": None, "roles": self.roles.ids_of(person), "joined_at": joined}
        return member | {"deaf": False, "mute": False, "flags": 0}

    def role_json(self) -> Json:
        everyone = {"id": self.id, "name": "@everyone", "color": 0, "hoist": False, "position": 0}
        return everyone | {"permissions": str(USUAL), "managed": False, "mentionable": False, "flags": 0}

    def own_member_json(self) -> Json:
        """Return the bot as a member, as it is told when that changes."""
        return self.member_json(self.bot) | {"guild_id": self.id}

    def to_json(self) -> Json:
        """Return the server as the gateway describes it."""
        member, here = self.member_json(self.bot), [channel for channel in self.channels if not channel.deleted]
        lists = ("emojis", "stickers", "voice_states", "presences", "stage_instances", "guild_scheduled_events")
        return {key: [] for key in (*lists, "soundboard_sounds")} | {
            "id": self.id,
            "name": self.name,
            "owner_id": self.owner.id,
            "roles": self.roles.to_json(self.role_json()),
            "features": ["COMMUNITY"] if self.community else [],
            "member_count": 5,
            "large": False,
            "unavailable": False,
            "joined_at": member["joined_at"],
            "preferred_locale": self.locale,
            "system_channel_id": None if self.system_channel is None else self.system_channel.id,
            "members": [member],
            "channels": [channel.to_json() for channel in here if channel.parent is None],
            "threads": [channel.to_json() for channel in here if channel.parent is not None],
        }


@dataclass(eq=False)
class Message:
    """A message; a private one is seen by its `reader` alone. `pings` are those whom it notified."""

    id: str
    channel: Channel
    author: Account
    created: float
    flags: int = 0
    content: str = ""
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    mentions: list[Account] = field(default_factory=list)
    pings: tuple[Account, ...] = ()
    reader: Account | None = None
    edits: int = 0
    deleted: bool = False
    thread: Channel | None = None
    owners: Json | None = None
    """Whose installation the interaction counted on that brought it, None where there was none."""

    @property
    def private(self) -> bool:
        """Whether one person alone sees it."""
        return bool(self.flags & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it says that the bot is thinking."""
        return bool(self.flags & LOADING)

    @property
    def parts(self) -> list[Json]:
        """All components, those inside others included."""
        return list(walk(self.components))

    @property
    def text(self) -> str:
        """What can be read."""
        return "\n".join([self.content, *(part["content"] for part in self.parts if part["type"] == 10)]).strip()

    @property
    def pressable(self) -> list[Json]:
        """The buttons and the options of menus, each with the `custom_id` that it is pressed by and its `value`."""
        found = []
        for part in self.parts:
            if part["type"] == 2 and part.get("custom_id"):
                found.append(part)
            elif part["type"] == 3:
                found += [{**part, **option, "type": 3} for option in part["options"]]
        return found

    @property
    def labels(self) -> list[str]:
        """The labels of what can be pressed."""
        return [part["label"] for part in self.pressable]

    @property
    def pictures(self) -> list[tuple[Attachment, str | None]]:
        """The pictures that are seen, with their alternative texts.

        What no component exposes does not show (page Components, IS_COMPONENTS_V2).
        """
        items = [item for part in self.parts if part["type"] in (THUMBNAIL, GALLERY) for item in media(part)]
        found = [(self._file(item["media"]["url"]), item.get("description")) for item in items]
        return [(file, alt) for file, alt in found if file is not None]

    @property
    def picture(self) -> bytes | None:
        """The picture that is seen, if there is one."""
        return self.pictures[0][0].content if self.pictures else None

    @property
    def alt(self) -> str | None:
        """The alternative text of that picture."""
        return self.pictures[0][1] if self.pictures else None

    @property
    def files(self) -> list[Attachment]:
        """The files that can be taken away."""
        found = [self._file(part["file"]["url"]) for part in self.parts if part["type"] == FILE]
        return [file for file in found if file is not None]

    def lose_files(self) -> None:
        """Have all files gone, with what showed them."""
        self.attachments = []
        self.components = [part for part in self.components if not list(media(part))]

    def _file(self, address: str) -> Attachment | None:
        if not address.startswith(UPLOADED):
            return None
        name = address.removeprefix(UPLOADED)
        return next((each for each in self.attachments if each.filename == name), None)

    def to_json(self) -> Json:
        """Return the message as Discord describes it.

        `attachments` are only files that no component refers to (page Message, Message Object; discord-api-docs issue
        8277, where this is said to be intended); those that one refers to are known by the `attachment_id` of their
        media item (page Components, Unfurled Media Item).
        """
        named = [self._file(item["media"]["url"]) for part in self.parts for item in media(part)]
        created = datetime.fromtimestamp(self.created, UTC).isoformat()
        data: Json = {"id": self.id, "channel_id": self.channel.id, "type": 0, "flags": self.flags, "webhook_id": None}
        data |= {"author": self.author.to_json(), "content": self.content, "embeds": [], "tts": False, "pinned": False}
        return data | {
            "timestamp": created,
            "edited_timestamp": created if self.edits else None,
            "mention_everyone": False,
            "mentions": [person.to_json() for person in self.mentions],
            "mention_roles": [],
            "attachments": [each.to_json() for each in self.attachments if each not in named],
            "components": [self._shown(part) for part in self.components],
        }

    def _shown(self, part: Json) -> Json:
        """Return a component as a message shows it: with the addresses of its pictures."""
        shown = dict(part)
        if "components" in part:
            shown["components"] = [self._shown(inner) for inner in part["components"]]
        if part["type"] == GALLERY:
            shown["items"] = [self._item(item) for item in part["items"]]
        elif part["type"] == FILE:
            file = self._file(part["file"]["url"])
            shown |= {"file": self._item({"media": part["file"]})["media"], "name": file and file.filename, "size": 1}
        return shown

    def _item(self, item: Json) -> Json:
        file = self._file(item["media"]["url"])
        address = file.address if file is not None else item["media"]["url"]
        shown: Json = {"id": "1", "url": address, "proxy_url": address, "loading_state": 2}
        if file is not None:
            # Only where the file came with a message of the same bot.
            shown |= {"attachment_id": file.id, "content_type": file.content_type, "height": 900, "width": 900}
        return {**item, "media": shown}


@dataclass(eq=False)
class Interaction:
    """Something that somebody did with the bot's commands or components."""

    id: str
    token: str
    kind: int
    person: Account
    channel: Channel
    created: float
    message: Message | None = None
    member: bool = True
    """Whether the bot is where it happened; else there is only the token."""
    owners: Json | None = None
    """Whose installation it counts on."""
    answer: int | None = None  # the type of the first answer
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    choices: list[Json] | None = None
    window: Json | None = None
    """The modal that was opened."""
