"""Ladders as pure functions: challenges, deadlines, sinking, holidays, rematches, and whole years by chance."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from bot.competitions.events import Entered, InvalidCompetition, Left
from bot.competitions.file import LadderFile, check_file
from bot.competitions.ladder import (
    IDLE_LIMIT,
    LADDER_CODEC,
    WARNING_LEAD,
    ChallengeAccepted,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    ClimberSank,
    Closing,
    Ladder,
    challenge_problem,
    list_challengeable,
)
from engine.fair import hash_seed
from tests.competitions.climbing import SEED, Climbing


@pytest.mark.parametrize(("people", "reach"), [(5, 3), (30, 3), (40, 4), (57, 5), (200, 20)])
def test_three_places_or_a_tenth_above_can_be_challenged(people: int, reach: int) -> None:
    climbing = Climbing.begun(people)
    last = people - 1
    assert list_challengeable(climbing.state, last, climbing.now) == tuple(range(last - reach, last))
    assert challenge_problem(climbing.state, last, last - reach - 1, climbing.now) == "too-far"
    assert challenge_problem(climbing.state, 0, 1, climbing.now) == "not-above"
    assert challenge_problem(climbing.state, 2, 2, climbing.now) == "yourself"
    assert challenge_problem(climbing.state, 2, 900, climbing.now) == "they-are-not-in"
    assert challenge_problem(climbing.state, 900, 2, climbing.now) == "not-in"


def test_the_winner_takes_the_higher_place_and_all_between_move_by_one() -> None:
    climbing = Climbing.begun(6)
    for challenger, challenged, places in ((4, 1, (1, 2)), (5, 3, (2, 1)), (1, 0, (1, 1))):
        climbing.challenge(challenger, challenged, places)
        assert climbing.state.order == (0, 4, 1, 2, 3, 5)


def test_where_others_have_passed_meanwhile_the_winner_still_takes_the_higher_place() -> None:
    climbing = Climbing.begun(5)
    climbing.add(Challenged(3, 2))
    climbing.accept(0)
    climbing.go_on()
    climbing.challenge(4, 1, (1, 2))
    climbing.challenge(2, 0, (1, 2))
    assert climbing.state.order == (2, 0, 4, 1, 3)
    # The challenged has gone up meanwhile, and loses it.
    climbing.add(ChallengeResult(0, (1, 2) if climbing.state.open[0].seats == (3, 2) else (2, 1), "won"))
    assert climbing.state.order == (3, 2, 0, 4, 1)


def test_unanswered_challenge_costs_the_place() -> None:
    climbing = Climbing.begun(4, days=2)
    climbing.add(Challenged(3, 1))
    climbing.wait(timedelta(hours=47))
    assert climbing.state.order == (0, 1, 2, 3)
    assert climbing.state.next_due_at == climbing.now + timedelta(hours=1)
    climbing.wait(timedelta(hours=1))
    assert climbing.state.order == (0, 3, 1, 2)
    assert climbing.events[-1][1] == ChallengeClosed(0, Closing.FORFEITED)


def test_a_challenge_too_early_forfeited_is_none() -> None:
    climbing = Climbing.begun(4)
    climbing.add(Challenged(3, 1))
    with pytest.raises(InvalidCompetition, match="too-early"):
        climbing.add(ChallengeClosed(0, Closing.FORFEITED))


def test_one_challenge_each_way_and_no_rematch_within_a_week() -> None:
    climbing = Climbing.begun(6)
    climbing.add(Challenged(4, 2))
    assert challenge_problem(climbing.state, 4, 3, climbing.now) == "busy"
    assert challenge_problem(climbing.state, 5, 2, climbing.now) == "they-are-busy"
    climbing.add(Challenged(2, 1))  # the other way is free
    climbing.add(ChallengeClosed(0, Closing.WITHDRAWN))
    assert challenge_problem(climbing.state, 4, 2, climbing.now) == "too-soon"
    assert climbing.state.order == (0, 1, 2, 3, 4, 5)
    climbing.now += timedelta(days=6, hours=23)
    assert challenge_problem(climbing.state, 4, 2, climbing.now) == "too-soon"
    climbing.now += timedelta(hours=1)
    assert challenge_problem(climbing.state, 4, 2, climbing.now) is None


def test_idle_climber_is_warned_and_then_sinks_a_tenth() -> None:
    climbing = Climbing.begun(20)
    climbing.challenge(1, 0, (1, 2))
    climbing.wait(IDLE_LIMIT - WARNING_LEAD - timedelta(minutes=1))
    assert not any(each.warned_at for each in climbing.state.entrants.values())
    climbing.wait(timedelta(minutes=1))
    # All but the last, who cannot sink.
    assert sum(each.warned_at is not None for each in climbing.state.entrants.values()) == 19
    climbing.challenge(4, 2, (2, 1))
    climbing.now += WARNING_LEAD
    before = climbing.state.order
    climbing.go_on()
    after = climbing.state.order
    assert after != before
    assert after.index(2) < after.index(0)  # who has played has not sunk
    # The one who was the last, and could not sink, is so no more.
    assert [each for each in after if climbing.state.entrants[each].warned_at is not None] == [19]


def test_one_alone_sinks_by_a_tenth_of_the_ladder() -> None:
    climbing = Climbing.begun(30)
    for number in range(1, 30):
        climbing.state = climbing.state.apply(climbing.now, Left(number))
        climbing.state = climbing.state.apply(climbing.now + timedelta(days=20), Entered(number, ""))
    climbing.wait(IDLE_LIMIT - WARNING_LEAD)
    climbing.wait(WARNING_LEAD)
    assert climbing.state.order.index(0) == 3


def test_a_late_warning_still_leaves_a_week() -> None:
    climbing = Climbing.begun(10)
    climbing.wait(IDLE_LIMIT * 2)  # the program was down
    assert climbing.state.order == tuple(range(10))
    climbing.wait(WARNING_LEAD)
    assert climbing.state.order != tuple(range(10))


def test_a_holiday_stops_the_time_to_answer_and_the_month() -> None:
    climbing = Climbing.begun(10)
    climbing.add(Challenged(3, 1))
    climbing.unavailable[1] = climbing.now + timedelta(days=5)
    climbing.go_on()
    climbing.wait(timedelta(days=7))
    assert climbing.state.order == tuple(range(10))
    # Back from it earlier, only the days that passed count.
    climbing.unavailable[1] = climbing.now + timedelta(days=9)
    climbing.go_on()
    climbing.now += timedelta(days=1)
    climbing.unavailable[1] = climbing.now
    climbing.go_on()
    climbing.wait(timedelta(hours=25))
    assert climbing.state.order.index(3) == 1
    assert climbing.state.entrants[1].idle_since == climbing.events[0][0] + timedelta(days=6)


def test_a_holiday_stops_sinking_for_every_place() -> None:
    climbing = Climbing.begun(10)
    climbing.unavailable = dict.fromkeys(range(0, 10, 2), climbing.now + timedelta(days=90))
    climbing.go_on()
    for _ in range(80):
        climbing.wait(timedelta(days=1))
    sank = {event.entrant for _, event in climbing.events if isinstance(event, ClimberSank)}
    assert sank == {1, 3, 5, 7, 9}
    for _ in range(60):
        climbing.wait(timedelta(days=1))
    assert {event.entrant for _, event in climbing.events if isinstance(event, ClimberSank)} >= {0, 2, 4, 6, 8}


def test_a_block_holds_no_place() -> None:
    climbing = Climbing.begun(6)
    climbing.add(Challenged(4, 2))
    climbing.blocked.add((2, 4))
    climbing.go_on()
    assert climbing.state.order == (0, 1, 4, 2, 3, 5)
    # Who has blocked somebody is passed over: they reach one higher.
    climbing.blocked.add((3, 5))
    assert list_challengeable(climbing.state, 5, climbing.now, frozenset(climbing.blocked)) == (1, 4, 2)
    assert challenge_problem(climbing.state, 5, 3, climbing.now, frozenset(climbing.blocked)) == "blocked"
    climbing.add(Challenged(3, 1))
    climbing.blocked.add((3, 1))
    climbing.go_on()
    assert climbing.state.order == (0, 1, 4, 2, 3, 5)
    assert not climbing.state.open


def test_leaving_climber_loses_challenges_and_returns_at_the_end() -> None:
    climbing = Climbing.begun(5)
    climbing.add(Challenged(3, 1))
    climbing.add(Left(1))
    assert climbing.state.order == (0, 2, 3, 4)
    assert not climbing.state.open
    climbing.add(Entered(1, "web:1"))
    assert list(climbing.state.order) == [0, 2, 3, 4, 1]


def test_who_has_begun_fewer_games_begins_else_the_lot_decides() -> None:
    climbing = Climbing.begun(3)
    begun: Counter[int] = Counter()
    for number in range(8):
        climbing.now += timedelta(days=8)
        one, other = climbing.state.order[-1], climbing.state.order[-2]
        climbing.add(Challenged(one, other))
        wrong = ChallengeAccepted(number, other) if begun[one] != begun[other] else ChallengeAccepted(number)
        with pytest.raises(InvalidCompetition, match="other-lot"):
            climbing.add(wrong)
        climbing.accept(number)
        climbing.go_on()
        first, second = climbing.state.open[number].seats or (0, 0)
        assert begun[first] <= begun[second]
        begun[first] += 1
        climbing.add(ChallengeResult(number, (1, 2), "won"))
    drawn = {event.first for _, event in climbing.events if isinstance(event, ChallengeAccepted)}
    assert len(drawn - {None}) > 1


def test_on_a_ladder_of_the_old_rules_differences_count_and_the_challenged_begins() -> None:
    climbing = Climbing.begun(4, rules_version=1)
    climbing.challenge(3, 2, (2, 1))
    climbing.challenge(1, 0, (2, 1))
    assert {each.begun for each in climbing.state.entrants.values()} == {1, -1}
    # Both have begun no game, or one, but the difference is the same as before: the challenged begins.
    climbing.challenge(3, 1, (2, 1))
    climbing.challenge(2, 0, (2, 1))
    begun = [climbing.state.entrants[each].begun for each in range(4)]
    assert begun == [2, 0, 0, -2]
    stored = [LADDER_CODEC.to_json(event) for _, event in climbing.events if isinstance(event, ChallengeAccepted)]
    assert all(set(each) == {"challenge"} for each in stored)


def test_the_lot_of_who_begins_is_checked_with_the_seed() -> None:
    climbing = Climbing.begun(6)
    climbing.challenge(4, 3, (1, 2))
    climbing.challenge(2, 1, (1, 2))
    names = {number: f"Climber {number}" for number in range(6)}
    created = replace(climbing.events[0][1], seed_hash=hash_seed(SEED))
    events = ((climbing.events[0][0], created), *climbing.events[1:])
    assert check_file(LadderFile.read(LadderFile(names, events, SEED).text())).events == len(events)
    at, accepted = next(each for each in events if isinstance(each[1], ChallengeAccepted))
    assert isinstance(accepted, ChallengeAccepted)
    other = replace(accepted, first=7 - (accepted.first or 0))
    changed = tuple((at, other) if event == accepted else (when, event) for when, event in events)
    with pytest.raises(InvalidCompetition, match="other-lot"):
        check_file(LadderFile.read(LadderFile(names, changed, SEED).text()))


def _check(climbing: Climbing) -> None:
    state = climbing.state
    inside = {number for number, each in state.entrants.items() if each.state == "in"}
    assert len(set(state.order)) == len(state.order)
    assert set(state.order) == inside
    for each in state.open.values():
        assert {each.challenger, each.challenged} <= inside
    for who in inside:
        assert sum(each.challenger == who for each in state.open.values()) <= 1
        assert sum(each.challenged == who for each in state.open.values()) <= 1


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 800), marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
def test_years_on_a_ladder_keep_its_rules_and_follow_from_the_events_alone(seeds: range) -> None:
    for seed in seeds:
        chance = Random(seed)
        climbing = Climbing.begun(chance.randrange(2, 40), days=chance.randrange(1, 8))
        for _ in range(6):
            climbing.live(chance, 30)
            _check(climbing)
        # Nothing was met again within a week, by the events.
        open_: dict[int, frozenset[int]] = {}
        made, done = 0, dict[frozenset[int], object]()
        for at, event in climbing.events:
            if isinstance(event, Challenged):
                pair = frozenset((event.challenger, event.challenged))
                assert pair not in done or at - done[pair] >= timedelta(days=7)  # type: ignore[operator]
                open_[made] = pair
                made += 1
            elif isinstance(event, ChallengeClosed | ChallengeResult):
                done[open_.pop(event.challenge)] = at
        stored = [
            (at, LADDER_CODEC.from_json(LADDER_CODEC.kind_of(event), LADDER_CODEC.to_json(event)))
            for at, event in climbing.events
        ]
        assert Ladder.replay(stored) == climbing.state


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 100), marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
def test_refusing_challenges_does_not_hold_a_place(seeds: range) -> None:
    for seed in seeds:
        chance = Random(seed)
        climbing = Climbing.begun(20)
        climbing.refusing = {0}
        climbing.blocked = {(0, other) for other in range(1, 20)} if seed % 2 else set()
        best = 0
        for month in range(12):
            climbing.live(chance, 30)
            place = climbing.state.place(0)
            best = max(best, place or 99)
            assert place is None or place > 1 or month < 2
        assert best > 5
