"""What is typed on the page means the board that is open there; what a browser says of it is checked."""

from typing import Any, Final

from tests.web.browser import Json, Tab, list_buttons
from tests.web.hall import Hall, find_newest_button, read_status


async def second_game(hall: Hall) -> str:
    """Have Anna and Bruno begin another game, so that nobody knows without a board which is meant; return its code."""
    await hall.anna.say("/play annuvin @Bruno board:square rated:no")
    await hall.settled()
    return await hall.join(hall.bruno, hall.anna)


async def revision(hall: Hall, code: str) -> int:
    return (await hall.game(code)).revision


def text_of(message: Json) -> str:
    return "".join(span["text"] for span in message["card"]["text"])


async def lesson(tab: Tab, game: str) -> int:
    """Open the lesson of a game and return the message that it stands in."""
    await tab.say(f"/learn {game}")
    message, _ = await find_newest_button(tab, "l")
    return message


async def test_a_move_a_hint_and_resigning_mean_the_open_board(hall: Hall) -> None:
    games = [hall.code, await second_game(hall)]
    for code, other in (games, games[::-1]):
        tab, move = await hall.mover(code)
        before = await revision(hall, other)
        await tab.say("/hint", open={"game": code})
        if code == hall.code:
            assert "without hints" in await read_status(tab)
        else:
            message, play = await find_newest_button(tab, "text:")
            assert play.split(":")[1] == code
            shown = next(each for each in await tab.sees() if each["id"] == message)
            assert shown["parent"] is not None, "it hangs below its board"
        await tab.say("/resign", open={"game": code})
        assert (await find_newest_button(tab, "resign!:"))[1].split(":")[1] == code
        await tab.say("/try", open={"game": code})
        assert (await find_newest_button(tab, "t:"))[1].split(":")[1] == code
        offered = (await tab.send("/api/complete", text="/move ", cursor=6, open={"game": code})).data["items"]
        assert any(each["text"] == f"/move {move}" for each in offered) or len(offered) > 1
        at = await revision(hall, code)
        assert (await tab.say(move, open={"game": code})).data == {"played": True}
        assert await revision(hall, code) > at
        assert await revision(hall, other) == before
        await tab.say("/undo", open={"game": code})
        assert (await hall.store.games.get(code)) is not None
        assert await revision(hall, other) == before


async def test_a_move_that_is_not_allowed_is_explained_below_the_open_board(hall: Hall) -> None:
    code = await second_game(hall)
    tab, _ = await hall.mover(code)
    assert (await tab.say("a1-a9", open={"game": code})).data == {"played": True, "onBoard": True}
    note = (await tab.sees())[-1]
    assert "Which game" not in text_of(note)
    assert note["parent"] is not None
    other = hall.bruno if tab is hall.anna else hall.anna
    assert (await other.say("a1-a2", open={"game": code})).data == {"played": True, "onBoard": True}
    assert "turn" in await read_status(other)
    # Talk stays talk.
    assert (await other.say("well played", open={"game": code})).data == {}


async def test_a_private_board_that_is_open_is_meant_though_games_wait(hall: Hall) -> None:
    games = [hall.code, await second_game(hall)]
    tab, move = await hall.mover(games[1])
    message = await lesson(tab, "fagocitare")
    await tab.say("/try", open={"game": games[1]})
    tried, press = await find_newest_button(tab, "t:")
    at = {code: await revision(hall, code) for code in games}
    before = next(each for each in await tab.sees() if each["id"] == message)
    assert (await tab.say("z9-z8", open={"message": message})).data == {"played": True, "onBoard": True}
    after = next(each for each in await tab.sees() if each["id"] == message)
    assert text_of(after) != text_of(before)
    await tab.say("/hint", open={"message": message})
    assert text_of(next(each for each in await tab.sees() if each["id"] == message)) != text_of(after)
    assert (await tab.send("/api/complete", text="/move ", cursor=6, open={"message": message})).data["items"]
    await tab.say(move, open={"game": games[1], "message": tried})
    on = next(each for each in await tab.sees() if each["id"] == tried)
    assert any(each["press"].startswith(press.split("=")[0].rpartition(":")[0]) for each in list_buttons(on))
    assert {code: await revision(hall, code) for code in games} == at


async def test_an_open_lesson_between_its_steps_is_meant_though_a_game_waits(hall: Hall) -> None:
    tab, move = await hall.mover(hall.code)
    message = await lesson(tab, "fagocitare")
    at = await revision(hall, hall.code)
    await tab.say("d4", open={"message": message})
    done = next(each for each in await tab.sees() if each["id"] == message)
    for typed in (move, f"/move {move}"):
        assert (await tab.say(typed, open={"message": message})).data["onBoard"]
        assert "leads to the next one" in text_of(next(each for each in await tab.sees() if each["id"] == message))
    assert text_of(done) not in ("", text_of(next(each for each in await tab.sees() if each["id"] == message)))
    assert await revision(hall, hall.code) == at


async def test_a_puzzle_that_is_open_is_meant_though_games_wait(hall: Hall) -> None:
    await second_game(hall)
    await hall.anna.say("/puzzle")
    message, _ = await find_newest_button(hall.anna, "z")
    assert (await hall.anna.say("z9-z8", open={"message": message})).data == {"played": True, "onBoard": True}
    shown = [list_buttons(each)[0]["press"] for each in await hall.anna.sees() if each["private"]]
    assert len([each for each in shown if each.startswith("z")]) == 1, "it goes on in its message"


NO_BOARDS: Final[tuple[Any, ...]] = (
    None, 7, "ABC123", [], {}, {"game": None}, {"game": "'; drop table games; --"}, {"game": "AAAAAA"},
    {"game": "C" * 4000}, {"game": {"x": 1}}, {"message": "1"}, {"message": -1}, {"message": 2**40},
    {"message": True},
)  # fmt: skip
"""What tells of no board that there is."""


async def test_a_board_that_there_is_not_counts_as_none(hall: Hall) -> None:
    await second_game(hall)
    await hall.anna.say("/help")
    assert "Which game" not in await read_status(hall.anna)
    for told_of in NO_BOARDS:
        await hall.anna.say("/help")
        await hall.anna.say("/resign", open=told_of)
        assert "Which game" in await read_status(hall.anna), told_of


async def test_moves_on_boards_of_others_are_refused(hall: Hall) -> None:
    message = await lesson(hall.anna, "fagocitare")
    before = next(each for each in await hall.anna.sees() if each["id"] == message)
    await hall.eve.say("a1-a2", open={"message": message})
    await hall.eve.say("/move a1-a2", open={"message": message})
    assert next(each for each in await hall.anna.sees() if each["id"] == message) == before
    _, move = await hall.mover(hall.code)
    at = await revision(hall, hall.code)
    # To a game that they only look at, what is said is talk; what is asked for is refused.
    assert (await hall.eve.say(move, open={"game": hall.code})).data == {}
    for line in (f"/move {move}", "/resign", "/undo", "/draw", "/hint"):
        await hall.eve.say(line, open={"game": hall.code})
        assert "Anna and Bruno" in await read_status(hall.eve) or "Bruno and Anna" in await read_status(hall.eve), line
    assert await revision(hall, hall.code) == at


async def why(tab: Tab, cell: str, at: str = "", **opened: Any) -> str:
    return str((await tab.send("/api/cell", cell=cell, at=at, open=opened)).data["why"])


async def test_unusable_cell_names_the_rule_in_the_way(hall: Hall) -> None:
    code = await second_game(hall)
    tab, move = await hall.mover(code)
    piece = move.split("-")[0]
    assert await why(tab, "c3", game=code) == "There is no piece on c3."
    far = await why(tab, "d4" if piece.startswith("a") else "a1", piece, game=code)
    await tab.say(f"{piece}-{'d4' if piece.startswith('a') else 'a1'}", open={"game": code})
    assert far == await read_status(tab), "as the typed move is refused"
    assert "turn" in await why((hall.bruno if tab is hall.anna else hall.anna), "c3", game=code)
    assert await why(hall.eve, "c3", game=code) == ""
    assert "rim" in await why(tab, "a1", message=(await lesson(tab, "fagocitare")))
    for cell in ("zz99", "a99"):
        assert await why(tab, cell, game=code) == ""
    for wrong in ("", "x'; --", 7, None):
        assert (await tab.send("/api/cell", cell=wrong, open={"game": code})).status == 404
    assert (await tab.send("/api/cell", cell="c3", at="x" * 100, open={"game": code})).status == 404
