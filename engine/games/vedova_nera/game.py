"""La Vedova Nera before the first move, the deal and the choice of colours, and the reading of positions.

Codes of InvalidPosition besides those of `engine.positions`: not-empty (field: before `play` it is),
wrong-number (field, number, expected), colours-order (seat), colour-twice (colour), not-to-move (seat),
two-winners, winner-left (seat), counsellor-on-pawn (cell), impossible-ban, impossible-entry,
impossible-entry-ban (cell), broken-history.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from engine.core import (
    CHANCE,
    Action,
    Actions,
    Game,
    GameOptions,
    IllegalAction,
    InvalidAction,
    InvalidPosition,
    Json,
    Outcome,
    Position,
    Random,
    Seats,
    State,
    make_immutable,
    places_with_draw,
    places_with_winner,
    shorten_value,
)
from engine.facts import Facts
from engine.games.vedova_nera import rules
from engine.games.vedova_nera.rules import (
    BLACK,
    CHOOSE,
    COLOURS,
    MAX_TURNS,
    NO_NODE,
    OUTERMOST,
    PAWNS_BY_SEATS,
    RAYS,
    WEB,
    BySeat,
    Play,
    open_ray,
)
from engine.notation import list_marks
from engine.positions import (
    Extra,
    PositionField,
    PositionFields,
    check_dropped,
    check_fields,
    ending_fields,
    last_seat,
    options_of,
    seat_to_move,
    settle_outcome,
    to_move_of,
)
from engine.topology import Topology, list_indices

SORTS: Final = (*COLOURS, BLACK)
_DEAL: Final = re.compile("deal " + " ".join(rf"{colour}:([a-h1-4,]*)" for colour in SORTS))


def deal_marbles(marbles: Iterable[int]) -> Action:
    """Return the chance action that puts the marbles of the five colours, then the black one, on these hollows."""
    lists = [(colour, WEB.cells(hollows)) for colour, hollows in zip(SORTS, marbles, strict=True)]
    text = "deal " + " ".join(f"{colour}:{','.join(cells)}" for colour, cells in lists)
    return Action(text, "deal", value=tuple((colour, tuple(cells)) for colour, cells in lists))


def _sizes(seats: int) -> list[int]:
    """Return the numbers of marbles of the five colours and of black."""
    return [PAWNS_BY_SEATS[seats]] * len(COLOURS) + [1]


def _dealt(text: str, seats: int) -> tuple[int, ...] | None:
    """Return the marbles of a deal's text by colour, None if it is no deal for this number of seats."""
    match = _DEAL.fullmatch(text)
    if match is None:
        return None
    lists = [cells.split(",") for cells in match.groups()]
    if any(cell not in WEB.index for cells in lists for cell in cells):
        return None
    marbles = tuple(WEB.bits(cells) for cells in lists)
    sizes = [hollows.bit_count() for hollows in marbles]
    # Adding sets that have a hollow in common would carry bits.
    if sizes != _sizes(seats) or sum(marbles).bit_count() != sum(sizes):
        return None
    return marbles if deal_marbles(marbles).text == text else None


class BeforePlay(State):
    """A position of the two phases before `play`: the deal, and the choice of colours, one seat after the other."""

    __slots__ = ("colours", "dropped", "marbles", "outcome", "seats", "to_move", "turn")

    game: ClassVar[Game]

    def __init__(
        self, to_move: int, colours: BySeat, marbles: tuple[int, ...], turn: int = 0, dropped: Seats = ()
    ) -> None:
        """Make a state: `colours` by seat as indices into COLOURS or NO_NODE, `marbles` by colour, black last."""
        self.seats = len(colours)
        self.colours = colours
        self.marbles = marbles
        self.turn = turn
        self.dropped = dropped
        self.outcome: Outcome | None = last_seat(self.seats, dropped)
        self.to_move: int | None = None if self.outcome else to_move
        self.__class__ = _Sealed

    @property
    def phase(self) -> str:
        """The phase's name: `deal` until the marbles are in the hollows, then `colours`."""
        return "colours" if self.marbles[-1] else "deal"

    @property
    def topology(self) -> Topology:
        """The web."""
        return WEB

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions, legal or not, that the text may be meant as."""
        return rules.well_formed(text)

    def key(self) -> tuple[Any, ...]:
        """Return what makes up the position."""
        mover = "over" if self.to_move is None else self.to_move
        return (self.phase, self.seats, mover, *self.colours, *self.marbles, *self.dropped)

    def to_json(self) -> Json:
        """Return the position as the rules write it."""
        return {
            "game": self.game.key,
            "options": {},
            "seats": self.seats,
            "to_move": seat_to_move(self),
            "phase": self.phase,
            "colours": [None if colour == NO_NODE else COLOURS[colour] for colour in self.colours],
            "marbles": {colour: WEB.cells(hollows) for colour, hollows in zip(SORTS, self.marbles, strict=True)},
            "pawns": [[] for _ in range(self.seats)],
            "off": [0] * self.seats,
            "counsellor": None,
            "counsellor_ban": None,
            "last_entry": None,
            "entry_ban": [None] * self.seats,
            **ending_fields(self),
        }

    def legal_actions(self) -> Actions:
        """Return the colours not yet taken; nothing before the deal, for there are too many deals to list."""
        if self.to_move is None or self.to_move == CHANCE:
            return ()
        return tuple(CHOOSE[colour] for number, colour in enumerate(COLOURS) if number not in self.colours)

    def is_legal(self, action: Action) -> bool:
        """Return whether the action is a colour, a deal for this number of seats, or drops a seat."""
        if action.verb == "deal":
            return self.to_move == CHANCE and _dealt(action.text, self.seats) is not None
        return super().is_legal(action)

    def sample_chance(self, rng: Random) -> Action:
        """Draw a deal, all equally likely, by one `rng.randrange` for every marble."""
        if self.to_move != CHANCE:
            return super().sample_chance(rng)
        hollows = list(range(len(WEB)))
        marbles = []
        for count in _sizes(self.seats):
            bits = 0
            for _ in range(count):
                bits |= 1 << hollows.pop(rng.randrange(len(hollows)))
            marbles.append(bits)
        return deal_marbles(marbles)

    def read_chance(self, text: str) -> Action:
        """Return the deal with this canonical text; InvalidAction if it is no deal for this number of seats."""
        if self.phase != "deal":
            return super().read_chance(text)
        marbles = _dealt(text, self.seats)
        if marbles is None:
            raise InvalidAction("wrong-deal" if text.startswith("deal") else "not-understood", text=shorten_value(text))
        return deal_marbles(marbles)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the names of a colour."""
        return rules.NAMES.get(action.text, (action.text,))

    def advance(self, action: Action) -> State:
        """Return the state after a deal, the choice of a colour, or after a seat has left."""
        colours, seat = self.colours, self.to_move or 0
        if action.verb == "drop":
            dropped = (*self.dropped, action.value)
            turn = self.turn + (action.value == self.to_move)
            if self.phase == "deal" or last_seat(self.seats, dropped) is not None:
                return BeforePlay(seat, colours, self.marbles, turn, dropped)
            return _next_choice(colours, self.marbles, turn, dropped)
        if self.phase == "deal":
            marbles = _dealt(action.text, self.seats)
            if marbles is None:
                raise self.refusal(action)
            return _next_choice(colours, marbles, self.turn, self.dropped)
        colours = (*colours[:seat], COLOURS.index(action.text), *colours[seat + 1 :])
        return _next_choice(colours, self.marbles, self.turn + 1, self.dropped)

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error for moves before the deal, for taken colours, and for others before colours are chosen."""
        if action.is_drop:
            return self.refuse_unknown(action)
        if self.phase == "deal":
            return IllegalAction("wrong-deal" if action.verb == "deal" else "deal-first")
        if action.verb == "deal":
            return IllegalAction("no-chance-due")
        if action.verb == "colour" and action.text == BLACK:
            return IllegalAction("black-is-counsellor")
        if action.verb == "colour" and action.text in [COLOURS[colour] for colour in self.colours if colour != NO_NODE]:
            return IllegalAction("colour-taken", colour=action.text)
        if action.verb in ("step", "counsellor", "enter", "marble", "capture", "pass"):
            return IllegalAction("colours-first")
        return self.refuse_unknown(action)


_Sealed = make_immutable(BeforePlay)


def _deal_due(seats: int, turn: int = 0, dropped: Seats = ()) -> BeforePlay:
    return BeforePlay(CHANCE, (NO_NODE,) * seats, (0,) * len(SORTS), turn, dropped)


def _next_choice(colours: BySeat, marbles: tuple[int, ...], turn: int, dropped: Seats) -> State:
    """Return the state in which the next seat chooses, or the first of the phase `play`.

    A seat that has left gets the first remaining colour when its turn to choose comes (rules, End).
    """
    while NO_NODE in colours:
        seat = colours.index(NO_NODE)
        if seat not in dropped:
            return BeforePlay(seat, colours, marbles, turn, dropped)
        first = next(number for number in range(len(COLOURS)) if number not in colours)
        colours = (*colours[:seat], first, *colours[seat + 1 :])
    goals = tuple(marbles[colour] for colour in colours)
    (counsellor,) = list_indices(marbles[-1])
    return Play.begin(colours, goals, counsellor, dropped, turn)


_FIELDS: Final = (
    "seats", "phase", "colours", "marbles", "pawns", "off", "counsellor", "counsellor_ban", "last_entry", "entry_ban",
)  # fmt: skip
_UNSEEN: Final = ("repetition", "no-progress")


def _colours(field: PositionField, seats: int) -> tuple[int, ...]:
    """Return the colours by seat as indices into COLOURS, NO_NODE where none is chosen yet."""
    colours: list[int] = []
    for item in field.items(seats):
        colour = NO_NODE if item.value is None else COLOURS.index(item.choice(COLOURS))
        if colour != NO_NODE and colour in colours:
            raise InvalidPosition("colour-twice", colour=item.value)
        colours.append(colour)
    return tuple(colours)


def _marbles(field: PositionField, sorts: tuple[str, ...], numbers: list[int]) -> tuple[int, ...]:
    """Return the marbles of these colours as bits: a fixed number of each, at most one in a hollow."""
    lists = field.mapping(sorts)
    taken = 0
    result = []
    for sort, number in zip(sorts, numbers, strict=True):
        hollows = lists[sort].cells(WEB, taken)
        if hollows.bit_count() != number:
            raise lists[sort].wrong("wrong-number", number=hollows.bit_count(), expected=number)
        taken |= hollows
        result.append(hollows)
    return tuple(result)


def _refuse_early_pieces(fields: PositionFields, seats: int) -> None:
    """Refuse pawns, a Counsellor or bans in a position before the phase `play`."""
    for name in ("counsellor", "counsellor_ban", "last_entry"):
        if fields[name].value is not None:
            raise fields[name].wrong("not-empty")
    for name, nothing in (("pawns", []), ("off", 0), ("entry_ban", None)):
        for item in fields[name].items(seats):
            if item.value != nothing or type(item.value) is not type(nothing):
                raise item.wrong("not-empty")


def _play(fields: PositionFields, seats: int, dropped: Seats) -> Play:
    pieces = PAWNS_BY_SEATS[seats]
    colours = _colours(fields["colours"], seats)
    if NO_NODE in colours:
        raise InvalidPosition("colours-order", seat=colours.index(NO_NODE))
    goals = _marbles(fields["marbles"], tuple(COLOURS[colour] for colour in colours), [pieces] * seats)
    pawns = fields["pawns"].cell_lists(WEB, seats)
    off = fields["off"].integers(seats, 0, pieces)
    for seat in range(seats):
        number = pawns[seat].bit_count() + off[seat]
        if number != pieces:
            raise InvalidPosition("wrong-number", field=f"pawns[{seat}]", number=number, expected=pieces)
    counsellor = fields["counsellor"].cell(WEB)
    if sum(pawns) >> counsellor & 1:
        raise InvalidPosition("counsellor-on-pawn", cell=WEB.names[counsellor])
    occupied = sum(pawns) | 1 << counsellor
    to_move = to_move_of(fields, seats, dropped)
    outcome = settle_outcome(
        fields, seats, _outcome_on_board(goals, pawns, dropped), lambda given: _is_draw(given, seats, dropped)
    )
    if outcome is not None:
        to_move = None
    ban = _node(fields["counsellor_ban"])
    last_entry = _node(fields["last_entry"])
    entry_ban = tuple([_node(item) for item in fields["entry_ban"].items(seats)])
    # Who made the last action where that is known: with two seats, the one not on the move, or the winner.
    mover = None if seats > 2 else 1 - to_move if to_move is not None else None
    if outcome is not None and outcome.reason == "complete":
        mover = outcome.winner
    if ban != NO_NODE and (
        last_entry != NO_NODE or not any(ban in open_ray(ray, occupied) for ray in RAYS[counsellor])
    ):
        raise InvalidPosition("impossible-ban", cell=WEB.names[ban])
    if last_entry != NO_NODE:
        enterers = pawns if mover is None else (pawns[mover],)
        if seats != 2 or not sum(enterers) & OUTERMOST & 1 << last_entry:
            raise InvalidPosition("impossible-entry", cell=WEB.names[last_entry])
    for seat, node in enumerate(entry_ban):
        if node == NO_NODE:
            continue
        free = OUTERMOST & ~occupied & 1 << node
        if seats != 2 or seat == mover or not free or not off[seat] or entry_ban[1 - seat] != NO_NODE:
            raise InvalidPosition("impossible-entry-ban", cell=WEB.names[node])
    extra = Extra(fields)
    state = Play(
        colours, goals, pawns, counsellor, occupied, to_move, extra.integer("turn"),
        extra.integer("played", most=MAX_TURNS), ban, last_entry, entry_ban, dropped, None, outcome,
    )  # fmt: skip
    return state if outcome is not None else state.after(extra.history())


def _node(field: PositionField) -> int:
    node = field.cell_or_none(WEB)
    return NO_NODE if node is None else node


def _outcome_on_board(goals: BySeat, pawns: BySeat, dropped: Seats) -> Outcome | None:
    """Return the outcome that the position alone shows: all goals of a seat covered, or one seat left."""
    seats = len(goals)
    alone = last_seat(seats, dropped)
    complete = [seat for seat in range(seats) if goals[seat] == pawns[seat]]
    if not complete:
        return alone
    if len(complete) > 1:
        raise InvalidPosition("two-winners")
    (winner,) = complete
    if winner in dropped or alone:
        raise InvalidPosition("winner-left", seat=winner)
    return Outcome("complete", places_with_winner(seats, winner, dropped))


def _is_draw(outcome: Outcome, seats: int, dropped: Seats) -> bool:
    return outcome.reason in _UNSEEN and outcome.places == places_with_draw(seats, dropped) and not outcome.details


class VedovaNera(Game):
    """The rules of La Vedova Nera."""

    key = "vedova-nera"
    order = 4
    seats = range(2, 6)
    rules_version = 1
    words: Mapping[str, str] = {
        **list_marks("k", "counsellor counselor consigliere"),
        **list_marks("+", "enter entra entro rientra rientro"),
        **list_marks("m", "marble biglia"),
        **list_marks("", "step pawn ragno spider"),
    }
    facts = Facts(
        deals=frozenset({"deal"}),
        traps=frozenset({"step", "counsellor", "enter"}),
        picks=frozenset({"colour"}),
        weighty=frozenset({"counsellor"}),
    )

    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        seats = zip(position["colours"], position["pawns"], strict=True)
        found = {cell: colour[0] for colour, cells in seats if colour for cell in cells}
        return found | ({position["counsellor"]: "K"} if position["counsellor"] else {})

    def start(self, seats: int = 2, options: GameOptions | None = None) -> State:
        """Return the first state, in which the deal is due."""
        self.checked_options(seats, options)
        return _deal_due(seats)

    def load(self, position: Position) -> State:
        """Return the state that the dictionary describes; InvalidPosition says what is wrong with it."""
        fields = check_fields(self, position, _FIELDS)
        seats = fields["seats"].integer(self.seats[0], self.seats[-1])
        options_of(self, fields, seats)
        dropped = check_dropped(fields, seats)
        phase = fields["phase"].choice(("deal", "colours", "play"))
        if phase == "play":
            return _play(fields, seats, dropped)
        _refuse_early_pieces(fields, seats)
        outcome = settle_outcome(fields, seats, last_seat(seats, dropped))
        turn = Extra(fields).integer("turn")
        colours = _colours(fields["colours"], seats)
        if phase == "deal":
            marbles = _marbles(fields["marbles"], SORTS, [0] * len(SORTS))
            if colours != (NO_NODE,) * seats:
                raise fields["colours"].wrong("not-empty")
            if outcome is None:
                fields["to_move"].integer(0, 0)
            return _deal_due(seats, turn, dropped)
        marbles = _marbles(fields["marbles"], SORTS, _sizes(seats))
        chosen = seats - colours.count(NO_NODE)
        if NO_NODE in colours[:chosen] or chosen == seats:
            raise InvalidPosition("colours-order", seat=colours.index(NO_NODE) if NO_NODE in colours else seats - 1)
        if outcome is None and to_move_of(fields, seats, dropped) != chosen:
            raise InvalidPosition("not-to-move", seat=fields["to_move"].value)
        if chosen in dropped[:-1]:
            # It would have got the first colour left as soon as its turn came.
            raise InvalidPosition("colours-order", seat=chosen)
        return BeforePlay(chosen, colours, marbles, turn, dropped)


GAME = VedovaNera()
Play.game = BeforePlay.game = GAME
