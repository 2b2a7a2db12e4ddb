"""What adapters hand to the services, and what they get back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from bot.interface.cards import Card, Picture
from bot.language.texts import Text


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a channel of a platform, perhaps a thread (forum topic) in it.

    `group` is the server or group that the channel belongs to, for its settings and leaderboards; `language` is that
    of what all see there, where the program tells an adapter of a place. `threads`: whether the platform has threads
    to play games in there. `known`: whether everybody who can be called there has been seen there.
    """

    platform: str
    channel: str
    thread: str | None = None
    group: str | None = None
    kind: Literal["group", "private"] = "group"
    title: str = ""
    language: str | None = None
    threads: bool = False
    known: bool = False
    guest: bool = False
    """Whether the bot is no member there: it can write only with what presses bring."""


@dataclass(frozen=True, slots=True)
class User:
    """Who acts, as the platform knows them; `language` is the platform's code for theirs, if it says.

    `handle` is the @name by which others may call them, where that is not `name`; `roles` are those that the platform
    gives them where they act, by their names in small letters.
    """

    platform: str
    id: str
    name: str
    language: str | None = None
    manager: bool = False
    handle: str | None = None
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class InteractionToken:
    """What a press brings where the bot is no member: a `secret` with which it may write there for so many seconds.

    `message` is the one that was pressed and can be edited with it, `spare` how many new ones can be sent with it; None
    is for ever, no message, any number.
    """

    secret: str = field(repr=False)
    message: str | None = None
    seconds: float | None = None
    spare: int | None = 0


IdKind = Literal["drawn", "counted", "chosen"]
"""How the id of an event came about: so that nobody can foresee it, by counting up, or by the choice of its sender."""


DmAccess = Literal["unknown", "likely", "certain"]
"""Whether the sender can receive private messages, as far as an event shows it; `unknown` if it does not.

It is `certain` where they wrote to us in private themselves: that counts more than a message that was refused before.
"""


@dataclass(frozen=True, slots=True)
class ClientEntropy:
    """What a browser gives to chance with what its reader does, as 64 hexadecimal digits each.

    `chain` is the hash that a chain begins with which it could go on by from now on; `link` opens its chain in a
    `game`. A game without a link: it has lost its chain there.
    """

    chain: str | None = None
    game: str | None = None
    link: str | None = None


BoardKind = Literal["game", "lesson", "puzzle", "try"]


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """The board that the sender has open: a game's, or a private one of theirs.

    `code` is that of the game (of a try: the game that it belongs to), or what buttons on the private board carry in
    its place. It is what a browser says: whether there is such a board, and whose it is, has to be looked up.
    """

    kind: BoardKind
    code: str


@dataclass(frozen=True, slots=True)
class Request:
    """One incoming event; `event` is the platform's id for it, the same when it is delivered again.

    `nonmember`: the bot is no member there. Where the place is its guest's, boards are shown with what presses bring;
    elsewhere there is only the direct answer, to that person. `undrawn`: a question that goes on below the board
    that was pressed is shown by its buttons alone, since the board's picture stays. `brings` is kept before anything
    is done.
    """

    event: str
    user: User
    place: Place
    message: str | None = None
    """The message that a button belongs to, or that was answered."""
    nonmember: bool = False
    undrawn: bool = False
    theme: str | None = None
    """The theme of the screen, for those who have chosen none."""
    ids: IdKind = "drawn"
    pledge: ClientEntropy | None = None
    brings: InteractionToken | None = None
    can_dm: DmAccess = "unknown"
    board: OpenBoard | None = None
    """What is typed means this board, where it names no other."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The direct answer to a request; boards come by delivery, not by replies.

    `private`: for the asker's eyes only. `update`: replaces the private (or choosing) message whose button was
    pressed, where the platform can. `apart`: it goes on by itself rather than with the message that it answers, in the
    asker's own chat where the platform shows nothing to one person alone. `secret`: others must not see it at all;
    where that cannot be kept from them, it is not shown. `talk`: what was typed is no move, and nothing was done.
    `failed`: it could not be done, through no fault of the sender; the same event may be tried again. `opens` is the
    code of the game that the sender has started, offered or joined, for fronts that show one board at a time. A reply
    without a card needs no words.
    """

    card: Card | None = None
    private: bool = True
    update: bool = False
    apart: bool = False
    secret: bool = False
    talk: bool = False
    failed: Literal["", "unavailable", "failed"] = ""
    opens: str | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as one reader sees it: its card with a picture drawn for them, and what a page shows beside that.

    `steps` are the ways of the pieces in the turn that is shown (from, to), `turns` is how many there have been, `turn`
    the one that is shown where that is not the newest, `question` is whether the card asks the reader for something.
    """

    card: Card
    steps: tuple[tuple[str, str], ...] = ()
    turns: int = 0
    turn: int | None = None
    question: bool = False


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """A turn in a list of moves: the seat that made it, None for chance, and what was done."""

    seat: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """One suggestion while somebody types a command: what is shown and what is filled in."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class GameLink:
    """An address that leads to a game; where that brings us along only, `typed` says that the code has to be told."""

    address: str
    typed: bool = False


class Front(Protocol):
    """What the program offers to adapters; `bot.app.Tavoliere` is it."""

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Carry out a command of the table; every failure a person can cause is answered, not raised."""
        ...

    async def press(self, request: Request, press: str) -> Reply:
        """Carry out a press of a button or the choice of an option of a menu."""
        ...

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Take a text that answers the message `request.message`, or is meant for the one game at hand, as a move.

        Talk that is no move is answered by a reply that says so.
        """
        ...

    async def complete(
        self, request: Request, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Completion]:
        """Return at most 25 completions for a parameter of a command that match what is typed, from memory."""
        ...


class GuestFront(Front, Protocol):
    """What a front offers besides for platforms on which people play where the bot is no member."""

    async def press_answered(self, request: Request) -> None:
        """Have what a press has brought used for the boards there, once the press itself is answered."""
        ...


class ReaderFront(Protocol):
    """What a front for readers offers besides: each sees a game as drawn for them; nothing is stored."""

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
        theme: str | None = None,
    ) -> GameView | Reply:
        """Return a game as the one who asks sees it, after some answers or as it was after a turn; else why not.

        `theme` is that of their screen, for those who have chosen none.
        """
        ...

    async def view_thumbnail(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return what a game looks like at play, for those who do not know it; None where boards are not drawn."""
        ...

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; nothing where no rule says so."""
        ...

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game, none where that cannot be told."""
        ...


class Undeliverable(Exception):
    """A message that cannot be delivered: its channel or message is gone, or the bot may not write there (any more).

    Or a message has lost its picture, which only `Redraws.redraw` can show again.
    """

    def __init__(self, reason: Literal["channel-gone", "message-gone", "forbidden", "picture-lost"]) -> None:
        super().__init__(reason)
        self.reason = reason


class TryLater(Exception):
    """A platform that asks for patience, or does not answer; `seconds` if it says how long."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Adapter(Protocol):
    """What the program asks of a platform; each method raises Undeliverable or TryLater and nothing else."""

    platform: str

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Show a card as a new message and return its id; the same key again must not make a second message
        where the platform can tell (it is given after a crash between sending and noting it down)."""
        ...

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Show a card in place of the one that the message shows."""
        ...

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or the whole message."""
        ...


@runtime_checkable
class KeepsMessages(Protocol):
    """What an adapter can besides that keeps the messages itself, since no platform does."""

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:
        """Take people, and the names they had, out of all messages that are kept."""
        ...


@runtime_checkable
class PrivateChats(Protocol):
    """What an adapter can besides where a platform has private chats."""

    async def private_chat(self, user: str) -> Place:
        """Return the private chat with somebody, to send to; Undeliverable where there can be none, TryLater."""
        ...


@runtime_checkable
class RedrawsPictures(Protocol):
    """What an adapter can besides where a message may lose its picture; its `retire` tells that as picture-lost."""

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        """Show a picture in an old board that has lost its own; its words stay; Undeliverable, TryLater."""
        ...


@runtime_checkable
class RetiresLater(Protocol):
    """What an adapter can besides where old messages wait for quieter moments."""

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return in how many seconds an old message in a place can be retired, 0 for now."""
        ...


@runtime_checkable
class LowPriorityEdits(Protocol):
    """What an adapter can besides where all calls to a chat share what a platform allows."""

    async def edit_low_priority(self, place: Place, message: str, card: Card) -> None:
        """Edit what nobody waits for, after everything else; Undeliverable, TryLater."""
        ...


@runtime_checkable
class FindsSent(Protocol):
    """What an adapter can besides where what was said in a chat can be read."""

    async def find_sent(self, place: Place, press: str, since: datetime) -> str | None:
        """Return the id of our own message since a time of which a button carries a press; Undeliverable, TryLater.

        None if there is none, or if nothing may be read there.
        """


@runtime_checkable
class MessageLinks(Protocol):
    """What an adapter can besides where a platform's messages have addresses that people can follow."""

    def address(self, place: Place, message: str) -> str | None:
        """Return the address of a message, None where messages have none."""


@runtime_checkable
class DeepLinks(Protocol):
    """What an adapter can besides where an address leads people to a game who have never heard of us."""

    def game_link(self, code: str) -> GameLink | None:
        """Return how somebody comes to a game from outside, None while nobody can be told."""


@runtime_checkable
class SmallPictures(Protocol):
    """What an adapter has besides where a platform shows pictures no higher than a few lines of text."""

    shows_small_pictures: Literal[True]


@runtime_checkable
class PublicReplies(Protocol):
    """What an adapter has besides where all in a group read, for a while, what somebody alone is answered there."""

    replies_are_public: Literal[True]


@runtime_checkable
class ReaderPictures(Protocol):
    """What an adapter has besides that shows a game in one message for good, without its picture.

    Everybody there is shown it as drawn for them (`ShowsReaders`), so nothing is drawn for all.
    """

    draws_for_readers: Literal[True]


@runtime_checkable
class EditOnlyPlaces(Protocol):
    """What an adapter can besides where a place may be one message, which only edits change: they notify nobody.

    What is sent there takes the message's place, so only a game's board may be.
    """

    def is_edit_only(self, channel: str) -> bool:
        """Say whether a channel is such a message."""


@runtime_checkable
class BrowserIdentities(Protocol):
    """What an adapter can besides where a browser may have several names, each of which is somebody."""

    def browser_of(self, user: str) -> str:
        """Return what the ids of all names in somebody's browser begin with."""


@runtime_checkable
class Threads(Protocol):
    """What an adapter can besides where a platform has threads."""

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id, None where there can be none; Undeliverable, TryLater.

        Asked again for the same message it is the same thread.
        """
