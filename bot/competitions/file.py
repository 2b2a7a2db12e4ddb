"""The export of a competition: text for people (with events as lines of JSON, and the games' records), or JSON.

Both have the same content. Reading is strict: everything else must follow from the events (docs/records.md).
"""

import hmac
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Generic, Self, cast

from pydantic import Field, TypeAdapter, ValidationError

from bot.competitions import pairing as course
from bot.competitions.competition import AnyState, Competition, CupGame, CupRound, S, TimedEvent
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    BoardDecided,
    CupEnded,
    CupStarted,
    Ending,
    GameReplayed,
    InvalidCompetition,
    Places,
    RoundPaired,
    Seats,
)
from bot.competitions.ladder import (
    ChallengeAccepted,
    Ladder,
    draw_beginner,
)
from bot.competitions.league import League, SeasonStarted
from bot.competitions.seasons import division_rows, make_divisions, plan_fixtures
from bot.competitions.standings import StandingRow, format_points, ranking
from engine.core import places_with_draw, shorten_value
from engine.fair import hash_seed, is_hex
from engine.games import games
from engine.record import (
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    InvalidRecord,
    Record,
    find_bad_name,
    is_possible_year,
    make_printable,
    verify,
)
from storage import Json

FILE_VERSION: Final = 1
MAX_FILE_LENGTH: Final = 64_000_000
COMPUTER: Final = "computer"
_ENTRANT_PATTERN: Final = re.compile(r"Entrant ([0-9]{1,6}): ?(.*)")
_RECORD_PATTERN: Final = re.compile(r"Record ([A-Z0-9]{1,20})")
_EVENTS_HEADING: Final = "Events"
_SEED_PREFIX: Final = "Seed: "


@dataclass(frozen=True)
class _StoredFile:
    """What a file in JSON has besides what follows from its events; `names` by entrant."""

    names: dict[Annotated[str, Field(pattern="^[0-9]{1,6}$")], str]
    events: list[Any]
    records: dict[str, str]
    seed: str | None = None


@dataclass(frozen=True)
class _StoredEvent:
    """An event in a file."""

    at: str
    kind: str
    data: Any = None


_STORED: Final = TypeAdapter(_StoredFile)
_STORED_EVENT: Final = TypeAdapter(_StoredEvent)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game in a file: its slot (board, fixture or challenge), its seats, and its places (None while it is played)."""

    slot: str
    seats: Seats
    places: Places | None = None


@dataclass(frozen=True)
class CompetitionFile(ABC, Generic[S]):
    """An exported competition: names by entrant, events with their times, and records by game.

    It includes the `seed`, from which its games' seeds are derived, once it is over and no game is played.
    """

    form: ClassVar[str]
    """The first words of the file."""
    state: ClassVar[type[AnyState]]
    max_length: ClassVar[int] = MAX_FILE_LENGTH

    names: Mapping[int, str]
    events: tuple[TimedEvent, ...]
    seed: str | None = None
    records: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ends = {game: f"{record.rstrip()}\n" for game, record in self.records.items()}
        object.__setattr__(self, "records", ends)

    @cached_property
    def replay(self) -> S:
        """The state after all events; InvalidCompetition if they are invalid."""
        return cast("S", self.state.replay(self.events))

    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""
        found: dict[str, PlayedGame] = {}
        opened: dict[str, str] = {}
        for before, event in iterate_events(self):
            kind = self.state.codec.kind_of(event)
            if kind == "attached":
                game = self._find_game(before, event)
                opened[game.slot], found[event.game] = event.game, game
            elif kind == "result":
                name = opened[self._find_game(before, event).slot]
                found[name] = replace(found[name], places=event.places)
        return found

    @abstractmethod
    def _find_game(self, before: S, event: Any) -> PlayedGame:
        """Return the game that an event attaches or ends, with its seats if it attaches it."""

    def _write_table(self) -> Iterable[str]:
        """Return the lines of the table, and other lines that follow from the events."""
        return ["", "Table", *self._table_json()]

    @abstractmethod
    def _table_json(self) -> list[Any]: ...

    @abstractmethod
    def check_event(self, before: S, event: object) -> int:
        """Check one event against the state before it; return the number of lots drawn."""

    def _listed_entrants(self) -> Iterable[int]:
        return self.names

    def _write_terms(self) -> Iterable[str]:
        terms = self.replay.terms
        # Write a clock with a reserve by its name, other clocks in seconds.
        return (f"Clock: {terms.clock if terms.time_control.reserve is None else terms.time_control.name}",)

    def name(self, entrant: int) -> str:
        """Return an entrant's name on one line."""
        if entrant == COMPUTER_ENTRANT:
            return COMPUTER
        return make_printable(self.names.get(entrant, ""))

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

    def _write_row(self, row: StandingRow) -> str:
        return f"{row.place or '-'}. {self.name(row.entrant)}: {format_points(row.points)}"

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

    def _stored_events(self) -> Iterator[Json]:
        codec = self.state.codec
        for at, event in self.events:
            yield {"at": at.isoformat(), "kind": codec.kind_of(event), "data": codec.to_json(event)}

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
            try:
                events.append(cls._read_event(_parse_json(lines[at])))
            except InvalidCompetition as error:
                raise InvalidCompetition(error.code, **error.params, line=at + 1) from None
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
        whole = _parse_json(text)
        if not isinstance(whole, dict) or (whole.get("form"), whole.get("version")) != (cls.form, FILE_VERSION):
            raise InvalidCompetition("not-a-cup", expected=f"{cls.form} {FILE_VERSION}")
        try:
            stored = _STORED.validate_python(whole)
        except ValidationError:
            raise InvalidCompetition("broken-file") from None
        _check_names(stored.names)
        events = tuple(map(cls._read_event, stored.events))
        file = cls({int(key): name for key, name in stored.names.items()}, events, stored.seed, stored.records)
        expected = json.loads(file.json())
        for part in ("game", "code", "names", "table"):
            if whole.get(part) != expected[part]:
                raise InvalidCompetition("other-table", part=part)
        return file

    @classmethod
    def _read_event(cls, stored: object) -> TimedEvent:
        try:
            found = _STORED_EVENT.validate_python(stored)
            return _read_time(found.at), cls.state.codec.from_json(found.kind, found.data)
        except ValueError:
            raise InvalidCompetition("broken-event") from None


def iterate_events(file: CompetitionFile[S]) -> Iterator[tuple[S, Any]]:
    """Yield each event of a file but the first, with the state before it; InvalidCompetition for an invalid one."""
    (at, first), *rest = file.events
    state = cast("S", file.state.created(at, first))
    for at, event in rest:
        yield state, event
        state = state.apply(at, event)


def _check_names(names: Mapping[Any, str]) -> None:
    """Raise InvalidCompetition for a name that is empty, too long, or not unique."""
    bad = find_bad_name(names.values())
    if bad is not None:
        raise InvalidCompetition("broken-name", name=shorten_value(bad), most=MAX_NAME_LENGTH)


def _read_time(text: str) -> datetime:
    """Return a time from its written form; ValueError for anything else."""
    found = datetime.fromisoformat(text)
    if found.isoformat() != text or found.tzinfo is None or not is_possible_year(found):
        raise ValueError(text)
    return found


def _read_records(lines: Sequence[str], at: int) -> Iterator[tuple[str, str]]:
    """Yield the records after the events, with the ids of their games."""
    starts = [number for number in range(at, len(lines)) if _RECORD_PATTERN.fullmatch(lines[number])]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start].removeprefix("Record "), "\n".join(lines[start + 1 : end])


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidCompetition("broken-file") from None


class CupFile(CompetitionFile[Competition]):
    """An exported cup."""

    form = "Tavoliere competition"
    state = Competition
    max_length = 4 * MAX_TEXT_LENGTH

    def _find_game(self, before: Competition, event: Any) -> PlayedGame:
        seats = before.board_at(event.round, event.board).last.seats
        return PlayedGame(f"{event.round}.{event.board}.{event.number}", seats)

    def _listed_entrants(self) -> Mapping[int, object]:
        return self.replay.entrants

    def _write_terms(self) -> Iterator[str]:
        yield f"Format: {self.replay.terms.format}"
        yield from super()._write_terms()

    def _table_json(self) -> list[Any]:
        rows = ranking(self.replay)
        return [
            {
                "entrant": row.entrant,
                "place": row.place,
                "points": format_points(row.points),
                "ties": {str(rule): format_points(value) for rule, value in zip(rows.rules, row.breaks, strict=True)},
            }
            for row in rows.rows
        ]

    def _write_table(self) -> Iterator[str]:
        if self.replay.lots:
            rows = ranking(self.replay)
            yield from ("", "Table")
            for row in rows.rows:
                ties = ", ".join(
                    f"{rule} {format_points(value)}" for rule, value in zip(rows.rules, row.breaks, strict=True)
                )
                yield self._write_row(row) + (f" ({ties})" if ties else "") + (" out" if row.out else "")
        for each in self.replay.rounds:
            yield from ("", f"Round {each.number}")
            yield from self._write_boards(each)
            for walkover in each.walkovers:
                yield f"{self.name(walkover.winner)} without playing against {self.name(walkover.loser)}"
            for entrant in each.byes:
                yield f"{self.name(entrant)}: bye"

    def _write_boards(self, each: CupRound) -> Iterator[str]:
        for number, board in enumerate(each.boards, start=1):
            for game in board.games:
                yield f"{number}. {self._write_game(game)}"
            if board.decided is not None:
                yield f"{number}. {self.name(board.decided)} goes on {'by lot' if board.by_lot else 'alone'}"

    def _write_game(self, game: CupGame) -> str:
        names = " - ".join(self.name(entrant) for entrant in game.seats)
        if game.places is None:
            return f"{names}: {game.id or ''} *".replace(":  ", ": ")
        return f"{names}: {game.id or '-'} {','.join(map(str, game.places))} {game.reason}"

    def check_event(self, before: Competition, event: object) -> int:
        """Check one event against the state before it; return the number of lots drawn."""
        if isinstance(event, CupStarted):
            if event.rounds != course.round_count(before, len(event.lots)):
                raise InvalidCompetition("other-end")
            if self.seed is not None and event.lots != course.draw_order(before, self.seed):
                raise InvalidCompetition("other-lot")
            return int(self.seed is not None)
        if isinstance(event, BoardDecided) and event.lot and self.seed is not None:
            if event.winner != course.draw_winner(before, self.seed, event.round, event.board):
                raise InvalidCompetition("other-lot")
            return 1
        if (
            isinstance(event, GameReplayed)
            and event.seats != before.board_at(event.round, event.board).last.seats[::-1]
        ):
            raise InvalidCompetition("other-pairing", round=event.round)
        if isinstance(event, RoundPaired):
            _check_round(before, event)
        if isinstance(event, CupEnded) and event.why == Ending.PLAYED and len(before.rounds) < before.planned:
            there = sum(map(before.is_available, before.lots))
            if not before.terms.format.pairs_by_points or there > before.terms.fewest:
                raise InvalidCompetition("other-end")
        return 0


def _check_round(before: Competition, event: RoundPaired) -> None:
    """Check a round: exactly for a round robin or a bracket, otherwise only that all available entrants are in it.

    Swiss rounds and tables depend on blocks, which are private and not in the file.
    """
    if not before.terms.format.pairs_by_points:
        if event != course.pair_round(before):
            raise InvalidCompetition("other-pairing", round=event.round)
        return
    there = {entrant for entrant in before.lots if before.is_available(entrant)}
    following = course.pair_round(before)
    sizes = sorted(len(pairing.seats) for pairing in event.pairings)
    same = sizes == sorted(len(pairing.seats) for pairing in following.pairings)
    if {*event.seated, *event.byes} != there or event.walkovers or not same or len(event.byes) != len(following.byes):
        raise InvalidCompetition("other-pairing", round=event.round)


class LadderFile(CompetitionFile[Ladder]):
    """An exported ladder."""

    form = "Tavoliere ladder"
    state = Ladder

    def _find_game(self, before: Ladder, event: Any) -> PlayedGame:
        return PlayedGame(f"challenge {event.challenge}", before.open[event.challenge].seats or ())

    def _table_json(self) -> list[Any]:
        return [f"{place}. {self.name(each)}" for place, each in enumerate(self.replay.order, start=1)]

    def check_event(self, before: Ladder, event: object) -> int:
        """Check who began if the lot decided it; return the number of lots."""
        if self.seed is None or not isinstance(event, ChallengeAccepted):
            return 0
        if event.first != draw_beginner(before, self.seed, before.open[event.challenge]):
            raise InvalidCompetition("other-lot")
        return int(event.first is not None)


class LeagueFile(CompetitionFile[League]):
    """An exported league; its table is that of the newest season."""

    form = "Tavoliere league"
    state = League

    def _find_game(self, before: League, event: Any) -> PlayedGame:
        return PlayedGame(f"season {before.season.number} {event.fixture}", getattr(event, "seats", ()))

    def _table_json(self) -> list[Any]:
        state, season, lines = self.replay, self.replay.season, list[str]()
        for number in range(1, len(season.divisions) + 1):
            lines.append(f"Season {season.number}, division {number}")
            lines += map(self._write_row, division_rows(state, season, number))
        return lines

    def check_event(self, before: League, event: object) -> int:
        """Check that divisions follow from the season before, and that each has a full round robin; no lot is drawn."""
        if isinstance(event, SeasonStarted):
            if event.divisions != make_divisions(before, event.ratings, event.rules_version):
                raise InvalidCompetition("other-pairing", round=event.season)
            # Do not compare larger tables: they depend on blocks, which are private and not in the file.
            expected = plan_fixtures(before.terms, event.divisions, event.season, rules_version=event.rules_version)
            two = before.terms.seats == 2
            if event.fixtures != expected if two else len(event.fixtures) != len(expected):
                raise InvalidCompetition("other-pairing", round=event.season)
        return 0


FILE_TYPES: Final[Mapping[str, type[CompetitionFile[Any]]]] = {
    "cup": CupFile,
    "league": LeagueFile,
    "ladder": LadderFile,
}


@dataclass(frozen=True)
class VerifiedCompetition:
    """The numbers of checked events, lots (of a cup, the one at the start included) and games.

    `unseen` games have no record in the file, or a record without a seed, or one of a package that is not installed.
    Where the seed is still secret, lots are not checked.
    """

    events: int
    lots: int
    games: int
    unseen: int


def check_file(file: CompetitionFile[Any]) -> VerifiedCompetition:
    """Check a competition whose events and table were checked when it was read.

    InvalidCompetition: no-seed, other-seed, other-lot, other-pairing, other-end, other-result, other-game-seed, or the
    code of an invalid event; InvalidRecord for a wrong record of a game.
    """
    state, seed = file.replay, file.seed
    # The games' seeds are derived from this seed: it stays secret while a game of a stopped cup is still played.
    is_played = isinstance(state, Competition) and state.over and all(game.places for *_, game in state.games())
    if seed is None and is_played:
        raise InvalidCompetition("no-seed")
    if seed is not None and (not is_hex(seed) or hash_seed(seed) != state.seed_hash):
        raise InvalidCompetition("other-seed")
    lots = 0
    for number, (before, event) in enumerate(iterate_events(file), start=2):
        try:
            lots += file.check_event(before, event)
        except InvalidCompetition as error:
            raise InvalidCompetition(error.code, **error.params, event=number) from None
    return VerifiedCompetition(len(file.events), lots, *_check_games(file))


def _check_games(file: CompetitionFile[Any]) -> tuple[int, int]:
    """Check the records against the results; return the numbers of checked and of unchecked games."""
    checked = unseen = 0
    opened = file.games()
    if stray := next((game for game in file.records if game not in opened), None):
        raise InvalidCompetition("other-result", game=stray)
    for game, played in opened.items():
        seen = _check_record(file, game, played)
        checked += seen
        unseen += not seen and played.places is not None
    return checked, unseen


def _check_record(file: CompetitionFile[Any], name: str, played: PlayedGame) -> bool:
    """Check the record of a game; return whether there was one that could be checked."""
    code, game, text = file.replay.code, file.replay.terms.game, file.records.get(name)
    if text is None or game not in games:
        return False
    try:
        record = Record.from_text(text)
        if (record.game_id, record.cup, record.game) != (name, code, game):
            raise InvalidCompetition("other-result", game=name)
        if record.seed is None:
            return False
        verify(record)
    except InvalidRecord as error:
        raise InvalidRecord(error.code, error.cause, **{**error.params, "record": name}) from None
    # A game's seed is derived from the competition's seed and the slot.
    secret = b"" if file.seed is None else bytes.fromhex(file.seed)
    if secret and record.seed != hmac.digest(secret, f"{code} game {played.slot}".encode(), "sha256").hex():
        raise InvalidCompetition("other-game-seed", game=name)
    if played.places is not None and played.places not in _places(record):
        raise InvalidCompetition("other-result", game=name)
    return True


def _places(record: Record) -> tuple[Places, ...]:
    """Return the places that a record may end with; a game ended by the table itself is a draw."""
    state = record.last_state()
    if state.outcome is not None:
        return (state.outcome.places,)
    drawn = places_with_draw(record.seats, state.dropped)
    return (drawn, (1,) * record.seats) if record.result == "abandoned" else (drawn,)
