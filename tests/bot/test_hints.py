"""Hints: a good move for the player to move only."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from bot.boards.puzzles.cards import attempt_code
from bot.kernel.pictures import hint_marks
from bot.kernel.presses import read_press
from bot.kernel.requests import OpenBoard
from engine import games
from engine.search import Judged
from render.scene import Hint, HintStep
from tests.bot.computers import Thoughts
from tests.bot.party import Party, button, buttons, card, picture_of, words
from tests.support.present import present


@pytest.fixture
def party(advised: Party) -> Party:
    return advised


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a casual game that has begun."""
    return await party.started("/play annuvin @bruno rated:no")


async def hints_of_puzzle(party: Party) -> int:
    """Return how many hints Anna has used in the puzzle that she has tried last."""
    return present(await party.store.puzzles.get_last_attempt(await party.id_of("anna"))).hints


async def test_the_mover_gets_a_move_with_its_reason_and_a_picture_and_plays_it_by_its_button(
    party: Party, marked: list[Hint | None], code: str
) -> None:
    mover = party.mover
    reply = await party.say(mover, f"/hint {code}")
    assert reply.private
    move, _, reason = words(reply).partition(" is a good move here. ")
    state = games["annuvin"].start(2, {})
    assert marked == [None, present(hint_marks(state, state.parse(move)))], "the board without, the picture with it"
    assert reason.startswith("It ")
    assert picture_of(reply).alt.startswith(words(reply))
    await party.press(mover, button(card(reply), "text"))
    assert party.mover != mover
    assert read_press(button(card(reply), "text").press).rest in party.newest.text


async def test_the_button_is_under_more_for_the_mover_and_others_are_given_a_name(party: Party, code: str) -> None:
    mover, other = party.mover, party.other()
    more = await party.press(mover, button(party.newest.card, "more"))
    assert "good move" in words(await party.press(mover, button(card(more), "hint")))
    theirs = await party.press(other, button(party.newest.card, "more"))
    assert "hint" not in [read_press(entry.press).deed for entry in buttons(card(theirs))]
    said = words(await party.say(other, f"/hint {code}"))
    assert mover.capitalize() in said
    assert "good move" not in said
    assert "good move" not in words(await party.say("carla", f"/hint {code}"))


async def test_people_who_play_for_ratings_get_none_unless_they_chose_so(party: Party) -> None:
    await party.started("/play annuvin @bruno")
    assert "without hints" in words(await party.say(party.mover, "/hint"))
    more = await party.press(party.mover, button(party.newest.card, "more"))
    assert "hint" not in [read_press(entry.press).deed for entry in buttons(card(more))]
    code = await party.started("/play fagocitare @bruno hints:yes")
    assert "good move" in words(await party.say(party.mover, f"/hint {code}"))


async def test_a_casual_game_can_be_without(party: Party) -> None:
    await party.say("anna", "/play annuvin @bruno rated:no hints:no")
    assert "Not for the leaderboard · No hints" in party.newest.text
    await party.press("bruno", button(party.newest.card, "join"))
    assert words(await party.say(party.mover, "/hint")) == "This game was started without hints."


@pytest.mark.usefixtures("code")
async def test_long_hint_search_answers_at_once(party: Party, thoughts: Thoughts) -> None:
    party.front.context.advice.timeout_seconds = 0.01
    mover = party.mover
    thoughts.may_end.clear()
    first = await party.say(mover, "/hint")
    again = await party.press(mover, button(card(first), "hinted"))
    assert all("is thinking" in words(each) for each in (first, again))
    thoughts.may_end.set()
    async with asyncio.timeout(60):
        while "is thinking" in words(again):
            again = await party.press(mover, button(card(first), "hinted"))
    assert again.update
    assert "good move" in words(again)
    assert len(thoughts.asked) == 1


async def test_one_search_at_a_time(party: Party, thoughts: Thoughts) -> None:
    party.front.context.advice.timeout_seconds = 0.01
    codes: dict[str, list[str]] = {}
    for key in ("annuvin", "fagocitare", "real-queen"):
        code = await party.started(f"/play {key} @bruno rated:no")
        codes.setdefault(party.mover, []).append(code)
    thoughts.may_end.clear()
    who, (one, other, *_) = max(codes.items(), key=lambda each: len(each[1]))
    assert "is thinking" in words(await party.say(who, f"/hint {one}"))
    assert "something else" in words(await party.say(who, f"/hint {other}"))
    thoughts.may_end.set()


@pytest.mark.usefixtures("code")
async def test_a_search_that_fails_says_so(party: Party, thoughts: Thoughts) -> None:
    thoughts.broken = True
    assert "could not find an answer" in words(await party.say(party.mover, "/hint"))
    thoughts.broken = False
    assert "good move" in words(await party.say(party.mover, "/hint"))


def test_a_chain_of_captures_is_marked_from_cell_to_cell() -> None:
    position = {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "to_move": 0,
        "pieces": [["a1", "d5", "g7"], ["a2", "c3", "c4"]],
        "reserve": [0, 0],
        "lost": [3, 3],
        "moving": None,
    }
    state = games["annuvin"].load(position)
    assert hint_marks(state, state.parse("d5xc4xc3xa2")) == Hint(
        (HintStep("c4", "d5", True, "1"), HintStep("c3", "c4", True, "2"), HintStep("a2", "c3", True, "3")), "capture"
    )


def test_a_single_step_has_no_number_also_where_it_captures_elsewhere_and_what_names_no_cell_is_not_marked() -> None:
    roll = games["uomo-nero"].start(3, {})
    assert hint_marks(roll, [roll.chance_outcomes()[0][0]]) is None
    state = games["fagocitare"].start(2, {})
    assert hint_marks(state, state.parse("e5")) == Hint((HintStep("e5"),), "draw")
    for text in ("b4", "c4"):
        state = state.play(state.read(text))
    assert hint_marks(state, state.parse("d4")) == Hint((HintStep("d4", None, True),), "draw")


async def test_a_proven_win_is_called_so(party: Party) -> None:
    await party.started("/play annuvin @bruno board:square rated:no")
    for move in ("a1-a2", "a4-a3", "d1-c2"):
        await party.say(party.mover, f"/move {move}")
    assert "captures the piece on a2 and is proven to win." in words(await party.say(party.mover, "/hint"))


async def test_who_follows_hints_is_not_sent_back_where_they_came_from(
    party: Party, thoughts: Thoughts, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only takes back the turn before is left out of the search."""
    left_out = list[str]()
    analyse = thoughts.analyse

    async def watched(*arguments: Any, avoid: Collection[str], **options: Any) -> tuple[Judged, ...]:
        left_out.extend(avoid)
        return await analyse(*arguments, avoid=avoid, **options)

    monkeypatch.setattr(thoughts, "analyse", watched)
    for move in ("b1-b2", "b5-b4"):
        await party.say(party.mover, f"/move {move}")
    assert "good move" in words(await party.say(party.mover, f"/hint {code}"))
    assert "b2-b1" in left_out


async def test_a_hint_means_the_board_touched_last(party: Party) -> None:
    await party.say("anna", "/puzzle")
    await party.wait(minutes=1)
    code = await party.started("/play annuvin @bruno board:square rated:no")
    if await party.mover_of(code) == "bruno":
        await party.play_first(code)
    await party.wait(minutes=1)
    said = await party.say("anna", "/hint")
    assert f"For Annuvin · Bruno · {code}:" in words(said), "it is her turn there, and the answer says which board"
    await party.play_first(code)
    refused = await party.say("anna", "/hint")
    assert f"Annuvin · Bruno · {code} is the board that you used last, and there it is Bruno's turn" in words(refused)
    assert await hints_of_puzzle(party) == 0, "none is spent"
    await party.follow("anna", refused, "Hint for the puzzle")
    assert await hints_of_puzzle(party) == 1
    await party.wait(minutes=1)
    await party.say("anna", "/hint")
    assert await hints_of_puzzle(party) == 2, "now the puzzle is newer"


async def test_a_command_for_games_asks_which_where_a_puzzle_is_open(party: Party) -> None:
    code = await party.started("/play annuvin @bruno board:square rated:no")
    await party.play_first(code)
    await party.say("anna", "/puzzle")
    attempt = present(await party.store.puzzles.get_last_attempt(await party.id_of("anna")))
    for command in ("undo", "resign", "draw", "pause", "board"):
        on_puzzle = replace(party.request("anna"), board=OpenBoard("puzzle", attempt_code(attempt.id)))
        reply = await party.front.typed_text(on_puzzle, f"/{command}")
        assert "Which game do you mean?" in words(reply)
        assert (await party.load_row(code)).status == "playing"
        assert any(code in entry.label for entry in buttons(card(reply)))
