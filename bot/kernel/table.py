"""A game at its table: its stored row, position, people, lobby and recent turns; and games that cannot be read.

Games of a kind that is not installed now count as unreadable, too; they continue once it is installed again.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Self

import structlog
from cachetools import LRUCache

from bot.kernel.line import Line, Step, TableDraws, read_contributions, read_line
from bot.kernel.names import clean_name, log_unknown_name, tell_apart
from bot.kernel.operations.listening import describe_outage
from bot.kernel.refusals import Refused
from bot.kernel.texts import Span, Speaker
from engine import CHANCE, EngineError, Game, InvalidPosition, State, games
from engine.core import places_with_draw
from engine.fair import CHAIN_PREFIX
from engine.record import FORGOTTEN_NAME
from engine.search import LEVELS
from engine.turn import Turns
from storage import GameRow, Json, NewEvent, NewResult, Offer, OfferKind, Offers
from storage.competition_schema import COMPETITION_KINDS
from storage.schema import LIVE, PEOPLE_POOL, SLOW, GameBrief, Pace, Person, Seat

COMPUTER_POOL: Final = "computer"
"""The pool of games against computers."""
TEAM_POOL: Final = "teams"
"""The pool of games in which a team has a seat; they are rated for teams only."""

MOVED_KEY: Final = "moved"
"""The key, in `last_turn`, of the revision at which the position last changed: offers make no button stale."""


PLANNED_KEY: Final = "planned"
"""The key, in `last_turn`, of the number of last turns that were played as planned."""


def start_state(row: GameBrief) -> State:
    """Return the position in which a game starts, before any roll or deal."""
    return games[row.game].start(row.seat_count, row.options)


def planned_turns(row: GameRow) -> int:
    """Return how many of the last turns of a game were played as planned."""
    return int((row.last_turn or {}).get(PLANNED_KEY, 0))


def competition_kind(row: GameRow) -> str:
    """Return the kind of the competition that a game belongs to, by default a cup."""
    kind = row.terms.cup_kind
    return kind if kind in COMPETITION_KINDS else "cup"


def last_moved_revision(row: GameRow) -> int:
    """Return the revision at which the position of a game last changed."""
    return int((row.last_turn or {}).get(MOVED_KEY, 0))


def step_events(steps: Sequence[Step], row: GameRow, draws: TableDraws | None, **extra: Any) -> tuple[NewEvent, ...]:
    """Return the events for steps; `extra` goes into the data of the first one.

    Without `draws` the steps contain no chance.
    """
    people = people_by_seat(row)
    events: list[NewEvent] = []
    for step in steps:
        drawn = draws.data(step.draw) if draws is not None and step.draw is not None else {}
        data = step.to_json() | drawn | (extra if not events else {})
        events.append(NewEvent("action", data, None if step.auto or step.seat is None else people.get(step.seat)))
    return tuple(events)


def moved_row(
    row: GameRow, line: Line, now: datetime, steps: int, *, moved: Collection[int] | None = None, planned: int = 0
) -> GameRow:
    """Return the row of a game with its new line after some events; offers lapse, and news is cleared.

    `moved` are the seats that have moved: an offer of a draw stays unless one of them still has to answer it. `planned`
    is the number of last turns that were planned.
    """
    state = line.state
    people = people_by_seat(row)
    remaining = tuple(
        each
        for each in row.offers.pending
        if each.kind == OfferKind.DRAW and moved is not None and state.outcome is None and set(moved) <= {*each.agreed}
    )
    changed = replace(
        row,
        position=line.position,
        last_turn={**line.to_json(), MOVED_KEY: row.revision + steps, **({PLANNED_KEY: planned} if planned else {})},
        offers=Offers(pending=remaining),
        reminder=None,
        turn=line.finished_turn_count,
        to_move=people.get(state.to_move) if state.to_move is not None else None,
    )
    if state.outcome is None:
        return changed
    return replace(changed, status="over", outcome=state.outcome.to_json(), ended_at=now)


def moving_seats(events: Sequence[NewEvent]) -> set[int] | None:
    """Return the seats that moved in some events; None if a person left the game."""
    if any("why" in event.data for event in events):
        return None
    return {event.data["seat"] for event in events if "seat" in event.data and not event.data.get("auto")}


def ended_row(row: GameRow, now: datetime, reason: str, places: Sequence[int] = ()) -> GameRow:
    """Return the row of a game that the table ends; without places, the game has no winner or loser."""
    outcome: Json = {"reason": reason, "places": list(places)} if places else {"reason": reason}
    return replace(row, status="over", outcome=outcome, ended_at=now, to_move=None, offers=Offers(), reminder=None)


def deserted_places(row: GameRow, line: Line) -> tuple[int, ...]:
    """Return the places of an unfinished game in which only computers still play; empty while a person plays.

    People who have left keep their places.
    """
    state = line.state
    people = [entry for entry in row.seats if entry.computer is None and state.is_playing(entry.seat)]
    return () if people else places_with_draw(row.seat_count, state.dropped)


def is_computer_due(row: GameRow) -> bool:
    """Return True if a computer is to move, or to answer an offer of a draw."""
    if not row.is_playing or row.position is None:
        return False
    return has_computer(row) if row.to_move is None else is_draw_unanswered(row)


def is_draw_unanswered(row: GameRow) -> bool:
    """Return True if a computer still has to answer an offer of a draw."""
    draws = (offer for offer in row.offers.pending if offer.kind == OfferKind.DRAW)
    return any(not set(computer_seats(row)).issubset(draw.agreed) for draw in draws)


def computer_seats(row: GameRow) -> list[int]:
    """Return the seats of a running game at which a computer still plays."""
    dropped = (row.position or {}).get("dropped", ())
    return [
        entry.seat
        for entry in row.seats
        if entry.computer is not None and entry.seat is not None and entry.seat not in dropped
    ]


def final_results(row: GameRow, line: Line) -> tuple[NewResult, ...]:
    """Return the result of every seat; empty before the game has ended."""
    outcome = line.state.outcome
    if outcome is None:
        return ()
    return results_from_places(row, outcome.reason, outcome.places)


def results_from_places(row: GameRow, reason: str, places: Sequence[int]) -> tuple[NewResult, ...]:
    """Return the results for some places; a casual game, or one with a computer, is unrated."""
    people = people_by_seat(row)
    computer = has_computer(row)
    rated = row.terms.rated and not computer
    pool = TEAM_POOL if row.terms.team is not None else COMPUTER_POOL if computer else PEOPLE_POOL
    pace = pace_of(row)
    return tuple(
        NewResult(seat, place, reason, people.get(seat), rated and seat not in row.progress.unrated, pool, pace=pace)
        for seat, place in enumerate(places)
    )


def has_computer(brief: GameBrief) -> bool:
    """Return True if a computer plays in a game."""
    return any(entry.computer is not None for entry in brief.seats)


def pace_of(brief: GameBrief) -> Pace:
    """Return the pace of the ratings in which a game counts: live games, or all others."""
    return LIVE if brief.terms.is_live else SLOW


def people_by_seat(row: GameRow) -> dict[int, int | None]:
    """Return the person at every seat of a game that has started."""
    return {entry.seat: entry.person for entry in row.seats if entry.seat is not None}


DEFAULT_LEVEL: Final = 2


def load_level(stored: str) -> int:
    """Return a stored level; the default for an unknown level, which is logged once."""
    level = int(stored) if stored.isdecimal() and len(stored) == 1 else 0
    if level in LEVELS:
        return level
    log_unknown_name("level", stored)
    return DEFAULT_LEVEL


_COMPUTER_PATTERN: Final = re.compile(r"Computer(?: [1-9])? \(level ([1-5])\)")
LINE_CACHE_SIZE: Final = 512


@dataclass(frozen=True, slots=True)
class GamePeople:
    """A game's people by seat, with a name for every seat; computers' names are in the language of `voice`.

    Without a voice, computers have the names that records use.
    """

    brief: GameBrief
    people: Mapping[int, Person]
    voice: Speaker | None = field(default=None, kw_only=True)

    def in_language(self, voice: Speaker | None) -> Self:
        """Return the same people with names in the language of a speaker."""
        return self if voice is self.voice else replace(self, voice=voice)

    def words_for(self, speaker: Speaker) -> Speaker:
        """Return a speaker of the same language with the words of the game."""
        return speaker.of(self.brief.game)

    @property
    def game(self) -> Game:
        """The game's rules."""
        return games[self.brief.game]

    def seat_entry(self, seat: int | None) -> Seat | None:
        """Return the entry of a seat of the game, None before the lot is drawn."""
        return next((entry for entry in self.brief.seats if entry.seat == seat), None) if seat is not None else None

    def person_at(self, seat: int | None) -> int | None:
        """Return the person at a seat, None for a computer or an empty seat."""
        entry = self.seat_entry(seat)
        return entry.person if entry else None

    def level_at(self, seat: int | None) -> int | None:
        """Return the level of a seat's computer, None for a person or an empty seat."""
        entry = self.seat_entry(seat)
        return load_level(entry.computer) if entry is not None and entry.computer is not None else None

    @property
    def teams(self) -> list[Person]:
        """The teams at the table."""
        people = [self.people.get(entry.person or 0) for entry in self.brief.seats]
        return [person for person in people if person is not None and person.team_place is not None]

    def seat_of(self, person: int) -> int | None:
        """Return a person's seat, None if they do not play or the lot has not been drawn yet."""
        return next((entry.seat for entry in self.brief.seats if entry.person == person), None)

    def entry_of(self, person: int) -> Seat | None:
        """Return the entry of an invited or joined person."""
        return next((entry for entry in self.brief.seats if entry.person == person), None)

    def entry_name(self, entry: Seat) -> str:
        """Return the name of the person or computer of an entry; no other name in the game looks like it."""
        # Computers have numbers, and people's names never look like theirs.
        people = sorted((each for each in self.brief.seats if each.computer is None), key=lambda each: each.number)
        if entry not in people:
            return self._own_name(entry)
        return tell_apart(tuple(map(self._own_name, people)))[people.index(entry)]

    def _own_name(self, entry: Seat) -> str:
        if entry.person is not None and entry.person in self.people:
            return self.people[entry.person].name or FORGOTTEN_NAME
        if entry.computer is not None:
            return computer_name(self.voice, str(load_level(entry.computer)), self.computer_number(entry))
        return clean_name(entry.name or "?")

    def computer_number(self, entry: Seat) -> int | None:
        """Return the number of an entry among several computers, in the order shown; None if it is the only one."""
        seats = self.brief.seats
        computers = sorted(
            (each for each in seats if each.computer is not None),
            key=lambda each: (len(seats) if each.seat is None else each.seat, each.number),
        )
        numbers = [each.number for each in computers]
        return numbers.index(entry.number) + 1 if entry.number in numbers and len(numbers) > 1 else None

    @property
    def name_spans(self) -> list[Span]:
        """The names of all seats in their order."""
        return [self.name_span(seat) for seat in range(self.brief.seat_count)]

    def name_span(self, seat: int | None) -> Span:
        """Return the name at a seat as rich text; a question mark for none."""
        entry = self.seat_entry(seat)
        return self.entry_span(entry) if entry else Span("?")

    def entry_span(self, entry: Seat) -> Span:
        """Return the name of the person or computer of an entry as rich text."""
        is_handle = entry.state == "invited" and entry.person is None
        return Span(self.entry_name(entry), bold=True, person=entry.person, handle=is_handle)

    def person_span(self, person: int) -> Span:
        """Return the name of one of the people as rich text."""
        if (entry := self.entry_of(person)) is not None:
            return self.entry_span(entry)
        known = self.people.get(person)
        return Span((known.name if known else "?") or FORGOTTEN_NAME, bold=True, person=person)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by seat of the game, once the lot is drawn."""
        return tuple(span.text for span in self.name_spans)


def computer_name(voice: Speaker | None, level: str, number: int | None = None) -> str:
    """Return the name of a computer player, with its number if a game has several; in English without a voice."""
    if voice is None:
        return f"Computer (level {level})" if number is None else f"Computer {number} (level {level})"
    if number is None:
        return voice.line("computer.name", level=level)
    return voice.line("computer.name.one-of", number=number, level=level)


def computer_level(name: str) -> str | None:
    """Return the level of a computer player with a name in a record, None for a person's name."""
    found = _COMPUTER_PATTERN.fullmatch(name)
    return found[1] if found else None


@dataclass(frozen=True, slots=True)
class Table(GamePeople):
    """A game with its row; `line` is None in the lobby."""

    row: GameRow
    line: Line | None

    @property
    def id(self) -> str:
        """The code of the game."""
        return self.row.id

    @property
    def playing(self) -> Line:
        """The line of a game that has started."""
        if self.line is None:
            raise ValueError(f"game {self.row.id} has not started")
        return self.line

    def check_started(self) -> None:
        """Raise Refused if the game has not started."""
        if self.line is None:
            raise Refused("refusal.not-started", code=self.row.id)

    def check_unfinished(self) -> None:
        """Raise Refused if the game is over."""
        if self.row.is_over:
            raise Refused("refusal.is-over")

    @property
    def mover(self) -> int | None:
        """The seat to move, None if the game is over or has not started."""
        seat = self.line.state.to_move if self.line and self.row.is_playing else None
        return None if seat == CHANCE else seat

    @property
    def voting_team(self) -> Person | None:
        """The team to move, which votes on its turn; None for any other player."""
        if self.row.terms.team is None:
            return None
        return next((team for team in self.teams if team.id == self.person_at(self.mover)), None)


class LineCache:
    """A cache of the newest lines, so that a press need not parse a whole position again.

    The key is game, revision and time, so a cached line never contradicts the database, even after a failed
    transaction.
    """

    def __init__(self, most: int = LINE_CACHE_SIZE) -> None:
        self._lines: LRUCache[tuple[str, int, datetime], Line] = LRUCache(most)

    def read(self, row: GameRow) -> Line | None:
        """Return the line of a row; raises InvalidPosition if it is broken."""
        if row.position is None:
            return None
        line = self._lines.get((row.id, row.revision, row.updated_at))
        if line is None:
            line = read_line(games[row.game], row.position, row.last_turn)
            seated = [entry.seat for entry in row.seats if entry.seat is not None]
            if line.state.seats != row.seat_count or any(seat not in range(row.seat_count) for seat in seated):
                raise InvalidPosition("seats")
            self.keep(row, line)
        return line

    def keep(self, row: GameRow, line: Line) -> None:
        """Cache the line of a row."""
        self._lines[row.id, row.revision, row.updated_at] = line


DECODE_ERRORS: Final = (EngineError, ValueError, TypeError, LookupError, AttributeError)
"""Exceptions that reading damaged data may raise."""

log = structlog.get_logger(__name__)


class BrokenGame(EngineError):
    """A game's stored data is inconsistent, and is left unchanged; the parameter `game` is the game's code.

    If its record is broken, the code is broken-record, and `number` is the number of the broken event.
    """


class NotInstalled(BrokenGame):
    """A game of a kind that is not installed now; the parameter `key` is its kind, `game` its code."""


def report_broken_game(log: Any, error: Exception, **where: Any) -> None:
    """Log a game that cannot be read, with `where` as details."""
    if isinstance(error, NotInstalled):
        log.info("game-not-installed", key=error.params["key"], **where)
    else:
        log.error("broken-game", reason=describe_outage(error), **where)


@contextmanager
def translate_errors(game: str) -> Iterator[None]:
    """Convert errors in reading a stored game into BrokenGame, and log them."""
    try:
        yield
    except BrokenGame as error:
        log.error("broken-game", **error.params, reason=describe_outage(error))
        raise
    except DECODE_ERRORS as error:
        log.error("broken-game", game=game, reason=describe_outage(error))
        raise BrokenGame("broken-game", game=game) from error


@contextmanager
def name_broken_event(game: str, number: int) -> Iterator[None]:
    """Convert errors in replaying an event into a BrokenGame that names the event."""
    try:
        yield
    except BrokenGame:
        raise
    except DECODE_ERRORS as error:
        raise broken_event(game, number) from error


def broken_event(game: str, number: int) -> BrokenGame:
    """Return the error for an event of a game that is missing or cannot be replayed."""
    return BrokenGame("broken-record", game=game, number=number)


def missing_seats(table: Table, offer: Offer) -> list[int]:
    """Return the seats whose consent an offer still lacks: all active seats that have not agreed.

    A computer agrees automatically, since its games are unrated, except that it evaluates an offer of a draw. The seat
    that is to change hands is not asked.
    """
    state = table.playing.state
    asked = [seat for seat in range(table.row.seat_count) if state.is_playing(seat) and seat != offer.seat]
    if offer.kind == OfferKind.WAIT:
        asked = [seat for seat in asked if seat != table.mover]
    left = [seat for seat in asked if seat not in offer.agreed]
    return left if offer.kind == OfferKind.DRAW else [seat for seat in left if table.person_at(seat) is not None]


def list_asked_people(table: Table, offer: Offer) -> list[int]:
    """Return the people who have to answer an offer; empty if only computers are asked."""
    people = [table.person_at(seat) for seat in missing_seats(table, offer)]
    return [person for person in people if person is not None]


def list_joined_seats(row: GameRow) -> list[Seat]:
    """Return the entries of joined players, in the order of joining."""
    return [entry for entry in row.seats if entry.state == "joined"]


def player_key(entry: Seat) -> int:
    """Return the key of a player: the person's id, or a computer's level as a negative number."""
    return entry.person or (-load_level(entry.computer) if entry.computer is not None else 0)


def rotates_seats(row: GameRow) -> bool:
    """Return True if the players get rotated seats from the repeated game, without a lot."""
    return sorted(row.terms.order) == sorted(map(player_key, list_joined_seats(row)))


def list_awaited_people(row: GameRow) -> tuple[int, ...]:
    """Return the people whose contribution to the lot a full lobby waits for.

    A person who joins on the page commits to a number of their choice, or to none, so with the seed they could predict
    the result. Those who joined earlier therefore contribute an unpredictable value afterwards. Teams cannot
    contribute.
    """
    if not row.is_lobby or row.chance is None or row.terms.team is not None:
        return ()
    inside = list_joined_seats(row)
    chained = [entry.number for entry in inside if (entry.joined_by or "").startswith(CHAIN_PREFIX)]
    if not chained or len(inside) < row.seat_count:
        return ()
    facts = games[row.game].facts if row.game in games else None
    if facts is None or (rotates_seats(row) and not facts.rolls and not facts.deals):
        return ()  # there is no draw at the start
    before = [entry.person for entry in inside if entry.number < chained[-1] and entry.person is not None]
    done = read_contributions(row.chance).done
    return tuple(person for person in before if person not in done)


def list_manual_starters(row: GameRow) -> tuple[int, ...]:
    """Return the awaited people without a page that contributes automatically."""
    chained = {entry.person for entry in row.seats if (entry.joined_by or "").startswith(CHAIN_PREFIX)}
    return tuple(person for person in list_awaited_people(row) if person not in chained)


def list_recent_turns(table: Table, reader: int | None = None) -> Turns:
    """Return the turns to describe in a started game, oldest first: those since the last turn of a seat.

    The seat is the reader's; for everybody, that of the player to move. While a computer thinks, the message that
    notified the last person is continued: it repeats its turns and adds the person's turn and the following ones. The
    final message has all turns since the last one of the player who has waited longest. The newest turn is always
    included: the turn in progress if its player has acted. Planned turns are included together with the turn that they
    answer.
    """
    line, mover = table.playing, table.mover
    finished = line.newest_turns
    if reader is not None and reader not in line.state.dropped:
        shown = line.turns_since(reader)
    elif mover is None:
        shown = max((line.turns_since(seat) for seat in _people_seats(table)), key=len, default=())
    elif table.level_at(mover) is None:
        shown = line.turns_since(mover)
    else:
        last = next((turn.seat for turn in reversed(finished) if turn.seat in _people_seats(table)), None)
        shown = finished if last is None else line.turns_since(last, back=2)
    if planned := planned_turns(table.row):
        shown = max(shown, finished[-planned - 1 :], key=len)
    return with_current_turn(line, shown)


def with_current_turn(line: Line, shown: Turns) -> Turns:
    """Return turns to describe, always with the newest turn: `Line.shown_turn` is the last."""
    shown = shown or line.newest_turns[-1:]
    return (*shown, line.begun) if line.begun is not None and (line.has_acted or not shown) else shown


def _people_seats(table: Table) -> list[int]:
    """Return the seats that people play."""
    dropped = table.playing.state.dropped
    return [seat for seat in range(table.row.seat_count) if seat not in dropped and table.level_at(seat) is None]
