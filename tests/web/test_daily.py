"""The day's puzzle on the page: for the room's manager to want, and everybody's to try."""

from tests.web.hall import Hall, find_newest_button, read_status


async def test_manager_switches_the_daily_puzzle_on_and_everyone_may_try_it(hall: Hall) -> None:
    anna, bruno, eve = hall.anna, hall.bruno, hall.eve
    await bruno.say("/puzzle daily:on")
    assert "Only those who manage this room" in await read_status(bruno)
    await eve.browser.manage(hall.secret())
    await eve.say("/settings timezone:Europe/Rome for:channel")
    await eve.say("/puzzle daily:on hour:0")
    await hall.front.jobs["puzzles"].run_until_idle()
    message, press = await find_newest_button(anna, "puzzle:")
    shown = next(each for each in await anna.sees() if each["id"] == message)
    assert not shown["private"]
    assert shown["card"]["calls"] == []
    before = len(await eve.sees())
    await anna.press(message, press)
    assert await find_newest_button(anna, "z:")
    assert len(await eve.sees()) == before
    await hall.front.jobs["puzzles"].run_until_idle()
    assert len(await eve.sees()) == before, "it has come, and comes no second time"
