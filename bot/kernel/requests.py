"""Requests from adapters, replies to them, and the interface of adapters."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from bot.kernel.cards import Buttons, Card, Picture
from storage import NewInteractionPass


@dataclass(frozen=True, slots=True)
class Place:
    """A channel of a platform, perhaps a thread (forum topic) in it.

    `group` is the server or group that the channel belongs to, for its settings and leaderboards. `language` is the
    language of messages to everybody there, for adapters; in a request, the initial language of a new place. `threads`:
    True if games can be played in threads there. `known`: True if everybody who can be mentioned there has been seen
    there.
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
    """True if messages come without a sound there: the managers of the place have switched it off."""


@dataclass(frozen=True, slots=True)
class User:
    """A user as the platform knows them; `language` is the platform's code of their language, if known.

    `handle` is the @name by which others may mention them, if it differs from `name`; `roles` are their roles in this
    place, in lower case. `manager`: True if they manage the place, None if the event does not say; then the platform is
    asked when needed. `anonymous`: True for an unidentified manager who acts in the name of the place.
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


IdKind = Literal["drawn", "counted", "chosen"]
"""Kinds of event ids: unpredictable, counted up, or chosen by the sender."""


DmAccess = Literal["unknown", "likely", "certain"]
"""Whether the sender can receive private messages, as far as an event shows; otherwise `unknown`.

It is `certain` if the sender wrote to us in private: that overrides an earlier refused message.
"""


@dataclass(frozen=True, slots=True)
class ClientEntropy:
    """Entropy that a browser contributes with an action of its user; each value is 64 hexadecimal digits.

    `chain` is the top hash of a chain that the browser could use from now on; `link` opens its chain in a `game`. A
    game without a link means that the browser has lost its chain there.
    """

    chain: str | None = None
    game: str | None = None
    link: str | None = None


BoardPost = Literal["game", "lesson", "puzzle", "try"]


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """The board that the sender has open: a game's board, or a private board.

    `code` is the code of the game (for a try, of the game it belongs to), or the equivalent in the buttons of a private
    board. It is an unverified claim of the browser: the board and its owner must be looked up.
    """

    kind: BoardPost
    code: str


@dataclass(frozen=True, slots=True)
class Request:
    """One incoming event; `event` is the platform's id of it, which stays the same if it is delivered again.

    `nonmember`: True if the bot is no member there. If the place is marked as `guest`, boards are shown with the tokens
    of presses; otherwise there is only the direct reply to that person. `undrawn`: True if a follow-up question below
    the pressed board only changes its buttons, and the board's picture stays. `brings` is a token, stored first.
    """

    event: str
    user: User
    place: Place
    message: str | None = None
    """The message of the button, or the message that was replied to."""
    nonmember: bool = False
    undrawn: bool = False
    theme: str | None = None
    """The theme of the screen, for people who have chosen none."""
    side: int | None = None
    """The seat from whose side the sender sees a board drawn for them, None for their own."""
    ids: IdKind = "drawn"
    pledge: ClientEntropy | None = None
    brings: NewInteractionPass | None = None
    can_dm: DmAccess = "unknown"
    board: OpenBoard | None = None
    """The board that typed text refers to if it names no other."""
    on_screen: bool = False
    """Whether the sender sees boards at once, on a page or in an app."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The direct reply to a request; boards are sent by the outbox, not by replies.

    `private`: True if it is for the requester only. `update`: True if it replaces the private (or choosing) message
    whose button was pressed, where the platform can do that. `apart`: True if it is a separate message rather than a
    reply to the pressed one, in the requester's own chat if the platform cannot show it to one person only. `secret`:
    True if others must not see it at all; if that cannot be ensured, it is not shown. `talk`: True if the typed text
    was no move and was ignored. `failed`: True if the request failed through no fault of the sender; the same event may
    be retried. `stale`: True if it was refused because the game has changed since the pressed button was shown. `opens`
    is the code of the game that the sender has started, offered or joined, for fronts that show one board at a time.
    `link` is the press that shows an `apart` reply if the requester's own chat is not open yet. A reply without a card
    shows nothing.
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
    """A reader's button for giving the player to move more time: a short label, the full text, and its press.

    Without a press, no time can be given now, such as in one's own turn.
    """

    label: str
    words: str
    press: str | None = None


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clocks of a game as they were measured for one reader, in milliseconds.

    `left` is the time left by seat. `running` is the seat whose clock runs, after a delay of `waits`; time is low below
    `low`. `absences` are the seats of a live game whose players have left the page or their app, each with an
    `Absence`. `gift` is the time gift for players who may give time in this game. After `again`, a player may do more,
    because the absent player has been waited for long enough; None if no such change is due.
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
    """A game as one reader sees it: its card with a picture drawn for them, and the page's additional content.

    `steps` are the paths of the pieces in the shown turn (from, to), `turns` is the number of turns so far, `turn` the
    number of the shown turn if it is not the newest. `question`: True if the card asks the reader for something. `dice`
    are the throws of the turn in progress, in order. `tools` are the buttons that are shown with any question. `clocks`
    is None in a game without a clock, and with an earlier turn.
    """

    card: Card
    steps: tuple[tuple[str, str], ...] = ()
    turns: int = 0
    turn: int | None = None
    question: bool = False
    dice: tuple[tuple[int, ...], ...] = ()
    clocks: ClockView | None = None
    tools: Buttons = ()


@dataclass(frozen=True, slots=True)
class ListedTurn:
    """A turn in a list of moves: its seat (None for chance), its short notation, and its `words`."""

    seat: int | None
    text: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion while a user types a command: its label and the value that it fills in."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class GameLink:
    """A link to a game; if `typed`, it only installs the app, and the code has to be typed."""

    address: str
    typed: bool = False


UndeliverableReason = Literal["channel-gone", "message-gone", "forbidden", "picture-lost"]


class Undeliverable(Exception):
    """A message cannot be delivered: its channel or message is gone, or the bot may not write there (any more).

    Also raised for a message that has lost its picture, which only `Adapter.redraw` can restore.
    """

    def __init__(self, reason: UndeliverableReason) -> None:
        super().__init__(reason)
        self.reason = reason


MAX_WAIT_SECONDS: Final = 86_400.0
CONNECT_WAIT_SECONDS: Final = 5.0
"""Seconds to wait while there is no connection yet."""
BAD_REQUEST_BACKOFF_SECONDS: Final = 300.0
"""Seconds to wait after a response that calls the request itself invalid."""


class TryLater(Exception):
    """A platform asks us to wait, or does not answer; `seconds` is the time to wait, if known."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self.seconds = None if seconds is None else limit_wait(seconds)


def limit_wait(seconds: float) -> float:
    """Return the seconds to wait, at most a day: no platform is known to ask for more."""
    return min(max(0.0, seconds), MAX_WAIT_SECONDS)


class RateLimited(TryLater):
    """A platform asks us to wait because of its rate limit."""


class Adapter(ABC):
    """The methods of a platform; each raises only Undeliverable or TryLater.

    Default attributes and implementations describe a platform without the feature; an adapter overrides them if its
    platform has it.
    """

    platform: str
    shows_small_pictures = False
    """True if pictures are shown no higher than a few lines of text."""
    replies_are_public = False
    """True if everybody in a group can read a private reply for a while."""
    draws_for_readers = False
    """True if a game has one lasting message without a picture, and is drawn separately for each reader."""
    has_threads = False
    sends_silently = False
    """True if a message can be sent without a sound."""
    has_message_links = False
    limits_groups = False
    """True if the platform's rate limit in groups delays the boards of live games."""
    knows_members = False
    """True if the platform can say who is in a channel now."""

    @abstractmethod
    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message and return its id.

        The same key (reused after a crash before recording) must not create a second message, if the platform can
        detect it.
        """

    def opens_boards(self, place: Place) -> bool:
        """Return True if the boards in a place have a button that opens them inside the platform's client."""
        return False

    async def answer(self, place: Place, card: Card, key: str) -> str:
        """Send a message that is no post, such as a public answer, a secret or a report; return its id."""
        return await self.send(place, card, key)

    @abstractmethod
    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        """Replace a message's content by a card.

        An edit that is not `urgent` comes after everything else that shares its chat's rate limit.
        """

    @abstractmethod
    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Remove the buttons of an old board, or delete the whole message."""

    @abstractmethod
    async def private_chat(self, user: str) -> Place:
        """Return the private chat with a user, as a place to send to."""

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        """Show a picture in an old board that has lost its own, as reported by `retire`; its text stays."""
        raise Undeliverable("picture-lost")

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return the seconds until an old message in a place can be retired, 0 for now."""
        return 0.0

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id, None if the place cannot have threads.

        Called again for the same message, it returns the same thread.
        """
        return None

    async def find_sent(self, place: Place, presses: Collection[str], since: datetime) -> str | None:
        """Return the id of our own message since a time of which the buttons and menus have all these presses.

        None if there is no such message, or if the history may not be read.
        """
        return None

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        """Return a user's membership in a group now, None if they are no member (any more).

        A member is a user who can read the channel. Raises Undeliverable if the platform refuses the information.
        """
        return None

    async def forget(self, people: Collection[int], names: Collection[str]) -> None:  # noqa: B027 - platforms keep their own
        """Remove people, and their former names, from messages that we store ourselves."""

    def address(self, place: Place, message: str) -> str | None:
        """Return the link to a message, None if messages have none."""
        return None

    def game_link(self, code: str) -> GameLink | None:
        """Return the link that leads newcomers to a game, or without a code to the bot; None if there is none."""
        return None

    def is_edit_only(self, channel: str) -> bool:
        """Return True if a place is a single message that can only be edited, which notifies no one.

        A message sent there replaces it, so only a game's board may be sent.
        """
        return False

    def browser_of(self, user: str) -> str | None:
        """Return the id prefix shared by all identities in a user's browser; None on a platform without browsers."""
        return None
