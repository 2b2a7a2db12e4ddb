"""Guessing the next turn on the page: one guess for each browser, none for names of players, nothing for others."""

from typing import Any

from tests.web.browser import Tab, list_buttons
from tests.web.hall import Hall, read_status


async def agree(hall: Hall) -> str:
    """Have those who play agree; return the text of a turn that can be guessed."""
    for tab in (hall.anna, hall.bruno):
        await tab.say(f"/guess agree game:{hall.code}")
    return (await hall.mover())[1]


async def views(hall: Hall, tab: Tab) -> list[Any]:
    """Return all that the page tells somebody: their messages, the board, its turns, and what completion offers."""
    await hall.settled()
    as_, browser = tab.me["user"], tab.browser
    paths = (f"/api/board?as={as_}&game={hall.code}", f"/api/turns?as={as_}&game={hall.code}")
    asked = [(await browser.get(path)).data for path in paths]
    completed = [(await tab.send("/api/complete", text=text, cursor=len(text))).data for text in ("/guess ", "/move ")]
    return [await tab.sees(), *asked, *completed]


async def test_guess_is_hidden_from_others_until_the_turn_is_played(hall: Hall) -> None:
    text = await agree(hall)
    others = (hall.anna, hall.bruno, hall.again)
    before = [await views(hall, tab) for tab in others]
    await hall.eve.say(f"/guess {text} game:{hall.code}")
    assert "Nobody else sees it before the turn is played" in await read_status(hall.eve)
    (guess,) = await hall.store.guesses.list_in_game(hall.code)
    assert guess.actions == (text,)
    assert [await views(hall, tab) for tab in others] == before
    # Neither by the buttons of Eve's private words, pressed by others.
    private = next(each for each in reversed(await hall.eve.sees()) if each["private"])
    for tab in others:
        for each in list_buttons(private):
            await tab.press(private["id"], each["press"])
        assert not any("You guess that" in str(message) for message in await tab.sees())


async def test_a_browser_has_one_guess_and_none_where_one_of_its_names_plays(hall: Hall) -> None:
    text = await agree(hall)
    await hall.again.say(f"/guess {text} game:{hall.code}")
    assert "You play in this game" in await read_status(hall.again)
    assert await hall.store.guesses.list_in_game(hall.code) == []
    other = await hall.eve.browser.name("Eve again")
    await hall.eve.say(f"/guess {text} game:{hall.code}")
    await other.say(f"/guess {text} game:{hall.code}")
    assert "This browser has another name's guess at this turn already" in await read_status(other)
    assert [each.person for each in await hall.store.guesses.list_in_game(hall.code)] == [hall.eve.person]


async def test_banned_person_cannot_guess(hall: Hall) -> None:
    text = await agree(hall)
    await hall.anna.browser.manage(hall.secret())
    await hall.anna.say("/ban @Eve")
    answer = await hall.eve.say(f"/guess {text} game:{hall.code}")
    assert (answer.status, answer.refusal) == (403, "ban")
    answer = await hall.eve.press(1, f"guess:{hall.code}:0")
    assert (answer.status, answer.refusal) == (403, "ban")
    assert await hall.store.guesses.list_in_game(hall.code) == []
