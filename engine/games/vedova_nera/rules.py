"""La Vedova Nera once the pawns stand on the web: the phase `play`, its end included.

The web of La Vedova Nera as numbers: lines, traps, and every action of the game ready made.

A node, and the hollow of the same name, is an index into `WEB` (spoke * 4 + ring - 1); sets are 32 bits.

What players type in La Vedova Nera, and which rule stands in the way of what they may not do.

Codes of IllegalAction, with their params:

- any action: must-act; foreign-action (text); no-such-seat (seat); no-chance-due; colours-chosen; turn-is-over (text)
- captures, which no one names: captures-happen (cell)
- steps: counsellor-not-a-pawn, no-pawn, not-your-pawn, stays-put, node-taken (cell); too-far (piece, cell,
  distance, range); through-middle (piece, cell)
- the Counsellor: counsellor-elsewhere (piece: where it was said to be, counsellor: where it is);
  counsellor-stays-put, counsellor-straight-back (cell); counsellor-off-line, counsellor-through-middle
  (counsellor, cell); counsellor-node-taken (cell); counsellor-blocked (cell, blockers)
- entries: none-off; enter-outermost (cell, ring, outermost); entry-taken, entry-ban (cell)
- marbles: no-marble, not-your-marble, marble-stays-put, hollow-taken (cell); too-few-stable (n, needed);
  marble-too-far (piece, cell, distance, range); marble-through-middle (piece, cell)
- while colours are chosen: colours-first; black-is-counsellor; colour-taken (colour)
- before the deal: deal-first; wrong-deal
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, takewhile
from operator import or_
from typing import Any, ClassVar, Final, TypeAlias

from engine.core import (
    PASS,
    Action,
    Actions,
    Game,
    IllegalAction,
    InvalidPosition,
    Json,
    Outcome,
    Seats,
    State,
    make_immutable,
    places_with_draw,
    places_with_winner,
)
from engine.notation import ITALIAN_COLOURS
from engine.positions import REPETITIONS_FOR_DRAW, History, ending_fields, last_seat
from engine.topology import Topology, list_indices, make_bits, web

COLOURS: Final = ("red", "green", "yellow", "blue", "white")
BLACK: Final = "black"
PAWNS_BY_SEATS: Final = {2: 6, 3: 5, 4: 4, 5: 3}
"""Number of pawns, and of marbles, of each colour, by number of seats."""
STABLE_PAWNS_FOR_MARBLE: Final = {2: 4, 3: 3, 4: 2, 5: 2}
"""Number of stable pawns that a player needs to move a marble, by number of seats."""
MAX_TURNS: Final = 500
"""Turns of the phase `play` after which the game is a draw."""

SPOKES: Final = 8
RINGS: Final = 4
WEB: Final = web(SPOKES, RINGS)
NO_NODE: Final = -1
"""No node: no ban, no entry."""

RING: Final = tuple(make_bits(spoke * RINGS + ring for spoke in range(SPOKES)) for ring in range(RINGS))
"""The nodes of each ring, innermost first."""
OUTERMOST: Final = RING[-1]
UP_TO: Final[tuple[int, ...]] = tuple(accumulate(RING, or_))
"""The nodes of each ring and of all rings inside it."""


def node_index(spoke: int, ring: int) -> int:
    """Return the index of a node; spokes are cyclic, rings count from 0."""
    return spoke % SPOKES * RINGS + ring


def _rays(start: int) -> tuple[tuple[int, ...], ...]:
    """Return the nodes that a slide from `start` passes: both ways round its ring, inwards, outwards."""
    spoke, ring = divmod(start, RINGS)
    return (
        tuple(node_index(spoke + step, ring) for step in range(1, SPOKES)),
        tuple(node_index(spoke - step, ring) for step in range(1, SPOKES)),
        tuple(node_index(spoke, inner) for inner in reversed(range(ring))),
        tuple(node_index(spoke, outer) for outer in range(ring + 1, RINGS)),
    )


RAYS: Final = tuple(_rays(start) for start in range(len(WEB)))
"""For each node the four ways along its ring and its spoke, nearest node first."""

TRAPS: Final = tuple(tuple((1 << ray[0], 1 << ray[1]) for ray in rays if len(ray) > 1) for rays in RAYS)
"""For each node that a piece arrives on, the neighbours it can trap with the node of the other piece."""
NEXT_TO_TRAP: Final = tuple(sum(caught for caught, _ in traps) for traps in TRAPS)
"""For each node, all neighbours that a piece arriving on it can trap."""

BySeat: TypeAlias = tuple[int, ...]
"""A number, or a set of nodes as bits, for each seat."""

ByFree = dict[int, Actions]

CHOOSE: Final = {colour: Action(colour, "colour", value=colour) for colour in COLOURS}
STEP, COUNSELLOR, ENTER, MARBLE, NO_ACTION = range(5)
CODES: Final[dict[str, tuple[int, int, int]]] = {PASS.text: (NO_ACTION, NO_NODE, NO_NODE)}
"""The kind, start node (or NO_NODE) and end node of each action of the phase `play`, by text."""


_FORMS: Final = {
    STEP: ("step", "{source}-{target}"),
    COUNSELLOR: ("counsellor", "K{target}"),
    ENTER: ("enter", "+{target}"),
    MARBLE: ("marble", "M{source}-{target}"),
}
"""The verb of each kind, and how it is written."""


def name_action(kind: int, source: str | None, target: str) -> Action:
    """Return the action of a kind from node to node, given by their names, whether or not it can ever be legal."""
    verb, form = _FORMS[kind]
    return Action(form.format(source=source, target=target), verb, source, target)


def _action(kind: int, start: int, end: int) -> Action:
    """Return the one Action object for a kind and its nodes."""
    action = name_action(kind, None if start == NO_NODE else WEB.names[start], WEB.names[end])
    CODES[action.text] = (kind, NO_NODE if kind == COUNSELLOR else start, end)
    return action


def _subsets(members: int) -> Iterable[int]:
    """Yield every set of some of the members, the empty one last."""
    part = members
    while part:
        yield part
        part = (part - 1) & members
    yield 0


def _by_free(actions: dict[int, Action]) -> tuple[int, ByFree]:
    """Return the ends of the actions as bits, and for every set of free ends the actions to them."""
    ends = make_bits(actions)
    return ends, {free: tuple(actions[end] for end in list_indices(free)) for free in _subsets(ends)}


def _to_neighbours(kind: int) -> dict[int, tuple[int, ByFree]]:
    return {
        1 << start: _by_free({end: _action(kind, start, end) for end in WEB.neighbours[start]})
        for start in range(len(WEB))
    }


STEPS: Final = _to_neighbours(STEP)
"""For each node as a bit: its neighbours, and the steps to those of them that are free."""
MARBLES: Final = _to_neighbours(MARBLE)
"""The same for marbles and hollows."""
ENTRIES: Final[ByFree] = _by_free({end: _action(ENTER, NO_NODE, end) for end in list_indices(OUTERMOST)})[1]
"""For every set of free nodes of the outermost ring the entries to them."""
SLIDE: Final = tuple(
    {end: _action(COUNSELLOR, start, end) for end in sorted({*rays[0], *rays[2], *rays[3]})}
    for start, rays in enumerate(RAYS)
)
"""For each node of the Counsellor and each other node in line with it the slide there."""


def open_ray(ray: tuple[int, ...], occupied: int) -> tuple[int, ...]:
    """Return the nodes of a ray up to the first occupied one."""
    return tuple(takewhile(lambda end: not occupied >> end & 1, ray))


def _slides(start: int, rays: tuple[tuple[int, ...], ...]) -> tuple[int, ByFree]:
    """Return the nodes of a line, and for every set of occupied ones the slides that are open."""
    line = make_bits(end for ray in rays for end in ray)
    table = {}
    for occupied in _subsets(line):
        ends = make_bits(end for ray in rays for end in open_ray(ray, occupied))
        table[occupied] = tuple(SLIDE[start][end] for end in list_indices(ends))
    return line, table


RING_SLIDES: Final = tuple(_slides(start, rays[:2]) for start, rays in enumerate(RAYS))
"""For each node: the other nodes of its ring, and for every set of occupied ones the Counsellor's slides."""
SPOKE_SLIDES: Final = tuple(_slides(start, rays[2:]) for start, rays in enumerate(RAYS))
"""The same along its spoke."""


def find_stable_pawns(goals: int, pawns: int) -> int:
    """Return the stable pawns of a colour: on goals up to the innermost ring with an open goal.

    Source: rules, Stable pawns.
    """
    uncovered = goals & ~pawns
    if not uncovered:
        return goals
    covered = goals & pawns
    for ring in UP_TO:
        if uncovered & ring:
            return covered & ring
    return covered


NAMES: Final = {colour: (colour, ITALIAN_COLOURS[colour]) for colour in (*COLOURS, BLACK)}
"""Each colour's names in English and in the Italian of the sheet; only the first is ever written."""
_COLOUR: Final = {name: colour for colour, names in NAMES.items() for name in names}
_WORD: Final = re.compile(r"[a-z]+")
_TAKING: Final = re.compile(r"(?:[k+m]?[\s,;:\-]*([a-z]\d{1,3})[\s,;:\-]*)?x[\s,;:\-]*([a-z]\d{1,3})")
_ONE: Final = re.compile(r"([k+]?)[\s,;:\-x]*([a-z]\d{1,3})")
_TWO: Final = re.compile(r"([km]?)[\s,;:\-x]*([a-z]\d{1,3})[\s,;:\-x]*([a-z]\d{1,3})")


def well_formed(text: str, counsellor: str | None = None) -> Iterable[Action]:
    """Yield the actions that a text may mean; the Counsellor is on the node `counsellor`."""
    word = _WORD.match(text)
    if word and word[0] == PASS.text:
        yield PASS
    elif word and word[0] in _COLOUR:
        yield Action(_COLOUR[word[0]], "colour", value=_COLOUR[word[0]])
    elif (match := _TAKING.match(text)) and match[2] in WEB.index:
        yield Action(f"x{match[2]}", "capture", match[1], match[2])
    elif (match := _TWO.match(text)) and match[2] in WEB.index and match[3] in WEB.index:
        kind, source, target = match.groups()
        if kind == "m":
            yield name_action(MARBLE, source, target)
            return
        if source == counsellor:
            yield name_action(COUNSELLOR, source, target)
        if kind == "k":
            yield Action(f"K{source}-{target}", "counsellor", source, target)
        else:
            yield name_action(STEP, source, target)
    elif (match := _ONE.match(text)) and match[2] in WEB.index:
        kind, target = match.groups()
        yield name_action(COUNSELLOR, counsellor, target) if kind == "k" else name_action(ENTER, None, target)


def _refuse_distant(start: int, end: int, kind: str) -> IllegalAction | None:
    """Return the error if the nodes are not neighbours of a pawn or marble (`kind`), None if they are."""
    distance = WEB.distances[start][end]
    piece, cell = WEB.names[start], WEB.names[end]
    if distance == 0:
        return IllegalAction(f"{kind}stays-put", cell=cell)
    if distance == 1:
        return None
    if _opposite(start, end) and start % RINGS == end % RINGS == 0:
        return IllegalAction(f"{kind}through-middle", piece=piece, cell=cell)
    return IllegalAction(f"{kind}too-far", piece=piece, cell=cell, distance=distance, range=1)


def _opposite(start: int, end: int) -> bool:
    """Return whether the nodes are on opposite spokes, which would be one line through the centre."""
    return (start // RINGS - end // RINGS) % SPOKES == SPOKES // 2


_FREE_OF_BANS: Final = {seats: (NO_NODE,) * seats for seats in PAWNS_BY_SEATS}


class Play(State):
    """A position of the phase `play`.

    `colours` are indices into COLOURS; `goals` and `pawns` are sets of nodes as bits; all three by seat.
    `counsellor`, `ban` (where the Counsellor may not go back to), `last_entry` and `entry_ban` (by seat) are
    nodes or NO_NODE. `played` counts the turns of this phase.
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
        colours: BySeat,
        goals: BySeat,
        pawns: BySeat,
        counsellor: int,
        occupied: int,
        to_move: int | None,
        turn: int,
        played: int,
        ban: int,
        last_entry: int,
        entry_ban: BySeat,
        dropped: Seats,
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
        self._legal: Actions | None = None
        self.__class__ = _Sealed

    @classmethod
    def begin(cls, colours: BySeat, goals: BySeat, counsellor: int, dropped: Seats, turn: int) -> Play:
        """Return the first position: each seat's pawns stand on the goals of the seat before it (rules, Setup 4)."""
        seats = len(colours)
        pawns = (goals[-1], *goals[:-1])
        first = next(seat for seat in range(seats) if seat not in dropped)
        bans = _FREE_OF_BANS[seats]
        occupied = sum(pawns) | 1 << counsellor
        return cls(
            colours, goals, pawns, counsellor, occupied, first, turn, 0, NO_NODE, NO_NODE, bans, dropped, None, None
        ).after(None)

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

    def legal_actions(self) -> Actions:
        """Return all legal actions: steps, slides of the Counsellor, entries, moves of marbles, or else `pass`."""
        if self._legal is None:
            object.__setattr__(self, "_legal", self._find_legal())
        return self._legal or ()

    def _find_legal(self) -> Actions:
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

    def _after(self, seat: int, dropped: Seats) -> int:
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
        outcome = last_seat(self.seats, dropped)
        if seat == following:
            turn, played = turn + 1, played + 1
            following = None if outcome else self._after(seat, dropped)
        history = History(self._position(following))
        if outcome is None and played >= MAX_TURNS:
            outcome = _draw(history, self.seats, dropped)
        return Play(
            self.colours, self.goals, self.pawns, self.counsellor, self.occupied,
            None if outcome else following, turn, played,
            self.ban, self.last_entry, self.entry_ban, dropped, None if outcome else history, outcome,
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
        """Return the error that names the rule forbidding an action of the phase `play`."""
        if action == PASS:
            return IllegalAction("must-act")
        if action.verb in ("colour", "deal"):
            return IllegalAction("colours-chosen" if action.verb == "colour" else "no-chance-due")
        source, target = action.source or "", action.target or ""
        start, end = WEB.index.get(source), WEB.index.get(target)
        foreign = self.refuse_unknown(action)
        if action.is_drop or end is None:
            return foreign
        if action.verb == "capture":
            return IllegalAction("captures-happen", cell=target)
        if action.text == f"K{target}":
            return self._refuse_counsellor(end) or foreign
        if action.text == f"+{target}":
            return self._refuse_entry(end) or foreign
        if start is None:
            return foreign
        if action.text == f"K{source}-{target}":
            return IllegalAction("counsellor-elsewhere", piece=source, counsellor=WEB.names[self.counsellor])
        if action.text == f"{source}-{target}":
            return self._refuse_step(start, end) or foreign
        if action.text == f"M{source}-{target}":
            return self._refuse_marble(start, end) or foreign
        return foreign

    def _refuse_step(self, start: int, end: int) -> IllegalAction | None:
        if start == self.counsellor:
            return IllegalAction("counsellor-not-a-pawn", cell=WEB.names[start])
        owner = self.owner(start)
        if owner != self.to_move:
            return IllegalAction("no-pawn" if owner is None else "not-your-pawn", cell=WEB.names[start])
        if error := _refuse_distant(start, end, ""):
            return error
        if self.occupied >> end & 1:
            return IllegalAction("node-taken", cell=WEB.names[end])
        return None

    def _refuse_marble(self, start: int, end: int) -> IllegalAction | None:
        mover = self.to_move
        if mover is None:
            return None
        if not self.goals[mover] >> start & 1:
            owned = sum(self.goals) >> start & 1
            return IllegalAction("not-your-marble" if owned else "no-marble", cell=WEB.names[start])
        if not self.may_move_marbles(mover):
            stable = self.stable(mover).bit_count()
            return IllegalAction("too-few-stable", n=stable, needed=STABLE_PAWNS_FOR_MARBLE[self.seats])
        if error := _refuse_distant(start, end, "marble-"):
            return error
        if sum(self.goals) >> end & 1:
            return IllegalAction("hollow-taken", cell=WEB.names[end])
        return None

    def _refuse_counsellor(self, end: int) -> IllegalAction | None:
        start, names = self.counsellor, WEB.names
        if end == start:
            return IllegalAction("counsellor-stays-put", cell=names[end])
        if end not in SLIDE[start]:
            broken_rule = "counsellor-through-middle" if _opposite(start, end) else "counsellor-off-line"
            return IllegalAction(broken_rule, counsellor=names[start], cell=names[end])
        if self.occupied >> end & 1:
            return IllegalAction("counsellor-node-taken", cell=names[end])
        ways = [ray[: ray.index(end)] for ray in RAYS[start] if end in ray]
        first = [next((node for node in way if self.occupied >> node & 1), None) for way in ways]
        blockers = {node for node in first if node is not None}
        if None not in first:
            return IllegalAction(
                "counsellor-blocked", cell=names[end], blockers=[names[node] for node in sorted(blockers)]
            )
        if end == self.ban:
            return IllegalAction("counsellor-straight-back", cell=names[end])
        return None

    def _refuse_entry(self, end: int) -> IllegalAction | None:
        mover, cell = self.to_move, WEB.names[end]
        if mover is None:
            return None
        if not self.off(mover):
            return IllegalAction("none-off")
        if not OUTERMOST >> end & 1:
            return IllegalAction("enter-outermost", cell=cell, ring=end % RINGS + 1, outermost=RINGS)
        if self.occupied >> end & 1:
            return IllegalAction("entry-taken", cell=cell)
        if end == self.entry_ban[mover]:
            return IllegalAction("entry-ban", cell=cell)
        return None

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        """Return why a turn ends here; two cells of which the first alone would do are one action from there."""
        rest = next(iter(well_formed(text)), None)
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
        return well_formed(text, WEB.names[self.counsellor])

    def key(self) -> tuple[Any, ...]:
        """Return what makes up the position."""
        reason = self.outcome.reason if self.outcome else ""
        return (self.seats, reason, *self._position(self.to_move), *self.colours, *self.dropped)

    def to_json(self) -> Json:
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
            # The position itself is the newest of its history, which therefore leaves it out.
            **ending_fields(self, self.history.previous if self.history else None, played=self.played),
        }


_Sealed = make_immutable(Play)


def _name(node: int) -> str | None:
    return None if node == NO_NODE else WEB.names[node]


def _draw(history: History, seats: int, dropped: Seats) -> Outcome:
    """Return the draw of a game that repeats itself or goes on for too long."""
    return Outcome("repetition" if history.is_draw else "no-progress", places_with_draw(seats, dropped))


def _caught(end: int, threatened: int, partners: int, goals: BySeat, pawns: BySeat) -> int:
    """Return the pawns that a piece arriving on `end` traps (rules, Captures).

    `threatened` are the other players' pawns next to it, `partners` the pieces that can be the other of the pair.
    """
    caught = 0
    for victim, other in TRAPS[end]:
        if threatened & victim and partners & other:
            for seat, standing in enumerate(pawns):
                if standing & victim:
                    if not standing & other and not victim & find_stable_pawns(goals[seat], standing):
                        caught |= victim
                    break
    return caught
