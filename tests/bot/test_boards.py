"""The one mechanism of private boards, tested on each kind: whose it is, old buttons, repeated events, typed lines."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.puzzle import puzzles_of
from bot.kernel.cards import Card
from bot.kernel.presses import (
    LESSON,
    LESSON_ANSWER,
    OPEN_PUZZLE,
    PUZZLE_ANSWER,
    PUZZLE_CONTROL,
    TRY_ANSWER,
    TRY_CONTROL,
    private_board,
    read_press,
)
from bot.kernel.requests import OpenBoard, Place, Reply
from tests.bot.party import Party, button, buttons, card, missing, words
from tests.support.present import present

ALONE: Final = Place("telegram", "77", kind="private")
PUZZLE: Final = next(each for each in puzzles_of("real-queen").values() if each.goal.kind == "win")


@dataclass(frozen=True)
class Kind:
    """A kind of board: how it is opened, a control that changes it, and what others read, with a way to their own."""

    name: str
    answers: str
    controls: str
    control: str
    opened: Callable[..., Awaitable[Reply]]
    refused: str
    again: str
    secret: bool = True


async def open_lesson(party: Party, **where: Any) -> Reply:
    return await party.say("anna", "/learn annuvin", **where)


async def open_puzzle(party: Party, **where: Any) -> Reply:
    return await party.press("anna", open_puzzle_press(PUZZLE.id), **where)


async def open_trial(party: Party, **where: Any) -> Reply:
    code = await party.started("/play annuvin @bruno board:square")
    await party.wait(minutes=1)
    await party.say("anna", f"/try {code} b1-b2", **where)
    return await party.say("anna", f"/try {code}", **where)


KINDS: Final = (
    Kind("lesson", LESSON_ANSWER, LESSON, "skip", open_lesson, "somebody else's", "learn", secret=False),
    Kind("puzzle", PUZZLE_ANSWER, PUZZLE_CONTROL, "hint", open_puzzle, "somebody else's", OPEN_PUZZLE),
    Kind("try", TRY_ANSWER, TRY_CONTROL, "on", open_trial, "nothing tried out", "try"),
)


@pytest.fixture(params=KINDS, ids=[kind.name for kind in KINDS])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def board_of(shown: Card) -> OpenBoard:
    return present(private_board(each.press for each in buttons(shown)))


def control(shown: Card, deed: str) -> str:
    return next(each.press for each in buttons(shown) if each.press.endswith(f"={deed}"))


def answers(shown: Card, kind: Kind) -> list[str]:
    carried = [each.press for each in buttons(shown)] + list(shown.presses.values())
    return [each for each in carried if read_press(each).deed == kind.answers]


async def test_it_is_opened_for_one_person_and_nobody_else_can_press_it(party: Party, kind: Kind) -> None:
    reply = await kind.opened(party)
    assert (reply.private, reply.apart, reply.update, reply.secret) == (True, True, False, kind.secret)
    assert board_of(card(reply)).kind == kind.name
    answer = answers(card(reply), kind)[0]
    for each in (control(card(reply), kind.control), answer):
        refused = await party.press("bruno", each)
        assert kind.refused in words(refused)
        assert button(card(refused), kind.again)
    again = await party.press("anna", answer)
    assert (again.private, again.update, again.secret) == (True, True, kind.secret)
    assert kind.refused not in words(again)


async def test_an_event_is_done_once_and_an_old_button_shows_the_board_as_it_is(party: Party, kind: Kind) -> None:
    old = card(await kind.opened(party))
    pressed = control(old, kind.control)
    first = await party.press("anna", pressed, event="e-1")
    party.restarted()
    again = await party.press("anna", pressed, event="e-1")
    assert (words(again), again.secret) == (words(first), kind.secret)
    assert answers(card(again), kind) == answers(card(first), kind)
    revision = read_press(control(card(first), kind.control if kind.name != "try" else "back")).revision
    for each in (answers(old, kind)[0], pressed):
        shown = await party.press("anna", each)
        assert shown.update
        assert {read_press(press).revision for press in answers(card(shown), kind)} == {revision}


async def test_what_is_typed_beside_the_open_board_means_it(party: Party, kind: Kind) -> None:
    opened = board_of(card(await kind.opened(party)))

    async def typed(text: str) -> Reply:
        return await party.front.typed_text(replace(party.request("anna"), board=opened), text)

    assert (await typed("what a nice day")).talk
    for text in ("z9-z9", "/move z9-z9"):
        refused = await typed(text)
        assert "z9" in words(refused)
        assert answers(card(refused), kind), "the board is there, with the reason"


async def test_what_is_typed_in_ones_own_chat_means_the_board_touched_last(party: Party, kind: Kind) -> None:
    other = KINDS[1 if kind.name == "lesson" else 0]
    for each in (kind, other):
        await each.opened(party, place=ALONE)
        assert answers(card(await party.say("anna", "a1-a1", place=ALONE)), each)
        await party.wait(minutes=1)


async def test_a_game_that_has_begun_to_wait_since_is_meant(party: Party, kind: Kind) -> None:
    await kind.opened(party)
    await party.wait(minutes=1)
    code = await party.started("/play fagocitare @bruno")
    if party.mover == "bruno":
        await party.say("bruno", "e5")
    typed = await party.say("anna", "d4")
    assert typed.card is None or not answers(typed.card, kind)
    waits = [each.id for each in await party.store.games.list_for_person(await party.id_of("anna")) if each.waiting]
    assert code not in waits or len(waits) > 1, "it was played there, or asked for which game it is"


async def test_a_suggestion_in_a_lesson_can_be_followed_by_either_cell(party: Party) -> None:
    reply = await open_lesson(party)
    hinted = card(await party.press("anna", control(card(reply), "hint")))
    assert missing(words(Reply(hinted)), "d2-d3") == []
    assert {"d2", "d3"} <= set(hinted.presses)
    chosen = card(await party.press("anna", hinted.presses["d2"]))
    assert "d3" in chosen.presses
    done = await party.press("anna", chosen.presses["d3"])
    assert button(card(done), LESSON).press.endswith("=next")
