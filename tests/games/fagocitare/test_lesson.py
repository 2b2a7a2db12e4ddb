"""What the lesson of Fagocitare says of its positions is so."""

from bot.kernel.words.describe import find_captured
from engine import games
from tests.bot.lesson_moments import find_moment

KEY = "fagocitare"


def test_what_is_said_of_its_dots_is_so() -> None:
    double = find_moment(KEY, "double")
    rim = {each.text for each in double.state.legal_actions() if each.text[0] in "ag" or each.text[1] in "17"}
    assert rim == {each.text for each in double.wanted} == {"a4", "g4"}
    cross = find_moment(KEY, "cross")
    assert [each.text for each in cross.wanted] == ["b6"]
    freed = games[KEY].load({**cross.state.to_json(), "lines": [[], []], "extra": {}})
    assert find_captured(freed, [freed.read("c6")])[1] == ["c5"], "the old line alone forbids it"
    trap = find_moment(KEY, "trap")
    assert {each.text for each in trap.others} == {"c3", "c4", "d3"}
    assert find_captured(trap.state, [trap.state.read("c5")])[1] == ["d4"]
    win = find_moment(KEY, "win")
    assert {win.state.play(each).outcome.reason for each in win.wanted} == {"lead-of-three"}  # type: ignore[union-attr]
