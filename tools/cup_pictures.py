"""The pictures of docs/cups.md, docs/ladders.md and docs/leagues.md, of competitions played by chance."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from bot.competitions.competition import Competition
from bot.competitions.events import CompetitionEvent, CupCreated, CupResult, CupTerms, Entered, Format, GameAttached
from bot.competitions.pairing import next_event, start_event
from bot.competitions.standings import bracket_sheet, results_sheet
from render.tournaments import (
    BracketTie,
    Division,
    GridLine,
    Move,
    Rung,
    draw_bracket,
    draw_grid,
    draw_ladder,
)

PICTURES: Final = ("cup-all", "cup-swiss", "cup-knockout", "ladder", "league")
"""The names of the files, without their ending."""
_NAMES: Final = (
    "Anna", "Bruno", "Chiara", "Dario", "Elena", "Fabio", "Giulia", "Hugo",
    "Irene", "Luca", "Marta", "Nino", "Olga", "Paolo", "Rosa", "Sergio",
)  # fmt: skip
_SEED: Final = "5a" * 32
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


def cup_picture(name: str) -> bytes:
    """Return the PNG of one of them."""
    if name == "ladder":
        challengers = {1: 4, 3: 6, 6: 9}
        rungs = [Rung(at + 1, who, challengers.get(at), at == 3) for at, who in enumerate(_NAMES[:12])]
        return draw_ladder("Annuvin", rungs).png
    if name == "league":
        return _draw_division()
    if name == "cup-knockout":
        state = _played(Format.KNOCKOUT, 12, 3, rounds_played=3)
        columns = [[_tie(tie.one, tie.two, tie.winner) for tie in column] for column in bracket_sheet(state)]
        return draw_bracket("Real Queen", columns).png
    state = _played(Format.ALL, 6, 3) if name == "cup-all" else _played(Format.SWISS, 12, 2, rounds_played=4)
    labels, lines = _lines(state)
    return draw_grid("Annuvin" if name == "cup-all" else "Fagocitare", labels, lines).png


def _draw_division() -> bytes:
    """Draw the second of three divisions, two thirds through its season: the best two go up, the last two down."""
    state = _played(Format.ALL, 7, 5, rounds_played=5)
    labels, lines = _lines(state)
    games = [board for each in state.rounds for board in each.boards]
    moves: tuple[Move, ...] = ("up", "up", "", "", "", "down", "down")
    moved = [replace(line, move=move) for line, move in zip(lines, moves, strict=True)]
    division = Division(2, 3, sum(map(state.is_done, games)), 21)
    return draw_grid("Annuvin · 3", labels, moved, division=division).png


def _lines(state: Competition) -> tuple[list[str], list[GridLine]]:
    labels, lines = results_sheet(state, 0, _NAMES.__getitem__)
    return labels, [replace(line, gone=False, number="") for line in lines]


def _tie(one: int | None, two: int | None, winner: int | None) -> BracketTie:
    names = ("" if one is None else _NAMES[one], "" if two is None else _NAMES[two])
    return BracketTie(names, None if winner is None else (one, two).index(winner))


def _played(form: Format, entrants: int, seed: int, rounds_played: int = 100) -> Competition:
    """Return a competition after so many rounds, in which those who entered first win more often."""
    chance = Random(seed)
    chosen: dict[str, Any] = {"game": "any", "format": form, "clock": 86_400}
    events: list[CompetitionEvent] = [CupCreated(CupTerms(**chosen), "ABCDEF", "0" * 64)]
    events += [Entered(number, f"docs:{number}") for number in range(entrants)]
    state = Competition.replay((_BEGAN, event) for event in events)
    ratings = {number: 1500 - 20 * number for number in range(entrants)}
    state = state.apply(_BEGAN, start_event(state, _SEED, ratings))
    while found := next_event(state, _SEED):
        if state.is_round_done and len(state.rounds) == rounds_played:
            break
        for event in found:
            state = state.apply(_BEGAN, event)
        for number, board, at, game in [] if state.over else [each for each in state.games() if each[3].is_ready]:
            state = state.apply(_BEGAN, GameAttached(number, board, at, f"{number}.{board}.{at}"))
            better = game.seats.index(min(game.seats))
            outcome = chance.choices([(1, 2), (1, 1), (2, 1)], [6, 2, 2])[0]
            places = outcome if better == 0 else outcome[::-1]
            state = state.apply(_BEGAN, CupResult(number, board, at, places, "won"))
    return state
