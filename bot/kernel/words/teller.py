"""Tools for the games' words: a position's JSON, the players' names, and a speaker."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.kernel.texts import Parameter, Span, Speaker, Text
from engine import Action, State, Turn
from engine.core import Json
from engine.search.policies import policies

Names = Sequence[Span | str]
"""The names by seat, as rich or plain text."""

Losses = dict[int, list[str]]
"""The cells on which something was captured, by the seat that lost it."""


@dataclass(frozen=True)
class PositionTeller:
    """Describes one position; `brief`: True to omit the details least needed to play on."""

    speaker: Speaker
    state: State
    names: Sequence[str]
    brief: bool = False

    @cached_property
    def position(self) -> Json:
        """The position's JSON."""
        return self.state.to_json()

    def line(self, key: str, /, **parameters: Parameter) -> str:
        """Return the words for a key."""
        return self.speaker.line(key, **parameters)

    def cells(self, key: str, cells: Sequence[str]) -> list[str]:
        """Return the words for some cells, none for no cells."""
        return [self.line(key, n=len(cells), cells=", ".join(cells))] if cells else []

    def count(self, key: str, number: int) -> list[str]:
        """Return the words for a number; none for 0."""
        return [self.line(key, n=number)] if number else []

    def owned(self, key: str, by_seat: Iterable[Iterable[str]]) -> dict[str, str]:
        """Return, by cell, the words under `key.SEAT` for the cells of each seat."""
        return {cell: self.line(f"{key}.{seat}") for seat, cells in enumerate(by_seat) for cell in cells}

    def people(self, seats: Iterable[int]) -> str:
        """Return the names of seats."""
        return "".join(span.text for span in self.speaker.listing([self.names[seat] for seat in seats]))


def chance_words(speaker: Speaker, turn: Turn, _names: Names) -> list[Text]:
    """Return the words for each kind of chance in a turn, if the game has any."""
    by_chance = turn.before.game.facts.by_chance
    verbs = dict.fromkeys(action.verb for action in turn.actions if by_chance(action))
    return [speaker.say(f"chance.{verb}") for verb in verbs if speaker.has(f"chance.{verb}")]


def search_order(state: State) -> Sequence[Action]:
    """Return the legal actions worth trying, in search order."""
    policy = policies.get(state.game.key)
    return policy.candidates(state) if policy is not None else state.legal_actions()


def phase_words(teller: PositionTeller) -> str:
    """Return what the player to move has to do in this phase of the game; empty after its end."""
    position = teller.position
    if position["to_move"] is None:
        return ""
    return teller.line(f"phase.{position['phase']}", who=teller.names[position["to_move"]])


def capture_targets(turn: Turn) -> list[str]:
    """Return the cells where a turn captures by separate capture actions."""
    captures = turn.before.game.facts.captures
    return [action.target for action in turn.actions if action.verb in captures and action.target]


def captures_from_opponent(turn: Turn) -> Losses:
    """Return the captures of a turn in a game for two."""
    return {1 - turn.seat: capture_targets(turn)} if turn.seat in (0, 1) else {}


@dataclass(frozen=True)
class GameWords:
    """Description of the positions and turns of one game.

    `seat` yields the possessions of a seat, as parts of a sentence; `common` yields whole sentences. `asked` describes
    the pending decision (empty: only whose turn it is). `captured` returns the captures of a turn by owner (by default
    those that its captures name, in a game for two). `ended` adds to the end what its places and reason omit. `chance`
    describes chance in a turn, `result` the results of a turn beyond its moves, and `scored` the figures by which a
    game was won. `first` returns the key of the words that explain a turn of a kind to a newcomer, and `ordered` sorts
    legal actions with the promising ones first. `choice` describes an action in a few words if its button need not name
    its cells (empty: use its notation). `cells` returns the content of each cell that is not empty.
    """

    seat: Callable[[PositionTeller, int], Iterable[str]]
    captured: Callable[[Turn], Losses] = captures_from_opponent
    common: Callable[[PositionTeller], Iterable[str]] = lambda _teller: ()
    asked: Callable[[PositionTeller], str] = lambda _teller: ""
    ended: Callable[[PositionTeller], Iterable[str]] = lambda _teller: ()
    chance: Callable[[Speaker, Turn, Names], Iterable[Text]] = chance_words
    result: Callable[[Speaker, Turn, Names], Iterable[Text]] = lambda _speaker, _turn, _names: ()
    scored: Callable[[Speaker, State, Names], Iterable[Text]] = lambda _speaker, _state, _names: ()
    first: Callable[[State, str], str] = lambda _state, kind: kind
    ordered: Callable[[State], Sequence[Action]] = search_order
    choice: Callable[[Speaker, State, Action], str] = lambda _speaker, _state, _action: ""
    cells: Callable[[PositionTeller], Mapping[str, str]] | None = None
