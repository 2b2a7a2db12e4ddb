"""What a picture marks for somebody who is choosing."""

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
    """The pieces that can act, the one chosen, and where it can go."""

    movable: tuple[str, ...] = ()
    chosen: str | None = None
    targets: tuple[Target, ...] = ()
