"""Scene: everything that a picture is made from, in the form that the games' pictures need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from engine.core import Actions, Json, State
from engine.turn import Turn, Turns
from render import text
from render.canvas import Box, Canvas, Spots
from render.sketch import Sketch
from render.theme import MAX_COLOURS, RGB, THEMES, Theme


@dataclass(frozen=True, slots=True)
class Target:
    """A cell that can be chosen next; `label` (a number) is drawn on it, `capture` means that choosing it captures."""

    cell: str
    capture: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """The pieces that can act, the chosen one, and its targets.

    `kind` is the verb being chosen once that is settled ("" if not): it distinguishes a marble from a pawn above it.
    `numbers` are drawn on pieces to choose from: (cell, number). `beforehand` means that no one is choosing yet; the
    possible choices are only shown, more quietly than the last turn.
    """

    movable: tuple[str, ...] = ()
    chosen: str | None = None
    targets: tuple[Target, ...] = ()
    kind: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    beforehand: bool = False


NO_CHOICES: Final = Choices(beforehand=True)


@dataclass(frozen=True, slots=True)
class HintStep:
    """A step of a suggested turn: a piece reaches `target`, from `source` if it was on the board before.

    `label` is its number if the turn has several; `capture` means that it captures, on the target or another cell.
    """

    target: str
    source: str | None = None
    capture: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggested turn; `kind` is its first verb (it distinguishes a marble from a pawn above it)."""

    steps: tuple[HintStep, ...]
    kind: str = ""


def find_box(spots: Spots) -> Box:
    """Return the box around some spots."""
    lefts, tops, rights, bottoms = zip(*((x - r, y - r, x + r, y + r) for x, y, r in spots.values()), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


NotationWords = tuple[tuple[str, str], ...]
"""Words of the notation, each with the word that the reader's language has for it: `stay`, `resta`."""


@dataclass(frozen=True, eq=False)
class TurnSeen:
    """A turn with the JSON of the positions before and after it."""

    turn: Turn
    before: Json
    after: Json


@dataclass(frozen=True, eq=False)
class Scene:
    """A position with what came last and what is being chosen.

    `viewer` is the seat at the bottom (0 if no one in particular), `names` has one entry per seat, clean and
    perhaps empty. `choices` are NO_CHOICES when nothing can be chosen. `goals_of` is the seat whose goals stand out
    where each seat has its own. `earlier` are turns before the last one that are marked, too, oldest first, each
    followed by the next one. `reach` are cells that others reach. `words` are those of the notation in the reader's
    language. `bare`: True if nothing of the players' places points at the board, which is cut out.
    """

    state: State
    last_turn: Turn | None
    viewer: int
    choices: Choices
    names: text.Names
    theme: Theme
    goals_of: int = 0
    earlier: Turns = ()
    words: NotationWords = ()
    bare: bool = False
    reach: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        state: State,
        last_turn: Turn | None = None,
        viewer: int | None = None,
        choices: Choices | None = None,
        names: Sequence[str] = (),
        theme: str = "light",
        *,
        goals_of: int | None = None,
        earlier: Sequence[Turn] = (),
        words: NotationWords = (),
        reach: Iterable[str] = (),
    ) -> Scene:
        """Return the scene of the arguments of `render.draw`."""
        given = text.clean_names(tuple(names)[: state.seats])
        filled = given + ("",) * (state.seats - len(given))
        seat = viewer if viewer is not None and 0 <= viewer < state.seats else 0
        goals = goals_of if goals_of is not None and 0 <= goals_of < state.seats else seat
        marked = tuple(earlier), words, False, frozenset(reach)
        return cls(state, last_turn, seat, choices or NO_CHOICES, filled, THEMES[theme], goals, *marked)

    @cached_property
    def position(self) -> Json:
        """The position's JSON."""
        return self.state.to_json()

    @cached_property
    def steps(self) -> tuple[TurnSeen, ...]:
        """The earlier turns and the last one, with the positions before and after each."""
        turns = (*self.earlier, *((self.last_turn,) if self.last_turn else ()))
        positions = [*(turn.json_before for turn in turns), self.position]
        return tuple(map(TurnSeen, turns, positions, positions[1:]))

    @property
    def last(self) -> TurnSeen | None:
        """The last turn, with the positions before and after it."""
        return self.steps[-1] if self.last_turn else None

    def translate_notation(self, notation: str) -> str:
        """Return the notation of a turn with the reader's words in it: `resta/8` for `stay/8`."""
        words = dict(self.words)
        parts = (part.partition("/") for part in notation.split(" "))
        return " ".join(f"{words.get(word, word)}{slash}{amount}" for word, slash, amount in parts)

    @property
    def past(self) -> list[tuple[TurnSeen, str]]:
        """The earlier turns, oldest first, each with its number if there are several."""
        seen = self.steps[: len(self.earlier)]
        return [(step, str(number) if len(seen) > 1 else "") for number, step in enumerate(seen, 1)]

    @property
    def actions(self) -> Actions:
        """The actions of the last turn."""
        return self.last_turn.actions if self.last_turn else ()

    @property
    def number(self) -> int:
        """The number of the last turn, 0 at the start."""
        return self.last_turn.number if self.last_turn else self.state.turn

    @property
    def targets(self) -> tuple[Target, ...]:
        """What can be chosen next."""
        return self.choices.targets

    @property
    def aims(self) -> tuple[Target, ...]:
        """The targets while a person is choosing, none before."""
        return self.targets if self.choosing else ()

    @property
    def choosing(self) -> bool:
        """True if a person is choosing, so that the last turn is drawn pale."""
        return not self.choices.beforehand

    @property
    def beforehand(self) -> bool:
        """True if the possible choices, should there be any, are only shown, before a person is choosing."""
        return self.choices.beforehand

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that share first place, none before the end and in a draw of all who played on."""
        outcome = self.state.outcome
        first = tuple(seat for seat, place in enumerate(outcome.places) if place == 1) if outcome else ()
        return () if self.drawn else first

    @property
    def drawn(self) -> bool:
        """True if the game ended with the same place for all who were still playing, several of them."""
        outcome, dropped = self.state.outcome, self.state.dropped
        still = [place for seat, place in enumerate(outcome.places) if seat not in dropped] if outcome else []
        return len(still) > 1 and set(still) == {1}


Painted = tuple[Canvas, Spots]
Paint = Callable[[Scene], Painted]
PutNames = Callable[[Canvas, Scene, Sequence[tuple[str, str]]], None]
DrawOwnPiece = Callable[[Sketch, str, float, RGB], None]
DrawEmblem = Callable[[Sketch, Theme, RGB], None]


@dataclass(frozen=True)
class GamePicture:
    """How one game is drawn: its own colours in a theme, and the painting of a scene.

    `most_colours` is how many its palettes have at most: boards of flat inks on straight edges need few tones, and
    each one fewer makes their PNG smaller. `paint_wide` paints a second shape for places that show pictures
    low: as wide as high or wider, the players at the right, in large letters. `sets` tells for each seat which of the
    theme's sets its pieces in a position are of: one, several, or none while it has no piece (previews and charts show
    them beside the names). A piece that is of none of them has a kind of its own there, which `draw_own_piece` draws
    around (0, 0) with a radius on a ground. `put_names` writes the names of cells again that a hint's arrows (from cell
    to cell) strike out, on boards that have names in their cells. `draw_emblem` draws the emblem that stands beside the
    title, 48 high, around (0, 0) on a ground; `scores` are the figures by which seats compare in a position (previews
    show both).
    """

    key: str
    colours: Callable[[Theme], Iterable[RGB]]
    paint: Paint
    most_colours: int = MAX_COLOURS
    paint_wide: Paint | None = None
    sets: Callable[[State], Sequence[str | Sequence[str]]] = lambda state: ((),) * state.seats
    put_names: PutNames | None = None
    draw_own_piece: DrawOwnPiece | None = None
    draw_emblem: DrawEmblem | None = None
    scores: Callable[[State], Sequence[str]] = lambda state: ("",) * state.seats


def count_pieces(state: State) -> Sequence[str]:
    """Return how many pieces each seat has, on the board and in its reserve: the figure of games that say both."""
    position = state.to_json()
    return [str(len(pieces) + reserve) for pieces, reserve in zip(position["pieces"], position["reserve"], strict=True)]
