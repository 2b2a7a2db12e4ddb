"""Requests from adapters, replies to them, and what adapters and the program implement."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Protocol

from bot.kernel.cards import Button, Card, Picture


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
    quiet: bool = field(default=False, compare=False)
    """True if messages come without a sound there: those who manage it have switched it off."""


@dataclass(frozen=True, slots=True)
class User:
    """A user as the platform knows them; `language` is the platform's code for theirs, if it says.

    `handle` is the @name by which others may mention them, if that is not `name`; `roles` are their roles in this
    place, in lower case. `manager`: whether they manage the place, None if the event does not say: then the platform is
    asked where it matters. `anonymous`: True for a manager who acts in the name of the place, so that no one knows who
    they are.
    """

    platform: str
    id: str
    name: str
    language: str | None = None
    manager: bool | None = None
    handle: str | None = None
    roles: frozenset[str] = frozenset()
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's membership in a group now: their roles in lower case, and whether they manage the group."""

    roles: frozenset[str] = frozenset()
    manager: bool = False


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


BoardPost = Literal["game", "lesson", "puzzle", "try"]


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """The board that the sender has open: a game's, or a private one of theirs.

    `code` is that of the game (of a try: the game that it belongs to), or its equivalent in the buttons of the private
    board. It is a browser's claim: whether the board exists, and whose it is, has to be looked up.
    """

    kind: BoardPost
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
    side: int | None = None
    """The seat from whose side the sender looks at a board drawn for them, None for their own."""
    ids: IdKind = "drawn"
    pledge: ClientEntropy | None = None
    brings: InteractionToken | None = None
    can_dm: DmAccess = "unknown"
    board: OpenBoard | None = None
    """The board that typed text means if it names no other."""
    on_screen: bool = False
    """Whether the sender sees boards at once, on a page or in an app."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The direct reply to a request; boards come by delivery, not by replies.

    `private`: for the requester only. `update`: it replaces the private (or choosing) message whose button was pressed,
    where the platform can. `apart`: it stands by itself rather than with the message that it answers, in one's own
    chat if the platform cannot show it to one person alone. `secret`: others must not see it at all; where that
    cannot be ensured, it is not shown. `talk`: the typed text was no move, and nothing was done. `failed`: it failed,
    through no fault of the sender; the same event may be retried. `stale`: refused because the game has changed since
    the pressed button was shown. `opens` is the code of the game that the sender has
    started, offered or joined, for fronts that show one board at a time. `link` is the press that shows what stands
    `apart` where the requester's own chat is not open yet. A reply without a card needs no words.
    """

    card: Card | None = None
    private: bool = True
    update: bool = False
    apart: bool = False
    secret: bool = False
    talk: bool = False
    failed: Literal["", "unavailable", "failed"] = ""
    stale: bool = False
    opens: str | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class TimeGift:
    """A reader's way to give the player to move more time: a short label, what it says in full, and its press.

    Without a press there is no one to give it to now, such as in one's own turn.
    """

    label: str
    words: str
    press: str | None = None


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clocks of a game as they were measured for one reader, in milliseconds.

    `left` is the time left by seat. The clock of the seat `running` is set going, and runs after `waits`; time is low
    from `low` on. `absences` are the seats of a live game whose players have left the page or their app, each with an
    `Absence`. `gift` is for players who may ever give time in it. In `again` a player may do more, because the one who
    is away has been waited for by then; None where time changes nothing.
    """

    is_live: bool
    left: Mapping[int, int]
    running: int | None = None
    waits: int = 0
    low: int = 0
    absences: tuple[tuple[int, int], ...] = ()
    gift: TimeGift | None = None
    again: int | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as one reader sees it: its card with a picture drawn for them, and what a page shows beside that.

    `steps` are the paths of the pieces in the shown turn (from, to), `turns` is the number of turns so far, `turn` the
    shown one if that is not the newest. `question`: True if the card asks the reader for something. `dice` are the
    throws in the turn that has begun, in order. `tools` are the buttons that are always there, whatever the card asks.
    `clocks` are None without a clock, and beside an earlier turn.
    """

    card: Card
    steps: tuple[tuple[str, str], ...] = ()
    turns: int = 0
    turn: int | None = None
    question: bool = False
    dice: tuple[tuple[int, ...], ...] = ()
    clocks: ClockView | None = None
    tools: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """A turn in a list of moves: the seat that made it, None for chance; in short notation, and in `words`."""

    seat: int | None
    text: str
    words: str = ""


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
    """Interface of the program for adapters; implemented by `bot.platforms.app.Tavoliere`."""

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Run a command of the table. Every failure that a person can cause becomes a reply; none is raised."""
        ...

    async def press(self, request: Request, press: str) -> Reply:
        """Handle a press of a button or the choice of a menu option."""
        ...

    async def fill(self, request: Request, press: str, values: Mapping[str, str]) -> Reply:
        """Handle a form that was filled in: the press that it carries, and the values of its fields by name."""
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


UndeliverableReason = Literal["channel-gone", "message-gone", "forbidden", "picture-lost"]


class Undeliverable(Exception):
    """A message cannot be delivered: its channel or message is gone, or the bot may not write there (any more).

    Or a message has lost its picture, which only `Adapter.redraw` can show again.
    """

    def __init__(self, reason: UndeliverableReason) -> None:
        super().__init__(reason)
        self.reason = reason


MAX_WAIT_SECONDS: Final = 86_400.0


class TryLater(Exception):
    """A platform asks to wait, or does not answer; `seconds` if it says how long."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self.seconds = None if seconds is None else limit_wait(seconds)


def limit_wait(seconds: float) -> float:
    """Return the seconds to wait, within a day: no platform is known to ask for more."""
    return min(max(0.0, seconds), MAX_WAIT_SECONDS)


class RateLimited(TryLater):
    """A platform asks to wait because of its rate limit."""


class Adapter(ABC):
    """The methods of a platform; each raises only Undeliverable or TryLater.

    Those with a body, and the attributes, describe a platform that lacks something; an adapter overrides what its own
    platform has.
    """

    platform: str
    shows_small_pictures = False
    """Whether pictures are shown no higher than a few lines of text."""
    replies_are_public = False
    """Whether everybody in a group can read a private reply for a while."""
    draws_for_readers = False
    """Whether a game has one lasting message without a picture, and each reader gets it drawn."""
    has_threads = False
    sends_silently = False
    """Whether a message can be sent so that it makes no sound."""
    has_message_links = False
    limits_groups = False
    """Whether the platform lets so few messages into a group that boards of a live game come late there."""
    knows_members = False
    """Whether the platform says who is in a channel now."""

    @abstractmethod
    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message and return its id.

        The same key (reused after a crash before recording) must not create a second message if the platform can tell.
        """

    def opens_boards(self, place: Place) -> bool:
        """Return True if the boards in a place have a button that opens them inside the platform's own program."""
        return False

    async def answer(self, place: Place, card: Card, key: str) -> str:
        """Send what is said once and is no post: an answer that all may read, a secret, a report; return its id."""
        return await self.send(place, card, key)

    @abstractmethod
    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Replace a message's content by a card."""

    @abstractmethod
    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or delete the whole message."""

    @abstractmethod
    async def private_chat(self, user: str) -> Place:
        """Return the private chat with a user, to send to."""

    async def edit_low_priority(self, place: Place, message: str, card: Card) -> None:
        """Edit a message that no one waits for, after everything else that shares its chat's rate limit."""
        await self.edit(place, message, card)

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        """Show a picture in an old board that has lost its own, as `retire` has reported; its text stays."""
        raise Undeliverable("picture-lost")

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return the seconds until an old message in a place can be retired, 0 for now."""
        return 0.0

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id, None where there can be none.

        Called again for the same message, it returns the same thread.
        """
        return None

    async def find_sent(self, place: Place, press: str, since: datetime) -> str | None:
        """Return the id of our own message since a time with a button that carries a press.

        None if there is none, or if the history may not be read.
        """
        return None

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        """Return a person's membership in a group now, None for those who are no members (any more).

        A member is a person who can read the channel. Undeliverable where the platform does not tell the bot.
        """
        return None

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:  # noqa: B027 - platforms keep their own
        """Remove people, and the names they had, from messages that we store ourselves."""

    def address(self, place: Place, message: str) -> str | None:
        """Return the link to a message, None if messages have none."""
        return None

    def game_link(self, code: str) -> GameLink | None:
        """Return the link that leads newcomers to a game from outside, or without a code to the bot; None for none."""
        return None

    def is_edit_only(self, channel: str) -> bool:
        """Return whether a place is a single message that can only be edited, which notifies no one.

        What is sent there replaces the message, so only a game's board may be sent.
        """
        return False

    def browser_of(self, user: str) -> str | None:
        """Return the id prefix shared by all names in a user's browser; None where an identity is one person's."""
        return None
