"""Records: text and back, replay, verification, and broken ones."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine import CHANCE, Action, InvalidAction, games
from engine.fair import Draw, draw_seats, hash_seed, public_text
from engine.record import InvalidRecord, Joining, Record, Verified, verify
from tests.engine.tiny import TINY, WITH_TINY
from tests.support.present import catch_error, present

SEED = bytes(range(32)).hex()
JOINED = ("web:1", "web:2", "discord:77", "telegram:5", "web:9")
EVERY_SEATING = [(key, seats) for key in games for seats in games[key].seats]


@pytest.fixture(autouse=True, scope="module")
def with_tiny() -> Iterator[None]:
    """Let records be of the made-up game, too."""
    with pytest.MonkeyPatch.context() as patched:
        for module in ("engine.record", "engine.record"):
            patched.setattr(f"{module}.games", WITH_TINY)
        yield


def a_record(key: str, seats: int, actions: int = 60, drops: bool = False) -> Record:
    game = WITH_TINY[key]
    joined = JOINED[:seats]
    public = public_text("7K3QXD", joined)
    rng = random.Random(f"{key} {seats}")
    state, texts, draws = game.start(seats), list[str](), 0
    while state.to_move is not None and len(texts) < actions:
        if state.to_move == CHANCE:
            draws += 1
            action = state.sample_chance(Draw(SEED, public, draws))
        elif drops and len(texts) == actions // 2:
            action = Action.drop(rng.randrange(seats))
        else:
            action = state.random_action(rng)
        texts.append(action.text)
        state = state.play(action)
    return Record(
        game=key,
        game_id="7K3QXD",
        rules_version=game.rules_version,
        options=game.checked_options(seats, None),
        names=("Anna", "Bruno", "Chiara", "Dìdi", "è 5")[:seats],
        actions=tuple(texts),
        joined=tuple(Joining(event, seat) for event, seat in zip(joined, draw_seats(SEED, public, seats), strict=True)),
        seed_hash=hash_seed(SEED),
        seed=SEED,
    )


def tiny(*actions: str, **rest: Any) -> Record:
    return replace(a_record("tiny", 2, 0), actions=actions, **rest)


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
@pytest.mark.parametrize("drops", [False, True])
def test_a_record_goes_to_text_and_back(key: str, seats: int, drops: bool) -> None:
    record = a_record(key, seats, drops=drops)
    assert record.actions
    text = record.to_text()
    again = Record.from_text(text)
    assert (again, again.to_text(), Record.from_text(text.replace("\n", "\r\n"))) == (record, text, record)


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
def test_a_record_is_verified(key: str, seats: int) -> None:
    record = a_record(key, seats)
    state, dice = games[key].start(seats), 0
    for action, after in record.replay():
        dice += state.to_move == CHANCE and action.verb != "drop"
        state = after
    assert verify(record) == Verified(seats, dice)
    assert verify(Record.from_text(record.to_text())) == Verified(seats, dice)


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
def test_replay_and_turns_tell_the_same_game(key: str, seats: int) -> None:
    record = a_record(key, seats, drops=True)
    replayed = [(action.text, state) for action, state in record.replay()]
    assert tuple(text for text, _ in replayed) == record.actions
    turns = list(record.turns())
    assert tuple(action.text for turn in turns for action in turn.actions) == record.actions
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    assert turns[-1].after == replayed[-1][1] == record.last_state()
    for turn, following in pairwise(turns):
        assert turn.after == following.before


def test_the_text_is_for_people_to_read() -> None:
    record = tiny("a1-a2", "a4-a3", result="agreement", started="2026-11-21")
    assert record.to_text() == (
        "Tavoliere record 1\nGame: tiny\nId: 7K3QXD\nRules: 1\nOption board: small\n"
        "Seat 0: Anna\nSeat 1: Bruno\nJoined: seat 1 by web:1\nJoined: seat 0 by web:2\n"
        f"Hash: {hash_seed(SEED)}\nSeed: {SEED}\nStarted: 2026-11-21\nResult: agreement\n\n1. a1-a2\n2. a4-a3\n"
    )


def test_actions_of_one_turn_are_written_on_one_line() -> None:
    start = {"game": "tiny", "options": {"board": "small"}, "to_move": 0, "moving": None}
    start |= {"pieces": [["a1"], ["b1", "b2", "c2"]]}
    text = tiny("a1xb1", "xb2", "xc2", start=start).to_text()
    assert text.endswith("Result: eliminated 1 2\n\n1. a1xb1; xb2; xc2\n")
    assert Record.from_text(text).start == start


def test_a_game_may_be_recorded_without_seed_dates_and_joinings() -> None:
    record = tiny("a1-a2", seed=None, seed_hash=None, joined=())
    assert Record.from_text(record.to_text()) == record


def test_a_name_is_kept_on_one_line() -> None:
    record = tiny(names=("An\nna\x1b[31m", "Bru\u2028"))
    assert record.names == ("An na [31m", "Bru")
    assert Record.from_text(record.to_text()) == record


@pytest.mark.parametrize(
    ("line", "new", "code", "at"),
    [
        ("Tavoliere record 1", "Tavoliere record 3", "not-a-record", 1),
        ("Game: tiny", "Game: chess", "unknown-game", 2),
        ("Game: tiny", "Id: 1", "unexpected-header", 3),
        ("Game: tiny", "game tiny", "not-a-header", 2),
        ("Rules: 1", "Rules: one", "not-a-number", 4),
        ("Rules: 1", "Rules: 01", "other-line", 4),
        ("Option board: small", "Option board: round", "broken-option", 5),
        ("Option board: small", "Option colour: small", "broken-option", 5),
        ("Seat 0: Anna", "Seat 1: Anna", "unexpected-header", 6),
        ("Seat 0: Anna", "Seat 0:", "broken-name", 6),
        ("Seat 0: Anna", "Seat 0: Bruno", "broken-name", 7),
        ("Seat 1: Bruno", f"Seat 1: {33 * 'o'}", "broken-name", 7),
        ("Result: *", "Result: *\nStarted: 2026-13-45", "broken-date", 13),
        ("Result: *", "Result: *\nStarted: 2026x11-21", "broken-date", 13),
        ("Result: *", "Result: *\nEnded: 9926-11-21", "broken-date", 13),
        (f"Hash: {hash_seed(SEED)}", f"Hash: g{hash_seed(SEED)[1:]}", "broken-hash", 10),
        ("Joined: seat 1 by web:1", "Joined: web:1", "unexpected-header", 8),
        ("Result: *", "Result: eliminated 1 2", "other-line", 12),
        ("Result: *", "Ended: today", "missing-header", 13),
        ("1. a1-a2", "1 a1-a2", "not-a-turn", 14),
        ("1. a1-a2", "2. a1-a2", "other-line", 14),
        ("1. a1-a2", "1. a1-a2; a4-a3", "broken-action", 15),
        ("1. a1-a2", "1. a1-a3", "broken-action", 14),
        ("1. a1-a2", "1. hello", "broken-action", 14),
        ("2. a4-a3", "2. a4-a3\n\n3. a2-b2", "not-a-turn", 16),
        ("2. a4-a3", "2. drop 1\n3. a2-b2", "broken-action", 16),
    ],
)
def test_a_broken_line_is_named(line: str, new: str, code: str, at: int) -> None:
    text = tiny("a1-a2", "a4-a3").to_text()
    assert line in text
    error = catch_error(InvalidRecord, Record.from_text, text.replace(line, new))
    assert (error.code, error.params["line"]) == (code, at)


def test_record_error_names_the_violated_rule() -> None:
    text = tiny("a1-a2").to_text().replace("a1-a2", "a1-a3")
    error = catch_error(InvalidRecord, Record.from_text, text)
    assert error.params == {"game": "tiny", "number": 1, "line": 14, "text": "a1-a3"}
    assert present(error.cause).code == "too-far"
    assert isinstance(catch_error(InvalidRecord, Record.from_text, text.replace("a1-a3", "a1+a3")).cause, InvalidAction)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"game": "chess"}, "unknown-game"),
        ({"rules_version": 99}, "newer-rules"),
        ({"names": ("Anna",)}, "broken-options"),
        ({"options": {"board": "round"}}, "broken-options"),
        ({"start": {"game": "tiny"}}, "broken-start"),
        ({"actions": ("a1-a2",) * 20_001}, "too-many-actions"),
        ({"actions": ("drop 0",), "result": "agreement"}, "result-after-the-end"),
    ],
)
def test_a_record_that_cannot_be_played_is_refused(changes: dict[str, Any], code: str) -> None:
    assert catch_error(InvalidRecord, replace(tiny(), **changes).to_text).code == code


def test_a_start_with_other_options_is_refused() -> None:
    start = TINY.start(options={"board": "large"}).to_json()
    with pytest.raises(InvalidRecord, match="other-start"):
        tiny(start=start).to_text()


def test_a_joining_is_one_line() -> None:
    with pytest.raises(InvalidRecord, match="broken-joining"):
        tiny(joined=(Joining("web:1\nweb:2", 0),))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seed_hash": None}, "no-seed-hash"),
        ({"seed": None}, "no-seed"),
        ({"seed": "00" * 32}, "other-seed"),
        ({"seed": "nonsense"}, "other-seed"),
        ({"joined": ()}, "no-joinings"),
        ({"joined": (Joining("web:1", 0), Joining("web:2", 1))}, "other-lot"),
        ({"game_id": "OTHER1"}, "other-lot"),
        ({"actions": ("a1-a3",)}, "broken-action"),
    ],
)
def test_verification_finds_unfair_chance(changes: dict[str, Any], code: str) -> None:
    assert catch_error(InvalidRecord, verify, replace(tiny("a1-a2"), **changes)).code == code


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
def test_another_roll_or_deal_is_found_with_its_line(key: str, seats: int) -> None:
    game = games[key]
    record = a_record(key, seats, 0)
    state, texts = game.start(seats), list[str]()
    rng = random.Random(1)
    while state.to_move == CHANCE and len(texts) < 3:
        texts.append(state.random_action(rng).text)
        state = state.play(state.read(texts[-1]))
    record = Record.from_text(replace(record, actions=tuple(texts)).to_text())
    if not texts:
        assert verify(record).draws == 0
        return
    error = catch_error(InvalidRecord, verify, record)
    assert error.code == "other-chance"
    assert error.params["text"][:12] in record.to_text().splitlines()[error.params["line"] - 1]


@cache
def good() -> str:
    return a_record("tiny", 2, 8).to_text()


@given(st.data())
def test_a_damaged_text_is_refused_as_a_record_or_still_is_one(data: st.DataObject) -> None:
    whole = good()
    at = data.draw(st.integers(0, len(whole)))
    cut = data.draw(st.integers(0, 5))
    put = data.draw(st.text(max_size=5) | st.sampled_from(["\n", ": ", "; ", "1. ", "Start: {}\n", "Start: [[\n"]))
    damaged = whole[:at] + put + whole[at + cut :]
    try:
        record = Record.from_text(damaged)
    except InvalidRecord:
        return
    assert Record.from_text(record.to_text()) == record


@given(st.text())
def test_no_text_raises_anything_but_invalid_record(text: str) -> None:
    with pytest.raises(InvalidRecord):
        Record.from_text(text)


@pytest.mark.parametrize("start", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "NaN", '"\\ud800"', "{}"])
def test_a_hostile_start_is_refused(start: str) -> None:
    with pytest.raises(InvalidRecord, match="broken-start"):
        Record.from_text(good().replace("Result", f"Start: {start}\nResult"))


def test_a_text_too_long_to_be_a_record_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="too-long"):
        Record.from_text(good() + " " * 4_000_000)
