"""The text form of records: readable for people, parsed strictly (docs/records.md)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from engine.core import shorten_value
from engine.fair import is_hex
from engine.games import games
from engine.record import MAX_ACTIONS, TABLE_RESULTS, DrawIds, InvalidRecord, Joining, NewChain, Record
from engine.record_fields import MAX_NAME_LENGTH, find_bad_name, is_date

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
_UNIQUE_HEADERS: Final = ("Game", "Id", "Rules", "Result")


def write(record: Record) -> str:
    """Return the text of a record; InvalidRecord if it cannot be played."""
    return "\n".join([*_headers(record), "", *_turn_lines(record), ""])


def read(text: str) -> Record:
    """Return the record of a text, replayed once; InvalidRecord says which line is wrong.

    Except for line ends, trailing spaces and comments at the end, a text must equal the output of `write`.
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
    for number, (found, expected) in enumerate(zip([*lines, ""], write(record).split("\n"), strict=False), start=1):
        if found != expected.rstrip():
            raise InvalidRecord("other-line", line=number, text=shorten_value(found), expected=shorten_value(expected))
    return record


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


def _turn_lines(record: Record) -> Iterator[str]:
    for turn in record.turns():
        yield f"{turn.number}. {ACTION_SEPARATOR.join(action.text for action in turn.actions)}"


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
        elif (
            key is None
            and name in (*_UNIQUE_HEADERS, "Hash", "Seed", "Started", "Ended", "Start", "Rematch", "Cup")
            and name not in self.once
        ):
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

    def _start(self) -> dict[str, Any] | None:
        if "Start" not in self.once:
            return None
        try:
            start = json.loads(self.once["Start"])
        except (ValueError, RecursionError) as error:
            raise InvalidRecord("broken-start", line=self.places["Start"]) from error
        if not isinstance(start, dict):
            raise InvalidRecord("broken-start", line=self.places["Start"])
        return start
