"""La Vedova Nera before the first move: the deal of the marbles, then the choice of colours."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar, Final

from engine.core import (
    CHANCE,
    Action,
    Game,
    IllegalAction,
    InvalidAction,
    Outcome,
    Random,
    State,
    make_immutable,
    shorten_value,
)
from engine.games.vedova_nera import rules
from engine.games.vedova_nera.rules import BLACK, CHOOSE, COLOURS, NO_NODE, PAWNS_BY_SEATS, WEB, Play
from engine.positions import ending_fields, last_seat, seat_to_move
from engine.topology import Topology, list_indices

SORTS: Final = (*COLOURS, BLACK)
_DEAL: Final = re.compile("deal " + " ".join(rf"{colour}:([a-h1-4,]*)" for colour in SORTS))


def deal_marbles(marbles: Iterable[int]) -> Action:
    """Return the chance action that puts the marbles of the five colours, then the black one, on these hollows."""
    lists = [(colour, WEB.cells(hollows)) for colour, hollows in zip(SORTS, marbles, strict=True)]
    text = "deal " + " ".join(f"{colour}:{','.join(cells)}" for colour, cells in lists)
    return Action(text, "deal", value=tuple((colour, tuple(cells)) for colour, cells in lists))


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
    everything = 0
    for hollows in marbles:
        everything |= hollows
    if sizes != [PAWNS_BY_SEATS[seats]] * len(COLOURS) + [1] or everything.bit_count() != sum(sizes):
        return None
    return marbles if deal_marbles(marbles).text == text else None


class BeforePlay(State):
    """The common parts of the two phases before `play`: no pawns, no Counsellor."""

    __slots__ = ("colours", "dropped", "marbles", "outcome", "seats", "to_move", "turn")

    game: ClassVar[Game]
    phase: str

    def __init__(
        self,
        seats: int,
        to_move: int,
        colours: tuple[int, ...],
        marbles: tuple[int, ...],
        turn: int = 0,
        dropped: tuple[int, ...] = (),
    ) -> None:
        """Make a state: `colours` by seat as indices into COLOURS or NONE, `marbles` by colour, black last."""
        self.seats = seats
        self.colours = colours
        self.marbles = marbles
        self.turn = turn
        self.dropped = dropped
        self.outcome: Outcome | None = last_seat(seats, dropped)
        self.to_move: int | None = None if self.outcome else to_move

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

    def to_json(self) -> dict[str, Any]:
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


class Deal(BeforePlay):
    """The phase `deal`, before the marbles fall into the hollows."""

    __slots__ = ()

    phase = "deal"

    def __init__(self, seats: int, turn: int = 0, dropped: tuple[int, ...] = ()) -> None:
        super().__init__(seats, CHANCE, (NO_NODE,) * seats, (0,) * len(SORTS), turn, dropped)
        self.__class__ = _SealedDeal

    def legal_actions(self) -> tuple[Action, ...]:
        """Return nothing: there are too many deals to list."""
        return ()

    def is_legal(self, action: Action) -> bool:
        """Return whether the action is a deal for this number of seats, or drops a seat."""
        if action.verb == "deal":
            return self.to_move is not None and _dealt(action.text, self.seats) is not None
        return super().is_legal(action)

    def sample_chance(self, rng: Random) -> Action:
        """Draw a deal, all equally likely, by one `rng.randrange` for every marble."""
        if self.to_move is None:
            return super().sample_chance(rng)
        hollows = list(range(len(WEB)))
        marbles = []
        for count in (*[PAWNS_BY_SEATS[self.seats]] * len(COLOURS), 1):
            bits = 0
            for _ in range(count):
                bits |= 1 << hollows.pop(rng.randrange(len(hollows)))
            marbles.append(bits)
        return deal_marbles(marbles)

    def read_chance(self, text: str) -> Action:
        """Return the deal with this canonical text; InvalidAction if it is no deal for this number of seats."""
        marbles = _dealt(text, self.seats)
        if marbles is None:
            raise InvalidAction("wrong-deal" if text.startswith("deal") else "not-understood", text=shorten_value(text))
        return deal_marbles(marbles)

    def advance(self, action: Action) -> State:
        """Return the state after a deal, or after a seat has left."""
        if action.verb == "drop":
            return Deal(self.seats, self.turn, (*self.dropped, action.value))
        marbles = _dealt(action.text, self.seats)
        if marbles is None:
            raise self.refusal(action)
        return _next_choice(self.colours, marbles, self.turn, self.dropped)

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error for any move before the deal."""
        if action.verb == "drop":
            return IllegalAction("no-such-seat", seat=shorten_value(action.value))
        return IllegalAction("wrong-deal" if action.verb == "deal" else "deal-first")


class ColourChoice(BeforePlay):
    """The phase `colours`: the seats choose theirs, one after the other."""

    __slots__ = ()

    phase = "colours"

    def __init__(
        self, to_move: int, colours: tuple[int, ...], marbles: tuple[int, ...], turn: int, dropped: tuple[int, ...] = ()
    ) -> None:
        super().__init__(len(colours), to_move, colours, marbles, turn, dropped)
        self.__class__ = _SealedChoice

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the colours not yet taken."""
        if self.to_move is None:
            return ()
        return tuple(CHOOSE[colour] for number, colour in enumerate(COLOURS) if number not in self.colours)

    def advance(self, action: Action) -> State:
        """Return the state after the choice of a colour, or after a seat has left."""
        seat = self.to_move or 0
        if action.verb == "drop":
            dropped = (*self.dropped, action.value)
            turn = self.turn + (action.value == seat)
            if last_seat(self.seats, dropped) is not None:
                return ColourChoice(seat, self.colours, self.marbles, turn, dropped)
            return _next_choice(self.colours, self.marbles, turn, dropped)
        colours = (*self.colours[:seat], COLOURS.index(action.text), *self.colours[seat + 1 :])
        return _next_choice(colours, self.marbles, self.turn + 1, self.dropped)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the colour's names."""
        return rules.NAMES[action.text]

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error for a taken colour, or for any other action before colours are chosen."""
        return rules.refusal_of_colour(action, [COLOURS[colour] for colour in self.colours if colour != NO_NODE])


_SealedDeal = make_immutable(Deal)
_SealedChoice = make_immutable(ColourChoice)


def _next_choice(colours: tuple[int, ...], marbles: tuple[int, ...], turn: int, dropped: tuple[int, ...]) -> State:
    """Return the state in which the next seat chooses, or the first of the phase `play`.

    A seat that has left gets the first remaining colour when its turn to choose comes (rules, End).
    """
    while NO_NODE in colours:
        seat = colours.index(NO_NODE)
        if seat not in dropped:
            return ColourChoice(seat, colours, marbles, turn, dropped)
        first = next(number for number in range(len(COLOURS)) if number not in colours)
        colours = (*colours[:seat], first, *colours[seat + 1 :])
    goals = tuple(marbles[colour] for colour in colours)
    (counsellor,) = list_indices(marbles[-1])
    return Play.begin(colours, goals, counsellor, dropped, turn)
