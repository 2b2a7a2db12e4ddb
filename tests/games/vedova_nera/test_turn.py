"""The first turn of La Vedova Nera, which begins with the deal."""

from engine import Action
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from engine.turn import extend_turn
from tests.games.vedova_nera.board import DEAL_FOR_3


def test_a_drop_by_the_seat_that_waits_belongs_to_the_turn_under_way() -> None:
    state = VEDOVA_NERA.start(3)
    deal = state.read(DEAL_FOR_3)
    dealt = state.play(deal)
    turn = extend_turn(extend_turn(None, state, deal), dealt, Action.drop(2))
    assert (turn.seat, turn.actions) == (2, (deal, Action.drop(2)))
    left = dealt.play(Action.drop(2))
    assert extend_turn(turn, left, left.legal_actions()[0]).seat == 0
