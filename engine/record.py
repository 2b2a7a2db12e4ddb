"""Records: a whole game as plain data and as text, its replay, and the verification of its chance.

The text has a first line, headers (`Game: annuvin`), an empty line, and one numbered line per turn with its actions in
canonical form, dice first, separated by `; ` (docs/records.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Literal

from engine.core import CHANCE, Action, EngineError, Game, InvalidOption, InvalidPosition, Json, State, shorten_value
from engine.fair import (
    CHAIN_PREFIX,
    MAX_CHAIN_LENGTH,
    MAX_CHAINS,
    UNKNOWN_ID,
    Draw,
    draw_seats,
    hash_seed,
    is_hex,
    leads_to,
    public_text,
)
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
    """A hash chain that a seat's browser began before a draw: the committed hash."""

    seat: int
    draw: int
    top: str


@dataclass(frozen=True)
class RecordedClock:
    """The clock of a game in seconds: free for each turn, in reserve for the game, and added to that after a turn."""

    turn: int
    reserve: int
    increment: int


@dataclass(frozen=True)
class UsedTime:
    """Milliseconds of a turn that a seat has used: all of it, or up to where the clock was stopped.

    What is `given` was added to its reserve by another player.
    """

    seat: int
    milliseconds: int
    kind: Literal["turn", "part", "given"] = "turn"


@dataclass(frozen=True)
class Record:
    """A game from its first state to its last, complete without its players' help.

    `names` are the players' names by seat (on one line), `actions` canonical texts, `joined` the joining events in
    order, `seed_hash` the SHA-256 of the secret seed and `seed` the seed itself, once revealed. `result` is the table's
    result, `started` and `ended` are dates for people. `start` is the JSON of the first position if that is not the
    start of the game. `rematch_of` is the id of the previous game if the seats were rotated, and `cup` that of the
    competition whose pairing gave the seats: no lot was drawn then. In records of `version` 2 draws may mix in ids:
    `taken` has them, only for draws that did, and `chains` are the commitments after the joinings. Games with a reserve
    or in one sitting have their `clock` and the used `times` in their order.
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
    clock: RecordedClock | None = None
    times: tuple[UsedTime, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("game_id", "started", "ended", "rematch_of", "cup"):
            object.__setattr__(self, name, make_printable(getattr(self, name)))
        object.__setattr__(self, "names", tuple(make_printable(name) for name in self.names))
        for joining in self.joined:
            if joining.event != make_printable(joining.event):
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

    def read_reserves(self) -> tuple[int, ...]:
        """Return the milliseconds left of each seat's reserve; InvalidRecord if one has used more than it had."""
        clock = self.clock or RecordedClock(0, 0, 0)
        left = [clock.reserve * 1000] * self.seats
        for number, each in enumerate(self.times, start=1):
            if each.seat >= self.seats:
                raise InvalidRecord("broken-times", number=number, seat=each.seat)
            if each.kind == "given":
                left[each.seat] += each.milliseconds
                continue
            left[each.seat] -= max(each.milliseconds - clock.turn * 1000, 0)
            if left[each.seat] < 0:
                raise InvalidRecord("too-much-time", number=number, seat=each.seat)
            if each.kind == "turn":
                left[each.seat] += clock.increment * 1000
        return tuple(left)

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
        turns = (f"{turn.number}. {ACTION_SEPARATOR.join(map(str, turn.actions))}" for turn in self.turns())
        return "\n".join([*_headers(self), "", *turns, ""])

    @classmethod
    def from_text(cls, text: str) -> Record:
        """Return the record of a text, replayed once; InvalidRecord says which line is wrong.

        Except for line ends, trailing spaces and comments at the end, a text must equal the output of `to_text`.
        """
        if len(text) > MAX_TEXT_LENGTH:
            raise InvalidRecord("too-long", most=MAX_TEXT_LENGTH)
        lines = [line.rstrip() for line in text.replace("\r\n", "\n").rstrip().split("\n")]
        while len(lines) > 1 and (not lines[-1] or lines[-1].startswith(COMMENT_MARK)):
            lines.pop()
        version = next((known for known in range(1, FORMAT_VERSION + 1) if lines[0] == f"{TITLE} {known}"), None)
        if version is None:
            raise InvalidRecord("not-a-record", line=1, expected=f"{TITLE} {FORMAT_VERSION}")
        middle = lines.index("") if "" in lines else len(lines)
        record = _Reader(version, lines[1:middle]).record(*_actions(lines, middle + 1))
        for number, (found, expected) in enumerate(zip([*lines, ""], record.to_text().split("\n"), strict=False), 1):
            if found != expected.rstrip():
                text, expected = shorten_value(found), shorten_value(expected)
                raise InvalidRecord("other-line", line=number, text=text, expected=expected)
        return record


def make_printable(text: str) -> str:
    """Return a text on one line, without unprintable characters and redundant spaces."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


MAX_NAME_LENGTH: Final = 32
"""Maximum length of a name in characters."""
FORGOTTEN_NAME: Final = "…"
"""The name of people who wanted to be forgotten."""
ELLIPSIS: Final = "…"
"""What a name ends with that was too long."""
FIRST_YEAR: Final = 2000
LAST_YEAR: Final = 2199


def find_bad_name(names: Iterable[str]) -> str | None:
    """Return the first name that is empty, too long, or was there before, None if there is none."""
    known = set[str]()
    for name in names:
        if not name or len(name) > MAX_NAME_LENGTH or name in known:
            return name
        known |= {name} - {FORGOTTEN_NAME}
    return None


def cut_name(name: str, length: int = MAX_NAME_LENGTH) -> str:
    """Return a name of at most `length` characters; one that had to be cut ends with an ellipsis."""
    return name if len(name) <= length else name[: length - len(ELLIPSIS)].rstrip() + ELLIPSIS


def make_names_distinct(
    names: Sequence[str], look: Callable[[str], str] = str, length: int = MAX_NAME_LENGTH
) -> tuple[str, ...]:
    """Return names that `find_bad_name` finds nothing in: the second of equal ones becomes `Anna (2)`.

    Names are equal if what `look` returns for them is; they have at most `length` characters.
    """
    found: list[str] = []
    taken = set[str]()
    for written in names:
        name = cut_name(written, length) or FORGOTTEN_NAME
        number, distinct = 2, name
        while look(distinct) in taken and distinct != FORGOTTEN_NAME:
            ending = f" ({number})"
            number, distinct = number + 1, cut_name(name, length - len(ending)) + ending
        found.append(distinct)
        taken.add(look(distinct))
    return tuple(found)


def is_date(text: str) -> bool:
    """Return True for a date of the calendar, 2026-11-21, in a year in which there can have been a game."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return False
    return found.isoformat() == text and is_possible_year(found)


def is_possible_year(when: date | datetime) -> bool:
    """Return True for a date in a year in which there can have been a game."""
    return FIRST_YEAR <= when.year <= LAST_YEAR


TITLE: Final = "Tavoliere record"
FORMAT_VERSION: Final = 2
"""The newest version of the format."""
MAX_TEXT_LENGTH: Final = 4_000_000
ACTION_SEPARATOR: Final = "; "
COMMENT_MARK: Final = "#"
"""Begins a comment line after the turns, which is not part of the game."""
_UNFINISHED: Final = "*"
_HEADER_PATTERN: Final = re.compile(r"([A-Z][a-z]*)(?: ([a-z0-9_-]+))?:(?: (.*))?")
_TURN_PATTERN: Final = re.compile(r"([0-9]{1,9})\. (.+)")
_JOINING_PATTERN: Final = re.compile(r"seat ([0-9]) by(?: (.*))?")
_TAKEN_PATTERN: Final = re.compile(r"seat ([0-9]) by ([^;]*)")
_DRAW_PATTERN: Final = re.compile(r"0|[1-9][0-9]{0,5}")
_CLOCK_PATTERN: Final = re.compile(r"turn ([0-9]{1,7}) reserve ([0-9]{1,8}) increment ([0-9]{1,3})")
_TIME_PATTERN: Final = re.compile(r"([0-9])([:/+])([0-9]{1,11})")
_TIME_SIGNS: Final[Mapping[str, Literal["turn", "part", "given"]]] = {":": "turn", "/": "part", "+": "given"}
_OTHER_HEADERS: Final = ("Hash", "Seed", "Started", "Ended", "Start", "Rematch", "Cup", "Clock", "Times")
_UNIQUE_HEADERS: Final = ("Game", "Id", "Rules", "Result")


def _headers(record: Record) -> Iterator[str]:
    yield f"{TITLE} {record.version}"
    yield f"Game: {record.game}"
    yield f"Id: {record.game_id}"
    yield f"Rules: {record.rules_version}"
    for name in sorted(record.options):
        yield f"Option {name}: {record.options[name]}"
    for seat, name in enumerate(record.names):
        yield f"Seat {seat}: {name}"
    if record.rematch_of:
        yield f"Rematch: {record.rematch_of}"
    if record.cup:
        yield f"Cup: {record.cup}"
    for joining in record.joined:
        yield f"Joined: seat {joining.seat} by {joining.event}"
    for chain in record.chains:
        yield f"Chain {chain.draw}: seat {chain.seat} by {chain.top}"
    for took in record.taken:
        yield f"Draw {took.draw}: {ACTION_SEPARATOR.join(f'seat {seat} by {each}' for seat, each in took.ids)}"
    if record.seed_hash is not None:
        yield f"Hash: {record.seed_hash}"
    if record.seed is not None:
        yield f"Seed: {record.seed}"
    if record.started:
        yield f"Started: {record.started}"
    if record.ended:
        yield f"Ended: {record.ended}"
    if (clock := record.clock) is not None:
        yield f"Clock: turn {clock.turn} reserve {clock.reserve} increment {clock.increment}"
        signs = {kind: sign for sign, kind in _TIME_SIGNS.items()}
        yield f"Times: {' '.join(f'{each.seat}{signs[each.kind]}{each.milliseconds}' for each in record.times)}"
    if record.start is not None:
        yield f"Start: {json.dumps(dict(record.start))}"
    yield f"Result: {_result(record)}"


def _result(record: Record) -> str:
    outcome = record.last_state().outcome
    if outcome is None:
        return record.result or _UNFINISHED
    if record.result is not None:
        raise InvalidRecord("result-after-the-end", result=record.result, reason=outcome.reason)
    return " ".join([outcome.reason, *map(str, outcome.places)])


def _actions(lines: list[str], first: int) -> tuple[list[str], list[int]]:
    """Return the actions from line index `first` on, and the line number of each."""
    actions: list[str] = []
    places: list[int] = []
    for number, line in enumerate(lines[first:], start=first + 1):
        turn = _TURN_PATTERN.fullmatch(line)
        if turn is None:
            raise InvalidRecord("not-a-turn", line=number, text=shorten_value(line))
        found = turn[2].split(ACTION_SEPARATOR)
        actions += found
        places += [number] * len(found)
        if len(actions) > MAX_ACTIONS:
            raise InvalidRecord("too-many-actions", most=MAX_ACTIONS, line=number)
    return actions, places


@dataclass
class _Reader:
    """Collects the headers of a record, line by line."""

    version: int
    lines: list[str]
    once: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    options: dict[str, tuple[str, int]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    name_lines: list[int] = field(default_factory=list)
    joined: list[Joining] = field(default_factory=list)
    chains: list[NewChain] = field(default_factory=list)
    taken: list[DrawIds] = field(default_factory=list)

    def record(self, actions: list[str], places: list[int]) -> Record:
        """Return the record with these headers."""
        for number, line in enumerate(self.lines, start=2):
            header = _HEADER_PATTERN.fullmatch(line)
            if header is None:
                raise InvalidRecord("not-a-header", line=number, text=shorten_value(line))
            self._take(number, header[1], header[2], header[3] or "")
        for name in _UNIQUE_HEADERS:
            if name not in self.once:
                raise InvalidRecord("missing-header", header=name, line=len(self.lines) + 2)
        self._check_values()
        result = self.once["Result"]
        return Record(
            game=self.once["Game"],
            game_id=self.once["Id"],
            rules_version=self._number("Rules"),
            options=self._options(),
            names=tuple(self.names),
            actions=tuple(actions),
            joined=tuple(self.joined),
            seed_hash=self.once.get("Hash"),
            seed=self.once.get("Seed"),
            result=next((known for known in TABLE_RESULTS if known == result), None),
            started=self.once.get("Started", ""),
            ended=self.once.get("Ended", ""),
            start=self._start(),
            clock=self._clock(),
            times=self._times(),
            rematch_of=self.once.get("Rematch", ""),
            cup=self.once.get("Cup", ""),
            version=self.version,
            taken=tuple(self.taken),
            chains=tuple(self.chains),
            lines=tuple(places),
        )

    def _check_values(self) -> None:
        """Raise InvalidRecord for names, dates and hashes that nothing of ours writes."""
        bad = find_bad_name(self.names)
        if bad is not None:
            at = max(seat for seat, name in enumerate(self.names) if name == bad)
            raise InvalidRecord("broken-name", line=self.name_lines[at], name=shorten_value(bad), most=MAX_NAME_LENGTH)
        for header, is_valid in (("Started", is_date), ("Ended", is_date), ("Hash", is_hex), ("Seed", is_hex)):
            value = self.once.get(header)
            if value is not None and not is_valid(value):
                code = "broken-date" if is_valid is is_date else "broken-hash"
                raise InvalidRecord(code, line=self.places[header], text=shorten_value(value))

    def _take(self, line: int, name: str, key: str | None, value: str) -> None:
        if name == "Option" and key is not None and key not in self.options:
            self.options[key] = (value, line)
        elif name == "Seat" and key == str(len(self.names)):
            self.names.append(value)
            self.name_lines.append(line)
        elif name == "Joined" and key is None and (joining := _JOINING_PATTERN.fullmatch(value)):
            self.joined.append(Joining(joining[2] or "", int(joining[1])))
        elif name in ("Chain", "Draw") and key is not None and self.version > 1 and _DRAW_PATTERN.fullmatch(key):
            self._draw(line, name, int(key), value)
        elif key is None and name in (*_UNIQUE_HEADERS, *_OTHER_HEADERS) and name not in self.once:
            self.once[name] = value
            self.places[name] = line
        else:
            text = f"{name} {key}" if key else name
            raise InvalidRecord("unexpected-header", line=line, header=shorten_value(text))

    def _draw(self, line: int, name: str, draw: int, value: str) -> None:
        """Read the ids mixed into a draw, or the chain begun before it."""
        found = [_TAKEN_PATTERN.fullmatch(each) for each in value.split(ACTION_SEPARATOR)]
        pairs = [(int(each[1]), each[2]) for each in found if each is not None]
        if len(pairs) < len(found):
            raise InvalidRecord("broken-draw", line=line, draw=draw)
        if name == "Draw":
            self.taken.append(DrawIds(draw, tuple(pairs)))
        elif len(pairs) == 1 and is_hex(pairs[0][1]):
            self.chains.append(NewChain(pairs[0][0], draw, pairs[0][1]))
        else:
            raise InvalidRecord("broken-chain", line=line, seat=pairs[0][0])

    def _number(self, name: str) -> int:
        value = self.once[name]
        if not re.fullmatch("[0-9]{1,6}", value):
            raise InvalidRecord("not-a-number", line=self.places[name], text=shorten_value(value))
        return int(value)

    def _options(self) -> dict[str, str | int]:
        game = games.get(self.once["Game"])
        if game is None:
            raise InvalidRecord(
                "unknown-game", line=self.places["Game"], game=shorten_value(self.once["Game"]), known=sorted(games)
            )
        result: dict[str, str | int] = {}
        for name, (value, line) in self.options.items():
            values = game.options[name].values if name in game.options else ()
            found = next((known for known in values if str(known) == value), None)
            if found is None:
                raise InvalidRecord("broken-option", line=line, option=name, value=shorten_value(value))
            result[name] = found
        return result

    def _clock(self) -> RecordedClock | None:
        if "Clock" not in self.once:
            return None
        found = _CLOCK_PATTERN.fullmatch(self.once["Clock"])
        if found is None:
            raise InvalidRecord("broken-clock", line=self.places["Clock"], text=shorten_value(self.once["Clock"]))
        return RecordedClock(*map(int, found.groups()))

    def _times(self) -> tuple[UsedTime, ...]:
        found = list[UsedTime]()
        for number, text in enumerate(self.once.get("Times", "").split(), start=1):
            each = _TIME_PATTERN.fullmatch(text)
            if each is None:
                raise InvalidRecord("broken-times", line=self.places["Times"], number=number)
            found.append(UsedTime(int(each[1]), int(each[3]), _TIME_SIGNS[each[2]]))
        return tuple(found)

    def _start(self) -> Json | None:
        if "Start" not in self.once:
            return None
        try:
            start = json.loads(self.once["Start"])
        except (ValueError, RecursionError) as error:
            raise InvalidRecord("broken-start", line=self.places["Start"]) from error
        if not isinstance(start, dict):
            raise InvalidRecord("broken-start", line=self.places["Start"])
        return start


@dataclass(frozen=True)
class Verified:
    """What was checked: `seats` drawn by lot (none in a rematch), and `draws` rolls and deals.

    In records of version 2, of these and the lot `with_ids` took ids of people, `unnamed` are the joinings that gave
    none, and `chains` were begun anew. `nothing_new` says for each seat after how many of its turns chance acted
    though the turn had given nothing new: it was typed, a computer's, or a link was held back.
    """

    seats: int
    draws: int
    with_ids: int = 0
    unnamed: int = 0
    chains: int = 0
    nothing_new: tuple[int, ...] = ()


def verify(record: Record) -> Verified:
    """Check the commitment, the lot for the seats, every roll and deal, the chains of hashes, and the clocks.

    InvalidRecord says what fails and where: no-seed, no-seed-hash, other-seed, no-joinings, other-lot,
    other-chance, broken-draw, other-chain, chain-too-soon, too-much-time, or whatever `replay` finds.
    """
    record.read_reserves()
    if record.seed_hash is None:
        raise InvalidRecord("no-seed-hash")
    if record.seed is None:
        raise InvalidRecord("no-seed")
    if not is_hex(record.seed) or hash_seed(record.seed) != record.seed_hash:
        raise InvalidRecord("other-seed")
    if len(record.joined) != record.seats:
        raise InvalidRecord("no-joinings", joined=len(record.joined), seats=record.seats)
    if record.seated and sorted(joining.seat for joining in record.joined) != list(range(record.seats)):
        raise InvalidRecord("broken-joining")
    _check_taken(record)
    taken = {took.draw: dict(took.ids) for took in record.taken}
    public = public_text(record.game_id, [joining.event for joining in record.joined])

    def ids_of(draw: int) -> list[str] | None:
        # Records of version 1 knew no ids yet.
        return None if record.version == 1 else list(taken.get(draw, {}).values())

    seats = 0 if record.seated else _check_lot(record, draw_seats(record.seed, public, record.seats, ids_of(0)))
    draws = 0
    state = record.first_state()
    idle, actor, newest = [0] * record.seats, CHANCE, taken.get(0, {})
    for number, (action, after) in enumerate(record.replay(), start=1):
        if state.to_move == CHANCE and not action.is_drop:
            draws += 1
            drawn = state.sample_chance(Draw(record.seed, public, draws, ids_of(draws)))
            if drawn != action:
                raise InvalidRecord(
                    "other-chance",
                    draw=draws,
                    text=shorten_value(action.text),
                    drawn=drawn.text,
                    **record.place(number),
                )
            now = taken.get(draws, {})
            if actor != CHANCE and now.get(actor) == newest.get(actor):
                idle[actor] += 1
            newest, actor = now, CHANCE
        elif not action.is_drop and state.to_move is not None:
            actor = state.to_move
        state = after
    late = [number for number in taken if number > draws]
    if late:
        raise InvalidRecord("broken-draw", draw=late[0])
    unnamed = sum(joining.event.endswith(f":{UNKNOWN_ID}") for joining in record.joined)
    if record.version == 1:
        return Verified(seats, draws)
    return Verified(seats, draws, len(taken), unnamed, len(record.chains), tuple(idle) if any(idle) else ())


def _check_lot(record: Record, drawn: Sequence[int]) -> int:
    """Check that the seats are those that were drawn, and return of how many the lot was."""
    for joining, seat in zip(record.joined, drawn, strict=True):
        if joining.seat != seat:
            raise InvalidRecord("other-lot", event=shorten_value(joining.event), seat=joining.seat, drawn=seat)
    return len(drawn)


def _check_taken(record: Record) -> None:
    """Check that draws took ids in their order, and that links follow from what was committed to before."""
    heads = {joining.seat: _Heads() for joining in record.joined}
    for joining in record.joined:
        if joining.event.startswith(CHAIN_PREFIX) and joining.event != f"{CHAIN_PREFIX}{UNKNOWN_ID}":
            heads[joining.seat].links.append(joining.event.removeprefix(CHAIN_PREFIX))
    for number, chain in enumerate(record.chains):
        if number >= MAX_CHAINS or chain.seat not in heads or not is_hex(chain.top):
            raise InvalidRecord("broken-chain", seat=chain.seat)
        heads[chain.seat].later.append(chain)
    joined = [joining.seat for joining in record.joined]
    before, past = -1, dict[int, dict[int, str]]()
    for took in record.taken:
        seats = [seat for seat, _ in took.ids]
        order = [seat for seat in (joined if took.draw == 0 else sorted(joined)) if seat in seats]
        if not seats or seats != order or took.draw <= before or (took.draw == 0 and record.seated):
            raise InvalidRecord("broken-draw", draw=took.draw)
        before, past[took.draw] = took.draw, dict(took.ids)
        for seat, each in took.ids:
            if each.startswith(CHAIN_PREFIX):
                heads[seat].follow(took, seat, each.removeprefix(CHAIN_PREFIX), past)


@dataclass
class _Heads:
    """What a seat's links have to lead to: the newest link, or the hash committed to, and chains begun later."""

    links: list[str] = field(default_factory=list)
    later: list[NewChain] = field(default_factory=list)
    left: int = MAX_CHAIN_LENGTH

    def follow(self, took: DrawIds, seat: int, link: str, past: dict[int, dict[int, str]]) -> None:
        """Take the link that a draw took; InvalidRecord if nothing that was given before comes after it."""
        if link in self.links:
            return
        begun = {chain.top: chain for chain in self.later if chain.draw <= took.draw}
        # No chain is longer than the longest, however many draws its links are spread over.
        found = leads_to(link, self.links, self.left)
        if found is not None:
            self.links, self.left = [link], self.left - found[1]
            return
        found = leads_to(link, begun)
        if found is None:
            raise InvalidRecord("other-chain", draw=took.draw, seat=seat)
        chain = begun[found[0]]
        earlier = [past[number] for number in past if number < chain.draw]
        known = earlier[-1] if earlier else {}
        now = past[took.draw]
        if all(known.get(other) == each for other, each in now.items() if other != seat):
            raise InvalidRecord("chain-too-soon", draw=took.draw, seat=seat)
        self.links, self.left = [link], MAX_CHAIN_LENGTH - found[1]
        self.later = [other for other in self.later if other is not chain]
