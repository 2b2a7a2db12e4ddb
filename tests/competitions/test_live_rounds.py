"""Rounds of live competitions: a game begins once its people are there; who is not there in time loses the pairing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot.competitions.competition import HERE_TIMEOUT, MISSED, Competition, CupGame
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    CUP_CODEC,
    Asked,
    BoardDecided,
    CompetitionEvent,
    CupResult,
    GameAttached,
    GameReplayed,
    Here,
    InvalidCompetition,
    Missed,
    Stays,
)
from bot.competitions.file import CupFile, check_file
from bot.competitions.pairing import entrant_histories, list_missed, next_event
from bot.competitions.standings import ranking, results_sheet
from tests.competitions.playing import BEGAN, SEED, Played, make_terms

EVENING = {"clock": 0, "reserve": 900, "increment": 10}
LATE = BEGAN + HERE_TIMEOUT


def begun(form: str, entrants: int, **chosen: Any) -> Played:
    """Return a live competition whose first round is paired."""
    played = Played.begun(make_terms(form, entrants, **EVENING, **chosen), entrants)
    played.go_on()
    return played


def miss(played: Played, at: datetime = LATE) -> list[CompetitionEvent]:
    """Write what is due about those who are not there at a time, and return it."""
    found = list_missed(played.state, at)
    for event in found:
        played.add(event)
    return found


def seats_of(played: Played, board: int = 0) -> tuple[int, ...]:
    return played.state.rounds[-1].boards[board].last.seats


def test_a_game_waits_until_its_people_are_there() -> None:
    played = begun("swiss", 4)
    assert played.opened == []
    one, two = seats_of(played)
    played.add(Here(two))
    assert list(played.state.current_games()) == []
    played.add(Here(one))
    assert [each.slot for each in played.state.current_games()] == ["1.0.0"], "the other pairing still waits"
    assert [game.missing for *_, game in played.state.games_to_wait_for()] == [seats_of(played, 1)]


def test_who_is_not_there_after_five_minutes_loses_and_is_asked() -> None:
    played = begun("swiss", 4)
    (one, two), others = seats_of(played), seats_of(played, 1)
    played.add(Here(one))
    assert miss(played, LATE - timedelta(microseconds=1)) == []
    assert miss(played) == [
        Missed(1, 0, 0, (two,)),
        Missed(1, 1, 0, others),
        *map(Asked, (two, *others)),
    ]
    assert miss(played) == [], "doing it again does nothing"
    points = {entrant: past.points for entrant, past in entrant_histories(played.state).items()}
    assert points == {one: 1, two: 0, **dict.fromkeys(others, Fraction(0))}, (
        "where nobody is there nobody gets the point"
    )
    assert played.state.is_round_done
    assert not any(map(played.state.is_available, (two, *others)))


def test_an_unplayed_game_is_no_game_of_a_seat_and_no_win_at_the_board() -> None:
    played = begun("all", 3)
    one, two = seats_of(played)
    played.add(Here(one))
    miss(played)
    past = entrant_histories(played.state)
    assert (past[one].balance, past[two].balance) == (0, 0)
    rows = {row.entrant: (row.wins, row.draws, row.losses) for row in ranking(played.state).rows}
    assert set(rows.values()) == {(0, 0, 0)}
    cells = [
        cell.text for line in results_sheet(played.state, 0, str)[1] for crossing in line.cells for cell in crossing
    ]
    assert sorted(filter(None, cells)) == ["+", "–"]


def test_a_knock_out_goes_on_with_who_was_there_or_without_both() -> None:
    played = begun("knockout", 4)
    (one, two), (three, four) = seats_of(played), seats_of(played, 1)
    played.add(Here(one))
    miss(played)
    played.go_on()
    assert played.state.rounds[-1].byes == (one,), "nobody came from the other pairing"
    assert played.state.stage == "over"
    assert ranking(played.state).rows[0].entrant == one
    assert {two, three, four} == set(played.state.lots) - {one}


def test_a_drawn_knock_out_game_is_replayed_when_both_are_there_again() -> None:
    played = begun("knockout", 3)
    board = next(at for at, each in enumerate(played.state.rounds[0].boards) if len(each.entrants) == 2)
    one, two = seats_of(played, board)
    for each in (one, two):
        played.add(Here(each))
    played.go_on()
    played.add(CupResult(1, board, 0, (1, 1), "repetition"))
    played.go_on()
    assert isinstance(played.events[-1], GameReplayed)
    played.add(Here(two))
    assert miss(played)[0] == Missed(1, board, 1, (one,))
    assert played.state.board_at(1, board).winner == two
    assert not any(isinstance(event, BoardDecided) for event in played.events)


def test_a_larger_table_plays_with_those_who_are_there() -> None:
    played = begun("tables", 4, seats=4, fewest=3)
    late, *there = seats_of(played)
    for each in there:
        played.add(Here(each))
    assert miss(played) == [Missed(1, 0, 0, (late,)), Asked(late)]
    assert seats_of(played) == tuple(there)
    assert [each.slot for each in played.state.current_games()] == ["1.0.0"]
    few = begun("tables", 4, seats=4, fewest=3)
    one, two, *others = seats_of(few)
    for each in (one, two):
        few.add(Here(each))
    miss(few)
    points = {entrant: past.points for entrant, past in entrant_histories(few.state).items()}
    assert points == {one: Fraction(5, 2), two: Fraction(5, 2), **dict.fromkeys(others, Fraction(0))}


def test_a_computer_is_always_there_and_wins_nothing_without_playing() -> None:
    played = begun("swiss", 3, computers="2")
    board = next(at for at, each in enumerate(played.state.rounds[0].boards) if COMPUTER_ENTRANT in each.entrants)
    (person,) = [each for each in seats_of(played, board) if each != COMPUTER_ENTRANT]
    assert played.state.rounds[0].boards[board].last.missing == (person,)
    miss(played)
    assert played.state.rounds[0].boards[board].last.places == (2, 2)
    assert entrant_histories(played.state)[person].points == 0


@pytest.mark.parametrize("clock", [1, 1800, 1801, 86_400])
def test_only_live_rounds_wait(clock: int) -> None:
    played = Played.started("swiss", 4, clock=clock)
    assert bool(played.opened) == (clock > 1800)
    if played.opened:
        assert list_missed(played.state, LATE + timedelta(days=9)) == []
        for event in (Here(0), Missed(1, 0, 0, (0,))):
            with pytest.raises(InvalidCompetition, match="not-awaited"):
                played.add(event)


@pytest.mark.parametrize("absent", [(0, 1), (7,), (0, 7)])
def test_presence_that_does_not_fit_is_refused(absent: tuple[int, ...]) -> None:
    played = begun("swiss", 4)
    one, two = seats_of(played)
    played.add(Here(one))
    with pytest.raises(InvalidCompetition, match="not-awaited"):
        played.add(Here(one))
    with pytest.raises(InvalidCompetition, match="not-awaited"):
        played.add(Missed(1, 0, 0, absent if absent != (two,) else (one,)))
    with pytest.raises(InvalidCompetition, match="attached-already"):
        played.add(GameAttached(1, 0, 0, "G00000"))


def play_live(form: str, entrants: int, chance: Random, **chosen: Any) -> Played:
    """Return a live competition played to its end by people who are there or not, by chance."""
    played = begun(form, entrants, **chosen)
    while played.state.stage == "running":
        waiting = [each for *_, game in played.state.games_to_wait_for() for each in game.missing]
        chance.shuffle(waiting)
        for each in waiting[: chance.randrange(len(waiting) + 1)]:
            played.add(Here(each))
        played.go_on()
        if chance.random() < 0.5:
            miss(played)
        for *where, game in played.state.games():
            if game.id is not None and game.places is None:
                order: Sequence[int] = chance.choice(((1, 2), (2, 1), (1, 1)))
                played.end((where[0], where[1], where[2]), order)
        for each in played.state.lots:
            if played.state.entrants[each].asked and chance.random() < 0.5:
                played.add(Stays(each))
        miss(played)
        played.go_on()
    return played


@given(
    st.sampled_from(["all", "swiss", "knockout"]), st.integers(3, 9), st.randoms(use_true_random=False), st.booleans()
)
def test_live_competitions_end_and_their_files_verify(form: str, entrants: int, chance: Random, fills: bool) -> None:
    played = play_live(form, entrants, chance, **({"computers": "2"} if fills and form != "knockout" else {}))
    state = played.state
    assert [
        CUP_CODEC.from_json(CUP_CODEC.kind_of(event), CUP_CODEC.to_json(event)) for event in played.events
    ] == played.events
    given_points = sum(past.points for past in entrant_histories(state).values())
    games = sum(1 for _ in state.games())  # a drawn knock-out game and its replay count both
    assert given_points <= games + sum(len(each.byes) + len(each.walkovers) for each in state.rounds)
    unplayed: list[CupGame] = [game for *_, game in state.games() if game.is_unplayed]
    for game in unplayed:
        assert game.reason == MISSED
        assert {game.seats[seat] for seat in game.absent}.isdisjoint(game.here)
        assert (game.winner is None) == (not game.here)
    file = CupFile({number: f"P{number}" for number in range(entrants)}, tuple((BEGAN, e) for e in played.events), SEED)
    for text in (file.text(), file.json()):
        assert CupFile.read(text).replay == state
    assert check_file(file).unseen == sum(game.id is not None for *_, game in state.games())


@given(st.integers(3, 12), st.randoms(use_true_random=False))
def test_nothing_else_is_due_while_games_wait(entrants: int, chance: Random) -> None:
    played = begun("swiss", entrants)
    while waiting := played.state.games_to_wait_for():
        assert next_event(played.state, SEED) == ()
        assert all(game.begins_by == LATE for *_, game in waiting)
        played.add(Here(chance.choice([each for *_, game in waiting for each in game.missing])))
    assert list_missed(played.state, LATE) == []
    replayed = Competition.replay((BEGAN, event) for event in played.events)
    assert replayed == played.state
