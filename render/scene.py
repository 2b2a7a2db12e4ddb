"""Scene: everything that one picture is made from, in the form that the games' pictures want."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.core import Action, State
from engine.turn import Turn
from render import text
from render.canvas import Canvas
from render.marks import Choices
from render.palette import MOST_COLOURS
from render.theme import RGB, THEMES, Theme

Spots = dict[str, tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class Scene:
    """A position with what came last and what is being chosen.

    `viewer` is the seat at the bottom (0 if nobody in particular), `names` has one entry per seat, clean and
    perhaps empty. `choices` is None when nobody is choosing.
    """

    state: State
    last_turn: Turn | None
    viewer: int
    choices: Choices | None
    names: tuple[str, ...]
    theme: Theme

    @classmethod
    def of(
        cls,
        state: State,
        last_turn: Turn | None,
        viewer: int | None,
        choices: Choices | None,
        names: Sequence[str],
        theme: str,
    ) -> Scene:
        """Return the scene for the arguments of `render.draw`."""
        given = [text.clean(name) for name in names][: state.seats]
        filled = tuple(given + [""] * (state.seats - len(given)))
        seat = viewer if viewer is not None and 0 <= viewer < state.seats else 0
        return cls(state, last_turn, seat, choices, filled, THEMES[theme])

    @cached_property
    def position(self) -> dict[str, Any]:
        """The position's JSON."""
        return self.state.to_json()

    @cached_property
    def before(self) -> dict[str, Any] | None:
        """The JSON of the position before the last turn."""
        return self.last_turn.before.to_json() if self.last_turn else None

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the last turn."""
        return self.last_turn.actions if self.last_turn else ()

    @property
    def number(self) -> int:
        """The number of the last turn, 0 at the start."""
        return self.last_turn.number if self.last_turn else self.state.turn

    @property
    def choosing(self) -> bool:
        """Whether somebody is choosing, so that the last turn goes pale."""
        return self.choices is not None

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that share first place, none before the end."""
        outcome = self.state.outcome
        return tuple(seat for seat, place in enumerate(outcome.places) if place == 1) if outcome else ()


@dataclass(frozen=True)
class Contrast:
    """Something that has to stand out from its ground: text (4.5:1) or a piece or mark (3:1).

    One of the inks has to do it: a piece may do so by its face or by its contour.
    """

    what: str
    inks: tuple[RGB, ...]
    ground: RGB
    text: bool = False


@dataclass(frozen=True)
class GamePicture:
    """How one game is drawn: its own colours in a theme, the painting of a scene, what has to stand out from what.

    `most_colours` is how many its palettes have at most: boards of flat inks on straight edges need few tones, and
    each one fewer makes their PNG smaller.
    """

    key: str
    colours: Callable[[Theme], Iterable[RGB]]
    paint: Callable[[Scene], tuple[Canvas, Mapping[str, tuple[int, int, int]]]]
    contrasts: Callable[[Theme], Iterable[Contrast]] = lambda _theme: ()
    most_colours: int = MOST_COLOURS
