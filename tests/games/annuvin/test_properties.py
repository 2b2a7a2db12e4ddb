"""What never breaks in Annuvin, checked against the rules told once more with coordinates and plain sets."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from engine.topology import hexagon, square_grid
from tests.engine.playing import Setting, playout, settings as list_settings
from tests.games.annuvin.board import ANNUVIN, place_of
from tests.support.examples import scaled
from tests.support.present import present

SETTINGS = [setting for setting in list_settings() if setting.key == "annuvin"]
EVERY_SETTING = pytest.mark.parametrize("setting", SETTINGS, ids=str)
Json = dict[str, Any]


def size_of(shown: Json) -> int:
    return 6 if shown["options"]["board"] == "hexagon" else 4


def distance(shown: Json, a: str, b: str) -> int:
    (ax, ay), (bx, by) = place_of(a), place_of(b)
    dx, dy = ax - bx, ay - by
    return max(abs(dx), abs(dy), abs(dx - dy) if shown["options"]["board"] == "hexagon" else 0)


def cells_of(shown: Json) -> list[str]:
    return list((hexagon(4) if shown["options"]["board"] == "hexagon" else square_grid(4, 4)).names)


def legal(shown: Json) -> set[str]:
    """Return the legal actions of a position as the rules tell them."""
    seat = shown["to_move"]
    own, enemy = set(shown["pieces"][seat]), set(shown["pieces"][1 - seat])
    if shown["moving"]:
        piece, left = shown["moving"]["piece"], shown["moving"]["range"]
        return {"stop"} | {f"x{cell}" for cell in enemy if distance(shown, piece, cell) <= left}
    reach = 1 if shown["reserve"][seat] else size_of(shown) + 1 - len(own)
    found = set()
    for cell in set(cells_of(shown)) - own:
        for piece in own:
            if distance(shown, piece, cell) <= reach:
                found.add(f"{piece}x{cell}" if cell in enemy else f"{piece}-{cell}")
        if shown["reserve"][seat] and cell not in enemy:
            found.add(cell)
    return found


def after(shown: Json, text: str) -> Json:
    """Return the position after a legal action as the rules tell it, draws by counting left out."""
    new: Json = json.loads(json.dumps({name: value for name, value in shown.items() if name not in ("extra", "lost")}))
    seat = shown["to_move"]
    pieces, on = new["pieces"], False
    if text == "stop":
        new["moving"] = None
    elif "x" in text:
        source, target = text.split("x")
        source = source or shown["moving"]["piece"]
        left = shown["moving"]["range"] if shown["moving"] else size_of(shown) + 1 - len(shown["pieces"][seat])
        left = 0 if shown["reserve"][seat] else left - distance(shown, source, target)
        pieces[seat].remove(source)
        pieces[seat].append(target)
        pieces[1 - seat].remove(target)
        on = any(distance(shown, target, cell) <= left for cell in pieces[1 - seat])
        new["moving"] = {"piece": target, "range": left} if on else None
    elif "-" in text:
        source, target = text.split("-")
        pieces[seat].remove(source)
        pieces[seat].append(target)
    else:
        pieces[seat].append(text)
        new["reserve"][seat] -= 1
    totals = [len(pieces[other]) + new["reserve"][other] for other in (0, 1)]
    if totals[1 - seat] == 0 or (totals[1 - seat] == 1 and totals[seat] == size_of(shown) and "x" in text):
        reason = "reduced-to-one" if totals[1 - seat] else "eliminated"
        return finished(new, reason, [1 + (other != seat) for other in (0, 1)])
    new["to_move"] = seat if on else 1 - seat
    new["pieces"] = [sorted(cells, key=place_of) for cells in pieces]
    return new


def finished(new: Json, reason: str, places: list[int]) -> Json:
    new["outcome"] = {"reason": reason, "places": places}
    new["to_move"] = new["moving"] = None
    new["pieces"] = [sorted(cells, key=place_of) for cells in new["pieces"]]
    return new


@EVERY_SETTING
@settings(max_examples=scaled(10))
@given(seed=st.integers(0, 10_000))
def test_engine_agrees_with_an_independent_statement_of_the_rules(setting: Setting, seed: int) -> None:
    """Also, no piece is lost but by a capture, and no two share a cell."""
    quiet, seen = 0, dict[str, int]()
    for (state, action), (following, _) in itertools.pairwise(playout(setting, seed * 2)):
        shown = state.to_json()
        if shown["moving"] is None:
            here = json.dumps({name: shown[name] for name in ("pieces", "reserve", "to_move")})
            seen[here] = seen.get(here, 0) + 1
            assert seen[here] < 3
        assert {each.text for each in state.legal_actions()} == legal(shown)
        text = present(action).text
        expected, found = after(shown, text), following.to_json()
        quiet = quiet + 1 if "-" in text else 0
        if expected["outcome"] is None and found["outcome"] is not None:
            there = json.dumps({name: expected[name] for name in ("pieces", "reserve", "to_move")})
            repeated = seen.get(there, 0) == 2
            assert repeated or quiet == 100
            expected = finished(expected, "repetition" if repeated else "no-progress", [1, 1])
        assert {name: found[name] for name in expected} == expected
        for seat in (0, 1):
            assert len(found["pieces"][seat]) + found["reserve"][seat] + found["lost"][seat] == size_of(shown)
        assert set(found["pieces"][0]).isdisjoint(found["pieces"][1])


def test_the_opening_is_the_same_for_both_seen_from_their_sides() -> None:
    board = hexagon(4)
    turned = {name: board.names[-1 - number] for number, name in enumerate(board.names)}
    white, black = ANNUVIN.start().to_json()["pieces"]
    assert {turned[cell] for cell in white} == set(black)


@EVERY_SETTING
def test_an_action_is_said_to_capture_exactly_if_playing_it_takes_a_piece(setting: Setting) -> None:
    for state, _ in list(playout(setting, 5))[::3]:
        seat = state.to_move
        if seat is None:
            continue
        enemies = len(state.to_json()["pieces"][1 - seat])
        takes = {
            each for each in state.legal_actions() if len(state.play(each).to_json()["pieces"][1 - seat]) < enemies
        }
        assert state.find_captures(state.legal_actions()) == takes


@EVERY_SETTING
def test_a_seats_reach_is_every_cell_within_the_range_of_its_next_turn(setting: Setting) -> None:
    for state, _ in list(playout(setting, 6))[::7]:
        shown = state.to_json()
        for seat in (0, 1):
            own = set(shown["pieces"][seat])
            reach = 1 if shown["reserve"][seat] else size_of(shown) + 1 - len(own)
            near = {cell for cell in cells_of(shown) for piece in own if 1 <= distance(shown, cell, piece) <= reach}
            assert state.find_reach(seat) == near - own
