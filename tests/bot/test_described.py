"""Positions in words: nothing may be missing, and everything fits where it has to."""

from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

import pytest

from bot.kernel.cards import MAX_ALT_LENGTH
from bot.kernel.texts import Texts
from bot.kernel.words.describe import BoardWords
from engine import Action, State, Turn, games
from engine.turn import extend_turn
from tests.bot.reading import read_back
from tests.support.samples import list_variants, random_playout

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Chiara B.", "Dario", "Émile")
CASES = [
    (key, seats, options)
    for key, game in games.items()
    for seats, options in list_variants(game)
    if seats in (game.seats[0], game.seats[-1])
]
IDS = ["-".join(map(str, (key, seats, *options.values()))) for key, seats, options in CASES]


def positions(
    key: str, seats: int, options: Mapping[str, str | int], seed: int, drops: float
) -> Iterator[tuple[State, Turn | None]]:
    """Yield states of a random game from which, now and then, somebody drops out."""
    rng, state = Random(seed), games[key].start(seats, options)
    turn: Turn | None = None
    yield state, None
    while state.to_move is not None and state.turn < 400:
        playing = [seat for seat in range(seats) if state.is_playing(seat)]
        action = Action.drop(rng.choice(playing)) if rng.random() < drops else state.random_action(rng)
        after, turn = state.advance(action), extend_turn(turn, state, action)
        yield after, turn
        if after.turn != state.turn:
            turn = None
        state = after


def bare(state: State) -> dict[str, Any]:
    """Return a position without its counters and history."""
    return {name: value for name, value in state.to_json().items() if name != "extra"}


@pytest.mark.parametrize(("key", "seats", "options"), CASES, ids=IDS)
def test_positions_can_be_rebuilt_from_their_words(key: str, seats: int, options: dict[str, str | int]) -> None:
    ended = 0
    for seed, drops in ((0, 0.0), (1, 0.01), (2, 0.3)):
        for number, (state, turn) in enumerate(positions(key, seats, options, seed, drops)):
            if state.outcome is None and number > 40 and (number + seed) % 17:
                continue
            language = TEXTS.languages[number % len(TEXTS.languages)]
            text = "\n".join(BoardWords(TEXTS.speaker(language).of(key), state, turn, NAMES[:seats]).sentences())
            assert read_back(TEXTS, language, NAMES[:seats], text) == bare(state)
            ended += state.outcome is not None
    assert ended


@pytest.mark.parametrize(("key", "seats", "options"), CASES, ids=IDS)
def test_no_sentence_can_be_left_out(key: str, seats: int, options: dict[str, str | int]) -> None:
    voice = TEXTS.speaker("en").of(key)
    line = list(random_playout(games[key], 5, seats, options, 60))
    state, turn = line[len(line) * 2 // 3]
    sentences = BoardWords(voice, state, turn, NAMES[:seats]).sentences()
    for at in range(2, len(sentences)):
        text = "\n".join([*sentences[:at], *sentences[at + 1 :]])
        try:
            found = read_back(TEXTS, "en", NAMES[:seats], text)
        except (AssertionError, StopIteration):
            continue
        assert found != bare(state), sentences[at]


@pytest.mark.parametrize(("key", "seats", "options"), CASES, ids=IDS)
def test_descriptions_fit_and_say_where_they_are_cut(key: str, seats: int, options: dict[str, str | int]) -> None:
    long_names = [name + " " + "w" * 25 for name in NAMES[:seats]]
    voices = [TEXTS.speaker(language).of(key) for language in TEXTS.languages]
    for state, turn in islice(random_playout(games[key], 6, seats, options), 0, None, 13):
        for voice in voices:
            text = BoardWords(voice, state, turn, long_names).alt
            assert len(text) <= MAX_ALT_LENGTH
            if text != " ".join(BoardWords(voice, state, turn, long_names).sentences()):
                assert text.endswith(voice.line("alt.more"))
    for voice in voices:
        whole = " ".join(BoardWords(voice, state, turn, NAMES[:seats]).sentences())
        short = BoardWords(voice, state, turn, NAMES[:seats]).fit(len(whole) - 1)
        assert len(short) < len(whole)
        assert short.endswith(voice.line("alt.more"))


@pytest.mark.parametrize(("key", "seats", "options"), CASES, ids=IDS)
def test_description_of_a_dropout_mentions_no_capture(key: str, seats: int, options: dict[str, str | int]) -> None:
    voice = TEXTS.speaker("en").of(key)
    for state, _ in islice(positions(key, seats, options, 3, 0.0), 0, 60, 7):
        for seat in range(seats) if state.outcome is None else ():
            turn = extend_turn(None, state, Action.drop(seat))
            said = BoardWords(voice, turn.after, turn, NAMES[:seats]).sentences()[1]
            assert f"{NAMES[seat]} left the game" in said
            assert "Captured" not in said


def describe(key: str, moves: list[str], options: dict[str, str | int] | None = None) -> str:
    """Return the last turn of a line of play, by Anna and Bruno, in English."""
    state = games[key].start(2, options)
    turn: Turn | None = None
    for text in moves:
        if turn is not None and turn.after.turn != turn.before.turn:
            turn = None
        for action in state.parse(text):
            turn, state = extend_turn(turn, state, action), state.play(action)
    return BoardWords(TEXTS.speaker("en").of(key), state, turn, NAMES[:2]).sentences()[1]


def test_turn_description_names_captures() -> None:
    small: dict[str, str | int] = {"board": "square", "setup": "empty"}
    assert describe("annuvin", ["a1", "a2", "a1xa2"], small) == "Anna: a1 takes a2."
    assert describe("annuvin", ["a1", "a2"], small) == "Bruno played a2."
    assert describe("fagocitare", ["c4", "d4", "e4"]) == "Anna played e4. Captured from Bruno: d4."
