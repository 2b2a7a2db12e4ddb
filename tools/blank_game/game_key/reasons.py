"""Why a turn of Game Key is good, beyond what can be said of any game."""

# New game: yield `case.reason("why....", WEIGHT, ...)` for what only this game has, with the sentences under `why.` in
# its catalogues: predicates without their subject. Wins, captures and threats are found without you; each reason of an
# end that wins has its sentence under `why.wins.`.

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import Candidate, GameReasons, Reason


def own_reasons(_case: Candidate) -> Iterator[Reason]:
    """Yield nothing yet."""
    yield from ()


REASONS: Final = GameReasons(own_reasons)
