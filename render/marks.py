"""What a picture marks for somebody who is choosing, or asks what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A cell that can be chosen next; `label` (a number) is drawn on it, `capture` marks it apart from moves."""

    cell: str
    capture: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """The pieces that can act, the one chosen, and where it can go.

    `kind` is the verb being chosen where that is settled ("" if not): it tells a marble from a pawn above it.
    `numbers` are drawn on pieces to choose from: (cell, number). `beforehand`: nobody is choosing yet; what can be
    chosen is only shown, more quietly than the last turn.
    """

    movable: tuple[str, ...] = ()
    chosen: str | None = None
    targets: tuple[Target, ...] = ()
    kind: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    beforehand: bool = False


@dataclass(frozen=True, slots=True)
class HintStep:
    """A part of a suggested turn: something comes to `target`, from `source` where it stood on the board before.

    `label` is its number where the turn has several; with `capture` what stands on the target is captured.
    """

    target: str
    source: str | None = None
    capture: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggested turn; `kind` is the verb it begins with (it tells a marble from a pawn above it)."""

    steps: tuple[HintStep, ...]
    kind: str = ""
