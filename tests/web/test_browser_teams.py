"""An invitation to vote with a team, answered in a real browser, where those who were there before the start vote."""

from playwright.async_api import Browser, expect

from tests.support.settling import Settler
from tests.web.chromium import come_in
from tests.web.hall import Hall


async def test_who_is_named_for_the_other_side_is_asked_and_changes_it_by_one_press(
    hall: Hall, browser: Browser
) -> None:
    carla = await come_in(browser, hall.anna.browser.address, "Carla")
    dina = await come_in(browser, hall.anna.browser.address, "Dina")
    person = {name: (await hall.store.people.find(name, platform="web"))[0].id for name in ("Carla", "Dina")}
    code = (await hall.anna.say("/team annuvin against:channel time:1h")).data["open"]
    await hall.settled()
    await hall.eve.say(f"/team join:{code} name:Blues members:@Carla,@Dina")
    await hall.settled()
    teams = {team.team_name or "": team.id for team in (await hall.front.context.table(code)).teams}
    for name in person:
        assert await hall.store.teams.side_of(code, person[name]) == teams[""], "the channel's until they agree"
    # Who agrees changes sides, who does not stays.
    for page, button, words, side in (
        (carla, "I'm with Blues", "You vote with Blues", teams["Blues"]),
        (dina, "Not with Blues", "You do not vote with Blues", teams[""]),
    ):
        await page.locator(f"#log .game-line.playing[data-code='{code}']").click()
        await page.locator("#stage-rows").get_by_role("button", name=button).click()
        await expect(page.locator(".secret", has_text=words)).to_be_visible()
        name = "Carla" if page is carla else "Dina"
        assert await hall.store.teams.side_of(code, person[name]) == side
    assert await hall.store.teams.invitations(code) == []
    await Settler(hall.front).settle()
    for page in (carla, dina):
        await expect(page.locator("#stage-rows").get_by_role("button", name="Blues")).to_have_count(0)
