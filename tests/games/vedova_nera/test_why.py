"""Why a turn of La Vedova Nera is good, in one sentence."""

from bot.kernel.explanations import explain_turn
from bot.kernel.texts import strip_styles
from engine.search import Judged
from tests.bot.reasons import NAMES, TEXTS
from tests.games.vedova_nera.board import load


def test_the_search_is_asked_where_the_board_says_little() -> None:
    goals = ("a1 c3 f1 g1 d2", "b1 b2 b3 h3 e1", "a2 a3 d3 e3 f4")
    state = load("a1 c2 g4 e4 b4", "f2 f3 d1 d4 h4", "h1 h2 e2 c4 a4", goals=goals, counsellor="h3")
    english = TEXTS.speaker("en")
    quiet = next(action for action in state.legal_actions() if not explain_turn(english, state, [action], NAMES))
    judged = (Judged(quiet, (0.61, 0.5, 0.4), 9), Judged(state.parse("c2-c3")[0], (0.44, 0.5, 0.5), 7))
    explanation = strip_styles(explain_turn(english, state, [quiet], NAMES, judged))
    assert explanation == "It is rated 61% by the computer, and the next best, c2-c3, 44%."
