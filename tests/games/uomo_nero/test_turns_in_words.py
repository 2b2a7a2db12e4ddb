"""What a turn is told with besides its moves: who rolled what, ends of rounds, the figures at the end."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from bot.language.texts import Texts, strip_styles
from bot.words import words
from bot.words.describe import turn_words
from engine import CHANCE, Action, State, Turn, games
from engine.turn import extend_turn, group_turns
from tests.games.uomo_nero.court import load

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Carla", "Dora", "Enzo")
GAME = "uomo-nero"


def line(seats: int, seed: int, most: int = 5000) -> tuple[list[Turn], State]:
    """Return the turns of a game played at random, and its end, or the position after so many turns."""
    rng, game = Random(f"{GAME} {seed}"), games[GAME]
    start = game.start(seats, {name: option.default for name, option in game.options.items()})
    state, actions = start, list[Action]()
    while state.to_move is not None and state.turn < most:
        action = state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng)
        actions.append(action)
        state = state.advance(action)
    return list(group_turns(start, actions)), state


def describe(turn: Turn, language: str = "en") -> str:
    return strip_styles(turn_words(TEXTS.speaker(language).of(GAME), turn, NAMES[: turn.before.seats]))


def first_turns() -> Iterator[Turn]:
    for seed in range(60):
        yield line(2, seed, 1)[0][0]


def test_roll_off_description_names_rolls_and_the_man() -> None:
    seen = 0
    for turn in first_turns():
        text = describe(turn)
        rolls = [
            (name, int(one) + int(other)) for name, one, other in re.findall(r"(\w+) (\d) and (\d)(?=[,. ])", text)
        ]
        assert len(rolls) == len([action for action in turn.actions if action.verb == "roll"])
        assert f"So {min(rolls[-2:], key=lambda roll: roll[1])[0]} is the Man in Black in the first round." in text
        assert "lowest sum" in text
        assert ("A tie for the lowest" in text) == (len(rolls) > 2)
        seen += len(rolls) > 2
    assert seen


def test_dice_are_described_with_their_roller() -> None:
    for turn in line(3, 1)[0][5:60]:
        assert f"{NAMES[turn.seat]} rolled " in describe(turn)


@pytest.mark.parametrize(
    ("seats", "language", "said"),
    [
        (2, "en", []),
        (2, "it", []),
        (3, "en", ["Bruno loses an attacker.", "Bruno loses 2 attackers."]),
        (3, "it", ["Bruno perde un attaccante.", "Bruno perde 2 attaccanti."]),
    ],
)
def test_description_names_each_captured_cell_once(seats: int, language: str, said: list[str]) -> None:
    texts = []
    for cells in ("c5", "c5 d6"):
        state: State = load(cells, man="c6", dice=(1, 2), seats=seats, to_move=0)
        turn: Turn | None = None
        for cell in cells.split():
            turn = extend_turn(turn, state, state.parse(f"x{cell}")[0])
            state = turn.after
        assert turn is not None
        texts.append(text := describe(turn, language))
        for cell in cells.split():
            assert len(re.findall(rf"\b{cell}\b", text)) == 1, text
    assert [end for text, end in zip(texts, said, strict=False) if not text.endswith(end)] == []
    assert any("Bruno" in text for text in texts) == bool(said)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_round_end_description_has_points_reason_and_next_man(seats: int) -> None:
    every, state = line(seats, 2)
    assert state.outcome is not None
    texts = [text for turn in every if "is over" in (text := describe(turn))]
    rounds = state.outcome.details["rounds"]
    assert len(texts) == len(rounds) == seats
    for number, (text, over) in enumerate(zip(texts, rounds, strict=True), start=1):
        assert f"Round {number} is over." in text
        assert TEXTS.speaker("en").of(GAME).line(f"round.{over['reason']}") in text
        for seat, points in enumerate(over["points"]):
            assert (f"{NAMES[seat]} {points}" in text.partition("Points")[2]) == (seat != over["man"])
        if number < seats:
            assert f"Now {NAMES[rounds[number]['man']]} is the Man." in text


@pytest.mark.parametrize("language", TEXTS.languages)
def test_end_is_described_with_the_deciding_figures(language: str) -> None:
    _, state = line(3, 2)
    assert state.outcome is not None
    names, voice = NAMES[:3], TEXTS.speaker(language).of(GAME)
    text = " ".join(strip_styles(part) for part in words[GAME].scored(voice, state, names))
    for name, points in zip(names, state.to_json()["attack_scores"], strict=True):
        assert f"{name} {points}" in text
    for seat in state.outcome.details["best_man"]:
        assert names[seat] in text.partition({"en": "Best Man", "it": "Miglior uomo nero"}[language])[2]
