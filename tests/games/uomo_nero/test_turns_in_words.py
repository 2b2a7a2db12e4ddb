"""What a turn is told with besides its moves: who rolled what, ends of rounds, the figures at the end."""

import re

import pytest

from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words import words
from bot.kernel.words.describe import turn_words
from engine import State, Turn, games
from engine.turn import extend_turn
from tests.games.uomo_nero.court import load
from tests.support.present import present
from tests.support.samples import random_playout

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Carla", "Dora", "Enzo")
GAME = "uomo-nero"


def line(seats: int, seed: int, longest: int = 5000) -> list[Turn]:
    """Return the turns of a game played at random, to its end or as many as that."""
    found = {turn.number: turn for _, turn in random_playout(games[GAME], seed, seats, {}, longest) if turn}
    return list(found.values())


def describe(turn: Turn, language: str = "en") -> str:
    return strip_styles(turn_words(TEXTS.speaker(language).of(GAME), turn, NAMES[: turn.before.seats]))


def test_roll_off_description_names_rolls_and_the_man() -> None:
    seen = 0
    for seed in range(100):
        (turn,) = line(2, seed, 1)
        text = describe(turn)
        rolls = [(who, int(one) + int(other)) for who, one, other in re.findall(r"(\w+) (\d) and (\d)(?=[,. ])", text)]
        assert len(rolls) == len([action for action in turn.actions if action.verb == "roll"])
        assert f"So {min(rolls[-2:], key=lambda roll: roll[1])[0]} is the Man in Black in the first round." in text
        assert "lowest sum" in text
        assert ("A tie for the lowest" in text) == (len(rolls) > 2)
        seen += len(rolls) > 2
    assert seen


def test_dice_are_described_with_their_roller() -> None:
    for turn in line(3, 1)[5:60]:
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
        texts.append(describe(present(turn), language))
        for cell in cells.split():
            assert len(re.findall(rf"\b{cell}\b", texts[-1])) == 1, texts[-1]
    assert [end for text, end in zip(texts, said, strict=False) if not text.endswith(end)] == []
    assert any("Bruno" in text for text in texts) == bool(said)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_round_end_description_has_points_reason_and_next_man(seats: int) -> None:
    turns = line(seats, 2)
    texts = [text for text in map(describe, turns) if "is over" in text]
    rounds = present(turns[-1].after.outcome).details["rounds"]
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
    state = line(3, 2)[-1].after
    names, voice = NAMES[:3], TEXTS.speaker(language).of(GAME)
    text = " ".join(strip_styles(part) for part in words[GAME].scored(voice, state, names))
    for name, points in zip(names, state.to_json()["attack_scores"], strict=True):
        assert f"{name} {points}" in text
    for seat in present(state.outcome).details["best_man"]:
        assert names[seat] in text.partition({"en": "Best Man", "it": "Miglior uomo nero"}[language])[2]
