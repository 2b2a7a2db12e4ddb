"""What never breaks in La Vedova Nera, checked against the rules told once more with cell names and plain sets."""

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.core import Action, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from engine.games.vedova_nera import Play
from engine.games.vedova_nera.rules import COLOURS, PAWNS_BY_SEATS, STABLE_PAWNS_FOR_MARBLE, WEB
from tests.games.vedova_nera.board import load

NODES = list(WEB.names)
SPOKES = "abcdefgh"
Json = dict[str, Any]


def beyond(cell: str, spokes: int, rings: int) -> str:
    """Return the cell so many spokes clockwise and rings outwards, "" if there is none."""
    ring = int(cell[1]) + rings
    return SPOKES[(SPOKES.index(cell[0]) + spokes) % 8] + str(ring) if 1 <= ring <= 4 else ""


WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1)]


def stable_cells(shown: Json, seat: int) -> set[str]:
    """Turn pawns over from the innermost ring outwards, as the sheet does."""
    goals, pawns = goals_of(shown, seat), set(shown["pawns"][seat])
    turned: set[str] = set()
    for ring in "1234":
        turned |= {goal for goal in goals & pawns if goal[1] == ring}
        if any(goal[1] == ring for goal in goals - pawns):
            break
    return turned


def goals_of(shown: Json, seat: int) -> set[str]:
    return set(shown["marbles"][shown["colours"][seat]])


def legal(shown: Json) -> set[str]:
    """Return the legal actions of a position as the rules tell them."""
    mover = shown["to_move"]
    taken = {cell for pawns in shown["pawns"] for cell in pawns} | {shown["counsellor"]}
    hollows = {cell for cells in shown["marbles"].values() for cell in cells}
    found = set()
    for pawn in shown["pawns"][mover]:
        found |= {f"{pawn}-{cell}" for way in WAYS if (cell := beyond(pawn, *way)) and cell not in taken}
    for spokes, rings in WAYS:
        cell = beyond(shown["counsellor"], spokes, rings)
        while cell and cell not in taken:
            if cell != shown["counsellor_ban"]:
                found.add(f"K{cell}")
            cell = beyond(cell, spokes, rings)
    if shown["off"][mover]:
        free = {f"{spoke}4" for spoke in SPOKES} - taken - {shown["entry_ban"][mover]}
        found |= {f"+{cell}" for cell in free}
    if len(stable_cells(shown, mover)) >= STABLE_PAWNS_FOR_MARBLE[shown["seats"]]:
        for marble in goals_of(shown, mover):
            found |= {f"M{marble}-{cell}" for way in WAYS if (cell := beyond(marble, *way)) and cell not in hollows}
    return found or {"pass"}


def caught(before: Json, action: Action, after: Json) -> set[str]:
    """Return what the action must remove, `after` being trusted for the piece just moved and for stability."""
    if action.verb not in ("step", "counsellor", "enter") or action.target is None:
        return set()
    mover, moved = before["to_move"], action.target
    owner = {cell: seat for seat, pawns in enumerate(before["pawns"]) for cell in pawns if cell != action.source}
    if action.verb != "counsellor":
        owner[moved] = mover
    removed = set()
    for victim, seat in owner.items():
        for spokes, rings in ((1, 0), (0, 1)):
            pair = {beyond(victim, spokes, rings), beyond(victim, -spokes, -rings)}
            if seat == mover or moved not in pair:
                continue
            (other,) = pair - {moved}
            if action.verb == "counsellor":
                trapped = owner.get(other, seat) != seat
            else:
                trapped = other == before["counsellor"] or owner.get(other) == mover
            if trapped and victim not in stable_cells(before, seat):
                removed.add(victim)
    return removed


@st.composite
def positions(draw: st.DrawFn) -> Play:
    """Draw a position with any number of seats, most pawns on or near their goals, some of them off the board."""
    seats = draw(st.integers(2, 5))
    pieces = PAWNS_BY_SEATS[seats]
    hollows = draw(st.permutations(NODES))
    goals = [hollows[seat * pieces : (seat + 1) * pieces] for seat in range(seats)]
    free = set(NODES)
    pawns: list[list[str]] = []
    for own_goals in goals:
        own: list[str] = []
        for goal in own_goals:
            near = [WEB.names[node] for node in WEB.neighbours[WEB.index[goal]]]
            cell = draw(st.sampled_from([goal, goal, goal, *near, ""]))
            if cell in free and len(own) < pieces:
                own.append(cell)
                free.discard(cell)
        if set(own) == set(own_goals):  # that would be the end
            free.add(own.pop())
        pawns.append(own)
    colours = draw(st.permutations(COLOURS))[:seats]
    return load(
        *map(" ".join, pawns),
        to_move=draw(st.integers(0, seats - 1)),
        colours=list(colours),
        marbles=dict(zip(colours, goals, strict=True)),
        counsellor=draw(st.sampled_from(sorted(free))),
    )


@given(start=positions(), seed=st.integers(0, 10**6))
def test_legal_actions_and_captures_are_those_of_the_rules(start: Play, seed: int) -> None:
    rng = random.Random(seed)
    state: State = start
    for _ in range(12):
        before = state.to_json()
        actions = state.legal_actions()
        assert ({str(action) for action in actions}, len(actions)) == (legal(before), len(legal(before)))
        action = state.random_action(rng)
        state = state.play(action)
        after = state.to_json()
        there, left = ({cell for pawns in shown["pawns"] for cell in pawns} for shown in (before, after))
        assert there - left - {action.source} == caught(before, action, after)
        if state.to_move is None:
            break


@given(start=positions(), seed=st.integers(0, 10**6))
def test_pawns_marbles_and_goals_are_conserved_and_stable_and_own_pawns_never_removed(start: Play, seed: int) -> None:
    rng = random.Random(seed)
    state: State = start
    for _ in range(25):
        before, mover = state.to_json(), state.to_move
        assert mover is not None
        turned = [stable_cells(before, seat) for seat in range(state.seats)]
        action = state.random_action(rng)
        state = state.advance(action)
        after = state.to_json()
        cells = [cell for pawns in after["pawns"] for cell in pawns]
        assert len({*cells, after["counsellor"]}) == len(cells) + 1
        whole = {len(pawns) + off for pawns, off in zip(after["pawns"], after["off"], strict=True)}
        assert whole == {PAWNS_BY_SEATS[state.seats]}
        marbles = [cell for colour in after["colours"] for cell in after["marbles"][colour]]
        assert len(set(marbles)) == len(marbles) == PAWNS_BY_SEATS[state.seats] * state.seats
        for seat in range(state.seats):
            assert isinstance(state, Play)
            assert set(WEB.cells(state.stable(seat))) == stable_cells(after, seat)
            lost = set(before["pawns"][seat]) - set(after["pawns"][seat])
            if seat == mover:
                assert lost == ({action.source} if action.verb == "step" else set())
            else:
                assert not lost & turned[seat]
                assert before["marbles"][before["colours"][seat]] == after["marbles"][after["colours"][seat]]
        won = set(after["pawns"][mover]) == goals_of(after, mover)
        assert won == (state.outcome is not None and state.outcome.reason == "complete")
        if state.to_move is None:
            break


@given(start=positions(), seed=st.integers(0, 10**6))
def test_every_position_is_the_same_after_json_and_plays_on_identically(start: Play, seed: int) -> None:
    rng = random.Random(seed)
    state: State = start
    for _ in range(10):
        again = VEDOVA_NERA.load(json.loads(json.dumps(state.to_json())))
        assert (again, hash(again), again.turn, again.outcome) == (state, hash(state), state.turn, state.outcome)
        assert list(again.legal_actions()) == list(state.legal_actions())
        if state.to_move is None:
            break
        action = state.random_action(rng)
        assert state.parse(str(action)) == (action,)
        assert state.read(str(action)) == action
        state = state.advance(action)


@given(seed=st.integers(0, 10**6), seats=st.integers(2, 5), leaving=st.lists(st.integers(0, 300), max_size=3))
def test_games_end_within_500_turns_despite_dropouts(seed: int, seats: int, leaving: list[int]) -> None:
    rng = random.Random(seed)
    state = VEDOVA_NERA.start(seats)
    for ply in range(520):
        if state.to_move is None:
            break
        if ply in leaving:
            state = state.play(Action.drop(rng.choice([seat for seat in range(seats) if state.is_playing(seat)])))
        else:
            state = state.advance(state.random_action(rng))
    assert state.outcome is not None
    assert min(state.outcome.places) == 1
    assert all(state.outcome.places[seat] > seats - len(state.dropped) for seat in state.dropped)


@given(start=positions(), seed=st.integers(0, 10**6))
def test_an_action_is_said_to_capture_exactly_if_playing_it_removes_a_pawn(start: Play, seed: int) -> None:
    rng = random.Random(seed)
    state: State = start
    for _ in range(8):
        before = state.to_json()
        said = state.find_captures(state.legal_actions())
        assert said == {
            action for action in state.legal_actions() if caught(before, action, state.play(action).to_json())
        }
        state = state.play(rng.choice(sorted(said, key=str) or list(state.legal_actions())))
        if state.to_move is None:
            break
