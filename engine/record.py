"""Records: a whole game as plain data and as text, and its replay (chance is verified in `engine/verification.py`).

The text has a first line, headers (`Game: annuvin`), an empty line, and one numbered line per turn with its actions in
canonical form, dice first, separated by `; ` (docs/records.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from engine.core import Action, EngineError, Game, InvalidOption, InvalidPosition, State, shorten_value
from engine.games import games
from engine.turn import Turn, group_turns

TableResult = Literal["agreement", "abandoned"]
TABLE_RESULTS: Final[tuple[TableResult, ...]] = ("agreement", "abandoned")
MAX_ACTIONS: Final = 20_000
"""Maximum number of actions in a record."""
_ID_PATTERN: Final = re.compile(r"[!-:<-~]{1,100}")
"""The form of an id mixed into a draw: printable characters without the separating semicolon."""


class InvalidRecord(EngineError):
    """A record that is broken or not fair; `params["line"]` is the line of the text, if it came from one.

    `cause` is the engine's own error behind it, if any; `params["game"]` then names the game.
    """

    def __init__(self, code: str, cause: EngineError | None = None, /, **params: Any) -> None:
        super().__init__(code, **{name: value for name, value in params.items() if value is not None})
        self.cause = cause


@dataclass(frozen=True)
class Joining:
    """A joining of a player: the platform's id of the event, and the drawn seat."""

    event: str
    seat: int


@dataclass(frozen=True)
class DrawIds:
    """The ids mixed into a draw besides the seed, by seat; for draw 0 in the order of joining."""

    draw: int
    ids: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class NewChain:
    """A hash chain that a seat's browser began anew before a draw: the committed hash."""

    seat: int
    draw: int
    top: str


@dataclass(frozen=True)
class Record:
    """A game from its first state to its last, complete without its players' help.

    `names` are the players' names by seat (on one line), `actions` canonical texts, `joined` the joining events in
    order, `seed_hash` the SHA-256 of the secret seed and `seed` the seed itself, once revealed. `result` is the table's
    result, `started` and `ended` are dates for people. `start` is the JSON of the first position if that is not the
    start of the game. `rematch_of` is the id of the previous game if the seats were rotated, and `cup` that of the
    competition whose pairing gave the seats: no lot was drawn then. In records of `version` 2 draws may mix in ids:
    `taken` has them, only for draws that did, and `chains` are the commitments after the joinings.
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
                raise InvalidRecord("broken-joining", event=shorten_value(joining.event))
        for took in self.taken:
            if not all(_ID_PATTERN.fullmatch(each) for _, each in took.ids) or self.version == 1:
                raise InvalidRecord("broken-draw", draw=took.draw)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.names)

    @property
    def seated(self) -> bool:
        """True if the seats were given before the game, so that no lot was drawn."""
        return bool(self.rematch_of or self.cup)

    @property
    def rules(self) -> Game:
        """The game's rules; InvalidRecord if the game, or this version of it, is unknown."""
        game = games.get(self.game)
        if game is None:
            raise InvalidRecord("unknown-game", game=shorten_value(self.game), known=sorted(games))
        if self.rules_version > game.rules_version:
            raise InvalidRecord("newer-rules", version=self.rules_version, known=game.rules_version)
        return game

    def first_state(self) -> State:
        """Return the first state; InvalidRecord if there is none."""
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
        """Yield every action with the state after it; InvalidRecord at an action that cannot be played."""
        state = self.first_state()
        if len(self.actions) > MAX_ACTIONS:
            raise InvalidRecord("too-many-actions", most=MAX_ACTIONS)
        for number, text in enumerate(self.actions, start=1):
            try:
                action = state.read(text)
            except EngineError as error:
                raise InvalidRecord(
                    "broken-action", error, game=self.game, text=shorten_value(text), **self.place(number)
                ) from error
            state = state.advance(action)
            yield action, state

    def turns(self) -> Iterator[Turn]:
        """Yield the turns, the last one perhaps unfinished; InvalidRecord at one that cannot be played."""
        return group_turns(self.first_state(), (action for action, _ in self.replay()))

    def last_state(self) -> State:
        """Return the last state; InvalidRecord if it cannot be reached."""
        state = self.first_state()
        for _, after in self.replay():
            state = after
        return state

    def place(self, number: int) -> dict[str, int]:
        """Return the position of action `number`, counted from 1: its number and, if known, its line."""
        return {"number": number, **({"line": self.lines[number - 1]} if self.lines else {})}

    def to_text(self) -> str:
        """Return the text form; InvalidRecord if the record cannot be played."""
        from engine.record_text import write

        return write(self)

    @classmethod
    def from_text(cls, text: str) -> Record:
        """Return the record of a text, replayed once; InvalidRecord says which line is wrong."""
        from engine.record_text import read

        return read(text)


def _printable(text: str) -> str:
    """Return a text on one line, without unprintable characters and redundant spaces."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
