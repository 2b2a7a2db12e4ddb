"""What only the room's manager may do, in the whole program behind the page: all others change nothing."""

import pytest

from tests.support.comparing import missing_from
from tests.web.hall import Hall, find_newest_button, read_status

NO = "Only those who manage this room can do that"


async def test_only_a_manager_ends_a_game_no_outsider_no_player_and_no_second_name(hall: Hall) -> None:
    before = await hall.game()
    await hall.eve.say("/help")
    assert NO not in await read_status(hall.eve)
    for tab in (hall.eve, hall.again, hall.bruno):
        message, _ = await find_newest_button(tab, "")
        await tab.press(message, f"close:{hall.code}:{before.revision}")
        assert NO in await read_status(tab)
        for line in (f"/close {hall.code}", "/close"):
            # Something else in between, so that the answer is seen to be a new one.
            await tab.say("/help")
            await tab.say(line)
            assert missing_from(await read_status(tab), NO, "tavoliere manager-link") == []
    await hall.settled()
    assert await hall.game() == before


async def test_only_a_manager_changes_the_settings_of_the_room(hall: Hall) -> None:
    before = (await hall.place()).settings
    for line in ("playing:off", "language:it", "theme:dark", "boards:newest"):
        await hall.eve.say("/help")
        await hall.eve.say(f"/settings {line} for:channel")
        assert NO in await read_status(hall.eve), line
        message, _ = await find_newest_button(hall.eve, "")
        await hall.eve.press(message, f"form=settings.1.ok.w:channel.{line}")
        assert NO in await read_status(hall.eve), line
    await hall.eve.press(message, "form=settings.1.g.w:channel.g:~annuvin")
    assert NO in await read_status(hall.eve)
    assert (await hall.place()).settings == before
    await hall.eve.say("/settings playing:off for:channel", language="it")
    assert "Può farlo solo chi gestisce questa stanza" in await read_status(hall.eve)


async def test_games_to_end_are_offered_to_managers_only(hall: Hall) -> None:
    await hall.eve.say("/play annuvin computer")
    await hall.settled()
    # Two games are running here: the room's manager is asked which one.
    await hall.again.say("/close")
    assert NO in await read_status(hall.again)
    with pytest.raises(AssertionError, match="close"):
        await find_newest_button(hall.again, "close:")
    assert (await hall.bruno.send("/api/complete", text="/close ", cursor=7)).data["items"] == []
    await hall.eve.browser.manage(hall.secret())
    carla = await hall.eve.browser.name("Carla")
    await carla.say("/close")
    await find_newest_button(carla, "close:")


async def test_the_manager_ends_a_stuck_game_and_closes_the_room(hall: Hall) -> None:
    assert (await hall.eve.browser.manage(hall.secret())).status == 200
    await hall.eve.say("/settings playing:off for:channel")
    assert (await hall.place()).settings["playing"] is False
    game = await hall.game()
    message, _ = await find_newest_button(hall.eve, "")
    await hall.eve.press(message, f"close:{hall.code}:{game.revision}")
    assert (await hall.status(), (await hall.game()).outcome) == ("over", {"reason": "closed"})


async def test_a_manager_who_plays_does_not_escape_from_a_loss(hall: Hall) -> None:
    await hall.bruno.browser.manage(hall.secret())
    before = await hall.game()
    for tab in (hall.bruno, hall.again):
        await tab.say(f"/close {hall.code}")
        assert "has not moved for a day" in await read_status(tab), "not by another name in the same browser either"
    assert await hall.game() == before


async def test_what_players_may_do_they_may_still(hall: Hall) -> None:
    await hall.press_newest(hall.anna, "more:")
    await hall.press_newest(hall.anna, "off:")
    await hall.settled()
    assert await hall.status() == "playing", "the other has to agree"
    await hall.press_newest(hall.bruno, "agree:")
    assert await hall.status() == "over"
    await hall.anna.say("/settings language:it")
    assert "Le tue impostazioni" in await read_status(hall.anna)
