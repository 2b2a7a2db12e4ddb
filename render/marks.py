"""The marks of a picture for a player who is choosing, or who asks what to do."""

from dataclasses import dataclass


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
    `numbers` are drawn on pieces to choose from: (cell, number). `beforehand` means that nobody is choosing yet; the
    possible choices are only shown, more quietly than the last turn.
    """

    movable: tuple[str, ...] = ()
    chosen: str | None = None
    targets: tuple[Target, ...] = ()
    kind: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    beforehand: bool = False


@dataclass(frozen=True, slots=True)
class HintStep:
    """A step of a suggested turn: a piece reaches `target`, from `source` if it was on the board before.

    `label` is its number if the turn has several; `capture` means that it captures, on the target or elsewhere.
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
