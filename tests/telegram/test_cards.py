"""What Telegram takes at most: every card that the services can make, as the fake Telegram checks it."""

import json
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot.boards.lessons import welcome_card
from bot.kernel.cards import Button, Card, Menu, Picture
from bot.kernel.choices import Question, next_question
from bot.kernel.form_presses import run_press
from bot.kernel.line import Line
from bot.kernel.preferences import LANGUAGES
from bot.kernel.presses import read_press
from bot.kernel.table import Table
from bot.kernel.texts import Span
from bot.lobby import form as new_game
from bot.lobby.cards import lobby_card
from bot.people.help import commands as info
from bot.platforms.telegram.layout import build_keyboard, choice_keyboard, encode_payload
from bot.platforms.telegram.markup import (
    ANSWER_MARK,
    BLANK_LABEL,
    CELL_PRESS,
    MAX_CAPTION_LENGTH,
    MAX_TEXT_LENGTH,
    NO_ACTION_PRESS,
    Keyboard,
    format_html,
    is_choice,
    read_answers,
    utf16_length,
)
from bot.table.cards import board_card, choosing_card, over_card, resign_card
from engine import State, games
from render import draw
from tests.bot.test_limits import PEOPLE, a_row, sample_lines
from tests.discord.test_limits import questions
from tests.engine.playing import Setting, settings
from tests.fakes.telegram.markup import check_keyboard, read_text
from tests.fakes.telegram.schema import Json, check_type
from tests.support.program import TEXTS

CALLED = {person: 10**9 + person for person in PEOPLE}
LINK = "https://t.me/tavoliere_bot?start="


def buttons_of(keyboard: Keyboard | None) -> list[Json]:
    """Return the buttons of a keyboard that the fake Telegram takes."""
    if keyboard is None:
        return []
    read: Json = json.loads(json.dumps({"inline_keyboard": keyboard}))
    check_type("InlineKeyboardMarkup", read, "keyboard")
    return [button for row in check_keyboard(read) for button in row]


def shown(card: Card, language: str = "en") -> list[Json]:
    """Return the buttons of a card that the fake Telegram takes as a whole."""
    most = MAX_CAPTION_LENGTH if card.picture is not None else MAX_TEXT_LENGTH
    assert 0 < utf16_length(read_text(format_html(card.text, CALLED, most), "HTML").text) <= most
    found = buttons_of(build_keyboard(card, TEXTS.speaker(language), LINK))
    offered = [each.press for row in card.rows for each in of(row) if not each.disabled]
    carried = [each["callback_data"] for each in found if each.get("callback_data", NO_ACTION_PRESS) != NO_ACTION_PRESS]
    expected = [each for each in offered if not is_choice(each)]
    answers = read_answers(card)
    wanted = answers.presses
    # In place of a column there may be its cells.
    columns = {answers.columns[name].press for name in answers.columns if answers.columns[name].press not in carried}
    # A piece may be tapped before its kind of action.
    inner = {button.press for button in answers.within.values() if columns or button.press in carried}
    expected += [each for each in offered if is_choice(each) and each not in columns] + sorted(inner)
    assert set(expected) - {button.press for button in answers.back} - set(wanted.values()) <= set(offered)
    added = [each for each in carried if each.startswith(("words:", f"{CELL_PRESS}:")) and each not in expected]
    assert sorted(carried) == sorted([*expected, *added])
    return found


def of(row: Any) -> tuple[Button, ...]:
    return row.options if isinstance(row, Menu) else row


def pictured(card: Card, spots: dict[str, tuple[int, int, int]]) -> Card:
    return replace(card, picture=Picture(b"png", "x" * 1024, spots=spots))


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_cards_at_play(setting: Setting) -> None:
    row = a_row(setting)
    spots: dict[str, tuple[int, int, int]] = {}
    languages = cycle(LANGUAGES)
    for state, line in sample_lines(setting, 1, 29):
        language = next(languages)
        speaker = TEXTS.speaker(language)
        spots = spots or dict(draw(state).spots)
        table = Table(brief=row, people=PEOPLE, row=row, line=line)
        for card in (board_card(table, speaker), resign_card(table, speaker)):
            shown(card, language)
            shown(pictured(card, spots), language)
        if state.to_move is None:
            for each_language in LANGUAGES:
                shown(over_card(table, TEXTS.speaker(each_language)), each_language)
            continue
        board = build_keyboard(pictured(board_card(table, speaker), spots), speaker)
        for asked in questions(state):
            card = choosing_card(table, speaker, asked)
            for each in (card, pictured(card, spots)):
                labels = [button["text"] for button in shown(each, language)]
                assert not any(" · " in label for label in labels)
                whole = choice_keyboard(each, board)
                carried = [button["callback_data"] for button in buttons_of(whole)]
                assert [data for data in carried if data.startswith(("more:", "rules"))]
                pressable = [data for data in carried if data != NO_ACTION_PRESS]
                assert len(set(pressable)) == len(pressable)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_cards_around_games(key: str, language: str) -> None:
    speaker = TEXTS.speaker(language)
    shown(info.rules_card(speaker, key), language)
    shown(new_game.games_card(speaker), language)
    row = a_row(next(setting for setting in settings() if setting.key == key), "lobby")
    for states in (("joined", "open"), ("joined", "invited"), ("joined", "declined")):
        seats = tuple(replace(seat, state=states[min(seat.number, 1)]) for seat in row.seats)
        lobby = replace(row, seats=seats)
        found = shown(lobby_card(Table(brief=lobby, people=PEOPLE, row=lobby, line=None), speaker), language)
        links = [button["copy_text"]["text"] for button in found if "copy_text" in button]
        assert links == ([] if "declined" in states else [LINK + lobby.id])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_welcome(language: str) -> None:
    offered = [
        read_press(button["callback_data"]).deed
        for button in shown(welcome_card(TEXTS.speaker(language), "telegram"), language)
    ]
    assert offered == ["choose", "learn", "puzzle", "menu"]


def test_the_targets_lie_as_on_the_board() -> None:
    state = games["annuvin"].start(seats=2, options={})
    row = a_row(next(setting for setting in settings() if setting.key == "annuvin"))
    table = Table(brief=row, people=PEOPLE, row=row, line=Line(state))
    asked = next_question(state, state.legal_actions(), ("c1",))
    assert isinstance(asked, Question)
    drawing = draw(state, viewer=0)
    card = pictured(choosing_card(table, TEXTS.speaker("en"), asked), dict(drawing.spots))
    rows = choice_keyboard(card, None)
    pressable = [
        [button["text"].removeprefix(ANSWER_MARK) for button in line if button["text"] != BLANK_LABEL]
        for line in rows[:-1]
    ]
    names = [line for line in pressable if line]
    assert rows[-1][0]["text"] == "Back"
    for line in names:
        places = [drawing.spots[cell][0] for cell in line]
        assert (places, len({drawing.spots[cell][1] for cell in line})) == (sorted(places), 1)
    heights = [drawing.spots[line[0]][1] for line in names]
    assert heights == sorted(heights)


@given(st.integers(1, 25), st.integers(1, 40))
def test_any_number_of_buttons_with_labels_of_any_length_fits(count: int, length: int) -> None:
    entries = tuple(Button("x" * length, f"new={number}") for number in range(count))
    found = shown(Card((Span("Which?"),), rows=(Menu("Choose", entries),)))
    assert [button["callback_data"] for button in found] == [entry.press for entry in entries]


def test_several_menus_have_headings_that_do_nothing() -> None:
    menus = tuple(Menu(f"Choice {number}", (Button("Yes", f"set=me.{number}.yes"),)) for number in range(2))
    found = shown(Card((Span("Settings"),), rows=menus))
    assert [button["text"] for button in found] == ["— Choice 0 —", "Yes", "— Choice 1 —", "Yes"]
    assert found[0]["callback_data"] == NO_ACTION_PRESS


def test_disabled_buttons_are_left_out() -> None:
    card = Card(
        (Span("Lobby"),), rows=((Button("Start", "start:ABCDEF:1", disabled=True), Button("Rules", "rules=x")),)
    )
    assert [button["text"] for button in shown(card)] == ["Rules"]


def test_a_press_that_is_too_long_is_found_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        Button("x", "è" * 33)
    assert read_press("c:ABCDEF:1=a1").path == ("a1",)


@pytest.mark.parametrize("key", ["real-queen", "fagocitare"])
@pytest.mark.parametrize("turned", [False, True])
def test_columns_and_rows_stand_as_the_picture_shows_them(key: str, turned: bool) -> None:
    state = games[key].start(seats=2, options={})
    row = a_row(next(setting for setting in settings() if setting.key == key))
    table = Table(brief=row, people=PEOPLE, row=row, line=Line(state))
    spots = {cell: (900 - x, 1200 - y, r) if turned else (x, y, r) for cell, (x, y, r) in draw(state).spots.items()}
    card = choosing_card(table, TEXTS.speaker("en"), looked(state), spots)
    columns = [read_press(each.press).path[-1] for line in card.rows for each in of(line) if is_choice(each.press)]
    named = "".join(each for each in columns if len(each) == 1)
    assert len(named) >= 7
    assert list(named) == sorted(named, reverse=turned)
    keys = [each["text"].strip(ANSWER_MARK) for line in choice_keyboard(pictured(card, spots), None) for each in line]
    seen = [each for each in keys if each in spots]
    if seen:
        # The whole board is one keyboard, which lies as the picture does.
        assert seen == sorted(seen, key=lambda cell: (spots[cell][1], spots[cell][0]))
        return
    across = [each.strip("…") for each in keys if each.endswith("…")]
    dropped = [each.strip("…") for each in keys if each.startswith("…")]
    assert across == sorted(across, reverse=turned)
    assert list(map(int, dropped)) == sorted(map(int, dropped), reverse=turned)


def looked(state: State) -> Question:
    """Return the first question of a position."""
    asked = next_question(state, state.legal_actions())
    assert isinstance(asked, Question)
    return asked


@pytest.mark.parametrize(
    ("command", "values", "linked"),
    [("games", {}, True), ("games", {"unknown": "1"}, False), ("resign", {"game": "A1"}, False), ("gone", {}, False)],
)
def test_a_link_runs_only_what_shows_something_personal(command: str, values: dict[str, str], linked: bool) -> None:
    assert (encode_payload(read_press(run_press(command, values))) is not None) == linked
