"""Looking at a whole game again: animated, on one sheet, or turn by turn where nothing can be drawn."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest

from bot.kernel.cards import MAX_ALT_LENGTH
from bot.kernel.requests import Place
from render.pool import Show, TooBusy, show
from storage import Store
from tests.bot.party import SQUARE, Party, button, buttons, card, missing, picture_of, words
from tests.support.present import present


class Cinema:
    """Animates each length of a game once, and remembers what was asked for; fails if told so."""

    _shows: ClassVar[dict[int, Show]] = {}

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.fault: Exception | None = None

    async def __call__(self, key: str, start: Any, turns: Any, **view: Any) -> Show:
        self.asked.append({"key": key, "turns": len(turns), **view})
        if self.fault is not None:
            raise self.fault
        if len(turns) not in self._shows:
            self._shows[len(turns)] = show(start, turns, **view)
        return self._shows[len(turns)]


@pytest.fixture
async def cinema() -> Cinema:
    """Where games are animated."""
    return Cinema()


@pytest.fixture
async def context(store: Store, cinema: Cinema) -> AsyncIterator[Party]:
    """A party whose games can be animated."""
    async with Party(store, animate=cinema) as party:
        yield party


async def finished(party: Party) -> str:
    code = await party.started(SQUARE)
    for move in ("a1-a2", "a4-a3"):
        await party.say(party.mover, move)
    await party.resign("bruno", code)
    return code


async def test_a_game_is_seen_again_as_an_animation_a_sheet_and_turn_by_turn(context: Party, cinema: Cinema) -> None:
    code = await finished(context)
    reply = await context.say("anna", "/replay")
    assert reply.private
    assert "the whole game, 3 turns" in words(reply)
    picture = picture_of(reply)
    animation = present(picture.animation)
    assert animation.gif.startswith(b"GIF89a")
    assert animation.name == f"annuvin-{code}.gif"
    assert picture.png.startswith(b"\x89PNG")
    assert picture.alt.startswith("Annuvin: the whole game as an animation of 3 turns. At the end: Annuvin, turn")
    assert "pieces on" in picture.alt
    assert len(picture.alt) <= MAX_ALT_LENGTH
    assert (cinema.asked[-1]["turns"], set(cinema.asked[-1]["names"])) == (3, {"Anna", "Bruno"})
    sheet = await context.press("anna", button(card(reply), "sheet"))
    assert missing(words(sheet), "at a glance", "The positions after these turns: 0, 1, 2, 3.") == []
    assert picture_of(sheet).animation is None
    assert picture_of(sheet).alt.startswith("The positions after these turns")
    turn = await context.press("anna", button(card(reply), "replay"))
    assert "turn 0 of 3" in words(turn)
    assert picture_of(await context.press("anna", button(card(turn), "film"))).animation is not None


async def test_game_can_be_animated_after_its_first_turn(context: Party, cinema: Cinema) -> None:
    await context.say("anna", SQUARE)
    code = context.code
    for deed in ("film", "sheet"):
        assert "has not started" in words(await context.press("anna", f"{deed}:{code}:0"))
    await context.press("bruno", button(context.newest.card, "join"))
    assert "turn 0 of 0" in words(await context.press("anna", f"film:{code}:0"))
    assert cinema.asked == []
    await context.say(context.mover, "a1-a2")
    assert "the whole game, one turn" in words(await context.press("anna", f"film:{code}:0"))


async def test_each_sees_it_in_their_theme_as_the_board_lies_there(context: Party, cinema: Cinema) -> None:
    await finished(context)
    await context.say("anna", "/settings theme:dark")
    for who in ("anna", "bruno"):
        await context.say(who, "/replay")
    assert [asked["theme"] for asked in cinema.asked] == ["dark", "light"]
    assert {asked["viewer"] for asked in cinema.asked} == {0}
    # Where one of the players is alone, it lies from their side.
    for who in ("anna", "bruno"):
        await context.say(who, "/replay", place=Place("web", f"{who}-alone", kind="private"))
    assert {asked["viewer"] for asked in cinema.asked[2:]} == {0, 1}
    assert len({asked["key"] for asked in cinema.asked}) == 1


@pytest.mark.parametrize("fault", [TooBusy(), RuntimeError("the worker died")])
async def test_what_cannot_be_animated_is_seen_turn_by_turn(context: Party, cinema: Cinema, fault: Exception) -> None:
    code = await finished(context)
    cinema.fault = fault
    for reply in (await context.say("anna", "/replay"), await context.press("anna", f"sheet:{code}:0")):
        assert "turn 3 of 3" in words(reply)
        assert {"⏮", "◀"} <= {each.label for each in buttons(card(reply))}
