"""The tree of lines by itself: where a game stands in it, what is left of it."""

from dataclasses import replace

import pytest

from bot.kernel.line import Line
from bot.kernel.tree import MAX_NODES, AnalysisTree, TreeFull, read_tree, root_at
from engine import games


def a_tree(*lines: str) -> AnalysisTree:
    """Return a tree of Annuvin with lines from the beginning, its owner at the end of the last one."""
    game = games["annuvin"]
    tree = AnalysisTree().at_root(root_at(Line(game.start(2)), 0))
    for each in lines:
        tree = tree.at_node(1)
        line = tree.line(game)
        for text in each.split():
            tree, line = tree.after_actions(line, line.state.parse(text))
    return tree


def test_equal_turns_are_one_and_others_branch_off() -> None:
    tree = a_tree("b1-b2 b5-b4 c1-c2", "b1-b2 b5-b4 d2-d3", "c1-c2")
    assert [node.play for node in tree.nodes.values()] == [("b1-b2",), ("b5-b4",), ("c1-c2",), ("d2-d3",), ("c1-c2",)]
    assert (tree.leaves, read_tree(tree.to_json())) == ([4, 5, 6], tree)


def test_tree_finds_the_node_of_the_current_position() -> None:
    tree = a_tree("b1-b2 b5-b4 c1-c2")
    assert (tree.node_reached([]), tree.node_reached(["b1-b2", "b5-b4"])) == (1, 3)
    assert tree.node_reached(["c1-c2"]) is None
    # A turn of several actions that has only begun.
    long = replace(tree, nodes={**tree.nodes, 9: replace(tree.nodes[4], up=4, play=("x", "y"))})
    assert long.current_node(["b1-b2", "b5-b4", "c1-c2", "x"]) == (4, ("x",))
    assert long.node_reached(["b1-b2", "b5-b4", "c1-c2", "x"]) is None
    assert long.current_node(["b1-b2", "b5-b4", "c1-c2", "y"]) is None


def test_of_plans_that_stay_which_the_game_can_still_come_to() -> None:
    tree = a_tree("b1-b2 b5-b4 c1-c2 f7-f6", "d2-d3 c6-c5").with_planned([3, 5, 7])
    assert (tree.plans, tree.remaining_plans(2).plans) == ([3, 5, 7], [3, 5])
    assert (tree.remaining_plans(3).plans, tree.remaining_plans(None).plans) == ([5], [])
    assert (tree.with_planned([3]).plans, tree.with_plans([3]).plans) == ([3, 5, 7], [3])


def test_full_tree_accepts_existing_moves_only() -> None:
    game, tree = games["annuvin"], a_tree("b1-b2")
    number = len(tree.nodes)
    nodes = {**tree.nodes, **{100 + at: replace(tree.nodes[2], up=2) for at in range(MAX_NODES - number)}}
    full = replace(tree, nodes=nodes).at_node(1)
    line = full.line(game)
    with pytest.raises(TreeFull):
        full.after_actions(line, line.state.parse("c1-c2"))
    assert full.after_actions(line, line.state.parse("b1-b2"))[0].here == 2
    assert len(full.without_turn(2).nodes) == 0
