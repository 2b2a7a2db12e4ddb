"""The export of a competition: text for people (with events as lines of JSON, and the games' records), or JSON.

Both have the same contents. Reading is strict: everything besides the events must follow from them (docs/records.md).
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Generic, Self, TypeGuard, TypeVar, cast

from bot.competitions.events import COMPUTER_ENTRANT, EventCodec, InvalidCompetition
from bot.competitions.state import CompetitionState
from engine.core import shorten_value
from engine.record_fields import MAX_NAME_LENGTH, find_bad_name, is_possible_year

FILE_VERSION: Final = 1
MAX_FILE_LENGTH: Final = 64_000_000
COMPUTER: Final = "computer"
_ENTRANT_PATTERN: Final = re.compile(r"Entrant ([0-9]{1,6}): ?(.*)")
_RECORD_PATTERN: Final = re.compile(r"Record ([A-Z0-9]{1,20})")
_EVENTS_HEADING: Final = "Events"
_SEED_PREFIX: Final = "Seed: "


S = TypeVar("S", bound=CompetitionState[Any, Any])


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game in a file: what it was opened for, its seats, and its places (None while it is played)."""

    slot: str
    seats: tuple[int, ...]
    places: tuple[int, ...] | None = None


@dataclass(frozen=True)
class CompetitionFile(ABC, Generic[S]):
    """An exported competition: names by entrant, events with their times, and records by game.

    It includes the `seed`, from which its games' seeds are derived, once it is over and no game is played.
    """

    form: ClassVar[str]
    """The first words of the file."""
    codec: ClassVar[EventCodec[Any]]
    state: ClassVar[type[CompetitionState[Any, Any]]]
    max_length: ClassVar[int] = MAX_FILE_LENGTH

    names: Mapping[int, str]
    events: tuple[tuple[datetime, Any], ...]
    seed: str | None = None
    records: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ends = {game: f"{record.rstrip()}\n" for game, record in self.records.items()}
        object.__setattr__(self, "records", ends)

    @cached_property
    def replay(self) -> S:
        """The state after all events; InvalidCompetition if they are invalid."""
        return cast("S", self.state.replay(self.events))

    @abstractmethod
    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""

    def _write_table(self) -> Iterable[str]:
        """Return the lines of the table, and of what else follows from the events."""
        return ["", "Table", *self._table_json()]

    @abstractmethod
    def _table_json(self) -> list[Any]: ...

    def _listed_entrants(self) -> Iterable[int]:
        return self.names

    def _write_terms(self) -> Iterable[str]:
        return (f"Clock: {self.replay.terms.clock}",)

    def name(self, entrant: int) -> str:
        """Return an entrant's name on one line."""
        if entrant == COMPUTER_ENTRANT:
            return COMPUTER
        return " ".join("".join(each if each.isprintable() else " " for each in self.names.get(entrant, "")).split())

    def text(self) -> str:
        """Return the file for people."""
        lines = [*self._write_headers(), *self._write_table(), "", _EVENTS_HEADING]
        lines += [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in self._stored_events()]
        for game, record in self.records.items():
            lines += ["", f"Record {game}", *record.rstrip().split("\n")]
        return "\n".join([*lines, ""])

    def json(self) -> str:
        """Return the file for programs."""
        whole = {
            "form": self.form,
            "version": FILE_VERSION,
            "game": self.replay.terms.game,
            "code": self.replay.code,
            "seed": self.seed,
            "names": {str(entrant): self.name(entrant) for entrant in sorted(self._listed_entrants())},
            "table": self._table_json(),
            "events": list(self._stored_events()),
            "records": dict(self.records),
        }
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    def _write_headers(self) -> Iterator[str]:
        yield f"{self.form} {FILE_VERSION}"
        yield f"Game: {self.replay.terms.game}"
        yield f"Code: {self.replay.code}"
        yield from self._write_terms()
        yield f"Seed hash: {self.replay.seed_hash}"
        if self.seed is not None:
            yield f"{_SEED_PREFIX}{self.seed}"
        for entrant in sorted(self._listed_entrants()):
            yield f"Entrant {entrant}: {self.name(entrant)}".rstrip()

    def _stored_events(self) -> Iterator[dict[str, Any]]:
        for at, event in self.events:
            yield {"at": at.isoformat(), "kind": self.codec.kind_of(event), "data": self.codec.to_json(event)}

    @classmethod
    def matches(cls, text: str) -> bool:
        """Return whether a text looks like such a file."""
        return text.startswith(cls.form) or (text.lstrip().startswith("{") and f'"{cls.form}"' in text[:200])

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the competition in a text or in JSON; InvalidCompetition has a code for the error, and the `line`.

        not-a-cup, broken-file, broken-entrant, broken-event, other-line, other-table, or what the replay finds.
        """
        if len(text) > cls.max_length:
            raise InvalidCompetition("too-long", most=cls.max_length)
        return cls._read_json(text) if text.lstrip().startswith("{") else cls._read_text(text)

    @classmethod
    def _read_text(cls, text: str) -> Self:
        lines = [line.rstrip() for line in text.replace("\r\n", "\n").rstrip().split("\n")]
        if lines[0] != f"{cls.form} {FILE_VERSION}":
            raise InvalidCompetition("not-a-cup", line=1, expected=f"{cls.form} {FILE_VERSION}")
        if _EVENTS_HEADING not in lines:
            raise InvalidCompetition("broken-file", line=len(lines))
        names: dict[int, str] = {}
        seed = None
        for line in lines[1 : lines.index("") if "" in lines else len(lines)]:
            if found := _ENTRANT_PATTERN.fullmatch(line):
                names[int(found[1])] = found[2]
            elif line.startswith(_SEED_PREFIX):
                seed = line.removeprefix(_SEED_PREFIX)
        _check_names(names)
        events, at = [], lines.index(_EVENTS_HEADING) + 1
        while at < len(lines) and lines[at]:
            events.append(cls._read_event(_parse_json(lines[at], at + 1), line=at + 1))
            at += 1
        file = cls(names, tuple(events), seed, dict(_read_records(lines, at)))
        expected = [line.rstrip() for line in file.text().rstrip().split("\n")]
        for number, (found_line, line) in enumerate(zip([*lines, ""], [*expected, ""], strict=False), start=1):
            if found_line != line:
                raise InvalidCompetition(
                    "other-line", line=number, text=shorten_value(found_line), expected=shorten_value(line)
                )
        return file

    @classmethod
    def _read_json(cls, text: str) -> Self:
        whole = _parse_json(text, None)
        if not isinstance(whole, dict) or (whole.get("form"), whole.get("version")) != (cls.form, FILE_VERSION):
            raise InvalidCompetition("not-a-cup", expected=f"{cls.form} {FILE_VERSION}")
        names, seed, records = whole.get("names"), whole.get("seed"), whole.get("records")
        if not _maps_texts(names) or not _maps_texts(records) or not isinstance(seed, str | None):
            raise InvalidCompetition("broken-file")
        if not isinstance(whole.get("events"), list) or not all(key.isdecimal() and len(key) < 7 for key in names):
            raise InvalidCompetition("broken-file")
        _check_names(names)
        events = tuple(cls._read_event(each) for each in whole["events"])
        file = cls({int(key): name for key, name in names.items()}, events, seed, records)
        expected = json.loads(file.json())
        for part in ("game", "code", "names", "table"):
            if whole.get(part) != expected[part]:
                raise InvalidCompetition("other-table", part=part)
        return file

    @classmethod
    def _read_event(cls, stored: object, line: int | None = None) -> tuple[datetime, Any]:
        where = {} if line is None else {"line": line}
        if not isinstance(stored, dict) or not all(isinstance(stored.get(each), str) for each in ("at", "kind")):
            raise InvalidCompetition("broken-event", kind="", **where)
        try:
            return _read_time(stored["at"]), cls.codec.from_json(stored["kind"], stored.get("data"))
        except ValueError:
            raise InvalidCompetition("broken-event", kind=stored["kind"][:60], **where) from None
        except InvalidCompetition as error:
            raise InvalidCompetition(error.code, **{**error.params, **where}) from None


def iterate_events(file: CompetitionFile[S]) -> Iterator[tuple[S, Any]]:
    """Yield each event of a file but the first, with the state before it; InvalidCompetition for an invalid one."""
    (at, first), *rest = file.events
    stands = cast("S", file.state.created(at, first))
    for at, event in rest:
        yield stands, event
        stands = stands.apply(at, event)


def _check_names(names: Mapping[Any, str]) -> None:
    """Raise InvalidCompetition for a name that is empty, too long, or another's, too."""
    bad = find_bad_name(names.values())
    if bad is not None:
        raise InvalidCompetition("broken-name", name=shorten_value(bad), most=MAX_NAME_LENGTH)


def _read_time(text: str) -> datetime:
    """Return a time in the form in which it is written; ValueError for anything else."""
    found = datetime.fromisoformat(text)
    if found.isoformat() != text or found.tzinfo is None or not is_possible_year(found):
        raise ValueError(text)
    return found


def _read_records(lines: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    """Yield the records after the events, with the ids of their games."""
    starts = [number for number in range(at, len(lines)) if _RECORD_PATTERN.fullmatch(lines[number])]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start].removeprefix("Record "), "\n".join(lines[start + 1 : end])


def _parse_json(text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidCompetition("broken-file", **({} if line is None else {"line": line})) from None


def _maps_texts(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(each, str) for each in (*value, *value.values()))
