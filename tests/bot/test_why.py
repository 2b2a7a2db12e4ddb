"""Why a turn is good, in one sentence."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from bot.cards import plain
from bot.texts import Texts
from bot.why import why
from engine import CHANCE, Action, State, games
from engine.search import Judged
from tests.engine.playing import playout, settings

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")


def said(position: dict[str, Any], line: str, language: str = "en", judged: tuple[Judged, ...] = ()) -> str:
    state = games[position["game"]].load(position)
    return plain(why(TEXTS.speaker(language), state, state.parse(line), NAMES, judged))


def annuvin(white: str, black: str, to_move: int = 0, **more: Any) -> dict[str, Any]:
    pieces = [white.split(), black.split()]
    return {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "to_move": to_move,
        "pieces": pieces,
        "reserve": [0, 0],
        "lost": [6 - len(side) for side in pieces],
        "moving": None,
        **more,
    }


def real_queen(white: str, black: str, queens: tuple[str | None, str | None] = (None, None)) -> dict[str, Any]:
    pieces = [white.split(), black.split()]
    return {
        "game": "real-queen",
        "options": {},
        "to_move": 0,
        "pieces": pieces,
        "queens": list(queens),
        "reserve": [20 - len(side) for side in pieces],
        "pending": None,
    }


def fagocitare(red: str, blue: str, **more: Any) -> dict[str, Any]:
    dots = [red.split(), blue.split()]
    empty: dict[str, Any] = {"dead": [[], []], "lines": [[], []]}
    return {"game": "fagocitare", "options": {"size": 7}, "to_move": 0, "dots": dots, **empty, **more}


def vedova(pawns: tuple[str, ...], goals: tuple[str, ...], counsellor: str) -> dict[str, Any]:
    colours = ["red", "green", "yellow"][: len(pawns)]
    sizes = {2: 6, 3: 5}
    return {
        "game": "vedova-nera",
        "options": {},
        "seats": len(pawns),
        "to_move": 0,
        "phase": "play",
        "colours": colours,
        "marbles": dict(zip(colours, (each.split() for each in goals), strict=True)),
        "pawns": [each.split() for each in pawns],
        "off": [sizes[len(pawns)] - len(each.split()) for each in pawns],
        "counsellor": counsellor,
        "counsellor_ban": None,
        "last_entry": None,
        "entry_ban": [None] * len(pawns),
    }


def uomo(phase: str, man: str, attackers: str, dice: tuple[int, int], to_move: int) -> dict[str, Any]:
    pieces = [{"seat": 0, "colour": "red", "cell": cell} for cell in attackers.split()]
    return {
        "game": "uomo-nero",
        "options": {},
        "seats": 3,
        "to_move": to_move,
        "phase": phase,
        "round": 1,
        "order": [2, 0, 1],
        "man_seat": 2,
        "man": man,
        "attackers": pieces,
        "colours": {"red": 0, "yellow": 1, "green": 0, "blue": 1},
        "dice": list(dice),
        "used": None,
        "captured": [],
        "man_turns": 9,
        "attack_scores": [0, 0, 0],
        "man_scores": [None, None, None],
    }


FAR_EN = "It leaves nothing that Bruno could capture next turn and goes to d3, 3 cells away from Bruno's nearest piece."
FAR_IT = (
    "Fa sì che al prossimo turno Bruno non possa catturare nulla e va in d3, "
    "a 3 caselle dalla pedina più vicina di Bruno."
)

SENTENCES = [
    (
        annuvin("d5 g7 a1", "c4 c3 a2"),
        "d5xc4xc3xa2",
        "It captures the last piece and wins.",
        "Cattura l'ultima pedina e vince.",
    ),
    (
        annuvin("d4 c4 d5 e4 e5 a1", "e6 d6 g7 g6"),
        "d5xd6",
        "It captures the piece on d6 and leaves Bruno with 3 pieces.",
        "Cattura la pedina in d6 e lascia a Bruno 3 pedine.",
    ),
    (
        annuvin("b1 c1 d1 d2 e2 f3", "b5 c6 d6 d7 e7 f7"),
        "d2-d3",
        FAR_EN,
        FAR_IT,
    ),
    (
        real_queen("c5 b6 a7", "g1 g2 f2", (None, "c6")),
        "d4",
        "It makes a line next to Bruno's queen, which wins at once.",
        "Allinea quattro pedine accanto alla regina di Bruno, e così vince subito.",
    ),
    (
        real_queen("a4 b3 c2 d2 d3 d4", "c3 c4 c5 g7"),
        "d1 xc5 xc4 xc3 rd1 rc2 rd2",
        "It makes 2 lines at once and captures 3 pieces (c3, c4, c5).",
        "Fa 2 allineamenti in un colpo solo e cattura 3 pedine (c3, c4, c5).",
    ),
    (
        real_queen("g1 g2", "c3 c4 c5"),
        "c6",
        "It blocks the line that Bruno could make on c6 and has 6 lines of four still open through c6.",
        "Blocca l'allineamento che Bruno potrebbe fare in c6 e da c6 passano ancora 6 allineamenti possibili.",
    ),
    (
        real_queen("b2 f1 g3", "c3 c4 c5", ("b7", "g7")),
        "c6",
        "It stops Bruno from winning with c6 next turn and brings 2 pieces into one line (b7, c6).",
        "Impedisce a Bruno di vincere con c6 al prossimo turno e porta 2 pedine su una stessa linea (b7, c6).",
    ),
    (
        fagocitare("b4 f2", "c4 b6"),
        "d4",
        "It captures the dot on c4 and saves 2 dots (b4, f2) from capture by Bruno.",
        "Cattura il pallino in c4 e salva da Bruno 2 pallini (b4, f2).",
    ),
    (
        fagocitare("c4 f6", "b4 g2"),
        "d4",
        "It saves the dot on c4 from capture by Bruno and leaves nothing that Bruno could capture next turn.",
        "Salva da Bruno il pallino in c4 e fa sì che al prossimo turno Bruno non possa catturare nulla.",
    ),
    (
        vedova(
            ("a1 c2 g4 e4 b4", "f2 f3 d1 d4 h4", "h1 h2 e2 c4 a4"),
            ("a1 c3 f1 g1 d2", "b1 b2 b3 h3 e1", "a2 a3 d3 e3 f4"),
            "h3",
        ),
        "c2-c3",
        "It brings a pawn to its goal c3 (2 of 5 covered).",
        "Porta una pedina sull'obiettivo c3 (2 su 5 coperti).",
    ),
    (
        uomo("attack", "d6", "c12 a4", (1, 3), 0),
        "c12-c13/1 a4-a7/3",
        "It brings an attacker home on c13 for a point and brings an attacker to within 6 steps of the finish (a7).",
        "Porta un attaccante al traguardo in c13 per un punto e porta un attaccante a 6 passi dal traguardo (a7).",
    ),
    (
        uomo("man", "d12", "d10 e10", (1, 3), 2),
        "xd10 xe10 e9",
        "It captures 2 attackers (d10, e10) and ends the round.",
        "Cattura 2 attaccanti (d10, e10) e chiude la manche.",
    ),
]


@pytest.mark.parametrize(("position", "line", "english", "italian"), SENTENCES)
def test_a_turn_is_explained_in_both_languages(position: dict[str, Any], line: str, english: str, italian: str) -> None:
    assert (said(position, line), said(position, line, "it")) == (english, italian)


def test_italian_vowels_do_not_collide() -> None:
    state = games["annuvin"].load(annuvin("e6 d6 g7 g6", "d4 c4 d5 e4 e5 a1", to_move=1))
    text = plain(why(TEXTS.speaker("it"), state, state.parse("d5xd6"), NAMES))
    assert text == "Cattura la pedina in d6 e lascia ad Anna 3 pedine."


def test_the_search_is_asked_where_the_board_says_little() -> None:
    state = games["vedova-nera"].load(
        vedova(
            ("a1 c2 g4 e4 b4", "f2 f3 d1 d4 h4", "h1 h2 e2 c4 a4"),
            ("a1 c3 f1 g1 d2", "b1 b2 b3 h3 e1", "a2 a3 d3 e3 f4"),
            "h3",
        )
    )
    english = TEXTS.speaker("en")
    quiet = next(action for action in state.legal_actions() if not why(english, state, [action], NAMES))
    other = state.parse("c2-c3")[0]
    judged = (Judged(quiet, (0.61, 0.5, 0.4), 9), Judged(other, (0.44, 0.5, 0.5), 7))
    told = plain(why(english, state, [quiet], NAMES, judged))
    assert told == "It is rated 61% by the computer, and the next best, c2-c3, 44%."


def test_what_is_proven_is_said() -> None:
    state = games["annuvin"].load(annuvin("d5 g7 a1", "c4 c3 a2 f7 g6"))
    first, second = state.parse("g7-f6")[0], state.parse("a1-b1")[0]
    actions = state.legal_actions()
    won = (Judged(first, (1.0, 0.0), 5, True), Judged(second, (0.4, 0.6), 5))
    assert "leads to a win that nobody can stop any more" in plain(why(TEXTS.speaker("en"), state, [first], NAMES, won))
    lost = tuple(Judged(each, (0.0, 1.0), 1, True) for each in actions if each != first)
    only = plain(why(TEXTS.speaker("en"), state, [first], NAMES, (Judged(first, (0.3, 0.7), 5), *lost)))
    assert "is the only move that does not lose for certain" in only


@pytest.mark.parametrize("key", games)
def test_every_turn_of_a_game_can_be_explained(key: str) -> None:
    told = 0
    for setting in [setting for setting in settings() if setting.key == key][:3]:
        for state, _ in islice(playout(setting, 5), 0, 240, 12):
            if state.to_move in (None, CHANCE):
                continue
            actions = state.legal_actions()
            judged = tuple(Judged(action, (0.5,) * state.seats, 1) for action in actions[:: max(1, len(actions) // 3)])
            line = _rest_of_turn(state, judged[-1].action)
            for language in ("en", "it"):
                sentence = plain(why(TEXTS.speaker(language), state, line, NAMES, judged))
                assert sentence.endswith(".")
                assert "why." not in sentence
                assert "{" not in sentence
            told += 1
    assert told > 4


def _rest_of_turn(state: State, action: Action) -> list[Action]:
    seat, number, line = state.to_move, state.turn, [action]
    state = state.play(action)
    while state.to_move == seat and state.turn == number:
        line.append(state.legal_actions()[0])
        state = state.play(line[-1])
    return line
