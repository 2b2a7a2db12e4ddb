"""Records: a whole game as plain data and as text, and its replay (its chance: `engine/verification.py`).

The text has a first line, headers (`Game: annuvin`), an empty line, and one numbered line for each turn with its
actions in canonical form, dice first, divided by `; ` (docs/records.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from engine.core import Action, EngineError, Game, InvalidOption, InvalidPosition, State, short
from engine.games import games
from engine.turn import Turn, turns

TableResult = Literal["agreement", "abandoned"]
TABLE_RESULTS: Final[tuple[TableResult, ...]] = ("agreement", "abandoned")
MAX_ACTIONS: Final = 20_000
"""The most actions that a record may have."""
_ID_PATTERN: Final = re.compile(r"[!-:<-~]{1,100}")
"""An id that a draw takes: letters, digits and signs without the semicolon that divides them."""


class InvalidRecord(EngineError):
    """A record that is broken or not fair; `params["line"]` is the line of the text, if it came from one.

    `cause` is the engine's own error behind it, if there is one; `params["game"]` then names the game it is of.
    """

    def __init__(self, code: str, cause: EngineError | None = None, /, **params: Any) -> None:
        super().__init__(code, **{name: value for name, value in params.items() if value is not None})
        self.cause = cause


@dataclass(frozen=True)
class Joining:
    """Somebody's joining: the platform's id of the event, and the seat that the lot gave them."""

    event: str
    seat: int


@dataclass(frozen=True)
class DrawIds:
    """What a draw took besides the seed: seats with their ids, for draw 0 in the order of joining, else by seat."""

    draw: int
    ids: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class NewChain:
    """A chain of hashes that a seat's browser began anew before a draw: the hash that it committed to."""

    seat: int
    draw: int
    top: str


@dataclass(frozen=True)
class Record:
    """A game from its first state to where it stands: everything that can be told of it without its players' help.

    `names` are the players' names by seat (kept on one line), `actions` canonical texts, `joined` the joinings
    in their order, `seed_hash` the SHA-256 of the secret seed and `seed` the seed itself, once it is shown.
    `result` is what the table decided, `started` and `ended` are dates for people to read. `start` is the JSON
    of the first position where that is not the start of the game. `rematch_of` is the id of the game that this
    one repeats with the seats gone round, and `cup` that of the competition whose pairings gave them: no lot was drawn
    for them then. In records of `version` 2 draws may take
    ids: `taken` has them, for those draws alone that took any, and `chains` what was committed to after the joinings.
    """

    game: str
    game_id: str
    rules_version: int
    options: Mapping[str, str | int]
    names: tuple[str, ...]
    actions: tuple[str, ...] = ()
    joined: tuple[Joining, ...] = ()
    seed_hash: str | None = None
    seed: str | None = None
    result: TableResult | None = None
    started: str = ""
    ended: str = ""
    start: Mapping[str, Any] | None = None
    rematch_of: str = ""
    cup: str = ""
    version: int = 1
    taken: tuple[DrawIds, ...] = ()
    chains: tuple[NewChain, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("game_id", "started", "ended", "rematch_of", "cup"):
            object.__setattr__(self, name, _printable(getattr(self, name)))
        object.__setattr__(self, "names", tuple(_printable(name) for name in self.names))
        for joining in self.joined:
            if joining.event != _printable(joining.event):
                raise InvalidRecord("broken-joining", event=short(joining.event))
        for took in self.taken:
            if not all(_ID_PATTERN.fullmatch(each) for _, each in took.ids) or self.version == 1:
                raise InvalidRecord("broken-draw", draw=took.draw)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.names)

    @property
    def seated(self) -> bool:
        """Whether everybody had their seat before the game, so that no lot was drawn."""
        return bool(self.rematch_of or self.cup)

    @property
    def rules(self) -> Game:
        """The game's rules; InvalidRecord if the game, or this version of it, is not known."""
        game = games.get(self.game)
        if game is None:
            raise InvalidRecord("unknown-game", game=short(self.game), known=sorted(games))
        if self.rules_version > game.rules_version:
            raise InvalidRecord("newer-rules", version=self.rules_version, known=game.rules_version)
        return game

    def first_state(self) -> State:
        """Return the state that the record begins with; InvalidRecord if there is none."""
        game = self.rules
        try:
            state = game.start(self.seats, self.options)
            if self.start is None:
                return state
            state = game.load(self.start)
            options = game.checked_options(self.seats, self.options)
        except InvalidOption as error:
            raise InvalidRecord("broken-options", error, game=self.game) from error
        except InvalidPosition as error:
            raise InvalidRecord("broken-start", error, game=self.game) from error
        if state.seats != self.seats or state.to_json()["options"] != options:
            raise InvalidRecord("other-start")
        return state

    def replay(self) -> Iterator[tuple[Action, State]]:
        """Yield every action with the state after it; InvalidRecord where one cannot be played."""
        state = self.first_state()
        if len(self.actions) > MAX_ACTIONS:
            raise InvalidRecord("too-many-actions", most=MAX_ACTIONS)
        for number, text in enumerate(self.actions, start=1):
            try:
                action = state.read(text)
            except EngineError as error:
                raise InvalidRecord(
                    "broken-action", error, game=self.game, text=short(text), **self.place(number)
                ) from error
            state = state.advance(action)
            yield action, state

    def turns(self) -> Iterator[Turn]:
        """Yield the turns, the last one perhaps unfinished; InvalidRecord where one cannot be played."""
        return turns(self.first_state(), (action for action, _ in self.replay()))

    def last_state(self) -> State:
        """Return the state that the record ends with; InvalidRecord if it does not get there."""
        state = self.first_state()
        for _, after in self.replay():
            state = after
        return state

    def place(self, number: int) -> dict[str, int]:
        """Return where action `number`, counted from 1, stands: its number and, if known, its line."""
        return {"number": number, **({"line": self.lines[number - 1]} if self.lines else {})}

    def to_text(self) -> str:
        """Return the text form; InvalidRecord if the record cannot be played."""
        from engine.record_text import write

        return write(self)

    @classmethod
    def from_text(cls, text: str) -> Record:
        """Return the record that the text holds, played through once; InvalidRecord says which line is wrong."""
        from engine.record_text import read

        return read(text)


def _printable(text: str) -> str:
    """Return the text on one line, without what does not print and without idle spaces."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
