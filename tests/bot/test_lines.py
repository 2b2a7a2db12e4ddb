"""Lines of play as they are read: in words, in both languages, for every action of every game."""

import re
from itertools import islice

import pytest

from bot.kernel.requests import GameView
from bot.kernel.texts import Texts
from bot.kernel.words.describe import line_words
from engine import CHANCE, games
from tests.bot.party import Party, buttons
from tests.bot.test_analysis import SHORT
from tests.engine.playing import Setting, playout

TEXTS = Texts()


@pytest.mark.parametrize(
    ("key", "actions", "english", "italian"),
    [
        ("annuvin", ("c3xf2",), "c3 takes f2", "c3 prende f2"),
        ("annuvin", ("c3xf2", "xe4", "stop"), "c3 takes f2 and e4, stops there", "c3 prende f2 ed e4, si ferma lì"),
        ("annuvin", ("d2-d3",), "d2-d3", "d2-d3"),
        (
            "real-queen",
            ("Qg7-g6", "xc3", "xf2", "re4", "rf5"),
            "queen g7-g6, takes c3 and f2, e4 and f5 back to the reserve",
            "regina g7-g6, prende c3 e f2, e4 e f5 di nuovo nella riserva",
        ),
        ("vedova-nera", ("red",), "red", "rosso"),
        ("vedova-nera", ("Ke4",), "Counsellor to e4", "Consigliere in e4"),
        ("vedova-nera", ("+a4",), "a pawn comes back on a4", "una pedina rientra in a4"),
        ("uomo-nero", ("stay/8",), "stays where it is (with the 8)", "resta sul posto (con 8)"),
        ("uomo-nero", ("c1-a3/6",), "c1-a3 (with the 6)", "c1-a3 (con 6)"),
        ("uomo-nero", ("xc5", "xd6", "e8"), "takes c5 and d6, then e8", "prende c5 e d6, poi e8"),
        ("fagocitare", ("e5",), "e5", "e5"),
    ],
)
def test_line_is_described_in_words(key: str, actions: tuple[str, ...], english: str, italian: str) -> None:
    assert line_words(TEXTS.speaker("en").of(key), actions).text == english
    assert line_words(TEXTS.speaker("it").of(key), actions).text == italian


@pytest.mark.parametrize("key", games)
@pytest.mark.parametrize("language", TEXTS.languages)
def test_no_mark_of_the_notation_is_left(key: str, language: str) -> None:
    voice = TEXTS.speaker(language).of(key)
    for seed in (0, 2, 4, 6):
        for state, action in islice(playout(Setting(key, games[key].seats[0]), seed), 60):
            if action is not None and state.to_move != CHANCE:
                text = line_words(voice, [action]).text
                for cell in filter(None, (action.source, action.target)):
                    assert cell in text or cell not in action.text, action.text
                assert not re.search(r"[/!+]|\b[a-zA-Z]*x[a-z]\d|\b[QKr][a-z]\d", text), text


async def test_move_list_names_players_and_captures(party: Party) -> None:
    code = await party.started("/play annuvin rated:no @bruno")
    for move in SHORT:
        await party.say(party.mover, f"/move {move}")
    listed = await party.front.list_turns(party.request("anna"), code)
    assert all(each.words.startswith(("Anna: ", "Bruno: ")) for each in listed if each.seat is not None)
    assert "b4 takes b3" in listed[-1].words
    assert listed[-1].text == "b4xb3", "the list itself is in short notation"


async def test_the_list_of_moves_names_computers_in_the_readers_language(party: Party) -> None:
    await party.say("anna", "/play fagocitare computer:1 rated:no")
    await party.say(party.mover, f"/move e5 game:{party.code}")
    party.languages["anna"] = "it"
    # Its level is said once, above the board, not on every line.
    listed = await party.front.list_turns(party.request("anna"), party.code)
    assert any(each.words.startswith("Computer: ") for each in listed)
    await party.say("anna", "/play uomo-nero computers:2 rated:no")
    listed = await party.front.list_turns(party.request("anna"), party.code)
    assert not [each.words for each in listed if "livello" in each.words]


async def test_who_only_watched_is_not_offered_to_play_again(party: Party) -> None:
    await party.started("/play annuvin board:square rated:no @bruno")
    await party.resign("bruno", party.code)
    for who, offered in (("anna", True), ("carla", False)):
        view = await party.front.view_game(party.request(who), party.code)
        assert isinstance(view, GameView)
        labels = [each.label for each in buttons(view.card)]
        assert ("Play again" in labels) is offered
        assert "New game" in labels


@pytest.mark.parametrize(("language", "said"), [("en", "12,345"), ("it", "12.345")])
def test_numbers_have_the_separators_of_the_language(language: str, said: str) -> None:
    assert said in TEXTS.speaker(language).line("counted.turn", n=12345)
