"""Boards in words: asked for once, or always, by somebody or for a whole channel."""

import re

import pytest

from bot.kernel.choices import Question, next_question
from bot.kernel.line import Line
from bot.kernel.pictures import list_captures
from bot.kernel.presses import read_press
from bot.kernel.requests import Place
from bot.kernel.table import Table
from bot.kernel.texts import strip_styles
from bot.kernel.words.describe import BoardWords
from bot.table.card_parts import MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, with_position_in_words, words_card
from bot.table.cards import board_card, choosing_card
from engine import games
from tests.bot.party import SQUARE, Party, button, buttons, card, words
from tests.bot.test_limits import PEOPLE, TEXTS, a_row, sample_lines
from tests.engine.playing import Setting, playout, settings
from tests.support.present import present


async def test_board_is_described_in_words_on_request(party: Party) -> None:
    await party.say("anna", SQUARE)
    assert "has not started" in words(await party.press("anna", f"words:{party.code}:0"))
    await party.press("bruno", button(party.newest.card, "join"))
    for line in ("/board text:true", "/board true"):
        reply = await party.say("anna", line)
        assert reply.private
        assert card(reply).picture is None
        lines = strip_styles(card(reply).text).split("\n")
        assert lines[0] == "Annuvin, turn 0."
        assert any(": pieces on " in said for said in lines)
        assert "Board: Square (Cacciatori)." in lines
    row = await party.load_row()
    assert "pieces on" in strip_styles(card(await party.press("anna", f"words:{row.id}:{row.revision}")).text)


async def test_a_channel_can_ask_for_words_always(party: Party) -> None:
    party.managers.add("anna")
    await party.say("anna", "/settings text:on for:channel")
    await party.started(SQUARE)
    assert "pieces on" in party.newest.text
    await party.say("anna", "/settings text:off for:channel")
    await party.say("anna", "/board")
    assert "pieces on" not in party.newest.text


async def test_text_setting_adds_the_position_in_words(party: Party, code: str) -> None:
    assert "pieces on" not in party.newest.text
    garden = Place("web", "garden")
    for person in ("anna", "carla"):
        await party.say(person, "/settings text:on")
    assert "pieces on" in strip_styles(card(await party.say("carla", f"/board #{code}", place=garden)).text)
    assert "Annuvin, turn 0." in strip_styles(card(await party.say("anna", "/board")).text)


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_position_in_words_leaves_room_for_the_card_text(setting: Setting) -> None:
    speaker, row = TEXTS.speaker("it"), a_row(setting)
    for state, line in sample_lines(setting, 3, 41):
        table = Table(brief=row, people=PEOPLE, row=row, line=line)
        cards = [board_card(table, speaker)]
        asked = next_question(state, state.legal_actions()) if state.to_move is not None else None
        if isinstance(asked, Question):
            cards.append(choosing_card(table, speaker, asked))
        for shown in cards:
            said = strip_styles(with_position_in_words(shown, table, speaker).text)
            assert said.startswith(strip_styles(shown.text))
            assert PEOPLE[1].name in said[len(strip_styles(shown.text)) :]
            assert len(said) <= MAX_CAPTION_LENGTH
        assert len(strip_styles(words_card(table, speaker).text)) <= MAX_TEXT_LENGTH


def test_position_too_long_for_a_message_is_sent_as_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.table.card_parts.MAX_TEXT_LENGTH", 600)
    setting = next(each for each in settings() if each.key == "vedova-nera" and each.seats == 5)
    states = [state for state, _ in playout(setting, 0)]
    row = a_row(setting)
    card = words_card(Table(brief=row, people=PEOPLE, row=row, line=Line(states[-1])), TEXTS.speaker("en"))
    assert len(strip_styles(card.text)) <= 600
    assert len(present(card.file).content.decode()) > 600


async def test_what_the_opponent_reaches_is_shown_to_who_asks_where_it_is_hard_to_see(party: Party) -> None:
    code = await party.started("/play annuvin @bruno rated:no")
    more = await party.press(party.mover, button(party.newest.card, "more"))
    reply = await party.press(party.mover, button(card(more), "reach"))
    other = "bruno" if party.mover == "anna" else "anna"
    assert reply.private
    assert f"{other.title()} reaches these cells in one turn: " in strip_styles(card(reply).text)
    state = games["annuvin"].load((await party.load_row(code)).position or {})
    reach = state.find_reach(1 - present(state.to_move))
    assert {"b4", "d5"} <= reach
    assert all(re.search(rf"\b{cell}\b", strip_styles(card(reply).text)) for cell in reach)
    await party.started("/play fagocitare @bruno rated:no")
    more = await party.press(party.mover, button(party.newest.card, "more"))
    assert "reach" not in [read_press(entry.press).deed for entry in buttons(card(more))]


def test_what_would_capture_is_told_in_alt_texts() -> None:
    state = games["fagocitare"].load(
        {
            "game": "fagocitare",
            "options": {"size": 7},
            "to_move": 0,
            "dots": [["b4"], ["c4"]],
            "dead": [[], []],
            "lines": [[], []],
        }
    )
    asked = next_question(state, state.legal_actions())
    assert isinstance(asked, Question)
    for language, said in (("en", "These cells capture: d4."), ("it", "Catturano: d4.")):
        words = BoardWords(
            TEXTS.speaker(language).of("fagocitare"),
            state,
            None,
            ["Anna", "Bruno"],
            captures=list_captures(asked.selectable_cells),
        )
        assert said in words.alt
        assert words.captures == ("d4",)
