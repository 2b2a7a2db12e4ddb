"""What the lesson of Gioco dell'Uomo Nero says of its positions is so."""

from tests.bot.lesson_moments import find_moment, load_lesson
from tests.support.present import present

KEY = "uomo-nero"


def test_what_is_said_of_its_dice_is_so() -> None:
    for step, dice in (("walk", [2, 3]), ("split", [2, 5]), ("finish", [1, 3]), ("stay", [3, 5]), ("sprint", [6, 6])):
        assert find_moment(KEY, step).state.to_json()["dice"] == dice
    home = [each for each in find_moment(KEY, "finish").state.legal_actions() if (each.target or "").endswith("13")]
    assert home == find_moment(KEY, "finish").wanted
    assert {each.target for each in find_moment(KEY, "man").wanted} == {"d10", "e10"}
    free = present(load_lesson(KEY).steps[-1].position)
    assert (free["round"], free["attack_scores"]) == (2, [0, 1])
    assert all(int(piece["cell"][1:]) > int(free["man"][1:]) for piece in free["attackers"])
