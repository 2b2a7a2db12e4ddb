"""What a hint leaves alone in La Vedova Nera: a step back, and waiting with the Counsellor again and again."""

from engine import State, Turn, games
from engine.search import players
from engine.search.progress import list_aimless_actions
from tests.games.vedova_nera.board import position

GAME = games["vedova-nera"]
PLAYER = players["vedova-nera"]


def after(state: State, *texts: str) -> tuple[State, list[Turn]]:
    """Return the state after some turns, and the turns."""
    turns = []
    for text in texts:
        action = state.read(text)
        turns.append(Turn(state.turn + 1, state.to_move or 0, (action,), state))
        state = state.play(action)
    return state, turns


def aimless(*texts: str, start: State) -> set[str]:
    state, turns = after(start, *texts)
    return set(list_aimless_actions(state, PLAYER.policy, turns))


def test_a_step_is_not_taken_back() -> None:
    start = GAME.load(position("a1 a3 c3", "e4 f2", counsellor="h1"))
    assert aimless("a1-b1", "e4-d4", start=start) == {"b1-a1"}
    assert aimless("a1-b1", start=start) == set(), "the other player has not moved yet"
    assert list_aimless_actions(start, PLAYER.policy, []) == frozenset()


def test_after_a_capture_it_may_be() -> None:
    start = GAME.load(position("a1 a3 c3", "c1 e1 f2", counsellor="h4"))
    state, turns = after(start, "a1-b1", "f2-f3")
    assert list_aimless_actions(state, PLAYER.policy, turns) == {"b1-a1"}
    start = GAME.load(position("a1 d1 c3", "b1 e1 f2 c2", counsellor="h4"))
    state, turns = after(start, "a1-a2", "c2-c1")
    assert len(state.to_json()["pawns"][0]) == 2, "d1 is caught between c1 and e1"
    assert list_aimless_actions(state, PLAYER.policy, turns) == frozenset()


def test_the_counsellor_does_not_wait_twice() -> None:
    start = GAME.load(position("a1 a3 c3", "e4 f2", counsellor="h1"))
    waits = aimless("Kh2", "e4-d4", start=start)
    assert waits
    assert all(text.startswith("K") for text in waits)
    assert {text for text in waits if text == "Kh1"}
    assert not aimless("a1-b1", "e4-d4", start=start) & waits


def test_in_a_long_game_it_does_not_wait_at_all() -> None:
    """First not with the Counsellor, later with no pawn either: only what comes nearer to a goal is left."""
    goals = ("a1 a2 a3 d1 d2 d3", "e1 e2 e3 h1 h2 h3")
    given = position("a1 a4 b2 g4", "e4 f2", goals=goals, counsellor="h4")
    late, later = (GAME.load(given | {"extra": {"turn": turn, "played": turn}}) for turn in (50, 200))
    assert {text[0] for text in list_aimless_actions(late, PLAYER.policy, [])} == {"K"}
    left = {action.text for action in later.legal_actions()} - list_aimless_actions(later, PLAYER.policy, [])
    assert "a4-a3" in left
    assert {"b2-a2", "b2-b3"} & left == {"b2-a2"}
    assert not any(text.startswith("K") for text in left)


def test_what_wins_is_never_left_out() -> None:
    goals = ("a1 a2 a3 a4 b1 b2",)
    start = GAME.load(position("a1 a2 a3 a4 b1 c2", "e4 f2", goals=goals, counsellor="h4"))
    state, turns = after(start, "c2-c3", "e4-d4", "c3-c2", "d4-e4")
    turns[-2] = Turn(turns[-2].number, 0, (start.read("c2-b2"),), start)
    assert "c2-b2" not in list_aimless_actions(state, PLAYER.policy, turns)


def test_where_all_else_loses_nothing_is_left_out() -> None:
    """Green wins on b2 next turn unless red keeps it from there."""
    goals = ("d4 e4 f4 g4 h4 c4", "a1 a2 a3 a4 b1 b2")
    start = GAME.load(position("b2 h2", "a1 a2 a3 a4 b1 c2", goals=goals, counsellor="f1"))
    assert {each.action.text for each in PLAYER.analyse(start, 200, avoid=["h2-h3"])}.isdisjoint({"h2-h3"})
    keeping = {action.text for action in start.legal_actions() if not loses_at_once(start.play(action))}
    assert keeping
    assert "b2-b3" not in keeping
    assert PLAYER.analyse(start, 400, avoid=keeping)[0].action.text in keeping


def loses_at_once(state: State) -> bool:
    return any(state.play(action).outcome is not None for action in state.legal_actions())
