"""The tree of questions that turns legal actions into small menus.

The questions are: the kind of action (if there are several), the piece, the target, and then whatever else
distinguishes actions. A level with more than 25 entries asks for the column first, but lists captures directly. A path
is the keys of the answers so far. A level with a single answer that is not yet an action is skipped. Every path of
answers ends at exactly one action.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, Literal

from bot.kernel.cards import MAX_OPTIONS
from engine import CHANCE, Action, State
from engine.core import Actions
from render.scene import Choices, Target

Sort = Literal["kind", "column", "piece", "target", "action"]

CellSort = Literal["piece", "target"]
_CELL_OF: Final[Mapping[CellSort, Callable[[Action], str]]] = {
    "piece": lambda action: action.source or "",
    "target": lambda action: action.target or "",
}
"""The cell of an action that an answer of this sort chooses."""

_CELL_PATTERN = re.compile(r"([a-z]+)(\d+)")


class NoSuchChoice(LookupError):
    """A path that does not exist in this position."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer: its key within the question and the actions that remain after it.

    `sort` says what is chosen; `cell` is the cell of a piece or target, the letter of a column; `number` is the label
    of a piece or target in the picture, 0 if it has none. `leaf` is the action that it plays; `capture` is True if
    choosing this target captures, on this cell or another.
    """

    key: str
    sort: Sort
    actions: Actions
    cell: str | None = None
    number: int = 0
    leaf: Action | None = None
    capture: bool = False


@dataclass(frozen=True)
class Question:
    """A question at one node of the tree.

    `kind` is the kind of action if it is chosen, `piece` the cell of the chosen piece if there is one, `pieces` the
    cells of all pieces that can still act, `state` the position of the question.
    """

    state: State
    path: tuple[str, ...]
    entries: tuple[Entry, ...]
    kind: str | None
    piece: str | None
    pieces: tuple[str, ...]

    @property
    def answer_kind(self) -> Sort:
        """The kind of most answers; it decides the words of the question."""
        sorts = [entry.sort for entry in self.entries]
        return next((sort for sort in ("kind", "column", "piece", "target") if sort in sorts), "action")

    @property
    def actions(self) -> list[Action]:
        """The actions that can still be chosen."""
        return [action for entry in self.entries for action in entry.actions]

    @property
    def picture_choices(self) -> Choices:
        """Marks for the picture, with the entries' numbers."""
        numbers = {entry.cell: str(entry.number) for entry in self.entries if entry.number and entry.sort == "target"}
        pieces = tuple(
            (entry.cell, str(entry.number))
            for entry in self.entries
            if entry.number and entry.sort == "piece" and entry.cell is not None
        )
        captures: dict[str, bool] = {}
        if self.kind is not None and (self.piece is not None or not self.pieces):
            capturing = self.state.find_captures(self.actions)
            for action in self.actions:
                if action.target is not None:
                    captures[action.target] = captures.get(action.target, False) or action in capturing
        targets = tuple(
            Target(cell, captures[cell], numbers.get(cell, "")) for cell in sorted(captures, key=cell_sort_key)
        )
        return Choices(self.pieces, self.piece, targets, self.kind or "", pieces)

    def marks(self, *, pressed: bool) -> Choices:
        """Return the marks for the picture; one that is `pressed` itself needs no numbers."""
        choices = self.picture_choices
        targets = tuple(replace(target, label="") for target in choices.targets)
        return replace(choices, numbers=(), targets=targets) if pressed else choices

    @cached_property
    def _following(self) -> dict[str, Question]:
        """Cache of the next questions, by the keys of the answers."""
        return {}

    def after(self, entry: Entry) -> Question:
        """Return the question after one of the answers that is not an action yet."""
        if entry.key not in self._following:
            self._following[entry.key] = _ask_next(self, entry)
        return self._following[entry.key]

    def first_entries(self) -> Iterator[tuple[tuple[str, ...], Entry]]:
        """Yield the pieces and targets that can be chosen first, also after a kind or column, each with its path."""
        for entry in self.entries:
            if entry.sort in ("piece", "target"):
                yield (*self.path, entry.key), entry
            elif entry.sort in ("column", "kind"):
                yield from self.after(entry).first_entries()

    @cached_property
    def selectable_cells(self) -> Choices:
        """Marks for the picture before a choice: the cells that can be pressed, without numbers."""
        pieces: dict[str, None] = {}
        targets: dict[str, bool] = {}
        for _, entry in self.first_entries():
            if entry.cell is not None and entry.sort == "piece":
                pieces[entry.cell] = None
            elif entry.cell is not None:
                targets[entry.cell] = targets.get(entry.cell, False) or entry.capture
        marked = tuple(Target(cell, targets[cell]) for cell in sorted(targets, key=cell_sort_key))
        return Choices(tuple(sorted(pieces, key=cell_sort_key)), None, marked, self.kind or "", beforehand=True)

    @cached_property
    def unambiguous_pieces(self) -> tuple[str, ...]:
        """The pieces whose cells are unambiguous: they have one kind of action, and their cell is no target."""
        actions, kind_of = self.actions, self.state.game.facts.kind_of
        targets = {action.target for action in actions}
        kinds = Counter(cell for cell, _ in {(action.source, kind_of(action)) for action in actions})
        return tuple(cell for cell in self.selectable_cells.movable if cell not in targets and kinds[cell] == 1)

    @cached_property
    def shared_marks(self) -> Choices:
        """Marks for a picture that stays while its player chooses: cells to press first, then where pieces arrive."""
        first = self.selectable_cells
        arriving = self.state.find_arrivals(self.actions)
        cells = {action.target for action in arriving} - {target.cell for target in first.targets}
        later = (Target(cell, False) for cell in sorted(filter(None, cells), key=cell_sort_key))
        return replace(first, targets=(*first.targets, *later))


def next_question(state: State, actions: Iterable[Action], path: Sequence[str] = ()) -> Question | Action:
    """Return the question after the answers of a path, or the action that they settle; may raise NoSuchChoice.

    `actions` are legal actions of the state.
    """
    return follow(first_question(state, tuple(actions)), path)


def picture_marks(state: State, path: Sequence[str] = ()) -> Choices | None:
    """Return the marks for a picture of the question after the answers of a path; None if there is no question."""
    asked = None if state.to_move in (None, CHANCE) else next_question(state, state.legal_actions(), path)
    return asked.picture_choices if isinstance(asked, Question) else None


def follow(asked: Question, path: Sequence[str]) -> Question | Action:
    """Return the question after a path of answers to `asked`, or the action they settle; may raise NoSuchChoice."""
    for at, key in enumerate(path):
        entry = next((entry for entry in asked.entries if entry.key == key), None)
        if entry is None:
            raise NoSuchChoice(".".join(path))
        if entry.leaf is not None:
            if at + 1 < len(path):
                raise NoSuchChoice(".".join(path))
            return entry.leaf
        asked = asked.after(entry)
    return asked


def path_to(state: State, actions: Iterable[Action], action: Action) -> tuple[str, ...]:
    """Return the path whose answers settle the action; raises NoSuchChoice if it is not among the actions."""
    asked = first_question(state, tuple(actions))
    while True:
        entry = next((entry for entry in asked.entries if action in entry.actions), None)
        if entry is None:
            raise NoSuchChoice(str(action))
        if entry.leaf is not None:
            return (*asked.path, entry.key)
        asked = asked.after(entry)


@lru_cache(maxsize=4096)
def cell_sort_key(cell: str) -> tuple[int, str, int]:
    """Return a key that sorts cells by column, then by row number."""
    match = _CELL_PATTERN.fullmatch(cell)
    return (len(match[1]), match[1], int(match[2])) if match else (99, cell, 0)


def column_name(cell: str) -> str:
    """Return the column of a cell: its letters."""
    return cell.rstrip("0123456789")


def column_sort_key(name: str) -> tuple[int, str]:
    """Return a key that sorts columns as the board does."""
    return len(name), name


def _ask_next(asked: Question, entry: Entry) -> Question:
    asked, actions = replace(asked, path=(*asked.path, entry.key)), entry.actions
    if entry.sort == "kind":
        return _ask_piece(replace(asked, kind=entry.key), actions)
    if entry.sort == "piece":
        return _ask_target(replace(asked, piece=entry.cell), actions)
    if entry.sort == "target":
        return _ask_action(asked, actions)
    is_piece = asked.piece is None and bool(asked.pieces)
    return replace(asked, entries=_cells(asked.state, actions, "piece" if is_piece else "target"))


def first_question(state: State, actions: Actions) -> Question:
    """Return the question before anything is chosen."""
    bare = [action for action in actions if action.source is None and action.target is None]
    on_board = (action for action in actions if action.source is not None or action.target is not None)
    kinds = _group_actions(on_board, state.game.facts.kind_of)
    entries = tuple(Entry(str(action), "action", (action,), leaf=action) for action in bare)
    asked = Question(state, (), entries, None, None, ())
    if not kinds:
        return asked
    if len(kinds) == 1:
        ((kind, group),) = kinds.items()
        inner = _ask_piece(replace(asked, kind=kind), group)
        if len(inner.entries) + len(entries) <= MAX_OPTIONS:
            return replace(inner, entries=inner.entries + entries)
    kind_entries = tuple(Entry(kind, "kind", group) for kind, group in kinds.items())
    return replace(asked, entries=kind_entries + entries, pieces=_pieces(actions))


def _ask_piece(asked: Question, actions: Actions) -> Question:
    pieces = _pieces(actions)
    asked = replace(asked, piece=None, pieces=pieces)
    if len(pieces) <= 1 and any(action.target is not None for action in actions):
        return _ask_target(replace(asked, piece=pieces[0] if pieces else None), actions)
    if not pieces:
        return _ask_action(asked, actions)
    return replace(asked, entries=_cells_or_columns(asked.state, actions, "piece"))


def _ask_target(asked: Question, actions: Actions) -> Question:
    if all(action.target is None for action in actions):
        return _ask_action(asked, actions)
    return replace(asked, entries=_cells_or_columns(asked.state, actions, "target"))


def _ask_action(asked: Question, actions: Actions) -> Question:
    entries = tuple(Entry(str(action), "action", (action,), action.target, leaf=action) for action in actions)
    return replace(asked, entries=entries)


def _cells_or_columns(state: State, actions: Actions, sort: CellSort) -> tuple[Entry, ...]:
    entries, cell = _cells(state, actions, sort), _CELL_OF[sort]
    if len(entries) <= MAX_OPTIONS:
        return entries

    def group_by_column(some: Iterable[Action]) -> dict[str, Actions]:
        return _group_actions(some, lambda action: column_name(cell(action)))

    captures = tuple(entry for entry in entries if sort == "target" and entry.capture)
    columns = group_by_column(action for action in actions if not any(action in entry.actions for entry in captures))
    if len(captures) + len(columns) > MAX_OPTIONS:
        captures, columns = (), group_by_column(actions)
    result = list(captures)
    for column in sorted(columns, key=column_sort_key):
        group = columns[column]
        inner = set(map(cell, group))
        alone = next((entry for entry in entries if entry.key in inner), None) if len(inner) == 1 else None
        result.append(replace(alone, number=0) if alone is not None else Entry(column, "column", group, column))
    return tuple(result)


def _cells(state: State, actions: Actions, sort: CellSort) -> tuple[Entry, ...]:
    """Return one entry per cell, numbered: pieces by column and row; targets with captures first."""
    groups = _group_actions(actions, _CELL_OF[sort])
    capturing = state.find_captures(actions) if sort == "target" else frozenset()
    captures = {action.target for action in capturing if action.target is not None}
    ordered = sorted(groups, key=lambda name: (name not in captures, cell_sort_key(name)))
    entries = []
    for number, name in enumerate(ordered, start=1):
        group = groups[name]
        last = len(group) == 1 and (sort == "target" or group[0].target is None)
        entries.append(Entry(name, sort, group, name, number, group[0] if last else None, name in captures))
    return tuple(entries)


def _group_actions(actions: Iterable[Action], key: Callable[[Action], str]) -> dict[str, Actions]:
    groups: dict[str, list[Action]] = {}
    for action in actions:
        groups.setdefault(key(action), []).append(action)
    return {name: tuple(group) for name, group in groups.items()}


def _pieces(actions: Iterable[Action]) -> tuple[str, ...]:
    return tuple(sorted({action.source for action in actions if action.source is not None}, key=cell_sort_key))


def click_paths(asked: Question) -> dict[str, tuple[str, ...]]:
    """Return the path of a click on each cell; if several kinds fit, that of the first."""
    paths: dict[str, tuple[str, ...]] = {}
    for path, entry in asked.first_entries():
        if entry.cell is not None:
            paths.setdefault(entry.cell, path)
    return paths


def without_cell_answers(asked: Question) -> Question:
    """Return a question without the answers that a click on the picture can give."""
    pressed = set(click_paths(asked).values())
    entries = (each for each in asked.entries if each.sort != "column" and (*asked.path, each.key) not in pressed)
    return replace(asked, entries=tuple(entries))
