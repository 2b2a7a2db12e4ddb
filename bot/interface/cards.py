"""Card: what is shown, built once by a presenter and drawn by every adapter in its platform's way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.language.texts import Text

MAX_OPTIONS = 25
MAX_PRESS_BYTES = 64

Style = Literal["plain", "primary", "danger"]


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press; `press` is what comes back, at most 64 bytes.

    `people` are those it is for (everybody if empty), `without` those who do not need it: where everybody is shown
    everybody sees the button, and those who may not use it get a refusal.
    """

    label: str
    press: str
    style: Style = "plain"
    disabled: bool = False
    people: tuple[int, ...] = ()
    without: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.press.encode()) > MAX_PRESS_BYTES:
            raise ValueError(f"a press of more than {MAX_PRESS_BYTES} bytes: {self.press}")


@dataclass(frozen=True, slots=True)
class Menu:
    """One choice out of at most 25; a chosen option comes back like the press of a button."""

    placeholder: str
    options: tuple[Button, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.options) <= MAX_OPTIONS:
            raise ValueError(f"a menu of {len(self.options)} options")


Row = tuple[Button, ...] | Menu


@dataclass(frozen=True, slots=True)
class Animation:
    """A GIF that runs for ever, its size in pixels, and a file name for it."""

    gif: bytes
    name: str
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with its description; `spots` gives for each cell of the board its centre and radius in pixels.

    `cells` says what stands on those that are not empty; it is None where there are no words for that.

    Where there is an `animation`, it is shown in place of the PNG, with the same description; the PNG tells the same
    at rest, for platforms that show no animations and people who want none.
    """

    png: bytes
    alt: str
    name: str = "board.png"
    size: tuple[int, int] = (900, 900)
    spots: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    animation: Animation | None = None
    cells: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to take away."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One turn in a tree of lines that stands beside a board: how far in it stands, and what leads there.

    `here` is where its reader is; `plan` says that it is to be played by itself.
    """

    label: str
    press: str
    depth: int
    here: bool = False
    note: str = ""
    plan: bool = False


@dataclass(frozen=True, slots=True)
class SeatHeadline:
    """Somebody at a game, in the order of the seats once they are given out: a person, or a computer by its level.

    `number` tells one computer of several apart; `name` is that of a person, or of whom a seat is kept for.
    """

    name: str
    person: int | None = None
    level: str | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """A game in one line: which it is, how it stands and who sits there, for places where most of it is left out.

    `position` is the revision at which the position last changed, `mover` the index of the player to move among
    `sitting`, `firsts` of those who came first in a game that is over. `heads` is for browsers what the next link of a
    person's chain has to open, empty where they have none there; `awaited` are those whose link the start waits for.
    `again` is the code of the game in which a finished one is played again.
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


@dataclass(frozen=True, slots=True)
class LotCall:
    """The lot of a competition, which waits for what browsers committed to: by person, what the next link opens."""

    code: str
    revision: int
    heads: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Card:
    """A message: text, perhaps a picture, perhaps rows of buttons and menus, perhaps a file.

    `mention` is the id of the one person whom it asks for something, or None; `also` are the further ones whom a
    challenge of several people asks. `calls` are those who are called by it, which `bot/notices/` alone decides; where
    it is `named`, those are, too, for whose @names seats are kept. `presses` maps cells of the picture to what a click
    on them means. `cells` are all that the answers to its question and to those that follow it can name, for platforms
    that show a whole board to press. `about` is the message of the same place that it speaks of, where platforms can
    show it as an answer to that. `tree` stands beside the board where there is room. `headline` is
    that of the game whose board (or lobby) the card is. `search` is the name of the search in the background whose
    result its only button brings.
    """

    text: Text
    picture: Picture | None = None
    rows: tuple[Row, ...] = ()
    mention: int | None = None
    presses: Mapping[str, str] = field(default_factory=dict)
    also: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()
    named: bool = False
    file: Attachment | None = None
    cells: tuple[str, ...] = ()
    about: str | None = None
    headline: Headline | None = None
    tree: tuple[TreeLine, ...] = ()
    lot: LotCall | None = None
    search: str | None = None
