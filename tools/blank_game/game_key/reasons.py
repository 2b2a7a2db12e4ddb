"""Why a turn of Game Key is good, beyond what can be said of any game."""

# New game: yield `case.reason("why....", WEIGHT, ...)` for what only this game has, with the sentences under `why.` in
# its catalogues. Wins, captures and threats are found without you.

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.explanations.candidate import Candidate, GameReasons, Reason


def game_key(_case: Candidate) -> Iterator[Reason]:
    """Yield nothing yet."""
    yield from ()


REASONS: Final = GameReasons(game_key)
