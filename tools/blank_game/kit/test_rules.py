"""The rules of Game Key, sentence by sentence."""

# New game: every sentence of the rules and every worked example gets a test named after it, which breaks if the rule
# does; what must never break is tested as a property (hypothesis), what a turn is explained with in why.json, what
# the lesson claims in test_lesson.py. tests/packages/tavoliere-hexapawn/kit has all of them for a small game.

from engine import games


def test_the_board_is_empty_at_first() -> None:
    assert games["game-key"].start().to_json()["pieces"] == [[], []]
