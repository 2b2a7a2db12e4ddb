"""Positions of Gioco dell'Uomo Nero, what actions do, and which rule forbids one (docs/rules/uomo-nero.md).

Every code of a refusal stands for one rule; its words are in the catalogues under `refusal.<code>`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, ClassVar, Final, TypeAlias

from engine.core import (
    CHANCE,
    Action,
    Game,
    GameOver,
    IllegalAction,
    Json,
    Outcome,
    Random,
    State,
    make_immutable,
    shorten_value,
)
from engine.games.uomo_nero.board import (
    ABOVE,
    BOARD,
    CAPTURE,
    CAPTURES,
    COLOURS,
    DISTANCE,
    FIELD,
    FINISH,
    FINISH_OF,
    IN_PLAY,
    LAND,
    LANDINGS,
    MAX_STEPS,
    MOVE,
    NAMES,
    NUMBER,
    PAIRS,
    PASSES,
    PASSING,
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
    capture_action,
    fewest_more,
    find_landings,
    find_targets,
    land_action,
    list_names,
    move_action,
    parse_action,
    refuse_distance,
    shortest_way,
    spend_action,
    sprint_action,
)
from engine.games.uomo_nero.match import (
    ATTACK,
    MAN,
    MAN_START,
    MAN_TURNS,
    OVER,
    PHASES,
    PICKING,
    ROLL_OFF,
    ROLLING,
    Match,
)
from engine.notation import ITALIAN_COLOURS
from engine.positions import ending_fields, last_seat
from engine.topology import Topology

Pieces: TypeAlias = tuple[int, ...]
"""The cells of the attackers on the board, by colour."""


def end_of_round(pieces: Pieces, man: int) -> str:
    """Return why a round outside a naming turn is over, or an empty text."""
    red, yellow, green, blue = pieces
    left = (red | yellow | green | blue) & IN_PLAY
    if not left:
        return "none-left"
    if not left & (left - 1) and left & START and man == ABOVE[left.bit_length() - 1]:
        return "total-block"
    return ""


def points_of(match: Match, pieces: Pieces, in_play_too: bool = False) -> tuple[int, ...]:
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
_DICE: Final = tuple(ROLLS[PAIRS.index((min(dice), max(dice)))] for dice in product(range(1, 7), repeat=2))
"""The roll of each of the 36 ways in which two dice fall."""


_GAP: Final = r"[\s,;:\-]*"
_CELL: Final = r"([a-h]\d{1,2})(?!\d)"
_SUFFIX: Final = r"\s*(?:/\s*([1-9]\d?)(?!\d)|(!))?"
_PAIR: Final = re.compile(rf"{_CELL}{_GAP}(x?){_GAP}{_CELL}{_SUFFIX}")
_SINGLE: Final = re.compile(rf"(x?){_GAP}{_CELL}{_SUFFIX}")
_SPEND: Final = re.compile(r"stay(?:\s*/?\s*([1-9]\d?)(?!\d))?(?![a-z])")
_SPRINT: Final = re.compile(rf"sprint{_GAP}{_CELL}(?:{_GAP}{_CELL})?")
_WORD: Final = re.compile(r"[a-z]+")
_PICKED: Final = {name: index for index, colour in enumerate(COLOURS) for name in (colour, ITALIAN_COLOURS[colour])}
_DOUBLE_SIX: Final = (6, 6)


class UomoNeroState(State):
    """A position of Gioco dell'Uomo Nero.

    `phase` is an index of PHASES and `mover` the seat whose turn it is, also while chance rolls for it. `man` is
    the Man's cell or NO_CELL, `pieces` the attackers on the board by colour, `dice` the throw to be played or
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
        pieces: Pieces = NO_PIECES,
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
        return _DICE[rng.randrange(len(_DICE))]

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
            return super().is_legal(action)
        means = parse_action(action)
        if means is None:
            return False
        return means.table is ROLLS if self.to_move == CHANCE else self.options.has(means)

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error for an action that is not legal in the self."""
        if action.verb == "drop":
            return self.refuse_unknown(action)
        means = parse_action(action)
        if means is None:
            return IllegalAction("unknown-action", text=shorten_value(action.text))
        if means.kind == ROLL:
            return IllegalAction("no-such-roll" if self.to_move == CHANCE else "no-roll-due")
        if self.to_move == CHANCE:
            return IllegalAction("dice-first")
        if self.phase == MAN_START:
            if means.kind in (PLACE, LAND):
                return IllegalAction("start-on-finish-line", cell=NAMES[means.target])
            return IllegalAction("man-places-first")
        if self.phase == PICKING:
            return self._refuse_pick(means)
        if means.kind == PICK:
            return IllegalAction("colours-are-picked")
        if means.kind == PASSING:
            return IllegalAction("can-move")
        return self._refuse_attack(means) if self.phase == ATTACK else self._refuse_man(means)

    def _refuse_pick(self, means: Meaning) -> IllegalAction:
        if means.kind != PICK:
            return IllegalAction("pick-first")
        free = [colour for colour, owner in zip(COLOURS, self.match.owners, strict=True) if owner < 0]
        return IllegalAction("colour-taken", colour=COLOURS[means.place], free=free)

    def _refuse_attack(self, means: Meaning) -> IllegalAction:
        if means.kind in (PLACE, LAND):
            own = self.own(self.mover) >> means.target & 1
            return IllegalAction("name-landing" if own else "name-attacker", cell=NAMES[means.target])
        if means.kind == CAPTURE:
            return IllegalAction("attackers-capture-nobody", cell=NAMES[means.target])
        if means.kind == STAY:
            return IllegalAction("stay-needs-amount", dice=list(self.dice))
        throw = self.throw
        if means.kind == SPEND:
            return throw.refuse_amount(means.amount) or throw.refuse_spending(means.amount)
        found = self._refuse_moved_attacker(throw, means.source) or self._refuse_piece(means.source)
        if found is None and means.kind == SPRINT:
            found = self._refuse_sprint(throw, means)
        found = found or self._refuse_target(means) or throw.refuse_amount(means.amount)
        if found is None and throw.used and throw.mover >> means.source & 1:
            # The other die is another attacker's.
            return IllegalAction("another-attacker", cell=NAMES[means.source], die=throw.left)
        return (
            found
            or refuse_distance(means.source, means.target, means.amount)
            or throw.refuse_walk(means.source, means.target, means.amount)
            or IllegalAction("other-die-lost", amount=means.amount, die=throw.sum - means.amount)
        )

    def _refuse_moved_attacker(self, throw: Throw, source: int) -> IllegalAction | None:
        """Return the error if the attacker that left the empty cell has used the first die."""
        bit, mover = 1 << source, throw.mover
        if not mover or throw.occupied & bit:
            return None
        home = next(cells for cells, pieces in zip(START_CELLS, self.pieces, strict=True) if pieces & mover)
        if (
            bit & (FINISH | START & ~home)
            or not find_targets(source, (throw.used,), throw.occupied ^ mover | bit)[0] & mover
        ):
            return None
        return IllegalAction("another-attacker", cell=list_names(mover)[0], die=throw.left)

    def _refuse_piece(self, source: int) -> IllegalAction | None:
        """Return the error if the mover has no movable attacker on the cell."""
        bit = 1 << source
        if self.own(self.mover) & bit:
            return IllegalAction("has-arrived", cell=NAMES[source]) if bit & FINISH else None
        if source == self.man:
            return IllegalAction("is-the-man", cell=NAMES[source])
        code = "not-yours" if self.all_pieces & bit else "nobody-here"
        return IllegalAction(code, cell=NAMES[source])

    def _refuse_sprint(self, throw: Throw, means: Meaning) -> IllegalAction:
        finish = FINISH_OF[means.source]
        if throw.used:
            return IllegalAction("die-used", used=throw.used, amount=throw.sum, left=throw.left)
        if throw.dice != _DOUBLE_SIX:
            return IllegalAction("sprint-needs-double-six", dice=list(throw.dice))
        if means.target != finish:
            return IllegalAction("sprint-own-column", cell=NAMES[means.source], finish=NAMES[finish])
        return self._refuse_occupied(finish)

    def _refuse_target(self, means: Meaning) -> IllegalAction | None:
        """Return the error if the move cannot end on its cell, whatever the dice."""
        source, target = means.source, means.target
        if source == target:
            return IllegalAction("ends-where-it-started", cell=NAMES[source])
        if 1 << target & START:
            return IllegalAction("never-back-to-start", cell=NAMES[target])
        return self._refuse_occupied(target) if (self.all_pieces | 1 << self.man) >> target & 1 else None

    def _refuse_occupied(self, cell: int) -> IllegalAction:
        return IllegalAction("man-stands-there" if cell == self.man else "occupied", cell=NAMES[cell])

    def _refuse_man(self, means: Meaning) -> IllegalAction:
        amount = sum(self.dice)
        if means.kind in (MOVE, SPRINT):
            return IllegalAction("only-the-man-moves")
        if means.kind == SPEND:
            return IllegalAction("man-stays-by-the-sum", sum=amount)
        if means.kind == STAY:
            if amount & 1:
                return IllegalAction("stay-needs-even", amount=amount)
            return IllegalAction("captured-so-land", captured=list_names(self.captured))
        if means.kind == CAPTURE:
            return self._refuse_capture(means.target, amount)
        return self._refuse_landing(means.target, amount)

    def _refuse_capture(self, cell: int, amount: int) -> IllegalAction:
        bit, name = 1 << cell, NAMES[cell]
        if self.captured & bit:
            return IllegalAction("named-already", cell=name)
        if not self.all_pieces & bit:
            return IllegalAction("nobody-to-capture", cell=name)
        if not bit & FIELD:
            return IllegalAction("safe-on-line", cell=name)
        distance = DISTANCE[self.man][cell]
        if distance > amount:
            return IllegalAction("too-far", cell=name, distance=distance, amount=amount)
        steps = shortest_way(self.man, self.captured | bit)
        return IllegalAction(
            "not-all-together", cell=name, captured=list_names(self.captured), steps=steps, amount=amount
        )

    def _refuse_landing(self, cell: int, amount: int) -> IllegalAction:
        bit, name = 1 << cell, NAMES[cell]
        if not bit & FIELD:
            return IllegalAction("man-stays-in-field", cell=name)
        if self.all_pieces & bit:
            return IllegalAction("capture-first", cell=name)
        if error := refuse_distance(self.man, cell, amount):
            return error
        if self.captured and (steps := shortest_way(self.man, self.captured, cell)) > amount:
            return IllegalAction(
                "too-far-with-captures", cell=name, captured=list_names(self.captured), steps=steps, amount=amount
            )
        more = fewest_more(self.man, self.all_pieces, self.captured, cell, amount)
        return IllegalAction("captures-more", cell=name, more=list_names(more), amount=amount)

    def readings(self, action: Action) -> Iterator[str]:
        """Yield the texts of a legal action, its own first."""
        yield action.text
        means = parse_action(action)
        if means is None:
            return
        if means.kind == MOVE:
            yield f"{action.source}-{action.target}"
        elif means.kind == SPRINT:
            # Where the column is free a walk of 12 does the same, and the two cells are taken for that.
            if not self.is_legal(move_action(means.source, means.target, MAX_STEPS)):
                yield f"{action.source}-{action.target}"
            yield from (f"sprint {action.source}-{action.target}", f"sprint {action.source}")
            yield f"{action.source}-{action.target} sprint"
        elif means.kind == SPEND:
            yield from ("stay", f"stay {action.amount}")
        elif means.kind == STAY:
            yield from (f"stay/{sum(self.dice)}", f"stay {sum(self.dice)}")
        elif means.kind == CAPTURE:
            yield NAMES[means.target]
        elif means.kind == PICK:
            yield ITALIAN_COLOURS[action.text]
        if means.kind in (CAPTURE, LAND) and not self.captured:
            yield f"{NAMES[self.man]}{'x' if means.kind == CAPTURE else '-'}{NAMES[means.target]}"

    def well_formed(self, text: str) -> Iterable[Action]:
        """Yield the actions that the beginning of the text may be meant as, likeliest first."""
        pair = _PAIR.match(text)
        if pair and pair[1] in NUMBER and pair[3] in NUMBER:
            dashed = "-" in pair[0]
            yield from self._read_pair(NUMBER[pair[1]], NUMBER[pair[3]], pair[4], bool(pair[5]), bool(pair[2]), dashed)
            return
        single = _SINGLE.match(text)
        if single and single[2] in NUMBER:
            cell = NUMBER[single[2]]
            if self.phase == MAN and single[3]:
                yield move_action(self.man, cell, int(single[3]))
            elif self.phase == MAN and single[4]:
                yield sprint_action(self.man, cell)
            yield from self._read_cell(cell, bool(single[1]))
            return
        if (run := _SPRINT.match(text)) and run[1] in NUMBER and (run[2] or run[1]) in NUMBER:
            source = NUMBER[run[1]]
            yield sprint_action(source, NUMBER[run[2]] if run[2] else FINISH_OF[source])
            return
        if spend := _SPEND.match(text):
            yield from self._read_staying(spend[1])
            return
        word = _WORD.match(text)
        if word and word[0] in _PICKED:
            yield PICKS[_PICKED[word[0]]]
        elif word and word[0] == "pass":
            yield PASSES[0]

    def _read_pair(
        self, source: int, target: int, amount: str | None, sprint: bool, crossed: bool, dashed: bool
    ) -> Iterator[Action]:
        if sprint:
            yield sprint_action(source, target)
            return
        if amount is not None:
            yield move_action(source, target, int(amount))
            return
        if self.phase == MAN:
            if source == self.man and not self.captured:
                yield from self._read_cell(target, crossed)
            elif dashed:
                yield move_action(source, target, max(1, DISTANCE[source][target]))
            else:
                yield from self._read_cell(source, False)
            return
        if crossed:
            yield capture_action(target)
            return
        distance = DISTANCE[source][target]

        def unlikely(steps: int) -> tuple[int, int]:
            return (2, -steps) if steps < distance else ((steps - distance) & 1, steps)

        yield from (move_action(source, target, steps) for steps in sorted(self._amounts(), key=unlikely))

    def _read_cell(self, cell: int, crossed: bool) -> Iterator[Action]:
        attacked = self.phase == MAN and self.all_pieces >> cell & 1
        if crossed or attacked:
            yield capture_action(cell)
        if not crossed:
            yield land_action(cell)

    def _read_staying(self, amount: str | None) -> Iterator[Action]:
        if self.phase == MAN and amount in (None, str(sum(self.dice))):
            yield STAYS[0]
        if amount is not None:
            yield spend_action(int(amount))
        elif self.phase != MAN:
            dice = self.dice
            whole = (sum(dice),) if self.phase == ATTACK and not self.used and not self.throw.can_split else ()
            amounts = whole or sorted(self._amounts(), key=lambda steps: (steps & 1, -steps))
            yield from (spend_action(steps) for steps in amounts)
            yield STAYS[0]  # so that a record with it gets a specific error

    def _amounts(self) -> tuple[int, ...]:
        """Return the amounts of the dice now; any amount where none are to be used."""
        if self.phase != ATTACK:
            return (1,)
        if self.used:
            return (self.throw.left,)
        low, high = self.dice
        return tuple(sorted({low, high, low + high}))

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
            cell = self.man if kind == STAY else means.target
            return self._turn_over(self.match, self.pieces, cell, self.man_turns + 1)
        if kind == PLACE:
            return self._placed(means.target)
        if kind == PICK:
            return self._picked(means.place)
        return self._turn_over(self.match, self.pieces, self.man, self.man_turns)

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

    def _picking(self, match: Match, man: int, pieces: Pieces, turn: int) -> State:
        """Return the state in which the next seat picks, or the first one rolls."""
        picker = match.picker()
        if picker is not None:
            return UomoNeroState(match, PICKING, picker, turn, man, pieces)
        return UomoNeroState(match, ROLLING, match.attacking[0], turn, man, pieces)

    def _moved(self, means: Meaning) -> State:
        source, target = 1 << means.source, 1 << means.target
        pieces = tuple(cells ^ source | target if cells & source else cells for cells in self.pieces)
        if means.kind == SPRINT:
            return self._turn_over(self.match, pieces, self.man, self.man_turns)
        return self._used(pieces, means.amount, target)

    def _used(self, pieces: Pieces, amount: int, mover: int) -> State:
        """Return the state after a die, or both, have been used.

        With two attackers the other die can still be used: what does not leave it a use is legal only where no
        use of both dice exists, and then no die can be moved at all (the first step of an even number of steps,
        and going to and fro from there, is an odd one).
        """
        over = self.used or amount == sum(self.dice) or not self.throw.can_split
        if over or end_of_round(pieces, self.man):
            return self._turn_over(self.match, pieces, self.man, self.man_turns)
        return UomoNeroState(
            self.match, ATTACK, self.mover, self.turn, self.man, pieces, self.man_turns, self.dice, amount, mover
        )

    def _captured(self, cell: int) -> State:
        pieces = tuple(cells & ~cell for cells in self.pieces)
        return self._goes_on(self.match, pieces, self.captured | cell)

    def _dropped(self, seat: int) -> State:
        """Return the state after a seat has left (rules, Dropping out)."""
        match, phase, team = self.match.with_drop(seat), self.phase, self.match.teams[seat]
        pieces = tuple(cells & FINISH if colour in team else cells for colour, cells in enumerate(self.pieces))
        on_move = seat == self.mover and phase != ROLL_OFF
        outcome = last_seat(self.seats, match.dropped)
        if outcome is not None:
            turn = self.turn + on_move
            return UomoNeroState(match, OVER, NO_CELL, turn, self.man, pieces, self.man_turns, outcome=outcome)
        if seat == match.man_seat:
            return self._round_over(match, pieces, "drop", self.man, self.man_turns)
        if phase in (ROLL_OFF, MAN_START):
            return self._goes_on(match, pieces, 0)
        if phase == PICKING:
            return self._picking(match, self.man, pieces, self.turn + on_move)
        if on_move:
            return self._turn_over(match, pieces, self.man, self.man_turns)
        if not self.captured and (reason := end_of_round(pieces, self.man)):
            return self._round_over(match, pieces, reason, self.man, self.man_turns)
        return self._goes_on(match, pieces, self.captured)

    def _goes_on(self, match: Match, pieces: Pieces, captured: int) -> State:
        """Return the state later in the same turn."""
        return UomoNeroState(
            match, self.phase, self.mover, self.turn, self.man, pieces, self.man_turns,
            self.dice, self.used, self.used_by, captured,
        )  # fmt: skip

    def _turn_over(self, match: Match, pieces: Pieces, man: int, man_turns: int) -> State:
        """Return the state after a turn: the end of the round, or chance rolls for the next seat that can move."""
        reason = end_of_round(pieces, man) or ("no-progress" if man_turns == MAN_TURNS else "")
        if reason:
            return self._round_over(match, pieces, reason, man, man_turns)
        teams = match.teams
        for seat in match.followers[self.mover]:
            for colour in teams[seat]:
                if pieces[colour] & IN_PLAY:
                    return UomoNeroState(match, ROLLING, seat, self.turn + 1, man, pieces, man_turns)
        return UomoNeroState(match, ROLLING, match.man_seat, self.turn + 1, man, pieces, man_turns)

    def _round_over(self, match: Match, pieces: Pieces, reason: str, man: int, man_turns: int) -> State:
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
            self.phase, self.mover, self.man, *self.pieces, self.man_turns,
            *self.dice, self.used, self.used_by, self.captured, *self.match.key,
        )  # fmt: skip

    def to_json(self) -> Json:
        """Return the position as the rules write it; under `extra` the turn, the rounds played and the rolls so far."""
        match = self.match
        over = self.phase == OVER
        colour_at = {name: colour for colour, cells in enumerate(self.pieces) for name in list_names(cells)}
        used_by = NAMES[self.used_by.bit_length() - 1] if self.used_by else None
        return {
            "game": self.game.key,
            "options": {},
            "seats": self.seats,
            "to_move": None if over else self.mover,
            "phase": PHASES[self.phase],
            "round": match.round,
            "order": list(match.order),
            "man_seat": match.man_seat if match.round else None,
            "man": NAMES[self.man] if self.man >= 0 else None,
            "attackers": [
                {"seat": match.owners[colour_at[name]], "colour": COLOURS[colour_at[name]], "cell": name}
                for name in list_names(self.all_pieces)
            ],
            "colours": {COLOURS[colour]: owner for colour, owner in enumerate(match.owners) if owner >= 0},
            "dice": list(self.dice) if self.dice[0] else None,
            "used": {"die": self.used, "attacker": used_by} if self.used else None,
            "captured": list_names(self.captured) if self.phase == MAN else [],
            "man_turns": self.man_turns,
            "attack_scores": list(match.attack_scores),
            "man_scores": list(match.man_scores),
            **ending_fields(
                self,
                rolled=int(match.rolled),
                rounds=[round_.to_json() for round_ in match.rounds],
                rollers=list(match.rollers),
                sums=list(match.sums),
            ),
        }


_Sealed: Final = make_immutable(UomoNeroState)
