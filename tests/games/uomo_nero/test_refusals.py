"""Refusals of Gioco dell'Uomo Nero beyond refusals.json: what only programs ask for, and actions made by hand."""

from engine.core import Action, IllegalAction, State
from tests.games.uomo_nero.court import begin_round, load, play, texts
from tests.support.present import catch_error


def man(red: str = "", cell: str = "d7", dice: tuple[int, int] = (1, 2)) -> State:
    """Return a position in which seat 0, the Man, is to move."""
    return load(red, man=cell, dice=dice, to_move=0)


def test_actions_only_a_program_can_send_are_refused() -> None:
    rolling = begin_round(2)
    attack = play(rolling, "roll 1 2")
    asked = [
        ("dice-first", rolling, attack.legal_actions()[0]),
        ("no-such-roll", rolling, Action("roll 4 3", "roll")),
        ("no-roll-due", attack, rolling.legal_actions()[0]),
        ("no-such-seat", attack, Action.drop(2)),
        ("unknown-action", attack, Action("a1-a2/03", "move")),
    ]
    for code, state, action in asked:
        assert catch_error(IllegalAction, state.play, action).code == code
    rolling.play(Action("roll 3 4", "roll"))
    attack.play(Action.drop(0))


def test_the_mans_word_in_an_attackers_turn_lacks_an_amount() -> None:
    refused = catch_error(IllegalAction, load("c5 d5", dice=(2, 4)).play, Action("stay", "stay"))
    assert (refused.code, refused.params) == ("stay-needs-amount", {"dice": [2, 4]})
    assert "stay" in texts(man("c5", dice=(2, 4)))


def test_a_record_says_whom_the_man_captures_before_he_lands_there() -> None:
    # typed, `d6` alone names the capture
    state = man("d6 a5")
    assert [str(action) for action in state.parse("d6")] == ["xd6"]
    refused = catch_error(IllegalAction, state.read, "d6")
    assert (refused.code, refused.params) == ("capture-first", {"cell": "d6"})
    assert "d6" in texts(play(state, "xd6"))


def test_an_action_made_by_hand_is_known_by_its_text() -> None:
    state = load("c5 d5", dice=(1, 2))
    made = Action("c5-c6/1", "anything")
    assert state.is_legal(made)
    assert state.play(made) == play(state, "c5-c6/1")
