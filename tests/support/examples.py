"""How many examples property tests try: few in `make test`, many in `make full`."""

from typing import Final

from hypothesis import settings

QUICK_EXAMPLES: Final = 30
"""What a test tries in `make test` unless it says otherwise."""
LONG_EXAMPLES: Final = 500


def scaled(quick: int) -> int:
    """Return how many examples a costly test is to try: `quick` in `make test`, in proportion more in `make full`."""
    return max(1, quick * settings().max_examples // QUICK_EXAMPLES)
