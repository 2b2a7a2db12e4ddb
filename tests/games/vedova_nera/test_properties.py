"""What never breaks in La Vedova Nera, checked against the rules told once more with cell names and plain sets."""

from typing import Any

from hypothesis import given, strategies as st

from engine.core import Action
from engine.games.vedova_nera import Play
from engine.games.vedova_nera.rules import COLOURS, PAWNS_BY_SEATS, STABLE_PAWNS_FOR_MARBLE, WEB
from tests.engine.playing import last_of, walk
from tests.games.vedova_nera.board import load
from tests.support.present import present

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


CHOICES = st.lists(st.integers(0, 10**6), min_size=1, max_size=20)


@given(positions(), CHOICES)
def test_legal_actions_and_captures_are_those_of_the_rules(start: Play, numbers: list[int]) -> None:
    for state, action, following in walk(start, numbers):
        before, after = state.to_json(), following.to_json()
        actions = state.legal_actions()
        assert ({str(each) for each in actions}, len(actions)) == (legal(before), len(legal(before)))
        there, left = ({cell for pawns in shown["pawns"] for cell in pawns} for shown in (before, after))
        assert there - left - {action.source} == caught(before, action, after)


@given(positions(), CHOICES)
def test_pawns_marbles_and_goals_are_conserved_and_stable_and_own_pawns_never_removed(
    start: Play, numbers: list[int]
) -> None:
    for state, action, following in walk(start, numbers):
        before, mover, after = state.to_json(), present(state.to_move), following.to_json()
        cells = [cell for pawns in after["pawns"] for cell in pawns]
        assert len({*cells, after["counsellor"]}) == len(cells) + 1
        whole = {len(pawns) + off for pawns, off in zip(after["pawns"], after["off"], strict=True)}
        assert whole == {PAWNS_BY_SEATS[state.seats]}
        marbles = [cell for colour in after["colours"] for cell in after["marbles"][colour]]
        assert len(set(marbles)) == len(marbles) == PAWNS_BY_SEATS[state.seats] * state.seats
        for seat in range(state.seats):
            assert set(WEB.cells(following.stable(seat))) == stable_cells(after, seat)
            lost = set(before["pawns"][seat]) - set(after["pawns"][seat])
            if seat == mover:
                assert lost == ({action.source} if action.verb == "step" else set())
            else:
                assert not lost & stable_cells(before, seat)
                assert before["marbles"][before["colours"][seat]] == after["marbles"][after["colours"][seat]]
        won = set(after["pawns"][mover]) == goals_of(after, mover)
        assert won == (following.outcome is not None and following.outcome.reason == "complete")


@given(positions(), CHOICES)
def test_an_action_is_said_to_capture_exactly_if_playing_it_removes_a_pawn(start: Play, numbers: list[int]) -> None:
    state = last_of(start, numbers)
    before, legal_actions = state.to_json(), state.legal_actions()
    assert state.find_captures(legal_actions) == {
        action for action in legal_actions if caught(before, action, state.play(action).to_json())
    }
