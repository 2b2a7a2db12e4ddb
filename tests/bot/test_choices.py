"""The tree of choices: small menus, every action at the end of exactly one path."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice

import pytest

from bot.kernel.cards import MAX_OPTIONS, MAX_PRESS_BYTES
from bot.kernel.choices import NoSuchChoice, Question, click_paths, next_question, path_to
from bot.kernel.presses import PATH_SEPARATOR, press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE, QuestionView
from bot.kernel.texts import Texts
from engine import CHANCE, Action, State, games

STARTS: list[tuple[str, int, dict[str, str | int]]] = [
    (key, seats, options)
    for key, game in games.items()
    for seats in sorted({game.seats[0], game.seats[-1]})
    for options in ([{name: value} for name, option in game.options.items() for value in option.values] or [{}])
]
IDS = ["-".join(map(str, (key, seats, *options.values()))) for key, seats, options in STARTS]


def leaves(
    state: State, actions: tuple[Action, ...], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Action]]:
    """Yield every path to an action, checking every question on the way."""
    asked = next_question(state, actions, path)
    if isinstance(asked, Action):
        yield path, asked
        return
    assert 1 <= len(asked.entries) <= MAX_OPTIONS
    assert len({entry.key for entry in asked.entries}) == len(asked.entries)
    numbers = [entry.number for entry in asked.entries if entry.number]
    assert numbers == list(range(1, len(numbers) + 1))
    labelled = {target.cell: target.label for target in asked.picture_choices.targets if target.label}
    expected = {entry.cell: str(entry.number) for entry in asked.entries if entry.number and entry.sort == "target"}
    assert labelled == (expected if asked.picture_choices.targets else {})
    for cell, clicked in click_paths(asked).items():
        reached = next_question(state, actions, clicked)
        if isinstance(reached, Action):
            assert cell in (reached.source, reached.target)
        else:
            ways = [action for entry in reached.entries for action in entry.actions]
            assert reached.piece == cell or all(action.target == cell for action in ways)
    for entry in asked.entries:
        assert PATH_SEPARATOR not in entry.key
        below = list(leaves(state, actions, (*path, entry.key)))
        assert {action.text for _, action in below} == {action.text for action in entry.actions}
        assert (entry.leaf is not None) == (below == [((*path, entry.key), entry.leaf)])
        yield from below


def positions(key: str, seats: int, options: dict[str, str | int], seed: int, most: int) -> Iterator[State]:
    """Yield the positions of a random game in which a player is to act."""
    rng, state = random.Random(seed), games[key].start(seats, options)
    for _ in range(most):
        if state.to_move is None:
            return
        if state.to_move != CHANCE:
            yield state
        state = state.play(state.random_action(rng))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(("key", "seats", "options"), STARTS, ids=IDS)
def test_every_action_is_at_the_end_of_one_path_of_small_menus(
    key: str, seats: int, options: dict[str, str | int], seed: int
) -> None:
    looked_at = 0
    for number, state in enumerate(positions(key, seats, options, seed, 120)):
        actions = tuple(state.legal_actions())
        if number % (40 if len(actions) > 30 else 10):
            continue
        found = list(leaves(state, actions))
        assert sorted(action.text for _, action in found) == sorted(action.text for action in actions)
        assert len({path for path, _ in found}) == len(found)
        for path, action in found[:: max(1, len(found) // 10)]:
            assert path_to(state, actions, action) == path
        for path, _ in found:
            assert len(press("c", "QQQQQQ", 99999, *path).encode()) <= MAX_PRESS_BYTES
        looked_at += 1
    assert looked_at


ANNUVIN = {
    "game": "annuvin",
    "options": {"board": "hexagon", "setup": "classic"},
    "to_move": 0,
    "reserve": [0, 0],
    "moving": None,
}


def question(state: State, actions: Sequence[Action], path: Sequence[str] = ()) -> Question:
    """Return what is asked after a path on which nothing is decided yet."""
    asked = next_question(state, actions, path)
    assert isinstance(asked, Question)
    return asked


def test_captures_are_not_hidden_in_columns() -> None:
    pieces = {"pieces": [["d4", "g7"], ["c4", "b5"]], "lost": [4, 4]}
    state = games["annuvin"].load({**ANNUVIN, **pieces})
    asked = question(state, state.legal_actions(), ["d4"])
    assert [entry.key for entry in asked.entries] == ["b5", "c4", "a", "b", "c", "d", "e", "f", "g"]
    assert asked.answer_kind == "column"
    assert (asked.picture_choices.chosen, asked.picture_choices.kind) == ("d4", "move")


START = games["annuvin"].start()
"""The position in which made-up actions are asked for."""


@pytest.mark.parametrize("key", games)
def test_every_target_by_which_a_player_captures_is_told_apart_and_comes_first(key: str) -> None:
    marked, captures = 0, bool(games[key].facts.captures)
    for seats in {games[key].seats[0], games[key].seats[-1]}:
        for state in islice(positions(key, seats, {}, 3, 150), 0, None, 3):
            captures = captures or type(state).find_captures is not State.find_captures
            capturing = state.find_captures(state.legal_actions())
            first = next_question(state, state.legal_actions())
            asked = [first] if isinstance(first, Question) else []
            while asked:
                now = asked.pop()
                targets = [entry for entry in now.entries if entry.sort == "target"]
                assert [entry.capture for entry in targets] == sorted(
                    (not capturing.isdisjoint(entry.actions) for entry in targets), reverse=True
                )
                shown = {target.cell for target in now.picture_choices.targets if target.capture}
                assert shown <= {action.target for action in capturing}
                assert {entry.cell for entry in targets if entry.capture} <= shown
                marked += len(shown)
                asked += [now.after(entry) for entry in now.entries if entry.leaf is None]
    assert bool(marked) == captures, "what the facts and find_captures say of captures is what is marked"


def test_one_possible_piece_is_not_asked_for() -> None:
    actions = [Action("c4-c5", "move", "c4", "c5"), Action("c4-d4", "move", "c4", "d4"), Action("stop", "stop")]
    asked = question(START, actions)
    assert asked.piece == "c4"
    assert [entry.key for entry in asked.entries] == ["c5", "d4", "stop"]
    assert next_question(START, actions, ["stop"]) == actions[2]


def test_more_than_25_targets_are_asked_for_by_column() -> None:
    cells = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 13)]
    actions = [Action(cell, "place", target=cell) for cell in cells] + [Action("i1", "place", target="i1")]
    assert [entry.key for entry in question(START, actions).entries] == [*"abcdefgh", "i1"]
    assert [entry.number for entry in question(START, actions, ["c"]).entries] == list(range(1, 13))
    assert next_question(START, actions, ["c", "c12"]) == Action("c12", "place")
    assert next_question(START, actions, ["i1"]) == Action("i1", "place")


def test_the_same_target_in_different_ways_is_asked_about() -> None:
    actions = [
        Action("b1-c5/3", "move", "b1", "c5", 3),
        Action("b1-c5/4", "move", "b1", "c5", 4),
        Action("b1-b2/3", "move", "b1", "b2", 3),
    ]
    assert [entry.key for entry in question(START, actions, ["c5"]).entries] == ["b1-c5/3", "b1-c5/4"]


@pytest.mark.parametrize("path", [["z9"], ["a1", "a2", "a3"], [""], ["a1", ""]])
def test_a_path_that_leads_nowhere_is_refused(path: list[str]) -> None:
    actions = [Action("a1-a2", "move", "a1", "a2"), Action("b1-b2", "move", "b1", "b2")]
    with pytest.raises(NoSuchChoice):
        next_question(START, actions, path)


def test_follow_up_question_has_no_single_press() -> None:
    voice = Texts().speaker("en").of("vedova-nera")
    state = next(
        state
        for state in positions("vedova-nera", 2, {}, 5, 40)
        if len({state.game.facts.kind_of(action) for action in state.legal_actions()}) > 1
    )
    asking = QuestionView(voice, "K7QFAB", 3, private=False)
    asked = question(state, state.legal_actions())
    inner = question(state, state.legal_actions(), ["counsellor"])
    assert all(carried.startswith(f"{PUBLIC_CHOICE}:") for carried in asking.presses(asked).values())
    assert all(carried.startswith(f"{PRIVATE_CHOICE}:") for carried in asking.presses(inner).values())


def test_a_picture_that_stays_marks_where_an_attacker_can_arrive() -> None:
    shown = [
        state
        for state in positions("uomo-nero", 3, {}, 5, 400)
        if len({action.source for action in state.legal_actions() if action.source}) > 1
        and any((action.target or "").endswith("13") and action.source for action in state.legal_actions())
    ]
    assert shown
    for state in shown:
        asked = question(state, state.legal_actions())
        ends = {action.target for action in state.legal_actions() if (action.target or "").endswith("13")}
        assert {target.cell for target in asked.shared_marks.targets} == ends
        assert asked.shared_marks.movable == asked.selectable_cells.movable
        assert not asked.selectable_cells.targets, "they cannot be pressed before an attacker"
