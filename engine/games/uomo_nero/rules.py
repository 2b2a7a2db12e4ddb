"""Positions of Gioco dell'Uomo Nero and the effects of each action (docs/rules/uomo-nero.md)."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from engine.core import CHANCE, Action, Game, GameOver, IllegalAction, Outcome, Random, State, make_immutable
from engine.games.uomo_nero import refusals
from engine.games.uomo_nero import refusals as saving
from engine.games.uomo_nero import refusals as writing
from engine.games.uomo_nero.board import (
    ABOVE,
    BOARD,
    CAPTURE,
    CAPTURES,
    COLOURS,
    FINISH,
    IN_PLAY,
    LAND,
    LANDINGS,
    MOVE,
    PAIRS,
    PICK,
    PICKS,
    PLACE,
    PLACINGS,
    ROLL,
    ROLLS,
    SPEND,
    SPRINT,
    START,
    START_CELLS,
    STAY,
    STAYS,
    Meaning,
    Options,
    Throw,
    can_name,
    find_landings,
    parse_action,
)
from engine.games.uomo_nero.match import ATTACK, MAN, MAN_START, MAN_TURNS, OVER, PICKING, ROLL_OFF, ROLLING, Match
from engine.positions import last_seat
from engine.topology import Topology


def end_of_round(pieces: tuple[int, ...], man: int) -> str:
    """Return why a round outside a naming turn is over, or an empty text."""
    red, yellow, green, blue = pieces
    left = (red | yellow | green | blue) & IN_PLAY
    if not left:
        return "none-left"
    if not left & (left - 1) and left & START and man == ABOVE[left.bit_length() - 1]:
        return "total-block"
    return ""


def points_of(match: Match, pieces: tuple[int, ...], in_play_too: bool = False) -> tuple[int, ...]:
    """Return one point for each attacker that has arrived, or for each on the board, by seat."""
    counting = FINISH | IN_PLAY if in_play_too else FINISH
    points = [0] * match.seats
    for cells, owner in zip(pieces, match.owners, strict=True):
        if owner >= 0:
            points[owner] += (cells & counting).bit_count()
    return tuple(points)


NO_CELL: Final = -1
NO_DICE: Final = (0, 0)
NO_PIECES: Final = (0, 0, 0, 0)
_CHANCES: Final = tuple((ROLLS[index], (1 if low == high else 2) / 36) for index, (low, high) in enumerate(PAIRS))
_ALL_ROLLS: Final = tuple(ROLLS.values())
_ROLL_INDEX: Final = {pair: index for index, pair in enumerate(PAIRS)}


class UomoNeroState(State):
    """A position of Gioco dell'Uomo Nero.

    `phase` is an index of PHASES and `mover` the seat whose turn it is, also while chance rolls for it. `man` is
    the Man's cell or NOWHERE, `pieces` the attackers on the board by colour, `dice` the throw to be played or
    NO_DICE. `used` is the die of it that has been used, or 0, and `used_by` the bit of the attacker that moved
    by it, 0 after a stay. `captured` are the cells of the attackers named in this turn. Cells are numbered, and
    sets of them are bits, as in `board`.
    """

    __slots__ = (
        "_options",
        "captured",
        "dice",
        "dropped",
        "man",
        "man_turns",
        "match",
        "mover",
        "outcome",
        "phase",
        "pieces",
        "seats",
        "to_move",
        "turn",
        "used",
        "used_by",
    )

    game: ClassVar[Game]
    _options: Options | None

    def __init__(
        self,
        match: Match,
        phase: int,
        mover: int,
        turn: int,
        man: int = NO_CELL,
        pieces: tuple[int, ...] = NO_PIECES,
        man_turns: int = 0,
        dice: tuple[int, int] = NO_DICE,
        used: int = 0,
        used_by: int = 0,
        captured: int = 0,
        outcome: Outcome | None = None,
    ) -> None:
        self.match = match
        self.phase = phase
        self.mover = mover
        self.turn = turn
        self.man = man
        self.pieces = pieces
        self.man_turns = man_turns
        self.dice = dice
        self.used = used
        self.used_by = used_by
        self.captured = captured
        self.outcome = outcome
        self.seats = match.seats
        self.dropped = match.dropped
        self.to_move = None if phase == OVER else CHANCE if phase in (ROLL_OFF, ROLLING) else mover
        self._options = None
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        """The 104 cells."""
        return BOARD

    @property
    def all_pieces(self) -> int:
        """The cells of all attackers."""
        red, yellow, green, blue = self.pieces
        return red | yellow | green | blue

    def own(self, seat: int) -> int:
        """Return the cells of a seat's attackers."""
        cells = 0
        for colour in self.match.teams[seat]:
            cells |= self.pieces[colour]
        return cells

    @property
    def throw(self) -> Throw:
        """The dice that the attacking player still has to use (phase `attack`)."""
        occupied = self.all_pieces | 1 << self.man
        return Throw(self.own(self.mover) & IN_PLAY, occupied, self.dice, self.used, self.used_by)

    @property
    def options(self) -> Options:
        """The legal actions of the seat to move, computed once."""
        options = self._options
        if options is None:
            options = self._find_options()
            object.__setattr__(self, "_options", options)
        return options

    def _find_options(self) -> Options:
        phase = self.phase
        if phase == ATTACK:
            return self.throw.options()
        if phase == MAN:
            amount, attackers = sum(self.dice), self.all_pieces
            may_stay = not amount & 1 and not self.captured
            return Options(
                (
                    (CAPTURES, can_name(self.man, attackers, self.captured, amount)),
                    (LANDINGS, find_landings(self.man, attackers, self.captured, amount)),
                    (STAYS, int(may_stay)),
                )
            )
        if phase == MAN_START:
            return Options(((PLACINGS, FINISH),))
        free = sum(1 << colour for colour, owner in enumerate(self.match.owners) if owner < 0)
        return Options(((PICKS, free),))

    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions; the 21 rolls while chance is to move."""
        if self.to_move is None:
            return ()
        return _ALL_ROLLS if self.to_move == CHANCE else self.options.listed()

    def chance_outcomes(self) -> Sequence[tuple[Action, float]]:
        """Return the 21 rolls with their probabilities where dice are due."""
        return _CHANCES if self.to_move == CHANCE else ()

    def sample_chance(self, rng: Random) -> Action:
        """Draw a roll: one number below 36, six to each value of the first die."""
        if self.to_move != CHANCE:
            raise IllegalAction("no-roll-due")
        one, other = divmod(rng.randrange(36), 6)
        return ROLLS[_ROLL_INDEX[min(one, other) + 1, max(one, other) + 1]]

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly, without listing them; a roll by its probability."""
        if self.to_move is None:
            raise GameOver
        if self.to_move == CHANCE:
            return self.sample_chance(rng)
        options = self.options
        return options.pick(rng.randrange(options.count))

    def is_legal(self, action: Action) -> bool:
        """Return whether `play` accepts the action."""
        if action.verb == "drop" or self.to_move is None:
            return self.to_move is not None and super().is_legal(action)
        means = parse_action(action)
        if means is None:
            return False
        return means.table is ROLLS if self.to_move == CHANCE else self.options.has(means)

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says which rule forbids the action here."""
        return refusals.refusal(self, action)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the texts of an action: amounts may be omitted, the Man's cell put in front."""
        return writing.readings(self, action)

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions that the beginning of the text may be meant as, likeliest first."""
        return writing.well_formed(self, text)

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return by which actions the Man captures: attackers that he names, or the last one, blocked as he lands."""
        if self.phase != MAN:
            return frozenset()
        return frozenset(action for action in actions if action.verb == "capture" or self._blocks(action))

    def find_arrivals(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return by which actions an attacker arrives on the finish line."""
        ends = ((action, parse_action(action)) for action in actions if self.phase == ATTACK)
        return frozenset(action for action, means in ends if means and means.target >= 0 and FINISH >> means.target & 1)

    def _blocks(self, action: Action) -> bool:
        means = parse_action(action)
        if means is None or means.kind not in (LAND, STAY):
            return False
        return end_of_round(self.pieces, self.man if means.kind == STAY else means.target) == "total-block"

    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal."""
        if action.verb == "drop":
            return self._dropped(action.value)
        means = parse_action(action)
        if means is None:
            raise IllegalAction("unknown-action", text=action.text)
        kind = means.kind
        if kind == ROLL:
            return self._rolled(*PAIRS[means.place])
        if kind in (MOVE, SPRINT):
            return self._moved(means)
        if kind == SPEND:
            return self._used(self.pieces, means.amount, 0)
        if kind == CAPTURE:
            return self._captured(1 << means.target)
        if kind in (LAND, STAY):
            return self._landed(self.man if kind == STAY else means.target)
        if kind == PLACE:
            return self._placed(means.target)
        if kind == PICK:
            return self._picked(means.place)
        return self._turn_over(self.match, self.pieces)

    def _rolled(self, low: int, high: int) -> State:
        match = self.match
        if self.phase == ROLL_OFF:
            match = match.with_sum(low + high)
            if match.round:
                return UomoNeroState(match, MAN_START, match.man_seat, self.turn)
            return UomoNeroState(match, ROLL_OFF, match.rollers[len(match.sums)], self.turn)
        if not match.rolled:
            match = match.with_first_roll()
        phase = MAN if self.mover == match.man_seat else ATTACK
        return UomoNeroState(match, phase, self.mover, self.turn, self.man, self.pieces, self.man_turns, (low, high))

    def _placed(self, cell: int) -> State:
        match = self.match
        if self.seats == 2:
            (attacker,) = match.attacking
            for colour in range(len(COLOURS)):
                match = match.with_pick(colour, attacker)
            return UomoNeroState(match, ROLLING, attacker, self.turn + 1, cell, START_CELLS)
        return self._picking(match, cell, NO_PIECES, self.turn + 1)

    def _picked(self, colour: int) -> State:
        pieces = (*self.pieces[:colour], START_CELLS[colour], *self.pieces[colour + 1 :])
        match = self.match.with_pick(colour, self.mover)
        return self._picking(match, self.man, pieces, self.turn + (match.picker() != self.mover))

    def _picking(self, match: Match, man: int, pieces: tuple[int, ...], turn: int) -> State:
        """Return the state in which the next seat picks, or the first one rolls."""
        picker = match.picker()
        if picker is not None:
            return UomoNeroState(match, PICKING, picker, turn, man, pieces)
        return UomoNeroState(match, ROLLING, match.attacking[0], turn, man, pieces)

    def _moved(self, means: Meaning) -> State:
        source, target = 1 << means.source, 1 << means.target
        pieces = tuple(cells ^ source | target if cells & source else cells for cells in self.pieces)
        if means.kind == SPRINT:
            return self._turn_over(self.match, pieces)
        return self._used(pieces, means.amount, target)

    def _used(self, pieces: tuple[int, ...], amount: int, mover: int) -> State:
        """Return the state after a die, or both, have been used.

        With two attackers the other die can still be used: what does not leave it a use is legal only where no
        use of both dice exists, and then no die can be moved at all (the first step of an even number of steps,
        and going to and fro from there, is an odd one).
        """
        over = self.used or amount == sum(self.dice) or not self.throw.can_split
        if over or end_of_round(pieces, self.man):
            return self._turn_over(self.match, pieces)
        return UomoNeroState(
            self.match, ATTACK, self.mover, self.turn, self.man, pieces, self.man_turns, self.dice, amount, mover
        )

    def _captured(self, cell: int) -> State:
        pieces = tuple(cells & ~cell for cells in self.pieces)
        return self._goes_on(self.match, pieces, self.captured | cell)

    def _landed(self, cell: int) -> State:
        man_turns = self.man_turns + 1
        reason = end_of_round(self.pieces, cell) or ("no-progress" if man_turns == MAN_TURNS else "")
        if reason:
            return self._round_over(self.match, self.pieces, reason, cell, man_turns)
        return self._next(self.match, self.pieces, cell, man_turns)

    def _dropped(self, seat: int) -> State:
        """Return the state after a seat has left (rules, Dropping out)."""
        match = self.match.with_drop(seat)
        phase, pieces = self.phase, self.pieces
        if phase != ROLL_OFF:
            team = self.match.teams[seat]
            pieces = tuple(cells & FINISH if colour in team else cells for colour, cells in enumerate(pieces))
        on_move = seat == self.mover and phase != ROLL_OFF
        outcome = last_seat(self.seats, match.dropped)
        if outcome is not None:
            turn = self.turn + on_move
            return UomoNeroState(match, OVER, NO_CELL, turn, self.man, pieces, self.man_turns, outcome=outcome)
        if phase == ROLL_OFF:
            return UomoNeroState(match, ROLL_OFF, self.mover, self.turn)
        if seat == match.man_seat:
            return self._round_over(match, pieces, "drop", self.man, self.man_turns)
        if phase == MAN_START:
            return UomoNeroState(match, MAN_START, self.mover, self.turn)
        if phase == PICKING:
            return self._picking(match, self.man, pieces, self.turn + on_move)
        if on_move:
            return self._turn_over(match, pieces)
        if not self.captured and (reason := end_of_round(pieces, self.man)):
            return self._round_over(match, pieces, reason, self.man, self.man_turns)
        return self._goes_on(match, pieces, self.captured)

    def _goes_on(self, match: Match, pieces: tuple[int, ...], captured: int) -> State:
        """Return the state later in the same turn."""
        return UomoNeroState(
            match,
            self.phase,
            self.mover,
            self.turn,
            self.man,
            pieces,
            self.man_turns,
            self.dice,
            self.used,
            self.used_by,
            captured,
        )

    def _turn_over(self, match: Match, pieces: tuple[int, ...]) -> State:
        """Return the state after an attacking player's turn."""
        if reason := end_of_round(pieces, self.man):
            return self._round_over(match, pieces, reason, self.man, self.man_turns)
        return self._next(match, pieces, self.man, self.man_turns)

    def _next(self, match: Match, pieces: tuple[int, ...], man: int, man_turns: int) -> State:
        """Return the state in which chance rolls for the next seat that has something to move."""
        teams = match.teams
        for seat in match.followers[self.mover]:
            for colour in teams[seat]:
                if pieces[colour] & IN_PLAY:
                    return UomoNeroState(match, ROLLING, seat, self.turn + 1, man, pieces, man_turns)
        return UomoNeroState(match, ROLLING, match.man_seat, self.turn + 1, man, pieces, man_turns)

    def _round_over(self, match: Match, pieces: tuple[int, ...], reason: str, man: int, man_turns: int) -> State:
        """Return the state after the end of a round (rules, End of a round, Points)."""
        if reason == "total-block":
            pieces = tuple(cells & FINISH for cells in pieces)
        points = points_of(match, pieces, in_play_too=reason == "drop" and match.rolled)
        match = match.closed(points, reason)
        following = match.next_round()
        if following is not None:
            return UomoNeroState(following, MAN_START, following.man_seat, self.turn + 1)
        return UomoNeroState(match, OVER, NO_CELL, self.turn + 1, man, pieces, man_turns, outcome=match.outcome())

    def key(self) -> tuple[Any, ...]:
        """Return the position as a flat tuple."""
        return (
            self.phase,
            self.mover,
            self.man,
            *self.pieces,
            self.man_turns,
            *self.dice,
            self.used,
            self.used_by,
            self.captured,
            *self.match.key,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the position as the rules write it."""
        return saving.to_json(self)


_Sealed: Final = make_immutable(UomoNeroState)
