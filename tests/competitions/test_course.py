"""Competitions always end, whatever people do, and pair nobody who is gone."""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from bot.competitions.events import (
    COMPUTER_ENTRANT,
    CUP_CODEC,
    BoardDecided,
    CupEnded,
    CupPaused,
    CupResumed,
    CupStarted,
    Ending,
    Entered,
    GameReplayed,
    InvalidCompetition,
    Left,
    RoundPaired,
)
from bot.competitions.file import CupFile, check_file
from bot.competitions.pairing import draw_order, draw_winner, next_event, start_event
from bot.competitions.standings import ranking, winners
from engine.fair import Draw
from tests.competitions.playing import BEGAN, SEED, Played, make_terms, play_at_random, replay
from tests.support.examples import scaled

FORMS = ["all", "twice", "swiss", "knockout", "tables"]


@st.composite
def cups(draw: st.DrawFn) -> Played:
    form = draw(st.sampled_from(FORMS))
    entrants = draw(st.integers(3, 16 if form in ("all", "twice") else 64))
    chosen = {"seats": draw(st.integers(3, 5)), "fewest": draw(st.integers(2, 3))} if form == "tables" else {}
    computers = draw(st.sampled_from(["", "2"]))
    chance = Random(draw(st.integers(0, 10_000)))
    people = list(range(entrants))
    blocked = frozenset(frozenset(chance.sample(people, 2)) for _ in range(draw(st.integers(0, 5))))
    return play_at_random(make_terms(form, entrants, computers=computers, **chosen), entrants, chance, blocked)


@settings(max_examples=scaled(8), deadline=None)
@given(cups())
def test_every_competition_ends_and_its_events_say_the_same_again(played: Played) -> None:
    state = played.state
    assert state.ending == Ending.PLAYED
    stored = [(CUP_CODEC.kind_of(event), json.loads(json.dumps(CUP_CODEC.to_json(event)))) for event in played.events]
    assert replay(CUP_CODEC.from_json(kind, data) for kind, data in stored) == state
    assert len({game.id for *_, game in state.games()}) == len(played.opened)
    gone: set[int] = set()
    for event in played.events:
        if isinstance(event, Left):
            gone.add(event.entrant)
        if isinstance(event, RoundPaired):
            seated = [entrant for pairing in event.pairings for entrant in pairing.seats]
            assert gone.isdisjoint(seated)
            assert gone.isdisjoint(event.byes)
            assert (COMPUTER_ENTRANT in seated) <= bool(state.terms.computers)
    table = ranking(state)
    assert sorted(row.entrant for row in table.rows) == sorted(state.lots)
    places = [row.place for row in table.rows if row.place is not None]
    assert places == sorted(places)
    assert set(winners(state)) <= set(state.lots)
    file = CupFile(
        {each: f"Entrant {each}" for each in state.entrants}, tuple((BEGAN, event) for event in played.events), SEED
    )
    assert check_file(CupFile.read(file.text())).events == len(played.events)


@settings(max_examples=scaled(2), deadline=None)
@given(st.integers(3, 64), st.sampled_from(["swiss", "knockout"]))
def test_entrant_winning_every_game_wins_the_competition(entrants: int, form: str) -> None:
    played = Played.begun(make_terms(form, entrants), entrants)
    played.win_by()
    assert winners(played.state) == (0,)


def test_no_event_is_due_while_a_competition_cannot_advance() -> None:
    played = Played.begun(make_terms("swiss", 4), 4)
    assert next_event(replay(played.events[:-1]), SEED) == ()
    played.go_on()
    assert next_event(played.state, SEED) == ()
    played.add(CupPaused())
    for where in played.waiting():
        played.end(where, (1, 2))
    assert next_event(played.state, SEED) == ()
    played.add(CupResumed())
    assert [type(event) for event in next_event(played.state, SEED)] == [RoundPaired]
    played.add(CupEnded(Ending.STOPPED))
    assert next_event(played.state, SEED) == ()


@pytest.mark.parametrize("form", FORMS)
def test_it_does_not_wait_when_all_have_gone(form: str) -> None:
    played = Played.begun(make_terms(form, 5, **({"seats": 3} if form == "tables" else {})), 5)
    played.go_on()
    for entrant in played.state.lots:
        played.add(Left(entrant))
    for where in played.waiting():
        seats = played.state.board_at(*where[:2]).last.seats
        played.end(where, range(1, len(seats) + 1))
    played.go_on()
    assert played.state.ending == Ending.PLAYED


def test_two_cannot_begin_and_none_begins_twice() -> None:
    played = Played.begun(make_terms("swiss", 3), 3)
    with pytest.raises(InvalidCompetition, match="not-open"):
        played.add(start_event(played.state, SEED))
    two = replay(played.events[:3])
    with pytest.raises(InvalidCompetition, match="too-few"):
        two.apply(BEGAN, start_event(two, SEED))


def test_lot_depends_on_all_entries_and_is_reproducible() -> None:
    played = Played.begun(make_terms("all", 9), 9)
    started = next(event for event in played.events if isinstance(event, CupStarted))
    assert started.lots == draw_order(played.state, SEED)
    other = [event if event != Entered(8, "web:8") else Entered(8, "web:80") for event in played.events[:-1]]
    assert start_event(replay(other), SEED).lots != started.lots


def test_a_drawn_game_of_a_knock_out_is_played_again_with_seats_changed_and_then_drawn_by_lot() -> None:
    found = Counter[int]()
    for entrants in range(3, 40):
        played = Played.begun(make_terms("knockout", entrants), entrants)
        played.go_on()
        first = played.waiting()[0]
        seats = played.state.board_at(1, first[1]).last.seats
        played.end(first, (1, 1))
        assert next_event(played.state, SEED) == (GameReplayed(1, first[1], 1, seats[::-1]),)
        played.go_on()
        played.end((1, first[1], 1), (1, 1))
        (lot,) = next_event(played.state, SEED)
        assert isinstance(lot, BoardDecided)
        assert lot.lot
        assert lot.winner == draw_winner(played.state, SEED, 1, first[1])
        # As docs/fair-chance.md has it: the code and how each entered, the number of the lot, the ids of the games.
        public = "".join(f"{line}\n" for line in ["ABCDEF", *(f"web:{number}" for number in range(entrants))])
        games = [game.id or "" for game in played.state.board_at(1, first[1]).games]
        drawn = Draw(SEED, public, 64 + first[1], games).randrange(2)
        assert lot.winner == sorted(seats)[drawn]
        found[drawn] += 1
    assert min(found.values()) > 5


def test_remaining_entrant_of_a_drawn_board_advances_without_a_replay() -> None:
    played = Played.started("knockout", 4)
    one, two = played.state.board_at(1, 0).entrants
    played.add(Left(one))
    played.end((1, 0, 0), (1, 1))
    assert next_event(played.state, SEED) == (BoardDecided(1, 0, two, lot=False),)
