"""The contract of every game: Game, State, Action, Outcome, the chance player and the errors."""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias, TypeVar

from engine.facts import Facts

if TYPE_CHECKING:
    from engine.oracle import Oracle
    from engine.prover import Prover
    from engine.topology import Topology


Json: TypeAlias = dict[str, Any]
"""A JSON object."""
Position: TypeAlias = Mapping[str, Any]
"""A position as plain data (docs/rules, JSON)."""
GameOptions: TypeAlias = Mapping[str, Any]
"""The options of a game by name, perhaps not all of them."""
Seats: TypeAlias = tuple[int, ...]
"""Seats in some order, as that of leaving."""


class EngineError(Exception):
    """The base of the engine's errors: a `code` with `params`, which the code that shows it puts into words."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code = code
        self.params: Json = params

    def __str__(self) -> str:
        details = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.code}({details})" if details else self.code


class InvalidOption(EngineError):
    """An option, or a number of seats, that the game does not have."""


class InvalidPosition(EngineError):
    """A dictionary that describes no position of the game."""


class InvalidAction(EngineError):
    """A text that cannot be understood as an action of the game."""


class IllegalAction(EngineError):
    """A well-formed action that a rule forbids; `code` names the rule, `params` the numbers."""


class AmbiguousAction(EngineError):
    """A text that fits several legal lines of play; `params["options"]` lists them."""


class GameOver(EngineError):
    """An action after the end of the game."""

    def __init__(self) -> None:
        super().__init__("game-over")


def shorten_value(value: object) -> str:
    """Return a value as a text of at most 40 characters, for an error's params."""
    if isinstance(value, int) and value.bit_length() > 200:
        return "…"  # Python refuses to write out thousands of digits
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        return "…"
    return text if len(text) <= 40 else text[:39] + "…"


CHANCE: Final = -1
"""The value of `State.to_move` when dice or a deal come next."""

DROP: Final = "drop"
"""The verb of the action by which a seat leaves the game, in every game."""


class Random(Protocol):
    """The source of random numbers that the engine needs."""

    def randrange(self, n: int, /) -> int:
        """Return an integer from 0 to n - 1, all equally likely."""
        ...


class Action:
    """The smallest decision of a game; two actions are equal if their canonical texts are.

    `source` and `target` are cell names or None, `amount` is an int or None, and `value` is any other part of the
    action (dice, a colour, a deal, a seat) or None.
    """

    __slots__ = ("_hash", "amount", "source", "target", "text", "value", "verb")

    text: str
    verb: str
    source: str | None
    target: str | None
    amount: int | None
    value: Any

    def __init__(
        self,
        text: str,
        verb: str,
        source: str | None = None,
        target: str | None = None,
        amount: int | None = None,
        value: Any = None,
    ) -> None:
        put = object.__setattr__
        put(self, "text", text)
        put(self, "verb", verb)
        put(self, "source", source)
        put(self, "target", target)
        put(self, "amount", amount)
        put(self, "value", value)
        put(self, "_hash", hash(text))

    @classmethod
    def drop(cls, seat: int) -> Action:
        """Return the action by which a seat leaves the game (rules, Dropping out)."""
        return cls(f"{DROP} {seat}", DROP, value=seat)

    @property
    def is_drop(self) -> bool:
        """True if a seat, the value of the action, leaves the game."""
        return self.verb == DROP

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Action never changes ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Action never changes ({name})")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Action) and self.text == other.text)

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Action {self.text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Action, (self.text, self.verb, self.source, self.target, self.amount, self.value)


Actions: TypeAlias = tuple[Action, ...]
"""Actions in order, as those of a turn."""


PASS: Final = Action("pass", "pass")
"""The only legal action of a seat that has no other (rules, Words)."""


@dataclass(frozen=True)
class Option:
    """An option chosen before a game starts: its default and its allowed values."""

    default: str | int
    values: tuple[str | int, ...]


@dataclass(frozen=True)
class Outcome:
    """How a game ended: `places[seat]` is 1 for the best and equal for shared places (1, 1, 3)."""

    reason: str
    places: tuple[int, ...]
    details: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def winner(self) -> int | None:
        """The seat that alone has first place, or None in a draw."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    def to_json(self) -> Json:
        """Return the JSON of a position's `outcome`."""
        result: Json = {"reason": self.reason, "places": list(self.places)}
        if self.details:
            result["details"] = dict(self.details)
        return result


Values: TypeAlias = tuple[float, ...]
"""The result of each seat: 1 for a sole win, 0 for a sole last place; the values add up to seats / 2."""


def values_of(outcome: Outcome) -> Values:
    """Return the values of an outcome: for each seat the share of the others that it is ahead of, ties counted half."""
    places = outcome.places
    others = len(places) - 1
    return tuple((sum(other > place for other in places) + (places.count(place) - 1) / 2) / others for place in places)


class State(ABC):
    """A position of a game: immutable, hashable, equal to every state with the same position.

    `to_move` is a seat, CHANCE, or None when the game is over. `turn` counts the turns finished before
    this one (a drop that cuts a turn short finishes it; chance alone finishes none). `dropped` are the
    seats that left, in that order.
    """

    __slots__ = ()

    game: ClassVar[Game]
    seats: int
    to_move: int | None
    turn: int
    outcome: Outcome | None
    dropped: Seats

    @property
    @abstractmethod
    def topology(self) -> Topology:
        """The board whose cells can be named in texts."""

    @abstractmethod
    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions of the seat or of chance to move; empty for a deal and at the end."""

    def chance_outcomes(self) -> Sequence[tuple[Action, float]]:
        """Return every roll with its probability; empty for a deal (too many) and where no chance is due."""
        return ()

    def sample_chance(self, rng: Random) -> Action:
        """Draw the chance action that is due with `rng.randrange` alone; IllegalAction if none is due."""
        raise IllegalAction("no-chance-due")

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly (a chance action by its probability); GameOver at the end."""
        if self.to_move is None:
            raise GameOver
        if self.to_move == CHANCE:
            return self.sample_chance(rng)
        actions = self.legal_actions()
        return actions[rng.randrange(len(actions))]

    def is_legal(self, action: Action) -> bool:
        """Return whether `play` accepts the action, including drops and deals, which are not listed."""
        if action.verb == DROP:
            return self.to_move is not None and action == Action.drop(action.value) and self.is_playing(action.value)
        return action in self.legal_actions()

    def is_playing(self, seat: object) -> bool:
        """Return whether the seat exists and has not left."""
        return type(seat) is int and 0 <= seat < self.seats and seat not in self.dropped

    def play(self, action: Action) -> State:
        """Return the state after the action; IllegalAction names the rule that forbids it, GameOver a finished game."""
        if self.to_move is None:
            raise GameOver
        if not self.is_legal(action):
            raise self.refusal(action)
        return self.advance(action)

    @abstractmethod
    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal, without checking it (for searches)."""

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return those of some legal actions by which the seat to move takes something from another seat.

        That is a piece which leaves the board by the action, at once or later in the turn where the action makes that
        due, or the piece whose capture wins. A game overrides this where the verb alone does not decide it.
        """
        return frozenset(filter(self.game.facts.is_capture, actions))

    def find_arrivals(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return those of some legal actions by which a piece arrives where it scores; games without that have none."""
        return frozenset()

    def find_reach(self, seat: int) -> frozenset[str]:
        """Return the cells that a seat's pieces reach in a turn of theirs, as they stand; empty where no one asks.

        Only games in which that is hard to see, and decides what is safe, override this.
        """
        return frozenset()

    @abstractmethod
    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that names the rule forbidding the action here."""

    def refuse_unknown(self, action: Action) -> IllegalAction:
        """Return the error for an action that this game does not have, or for a drop of a seat that does not exist."""
        if action.is_drop:
            return IllegalAction("no-such-seat", seat=shorten_value(action.value))
        return IllegalAction("foreign-action", text=shorten_value(action.text))

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        """Return the error for a text that continues after the legal action that ends the turn."""
        return IllegalAction("turn-is-over", text=shorten_value(text))

    def parse(self, text: str) -> tuple[Action, ...]:
        """Return the legal actions of the seat to move that a text means (rules, Writing actions).

        InvalidAction if it cannot be understood, IllegalAction if a rule forbids it, AmbiguousAction if it fits several
        lines, GameOver at the end.
        """
        from engine.notation import parse

        return parse(self, text)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the texts, in canonical style, by which a player may mean the action, its own text first."""
        return (action.text,)

    def read(self, text: str) -> Action:
        """Return the legal action, chance and drops included, with exactly this canonical text (for records).

        InvalidAction if no action has this text, IllegalAction if a rule forbids it, GameOver at the end.
        """
        if self.to_move is None:
            raise GameOver
        if text.startswith("drop ") and text[5:].isdecimal() and len(text) < 8:
            action = Action.drop(int(text[5:]))
            if action.text != text or not self.is_legal(action):
                raise IllegalAction("no-such-seat", seat=int(text[5:]))
            return action
        if self.to_move == CHANCE:
            return self.read_chance(text)
        for action in self.legal_actions():
            if action.text == text:
                return action
        for action in self.well_formed(text.lower()):
            if action.text == text:
                raise self.refusal(action)
        raise InvalidAction("not-understood", text=text[:60])

    def read_chance(self, text: str) -> Action:
        """Return the chance action with this canonical text; InvalidAction if no such action is due."""
        for action, _ in self.chance_outcomes():
            if action.text == text:
                return action
        raise InvalidAction("not-understood", text=text[:60])

    @abstractmethod
    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions, legal or not, that the beginning of a text may mean, likeliest first.

        The text is in lower case. This is only used where no legal action fits, to find the rule that forbids the meant
        action.
        """

    @abstractmethod
    def key(self) -> tuple[Any, ...]:
        """Return the parts of the position (the JSON without `extra`) as a flat hashable tuple."""

    @abstractmethod
    def to_json(self) -> Json:
        """Return the position as the rules define it, counters and history under `extra`."""

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.key() == other.key())

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.to_json()!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.game.key, self.to_json())


class RefusingState(State):
    """A state that finds what forbids an action without listing the legal ones."""

    __slots__ = ()

    @abstractmethod
    def find_hindrance(self, action: Action) -> IllegalAction | None:
        """Return the rule that forbids an action other than leaving in an unfinished game, None if it is legal."""

    def is_legal(self, action: Action) -> bool:
        """Return whether no rule forbids the action."""
        if action.verb == DROP or self.to_move is None:
            return super().is_legal(action)
        return self.find_hindrance(action) is None

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that names the rule forbidding the action here."""
        return (None if action.verb == DROP else self.find_hindrance(action)) or self.refuse_unknown(action)


StateType = TypeVar("StateType", bound=State)


def make_immutable(cls: type[StateType]) -> type[StateType]:
    """Return a subclass of a State class whose instances are immutable.

    A finished instance is sealed by `state.__class__ = Twin`, which is far cheaper than guarding every attribute from
    the start.
    """

    def refuse(_: State, name: str, *_value: object) -> None:
        raise AttributeError(f"a State never changes ({name})")

    members = {"__slots__": (), "__setattr__": refuse, "__delattr__": refuse, "__module__": cls.__module__}
    twin: type[StateType] = ABCMeta(cls.__name__, (cls,), members)  # type: ignore[assignment]
    return twin


def _loaded(key: str, position: Position) -> State:
    from engine.games import games

    return games[key].load(position)


class Game(ABC):
    """The rules of one game, and the factory of its states.

    Lists for people are sorted by `order`, lowest first, then by key.
    """

    key: str
    order: int = 1000
    seats: range
    rules_version: int
    options: Mapping[str, Option] = {}
    facts: Facts = Facts()
    words: Mapping[str, str] = {}
    """Words that people type in place of notation marks, in English and Italian, each with its mark."""
    oracle: Oracle | None = None
    """The game's oracle of proven values, for the few games that are (partly) solved."""
    prover: Prover | None = None
    """The game's prover, for games where proofs by search are cheap."""

    @abstractmethod
    def start(self, seats: int = 2, options: GameOptions | None = None) -> State:
        """Return the first state; InvalidOption for options or numbers of seats that the game does not have."""

    @abstractmethod
    def load(self, position: Position) -> State:
        """Return the state of a position dictionary; InvalidPosition says what is wrong with it."""

    @abstractmethod
    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each occupied cell of a position's JSON (`engine.diagram`)."""

    def has_chance(self, seats: int, options: GameOptions) -> bool:
        """Return whether dice or deals matter in a game with these seats and options, besides the draw of seats."""
        return bool(self.facts.rolls or self.facts.deals)

    def checked_options(self, seats: int, options: GameOptions | None) -> dict[str, str | int]:
        """Return the options with defaults filled in; InvalidOption if the game does not have them."""
        if type(seats) is not int or seats not in self.seats:
            raise InvalidOption("seats", seats=seats, least=self.seats[0], most=self.seats[-1])
        if not isinstance(options, Mapping | None):
            raise InvalidOption("options", options=shorten_value(options))
        chosen = {name: option.default for name, option in self.options.items()}
        for name, value in (options or {}).items():
            if name not in chosen:
                raise InvalidOption("unknown-option", option=shorten_value(name), known=sorted(chosen))
            if type(value) is not type(chosen[name]) or value not in self.options[name].values:
                allowed = list(self.options[name].values)
                raise InvalidOption("option-value", option=name, value=shorten_value(value), allowed=allowed)
            chosen[name] = value
        return chosen

    def __repr__(self) -> str:
        return f"<Game {self.key}>"


def places_with_winner(seats: int, winner: int, dropped: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the places where one seat wins: the others still playing share second place and leavers are last."""
    playing = seats - len(dropped)
    places = [1 if seat == winner else 2 for seat in range(seats)]
    return _with_leavers(places, playing, dropped)


def places_with_draw(seats: int, dropped: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the places of a draw: 1 for all still playing, their last places for leavers."""
    return _with_leavers([1] * seats, seats - len(dropped), dropped)


def _with_leavers(places: list[int], playing: int, dropped: Sequence[int]) -> tuple[int, ...]:
    for distance, seat in enumerate(reversed(dropped), start=1):
        places[seat] = playing + distance
    return tuple(places)
