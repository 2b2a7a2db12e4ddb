"""Taps and presses in an app that meet no network, come twice, or come by a host's own buttons; in a real browser."""

import pytest
from playwright.async_api import Request, expect

from engine import Action
from tests.apps.player import Player
from tests.apps.table import Table, banner
from tests.support.present import present
from tests.web.double_taps import DOUBLE_TAP_SECONDS, Finger
from tests.web.passing import has_said

UNCONFIRMED = "Not confirmed yet"


async def tap_without_a_network(table: Table) -> tuple[Player, int, Action]:
    """Have who is to move lose the network in the middle of a turn; return them, the revision, and the turn."""
    mover, _ = await table.names()
    player = await table.opens(mover)
    await player.is_ready()
    revision, action = (await table.world.row(table.code)).revision, await table.action()
    await player.cell(present(action.source)).tap()
    await expect(player.stage).to_have_attribute("data-revision", f"{revision}+")
    await player.page.context.set_offline(True)
    await player.cell(present(action.target)).tap()
    await expect(banner(player)).to_contain_text(UNCONFIRMED)
    return player, revision, action


async def is_played_once(table: Table, player: Player, revision: int, action: Action) -> None:
    """Wait until a turn is played and seen, and find that it counts once."""
    await player.shows((await table.world.until_revision(table.code, revision)).revision)
    moved = [event for event in await table.world.store.games.events(table.code) if event.kind == "action"]
    assert [str(event.data["action"]) for event in moved].count(str(action)) == 1


async def test_tap_without_a_network_is_kept_and_counts_once(table: Table) -> None:
    player, revision, action = await tap_without_a_network(table)
    for _ in range(8):
        await expect(banner(player)).to_contain_text(UNCONFIRMED)
        await player.page.clock.fast_forward(8000)
    await expect(player.root).to_have_attribute("data-live", "false")
    assert (await table.world.row(table.code)).revision == revision
    await player.page.context.set_offline(False)
    await is_played_once(table, player, revision, action)
    await expect(player.root).to_have_attribute("data-live", "true")
    await expect(banner(player)).to_be_hidden()


async def test_double_tap_counts_once(table: Table) -> None:
    mover, _ = await table.names()
    player = await table.opens(mover, clock=False)
    await player.is_ready()
    revision, action = (await table.world.row(table.code)).revision, await table.action()
    source, target, finger = player.cell(present(action.source)), player.cell(present(action.target)), Finger()
    presses: list[str] = []

    def count(request: Request) -> None:
        if request.url.endswith("/api/press"):
            presses.append(request.url)

    player.page.on("request", count)
    # The second tap comes when the first one has been answered.
    await finger.tap(source)
    await expect(player.stage).to_have_attribute("data-revision", f"{revision}+")
    await finger.tap(source, DOUBLE_TAP_SECONDS)
    # A tap of its own takes the choice back, and another one chooses again.
    for shown in (str(revision), f"{revision}+"):
        await finger.tap(source)
        await expect(player.stage).to_have_attribute("data-revision", shown)
    await finger.tap(target)
    row = await table.world.until_revision(table.code, revision)
    await player.shows(row.revision)
    await finger.tap(player.stage.locator(f'[data-cell="{action.target}"]'), DOUBLE_TAP_SECONDS)
    await finger.tap(player.stage.get_by_role("button", name="More"))
    await expect(player.stage.locator("#stage-more")).to_be_visible()
    await expect(player.stage.locator(".word")).to_have_count(0)
    assert len(presses) == 4


async def test_hosts_buttons_throw_no_choices_away(table: Table) -> None:
    player = await table.opens("Anna")
    client, panel = table.world.client(player), player.frame.locator("#newgame")

    async def has_only_back() -> None:
        """See that the back button is shown, and that the main one cannot be pressed."""
        await client.until_event("web_app_setup_back_button", is_visible=True)
        with pytest.raises(AssertionError, match="cannot be pressed"):
            await client.press_main()

    await client.press_back()
    await expect(player.frame.locator("#home-games .key")).to_have_count(1)
    await player.page.clock.fast_forward(1000)
    await client.press_main()
    await panel.get_by_role("button", name="Annuvin").tap()
    await panel.get_by_label("How strong?").select_option("3")
    await has_only_back()
    await expect(panel.get_by_label("How strong?")).to_have_value("3")
    # Out of the panel step by step; two presses in haste are one.
    await player.page.clock.pause_at(await player.page.evaluate("Date.now() + 1000"))
    for _ in range(2):
        await client.press_back()
    await expect(panel.get_by_role("heading", name="New game")).to_be_visible()
    await has_only_back()
    await player.page.clock.run_for(1000)
    await client.press_back()
    await expect(panel).not_to_be_visible()
    with pytest.raises(AssertionError, match="cannot be pressed"):
        await client.press_back()


async def test_tap_without_a_network_outlives_the_page(table: Table) -> None:
    player, revision, action = await tap_without_a_network(table)
    address = player.page.url
    # What is tapped meanwhile is not sent, which is said.
    await player.page.clock.fast_forward(1000)
    await player.cell(present(action.source)).tap()
    await has_said(player.frame, "Not sent")
    await player.page.goto("about:blank")
    await player.page.context.set_offline(False)
    await player.page.goto(address)
    await is_played_once(table, player, revision, action)
    assert await player.page.evaluate("localStorage.getItem('unconfirmed')") == "[]"
    # What was not confirmed long ago is said and not sent.
    person = f"Telegram {table.world.apps.number(player.name)}"
    body = {"event": "e" * 24, "text": "/play annuvin"}
    old = {"person": person, "path": "/api/say", "at": 0, "body": body}
    await player.page.evaluate("old => localStorage.setItem('unconfirmed', JSON.stringify([null, {}, old]))", old)
    await player.page.goto("about:blank")
    await player.page.goto(address)
    await has_said(player.frame, "was not confirmed before you left")
    assert await player.page.evaluate("localStorage.getItem('unconfirmed')") == "[]"


async def test_new_game_without_a_network_keeps_the_choices_or_says_why_not(table: Table) -> None:
    player = await table.opens("Anna")
    await player.is_ready()
    client, panel = table.world.client(player), player.frame.locator("#newgame")
    await expect(panel).to_have_attribute("data-ready", "true")
    await player.page.context.set_offline(True)
    # The list of games was never loaded.
    await client.press_back()
    await player.page.clock.fast_forward(1000)
    await client.press_main()
    await has_said(player.frame, "does not answer")
    await player.page.context.set_offline(False)
    await player.page.clock.fast_forward(20_000)
    await expect(player.frame.locator("#home-games .key")).to_have_count(1)
    await player.page.context.set_offline(True)
    await client.press_main()
    await panel.get_by_role("button", name="Annuvin").tap()
    await panel.get_by_label("How strong?").select_option("3")
    await panel.locator("button.primary").tap()
    await expect(banner(player)).to_contain_text(UNCONFIRMED)
    await player.page.context.set_offline(False)
    await expect(player.stage.locator(".board img")).to_be_visible()
