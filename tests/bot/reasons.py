"""What is said of why a turn is good."""

from typing import Any

from bot.kernel.explanations import explain_turn
from bot.kernel.texts import Texts, strip_styles
from engine import games
from engine.search import Judged

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")


def explain_line(position: dict[str, Any], line: str, language: str = "en", judged: tuple[Judged, ...] = ()) -> str:
    """Return the sentence for a line of play from a position."""
    state = games[position["game"]].load(position)
    return strip_styles(explain_turn(TEXTS.speaker(language), state, state.parse(line), NAMES, judged))
