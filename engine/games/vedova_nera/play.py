"""La Vedova Nera once the pawns stand on the web: the phase `play`, its end included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from engine.core import (
    PASS,
    Action,
    Game,
    IllegalAction,
    InvalidPosition,
    Outcome,
    State,
    make_immutable,
    places_with_draw,
    places_with_winner,
)
from engine.games.vedova_nera import explain
from engine.games.vedova_nera.tables import (
    CODES,
    COLOURS,
    COUNSELLOR,
    ENTER,
    ENTRIES,
    MARBLE,
    MARBLES,
    MAX_TURNS,
    NEXT_TO_TRAP,
    NO_ACTION,
    NO_NODE,
    OUTERMOST,
    PAWNS_BY_SEATS,
    RING_SLIDES,
    SPOKE_SLIDES,
    STABLE_PAWNS_FOR_MARBLE,
    STEP,
    STEPS,
    TRAPS,
    WEB,
    find_stable_pawns,
)
from engine.positions import REPETITIONS_FOR_DRAW, History, ending_fields, last_seat
from engine.topology import Topology

_FREE_OF_BANS: Final = {seats: (NO_NODE,) * seats for seats in PAWNS_BY_SEATS}


class Play(State):
    """A position of the phase `play`.

    `colours` are indices into COLOURS; `goals` and `pawns` are sets of nodes as bits; all three by seat.
    `counsellor`, `ban` (where the Counsellor may not go back to), `last_entry` and `entry_ban` (by seat) are
    nodes or NONE. `played` counts the turns of this phase.
    """

    __slots__ = (
        "_legal",
        "ban",
        "colours",
        "counsellor",
        "dropped",
        "entry_ban",
        "goals",
        "history",
        "last_entry",
        "occupied",
        "outcome",
        "pawns",
        "played",
        "seats",
        "to_move",
        "turn",
    )

    game: ClassVar[Game]

    def __init__(
        self,
        colours: tuple[int, ...],
        goals: tuple[int, ...],
        pawns: tuple[int, ...],
        counsellor: int,
        occupied: int,
        to_move: int | None,
        turn: int,
        played: int,
        ban: int,
        last_entry: int,
        entry_ban: tuple[int, ...],
        dropped: tuple[int, ...],
        history: History | None,
        outcome: Outcome | None,
    ) -> None:
        self.seats = len(colours)
        self.colours = colours
        self.goals = goals
        self.pawns = pawns
        self.counsellor = counsellor
        self.occupied = occupied
        self.to_move = to_move
        self.turn = turn
        self.played = played
        self.ban = ban
        self.last_entry = last_entry
        self.entry_ban = entry_ban
        self.dropped = dropped
        self.history = history
        self.outcome = outcome
        self._legal: tuple[Action, ...] | None = None
        self.__class__ = _Sealed

    @classmethod
    def begin(
        cls, colours: tuple[int, ...], goals: tuple[int, ...], counsellor: int, dropped: tuple[int, ...], turn: int
    ) -> Play:
        """Return the first position: each seat's pawns stand on the goals of the seat before it (rules, Setup 4)."""
        seats = len(colours)
        pawns = (goals[-1], *goals[:-1])
        first = next(seat for seat in range(seats) if seat not in dropped)
        bans = _FREE_OF_BANS[seats]
        history = History((first, counsellor, NO_NODE, NO_NODE, *bans, *goals, *pawns))
        occupied = sum(pawns) | 1 << counsellor
        return cls(
            colours, goals, pawns, counsellor, occupied, first, turn, 0, NO_NODE, NO_NODE, bans, dropped, history, None
        )

    @property
    def topology(self) -> Topology:
        """The web."""
        return WEB

    def off(self, seat: int) -> int:
        """Return how many pawns of the seat are off the board."""
        return PAWNS_BY_SEATS[self.seats] - self.pawns[seat].bit_count()

    def stable(self, seat: int) -> int:
        """Return the seat's stable pawns as bits (rules, Stable pawns)."""
        return find_stable_pawns(self.goals[seat], self.pawns[seat])

    def may_move_marbles(self, seat: int) -> bool:
        """Return whether the seat has enough stable pawns to move a marble."""
        return self.stable(seat).bit_count() >= STABLE_PAWNS_FOR_MARBLE[self.seats]

    def owner(self, node: int) -> int | None:
        """Return the seat whose pawn stands on the node."""
        return next((seat for seat, pawns in enumerate(self.pawns) if pawns >> node & 1), None)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return all legal actions: steps, slides of the Counsellor, entries, moves of marbles, or else `pass`."""
        if self._legal is None:
            object.__setattr__(self, "_legal", self._find_legal())
        return self._legal or ()

    def _find_legal(self) -> tuple[Action, ...]:
        mover = self.to_move
        if mover is None:
            return ()
        occupied = self.occupied
        own = rest = self.pawns[mover]
        found: list[Action] = []
        while rest:
            start = rest & -rest
            rest ^= start
            ends, steps = STEPS[start]
            found += steps[ends & ~occupied]
        at = self.counsellor
        line, slides = RING_SLIDES[at]
        found += slides[line & occupied]
        line, slides = SPOKE_SLIDES[at]
        found += slides[line & occupied]
        if self.ban >= 0:
            found = [action for action in found if CODES[action.text] != (COUNSELLOR, NO_NODE, self.ban)]
        if own.bit_count() < PAWNS_BY_SEATS[self.seats]:
            entries = OUTERMOST & ~occupied
            if self.entry_ban[mover] >= 0:
                entries &= ~(1 << self.entry_ban[mover])
            found += ENTRIES[entries]
        goals = self.goals[mover]
        if (goals & own).bit_count() >= STABLE_PAWNS_FOR_MARBLE[self.seats] and self.may_move_marbles(mover):
            hollows = ~sum(self.goals)
            while goals:
                start = goals & -goals
                goals ^= start
                ends, moves = MARBLES[start]
                found += moves[ends & hollows]
        return tuple(found) or (PASS,)

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return the actions whose piece traps pawns where it arrives (rules, Captures)."""
        return frozenset(action for action in actions if self._traps(action))

    def _traps(self, action: Action) -> bool:
        after = self.advance(action)
        if not isinstance(after, Play):
            return False
        return after.count_pawns() < self.count_pawns() + (action.verb == "enter")

    def count_pawns(self) -> int:
        """Return how many pawns stand on the web."""
        return sum(pawns.bit_count() for pawns in self.pawns)

    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal, unchecked."""
        code = CODES.get(action.text)
        mover = self.to_move
        if code is None or mover is None:
            return self._without(action.value)
        kind, start, end = code
        goals = self.goals
        pawns = self.pawns
        own = pawns[mover]
        counsellor = self.counsellor
        occupied = self.occupied
        seats = self.seats
        ban = last_entry = NO_NODE
        bans = _FREE_OF_BANS[seats]
        if kind == MARBLE:
            goals = (*goals[:mover], goals[mover] ^ (1 << start | 1 << end), *goals[mover + 1 :])
        elif kind != NO_ACTION:
            if kind == STEP:
                change = 1 << start | 1 << end
                own ^= change
                occupied ^= change
                pawns = (*pawns[:mover], own, *pawns[mover + 1 :])
            elif kind == COUNSELLOR:
                ban = counsellor
                occupied ^= 1 << counsellor | 1 << end
                counsellor = end
            elif kind == ENTER:
                own |= 1 << end
                occupied |= 1 << end
                pawns = (*pawns[:mover], own, *pawns[mover + 1 :])
                if seats == 2:
                    last_entry = end
            threatened = occupied & ~own & NEXT_TO_TRAP[end] & ~(1 << counsellor)
            if threatened:
                # With the Counsellor any pawn will do that is not the victim's fellow.
                partners = occupied ^ 1 << end if kind == COUNSELLOR else own | 1 << counsellor
                caught = _caught(end, threatened, partners, goals, pawns)
                if caught:
                    occupied ^= caught
                    pawns = tuple([seat & ~caught for seat in pawns])
                    if self.last_entry >= 0 and caught >> self.last_entry & 1:
                        bans = (NO_NODE, self.last_entry) if mover == 0 else (self.last_entry, NO_NODE)
        outcome: Outcome | None = None
        following: int | None = mover
        history: History | None = None
        turn = self.turn + 1
        played = self.played + 1
        dropped = self.dropped
        if own == goals[mover]:
            outcome = Outcome("complete", places_with_winner(seats, mover, dropped))
            following = None
        else:
            following = self._after(mover, dropped)
            history = History((following, counsellor, ban, last_entry, *bans, *goals, *pawns), self.history)
            if history.occurrences >= REPETITIONS_FOR_DRAW or played >= MAX_TURNS:
                outcome = _draw(history, seats, dropped)
                following = history = None
        return Play(
            self.colours, goals, pawns, counsellor, occupied, following, turn, played,
            ban, last_entry, bans, dropped, history, outcome,
        )  # fmt: skip

    def _after(self, seat: int, dropped: tuple[int, ...]) -> int:
        """Return the seat that moves next."""
        seat = seat + 1 if seat + 1 < self.seats else 0
        while seat in dropped:
            seat = seat + 1 if seat + 1 < self.seats else 0
        return seat

    def _without(self, seat: int) -> Play:
        """Return the state after a seat has left: only the seat to move changes (rules, Dropping out)."""
        dropped = (*self.dropped, seat)
        following = self.to_move
        turn, played = self.turn, self.played
        if seat == following:
            turn, played = turn + 1, played + 1
        outcome = last_seat(self.seats, dropped)
        history: History | None = None
        if outcome is None:
            if seat == following:
                following = self._after(seat, dropped)
            history = History(self._position(following))
            if played >= MAX_TURNS:
                outcome = _draw(history, self.seats, dropped)
                history = None
        return Play(
            self.colours, self.goals, self.pawns, self.counsellor, self.occupied,
            following if outcome is None else None, turn, played,
            self.ban, self.last_entry, self.entry_ban, dropped, history, outcome,
        )  # fmt: skip

    def after(self, previous: History | None) -> Play:
        """Return the same unfinished state with a history; InvalidPosition if that would have ended the game."""
        history = History(self._position(self.to_move), previous)
        if history.is_draw or self.played >= MAX_TURNS:
            raise InvalidPosition("broken-history")
        return Play(
            self.colours, self.goals, self.pawns, self.counsellor, self.occupied, self.to_move, self.turn, self.played,
            self.ban, self.last_entry, self.entry_ban, self.dropped, history, None,
        )  # fmt: skip

    def _position(self, to_move: int | None) -> tuple[int, ...]:
        """Return the part of the position that repetition compares; colours and leavers are constant in a history."""
        mover = NO_NODE if to_move is None else to_move
        return (mover, self.counsellor, self.ban, self.last_entry, *self.entry_ban, *self.goals, *self.pawns)

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says which rule forbids the action here."""
        return explain.refusal(self, action)

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        """Return why a turn ends here; two cells of which the first alone would do are one action from there."""
        rest = next(iter(explain.well_formed(text)), None)
        if rest is not None and rest.verb == "enter" and not text.startswith("+"):
            way = f"{action.target}-{rest.target}"
            if action.verb == "enter":
                return self.refusal(Action(way, "step", action.target, rest.target))
            if action.verb == "counsellor":
                return self.refusal(Action(f"K{way}", "counsellor", action.target, rest.target))
        return super().refusal_after(action, text)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the texts for an action: the Counsellor's slide may name its start, the plus may be left out."""
        if action.verb == "counsellor":
            return action.text, f"K{action.source}-{action.target}", f"{action.source}-{action.target}"
        if action.verb == "enter":
            return action.text, f"{action.target}"
        return (action.text,)

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions, legal or not, that the text may be meant as."""
        return explain.well_formed(text, WEB.names[self.counsellor])

    def key(self) -> tuple[Any, ...]:
        """Return what makes up the position."""
        reason = self.outcome.reason if self.outcome else ""
        return (self.seats, reason, *self._position(self.to_move), *self.colours, *self.dropped)

    def to_json(self) -> dict[str, Any]:
        """Return the position as the rules write it; `extra` holds the turns and the repetition history."""
        return {
            "game": self.game.key,
            "options": {},
            "seats": self.seats,
            "to_move": self.to_move,
            "phase": "play",
            "colours": [COLOURS[colour] for colour in self.colours],
            "marbles": {
                COLOURS[colour]: WEB.cells(goals) for colour, goals in zip(self.colours, self.goals, strict=True)
            },
            "pawns": [WEB.cells(pawns) for pawns in self.pawns],
            "off": [self.off(seat) for seat in range(self.seats)],
            "counsellor": WEB.names[self.counsellor],
            "counsellor_ban": _name(self.ban),
            "last_entry": _name(self.last_entry),
            "entry_ban": [_name(node) for node in self.entry_ban],
            # The position itself is the newest of its history: it need not be told twice.
            **ending_fields(self, self.history.previous if self.history else None, played=self.played),
        }


_Sealed = make_immutable(Play)


def _name(node: int) -> str | None:
    return None if node == NO_NODE else WEB.names[node]


def _draw(history: History, seats: int, dropped: tuple[int, ...]) -> Outcome:
    """Return the draw of a game that repeats itself or goes on for too long."""
    return Outcome("repetition" if history.is_draw else "no-progress", places_with_draw(seats, dropped))


def _caught(end: int, threatened: int, partners: int, goals: tuple[int, ...], pawns: tuple[int, ...]) -> int:
    """Return the pawns that a piece arriving on `end` traps (rules, Captures).

    `threatened` are the other players' pawns next to it, `partners` the pieces that can be the other of the pair.
    """
    caught = 0
    for victim, other in TRAPS[end]:
        if threatened & victim and partners & other:
            for seat, theirs in enumerate(pawns):
                if theirs & victim:
                    if not theirs & other and not victim & find_stable_pawns(goals[seat], theirs):
                        caught |= victim
                    break
    return caught
