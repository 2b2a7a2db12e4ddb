"""The export of a cup: text for people (with events as lines of JSON, and the games' records), or JSON.

Both have the same contents. Reading is strict: everything besides the events must follow from them (docs/records.md).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, TypeGuard

from bot.competitions.boards import CupGame, CupRound
from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, CupEvent, InvalidCompetition, from_json, kind_of, to_json
from bot.competitions.standings import format_points, ranking
from engine.core import shorten_value
from engine.record_text import MAX_TEXT_LENGTH

FILE_FORMAT: Final = "Tavoliere competition"
FILE_VERSION: Final = 1
MAX_FILE_LENGTH: Final = 4 * MAX_TEXT_LENGTH
COMPUTER: Final = "computer"
_ENTRANT_PATTERN: Final = re.compile(r"Entrant ([0-9]{1,6}): ?(.*)")
_RECORD_PATTERN: Final = re.compile(r"Record ([A-Z0-9]{1,20})")
_EVENTS_HEADING: Final = "Events"
_SEED_PREFIX: Final = "Seed: "


@dataclass(frozen=True)
class CupFile:
    """An exported cup: the entrants' names, its events with their times, and records by the games' ids.

    It includes the `seed` of its lots once it is over.
    """

    names: Mapping[int, str]
    events: tuple[tuple[datetime, CupEvent], ...]
    seed: str | None = None
    records: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ends = {game: f"{record.rstrip()}\n" for game, record in self.records.items()}
        object.__setattr__(self, "records", ends)

    @cached_property
    def replay(self) -> Competition:
        """Return the state after all events; InvalidCompetition if they are invalid."""
        return Competition.replay(event for _, event in self.events)

    def name(self, entrant: int) -> str:
        """Return an entrant's name on one line."""
        if entrant == COMPUTER_ENTRANT:
            return COMPUTER
        return " ".join("".join(each if each.isprintable() else " " for each in self.names.get(entrant, "")).split())

    def text(self) -> str:
        """Return the file for people."""
        lines = [*self._headers(), *self._table(), *self._rounds(), "", _EVENTS_HEADING]
        lines += [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in self._events()]
        for game, record in self.records.items():
            lines += ["", f"Record {game}", *record.rstrip().split("\n")]
        return "\n".join([*lines, ""])

    def json(self) -> str:
        """Return the file for programs."""
        rows = ranking(self.replay)
        table = [
            {
                "entrant": row.entrant,
                "place": row.place,
                "points": format_points(row.points),
                "ties": {str(rule): format_points(value) for rule, value in zip(rows.rules, row.breaks, strict=True)},
            }
            for row in rows.rows
        ]
        whole = {
            "form": FILE_FORMAT,
            "version": FILE_VERSION,
            "game": self.replay.terms.game,
            "code": self.replay.code,
            "seed": self.seed,
            "names": {str(entrant): self.name(entrant) for entrant in sorted(self.replay.entrants)},
            "table": table,
            "events": list(self._events()),
            "records": dict(self.records),
        }
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    def _events(self) -> Iterator[dict[str, Any]]:
        for at, event in self.events:
            yield {"at": at.isoformat(), "kind": kind_of(event), "data": to_json(event)}

    def _headers(self) -> Iterator[str]:
        stands = self.replay
        yield f"{FILE_FORMAT} {FILE_VERSION}"
        yield f"Game: {stands.terms.game}"
        yield f"Code: {stands.code}"
        yield f"Format: {stands.terms.format}"
        yield f"Clock: {stands.terms.clock}"
        yield f"Seed hash: {stands.seed_hash}"
        if self.seed is not None:
            yield f"{_SEED_PREFIX}{self.seed}"
        for entrant in sorted(stands.entrants):
            yield f"Entrant {entrant}: {self.name(entrant)}".rstrip()

    def _table(self) -> Iterator[str]:
        if not self.replay.lots:
            return
        rows = ranking(self.replay)
        yield ""
        yield "Table"
        for row in rows.rows:
            ties = ", ".join(
                f"{rule} {format_points(value)}" for rule, value in zip(rows.rules, row.breaks, strict=True)
            )
            out = " out" if row.out else ""
            yield (
                f"{row.place or '-'}. {self.name(row.entrant)}: {format_points(row.points)}"
                + (f" ({ties})" if ties else "")
                + out
            )

    def _rounds(self) -> Iterator[str]:
        for each in self.replay.rounds:
            yield ""
            yield f"Round {each.number}"
            yield from self._boards(each)
            for walkover in each.walkovers:
                yield f"{self.name(walkover.winner)} without playing against {self.name(walkover.loser)}"
            for entrant in each.byes:
                yield f"{self.name(entrant)}: bye"

    def _boards(self, each: CupRound) -> Iterator[str]:
        for number, board in enumerate(each.boards, start=1):
            for game in board.games:
                yield f"{number}. {self._game(game)}"
            if board.decided is not None:
                yield f"{number}. {self.name(board.decided)} goes on {'by lot' if board.by_lot else 'alone'}"

    def _game(self, game: CupGame) -> str:
        names = " - ".join(self.name(entrant) for entrant in game.seats)
        if game.places is None:
            return f"{names}: {game.id or ''} *".replace(":  ", ": ")
        return f"{names}: {game.id} {','.join(map(str, game.places))} {game.reason}"


def is_cup_file(text: str) -> bool:
    """Return whether a text looks like such a file."""
    return text.startswith(FILE_FORMAT) or (text.lstrip().startswith("{") and f'"{FILE_FORMAT}"' in text[:200])


def read_cup_file(text: str) -> CupFile:
    """Return the cup in a text or in JSON; InvalidCompetition has a code for the error, and the `line`.

    not-a-cup, broken-file, broken-entrant, broken-event, other-line, other-table, or what `Competition.of` finds.
    """
    if len(text) > MAX_FILE_LENGTH:
        raise InvalidCompetition("too-long", most=MAX_FILE_LENGTH)
    return _read_json(text) if text.lstrip().startswith("{") else _read_text(text)


def _read_text(text: str) -> CupFile:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    if lines[0] != f"{FILE_FORMAT} {FILE_VERSION}":
        raise InvalidCompetition("not-a-cup", line=1, expected=f"{FILE_FORMAT} {FILE_VERSION}")
    if _EVENTS_HEADING not in lines:
        raise InvalidCompetition("broken-file", line=len(lines))
    names: dict[int, str] = {}
    seed = None
    for line in lines[1 : lines.index("") if "" in lines else len(lines)]:
        if found := _ENTRANT_PATTERN.fullmatch(line):
            names[int(found[1])] = found[2]
        elif line.startswith(_SEED_PREFIX):
            seed = line.removeprefix(_SEED_PREFIX)
    events, at = [], lines.index(_EVENTS_HEADING) + 1
    while at < len(lines) and lines[at]:
        events.append(_event(_parsed(lines[at], at + 1), line=at + 1))
        at += 1
    file = CupFile(names, tuple(events), seed, dict(_records(lines, at)))
    expected = [line.rstrip() for line in file.text().rstrip().split("\n")]
    for number, (found_line, line) in enumerate(zip([*lines, ""], [*expected, ""], strict=False), start=1):
        if found_line != line:
            raise InvalidCompetition(
                "other-line", line=number, text=shorten_value(found_line), expected=shorten_value(line)
            )
    return file


def _records(lines: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    """Yield the records after the events, with the ids of their games."""
    starts = [number for number in range(at, len(lines)) if _RECORD_PATTERN.fullmatch(lines[number])]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start].removeprefix("Record "), "\n".join(lines[start + 1 : end]).rstrip() + "\n"


def _read_json(text: str) -> CupFile:
    whole = _parsed(text, None)
    if not isinstance(whole, dict) or (whole.get("form"), whole.get("version")) != (FILE_FORMAT, FILE_VERSION):
        raise InvalidCompetition("not-a-cup", expected=f"{FILE_FORMAT} {FILE_VERSION}")
    names, seed, records = whole.get("names"), whole.get("seed"), whole.get("records")
    if not _texts(names) or not _texts(records) or not isinstance(seed, str | None):
        raise InvalidCompetition("broken-file")
    if not isinstance(whole.get("events"), list) or not all(key.isdecimal() and len(key) < 7 for key in names):
        raise InvalidCompetition("broken-file")
    events = tuple(_event(each) for each in whole["events"])
    file = CupFile({int(key): name for key, name in names.items()}, events, seed, records)
    expected = json.loads(file.json())
    for part in ("game", "code", "names", "table"):
        if whole.get(part) != expected[part]:
            raise InvalidCompetition("other-table", part=part)
    return file


def _event(stored: object, line: int | None = None) -> tuple[datetime, CupEvent]:
    where = {} if line is None else {"line": line}
    if not isinstance(stored, dict) or not all(isinstance(stored.get(each), str) for each in ("at", "kind")):
        raise InvalidCompetition("broken-event", kind="", **where)
    try:
        at = datetime.fromisoformat(stored["at"])
        return at, from_json(stored["kind"], stored.get("data"))
    except ValueError:
        raise InvalidCompetition("broken-event", kind=stored["kind"][:60], **where) from None
    except InvalidCompetition as error:
        raise InvalidCompetition(error.code, **{**error.params, **where}) from None


def _parsed(text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidCompetition("broken-file", **({} if line is None else {"line": line})) from None


def _texts(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(each, str) for each in (*value, *value.values()))
