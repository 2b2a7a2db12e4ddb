"""What cards may be at most, on the strictest platform that shows them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

import pytest

from bot.kernel.cards import MAX_ALT_LENGTH, MAX_OPTIONS, MAX_PRESS_BYTES, Card, Menu
from bot.kernel.choices import Question, next_question
from bot.kernel.line import Line
from bot.kernel.preferences import LANGUAGES
from bot.kernel.table import Table
from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words.describe import BoardWords
from bot.lobby.cards import levels_card, lobby_card
from bot.lobby.form import games_card
from bot.people.help import commands as info
from bot.platforms.app import COMMANDS
from bot.table.cards import board_card, choosing_card, nonmember_card
from engine import CHANCE, State, games
from engine.turn import extend_turn
from storage import GameRow, Person, Seat
from tests.bot.party import of_row
from tests.engine.playing import Setting, playout, settings

TEXTS = Texts()
LONG_NAME = "Wilhelmina-Anastasia-Maximiliana"
NOW = datetime(2026, 11, 21, tzinfo=UTC)
MAX_ROWS = 5
CAPTION = 1024
MESSAGE = 4000


def check(card: Card, longest: int) -> None:
    assert 0 < len(strip_styles(card.text)) <= longest
    assert len(card.rows) <= MAX_ROWS
    for row in card.rows:
        assert 1 <= len(of_row(row)) <= (MAX_OPTIONS if isinstance(row, Menu) else 5)
        if isinstance(row, Menu):
            assert 1 <= len(row.placeholder) <= 100
        for entry in of_row(row):
            assert 1 <= len(entry.label) <= 80
            assert len(entry.press.encode()) <= MAX_PRESS_BYTES
    for press in card.presses.values():
        assert len(press.encode()) <= MAX_PRESS_BYTES


def a_row(setting: Setting, status: str = "playing") -> GameRow:
    seats = tuple(Seat(n, "joined", n, n + 1, joined_by=f"web:{n}") for n in range(setting.seats))
    return GameRow(
        id="WWWWWW",
        game=setting.key,
        status="lobby" if status == "lobby" else "playing",
        place=1,
        starter=1,
        seat_count=setting.seats,
        seats=seats,
        options=games[setting.key].checked_options(setting.seats, dict(setting.options)),
        revision=999999,
        turn=0,
        to_move=1,
        waiting_since=NOW,
        deadline=None,
        created_at=NOW,
        updated_at=NOW,
        started_at=NOW,
        ended_at=None,
        outcome=None,
        rules_version=1,
        seed="ab" * 32,
        seed_hash="cd" * 32,
        position=None,
        last_turn=None,
    )


PEOPLE = {n: Person(n, f"{LONG_NAME[:-1]}{n}") for n in range(1, 6)}


def sample_lines(setting: Setting, seed: int, every: int) -> Iterator[tuple[State, Line]]:
    """Yield positions from all over a random game, two of every so many and the last, with the turns before them."""
    finished = begun = None
    for number, (state, action) in enumerate(islice(playout(setting, seed), 800)):
        if state.to_move != CHANCE and (number % every < 2 or action is None):
            yield state, Line(state, finished, begun)
        if action is not None:
            begun, after = extend_turn(begun, state, action), state.play(action)
            if after.to_move is None or after.turn != state.turn:
                finished, begun = begun, None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("setting", settings(), ids=str)
def test_cards_of_games_at_play_keep_the_limits(setting: Setting, language: str) -> None:
    speaker = TEXTS.speaker(language)
    row, looked_at = a_row(setting), 0
    for state, line in sample_lines(setting, 0, 37):
        table = Table(brief=row, people=PEOPLE, row=row, line=line)
        check(board_card(table, speaker), CAPTION)
        if state.to_move is not None:
            asked = next_question(state, state.legal_actions())
            assert isinstance(asked, Question)
            check(choosing_card(table, speaker, asked), CAPTION)
            check(nonmember_card(table, speaker, asked), CAPTION)
        played = replace(row, seats=tuple(replace(seat, person=None, computer="5") for seat in row.seats))
        check(board_card(replace(table, brief=played, row=played), speaker), CAPTION)
        looked_at += 1
    assert looked_at


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_cards_around_games_keep_the_limits(key: str, language: str) -> None:
    speaker = TEXTS.speaker(language)
    check(info.rules_card(speaker, key), MESSAGE)
    check(games_card(speaker), MESSAGE)
    row = a_row(next(setting for setting in settings() if setting.key == key), "lobby")
    for states in (("joined", "open"), ("joined", "invited"), ("joined", "declined")):
        seats = tuple(replace(seat, state=states[min(seat.number, 1)]) for seat in row.seats)
        lobby = replace(row, seats=seats)
        check(lobby_card(Table(brief=lobby, people=PEOPLE, row=lobby, line=None), speaker), CAPTION)
    robots = replace(row, seats=(row.seats[0], *(replace(seat, person=None, computer="5") for seat in row.seats[1:])))
    check(lobby_card(Table(brief=robots, people=PEOPLE, row=robots, line=None), speaker), CAPTION)
    check(levels_card(speaker, robots, "robot"), CAPTION)


def test_commands_keep_the_limits_of_platforms() -> None:
    assert len(COMMANDS) <= 100
    for command in COMMANDS.values():
        assert command.name.isalpha()
        assert command.name.islower()
        assert len(command.name) <= 32
        assert len(command.parameters) <= MAX_OPTIONS
        required = [parameter.required for parameter in command.parameters]
        assert required == sorted(required, reverse=True)
        for parameter in command.parameters:
            assert len(parameter.choices) <= MAX_OPTIONS


def test_too_long_alt_text_ends_at_a_word_with_a_pointer() -> None:
    setting = next(each for each in settings() if each.key == "fagocitare" and 12 in dict(each.options).values())
    states = [state for state, _ in playout(setting, 0)]
    voice = TEXTS.speaker("en").of("fagocitare")
    text = BoardWords(voice, states[-1], None, ["x" * 500, "y" * 500]).alt
    assert len(text) <= MAX_ALT_LENGTH
    assert text.endswith(f" … {voice.line('alt.more')}")
