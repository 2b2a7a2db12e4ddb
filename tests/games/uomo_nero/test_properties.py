"""What never breaks in Gioco dell'Uomo Nero, checked against the rules told once more: walks step by step, by name."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from hypothesis import assume, given, settings, strategies as st

from engine.core import Action, InvalidPosition, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.engine.playing import Setting, playout
from tests.games.uomo_nero.court import court, texts
from tests.support.examples import scaled
from tests.support.present import present

COLUMNS = "abcdefgh"
FIELD = frozenset(f"{column}{row}" for column in COLUMNS for row in range(2, 13))
Json = dict[str, Any]


def row(cell: str) -> int:
    return int(cell[1:])


@cache
def steps_from(cell: str) -> list[str]:
    """Return the cells one orthogonal step away."""
    column, at = COLUMNS.index(cell[0]), row(cell)
    around = [(column, at + 1), (column, at - 1), (column + 1, at), (column - 1, at)]
    return [f"{COLUMNS[x]}{y}" for x, y in around if 0 <= x < 8 and 1 <= y <= 13]


def moved(start: str, amount: int, pieces: frozenset[str]) -> set[str]:
    """Return where an attacker's move of so many steps can end, by walking every way there is."""
    others = pieces - {start}

    @cache
    def walk(cell: str, left: int) -> frozenset[str]:
        if not left:
            return frozenset({cell})
        ends: set[str] = set()
        for beside in steps_from(cell):
            forward = beside == f"{cell[0]}{row(cell) + 1}"
            if beside in others or row(cell) == 13 or row(beside) == 1:
                continue
            if (row(cell) == 1 and not forward) or (row(beside) == 13 and (left > 1 or not forward)):
                continue
            ends |= walk(beside, left - 1)
        return frozenset(ends)

    return set(walk(start, amount) - {start})


def standing(shown: Json) -> tuple[frozenset[str], frozenset[str]]:
    """Return the cells of the mover's attackers in play, and those of all pieces."""
    cells = [(one["cell"], one["seat"]) for one in shown["attackers"]]
    own = frozenset(cell for cell, seat in cells if seat == shown["to_move"] and row(cell) < 13)
    return own, frozenset({cell for cell, _ in cells} | {shown["man"]})


def of_the_attack(shown: Json) -> set[str]:
    """Return the texts of the legal actions of an attacking player."""
    own, pieces = standing(shown)
    low, high = shown["dice"]
    if shown["used"]:
        die = low + high - shown["used"]["die"]
        return after_one(own - {shown["used"]["attacker"]}, pieces, die)
    legal: set[str] = set()
    total = low + high
    for cell in own:
        legal |= {f"{cell}-{end}/{total}" for end in moved(cell, total, pieces)}
        if (low, high) == (6, 6) and f"{cell[0]}13" not in pieces:
            legal.add(f"{cell}-{cell[0]}13!")
    if total % 2 == 0:
        legal.add(f"stay/{total}")
    for die, other in ((low, high), (high, low)):
        if len(own) < 2:
            break
        for cell in own:
            for end in moved(cell, die, pieces):
                if after_one(own - {cell}, pieces - {cell} | {end}, other):
                    legal.add(f"{cell}-{end}/{die}")
        if die % 2 == 0 and after_one(own, pieces, other):
            legal.add(f"stay/{die}")
    if not legal:
        legal = {f"{cell}-{end}/{die}" for cell in own for die in (low, high) for end in moved(cell, die, pieces)}
    return legal or {"pass"}


def after_one(own: frozenset[str], pieces: frozenset[str], die: int) -> set[str]:
    """Return the texts of the uses of the die that is left by the attackers given."""
    legal = {f"{cell}-{end}/{die}" for cell in own for end in moved(cell, die, pieces)}
    return legal | ({f"stay/{die}"} if die % 2 == 0 else set())


def of_the_man(shown: Json) -> set[str]:
    """Return the texts of the legal actions of the Man."""
    attackers = frozenset(one["cell"] for one in shown["attackers"])
    named, amount = frozenset(shown["captured"]), sum(shown["dice"])
    walks = {(shown["man"], frozenset[str]())}
    for _ in range(amount):
        walks = {
            (beside, caught | {beside} if beside in attackers | named else caught)
            for cell, caught in walks
            for beside in steps_from(cell)
            if beside in FIELD
        }
    legal = {f"x{cell}" for cell in attackers for _, caught in walks if named | {cell} <= caught}
    legal |= {cell for cell, caught in walks if caught == named}
    return legal | ({"stay"} if amount % 2 == 0 and not named else set())


@st.composite
def positions(draw: st.DrawFn, hunting: bool) -> State:
    """Make a position with dice thrown, often a crowded one."""
    seats = draw(st.integers(2, 5))
    columns = draw(st.sampled_from(["abcdefgh", "abc", "cde", "ab"]))
    lowest, highest = draw(st.sampled_from([(2, 12), (2, 4), (10, 13), (5, 7)]))
    corner_cells = [f"{column}{at}" for column in columns for at in range(lowest, highest + 1)]
    starts = ["a1 b1", "c1 d1", "e1 f1", "g1 h1"]
    taken: set[str] = set()
    colours = []
    for colour in range(4):
        pool = [cell for cell in corner_cells + starts[colour].split() * 3 if cell not in taken]
        cells = draw(st.lists(st.sampled_from(pool), max_size=2, unique=True)) if pool else []
        taken.update(cells)
        colours.append(" ".join(cells))
    if seats == 4:
        taken.difference_update(colours.pop().split())
    free = [cell for cell in corner_cells + [f"{column}13" for column in COLUMNS] if cell not in taken]
    assume(free)
    low, high = sorted([draw(st.integers(1, 6)), draw(st.integers(1, 6))])
    man = draw(st.sampled_from([cell for cell in free if cell in FIELD] or free))
    to_move = 0 if hunting else draw(st.integers(1, seats - 1))
    try:
        return UOMO_NERO.load(court(*colours, seats=seats, man=man, dice=(low, high), to_move=to_move, man_turns=40))
    except InvalidPosition as error:
        assume(error.code not in ("round-is-over", "wrong-mover", "nobody-captured-yet"))
        raise


@given(state=positions(hunting=False), data=st.data())
def test_an_attackers_turn_is_what_walking_every_way_finds(state: State, data: st.DataObject) -> None:
    assert texts(state) == of_the_attack(state.to_json())
    after = state.play(data.draw(st.sampled_from(sorted(state.legal_actions(), key=str))))
    if after.to_json()["phase"] == "attack":
        assert texts(after) == of_the_attack(after.to_json())


@given(state=positions(hunting=True), data=st.data())
def test_the_mans_turn_is_what_walking_every_way_finds(state: State, data: st.DataObject) -> None:
    while state.to_move == 0 and state.to_json()["phase"] == "man":
        assert texts(state) == of_the_man(state.to_json())
        captures = [action for action in state.legal_actions() if action.verb == "capture"]
        state = state.play(data.draw(st.sampled_from(captures or sorted(state.legal_actions(), key=str))))


@given(state=positions(hunting=False), data=st.data())
def test_both_dice_are_used_whenever_they_can_be(state: State, data: st.DataObject) -> None:
    shown = state.to_json()
    low, high = shown["dice"]
    spent = 0
    at = state
    while at.turn == state.turn and at.to_move == state.to_move:
        action = data.draw(st.sampled_from(sorted(at.legal_actions(), key=str)))
        spent += 12 if action.verb == "sprint" else action.amount or 0
        at = at.play(action)
    ended_by_block = len(at.to_json()["extra"].get("rounds", [])) == 1
    assert spent <= low + high
    if spent < low + high and not ended_by_block:
        # then nobody could move the sum, and no two uses of one die each could follow each other
        own, pieces = standing(shown)
        assert (low + high) % 2
        assert not any(moved(cell, low + high, pieces) for cell in own)
        odd = low if low % 2 else high
        assert len(own) == 1 or not any(moved(cell, odd, pieces) for cell in own)


def steps(seats: int, seed: int) -> Iterator[tuple[State, Action, State]]:
    """Yield the steps of a random game, in which seats leave now and then if the seed is odd."""
    for (state, action), (after, _) in pairwise(playout(Setting("uomo-nero", seats), seed)):
        yield state, present(action), after


@settings(max_examples=scaled(6))
@given(seats=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_in_a_whole_game(seats: int, seed: int) -> None:
    """Points add up, attackers are conserved, none returns to the start line, none that arrived moves again."""
    turns: Counter[int] = Counter()
    for state, action, after in steps(seats, seed):
        shown, then = state.to_json(), after.to_json()
        assert sum(then["attack_scores"]) == sum(score or 0 for score in then["man_scores"])
        turns[shown["round"]] += shown["phase"] == "man" and action.verb in ("land", "stay")
        if action.verb in ("drop", "pick", "place", "roll"):
            continue
        arrived = [one for one in shown["attackers"] if row(one["cell"]) == 13]
        if then["round"] != shown["round"] or then["phase"] == "over":
            points = [b - a for a, b in zip(shown["attack_scores"], then["attack_scores"], strict=True)]
            seats_in = [one["seat"] for one in arrived]
            seats_in += [state.to_move] if action.target and row(action.target) == 13 else []
            assert points == [seats_in.count(seat) for seat in range(seats)]
            continue
        assert all(one in then["attackers"] for one in arrived)
        line = {one["cell"] for one in shown["attackers"] if row(one["cell"]) == 1}
        assert {one["cell"] for one in then["attackers"] if row(one["cell"]) == 1} <= line
        before, left = (Counter((one["seat"], one["colour"]) for one in at["attackers"]) for at in (shown, then))
        gone = [one for one in shown["attackers"] if action.verb == "capture" and one["cell"] == action.target]
        assert before - Counter((one["seat"], one["colour"]) for one in gone) == left
        assert len(gone) == (action.verb == "capture")
        assert all(row(one["cell"]) in range(2, 13) for one in gone)
    assert max(turns.values(), default=0) <= 50


@settings(max_examples=scaled(6))
@given(seats=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_an_action_is_said_to_capture_exactly_if_the_man_takes_an_attacker_by_it(seats: int, seed: int) -> None:
    for state, _, _ in steps(seats, seed):
        said = state.find_captures(state.legal_actions())
        shown = state.to_json()
        if shown["phase"] != "man":
            assert not said
            continue
        playing = [one["cell"] for one in shown["attackers"] if row(one["cell"]) < 13]
        for action in state.legal_actions():
            blocks = action.verb == "land" and [f"{cell[0]}2" for cell in playing if row(cell) == 1] == [action.target]
            assert (action in said) == (action.verb == "capture" or (blocks and len(playing) == 1))


def test_the_landing_that_blocks_the_last_attacker_captures_it() -> None:
    state = UOMO_NERO.load(court(yellow="d1 c13", man="d4", dice=(1, 1), to_move=0))
    assert {action.text for action in state.find_captures(state.legal_actions())} == {"d2"}


def test_an_attacker_whose_step_leaves_another_blocked_captures_nothing() -> None:
    state = UOMO_NERO.load(court("c12", "d1", man="d2", dice=(1, 2)))
    assert not state.find_captures(state.legal_actions())
