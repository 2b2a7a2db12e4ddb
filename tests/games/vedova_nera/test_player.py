"""The computer that plays La Vedova Nera: its tree, kept from move to move."""

from engine.search import players
from tests.engine.search.test_players import some_way_in


def test_the_tree_is_kept_from_move_to_move() -> None:
    player = players["vedova-nera"]
    state = some_way_in("vedova-nera", 2, 6)
    memory = player.memory()
    after = state.play(player.analyse(state, 600, memory=memory)[0].action)
    with_memory = player.analyse(after, 1, memory=memory)
    assert sum(each.visits for each in with_memory) > sum(each.visits for each in player.analyse(after, 1))
