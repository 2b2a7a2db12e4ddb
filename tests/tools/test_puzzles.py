"""Puzzles are made, proven again and given their days: right ones pass, and what is wrong is found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.boards.puzzles.goals import puzzle_goals
from bot.boards.puzzles.making import bare, id_of, images, made_from
from bot.boards.puzzles.puzzle import Goal, Puzzle, RightTurn, puzzles_of
from bot.boards.puzzles.solving import PuzzleAttempt
from engine import State, games
from tests.support.present import present
from tools.check_puzzles import find_faults, of_list, play_actions
from tools.make_calendar import extend_calendar
from tools.make_puzzles import list_positions, play_positions

SMALL = 1500
"""How many positions a proof may look at in the suite."""


def small(game: str, count: int) -> list[Puzzle]:
    """Return puzzles of a game with short proofs, of as many kinds as there are."""
    fitting = sorted((each for each in puzzles_of(game).values() if each.size <= SMALL), key=lambda each: each.id)
    first = {(each.goal.kind, each.goal.turns): each for each in reversed(fitting)}
    chosen = {each.id: each for each in (*first.values(), *fitting)}
    return list(chosen.values())[:count]


WITH = [game for game in games if puzzles_of(game)]
TWICE = {("win", 2), ("home", 2)}
SAMPLE = [puzzle for game in WITH for puzzle in small(game, 8)]


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda puzzle: puzzle.id)
def test_a_sample_is_proven_again(puzzle: Puzzle) -> None:
    assert list(find_faults(puzzle)) == []


@pytest.mark.full
@pytest.mark.parametrize("game", WITH)
def test_every_puzzle_is_proven_again(game: str) -> None:
    assert [f"{each.id}: {fault}" for each in puzzles_of(game).values() for fault in find_faults(each)] == []


def test_every_day_of_the_calendar_has_its_own_puzzle() -> None:
    assert list(of_list()) == []


def wins(state: State, seat: int, turns: int) -> bool:
    """Say whether a seat wins within a number of its own turns, by playing every line."""
    if state.outcome is not None:
        return state.outcome.winner == seat
    if not turns:
        return False
    mine = state.to_move == seat
    left = turns - 1 if mine else turns
    return (any if mine else all)(wins(after, seat, left) for after in played_on(state))


def played_on(state: State) -> Iterator[State]:
    """Yield all positions after the current player's turn."""
    for action in state.legal_actions():
        after = state.advance(action)
        if after.turn == state.turn and after.outcome is None:
            yield from played_on(after)
        else:
            yield after


NAIVE = [
    min(within, key=lambda each: (each.size, each.id))
    for game in WITH
    if (within := [each for each in puzzles_of(game).values() if (each.goal.kind, each.goal.turns) in TWICE])
]


@pytest.mark.parametrize("puzzle", NAIVE, ids=lambda puzzle: puzzle.id)
def test_playing_every_line_comes_to_the_same(puzzle: Puzzle) -> None:
    state = puzzle.state()
    seat, turns = puzzle.seat, puzzle.goal.turns
    assert not wins(state, seat, turns - 1)
    winning = {after.key() for after in played_on(state) if wins(after, seat, turns - 1)}
    assert winning == {play_actions(state, puzzle.tree[0].play).key()}


LONG = next(each for each in SAMPLE if each.tree[0].tree or each.tree[0].reply)
SHORT = next(each for each in SAMPLE if each.goal.kind == "hold")


def _other(puzzle: Puzzle) -> tuple[str, ...]:
    """Return another turn than the right one."""
    return next((each.text,) for each in puzzle.state().legal_actions() if each.text != puzzle.tree[0].play[0])


@pytest.mark.parametrize(
    ("puzzle", "change", "problem"),
    [
        (SHORT, lambda each: replace(each, id=f"{each.game}-0"), "the id should be"),
        (SHORT, lambda each: replace(each, goal=Goal("best")), "unknown goal"),
        (SHORT, lambda each: replace(each, tree=()), "0 first turns in the tree"),
        (SHORT, lambda each: replace(each, tree=(RightTurn(_other(each)),)), "is right, not"),
        (SHORT, lambda each: replace(each, goal=Goal("win", 0)), "first turns reach the goal"),
        (LONG, lambda each: replace(each, tree=(replace(each.tree[0], reply=()),)), "nothing answers"),
        (LONG, lambda each: replace(each, goal=Goal(each.goal.kind, each.goal.turns - 1)), "reach the goal"),
        (LONG, lambda each: replace(each, tree=(replace(each.tree[0], tree=(each.tree[0],)),)), "it cannot be"),
    ],
)
def test_invalid_puzzles_are_reported(puzzle: Puzzle, change: Callable[[Puzzle], Puzzle], problem: str) -> None:
    assert problem in next(iter(find_faults(change(puzzle))))


def test_what_level_2_finds_is_no_puzzle() -> None:
    assert list(find_faults(_at_once())) == ["level 2 finds it"]


def _at_once() -> Puzzle:
    """Return what is left of a puzzle when one turn alone wins at once: a right one but for that it is easy."""
    for puzzle in puzzles_of("real-queen").values():
        if not (right := puzzle.tree[0]).reply or len(right.tree) > 0:
            continue
        state = bare(play_actions(puzzle.state(), (*right.play, *right.reply)))
        won = [each for each in state.legal_actions() if state.advance(each).outcome is not None]
        if len(won) == 1:
            position = state.to_json()
            tree = (RightTurn((won[0].text,)),)
            return replace(puzzle, id=id_of(state), position=position, goal=Goal("win", 1), tree=tree)
    raise LookupError("real-queen")


def test_a_game_decided_by_a_blow_is_played_on_otherwise_from_its_last_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    # On a small sheet, for this is not about what the computers find.
    monkeypatch.setattr("tools.make_puzzles._OPTIONS", {"fagocitare": {"size": (7,)}})
    whole, (first, *others) = list(play_positions("fagocitare", 7)), list(list_positions("fagocitare", 7))
    last = present(puzzle_goals["fagocitare"].last_turns)
    assert (first, len(others)) == (whole[-last:], 2 * last - 1)
    for begun, line in zip(whole[-2 * last : -1], others, strict=True):
        assert len(line) <= last
        assert [state.turn for state in line] == list(range(begun.turn + 1, begun.turn + 1 + len(line)))
    assert list(list_positions("annuvin", 7)) == [list(play_positions("annuvin", 7))]


@pytest.mark.parametrize("game", WITH)
def test_a_puzzle_is_made_of_its_position_again(game: str) -> None:
    puzzle = min(puzzles_of(game).values(), key=lambda each: (each.size, each.id))
    made = present(made_from(puzzle.state()))
    assert (made.id, made.goal, made.tree) == (puzzle.id, puzzle.goal, puzzle.tree)


@pytest.mark.parametrize("game", sorted(puzzle_goals))
def test_computers_play_the_same_game_for_the_same_number(game: str) -> None:
    one, other = ([state for state, _ in zip(play_positions(game, 7), range(6), strict=False)] for _ in range(2))
    assert (one, [state.turn for state in one]) == (other, sorted({state.turn for state in one}))
    assert bare(one[-1]).key() == one[-1].key()


@pytest.mark.parametrize("puzzle", [small(game, 1)[0] for game in WITH], ids=lambda puzzle: puzzle.id)
def test_what_symmetry_makes_of_a_puzzle_is_the_same_one(puzzle: Puzzle) -> None:
    state = puzzle.state()
    maps = images(state.topology)
    assert len(maps) in (4, 8, 12, 16)
    assert all(sorted(image.values()) == sorted(state.topology.names) for image in maps)
    assert all(name == there for name, there in maps[0].items())


def test_turned_and_exchanged_positions_have_one_id() -> None:
    puzzle = next(each for each in SAMPLE if each.game == "annuvin" and not sum(each.position["reserve"]))
    position = dict(puzzle.position)
    state = puzzle.state()
    for image in images(state.topology):
        pieces = [sorted(image[cell] for cell in cells) for cells in position["pieces"]]
        assert id_of(games["annuvin"].load({**position, "pieces": pieces})) == puzzle.id
    exchanged = {name: position[name][::-1] for name in ("pieces", "lost", "reserve")}
    assert id_of(games["annuvin"].load({**position, **exchanged, "to_move": 1 - position["to_move"]})) == puzzle.id
    fewer = PuzzleAttempt(puzzle).play([state.read(text) for text in puzzle.tree[0].play]).solving.line.state
    assert fewer.to_move is None or id_of(fewer) != puzzle.id


def test_days_are_appended_with_games_in_turn_and_weeks_that_grow_harder() -> None:
    entries = {
        game: [{"id": f"{game}-{number}", "difficulty": number} for number in range(count)]
        for game, count in (("annuvin", 70), ("real-queen", 70), ("uomo-nero", 21))
    }
    ids = list(extend_calendar([], entries))
    assert len(ids) == len(set(ids)) == 161
    turns = [name.rpartition("-")[0] for name in ids]
    assert (set(turns[:3]), turns[:60]) == (set(entries), turns[:3] * 20)
    assert all(one != other for one, other in pairwise(turns[:140]))
    days = [[int(name.rpartition("-")[2]) for name in ids[day:63:7]] for day in range(7)]
    means = [sum(each) / len(each) for each in days]
    assert means == sorted(means)
    more = {**entries, "annuvin": [*entries["annuvin"], {"id": "annuvin-new", "difficulty": 3}]}
    assert (list(extend_calendar(ids, more)), list(extend_calendar(ids, entries))) == (["annuvin-new"], [])
