"""Two names in one browser play each other as they like, but nobody's rating comes of it; they are told at once."""

from storage import GameRow
from tests.web.browser import Tab
from tests.web.hall import Hall, find_newest_button

OFFERED = "Two of these names belong to one browser, so this game will not count for the leaderboard."
BEGUN = "Two of the names that play share a browser, so this game does not count for the leaderboard."


async def opened(hall: Hall, starter: Tab, line: str) -> GameRow:
    """Have somebody put a game up and return it."""
    code = (await starter.say(line)).data["open"]
    await hall.settled()
    return await hall.game(code)


async def seen(hall: Hall, tab: Tab, game: str) -> str:
    """Return the words of a game's board."""
    await hall.settled()
    return "".join(span["text"] for span in (await tab.looks(game))["card"]["text"])


async def play_turns(hall: Hall, game: str) -> None:
    """Have two play three turns each, as the engine lists them first."""
    while True:
        playing = (await hall.front.context.table(game)).playing
        if all((playing.turn_count(seat) or 0) >= 3 for seat in (0, 1)):
            return
        mover, move = await hall.mover(game)
        await mover.say(f"/move {move} game:{game}")


async def resign(hall: Hall, tab: Tab, game: str) -> None:
    message, _ = await find_newest_button(tab, "")
    await tab.press(message, f"resign!:{game}:{(await hall.game(game)).revision}")
    await hall.settled()


async def ratings(hall: Hall, *tabs: Tab) -> int:
    return len(await hall.store.ratings.list_for_people([tab.person for tab in tabs]))


async def test_two_names_of_one_browser_farm_nothing(hall: Hall) -> None:
    for number in range(2):
        game = await opened(hall, hall.bruno, '/play annuvin @"Bruno again"')
        assert OFFERED in await seen(hall, hall.again, game.id)
        await hall.join(hall.again, hall.bruno)
        assert BEGUN in await seen(hall, hall.again, game.id)
        if number:
            await play_turns(hall, game.id)
            assert BEGUN not in await seen(hall, hall.bruno, game.id), "it was said when it began"
        await resign(hall, hall.again, game.id)
        assert [result.rated for result in await hall.store.games.results_of(game.id)] == [False, False]
        assert BEGUN in await seen(hall, hall.bruno, game.id)
    assert await ratings(hall, hall.bruno, hall.again) == 0


async def test_an_open_seat_that_the_other_name_takes_does_not_help(hall: Hall) -> None:
    game = await opened(hall, hall.bruno, "/play annuvin")
    assert OFFERED not in await seen(hall, hall.eve, game.id), "nobody has taken it yet"
    await hall.join(hall.again, hall.bruno)
    await play_turns(hall, game.id)
    await resign(hall, hall.again, game.id)
    assert await ratings(hall, hall.bruno, hall.again) == 0


async def test_a_name_that_comes_into_the_others_browser_before_the_end_does_not_help(hall: Hall) -> None:
    await play_turns(hall, hall.code)
    key = (await hall.anna.send("/api/key")).data["key"]
    assert (await hall.bruno.browser.post("/api/return", {"key": key})).status == 200
    await resign(hall, hall.bruno, hall.code)
    assert await ratings(hall, hall.anna, hall.bruno) == 0
    assert BEGUN in await seen(hall, hall.eve, hall.code)


async def test_names_of_two_browsers_rate_each_other(hall: Hall) -> None:
    assert BEGUN not in await seen(hall, hall.eve, hall.code)
    await play_turns(hall, hall.code)
    await resign(hall, hall.bruno, hall.code)
    assert [result.rated for result in await hall.store.games.results_of(hall.code)] == [True, True]
