"""Creating positions of La Vedova Nera: the start, and dictionaries."""

from collections.abc import Mapping
from typing import Any

from engine.core import Game, Option, State
from engine.facts import Facts
from engine.games.vedova_nera import load
from engine.games.vedova_nera.play import Play
from engine.games.vedova_nera.setup import BeforePlay, Deal
from engine.vocabulary import list_marks


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
        return load.load(self, position)


GAME = VedovaNera()
Play.game = BeforePlay.game = GAME
