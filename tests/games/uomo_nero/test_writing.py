"""Gioco dell'Uomo Nero: how moves are written, and what players type."""

from engine.core import State
from tests.games.uomo_nero.court import begin_round, load, play, rolled_off, texts


def typed(state: State, text: str) -> list[str]:
    return [str(action) for action in state.parse(text)]


class TestCanonicalTexts:
    def test_dice_the_smaller_one_first(self) -> None:
        assert {"roll 3 4", "roll 6 6"} <= texts(begin_round(2))
        assert "roll 4 3" not in texts(begin_round(2))

    def test_the_mans_first_cell_and_a_colour(self) -> None:
        state = rolled_off()
        assert "d13" in texts(state)
        assert "red" in texts(play(state, "d13"))

    def test_an_attackers_move_says_the_amount_used(self) -> None:
        state = load("b2 c5", man="h12", dice=(3, 4))
        assert {"b2-b5/3", "b2-b6/4", "b2-b9/7", "c5-c8/3"} <= texts(state)
        actions = {action.text: action for action in state.legal_actions()}
        move = actions["b2-b5/3"]
        assert (move.verb, move.source, move.target, move.amount) == ("move", "b2", "b5", 3)
        assert (actions["stay/4"].verb, actions["stay/4"].amount) == ("stay", 4)

    def test_a_sprint(self) -> None:
        sprint = next(action for action in load("b2", dice=(6, 6)).legal_actions() if action.verb == "sprint")
        assert (sprint.text, sprint.source, sprint.target) == ("b2-b13!", "b2", "b13")

    def test_the_mans_turn(self) -> None:
        actions = {action.text: action for action in load("c5", "a9", man="c7", dice=(3, 3), to_move=0).legal_actions()}
        assert (actions["xc5"].verb, actions["xc5"].target) == ("capture", "c5")
        assert (actions["e7"].verb, actions["e7"].target, actions["stay"].verb) == ("land", "e7", "stay")
