"""Gioco dell'Uomo Nero: how moves are written, and what players type."""

from __future__ import annotations

import pytest

from engine.core import AmbiguousAction, IllegalAction, InvalidAction, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begun, load, play, texts


def typed(state: State, text: str) -> list[str]:
    return [str(action) for action in state.parse(text)]


class TestCanonicalTexts:
    def test_dice_the_smaller_one_first(self) -> None:
        assert {"roll 3 4", "roll 6 6"} <= texts(begun(2))
        assert "roll 4 3" not in texts(begun(2))

    def test_the_mans_first_cell_and_a_colour(self) -> None:
        state = play(UOMO_NERO.start(3), "roll 1 1", "roll 6 6", "roll 6 6")
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
        state = load("c5", "a9", man="c7", dice=(3, 3), to_move=0)
        actions = {action.text: action for action in state.legal_actions()}
        assert (actions["xc5"].verb, actions["xc5"].target) == ("capture", "c5")
        assert (actions["e7"].verb, actions["e7"].target) == ("land", "e7")
        assert actions["stay"].verb == "stay"


class TestWholeTurns:
    def test_a_turn_of_two_moves(self) -> None:
        state = load("a1 b1", "c1", man="h12", dice=(3, 4))
        assert typed(state, "b1-b4/3 c1-c5/4") == ["b1-b4/3", "c1-c5/4"]
        assert typed(state, "c1-c5/4, b1-b4/3") == ["c1-c5/4", "b1-b4/3"]

    def test_amounts_left_out_where_the_dice_leave_no_doubt(self) -> None:
        state = load("a1 b1", "c1", man="h12", dice=(3, 4))
        assert typed(state, "b1-b4 c1-c5") == ["b1-b4/3", "c1-c5/4"]
        assert typed(state, "B1 B4, C1 C5") == ["b1-b4/3", "c1-c5/4"]
        assert typed(state, "b1b4c1c5") == ["b1-b4/3", "c1-c5/4"]
        assert typed(state, "b1-b8") == ["b1-b8/7"]

    def test_what_follows_can_leave_no_doubt_about_what_came_before(self) -> None:
        state = load("b4 c5", man="h12", dice=(1, 3))
        with pytest.raises(AmbiguousAction) as error:
            state.parse("b4-b5")
        assert error.value.params["options"] == ["b4-b5/1", "b4-b5/3"]
        assert typed(state, "b4-b5 c5-c8") == ["b4-b5/1", "c5-c8/3"]
        with pytest.raises(AmbiguousAction):
            state.parse("b4-b5 c5-c6")

    def test_an_unfinished_line_is_played_and_the_next_question_asked(self) -> None:
        state = load("b1", "c1", man="h12", dice=(3, 4))
        assert typed(state, "b1-b5") == ["b1-b5/4"]
        assert play(state, "b1-b5/4").to_move == 1

    def test_nothing_is_added(self) -> None:
        # after c12-c13/1 only stay/2 is left, but it was not typed
        state = load("c12 a1", "a2 b12", "", "d12", seats=3, man="c11", dice=(1, 2))
        after = play(state, "c12-c13/1")
        assert texts(after) == {"stay/2"}
        assert typed(state, "c12-c13") == ["c12-c13/1"]

    def test_whole_or_not_at_all(self) -> None:
        state = load("b1", "c1", man="h12", dice=(3, 4))
        with pytest.raises(IllegalAction, match="too-far"):
            state.parse("b1-b4 c1-c6")
        with pytest.raises(IllegalAction, match="turn-is-over"):
            state.parse("b1-b4 c1-c5 b4-b5")
        with pytest.raises(InvalidAction, match="not-understood"):
            state.parse("b1-b4 and then c1-c5")

    def test_stay(self) -> None:
        state = load("b4 c5", man="h12", dice=(2, 3))
        assert typed(state, "stay") == ["stay/2"]
        assert typed(state, "stay b4-b7") == ["stay/2", "b4-b7/3"]
        with pytest.raises(AmbiguousAction) as error:
            load("b4 c5", man="h12", dice=(2, 4)).parse("stay")
        assert error.value.params["options"] == ["stay/2", "stay/4", "stay/6"]

    def test_the_mans_captures_and_landing(self) -> None:
        state = load("c5", "d6", "a9", man="c7", dice=(3, 3), to_move=0)
        for text in ("xc5 xd6 e7", "c5 d6 e7", "XC5XD6 E7", "c7-c5-d6-e7", "c7 x c5 x d6, e7"):
            assert typed(state, text) == ["xc5", "xd6", "e7"]
        assert typed(state, "xc5") == ["xc5"]
        assert typed(state, "c7-e7") == ["e7"]

    def test_a_captured_attackers_cell_can_be_named_again_to_land_there(self) -> None:
        state = load("c5", "a9", man="c7", dice=(1, 3), to_move=0)
        assert typed(state, "c5 c5") == ["xc5", "c5"]

    def test_the_mans_stay(self) -> None:
        state = load("c5", man="c7", dice=(3, 3), to_move=0)
        assert typed(state, "stay") == ["stay"]
        assert typed(state, "stay/6") == ["stay"]

    def test_two_cells_that_a_walk_and_a_sprint_both_join_are_the_walk(self) -> None:
        state = load("b1", dice=(6, 6))
        assert typed(state, "b1-b13") == ["b1-b13/12"]
        assert typed(state, "b1-b13!") == ["b1-b13!"]
        assert play(state, "b1-b13/12") == play(state, "b1-b13!")

    def test_and_the_sprint_where_no_walk_leads_there(self) -> None:
        state = load("b1", "c5", dice=(6, 6), man="b2")
        assert typed(state, "b1-b13") == ["b1-b13!"]

    def test_dice_and_drops_cannot_be_typed(self) -> None:
        state = begun(2)
        with pytest.raises(InvalidAction, match="chance-to-move"):
            state.parse("roll 3 4")
        for text in ("roll 3 4", "drop 0", "drop 1"):
            with pytest.raises(InvalidAction, match="not-understood"):
                play(state, "roll 1 2").parse(text)


class TestWhatIsNotUnderstood:
    @pytest.mark.parametrize("text", ["hello", "b1-", "b1-b4/", "/3", "!", "white", "b1 to b4", "stay/0", "b1-b4/x"])
    def test_it_is_said_so(self, text: str) -> None:
        with pytest.raises((InvalidAction, IllegalAction)):
            load("b1", "c1", man="h12", dice=(3, 4)).parse(text)

    @pytest.mark.parametrize("text", ["b1-b14", "i5-c4", "xh0", "z9"])
    def test_a_cell_that_does_not_exist(self, text: str) -> None:
        with pytest.raises(InvalidAction, match="no-such-cell"):
            load("b1", "c1", man="h12", dice=(3, 4)).parse(text)

    def test_the_likeliest_meaning_is_explained(self) -> None:
        state = load("b4 c5", "b5", man="h12", dice=(1, 3))
        # by 1 or 3 the colour of the cell is right: it is the piece there that stands in the way
        with pytest.raises(IllegalAction, match="occupied"):
            state.parse("b4-b5")
        # nothing on the dice reaches so far: the most that they give is named
        with pytest.raises(IllegalAction, match="too-far") as error:
            state.parse("c5-c10")
        assert error.value.params == {"cell": "c10", "distance": 5, "amount": 4}


@pytest.mark.parametrize(
    ("typed", "colour"),
    [("rosso", "red"), ("Giallo", "yellow"), ("verde", "green"), (" BLU ", "blue"), ("blue", "blue")],
)
def test_a_colour_may_be_typed_in_italian(typed: str, colour: str) -> None:
    start = play(UOMO_NERO.start(4), "roll 1 1", *["roll 6 6"] * 3, "d13")
    assert [action.text for action in start.parse(typed)] == [colour]
    with pytest.raises(IllegalAction) as refused:
        start.play(start.parse(typed)[0]).parse(typed)
    assert refused.value.code == "colour-taken"
