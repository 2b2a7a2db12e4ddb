"""What the lesson of La Vedova Nera says of its positions is so."""

from bot.kernel.words.vedova_nera import stable_goals
from tests.bot.lesson_moments import find_moment, load_lesson, play_actions
from tests.support.present import present

KEY = "vedova-nera"


def test_the_web_fills_as_is_said() -> None:
    spider = find_moment(KEY, "spider")
    goals = spider.state.to_json()["marbles"]["red"]
    assert stable_goals(goals, spider.state.to_json()["pawns"][0]) == ["b1"]
    assert len(stable_goals(goals, play_actions(spider.state, "d2-d1").to_json()["pawns"][0])) == 5
    assert stable_goals(goals, play_actions(find_moment(KEY, "step").state, "c1-b1").to_json()["pawns"][0]) == ["b1"]
    marble = find_moment(KEY, "marble")
    won = [each.text for each in marble.state.legal_actions() if marble.state.play(each).outcome is not None]
    assert won == ["Me4-e3"]
    assert stable_goals(goals, present(load_lesson(KEY).steps[-1].position)["pawns"][0]) == ["b1", "d1", "g2"]
