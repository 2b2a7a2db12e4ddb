"""A tree of lines that a person tries out: turns that are not played in the game, each with possible following turns.

It begins at positions of the game (roots) and has a current node. Turns are stored as the texts of their actions,
chance included, so that nothing in it depends on the game's own dice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

import structlog

from bot.kernel.line import Line, follow_action, follow_actions, play_line, position_without_history, read_line
from engine import Action, Game, State
from engine.core import Position
from storage import Json

MAX_NODES: Final = 200
"""Maximum number of turns in a tree."""
MAX_NOTE_LENGTH: Final = 80
"""Maximum length of a note."""
UNKNOWN_LENGTH: Final = -1
"""Placeholder for the number of actions if the game cannot be replayed."""


log = structlog.get_logger(__name__)


class TreeFull(Exception):
    """A tree that has reached its maximum number of turns."""


@dataclass(frozen=True, slots=True)
class Root:
    """A position of the game at which lines begin: after `at` actions of its line of play, in turn number `turn`.

    `digest` shows whether the game still has that position there; `rest` is the other data for `read_line`.
    """

    at: int
    turn: int
    digest: str
    position: Position
    rest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TreeTurn:
    """A tried turn: its parent node or root, the texts of its actions, a note, and whether it is a plan."""

    up: int
    play: tuple[str, ...]
    note: str = ""
    plan: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisTree:
    """Roots and nodes by number, in one sequence; `here` is the current one.

    `begun` are the actions of the turn in progress, grouped by press. `tip` is the end of the line that was last
    viewed, `last` the highest number used, `checked` the revision of the game at which the roots were last verified.
    `stopped` is the reason why plans have stopped, until it is reported. `guesses`: True if the owner guesses the turns
    of the game in this tree.
    """

    roots: Mapping[int, Root] = field(default_factory=dict)
    nodes: Mapping[int, TreeTurn] = field(default_factory=dict)
    here: int = 0
    begun: tuple[tuple[str, ...], ...] = ()
    tip: int = 0
    last: int = 0
    checked: int = UNKNOWN_LENGTH
    stopped: str = ""
    guesses: bool = False

    def to_json(self) -> Json:
        """Return the tree as plain data for `read_tree`."""
        return {
            "roots": [
                [number, root.at, root.turn, root.digest, dict(root.position), dict(root.rest)]
                for number, root in self.roots.items()
            ],
            "nodes": [[number, node.up, list(node.play), node.note, node.plan] for number, node in self.nodes.items()],
            "here": self.here,
            "begun": [list(each) for each in self.begun],
            "tip": self.tip,
            "last": self.last,
            "checked": self.checked,
            "stopped": self.stopped,
            **({"guesses": True} if self.guesses else {}),
        }

    @property
    def planned(self) -> bool:
        """True if any turn is a plan."""
        return bool(self.plans)

    @property
    def plans(self) -> list[int]:
        """The planned turns, in the order in which they were tried."""
        return [number for number, node in self.nodes.items() if node.plan]

    def planned_turn(self, number: int, begun: Sequence[str]) -> tuple[str, ...] | None:
        """Return the rest of the planned turn after a node or root that begins with `begun`, None if there is none."""
        plays = (self.nodes[each].play for each in self.children(number) if self.nodes[each].plan)
        return next((play[len(begun) :] for play in plays if play[: len(begun)] == begun), None)

    def with_planned(self, numbers: Collection[int]) -> AnalysisTree:
        """Return the tree with some turns planned; other plans at the same nodes are dropped."""
        ups = {self.nodes[number].up for number in numbers}
        plans = {number for number in self.plans if self.nodes[number].up not in ups} | set(numbers)
        return self.with_plans(plans)

    def remaining_plans(self, reached: int | None) -> AnalysisTree:
        """Return the tree with only the plans still playable from the node or root that the game has reached."""
        below = set(self.subtree(reached)) - {reached} if reached is not None else set[int]()
        return self.with_plans(below.intersection(self.plans))

    def without_plans(self) -> AnalysisTree:
        """Return the tree without plans, and without a reason to report."""
        return replace(self.with_plans(()), stopped="")

    def with_plans(self, plans: Collection[int]) -> AnalysisTree:
        """Return the tree with these turns planned, and no others."""
        nodes = {number: replace(node, plan=number in plans) for number, node in self.nodes.items()}
        return replace(self, nodes=nodes)

    def children(self, number: int) -> list[int]:
        """Return the turns tried after a node or root, oldest first."""
        return [each for each, node in self.nodes.items() if node.up == number]

    def path_to(self, number: int) -> list[int]:
        """Return the nodes from a root to a node, inclusive."""
        found: list[int] = []
        while number in self.nodes:
            found.append(number)
            number = self.nodes[number].up
        return found[::-1]

    def root_of(self, number: int) -> int:
        """Return the root of a node."""
        while number in self.nodes:
            number = self.nodes[number].up
        return number

    def subtree(self, number: int) -> list[int]:
        """Return a node with all its descendants, parents before children."""
        found = [number]
        for each in found:
            found += self.children(each)
        return found

    @property
    def current(self) -> TreeTurn | None:
        """The current turn, None at a root and while the next turn is in progress."""
        return None if self.begun else self.nodes.get(self.here)

    @property
    def leaves(self) -> list[int]:
        """The ends of all lines."""
        ups = {node.up for node in self.nodes.values()}
        return [number for number in self.nodes if number not in ups]

    @property
    def next_turn(self) -> int | None:
        """The turn that *On* leads to: on the line last viewed, otherwise the newest one; None at an end."""
        after = self.children(self.here)
        if self.begun or not after:
            return None
        return next((each for each in self.path_to(self.tip) if each in after), after[-1])

    def line_to(self, game: Game, number: int) -> Line:
        """Return the line of play up to a node or root; raises the engine's errors if it is not legal any more."""
        root = self.roots[self.root_of(number)]
        played = chain.from_iterable(self.nodes[each].play for each in self.path_to(number))
        return follow_actions(read_line(game, dict(root.position), dict(root.rest)), played)

    def line(self, game: Game) -> Line:
        """Return the line of play up to the current node, with the turn in progress; raises as `line_to`."""
        return follow_actions(self.line_to(game, self.here), chain.from_iterable(self.begun))

    def at_node(self, number: int) -> AnalysisTree:
        """Return the tree with another current node or root."""
        tip = self.tip if number in (*self.path_to(self.tip), self.root_of(self.tip)) else number
        return replace(self, here=number, begun=(), tip=tip)

    def back(self) -> AnalysisTree:
        """Return the tree one press back in the turn in progress, otherwise one turn back; unchanged at a root."""
        if self.begun:
            return replace(self, begun=self.begun[:-1])
        return self.at_node(self.nodes[self.here].up) if self.here in self.nodes else self

    def at_root(self, root: Root) -> AnalysisTree:
        """Return the tree with a root as the current node; the root is added if missing."""
        for number, known in self.roots.items():
            if (known.at, known.digest) == (root.at, root.digest):
                return self.at_node(number)
        number = self.last + 1
        return replace(self, roots={**self.roots, number: root}, last=number).at_node(number)

    def after_actions(self, line: Line, actions: Sequence[Action]) -> tuple[AnalysisTree, Line]:
        """Return the tree and its line after actions of a player or of chance; raises IllegalAction or TreeFull.

        Forced actions follow automatically; chance waits until it is chosen or rolled. A turn that was tried there
        before is reused.
        """
        tree, texts = self, list[str]()
        for step in play_line(line, actions, None)[1]:
            before, line = line, follow_action(line, step.action.text)
            texts.append(step.action.text)
            if line.finished is not before.finished:
                tree, texts = tree._with_turn(texts), []
        return (replace(tree, begun=(*tree.begun, tuple(texts))) if texts else tree), line

    def _with_turn(self, texts: Sequence[str]) -> AnalysisTree:
        whole = (*chain.from_iterable(self.begun), *texts)
        for number in self.children(self.here):
            if self.nodes[number].play == whole:
                return self.at_node(number)
        if len(self.nodes) >= MAX_NODES:
            raise TreeFull
        number = self.last + 1
        nodes = {**self.nodes, number: TreeTurn(self.here, whole)}
        return replace(self, nodes=nodes, here=number, begun=(), tip=number, last=number)

    def with_note(self, note: str) -> AnalysisTree:
        """Return the tree with a note at the current turn."""
        node = self.nodes[self.here]
        return replace(self, nodes={**self.nodes, self.here: replace(node, note=note[:MAX_NOTE_LENGTH])})

    def without_turn(self, number: int) -> AnalysisTree:
        """Return the tree without a turn and its descendants; a current node among them is replaced by its parent."""
        lost = set(self.subtree(number))
        up = self.nodes[number].up
        tree = replace(self, nodes={each: node for each, node in self.nodes.items() if each not in lost})
        tree = replace(tree, tip=up if self.tip in lost else self.tip)
        return replace(tree, here=up, begun=()) if self.here in lost else tree

    def without_roots(self, gone: Sequence[int]) -> AnalysisTree:
        """Return the tree without some roots and their descendants; empty if nothing is left."""
        lost = {each for root in gone for each in self.subtree(root)}
        tree = replace(
            self,
            roots={number: root for number, root in self.roots.items() if number not in lost},
            nodes={number: node for number, node in self.nodes.items() if number not in lost},
        )
        if self.here not in lost:
            return replace(tree, tip=self.here if self.tip in lost else self.tip)
        here = max(tree.roots, key=lambda number: tree.roots[number].at, default=0)
        return replace(tree, here=here, tip=here, begun=())

    def node_reached(self, actions: Sequence[str]) -> int | None:
        """Return the node or root that the game's line of play reaches; None if there is none.

        The roots must be positions of the game.
        """
        found = self.current_node(actions)
        return found[0] if found is not None and not found[1] else None

    def current_node(self, actions: Sequence[str]) -> tuple[int, tuple[str, ...]] | None:
        """Return the last node or root on the game's line of play, and the later actions, which begin one of its turns.

        None if the game has left the tree.
        """
        for number in sorted(self.roots, key=lambda number: -self.roots[number].at):
            at = self.roots[number].at
            if not 0 <= at <= len(actions):
                continue
            while (found := self._matching_child(number, actions[at:])) is not None:
                number, at = found, at + len(self.nodes[found].play)
            rest = tuple(actions[at:])
            if not rest or any(self.nodes[each].play[: len(rest)] == rest for each in self.children(number)):
                return number, rest
        return None

    def _matching_child(self, number: int, actions: Sequence[str]) -> int | None:
        """Return the child of a node or root with which some actions begin, None if there is none."""
        plays = ((each, self.nodes[each].play) for each in self.children(number))
        return next((each for each, play in plays if tuple(actions[: len(play)]) == play), None)


def root_at(line: Line, at: int) -> Root:
    """Return the root at a position of the game, after `at` actions of its line of play."""
    return Root(at, line.state.turn, position_digest(line.state), line.state.to_json(), line.to_json())


def position_digest(state: State) -> str:
    """Return a digest of a position without its history."""
    return hashlib.sha256(json.dumps(position_without_history(state), sort_keys=True).encode()).hexdigest()[:16]


def read_tree(data: Json) -> AnalysisTree:
    """Return a tree that `AnalysisTree.to_json` wrote; empty for no data, or for damaged data, which is logged."""
    if not data:
        return AnalysisTree()
    try:
        tree = AnalysisTree(
            roots={number: Root(*values) for number, *values in data["roots"]},
            nodes={number: TreeTurn(up, tuple(play), note, plan) for number, up, play, note, plan in data["nodes"]},
            here=data["here"],
            begun=tuple(map(tuple, data["begun"])),
            tip=data["tip"],
            last=data["last"],
            checked=data["checked"],
            stopped=data["stopped"],
            guesses=data.get("guesses", False),
        )
        if _is_whole(tree):
            return tree
    except (KeyError, TypeError, ValueError):
        pass
    log.warning("analysis-tree-unreadable")
    return AnalysisTree()


def _is_whole(tree: AnalysisTree) -> bool:
    """Return True if a tree is consistent: every turn has actions, and follows an earlier turn or a root."""
    numbers = (*tree.roots, *tree.nodes)
    return (
        all(node.play and node.up in numbers and node.up < number for number, node in tree.nodes.items())
        and {tree.here, tree.tip} <= {0, *numbers}
        and tree.last >= max(numbers, default=0)
    )
