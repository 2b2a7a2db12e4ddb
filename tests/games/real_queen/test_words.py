"""The words of Real Queen: positions."""

from bot.language.texts import Texts
from bot.words.describe import alt_text
from tests.games.real_queen.board import load

TEXTS = Texts()
KEY = "real-queen"


def test_position_is_described_in_words() -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5", ("g7", None), (3, 4))
    text = alt_text(TEXTS.speaker("en").of(KEY), state, None, ["Anna", "Bruno"])
    for part in (
        "White",
        "a4, b3, c2, d2, d3, d4",
        "queen on g7",
        "3 in reserve",
        "Black",
        "c3, c4, c5",
        "4 in reserve",
    ):
        assert part in text, text
