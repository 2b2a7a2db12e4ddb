"""Creating positions of La Vedova Nera: the start, and dictionaries.

Reading positions of La Vedova Nera.

Codes of InvalidPosition besides those of `engine.positions`: not-empty (field: before `play` it is),
wrong-number (field, number, expected), colours-order (seat), colour-twice (colour), not-to-move (seat),
two-winners, winner-left (seat), counsellor-on-pawn (cell), impossible-ban, impossible-entry,
impossible-entry-ban (cell), broken-history.
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.core import Game, InvalidPosition, Option, Outcome, State, places_with_draw, places_with_winner
from engine.facts import Facts
from engine.games.vedova_nera.rules import (
    COLOURS,
    MAX_TURNS,
    NO_NODE,
    OUTERMOST,
    PAWNS_BY_SEATS,
    RAYS,
    WEB,
    Play,
    open_ray,
)
from engine.games.vedova_nera.setup import SORTS, BeforePlay, ColourChoice, Deal
from engine.notation import list_marks
from engine.positions import (
    Extra,
    cell_lists,
    cell_or_none,
    check_cell,
    check_cells,
    check_choice,
    check_dropped,
    check_fields,
    check_integer,
    check_integers,
    check_items,
    last_seat,
    mapping,
    options_of,
    settle_outcome,
    to_move_of,
)

_FIELDS: Final = (
    "seats", "phase", "colours", "marbles", "pawns", "off", "counsellor", "counsellor_ban", "last_entry", "entry_ban",
)  # fmt: skip
_UNSEEN: Final = ("repetition", "no-progress")


def load(game: Game, position: Mapping[str, Any]) -> State:
    """Return the state that the dictionary describes; InvalidPosition says what is wrong with it."""
    position = check_fields(game, position, _FIELDS)
    seats = check_integer(position["seats"], "seats", game.seats[0], game.seats[-1])
    options_of(game, position, seats)
    dropped = check_dropped(position, seats)
    phase = check_choice(position["phase"], "phase", ("deal", "colours", "play"))
    if phase == "play":
        return _play(position, seats, dropped)
    _refuse_early_pieces(position, seats)
    outcome = settle_outcome(position, seats, last_seat(seats, dropped), lambda _: False)
    turn = Extra(position).integer("turn")
    colours = _colours(position["colours"], seats)
    if phase == "deal":
        marbles = _marbles(position["marbles"], SORTS, [0] * len(SORTS))
        if colours != (NO_NODE,) * seats:
            raise InvalidPosition("not-empty", field="colours")
        if outcome is None:
            check_integer(position["to_move"], "to_move", 0, 0)
        return Deal(seats, turn, dropped)
    marbles = _marbles(position["marbles"], SORTS, [PAWNS_BY_SEATS[seats]] * len(COLOURS) + [1])
    chosen = seats - colours.count(NO_NODE)
    if NO_NODE in colours[:chosen] or chosen == seats:
        raise InvalidPosition("colours-order", seat=colours.index(NO_NODE) if NO_NODE in colours else seats - 1)
    if outcome is None and to_move_of(position, seats, dropped) != chosen:
        raise InvalidPosition("not-to-move", seat=position["to_move"])
    if chosen in dropped[:-1]:
        # It would have got the first colour left as soon as its turn came.
        raise InvalidPosition("colours-order", seat=chosen)
    return ColourChoice(chosen, colours, marbles, turn, dropped)


def _colours(value: object, seats: int) -> tuple[int, ...]:
    """Return the colours by seat as indices into COLOURS, NONE where none is chosen yet."""
    colours: list[int] = []
    for seat, item in enumerate(check_items(value, "colours", seats)):
        colour = NO_NODE if item is None else COLOURS.index(check_choice(item, f"colours[{seat}]", COLOURS))
        if colour != NO_NODE and colour in colours:
            raise InvalidPosition("colour-twice", colour=item)
        colours.append(colour)
    return tuple(colours)


def _marbles(value: object, sorts: tuple[str, ...], numbers: list[int]) -> tuple[int, ...]:
    """Return the marbles of these colours as bits: a fixed number of each, at most one in a hollow."""
    lists = mapping(value, "marbles", sorts)
    taken = 0
    result = []
    for sort, number in zip(sorts, numbers, strict=True):
        hollows = check_cells(lists[sort], f"marbles.{sort}", WEB, taken)
        if hollows.bit_count() != number:
            raise InvalidPosition("wrong-number", field=f"marbles.{sort}", number=hollows.bit_count(), expected=number)
        taken |= hollows
        result.append(hollows)
    return tuple(result)


def _refuse_early_pieces(position: Mapping[str, Any], seats: int) -> None:
    """Refuse pawns, a Counsellor or bans in a position before the phase `play`."""
    for field in ("counsellor", "counsellor_ban", "last_entry"):
        if position[field] is not None:
            raise InvalidPosition("not-empty", field=field)
    for field, nothing in (("pawns", []), ("off", 0), ("entry_ban", None)):
        for seat, item in enumerate(check_items(position[field], field, seats)):
            if item != nothing or type(item) is not type(nothing):
                raise InvalidPosition("not-empty", field=f"{field}[{seat}]")


def _play(position: Mapping[str, Any], seats: int, dropped: tuple[int, ...]) -> Play:
    pieces = PAWNS_BY_SEATS[seats]
    colours = _colours(position["colours"], seats)
    if NO_NODE in colours:
        raise InvalidPosition("colours-order", seat=colours.index(NO_NODE))
    goals = _marbles(position["marbles"], tuple(COLOURS[colour] for colour in colours), [pieces] * seats)
    pawns = cell_lists(position["pawns"], "pawns", WEB, seats)
    off = check_integers(position["off"], "off", seats, 0, pieces)
    for seat in range(seats):
        number = pawns[seat].bit_count() + off[seat]
        if number != pieces:
            raise InvalidPosition("wrong-number", field=f"pawns[{seat}]", number=number, expected=pieces)
    counsellor = check_cell(position["counsellor"], "counsellor", WEB)
    if sum(pawns) >> counsellor & 1:
        raise InvalidPosition("counsellor-on-pawn", cell=position["counsellor"])
    occupied = sum(pawns) | 1 << counsellor
    to_move = to_move_of(position, seats, dropped)
    outcome = settle_outcome(
        position, seats, _outcome_on_board(goals, pawns, dropped), lambda given: _is_draw(given, seats, dropped)
    )
    if outcome is not None:
        to_move = None
    ban = _node(position["counsellor_ban"], "counsellor_ban")
    last_entry = _node(position["last_entry"], "last_entry")
    entry_ban = tuple(
        _node(item, f"entry_ban[{seat}]")
        for seat, item in enumerate(check_items(position["entry_ban"], "entry_ban", seats))
    )
    # Who made the last action where that can be told: with two seats, the one not on the move, or the winner.
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
    extra = Extra(position)
    state = Play(
        colours, goals, pawns, counsellor, occupied, to_move, extra.integer("turn"),
        extra.integer("played", most=MAX_TURNS), ban, last_entry, entry_ban, dropped, None, outcome,
    )  # fmt: skip
    return state if outcome is not None else state.after(extra.history())


def _node(value: object, field: str) -> int:
    node = cell_or_none(value, field, WEB)
    return NO_NODE if node is None else node


def _outcome_on_board(goals: tuple[int, ...], pawns: tuple[int, ...], dropped: tuple[int, ...]) -> Outcome | None:
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


def _is_draw(outcome: Outcome, seats: int, dropped: tuple[int, ...]) -> bool:
    return outcome.reason in _UNSEEN and outcome.places == places_with_draw(seats, dropped) and not outcome.details


class VedovaNera(Game):
    """The rules of La Vedova Nera."""

    key = "vedova-nera"
    order = 4
    seats = range(2, 6)
    rules_version = 1
    options: Mapping[str, Option] = {}
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

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        seats = zip(position["colours"], position["pawns"], strict=True)
        found = {cell: colour[0] for colour, cells in seats if colour for cell in cells}
        return found | ({position["counsellor"]: "K"} if position["counsellor"] else {})

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> State:
        """Return the first state, in which the deal is due."""
        self.checked_options(seats, options)
        return Deal(seats)

    def load(self, position: Mapping[str, Any]) -> State:
        """Return the state that the dictionary describes."""
        return load(self, position)


GAME = VedovaNera()
Play.game = BeforePlay.game = GAME
