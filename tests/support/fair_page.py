"""The code of docs/fair-chance.md, taken from the page, by which players check chance for themselves."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from engine import CHANCE, games
from engine.fair import Draw, public_text

PAGE: Final = (Path(__file__).parents[2] / "docs" / "fair-chance.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CODE: Final = "\n".join(block for block in BLOCKS if not block.startswith(">>>"))


def from_the_page() -> dict[str, Any]:
    """Return the functions of the page by their names."""
    names: dict[str, Any] = {}
    exec(CODE, names)  # noqa: S102 the page promises that this code works
    return names


def compare_page(key: str, worked_out: Callable[[dict[str, Any], str, str, str, int], str], turns: int = 30) -> int:
    """Play a game with every number of seats, its chance compared with what the page works out; return how often."""
    page, checked = from_the_page(), 0
    seed, public = hashlib.sha256(key.encode()).hexdigest(), public_text(key, ["web:1", "web:2"])
    for seats in games[key].seats:
        state = games[key].start(seats)
        for number in range(1, turns):
            if state.to_move == CHANCE:
                action = state.sample_chance(Draw(seed, public, number))
                assert action.text == worked_out(page, action.text, seed, public, number)
                checked += 1
            elif state.to_move is not None:
                action = state.legal_actions()[0]
            else:
                break
            state = state.play(action)
    return checked
