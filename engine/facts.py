"""Facts that a game states about itself, so that generic code needs to know no game's verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import Action

NO_VERBS: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Facts:
    """The facts of a game, mostly the verbs of its actions; empty where it has none.

    `rolls` are the chance actions that `State.chance_outcomes` lists, `deals` those with too many outcomes. `captures`
    take the piece on their target; `traps` may take pieces on other cells, as custodian captures do. `exchanges` change
    owners or places of pieces that stay on the board, as a swap after the first move does. By `picks` a seat chooses
    its colour, the action's value, during the game; without them colours belong to seats. `weighty` actions move or
    bring in a unique piece, and should not happen by a slip. `kinds` are the verbs that a player chooses together with
    another kind, as moves and captures of one piece. `turn` is what the game's sheet calls a turn: the words have the
    keys `numbered.`, `counted.` and `sheet.` with it. `grand` are the reasons of wins (not verbs) so fine that a
    competition may count them double; the catalogue calls them by `grand`.
    """

    rolls: frozenset[str] = NO_VERBS
    deals: frozenset[str] = NO_VERBS
    captures: frozenset[str] = NO_VERBS
    traps: frozenset[str] = NO_VERBS
    exchanges: frozenset[str] = NO_VERBS
    picks: frozenset[str] = NO_VERBS
    weighty: frozenset[str] = NO_VERBS
    kinds: Mapping[str, str] = field(default_factory=dict, hash=False)
    turn: str = "turn"
    grand: frozenset[str] = NO_VERBS

    @property
    def takes(self) -> bool:
        """True if the game has captures."""
        return bool(self.captures or self.traps)

    def by_chance(self, action: Action) -> bool:
        """Return whether an action is made by dice or a deal."""
        return action.verb in self.rolls or action.verb in self.deals

    def by_player(self, action: Action) -> bool:
        """Return whether an action is a player's own: neither chance nor leaving the game."""
        return not action.is_drop and not self.by_chance(action)

    def is_capture(self, action: Action) -> bool:
        """Return whether an action captures the piece on its target."""
        return action.verb in self.captures

    def is_weighty(self, action: Action) -> bool:
        """Return whether an action moves or brings in a unique piece."""
        return action.verb in self.weighty

    def kind_of(self, action: Action) -> str:
        """Return the kind of action that a player chooses first."""
        return self.kinds.get(action.verb, action.verb)
