"""The game class of Gioco dell'Uomo Nero."""

from collections.abc import Mapping
from typing import Any

from engine.core import Game, Option
from engine.facts import Facts
from engine.games.uomo_nero.loading import load
from engine.games.uomo_nero.match import ROLL_OFF, new_match
from engine.games.uomo_nero.prover import PROVER
from engine.games.uomo_nero.state import UomoNeroState
from engine.prover import Prover
from engine.vocabulary import STAYING, STOPPING, list_marks


class UomoNero(Game):
    """Gioco dell'Uomo Nero (Gregory Lebas, 2022), for 2-5 players."""

    key = "uomo-nero"
    order = 5
    seats = range(2, 6)
    rules_version = 1
    options: Mapping[str, Option] = {}
    prover: Prover | None = PROVER
    words: Mapping[str, str] = {
        **list_marks("stay", f"{STAYING} {STOPPING}"),
        **list_marks("sprint", "scatto scatta"),
        **list_marks("", "attacker attaccante man uomo"),
    }
    facts = Facts(
        rolls=frozenset({"roll"}), captures=frozenset({"capture"}), picks=frozenset({"pick"}), kinds={"sprint": "move"}
    )

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        found = {attacker["cell"]: attacker["colour"][0] for attacker in position["attackers"]}
        return found | ({position["man"]: "M"} if position["man"] else {})

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> UomoNeroState:
        """Return the state before the roll-off; InvalidOption for unknown options or numbers of seats."""
        self.checked_options(seats, options)
        return UomoNeroState(new_match(seats), ROLL_OFF, 0, 0)

    def load(self, position: Mapping[str, Any]) -> UomoNeroState:
        """Return the state that the dictionary describes; InvalidPosition says what is wrong with it."""
        return load(self, position)


GAME = UomoNero()
UomoNeroState.game = GAME
