"""Gioco dell'Uomo Nero: ends of a round, points, titles, dropping out."""

from typing import Any

import pytest

from engine.core import CHANCE, Action, IllegalAction, Outcome, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begin_round, drop, load, play, rolled_off, texts
from tests.support.present import present, result


def last_round(state: State) -> dict[str, Any]:
    """Return the round that ended last."""
    rounds: list[dict[str, Any]] = state.to_json()["extra"]["rounds"]
    return rounds[-1]


def finished(state: State) -> Outcome:
    assert state.to_move is None
    return present(state.outcome)


class TestEndOfARound:
    def test_no_attacker_is_left_in_play_by_arriving(self) -> None:
        state = play(load("c11 d13", dice=(1, 1)), "c11-c13/2")
        shown = state.to_json()
        assert (shown["round"], shown["phase"], shown["to_move"]) == (2, "man-start", 1)
        assert last_round(state) == {"man": 0, "points": [0, 2], "reason": "none-left"}

    def test_no_attacker_is_left_in_play_by_capture_once_he_has_landed(self) -> None:
        state = play(load("d6", "c13", man="d7", dice=(1, 2), to_move=0), "xd6")
        assert state.to_move == 0
        assert last_round(play(state, "d4")) == {"man": 0, "points": [0, 1], "reason": "none-left"}

    def test_total_block_ends_the_round_when_the_last_attacker_is_blocked_on_the_start_line(self) -> None:
        state = load(yellow="d1 c13", man="d4", dice=(1, 1), to_move=0)
        assert last_round(play(state, "d2")) == {"man": 0, "points": [0, 1], "reason": "total-block"}

    def test_the_attacker_of_a_total_block_is_captured(self) -> None:
        # in the last round the board shows it
        state = play(load("b13", "d1", man="d4", dice=(1, 1), to_move=0, scores="3 0  - 3"), "d2")
        assert finished(state).reason == "score"
        assert [one["cell"] for one in state.to_json()["attackers"]] == ["b13"]

    @pytest.mark.parametrize(
        ("red", "yellow", "landing"),
        [
            ("", "c1 d1", "d2"),  # two are left
            ("b5", "d1", "d2"),  # two are left, one of them in the field
            ("", "d3", "d2"),  # the last one is not on the start line
            ("", "d1", "d4"),  # the Man is not before it
            ("", "c1", "d2"),  # the Man is before another cell
        ],
    )
    def test_no_total_block(self, red: str, yellow: str, landing: str) -> None:
        assert play(load(red, yellow, man="e3", dice=(1, 1), to_move=0), landing).to_json()["round"] == 1

    def test_total_block_by_the_attackers_own_action(self) -> None:
        state = play(load("c12", "d1", man="d2", dice=(1, 2)), "c12-c13/1")
        assert last_round(state) == {"man": 0, "points": [0, 1], "reason": "total-block"}
        assert (state.to_json()["round"], state.to_move, state.turn) == (2, 1, 1)

    def test_not_while_captures_are_being_named(self) -> None:
        state = play(load("e3", "d1", man="d2", dice=(1, 1), to_move=0), "xe3")
        assert (state.to_move, play(state, "e3").to_json()["round"]) == (0, 1)

    def test_the_man_may_land_where_he_stood_and_block(self) -> None:
        state = play(load("e2", "d1", man="d2", dice=(1, 1), to_move=0), "xe2", "d2")
        assert last_round(state)["reason"] == "total-block"

    def test_no_progress_when_the_man_has_finished_his_50th_turn(self) -> None:
        assert play(load("d5 c13", man="h7", dice=(1, 3), to_move=0, man_turns=48), "stay").to_json()["round"] == 1
        state = load("d5 c13", man="h7", dice=(1, 3), to_move=0, man_turns=49)
        assert last_round(play(state, "stay")) == {"man": 0, "points": [0, 1], "reason": "no-progress"}

    def test_a_capture_of_the_last_comes_before_no_progress(self) -> None:
        state = play(load("d6", man="d7", dice=(1, 2), to_move=0, man_turns=49), "xd6", "d4")
        assert last_round(state)["reason"] == "none-left"

    def test_the_end_of_a_round_ends_the_turn_too(self) -> None:
        # seat 1 ends the round and is the next Man: another turn all the same
        state = load("c11 d13", dice=(1, 1))
        after = play(state, "c11-c13/2")
        assert (state.to_move, after.to_move, after.turn) == (1, 1, state.turn + 1)

    def test_each_round_another_player_is_the_man_and_the_court_is_empty(self) -> None:
        shown = play(load("c11 d13", dice=(1, 1)), "c11-c13/2").to_json()
        bare: dict[str, Any] = {"man": None, "attackers": [], "colours": {}, "man_turns": 0, "dice": None, "used": None}
        assert (shown["man_seat"], {name: shown[name] for name in bare}) == (1, bare)

    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_there_are_as_many_rounds_as_players(self, seats: int) -> None:
        state = begin_round(seats)
        men = [0]
        while state.outcome is None:
            shown = state.to_json()
            if shown["round"] > len(men):
                men.append(shown["man_seat"])
            # the attackers stay, and 50 turns of the Man end each round
            state = play(state, "roll 1 1" if state.to_move == CHANCE else state.legal_actions()[-1].text)
        assert men == list(range(seats))


class TestPoints:
    def test_each_arrived_attacker_is_worth_1_point_to_its_player(self) -> None:
        start = load("c11 a13", "b13 e4", "d13", seats=3, dice=(1, 1), man_turns=49)
        state = play(start, "c11-c13/2", "roll 1 1", "stay/2", "roll 1 1", "stay")
        assert last_round(state) == {"man": 0, "points": [0, 3, 1], "reason": "no-progress"}
        assert state.to_json()["attack_scores"] == [0, 3, 1]

    def test_the_total_is_the_mans_score(self) -> None:
        state = load("c11 a13", "b13", "d13", seats=3, dice=(1, 1))
        assert play(state, "c11-c13/2").to_json()["man_scores"] == [4, None, None]

    def test_scores_change_when_a_round_ends(self) -> None:
        assert play(load("c12 d4", dice=(1, 2)), "c12-c13/1").to_json()["attack_scores"] == [0, 0]

    def test_the_attack_score_is_the_sum_over_the_rounds(self) -> None:
        state = load("c11 d13", dice=(1, 1), seats=3, scores="2 3 0  - 1 4")
        assert play(state, "c11-c13/2").to_json()["attack_scores"] == [2, 5, 0]


class TestAfterTheLastRound:
    def end(self, scores: str, seats: int = 3, **changes: Any) -> Outcome:
        """Return the outcome where seat 1 makes the one point of the last round, in which seat 0 is the Man."""
        return finished(play(load("c11", seats=seats, dice=(1, 1), scores=scores, **changes), "c11-c13/2"))

    def test_reason_and_details(self) -> None:
        outcome = self.end("2 2 4  - 5 3")
        assert outcome.reason == "score"
        assert outcome.to_json()["details"] == {
            "best_attacker": [2],
            "best_man": [0],
            "rounds": [{"man": 0, "points": [0, 1, 0], "reason": "none-left"}],
        }

    @pytest.mark.parametrize(
        ("scores", "places", "attackers", "men"),
        [
            # the highest attack score wins: attack 2 3 4, Man 1 5 3
            ("2 2 4  - 5 3", (3, 2, 1), [2], [0]),
            # a tie goes to the lower Man score: attack 2 4 4, Man 1 4 5
            ("2 3 4  - 4 5", (3, 1, 2), [1], [0]),
            # still tied, a shared place: attack 1 4 4, Man 1 4 4
            ("1 3 4  - 4 4", (3, 1, 1), [1, 2], [0]),
            # best Man, a tie goes to the higher attack score: attack 0 3 1, Man 1 1 2
            ("0 2 1  - 1 2", (3, 1, 2), [1], [1]),
            # all tied, all shared: attack 1 1 1, Man 1 1 1
            ("1 0 1  - 1 1", (1, 1, 1), [0, 1, 2], [0, 1, 2]),
        ],
    )
    def test_titles(self, scores: str, places: tuple[int, ...], attackers: list[int], men: list[int]) -> None:
        outcome = self.end(scores)
        assert outcome.places == places
        assert (outcome.details["best_attacker"], outcome.details["best_man"]) == (attackers, men)

    def test_with_two_players_equal_attack_scores_are_a_draw(self) -> None:
        outcome = self.end("1 0  - 1", seats=2)
        assert outcome.places == (1, 1)
        assert outcome.details["best_man"] == []

    def test_with_two_players_the_higher_attack_score_wins(self) -> None:
        assert self.end("2 0  - 2", seats=2).places == (1, 2)
        assert self.end("0 0  - 0", seats=2).places == (2, 1)

    def test_everything_stays_as_the_last_action_left_it(self) -> None:
        state = play(load("c11 a13", "b13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5", man="f6"), "c11-c13/2")
        shown = state.to_json()
        assert (shown["phase"], shown["to_move"], shown["dice"], shown["round"]) == ("over", None, None, 3)
        assert [attacker["cell"] for attacker in shown["attackers"]] == ["a13", "b13", "c13"]
        assert (shown["man"], shown["man_turns"], shown["attack_scores"]) == ("f6", 20, [2, 5, 5])
        assert shown["outcome"]["places"] == list(finished(state).places)

    def test_rounds_before_a_load_without_extra_are_missing(self) -> None:
        state = play(load("c11 a13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5"), "c11-c13/2")
        assert [round_["man"] for round_ in finished(state).details["rounds"]] == [0]
        position = state.to_json()
        del position["extra"]
        again = UOMO_NERO.load(position)
        assert (again, finished(again).details["rounds"]) == (state, [])


class TestDroppingOut:
    def test_the_attackers_in_play_are_taken_off_and_those_that_arrived_stay(self) -> None:
        state = drop(load("c5 c13", "d5", "e1", seats=3, dice=(1, 2), to_move=2), 1)
        assert [attacker["cell"] for attacker in state.to_json()["attackers"]] == ["c13", "d5"]
        assert state.to_move == 2

    def test_those_that_arrived_score(self) -> None:
        state = drop(load("c5 c13", "d5", seats=3, man="d6", dice=(1, 2), to_move=0), 1)
        assert last_round(play(state, "xd5", "d3")) == {"man": 0, "points": [0, 1, 0], "reason": "none-left"}

    def test_a_seat_on_the_move_ends_its_turn(self) -> None:
        state = load("c5 c6", "d5", seats=3, dice=(1, 2))
        middle = play(state, "c5-c4/1")
        for before in (state, middle):
            after = drop(before, 1)
            assert (after.to_json()["phase"], after.to_json()["to_move"]) == ("roll", 2)
            assert after.turn == before.turn + 1

    def test_before_its_throw_too(self) -> None:
        before = load("c5 c6", "d5", seats=3)
        after = drop(before, 1)
        assert (after.to_json()["to_move"], after.turn) == (2, before.turn + 1)

    def test_a_seat_not_on_the_move_leaves_the_turn_as_it_is(self) -> None:
        state = play(load("c5 c6", "d5", seats=3, dice=(1, 2)), "c5-c4/1")
        after = drop(state, 2)
        assert (after.to_move, after.turn) == (1, state.turn)
        assert after.to_json()["used"] == {"die": 1, "attacker": "c4"}

    def test_its_turns_are_skipped(self) -> None:
        assert play(drop(begin_round(4), 2), "roll 1 1", "stay/2").to_json()["to_move"] == 3

    def test_if_it_is_the_man_the_round_ends_with_1_point_for_each_attacker_in_play(self) -> None:
        state = drop(load("c5 c13", "d5", "e1", seats=3, dice=(1, 2)), 0)
        assert last_round(state) == {"man": 0, "points": [0, 3, 1], "reason": "drop"}
        assert state.to_json()["man_scores"] == [4, None, None]
        assert (state.to_json()["phase"], state.to_json()["to_move"]) == ("man-start", 1)

    def test_those_he_has_named_are_captured(self) -> None:
        state = drop(play(load("c5", "d5", seats=3, man="c6", dice=(1, 2), to_move=0), "xc5"), 0)
        assert last_round(state)["points"] == [0, 0, 1]

    def test_dropout_before_the_first_roll_of_a_round_scores_nothing(self) -> None:
        start = rolled_off(4)
        for state in (start, play(start, "d13"), play(start, "d13", "red"), begin_round(4)):
            after = drop(state, 0)
            assert last_round(after) == {"man": 0, "points": [0, 0, 0, 0], "reason": "drop"}
            assert after.turn == state.turn + 1

    def test_from_the_first_roll_on_they_do(self) -> None:
        assert last_round(drop(play(begin_round(4), "roll 1 1"), 0))["points"] == [0, 2, 2, 2]

    def test_also_when_the_only_one_to_have_rolled_has_left(self) -> None:
        rolled = drop(play(begin_round(4), "roll 1 1"), 1)
        unrolled = drop(begin_round(4), 1)
        assert (rolled, last_round(drop(rolled, 0))["points"]) == (unrolled, [0, 0, 2, 2])
        assert last_round(drop(unrolled, 0))["points"] == [0, 0, 0, 0]
        assert last_round(drop(UOMO_NERO.load(rolled.to_json()), 0))["points"] == [0, 0, 2, 2]

    def test_its_later_rounds_as_the_man_are_not_played(self) -> None:
        state = drop(load("c12 d13", "d5", seats=4, man="d6", dice=(1, 2)), 1, 2)
        assert last_round(state)["reason"] == "none-left"
        assert (state.to_json()["round"], state.to_json()["man_seat"]) == (4, 3)

    def test_it_picks_no_colours_any_more_they_stay_out(self) -> None:
        state = play(drop(play(rolled_off(4), "d13"), 2), "red", "blue")
        assert (state.to_json()["colours"], state.to_json()["phase"]) == ({"red": 1, "blue": 3}, "roll")

    def test_the_colours_of_a_leaver_stay_taken(self) -> None:
        state = drop(play(rolled_off(4), "d13", "red"), 1)
        assert (state.to_move, texts(state)) == (2, {"yellow", "green", "blue"})
        assert (state.to_json()["attackers"], state.to_json()["colours"]) == ([], {"red": 1})

    def test_a_picker_that_leaves_ends_its_turn(self) -> None:
        start = play(rolled_off(4), "d13", "red", "blue")
        state = drop(start, 3)
        assert (state.to_json()["phase"], state.to_json()["to_move"]) == ("roll", 1)
        assert state.turn == start.turn + 1

    def test_numbers_that_depend_on_the_players_stay_those_of_the_start(self) -> None:
        # of three players two are left: the attacker still has four attackers
        state = play(drop(UOMO_NERO.start(3), 1), "roll 1 1", "roll 6 6", "roll 6 6", "d13", "red", "blue")
        assert len(state.to_json()["attackers"]) == 4

    def test_an_end_that_a_drop_brings_about_comes_at_once(self) -> None:
        state = drop(load("c5 c13", "d13", seats=3, dice=(1, 2)), 1)
        assert last_round(state) == {"man": 0, "points": [0, 1, 1], "reason": "none-left"}
        state = drop(load("a1", "d5", seats=3, man="a2", dice=(1, 2), to_move=2), 2)
        assert last_round(state) == {"man": 0, "points": [0, 0, 0], "reason": "total-block"}

    @pytest.mark.parametrize("dice", [None, (1, 2)])
    def test_an_end_comes_at_once_also_if_the_leaver_is_not_on_the_move(self, dice: tuple[int, int] | None) -> None:
        # the Man is to roll, or has rolled and named nobody; the last attackers in play leave
        state = load("c5", "d13", seats=3, dice=dice, to_move=0)
        assert last_round(drop(state, 1)) == {"man": 0, "points": [0, 0, 1], "reason": "none-left"}
        # seat 2 is to roll or has rolled, and its last attacker is blocked as soon as seat 1 has left
        state = load("d5 c13", "c1", seats=3, man="c2", dice=dice, to_move=2)
        assert last_round(drop(state, 1)) == {"man": 0, "points": [0, 1, 0], "reason": "total-block"}

    def test_while_the_man_is_naming_captures_when_he_has_landed(self) -> None:
        state = drop(play(load("d6", "d5", "b4", seats=3, man="d7", dice=(1, 3), to_move=0), "xd6", "xd5"), 1)
        assert (state.to_move, last_round(play(state, "d3"))["reason"]) == (0, "none-left")

    def test_an_attacker_that_a_drop_takes_off_is_no_longer_in_the_mans_way(self) -> None:
        state = load("a12", "d6", "b4", seats=4, man="d7", dice=(1, 1), to_move=0)
        assert "d5" not in texts(state)
        assert "d5" in texts(drop(state, 2))

    def test_when_one_seat_is_left_the_game_is_over_at_once_and_no_round_is_closed(self) -> None:
        state = load("c5 c13", dice=(1, 2))
        for seat, places in ((0, (2, 1)), (1, (1, 2))):
            over = drop(state, seat)
            assert result(over) == ("last-seat", places)
            assert (over.to_json()["attack_scores"], over.to_json()["man_scores"]) == ([0, 0], [None, None])
            assert UOMO_NERO.load(over.to_json()) == over

    def test_it_places_last_among_those_still_playing(self) -> None:
        assert finished(drop(begin_round(5), 3, 1, 0, 4)).places == (3, 4, 1, 5, 2)

    def test_it_takes_no_title(self) -> None:
        # seat 2 has most points and the lowest Man score, but has left
        outcome = finished(play(load("c11", seats=3, dice=(1, 1), scores="0 0 4  - 4 0", dropped=[2]), "c11-c13/2"))
        assert outcome.places == (2, 1, 3)
        assert (outcome.details["best_attacker"], outcome.details["best_man"]) == ([1], [0])

    def test_the_last_man_that_leaves_ends_the_game_by_score(self) -> None:
        over = drop(load("c5 c13", "d5", seats=3, dice=(1, 2), scores="2 3 4  - 4 5"), 0)
        assert result(over) == ("score", (3, 1, 2))
        assert (over.to_json()["attack_scores"], UOMO_NERO.load(over.to_json())) == ([2, 5, 5], over)

    def test_second_dropout_of_a_seat_is_refused(self) -> None:
        with pytest.raises(IllegalAction, match="no-such-seat"):
            drop(begin_round(3), 1).play(Action.drop(1))
