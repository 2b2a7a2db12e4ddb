"""The export of a ladder or league: text for people (with events as lines of JSON, and games' records), or JSON.

Both have the same contents. Reading is strict: everything besides the events must follow from them (docs/records.md).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal

from bot.competitions.events import COMPUTER_ENTRANT, EventCodec, InvalidCompetition
from bot.competitions.ladder.events import LADDER_CODEC, ChallengeAttached, ChallengeResult
from bot.competitions.ladder.ladder import Ladder
from bot.competitions.league.events import LEAGUE_CODEC, FixtureAttached, FixtureResult, SeasonStarted
from bot.competitions.league.league import League
from bot.competitions.league.tables import division_competition
from bot.competitions.standings import format_points, ranking
from engine.core import shorten_value

SeasonKind = Literal["ladder", "league"]
FILE_VERSION: Final = 1
MAX_FILE_LENGTH: Final = 64_000_000
_FORMATS: Final[Mapping[SeasonKind, str]] = {"ladder": "Tavoliere ladder", "league": "Tavoliere league"}
SEASON_CODECS: Final[Mapping[SeasonKind, EventCodec[Any]]] = {"ladder": LADDER_CODEC, "league": LEAGUE_CODEC}
_ENTRANT_PATTERN: Final = re.compile(r"Entrant ([0-9]{1,6}): ?(.*)")
_EVENTS_HEADING: Final = "Events"
_SEED_PREFIX: Final = "Seed: "
_RECORD_PREFIX: Final = "Record "


@dataclass(frozen=True)
class PlayedGame:
    """A game in a file: what it was opened for, its seats, and its places (None while it is played)."""

    slot: str
    seats: tuple[int, ...]
    places: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SeasonFile:
    """An exported ladder or league: names, events with their times, and records by game.

    It includes the `seed`, from which its games' seeds are derived, once it is over and no game is played.
    """

    kind: SeasonKind
    names: Mapping[int, str]
    events: tuple[tuple[datetime, Any], ...]
    seed: str | None = None
    records: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def replay(self) -> Ladder | League:
        """Return the state after all events; InvalidCompetition if they are invalid."""
        return Ladder.replay(self.events) if self.kind == "ladder" else League.replay(self.events)

    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""
        return dict(_ladder_games(self.events) if self.kind == "ladder" else _league_games(self.events))

    def name(self, entrant: int) -> str:
        """Return a person's name on one line."""
        if entrant == COMPUTER_ENTRANT:
            return "computer"
        return " ".join("".join(each if each.isprintable() else " " for each in self.names.get(entrant, "")).split())

    def text(self) -> str:
        """Return the file for people."""
        lines = [f"{_FORMATS[self.kind]} {FILE_VERSION}", *self._headers(), "", "Table", *self._table()]
        lines += ["", _EVENTS_HEADING]
        lines += [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in self._stored_events()]
        for game, record in self.records.items():
            lines += ["", f"{_RECORD_PREFIX}{game}", *record.rstrip().split("\n")]
        return "\n".join([*lines, ""])

    def json(self) -> str:
        """Return the file for programs."""
        whole = {
            "form": _FORMATS[self.kind],
            "version": FILE_VERSION,
            "game": self.replay.terms.game,
            "code": self.replay.code,
            "seed": self.seed,
            "names": {str(number): self.name(number) for number in sorted(self.names)},
            "table": self._table(),
            "events": list(self._stored_events()),
            "records": dict(self.records),
        }
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    def _headers(self) -> Iterator[str]:
        yield f"Game: {self.replay.terms.game}"
        yield f"Code: {self.replay.code}"
        yield f"Clock: {self.replay.terms.clock}"
        yield f"Seed hash: {self.replay.seed_hash}"
        if self.seed is not None:
            yield f"{_SEED_PREFIX}{self.seed}"
        for number in sorted(self.names):
            yield f"Entrant {number}: {self.name(number)}".rstrip()

    def _table(self) -> list[str]:
        stands = self.replay
        if isinstance(stands, Ladder):
            return [f"{place}. {self.name(each)}" for place, each in enumerate(stands.order, start=1)]
        if stands.season is None:
            return []
        lines = []
        for number in range(1, len(stands.season.divisions) + 1):
            lines.append(f"Season {stands.season.number}, division {number}")
            rows = ranking(division_competition(stands, stands.season, number)).rows
            lines += [f"{row.place or '-'}. {self.name(row.entrant)}: {format_points(row.points)}" for row in rows]
        return lines

    def _stored_events(self) -> Iterator[dict[str, Any]]:
        codec = SEASON_CODECS[self.kind]
        for at, event in self.events:
            yield {"at": at.isoformat(), "kind": codec.kind_of(event), "data": codec.to_json(event)}


def season_file_kind(text: str) -> SeasonKind | None:
    """Return whether a text is the file of a ladder or of a league, None if of neither."""
    for kind, name in _FORMATS.items():
        if text.startswith(name) or (text.lstrip().startswith("{") and f'"{name}"' in text[:200]):
            return kind
    return None


def read_season_file(text: str) -> SeasonFile:
    """Return the ladder or league in a text or JSON; InvalidCompetition has a code for the error, and the `line`."""
    kind = season_file_kind(text)
    if kind is None:
        raise InvalidCompetition("broken-file")
    if len(text) > MAX_FILE_LENGTH:
        raise InvalidCompetition("too-long", most=MAX_FILE_LENGTH)
    return _read_json(kind, text) if text.lstrip().startswith("{") else _read_text(kind, text)


def _read_text(kind: SeasonKind, text: str) -> SeasonFile:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    if _EVENTS_HEADING not in lines:
        raise InvalidCompetition("broken-file", line=len(lines))
    names: dict[int, str] = {}
    seed = None
    for line in lines[1 : lines.index("")]:
        if found := _ENTRANT_PATTERN.fullmatch(line):
            names[int(found[1])] = found[2]
        elif line.startswith(_SEED_PREFIX):
            seed = line.removeprefix(_SEED_PREFIX)
    events, at = [], lines.index(_EVENTS_HEADING) + 1
    while at < len(lines) and lines[at]:
        events.append(_read_event(kind, lines[at], at + 1))
        at += 1
    file = SeasonFile(kind, names, tuple(events), seed, dict(_read_records(lines, at)))
    expected = [line.rstrip() for line in file.text().rstrip().split("\n")]
    for number, (found_line, line) in enumerate(zip([*lines, ""], [*expected, ""], strict=False), start=1):
        if found_line != line:
            raise InvalidCompetition(
                "other-line", line=number, text=shorten_value(found_line), expected=shorten_value(line)
            )
    return file


def _read_records(lines: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    starts = [number for number in range(at, len(lines)) if re.fullmatch(r"Record [A-Z0-9]{1,20}", lines[number])]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start].removeprefix(_RECORD_PREFIX), "\n".join(lines[start + 1 : end]).rstrip() + "\n"


def _read_json(kind: SeasonKind, text: str) -> SeasonFile:
    try:
        whole = json.loads(text)
        names = {int(key): str(name) for key, name in whole["names"].items()}
        records = {str(game): str(record) for game, record in whole["records"].items()}
        stored, seed = list(whole["events"]), whole["seed"]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise InvalidCompetition("broken-file") from None
    if not isinstance(seed, str | None) or whole.get("version") != FILE_VERSION:
        raise InvalidCompetition("broken-file")
    events = tuple(_read_event(kind, json.dumps(each)) for each in stored)
    file = SeasonFile(kind, names, events, seed, records)
    expected = json.loads(file.json())
    for part in ("game", "code", "names", "table"):
        if whole.get(part) != expected[part]:
            raise InvalidCompetition("other-table", part=part)
    return file


def _read_event(kind: SeasonKind, line: str, number: int | None = None) -> tuple[datetime, Any]:
    where = {} if number is None else {"line": number}
    try:
        stored = json.loads(line)
        at = datetime.fromisoformat(stored["at"])
        return at, SEASON_CODECS[kind].from_json(stored["kind"], stored["data"])
    except (ValueError, RecursionError, KeyError, TypeError):
        raise InvalidCompetition("broken-event", kind="", **where) from None
    except InvalidCompetition as error:
        raise InvalidCompetition(error.code, **{**error.params, **where}) from None


def _ladder_games(events: Sequence[tuple[datetime, Any]]) -> Iterator[tuple[str, PlayedGame]]:
    stands: Ladder | None = None
    opened: dict[int, tuple[str, PlayedGame]] = {}
    for at, event in events:
        if isinstance(event, ChallengeAttached) and stands is not None:
            seats = stands.open[event.challenge].seats or ()
            opened[event.challenge] = (event.game, PlayedGame(f"challenge {event.challenge}", seats))
        elif isinstance(event, ChallengeResult):
            game, played = opened[event.challenge]
            opened[event.challenge] = (game, PlayedGame(played.slot, played.seats, event.places))
        stands = Ladder.created(event) if stands is None else stands.apply(at, event)
    yield from opened.values()


def _league_games(events: Sequence[tuple[datetime, Any]]) -> Iterator[tuple[str, PlayedGame]]:
    season, opened = 0, dict[tuple[int, int], tuple[str, PlayedGame]]()
    for _, event in events:
        if isinstance(event, SeasonStarted):
            season = event.season
        elif isinstance(event, FixtureAttached):
            opened[season, event.fixture] = (event.game, PlayedGame(f"season {season} {event.fixture}", event.seats))
        elif isinstance(event, FixtureResult):
            game, played = opened[season, event.fixture]
            opened[season, event.fixture] = (game, PlayedGame(played.slot, played.seats, event.places))
    yield from opened.values()
