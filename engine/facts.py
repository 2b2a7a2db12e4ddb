"""What a game is, said once by the game itself: generic code asks here and knows no game's verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import Action

NO_VERBS: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Facts:
    """What there is in a game, mostly as the verbs of the actions that do it; what is not there is empty.

    `rolls` are the chance actions whose outcomes `State.chance_outcomes` lists, `deals` those with too many. `captures`
    take what stands on their target; `traps` may take pieces elsewhere, as custodian captures do. `exchanges` change
    the hands or the places of pieces that stay on the board, as a swap after the first move does. By `picks` a seat
    chooses its colour, the action's value, during the game; where there are none, colours belong to seats. What is
    `weighty` moves or brings in a piece of which there is only one: nobody is to do that by a slip. `kinds` has
    the verbs that a player chooses together with those of another kind, as moves and captures of one piece. `turn` is
    what the game's sheet calls a turn: with `numbered.`, `counted.` and `sheet.` before it the key of the words for it.
    `grand` are the reasons of wins, no verbs, that are so fine that a competition may count them double; the
    catalogue calls them by the word `grand`.
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
        """Whether anything is ever captured."""
        return bool(self.captures or self.traps)

    def by_chance(self, action: Action) -> bool:
        """Say whether an action is made by dice or a deal."""
        return action.verb in self.rolls or action.verb in self.deals

    def by_player(self, action: Action) -> bool:
        """Say whether an action is a player's own doing: neither made by chance nor leaving the game."""
        return not action.is_drop and not self.by_chance(action)

    def is_capture(self, action: Action) -> bool:
        """Say whether an action captures what stands on its target."""
        return action.verb in self.captures

    def is_weighty(self, action: Action) -> bool:
        """Say whether an action moves or brings in a piece of which there is only one."""
        return action.verb in self.weighty

    def kind_of(self, action: Action) -> str:
        """Return the kind of action that a player chooses first."""
        return self.kinds.get(action.verb, action.verb)
