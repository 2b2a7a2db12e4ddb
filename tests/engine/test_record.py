"""Records: text and back, replay, verification, and broken ones."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import CHANCE, Action, InvalidAction, games
from engine.fair import Draw, commitment, lot, public_text
from engine.record import InvalidRecord, Joining, Record, Verified, verify

SEED = bytes(range(32)).hex()
JOINED = ("web:1", "web:2", "discord:77", "telegram:5", "web:9")
EVERY_SEATING = [(key, seats) for key in games for seats in games[key].seats]


def a_record(key: str, seats: int, actions: int = 60, drops: bool = False) -> Record:
    game = games[key]
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
        joined=tuple(Joining(event, seat) for event, seat in zip(joined, lot(SEED, public, seats), strict=True)),
        seed_hash=commitment(SEED),
        seed=SEED,
    )


def annuvin(*actions: str, **rest: Any) -> Record:
    record = a_record("annuvin", 2, 0)
    return replace(record, actions=actions, **rest)


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
@pytest.mark.parametrize("drops", [False, True])
def test_a_record_goes_to_text_and_back(key: str, seats: int, drops: bool) -> None:
    record = a_record(key, seats, drops=drops)
    assert record.actions
    text = record.to_text()
    again = Record.from_text(text)
    assert again == record
    assert again.to_text() == text
    assert Record.from_text(text.replace("\n", "\r\n")) == record


@pytest.mark.parametrize(("key", "seats"), EVERY_SEATING)
def test_a_record_is_verified(key: str, seats: int) -> None:
    record = a_record(key, seats)
    dice = sum(text.startswith(("roll ", "deal ")) for text in record.actions)
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
    record = annuvin("d2-d3", "d6-d5", result="agreement", started="2026-11-21")
    assert record.to_text() == (
        "Tavoliere record 1\nGame: annuvin\nId: 7K3QXD\nRules: 1\nOption board: hexagon\nOption setup: classic\n"
        "Seat 0: Anna\nSeat 1: Bruno\nJoined: seat 1 by web:1\nJoined: seat 0 by web:2\n"
        f"Hash: {commitment(SEED)}\nSeed: {SEED}\nStarted: 2026-11-21\nResult: agreement\n\n1. d2-d3\n2. d6-d5\n"
    )


def test_a_turn_of_several_actions_stands_on_one_line() -> None:
    start = {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "to_move": 0,
        "pieces": [["a1", "d5", "g7"], ["a2", "c3", "c4"]],
        "reserve": [0, 0],
        "lost": [3, 3],
        "moving": None,
    }
    text = annuvin("d5xc4", "xc3", "xa2", start=start).to_text()
    assert text.endswith("Result: eliminated 1 2\n\n1. d5xc4; xc3; xa2\n")
    assert Record.from_text(text).start == start


def test_a_game_may_be_recorded_without_seed_dates_and_joinings() -> None:
    record = annuvin("d2-d3", seed=None, seed_hash=None, joined=())
    assert Record.from_text(record.to_text()) == record


def test_a_name_is_kept_on_one_line() -> None:
    record = annuvin(names=("An\nna\x1b[31m", "  \u2028"))
    assert record.names == ("An na [31m", "")
    assert Record.from_text(record.to_text()) == record


@pytest.mark.parametrize(
    ("line", "new", "code", "at"),
    [
        ("Tavoliere record 1", "Tavoliere record 2", "not-a-record", 1),
        ("Game: annuvin", "Game: chess", "unknown-game", 2),
        ("Game: annuvin", "Id: 1", "unexpected-header", 3),
        ("Game: annuvin", "game annuvin", "not-a-header", 2),
        ("Rules: 1", "Rules: one", "not-a-number", 4),
        ("Rules: 1", "Rules: 01", "other-line", 4),
        ("Option board: hexagon", "Option board: round", "broken-option", 5),
        ("Option board: hexagon", "Option colour: hexagon", "broken-option", 5),
        ("Seat 0: Anna", "Seat 1: Anna", "unexpected-header", 7),
        ("Joined: seat 1 by web:1", "Joined: web:1", "unexpected-header", 9),
        ("Result: *", "Result: eliminated 1 2", "other-line", 13),
        ("Result: *", "Ended: today", "missing-header", 14),
        ("1. d2-d3", "1 d2-d3", "not-a-turn", 15),
        ("1. d2-d3", "2. d2-d3", "other-line", 15),
        ("1. d2-d3", "1. d2-d3; d6-d5", "broken-action", 16),
        ("1. d2-d3", "1. d2-d4", "broken-action", 15),
        ("1. d2-d3", "1. hello", "broken-action", 15),
        ("2. d6-d5", "2. d6-d5\n\n3. d3-d4", "not-a-turn", 17),
        ("2. d6-d5", "2. drop 1\n3. d3-d4", "broken-action", 17),
    ],
)
def test_a_broken_line_is_named(line: str, new: str, code: str, at: int) -> None:
    text = annuvin("d2-d3", "d6-d5").to_text()
    assert line in text
    with pytest.raises(InvalidRecord) as error:
        Record.from_text(text.replace(line, new))
    assert (error.value.code, error.value.params["line"]) == (code, at)


def test_the_rule_behind_a_broken_action_is_told() -> None:
    text = annuvin("d2-d3").to_text().replace("d2-d3", "d2-d4")
    with pytest.raises(InvalidRecord) as error:
        Record.from_text(text)
    assert error.value.params == {"game": "annuvin", "number": 1, "line": 15, "text": "d2-d4"}
    assert error.value.cause is not None
    assert error.value.cause.code == "too-far"
    with pytest.raises(InvalidRecord) as error:
        Record.from_text(text.replace("d2-d4", "d2+d4"))
    assert isinstance(error.value.cause, InvalidAction)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"game": "chess"}, "unknown-game"),
        ({"rules_version": 99}, "newer-rules"),
        ({"names": ("Anna",)}, "broken-options"),
        ({"options": {"board": "round"}}, "broken-options"),
        ({"start": {"game": "annuvin"}}, "broken-start"),
        ({"actions": ("d2-d3",) * 20_001}, "too-many-actions"),
        ({"actions": ("drop 0",), "result": "agreement"}, "result-after-the-end"),
    ],
)
def test_a_record_that_cannot_be_played_is_refused(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRecord) as error:
        replace(annuvin(), **changes).to_text()
    assert error.value.code == code


def test_a_start_with_other_options_is_refused() -> None:
    start = games["annuvin"].start(options={"board": "square"}).to_json()
    with pytest.raises(InvalidRecord, match="other-start"):
        annuvin(start=start).to_text()


def test_a_joining_is_one_line() -> None:
    with pytest.raises(InvalidRecord, match="broken-joining"):
        annuvin(joined=(Joining("web:1\nweb:2", 0),))


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
        ({"actions": ("d2-d4",)}, "broken-action"),
    ],
)
def test_what_is_not_fair_is_found(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRecord) as error:
        verify(replace(annuvin("d2-d3"), **changes))
    assert error.value.code == code


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
    with pytest.raises(InvalidRecord) as error:
        verify(record)
    assert error.value.code == "other-chance"
    lines = record.to_text().splitlines()
    assert error.value.params["text"][:12] in lines[error.value.params["line"] - 1]


GOOD = a_record("annuvin", 2, 8).to_text()


@given(st.data())
def test_a_damaged_text_is_refused_as_a_record_or_still_is_one(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOOD)))
    cut = data.draw(st.integers(0, 5))
    put = data.draw(st.text(max_size=5) | st.sampled_from(["\n", ": ", "; ", "1. ", "Start: {}\n", "Start: [[\n"]))
    damaged = GOOD[:at] + put + GOOD[at + cut :]
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
        Record.from_text(GOOD.replace("Result", f"Start: {start}\nResult"))


def test_a_text_too_long_to_be_a_record_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="too-long"):
        Record.from_text(GOOD + " " * 4_000_000)
