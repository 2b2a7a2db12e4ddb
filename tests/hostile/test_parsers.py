"""Whatever comes in, parsers answer with the errors that they document, and what they let through works.

The ordinary run tries some thousands of inputs, the full run 1.8 million: 750,000 moves, 200,000 positions, 75,000
records, 250,000 commands, 300,000 presses and 200,000 names and codes; test_program.py adds 35,000 requests.
"""

import json
import random
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bot.kernel.commandline import parse_command, read_people
from bot.kernel.names import GameNames, clean_name
from bot.kernel.presses import BrokenPress, read_press
from bot.kernel.refusals import Refused, refusal_words
from bot.kernel.texts import Texts
from bot.platforms.app import PARAMETERS
from bot.platforms.discord.decode import press_of_button
from engine import CHANCE, AmbiguousAction, GameOver, IllegalAction, InvalidAction, InvalidPosition, State, games
from engine.record import MAX_NAME_LENGTH, InvalidRecord, Record, verify
from storage import read_code
from tests.engine.playing import settings, some_states
from tests.hostile import mutants

SOME, MANY = "some", pytest.param("many", marks=[pytest.mark.full, pytest.mark.timeout(1800)])
AMOUNT = pytest.mark.parametrize("amount", [SOME, MANY])
EVERY_GAME = pytest.mark.parametrize("key", games)


def rounds(amount: str, some: int, many: int) -> Iterator[random.Random]:
    """Yield one source of chance so many times; the same in every run."""
    rng = random.Random(f"{amount} {some}")
    for _ in range(many if amount == "many" else some):
        yield rng


def states_of(key: str) -> list[State]:
    """Return positions of random games of every kind and number of players."""
    chosen = [setting for setting in settings() if setting.key == key]
    return [state for setting in chosen for state in some_states(setting, 12) if state.to_move != -1]


@AMOUNT
@EVERY_GAME
def test_moves(key: str, amount: str) -> None:
    positions = states_of(key)
    corpus = [action.text for state in positions for action in list(state.legal_actions())[:30]] or ["a1"]
    corpus += [" ".join(corpus[:4]), "drop 1", "resign", "pass"]
    for rng in rounds(amount, 600, 150_000):
        state, typed = rng.choice(positions), mutants.mutate_text(rng, corpus)
        try:
            actions = state.parse(typed)
        except (InvalidAction, IllegalAction, AmbiguousAction, GameOver):
            continue
        assert actions
        after = state
        for action in actions:
            after = after.play(action)


@AMOUNT
@EVERY_GAME
def test_positions(key: str, amount: str) -> None:
    positions = [state.to_json() for state in states_of(key)]
    for rng in rounds(amount, 300, 40_000):
        try:
            state = games[key].load(mutants.mutate_tree(rng, rng.choice(positions)))
        except InvalidPosition:
            continue
        assert games[key].load(json.loads(json.dumps(state.to_json()))) == state
        assert state.to_move is not None or state.outcome is not None
        for action in list(state.legal_actions())[:3]:
            state.play(action)


def a_record(key: str) -> str:
    """Return the text of a short record of a game with everything that a record can hold."""
    game = games[key]
    state, rng, actions = game.start(), random.Random(3), []
    while state.turn < 8 and state.to_move is not None:
        action = state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng)
        actions.append(action.text)
        state = state.play(action)
    options = {name: option.default for name, option in game.options.items()}
    names = tuple(f"Player {seat}" for seat in range(state.seats))
    played = Record(
        key, "K7QF22", game.rules_version, options, names, tuple(actions), seed_hash="0" * 64, started="2026-11-21"
    )
    return played.to_text()


@AMOUNT
@EVERY_GAME
def test_records(key: str, amount: str) -> None:
    corpus = [a_record(key), a_record("annuvin")]
    for rng in rounds(amount, 120, 15_000):
        try:
            record = Record.from_text(mutants.mutate_text(rng, corpus))
        except InvalidRecord:
            continue
        assert Record.from_text(record.to_text()) == record
        with suppress(InvalidRecord):
            verify(record)


@pytest.fixture(scope="module")
def names() -> GameNames:
    return GameNames(Texts())


LINES = [
    "/play annuvin @bruno board:square setup:empty", "/play gioco dell'uomo nero seats:4 computer:3",
    '/play fagocitare @"Anna Rossi" <@12|Bruno> size:7 clock:1d rated:no', "/move d5-d6 game:K7QF22",
    "/move #K7QF22 xc5 xc4", "/leaderboard annuvin where:group", "/settings language:it for:channel",
    "/history @bruno", "/replay K7QF22", "/link ABCD1234", "/help", "/profile", "hello there",
]  # fmt: skip


@AMOUNT
def test_commands(names: GameNames, amount: str) -> None:
    speakers = [Texts().speaker(language) for language in ("en", "it")]
    for rng in rounds(amount, 3000, 250_000):
        line = mutants.mutate_text(rng, LINES)
        try:
            command, values = parse_command(line, PARAMETERS, names)
        except Refused as refused:
            for speaker in speakers:
                refusal_words(speaker, refused)
            continue
        assert command in PARAMETERS
        assert set(values) <= {parameter.name for parameter in PARAMETERS[command]}
        for value in values.values():
            for person in read_people(value):
                assert person.name or person.id


PRESSES = [
    *("c:K7QF22:17=move.d5", "p:K7QF22:17=b1-b2", "join:K7QF22:2", "rules=annuvin", "resign!:K7QF22:4"),
    *("dismiss", "words:C9TJCW:8"),
]


@AMOUNT
def test_what_buttons_carry(amount: str) -> None:
    ids = [*PRESSES, *(f"3|{press}" for press in PRESSES), "menu|7"]
    for rng in rounds(amount, 5000, 300_000):
        carried = mutants.mutate_text(rng, ids)
        try:
            read = read_press(carried)
        except BrokenPress:
            pass
        else:
            assert len(str(read).encode(errors="replace")) <= 64 + 9
            assert read_press(str(read)) == read or not read.fits
        pressed = press_of_button(carried)
        assert pressed is None or carried.endswith(f"|{pressed}")


@AMOUNT
def test_names_and_codes(amount: str) -> None:
    corpus = ["Anna Rossi", "Łukasz", "王小明", "مريم", "K7QF22", "k7qf-22", "o0i1l|"]
    for rng in rounds(amount, 3000, 200_000):
        typed = mutants.mutate_text(rng, corpus)
        name = clean_name(typed)
        assert 0 < len(name) <= MAX_NAME_LENGTH
        assert clean_name(name) == name
        assert not any(character in name for character in "\n\r\0\u202e\u2066")
        code = read_code(typed)
        assert code is None or read_code(code) == code
