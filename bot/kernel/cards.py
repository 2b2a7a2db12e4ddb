"""Cards: the content of a message, built once by a presenter and rendered by each adapter for its platform."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from bot.kernel.texts import Text, shorten

FieldKind = Literal["choice", "several", "yes-no", "number", "text", "people"]
ANSWER: Final = ""
"""The name of the value in an answer to a single field."""
VALUE_SEPARATOR: Final = ","
"""Separates the values of a field of the kind `several`."""
MAX_PAGE_FIELDS: Final = 5
"""Maximum number of fields on a page: those of a Discord modal."""
MAX_FORM_TEXT_LENGTH: Final = 400
"""Maximum number of characters typed into a field."""


@dataclass(frozen=True, slots=True)
class FormOption:
    """A value that can be chosen, and its label."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: its label, one sentence about it, its current value (also in words), and the `options`, if it has any.

    A number is between `least` and `most`; at most `most` people can be named. `error` says why the value is invalid.
    `leads`: True if other fields depend on this one. `section` is the title of the part of the form that it belongs to.
    """

    name: str
    kind: FieldKind
    label: str
    about: str
    value: str
    words: str
    options: tuple[FormOption, ...] = ()
    least: int | None = None
    most: int | None = None
    error: str = ""
    page: int = 0
    leads: bool = False
    section: str = ""

    @property
    def chosen(self) -> frozenset[str]:
        """The chosen values; a field of the kind `several` may have many."""
        return frozenset(self.value.split(VALUE_SEPARATOR) if self.kind == "several" else [self.value])


@dataclass(frozen=True, slots=True)
class FormView:
    """A form with its current values.

    `press` fills in the whole form and submits it. `pages` are the buttons that open a page's fields and carry the
    press that fills them in; `page` is the one to open first. `again` is the button that shows the form again after a
    choice on which other fields depend, None if there is no such field. `rows` are the buttons that remain where fields
    have their own controls.
    """

    title: str
    submit: str
    press: str
    fields: tuple[FormField, ...]
    pages: "tuple[Button, ...]"
    rows: "tuple[Row, ...]" = field(default=())
    page: int = 0
    again: "Button | None" = None


MAX_ALT_LENGTH: Final = 1024
MAX_OPTIONS = 25
MAX_PRESS_BYTES = 64

Style = Literal["plain", "primary", "danger"]


@dataclass(frozen=True, slots=True)
class Button:
    """A button; `press` is the payload that it sends back, at most 64 bytes.

    `people` are those it is for (everybody if empty), with `managers` also those who manage the place; `without` are
    those who do not need it. Where a message is the same for everybody, all see the button, and those who may not use
    it get a refusal.
    """

    label: str
    press: str
    style: Style = "plain"
    disabled: bool = False
    people: tuple[int, ...] = ()
    without: tuple[int, ...] = ()
    managers: bool = False

    def __post_init__(self) -> None:
        if len(self.press.encode()) > MAX_PRESS_BYTES:
            raise ValueError(f"a press of more than {MAX_PRESS_BYTES} bytes: {self.press}")


@dataclass(frozen=True, slots=True)
class Menu:
    """A choice of at most 25 options; a chosen option is sent back like the press of a button."""

    placeholder: str
    options: tuple[Button, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.options) <= MAX_OPTIONS:
            raise ValueError(f"a menu of {len(self.options)} options")


Buttons = tuple[Button, ...]
Row = Buttons | Menu
Rows = tuple[Row, ...]


def row_buttons(row: Row) -> Buttons:
    """Return the buttons of a row, or the options of its menu."""
    return row.options if isinstance(row, Menu) else row


def filter_buttons(rows: Iterable[Row], keep: Callable[[Button], bool]) -> Rows:
    """Return rows with only the buttons to keep; of their menus, those of which all options are kept."""
    found: list[Row] = []
    for row in rows:
        rest = tuple(filter(keep, row_buttons(row)))
        if isinstance(row, Menu):
            found += [row] if rest == row.options else []
        elif rest:
            found.append(rest)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Animation:
    """A looping GIF, a file name for it, and its size in pixels."""

    gif: bytes
    name: str
    size: tuple[int, int]


class PictureWords(Protocol):
    """The words for a picture, made on demand: not every platform shows them."""

    @property
    def alt(self) -> str:
        """The alt text."""
        ...

    @property
    def cells(self) -> Mapping[str, str] | None:
        """The content of the cells that are not empty; None if there are no words for it."""
        ...

    @property
    def captures(self) -> tuple[str, ...]:
        """The cells that are marked because choosing them captures."""
        ...


Spots = Mapping[str, tuple[int, int, int]]
"""Centre and radius in pixels of each board cell in a picture."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with its alt text, or with its `words`; `spots` are its board cells.

    A `prefix` comes before the alt text.

    An `animation` is shown in place of the PNG, with the same alt text. The PNG then is a still picture of the same
    content, for platforms without animations and people who want none. `dark` is the same picture in the dark theme, if
    each reader's screen decides.
    """

    png: bytes
    words: str | PictureWords
    name: str = "board.png"
    size: tuple[int, int] = (900, 900)
    spots: Spots = field(default_factory=dict)
    animation: Animation | None = None
    dark: bytes = b""
    prefix: str = ""

    @property
    def alt(self) -> str:
        """The alt text."""
        alt = self.words if isinstance(self.words, str) else self.words.alt
        return shorten(f"{self.prefix} {alt}", MAX_ALT_LENGTH) if self.prefix else alt

    @property
    def cells(self) -> Mapping[str, str] | None:
        """The content of the cells that are not empty; None if there are no words for it."""
        return None if isinstance(self.words, str) else self.words.cells

    @property
    def captures(self) -> tuple[str, ...]:
        """The cells that are marked because choosing them captures."""
        return () if isinstance(self.words, str) else self.words.captures


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to download."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One turn in a tree of lines, shown next to a board: its depth, and the press that leads to it.

    `here`: True at the reader's current node. `plan`: True if the turn will be played automatically.
    """

    label: str
    press: str
    depth: int
    here: bool = False
    note: str = ""
    plan: bool = False


@dataclass(frozen=True, slots=True)
class SeatHeadline:
    """A player of a game, in the order of the seats once they are assigned: a person, or a computer by its level.

    `number` distinguishes several computers; `name` is the name of a person, or of the one for whom a seat is reserved.
    """

    name: str
    person: int | None = None
    level: str | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """A summary of a game: its key, status and players, for views that omit most of the game.

    `position` is the revision at which the position last changed, `mover` the index of the player to move in `sitting`,
    `firsts` the indexes of the winners of a finished game. `heads` are, for browsers, the hashes that the next links of
    people's chains have to open, empty if they have none there; `awaited` are the people whose link the start waits
    for. `again` is the code of the rematch of a finished game. `unusual`: True if its options differ from the defaults,
    so that a sample picture would show another board. `live`: True for a live game, best played where boards are shown
    at once. `votes` changes whenever the shown votes on a team's turn change.
    """

    code: str
    game: str
    status: str
    revision: int
    position: int
    sitting: tuple[SeatHeadline, ...]
    mover: int | None = None
    firsts: tuple[int, ...] = ()
    heads: Mapping[int, str] = field(default_factory=dict)
    awaited: tuple[int, ...] = ()
    again: str | None = None
    votes: str = ""
    unusual: bool = False
    live: bool = False


@dataclass(frozen=True, slots=True)
class LotCall:
    """The lot of a competition, which waits for links from browsers: by person, the hash that a link has to open."""

    code: str
    revision: int
    heads: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class PanelItem:
    """A tile with a label and a note: a person with a face, a game with a small board, or a figure. `press` opens it.

    `code` is the code of the game, drawn at a `revision`; `game` is its kind, shown by a sample without a code. `lead`
    is written before the label: a place, or a figure.
    """

    label: str
    note: str = ""
    lead: str = ""
    press: str = ""
    person: int | None = None
    code: str = ""
    game: str = ""
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """Tiles below a title."""

    title: str
    tiles: tuple[PanelItem, ...]


@dataclass(frozen=True, slots=True)
class PageContent:
    """Additional content of a card on the page, which has more room: a shorter text, first buttons, and panels.

    `tabs` are rows of other views of the same subject; the current tab has no press.
    """

    text: Text
    panels: tuple[Panel, ...] = ()
    actions: Buttons = ()
    tabs: tuple[Buttons, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """A message: a text, and optionally a picture, rows of buttons and menus, and a file.

    `mention` is the id of the person whom it asks for something, or None; `also` are the others asked by a challenge of
    several people. `calls` are the people whom it notifies, which only `bot/table/` decides; with `named` it also
    mentions the @names for which seats are reserved. `user_ids` are the platform's ids of the mentioned people, as far
    as they were read. `presses` maps cells of the picture to the presses of clicks on them. `cells` are, for platforms
    with a clickable board, all cells that the answers to its question and the following ones can name; `pieces` are
    those that choose a piece first; `ways` are the labels of the differences between actions with the same cells.
    `about` is the message of the same place that it replies to, where the platform supports that. `tree` is shown next
    to the board if there is room. `headline` is the summary of the game whose board or lobby the card is. `search` is
    the name of the background search whose result its only button shows. `form` is the form of its buttons, for
    platforms with controls for forms. `page` is the content that the page shows in place of the text.
    """

    text: Text
    picture: Picture | None = None
    rows: Rows = ()
    mention: int | None = None
    presses: Mapping[str, str] = field(default_factory=dict)
    also: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()
    user_ids: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)
    named: bool = False
    file: Attachment | None = None
    cells: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    ways: Mapping[str, str] = field(default_factory=dict)
    about: str | None = None
    headline: Headline | None = None
    tree: tuple[TreeLine, ...] = ()
    lot: LotCall | None = None
    search: str | None = None
    form: FormView | None = None
    page: PageContent | None = None
