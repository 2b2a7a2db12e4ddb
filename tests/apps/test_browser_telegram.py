"""The Mini App in a real browser, in a client that speaks as Telegram's documents say."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.async_api import expect

from engine import games
from engine.search import Judged
from tests.apps.hosts import GROUP
from tests.apps.world import MAX_BYTES_BEFORE_THE_FIRST_BOARD, SHORT, World
from tests.fakes.telegram.mini_app import DARK
from tests.support.present import present
from tests.web.accessibility import violations

BEFORE_THE_QUEEN = """
    a4 a7 b1 d6 b7 g6 d3 c7 g4 c4 g7 a3 c2 f3 f1 g3 e6 f7 d7 g2
    a2 g5 a1 d1 e1 c6 d5 e3 f2 b5 f6 b6 c5 d2 a5 c3 d4 b3 b4 f5
"""
"""Placements of a game of Real Queen, after which the queens may come in."""


async def play_in_chat(world: World, code: str, moves: Iterable[str]) -> None:
    """Have these be played in the chat, each by the player to move: nobody looks at its board meanwhile."""
    named = await world.names(code)
    for move in moves:
        row = await world.row(code)
        await world.front.press(world.apps.in_chat(named[row.to_move or 0]), f"text:{code}:{row.revision}={move}")


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=() if key == "annuvin" else pytest.mark.full) for key in games]
)
async def test_two_people_play_a_whole_game_by_touch(world: World, key: str) -> None:
    code = await world.apps.game("Anna", "Bruno", play=f"/play {key} seats:2 {SHORT.get(key, '')}".strip())
    opened = {"Anna": await world.opens("Anna", code), "Bruno": await world.opens("Bruno", code, native=False)}
    for player in opened.values():
        await player.is_ready()
    named = await world.names(code)
    await world.play_to_the_end(code, {person: opened[name] for person, name in named.items()})
    row = await world.row(code)
    for player in opened.values():
        await player.shows(row.revision)
        await expect(player.stage.locator(".cell")).to_have_count(0)
        await expect(player.stage.locator("#stage-rows .key").first).to_be_visible()
    # The chat has it, too.
    await world.front.delivery.run_until_idle()
    shown = [each.card.headline for each in world.apps.adapter.messages.values()]
    assert (code, "over") in [(each.code, each.status) for each in shown if each is not None]


async def test_the_app_opens_at_its_game_in_its_hosts_manner(world: World) -> None:
    anna = await world.opens("Anna", (await world.apps.game("Anna", "Bruno")), theme=DARK)
    await anna.is_ready()
    client = world.client(anna)
    await expect(anna.stage.locator(".board img")).to_be_visible()
    assert world.networks[0].received < MAX_BYTES_BEFORE_THE_FIRST_BOARD
    assert (await client.events("web_app_ready"), await client.events("web_app_expand")) == ([{}], [{}])
    await client.until_event("web_app_setup_back_button", is_visible=True)
    # The host's colours, its safe areas, and its change of both.
    await expect(anna.root).to_have_attribute("data-theme", "dark")
    assert (
        await anna.frame.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')") == "#17212b"
    )
    board = anna.stage.locator(".board img")
    dark = present(await board.get_attribute("src"))
    white = {"bg_color": "#ffffff", "section_bg_color": "#ffffff", "secondary_bg_color": "#f1f1f1"}
    await client.tell("theme_changed", {"theme_params": {**white, "text_color": "#000000"}})
    await expect(anna.root).to_have_attribute("data-theme", "light")
    # The board follows, and buttons are not white on white.
    await expect(board).not_to_have_attribute("src", dark)
    raised = "getComputedStyle(document.documentElement).getPropertyValue('--raised')"
    assert await anna.frame.evaluate(raised) == "#f1f1f1"
    touch = "getComputedStyle(document.getElementById('stage-board')).touchAction"
    assert await anna.frame.evaluate(touch) == "pinch-zoom"
    await client.tell("safe_area_changed", {"top": 40, "bottom": 20, "left": 0, "right": 0})
    await client.tell("content_safe_area_changed", {"top": 46, "bottom": 0, "left": 0, "right": 0})
    assert (present(await anna.stage.bounding_box())["y"], await violations(anna.page)) == (86, [])
    # Its back button leads to one's games, its main button to a new one.
    await client.press_back()
    await expect(anna.frame.locator("#home-games .key")).to_have_count(1)
    await client.until_event("web_app_setup_back_button", is_visible=False)
    await client.until_event("web_app_setup_main_button", text="New game")
    assert await violations(anna.page) == []
    await client.press_main()
    await expect(anna.frame.locator("#newgame")).to_be_visible()
    await client.press_back()
    await expect(anna.frame.locator("#newgame")).not_to_be_visible()
    # Loaded again it shows what was open, not the game of its link.
    await anna.frame.evaluate("document.documentElement.dataset.ready = 'before'; location.reload()")
    await anna.is_ready()
    await expect(anna.frame.locator("#home-games .key")).to_have_count(1)
    await anna.frame.locator("#home-games .key").tap()
    await expect(anna.stage.locator(".board img")).to_be_visible()


async def test_the_home_has_the_menu_whose_pages_are_sheets_with_forms_and_a_button_for_invitations(
    world: World,
) -> None:
    anna = await world.opens("Anna")
    await anna.is_ready()
    menu, sheet, client = anna.frame.locator("#home-rows button"), anna.frame.locator("#sheet"), world.client(anna)
    named = "Play, My games, Learn, Puzzle, Competitions, Leaderboard, Profile, Settings, Help"
    await expect(menu).to_have_text(named.split(", "))
    assert await violations(anna.page) == []
    await menu.filter(has_text="Settings").tap()
    look, zone = sheet.get_by_label("Look of the boards"), sheet.get_by_label("Time zone")
    await expect(look).to_have_value("auto")
    assert await violations(anna.page) == []
    await look.select_option("dark")
    await zone.fill("Atlantis")
    await sheet.get_by_role("button", name="Save").tap()
    await expect(zone).to_have_attribute("aria-invalid", "true")
    await expect(zone).to_be_focused()
    await zone.fill("Rome")
    await sheet.get_by_role("button", name="Save").tap()
    await expect(zone).to_have_value("Europe/Rome")
    await expect(sheet.get_by_text("Saved.")).to_be_visible()
    assert (await world.store.people.find("Anna"))[0].settings["theme"] == "dark"
    await client.press_back()
    await expect(sheet).not_to_be_visible()
    await menu.filter(has_text="Competitions").tap()
    await sheet.get_by_role("button", name="Cups").tap()
    await expect(sheet.get_by_text("Which game is the competition to be of?")).to_be_visible()
    await client.press_back()
    await menu.filter(has_text="Puzzle").tap()
    await expect(anna.stage.locator(".board img")).to_be_visible()
    await expect(sheet).not_to_be_visible()
    # By the host's main button an invitation can be made.
    await client.press_back()
    await client.until_event("web_app_setup_main_button", text="New game")
    await client.press_main()
    panel = anna.frame.locator("#newgame")
    await panel.locator(".game-card").first.tap()
    await panel.locator("input[value=invitation]").check()
    await panel.locator("button[type=submit]").tap()
    await expect(anna.stage.get_by_role("button", name="Call it off")).to_be_visible()
    (code,) = await world.store.games.list_ids()
    assert (await world.row(code)).status == "lobby"


async def test_a_lesson_is_open_again_after_the_page_is_loaded_anew(world: World) -> None:
    anna = await world.opens("Anna")
    await anna.is_ready()
    await anna.frame.locator("#home-rows button").filter(has_text="Learn").tap()
    await anna.frame.locator("#sheet").get_by_role("button", name="Annuvin").tap()
    await anna.cell("d2").tap()
    await anna.cell("d3").tap()
    await expect(anna.stage.get_by_text("That is all there is to a move")).to_be_visible()
    await anna.frame.evaluate("document.documentElement.dataset.ready = 'before'; location.reload()")
    await anna.is_ready()
    await expect(anna.stage.get_by_text("That is all there is to a move")).to_be_visible()
    await anna.stage.get_by_role("button", name="Go on").tap()
    await expect(anna.stage.get_by_text("step 2 of 8")).to_be_visible()
    await world.client(anna).press_back()
    await expect(anna.frame.locator("#home-rows")).to_be_visible()
    await anna.frame.evaluate("document.documentElement.dataset.ready = 'before'; location.reload()")
    await anna.is_ready()
    await expect(anna.frame.locator("#home-rows")).to_be_visible()


async def test_a_move_from_the_chat_is_seen_at_once_and_a_lost_network_loses_nothing(world: World) -> None:
    code = await world.apps.game("Anna", "Bruno")
    row, named = await world.row(code), await world.names(code)
    mover = named[row.to_move or 0]
    other = next(name for name in named.values() if name != mover)
    moved = asyncio.Event()

    async def move_meanwhile(path: str) -> None:
        # The first answer is old when it comes: in the chat they answer the board, and the app has received that.
        if not path.endswith("/api/board") or moved.is_set():
            return
        moved.set()
        move = (await world.state(code)).legal_actions()[0]
        await world.apps.presses(mover, f"text:{code}:{row.revision}={move}", GROUP)
        news = f'"revision":{(await world.row(code)).revision}'
        async with asyncio.timeout(60):
            while not any(news in each for each in world.networks[0].received_messages):
                world.networks[0].message_came.clear()
                await world.networks[0].message_came.wait()

    player = await world.opens(other, on_answer=move_meanwhile)
    await player.is_ready()
    await player.frame.locator(f'#home-games [data-code="{code}"]').tap()
    row = await world.until_revision(code, row.revision)
    await player.shows(row.revision)
    # In the middle of a turn the network goes, while the other player opens the app.
    action = (await world.state(code)).legal_actions()[0]
    await player.cell(present(action.source)).tap()
    await expect(player.stage).to_have_attribute("data-revision", f"{row.revision}+")
    await world.networks[0].cut()
    await expect(player.root).to_have_attribute("data-live", "false")
    await player.cell(present(action.target)).tap()
    waits = await world.opens(mover, code)
    await waits.is_ready()
    await waits.shows(row.revision)
    world.networks[0].down = False
    row = await world.until_revision(code, row.revision)
    for each in (player, waits):
        await each.shows(row.revision)
    # The program ends and starts anew in the middle of the next turn: the page goes on by itself, the turn with it.
    action = (await world.state(code)).legal_actions()[0]
    await waits.cell(present(action.source)).tap()
    await expect(waits.stage).to_have_attribute("data-revision", f"{row.revision}+")
    await world.restart()
    for each in (player, waits):
        await expect(each.root).to_have_attribute("data-live", "true")
    await waits.cell(present(action.target)).tap()
    row = await world.until_revision(code, row.revision)
    for each in (player, waits):
        await each.shows(row.revision)


async def test_confirmed_move_is_shown_in_the_app(world: World) -> None:
    code = await world.apps.game("Anna", "Bruno", play="/play real-queen")
    await play_in_chat(world, code, BEFORE_THE_QUEEN.split())
    row = await world.row(code)
    player = await world.opens((await world.names(code))[row.to_move or 0], code)
    await player.is_ready()
    state = await world.state(code)
    await player.play(state, state.read("Qa6"))
    await player.shows((await world.until_revision(code, row.revision)).revision)


async def test_a_forged_launch_shows_words_and_nothing_else(world: World) -> None:
    eve = await world.opens("Eve", data="user=%7B%22id%22%3A1%7D&auth_date=1&hash=00", locale="it-IT")
    await expect(eve.frame.locator("#out")).to_contain_text("Non è stato possibile verificare chi sei")
    await expect(eve.frame.locator("#app")).to_be_hidden()
    assert await violations(eve.page) == []


async def test_an_analysis_shows_its_progress_and_its_result(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await world.apps.game("Anna", "Bruno", play="/play annuvin board:square")
    await play_in_chat(world, code, [str((await world.state(code)).legal_actions()[0])])
    await world.apps.presses("Anna", f"resign!:{code}:{(await world.row(code)).revision}", GROUP)
    # A look is told at once that it takes longer, and it does until the test lets it go on.
    advice, goes_on = world.front.context.advice, asyncio.Event()
    search = advice.thinkers.analyse

    async def slowly(*arguments: Any, **more: Any) -> tuple[Judged, ...]:
        await goes_on.wait()
        return await search(*arguments, **more)

    monkeypatch.setattr(advice, "timeout_seconds", 0)
    monkeypatch.setattr(advice.thinkers, "analyse", slowly)
    anna = await world.opens("Anna", code)
    await anna.is_ready()
    await anna.stage.get_by_role("button", name="Analyse").tap()
    await expect(anna.stage.locator(".search progress")).to_be_visible()
    goes_on.set()
    await expect(anna.stage).to_contain_text("How the chances went")
    await expect(anna.stage.get_by_role("img", name="The chances of everybody")).to_be_visible()
    await expect(anna.stage.locator(".search")).to_have_count(0)
