"""The state of a cup, folded from its events and their times alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeVar

from bot.competitions.events import (
    CUP_CODEC,
    MIN_ENTRANTS,
    AbsentSeats,
    Asked,
    BoardDecided,
    CommonTerms,
    CompetitionEvent,
    CupClosed,
    CupCreated,
    CupEnded,
    CupGave,
    CupPaused,
    CupPostponed,
    CupResult,
    CupResumed,
    CupStarted,
    CupTerms,
    Ending,
    Entered,
    Entrants,
    EventCodec,
    Excluded,
    Format,
    GameAttached,
    GameReplayed,
    Here,
    InvalidCompetition,
    Left,
    Missed,
    Places,
    RoundPaired,
    Seats,
    Stays,
    Walkover,
    people_of,
)
from engine.fair import CHAIN_PREFIX, is_hex, next_hash

ENTRY_LIFETIME: Final = timedelta(days=30)
"""Time for which a cup waits for entrants, from its creation or its planned start."""
MAX_PAUSE: Final = timedelta(days=14)
"""Maximum length of a pause; then the cup resumes automatically, because the person who paused it may be gone."""
MAX_LOT_WAIT: Final = timedelta(hours=1)
"""Time for which the lot waits, after entering has closed, for what browsers have committed to."""
HERE_TIMEOUT: Final = timedelta(minutes=5)
"""Time after the start of a live round in which its players have to confirm that they are there."""
MISSED: Final = "missed"
"""The reason of a live game that was not played because a person was not there."""


def are_places(places: Places, seats: int) -> bool:
    """Return whether these are valid places of a number of seats, shared ones counted 1, 1, 3."""
    return len(places) == seats and all(place == 1 + sum(other < place for other in places) for place in places)


@dataclass(frozen=True)
class CupGame:
    """A game of a board: its seats, its id once it is opened, and its result once it is over.

    A live game begins once all people in its seats are `here`, or without the others at `begins_by`.
    """

    seats: Seats
    id: str | None = None
    places: Places | None = None
    reason: str = ""
    absent: AbsentSeats = ()
    begins_by: datetime | None = None
    here: frozenset[int] = frozenset()

    @property
    def missing(self) -> Entrants:
        """The people that a live game still waits for; empty once it is opened, or over without having been played."""
        if self.begins_by is None or self.id is not None or self.places is not None:
            return ()
        return tuple(each for each in people_of(self.seats) if each not in self.here)

    def ended(self, places: Places, reason: str, absent: AbsentSeats) -> CupGame:
        """Return the game with its result; InvalidCompetition if it has none now."""
        if self.id is None:
            raise InvalidCompetition("no-game")
        if self.places is not None:
            raise InvalidCompetition("result-already")
        if not are_places(places, len(self.seats)) or not set(absent) <= set(range(len(self.seats))):
            raise InvalidCompetition("broken-result")
        return replace(self, places=places, reason=reason, absent=absent)

    def others(self, entrant: int) -> list[int]:
        """Return the people in the other seats."""
        return [other for other in people_of(self.seats) if other != entrant]

    @property
    def is_ready(self) -> bool:
        """Whether it can be opened, but is not open yet."""
        return self.id is None and self.places is None and not self.missing

    @property
    def is_unplayed(self) -> bool:
        """Whether it is over without having been played, because a person was not there."""
        return self.id is None and self.reason == MISSED

    @property
    def is_draw(self) -> bool:
        """Whether it ended with a shared first place."""
        return self.places is not None and self.places.count(1) > 1

    def result_of(self, entrant: int) -> Literal["win", "draw", "loss"]:
        """Return the result of a finished game for one of its entrants."""
        if self.places is None or self.places[self.seats.index(entrant)] > 1:
            return "loss"
        return "draw" if self.is_draw else "win"

    @property
    def winner(self) -> int | None:
        """The only winner (or COMPUTER_ENTRANT); None while it is played, for a draw, or if no one was there."""
        return None if self.places is None or self.places.count(1) != 1 else self.seats[self.places.index(1)]


@dataclass(frozen=True)
class CupBoard:
    """A board of a round with its games; more than one only if a drawn game is replayed.

    `decided` is the entrant who advances after a drawn last game: `by_lot`, or because the other has left.
    """

    games: tuple[CupGame, ...]
    decided: int | None = None
    by_lot: bool = False

    @property
    def entrants(self) -> Entrants:
        """The players in the seats of the first game; COMPUTER_ENTRANT for computers."""
        return self.games[0].seats

    @property
    def last(self) -> CupGame:
        """The newest game."""
        return self.games[-1]

    @property
    def winner(self) -> int | None:
        """The winner of the board, by a game or by the decision after it."""
        return self.decided if self.decided is not None else self.last.winner


@dataclass(frozen=True)
class CupRound:
    """A round: its boards, walkovers and byes."""

    number: int
    boards: tuple[CupBoard, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: Entrants = ()


FoundGame = tuple[int, int, int, CupGame]
"""A game with its round (from 1), its board and its number on that board (from 0)."""


@dataclass(frozen=True, slots=True)
class CurrentGame:
    """A game of a competition that is to be opened, or is played now: its slot, its seats, its id once it is opened.

    `attached` returns the event that attaches the game with an id. `ended` returns the event of its result, for the
    places of its seats, the reason of its end, and the seats that never moved; None if its result does not count any
    more.
    """

    slot: str
    seats: Seats
    game: str | None
    attached: Callable[[str], CompetitionEvent]
    ended: Callable[[Places, str, AbsentSeats], CompetitionEvent] | None


Stage = Literal["open", "running", "over"]
TimedEvent = tuple[datetime, Any]
NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""Before all events."""


@dataclass(frozen=True)
class Entrant:
    """An entrant: whether they take part, have left or were excluded.

    `asked`: they never made a first move in a game, and have not confirmed yet that they still take part.
    """

    number: int
    cause: str
    state: Literal["in", "left", "excluded"] = "in"
    asked: bool = False


T = TypeVar("T", bound=CommonTerms)
N = TypeVar("N", bound=Entrant)


@dataclass(frozen=True)
class CompetitionState(ABC, Generic[T, N]):
    """The state of a competition of one kind; `revision` is the number of its events, `at` the time of the newest.

    The first event is a `created_by`; `handlers` apply the later ones. `stages` has the only stage of some events.
    """

    terms: T
    code: str
    seed_hash: str
    stage: Stage = "running"
    entrants: Mapping[int, N] = field(default_factory=dict)
    revision: int = 1
    rules_version: int = 1
    at: datetime = NEVER

    created_by: ClassVar[type[Any]]
    codec: ClassVar[EventCodec]
    handlers: ClassVar[Mapping[type, Callable[..., Any]]]
    stages: ClassVar[Mapping[type, Stage]] = {}

    @classmethod
    def replay(cls, events: Iterable[TimedEvent], state: Self | None = None) -> Self:
        """Return the state after these events, which follow on a state, if there is one.

        InvalidCompetition has the number of the first invalid one.
        """
        for number, (at, event) in enumerate(events, start=1 if state is None else state.revision + 1):
            try:
                state = cls.created(at, event) if state is None else state.apply(at, event)
            except InvalidCompetition as error:
                raise InvalidCompetition(error.code, **{**error.params, "event": number}) from None
        if state is None:
            raise InvalidCompetition("no-events")
        return state

    @classmethod
    def created(cls, at: datetime, event: Any) -> Self:
        """Return the state after the first event."""
        if not isinstance(event, cls.created_by):
            raise InvalidCompetition("not-created")
        if problem := event.terms.problem():
            raise InvalidCompetition(problem)
        return cls(event.terms, event.code, event.seed_hash, at=at, rules_version=getattr(event, "rules_version", 1))

    def apply(self, at: datetime, event: Any) -> Self:
        """Return the state after one more event; InvalidCompetition has a code that says why it is invalid."""
        if self.over:
            raise InvalidCompetition("over")
        follow = self.handlers.get(type(event))
        if follow is None:
            raise InvalidCompetition("created-already")
        if (stage := self.stages.get(type(event), self.stage)) != self.stage:
            raise InvalidCompetition(f"not-{stage}")
        changed: Self = follow(replace(self, at=at, revision=self.revision + 1), event)
        return changed

    @property
    @abstractmethod
    def capacity(self) -> int:
        """The maximum number of entrants who take part at once."""

    @property
    @abstractmethod
    def next_due_at(self) -> datetime | None:
        """The time of the next automatic step, if nothing else happens before; None if none is certain."""

    @abstractmethod
    def current_games(self) -> Iterator[CurrentGame]:
        """Yield the games that are played now, and those that can be opened."""

    @abstractmethod
    def without(self, entrant: N) -> Any:
        """Return the state after a person has gone; `entrant` is their changed entry."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stage == "over"

    @property
    def may_return(self) -> bool:
        """Whether those who have left may come back."""
        return True

    @property
    def present(self) -> Entrants:
        """The numbers of the entrants who take part, including silent ones."""
        return tuple(number for number, each in sorted(self.entrants.items()) if each.state == "in")

    @property
    def is_full(self) -> bool:
        """Whether no more entrants fit."""
        return len(self.present) >= self.capacity

    def is_available(self, entrant: int) -> bool:
        """Return whether an entrant may be paired: they take part, and have answered if they were asked."""
        each = self.entrants[entrant]
        return each.state == "in" and not each.asked

    def with_entrants(self, *entrants: N) -> Self:
        """Return the state with changed entrants."""
        return replace(self, entrants={**self.entrants, **{each.number: each for each in entrants}})

    def find_entrant(self, entrant: int) -> N:
        """Return a person who takes part; InvalidCompetition (no-entrant)."""
        if entrant not in self.entrants or self.entrants[entrant].state != "in":
            raise InvalidCompetition("no-entrant")
        return self.entrants[entrant]

    def admit(self, entrant: N) -> Self:
        """Return the state after a person has entered or come back; InvalidCompetition says why they cannot."""
        number, known = entrant.number, self.entrants.get(entrant.number)
        if known is None and number != len(self.entrants):
            raise InvalidCompetition("entrant-number")
        if known is not None and known.state != "left":
            raise InvalidCompetition("entered-already" if known.state == "in" else "excluded")
        if self.is_full:
            raise InvalidCompetition("full")
        return self.with_entrants(entrant)

    def leave(self, event: Left) -> Any:
        """Return the state after a person has left."""
        return self.without(replace(self.find_entrant(event.entrant), state="left"))

    def exclude(self, event: Excluded) -> Any:
        """Return the state after a person was excluded, who then cannot come back."""
        known = self.entrants.get(event.entrant)
        if known is not None and known.state == "left" and self.may_return:
            return self.with_entrants(replace(known, state="excluded"))
        return self.without(replace(self.find_entrant(event.entrant), state="excluded"))

    def ask(self, event: Asked) -> Self:
        """Return the state after an entrant was asked whether they still take part."""
        known = self.find_entrant(event.entrant)
        if known.asked:
            raise InvalidCompetition("asked-already")
        return self.with_entrants(replace(known, asked=True))

    def stay(self, event: Stays) -> Self:
        """Return the state after an entrant who was asked has answered."""
        known = self.find_entrant(event.entrant)
        if not known.asked:
            raise InvalidCompetition("not-asked")
        return self.with_entrants(replace(known, asked=False))


AnyState = CompetitionState[Any, Any]
S = TypeVar("S", bound=AnyState)


MAX_REPLAYS: Final = 1
"""Number of replays of a drawn knock-out game before the lot decides."""


@dataclass(frozen=True)
class Competition(CompetitionState[CupTerms, Entrant]):
    """The state of a cup.

    `lots` are the entrants at the start in the order of the lot, `planned` is the maximum number of rounds, `until` the
    start time (None: when enough have entered). `closed`: no one can enter any more, since `closed_at`; then
    `drawn_among` are the entrants in the lot, and `given` is what browsers have revealed for it. `sharing` are entrants
    who share a browser with another, `uncounted` winners whose win does not count.
    """

    stage: Stage = "open"
    created_at: datetime = NEVER
    paused_at: datetime | None = None
    until: datetime | None = None
    lots: Entrants = ()
    ratings: Mapping[int, int] = field(default_factory=dict)
    planned: int = 0
    closed: CupClosed | None = None
    closed_at: datetime | None = None
    drawn_among: Entrants = ()
    given: Mapping[int, str] = field(default_factory=dict)
    sharing: Entrants = ()
    uncounted: Entrants = ()
    rounds: tuple[CupRound, ...] = ()
    ending: Ending | None = None
    behind: frozenset[int] = frozenset()
    """The entrants who are last regardless of their points: they have left a league's season."""

    created_by = CupCreated
    codec = CUP_CODEC

    @classmethod
    def created(cls, at: datetime, event: Any) -> Self:
        """Return the state after the first event."""
        begun = super().created(at, event)
        return replace(begun, until=begun.terms.starts_at, created_at=at)

    @property
    def capacity(self) -> int:
        """The maximum number of entrants."""
        return self.terms.most

    @property
    def may_return(self) -> bool:
        """Whether those who have left may come back: only before the start."""
        return self.stage == "open"

    @property
    def lapses_at(self) -> datetime:
        """The time until which it waits for entrants."""
        return (self.terms.starts_at or self.created_at) + ENTRY_LIFETIME

    @property
    def drawn_by(self) -> datetime | None:
        """The latest time of its lot; None before entering has closed and after the lot."""
        return None if self.closed_at is None or self.stage != "open" else self.closed_at + MAX_LOT_WAIT

    @property
    def rests_until(self) -> datetime | None:
        """When it resumes automatically; None while it is not paused."""
        return None if self.paused_at is None else self.paused_at + MAX_PAUSE

    @property
    def begins_by(self) -> datetime | None:
        """The time until which the next live game waits for its players; None if no game waits."""
        waiting = [game.begins_by for *_, game in self.games_to_wait_for()]
        return min((each for each in waiting if each is not None), default=None)

    @property
    def next_due_at(self) -> datetime | None:
        """The time of the next automatic step, if nothing else happens before."""
        if self.stage == "running":
            return self.begins_by
        return self.drawn_by or min(self.until or self.lapses_at, self.lapses_at)

    @property
    def paused(self) -> bool:
        """Whether no further round begins for now."""
        return self.paused_at is not None

    def without(self, entrant: Entrant) -> Self:
        """Return the state after a person has gone; `entrant` is their changed entry."""
        return self.with_entrants(replace(entrant, asked=False))

    @property
    def in_lot(self) -> list[int]:
        """The entrants in the lot by number: before entering has closed, all who take part."""
        return sorted(self.lots or self.drawn_among or self.present)

    @property
    def awaited(self) -> Entrants:
        """The entrants whose contribution to the lot is still awaited."""
        if self.closed is None or self.stage != "open":
            return ()
        inside = set(self.present)
        return tuple(each for each in self.closed.awaited if each in inside and each not in self.given)

    @property
    def seeded_entrants(self) -> Entrants:
        """The entrants at the start by rating, best first; equal ones in the order of the lot."""
        return tuple(sorted(self.lots, key=lambda entrant: (-self.ratings.get(entrant, 0), self.lots.index(entrant))))

    def is_done(self, board: CupBoard) -> bool:
        """Return whether a board is decided."""
        if board.last.places is None:
            return False
        return self.terms.format != Format.KNOCKOUT or board.winner is not None or board.last.is_unplayed

    @property
    def is_round_done(self) -> bool:
        """Whether the newest round is over; True before the first."""
        return not self.rounds or all(map(self.is_done, self.rounds[-1].boards))

    def games(self) -> Iterator[FoundGame]:
        """Yield every game."""
        for each in self.rounds:
            for at, board in enumerate(each.boards):
                for number, game in enumerate(board.games):
                    yield each.number, at, number, game

    def current_games(self) -> Iterator[CurrentGame]:
        """Yield the games that are played now, and those that can be opened."""
        for number, board, at, game in self.games():
            if game.places is None and not game.missing:
                attached, ended = partial(GameAttached, number, board, at), partial(CupResult, number, board, at)
                yield CurrentGame(f"{number}.{board}.{at}", game.seats, game.id, attached, ended)

    def games_to_wait_for(self) -> list[FoundGame]:
        """Return the live games that wait for a person."""
        return [found for found in self.games() if found[3].missing]

    def new_game(self, seats: Seats) -> CupGame:
        """Return a newly paired game; a live one waits until its people are there."""
        return CupGame(seats, begins_by=self.at + HERE_TIMEOUT if self.terms.is_live else None)

    def board_at(self, number: int, board: int) -> CupBoard:
        """Return a board of a round; InvalidCompetition if there is none."""
        if not 1 <= number <= len(self.rounds) or not 0 <= board < len(self.rounds[number - 1].boards):
            raise InvalidCompetition("no-board")
        return self.rounds[number - 1].boards[board]


def _with(state: Competition, number: int, at: int, board: CupBoard) -> Competition:
    each = state.rounds[number - 1]
    changed = replace(each, boards=(*each.boards[:at], board, *each.boards[at + 1 :]))
    return replace(state, rounds=(*state.rounds[: number - 1], changed, *state.rounds[number:]))


def _apply_entry(state: Competition, event: Entered) -> Competition:
    if state.closed is not None:
        raise InvalidCompetition("not-open")
    return state.admit(Entrant(event.entrant, event.cause))


def _postponed(state: Competition, event: CupPostponed) -> Competition:
    return replace(state, until=event.until)


def _apply_closing(state: Competition, event: CupClosed) -> Competition:
    if state.closed is not None:
        raise InvalidCompetition("not-open")
    if len(state.present) < MIN_ENTRANTS:
        raise InvalidCompetition("too-few")
    if not set(event.awaited) <= set(state.present):
        raise InvalidCompetition("other-entrants")
    return replace(state, closed=event, closed_at=state.at, drawn_among=state.present)


def _gave(state: Competition, event: CupGave) -> Competition:
    if event.entrant not in state.awaited:
        raise InvalidCompetition("not-awaited")
    if not is_hex(event.link) or f"{CHAIN_PREFIX}{next_hash(event.link)}" != state.entrants[event.entrant].cause:
        raise InvalidCompetition("broken-link")
    return replace(state, given={**state.given, event.entrant: event.link})


def _apply_start(state: Competition, event: CupStarted) -> Competition:
    if len(event.lots) < MIN_ENTRANTS:
        raise InvalidCompetition("too-few")
    if sorted(event.lots) != state.in_lot or not set(event.ratings) <= set(event.lots):
        raise InvalidCompetition("other-entrants")
    return replace(
        state, stage="running", lots=event.lots, ratings=event.ratings, planned=event.rounds, sharing=event.sharing
    )


def _apply_pairing(state: Competition, event: RoundPaired) -> Competition:
    if state.paused:
        raise InvalidCompetition("paused")
    if event.round != len(state.rounds) + 1 or event.round > state.planned:
        raise InvalidCompetition("other-round")
    if not state.is_round_done:
        raise InvalidCompetition("round-open")
    there = [*event.seated, *(walkover.winner for walkover in event.walkovers), *event.byes]
    everybody = [*there, *(walkover.loser for walkover in event.walkovers)]
    tables = [pairing.seats for pairing in event.pairings]
    fit = all(people_of(seats) and len(seats) <= state.terms.seats for seats in tables)
    if not fit or not Counter(everybody) <= Counter(state.lots):
        raise InvalidCompetition("broken-pairing")
    if not all(map(state.is_available, there)):
        raise InvalidCompetition("paired-gone")
    boards = tuple(CupBoard((state.new_game(seats),)) for seats in tables)
    return replace(state, rounds=(*state.rounds, CupRound(event.round, boards, event.walkovers, event.byes)))


def _apply_replay(state: Competition, event: GameReplayed) -> Competition:
    board = state.board_at(event.round, event.board)
    is_drawn = board.last.places is not None and not state.is_done(board)
    is_next = event.number == len(board.games) <= MAX_REPLAYS
    if not is_drawn or not is_next or sorted(event.seats) != sorted(board.entrants):
        raise InvalidCompetition("no-replay")
    games = (*board.games, state.new_game(event.seats))
    return _with(state, event.round, event.board, replace(board, games=games))


def _apply_presence(state: Competition, event: Here) -> Competition:
    for number, at, _, game in state.games_to_wait_for():
        if event.entrant in game.missing:
            return _with_game(state, number, at, replace(game, here=game.here | {event.entrant}))
    raise InvalidCompetition("not-awaited")


def _apply_absence(state: Competition, event: Missed) -> Competition:
    board = state.board_at(event.round, event.board)
    last = board.last
    if event.number != len(board.games) - 1 or set(event.absent) != set(last.missing) or not last.missing:
        raise InvalidCompetition("not-awaited")
    there = tuple(each for each in last.seats if each not in event.absent)
    if last.here and len(there) >= state.terms.fewest:
        return _with_game(state, event.round, event.board, replace(last, seats=there))
    absent = tuple(seat for seat, each in enumerate(last.seats) if each in event.absent)
    # If no person was there, no one is first, not even a computer.
    first, behind = (1, 1 + len(there)) if last.here else (len(last.seats), len(last.seats))
    places = tuple(first if each in there else behind for each in last.seats)
    ended = replace(last, places=places, reason=MISSED, absent=absent)
    return _with_game(state, event.round, event.board, ended)


def _with_game(state: Competition, number: int, at: int, game: CupGame) -> Competition:
    """Return the state with another last game on a board."""
    board = state.board_at(number, at)
    return _with(state, number, at, replace(board, games=(*board.games[:-1], game)))


def _apply_attachment(state: Competition, event: GameAttached) -> Competition:
    board = state.board_at(event.round, event.board)
    if event.number != len(board.games) - 1 or not board.last.is_ready:
        raise InvalidCompetition("attached-already")
    if any(game.id == event.game for _, _, _, game in state.games()):
        raise InvalidCompetition("game-twice")
    return _with_game(state, event.round, event.board, replace(board.last, id=event.game))


def _result(state: Competition, event: CupResult) -> Competition:
    board = state.board_at(event.round, event.board)
    if event.number != len(board.games) - 1:
        raise InvalidCompetition("no-game")
    ended = board.last.ended(event.places, event.reason, event.absent)
    return _with_game(state, event.round, event.board, ended)


def _apply_decision(state: Competition, event: BoardDecided) -> Competition:
    board = state.board_at(event.round, event.board)
    open_ = state.terms.format == Format.KNOCKOUT and board.last.is_draw and board.decided is None
    if not open_ or event.winner not in board.entrants or (event.lot and len(board.games) <= MAX_REPLAYS):
        raise InvalidCompetition("not-drawn")
    return _with(state, event.round, event.board, replace(board, decided=event.winner, by_lot=event.lot))


def _paused(state: Competition, _event: CupPaused) -> Competition:
    if state.paused:
        raise InvalidCompetition("paused")
    return replace(state, paused_at=state.at)


def _resumed(state: Competition, _event: CupResumed) -> Competition:
    if not state.paused:
        raise InvalidCompetition("not-paused")
    return replace(state, paused_at=None)


def _apply_end(state: Competition, event: CupEnded) -> Competition:
    if (event.why == Ending.LAPSED) != (state.stage == "open" and event.why != Ending.STOPPED):
        raise InvalidCompetition("other-end")
    if event.why == Ending.PLAYED and not state.is_round_done:
        raise InvalidCompetition("round-open")
    return replace(state, stage="over", ending=event.why, uncounted=event.uncounted)


Competition.handlers = {
    Entered: _apply_entry,
    Left: Competition.leave,
    Excluded: Competition.exclude,
    CupPostponed: _postponed,
    CupClosed: _apply_closing,
    CupGave: _gave,
    CupStarted: _apply_start,
    RoundPaired: _apply_pairing,
    GameReplayed: _apply_replay,
    Here: _apply_presence,
    Missed: _apply_absence,
    GameAttached: _apply_attachment,
    CupResult: _result,
    BoardDecided: _apply_decision,
    Asked: Competition.ask,
    Stays: Competition.stay,
    CupPaused: _paused,
    CupResumed: _resumed,
    CupEnded: _apply_end,
}
_AT_ANY_TIME: Final = (Left, Excluded, CupGave, CupEnded)
_BEFORE_THE_START: Final = (Entered, CupPostponed, CupClosed, CupStarted)
Competition.stages = {
    each: "open" if each in _BEFORE_THE_START else "running"
    for each in Competition.handlers
    if each not in _AT_ANY_TIME
}
