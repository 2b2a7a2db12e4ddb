"""What provers say: wins that a plain search finds as well, last cells and last throws worked out, and nothing more."""

import json
import random
from functools import cache
from pathlib import Path

import pytest

from engine import CHANCE, State, games
from engine.budget import Budget
from engine.search import players
from engine.search.alphabeta import AlphaBeta
from engine.search.policies.annuvin import AnnuvinPolicy
from engine.search.policy import values_of
from engine.search.result import winning_turns
from tests.engine.search.plain_wins import wins_by
from tests.games.annuvin.plain import random_position
from tests.support.present import present

AMPLE = 10**7
REAL_QUEEN, UOMO_NERO = games["real-queen"], games["uomo-nero"]


def in_play(key: str, seed: int, **options: int) -> list[State]:
    """Return the positions of a game of likely actions and chance, a seat about to begin its turn."""
    rng = random.Random(seed)
    state: State = games[key].start(2, options)
    found, before = [], -1
    while state.to_move is not None:
        if state.turn != before:
            found.append(state)
        before = state.turn
        likely = players[key].policy.candidates(state)[:2]
        state = state.advance(rng.choice(likely) if rng.randrange(4) else state.random_action(rng))
    return found


def wins(state: State, turns: int, most: int = AMPLE) -> dict[str, bool | None]:
    return {action.text: found for action, found in present(state.game.prover).wins(state, turns, Budget(most)).items()}


@cache
def ends(key: str, count: int) -> tuple[State, ...]:
    """Return positions in which a plain search over two turns of one's own finds a win, and as many others."""
    found: list[State] = []
    for seed in range(60):
        states = in_play(key, seed, **({"size": 7} if key == "fagocitare" else {}))[-6:-1]
        found += states[seed % 2 :: 2]
        if len(found) >= count:
            break
    return tuple(found[:count])


@pytest.mark.parametrize(
    ("key", "count", "each", "least"),
    [
        *(("real-queen", 6, 1, 1), ("fagocitare", 16, 1, 1)),
        pytest.param("real-queen", 60, 1000, 11, marks=[pytest.mark.full, pytest.mark.timeout(1800)]),
    ],
)
def test_wins_within_two_turns_are_those_of_a_plain_search(key: str, count: int, each: int, least: int) -> None:
    """Of each position so many actions that win are compared, and so many that do not; some positions are won."""
    decided = 0
    for state in ends(key, count):
        found = wins(state, 2)
        for value in (True, False):
            for action in [action for action in state.legal_actions() if found[action.text] is value][:each]:
                assert wins_by(state, action, 2) is value, (state, action)
        decided += any(found.values())
    assert decided >= least


@pytest.mark.parametrize(("key", "count"), [("real-queen", 6), ("fagocitare", 16)])
def test_whether_there_is_a_win_is_said_as_it_is_of_every_action(key: str, count: int) -> None:
    prover = present(games[key].prover)
    seen = set()
    for state in (*ends(key, count), *(in_play(key, seed)[-1] for seed in range(3))):
        for turns in (1, 2):
            found = any(wins(state, turns).values())
            assert prover.has_win(state, turns, Budget(AMPLE)) is found
            assert prover.has_win(state, turns, Budget(20)) in (found, None)
            seen.add((turns, found))
    assert len(seen) == 4


def test_who_looks_for_no_wins_does_not_say_that_there_are_none() -> None:
    prover = present(UOMO_NERO.prover)
    state: State = UOMO_NERO.start(2, {})
    rng = random.Random(1)
    while state.to_move == CHANCE:
        state = state.advance(state.sample_chance(rng))
    assert prover.has_win(state, 1, Budget(AMPLE)) is None


def test_a_budget_that_is_over_says_nothing() -> None:
    for key in ("real-queen", "fagocitare"):
        for state in ends(key, 3):
            whole, cut = wins(state, 2), wins(state, 2, 20)
            assert all(found is None or found == whole[text] for text, found in cut.items())
            assert wins(state, 2, 0) == dict.fromkeys(whole)


@pytest.mark.parametrize("window", [60, 3])
def test_alpha_beta_proofs_agree_with_the_oracle(window: int) -> None:
    # What is not the best is only known not to be better; and where few replies are tried, others may save the day.
    oracle, policy = present(games["annuvin"].oracle), AnnuvinPolicy()
    policy.window = window
    rng, claims = random.Random(8), 0
    for number in range(60):
        state = random_position(rng)
        seat = state.to_move or 0
        for judged in AlphaBeta(policy).judge(state, Budget(300 + 10 * number)):
            if judged.proven:
                after = state.advance(judged.action)
                verdict = oracle.probe(after)
                values = present(values_of(after.outcome) if after.outcome else verdict.values if verdict else None)
                assert values[seat] == judged.values[seat], (state, judged)
                claims += 1
    assert claims > 50


def test_winning_turns_lists_every_turn_once_with_its_verdict() -> None:
    for state in ends("real-queen", 6):
        winning = winning_turns(state, 2, Budget(AMPLE))
        first = wins(state, 2)
        assert {line[0].text for line, _ in winning} == first.keys()
        for line, won in winning:
            after = state
            for action in line:
                after = after.play(action)
            assert after.outcome or after.turn == state.turn + 1
            if after.outcome:
                assert won is (after.outcome.winner == state.to_move)
        for text, won in first.items():
            assert won is any(wins for line, wins in winning if line[0].text == text)


def last_throws(seed: int, turns: int = 1) -> State | None:
    """Return a position of the last round in which the Man has so many turns left, None if the game never got there."""
    rng = random.Random(seed)
    state: State = UOMO_NERO.start(2)
    while state.to_move is not None:
        position = state.to_json()
        if position["round"] == 2 and position["phase"] == "attack" and position["man_turns"] >= 3:
            late = UOMO_NERO.load({**position, "man_turns": 50 - turns})
            if len(late.legal_actions()) > 3:
                return late
        state = state.advance(state.random_action(rng))
    return None


def expected(state: State, man_turns: int) -> tuple[float, ...]:
    """Return what the seats may expect if each does its best, by trying everything and every roll."""
    if state.outcome is not None:
        return values_of(state.outcome)
    if state.to_move == CHANCE:
        parts = [(chance, expected(state.advance(roll), man_turns)) for roll, chance in state.chance_outcomes()]
        return tuple(sum(chance * values[seat] for chance, values in parts) for seat in range(2))
    seat = state.to_move or 0
    if seat == state.to_json()["man_seat"]:
        # His last turn: nobody throws any more, and who has not arrived scores nothing.
        return expected(state.advance(state.legal_actions()[-1]), man_turns)
    afters = [expected(state.advance(action), man_turns) for action in state.legal_actions()]
    return max(afters, key=lambda values: values[seat])


def test_last_throws_are_gone_through() -> None:
    prover = present(UOMO_NERO.prover)
    kinds = set()
    for seed in range(40):
        state = last_throws(seed)
        if state is None:
            continue
        found = prover.settle(state, Budget(AMPLE))
        assert found.keys() == set(state.legal_actions())
        for action in state.legal_actions()[:: max(1, len(found) // 3)]:
            proof = found[action]
            assert proof.values == pytest.approx(expected(state.advance(action), 50)), (state, action)
            kinds.add((proof.expected, proof.values))
        if len(kinds) >= 3:
            break
    assert len(kinds) >= 3


@pytest.mark.parametrize("key", ["real-queen", "fagocitare"])
def test_players_and_analyses_use_proofs(key: str) -> None:
    won = [state for state in ends(key, 40) if not any(wins(state, 1).values()) and any(wins(state, 2).values())]
    assert won
    for state in won[:3]:
        found = wins(state, 2)
        best = players[key].analyse(state, 300)[0]
        assert found[best.action.text]
        assert (best.proven, best.known, best.within, best.values[state.to_move or 0]) == (True, True, 2, 1.0)
        assert found[players[key].choose(state, 4, 1, effort=0.2).text]


@pytest.mark.parametrize("key", ["real-queen", "fagocitare"])
def test_what_lets_the_other_win_is_proven_to_lose(key: str) -> None:
    for state in ends(key, 40):
        seat = state.to_move or 0
        lost = [each for each in players[key].analyse(state, 300) if each.within and each.values[seat] == 0.0]
        for each in lost[:3]:
            assert any(wins(state.play(each.action), each.within or 0).values())
        if lost:
            return
    raise AssertionError(key)


def test_expected_values_are_distinguished_from_proofs() -> None:
    # One attacker is left, and it throws once more: the player who keeps it from arriving draws.
    start = next(state for seed in range(40) if (state := last_throws(seed)) is not None)
    position = {name: value for name, value in start.to_json().items() if name != "extra"}
    attacker, man = position["to_move"], position["man_seat"]
    alone = {"seat": attacker, "colour": "red", "cell": "c9"}
    scores = {"attack_scores": [0, 0], "man_scores": [0 if seat == attacker else None for seat in range(2)]}
    position |= {"attackers": [alone], "man": "g4", "man_turns": 48, **scores}
    state = UOMO_NERO.load({**position, "to_move": man, "phase": "man", "dice": [1, 2]})
    for each in players["uomo-nero"].analyse(state, 2_000):
        assert (each.expected, each.proven, each.known) == (True, False, False)
        assert 0.5 < each.values[attacker] < 1.0
    # In the end it is the dice that it has, nothing is to be expected any more.
    last = UOMO_NERO.load({**position, "man_turns": 49, "phase": "attack", "dice": [1, 3]})
    judged = players["uomo-nero"].analyse(last, 2_000)
    assert {(each.proven, each.expected) for each in judged} == {(True, False)}
    assert (judged[0].values[attacker], judged[-1].values[attacker]) == (1.0, 0.5)


def test_hard_positions_list_legal_and_few_right_answers() -> None:
    place = Path(__file__).resolve().parents[3] / "bench" / "hard"
    for path in place.glob("*.json"):
        entries = json.loads(path.read_text(encoding="utf-8"))
        assert len({str(entry["position"]) for entry in entries}) == len(entries)
        for entry in entries:
            state = games[path.stem].load(entry["position"])
            legal = [action.text for action in state.legal_actions()]
            assert set(entry["right"]) < set(legal)
            assert 3 * len(entry["right"]) <= len(legal)
    for entry in json.loads((place / "real-queen.json").read_text(encoding="utf-8"))[:10]:
        state = REAL_QUEEN.load(entry["position"])
        within = 2 if any(wins(state, 2).values()) else 3
        assert [text for text, won in wins(state, within).items() if won] == entry["right"]
