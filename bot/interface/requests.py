"""Requests from adapters, replies to them, and the protocols that adapters and the program implement."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from bot.interface.cards import Card, Picture
from bot.language.texts import Text


@dataclass(frozen=True, slots=True)
class Place:
    """A channel of a platform, perhaps a thread (forum topic) in it.

    `group` is the server or group that the channel belongs to, for its settings and leaderboards; `language` is that of
    what everybody sees there, for adapters; in a request it is what a new place speaks. `threads`: True if the platform
    has threads to play games in there. `known`: True if everybody who can be mentioned there has been seen there.
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
    """True if the bot is no member there: it can write only with the tokens of presses."""


@dataclass(frozen=True, slots=True)
class User:
    """A user as the platform knows them; `language` is the platform's code for theirs, if it says.

    `handle` is the @name by which others may mention them, if that is not `name`; `roles` are their roles in this
    place, in lower case.
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
    """The token of a press where the bot is no member: a `secret` to write with for `seconds` seconds.

    `message` is the one that was pressed and can be edited with it, `spare` the number of new messages it allows; None
    means without limit, no message, any number.
    """

    secret: str = field(repr=False)
    message: str | None = None
    seconds: float | None = None
    spare: int | None = 0


IdKind = Literal["drawn", "counted", "chosen"]
"""Kinds of event ids: unpredictable, counted up, or chosen by the sender."""


DmAccess = Literal["unknown", "likely", "certain"]
"""Whether the sender can receive private messages, as far as an event shows it; `unknown` if it does not.

It is `certain` if they wrote to us in private themselves: that outweighs an earlier refused message.
"""


@dataclass(frozen=True, slots=True)
class ClientEntropy:
    """Entropy that a browser contributes with an action of its reader, as 64 hexadecimal digits each.

    `chain` is the top hash of a chain that it could use from now on; `link` opens its chain in a `game`. A game without
    a link means that it has lost its chain there.
    """

    chain: str | None = None
    game: str | None = None
    link: str | None = None


BoardKind = Literal["game", "lesson", "puzzle", "try"]


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """The board that the sender has open: a game's, or a private one of theirs.

    `code` is that of the game (of a try: the game that it belongs to), or its equivalent in the buttons of the private
    board. It is a browser's claim: whether the board exists, and whose it is, has to be looked up.
    """

    kind: BoardKind
    code: str


@dataclass(frozen=True, slots=True)
class Request:
    """One incoming event; `event` is the platform's id for it, the same if it is delivered again.

    `nonmember`: True if the bot is no member there. If the place is a guest's, boards are shown with the tokens of
    presses; otherwise there is only the direct reply, to that person. `undrawn`: True if a follow-up question below the
    pressed board is shown by its buttons alone, since the board's picture stays. `brings` is stored before all else.
    """

    event: str
    user: User
    place: Place
    message: str | None = None
    """The message that a button belongs to, or that was replied to."""
    nonmember: bool = False
    undrawn: bool = False
    theme: str | None = None
    """The theme of the screen, for people who have chosen none."""
    ids: IdKind = "drawn"
    pledge: ClientEntropy | None = None
    brings: InteractionToken | None = None
    can_dm: DmAccess = "unknown"
    board: OpenBoard | None = None
    """The board that typed text means if it names no other."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The direct reply to a request; boards come by delivery, not by replies.

    `private`: for the asker only. `update`: it replaces the private (or choosing) message whose button was pressed,
    where the platform can. `apart`: it stands by itself rather than with the message that it answers, in the asker's
    own chat if the platform cannot show it to one person alone. `secret`: others must not see it at all; where that
    cannot be ensured, it is not shown. `talk`: the typed text was no move, and nothing was done. `failed`: it failed,
    through no fault of the sender; the same event may be retried. `opens` is the code of the game that the sender has
    started, offered or joined, for fronts that show one board at a time. A reply without a card needs no words.
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

    `steps` are the paths of the pieces in the shown turn (from, to), `turns` is the number of turns so far, `turn` the
    shown one if that is not the newest. `question`: True if the card asks the reader for something.
    """

    card: Card
    steps: tuple[tuple[str, str], ...] = ()
    turns: int = 0
    turn: int | None = None
    question: bool = False


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """A turn in a list of moves: the seat that made it, None for chance, and its words."""

    seat: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion while a user types a command: the label and the value filled in."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class GameLink:
    """A link to a game; with `typed` it only installs the app, and the code has to be typed."""

    address: str
    typed: bool = False


class Front(Protocol):
    """Interface of the program for adapters; implemented by `bot.app.Tavoliere`."""

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Run a command of the table. Every failure that a person can cause becomes a reply; none is raised."""
        ...

    async def press(self, request: Request, press: str) -> Reply:
        """Handle a press of a button or the choice of a menu option."""
        ...

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Handle a text as a move if it replies to `request.message`, or if there is only one game it can mean.

        A text that is no move gets a reply that says so.
        """
        ...

    async def complete(
        self, request: Request, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Completion]:
        """Return at most 25 completions for a command's parameter that match what is typed, from the cache."""
        ...


class GuestFront(Front, Protocol):
    """Additional methods for platforms on which people play where the bot is no member."""

    async def press_answered(self, request: Request) -> None:
        """Use the token that a press has brought for the boards in its place, once the press itself is answered."""
        ...


class ReaderFront(Protocol):
    """Additional methods for fronts where each reader sees a game drawn for them; nothing is stored."""

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
        theme: str | None = None,
    ) -> GameView | Reply:
        """Return a game as the asker sees it, after some answers or after a turn; otherwise a reply saying why not.

        `theme` is that of their screen, for people who have chosen none.
        """
        ...

    async def view_thumbnail(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return a sample picture of a game, for people who do not know it; None where boards are not drawn."""
        ...

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; empty if no rule says so."""
        ...

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game; empty if they cannot be shown."""
        ...


class Undeliverable(Exception):
    """A message cannot be delivered: its channel or message is gone, or the bot may not write there (any more).

    Or a message has lost its picture, which only `RedrawsPictures.redraw` can show again.
    """

    def __init__(self, reason: Literal["channel-gone", "message-gone", "forbidden", "picture-lost"]) -> None:
        super().__init__(reason)
        self.reason = reason


class TryLater(Exception):
    """A platform asks to wait, or does not answer; `seconds` if it says how long."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Adapter(Protocol):
    """The methods of a platform; each raises only Undeliverable or TryLater."""

    platform: str

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message and return its id.

        The same key (reused after a crash before recording) must not create a second message if the platform can tell.
        """
        ...

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Replace a message's content by a card."""
        ...

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or delete the whole message."""
        ...


@runtime_checkable
class KeepsMessages(Protocol):
    """For an adapter that stores the messages itself, since no platform does."""

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:
        """Remove people, and the names they had, from all stored messages."""
        ...


@runtime_checkable
class PrivateChats(Protocol):
    """For an adapter whose platform has private chats."""

    async def private_chat(self, user: str) -> Place:
        """Return the private chat with a user, to send to; Undeliverable if there can be none, TryLater."""
        ...


@runtime_checkable
class RedrawsPictures(Protocol):
    """For an adapter whose messages may lose their picture; its `retire` reports that as picture-lost."""

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        """Show a picture in an old board that has lost its own; its text stays; Undeliverable, TryLater."""
        ...


@runtime_checkable
class RetiresLater(Protocol):
    """For an adapter that retires old messages at quieter times."""

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return the seconds until an old message in a place can be retired, 0 for now."""
        ...


@runtime_checkable
class LowPriorityEdits(Protocol):
    """For an adapter where all calls to a chat share one rate limit."""

    async def edit_low_priority(self, place: Place, message: str, card: Card) -> None:
        """Edit a message that nobody waits for, after everything else; Undeliverable, TryLater."""
        ...


@runtime_checkable
class FindsSent(Protocol):
    """For an adapter that can read the history of a chat."""

    async def find_sent(self, place: Place, press: str, since: datetime) -> str | None:
        """Return the id of our own message since a time with a button that carries a press; Undeliverable, TryLater.

        None if there is none, or if the history may not be read.
        """


@runtime_checkable
class MessageLinks(Protocol):
    """For an adapter whose messages have links."""

    def address(self, place: Place, message: str) -> str | None:
        """Return the link to a message, None if messages have none."""


@runtime_checkable
class DeepLinks(Protocol):
    """For an adapter with links that lead newcomers to a game."""

    def game_link(self, code: str) -> GameLink | None:
        """Return the link to a game from outside, None while there is none."""


@runtime_checkable
class SmallPictures(Protocol):
    """For an adapter whose platform shows pictures no higher than a few lines of text."""

    shows_small_pictures: Literal[True]


@runtime_checkable
class PublicReplies(Protocol):
    """For an adapter where everybody in a group can read a private reply for a while."""

    replies_are_public: Literal[True]


@runtime_checkable
class ReaderPictures(Protocol):
    """For an adapter that shows a game in one lasting message, without its picture.

    Everybody there gets it drawn for them (`ReaderFront`), so nothing is drawn for all.
    """

    draws_for_readers: Literal[True]


@runtime_checkable
class EditOnlyPlaces(Protocol):
    """For an adapter where a place may be a single message that can only be edited; edits notify nobody.

    What is sent there replaces the message, so only a game's board may be sent.
    """

    def is_edit_only(self, channel: str) -> bool:
        """Return True if a channel is such a message."""


@runtime_checkable
class BrowserIdentities(Protocol):
    """For an adapter where one browser may have several names, each an identity."""

    def browser_of(self, user: str) -> str:
        """Return the id prefix shared by all names in a user's browser."""


@runtime_checkable
class Threads(Protocol):
    """For an adapter whose platform has threads."""

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id, None where there can be none; Undeliverable, TryLater.

        Called again for the same message, it returns the same thread.
        """
