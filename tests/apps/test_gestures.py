"""What is seen and felt in the app: dragging, dice, turns played back, haptics, and every shape of window."""

import asyncio

from playwright.async_api import expect

from engine import games
from tests.apps.hosts import GROUP
from tests.apps.world import World
from tests.support.present import present
from tests.web.chromium import MOVING

SIZES = ((320, 568), (780, 390), (1280, 800))
WATCH = """() => {
  window.rolled = [];
  window.replayed = [];
  new MutationObserver(() => {
    const lying = document.querySelector(".dice.lies");
    if (lying) window.rolled.push(lying.textContent);
    const { replays, turn } = document.querySelector("#stage").dataset;
    const shown = turn || "now";
    if (replays && window.replayed.at(-1) !== shown) window.replayed.push(shown);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Notes which dice have come to lie, and which turns are played back: both are gone soon."""
FACES = "\u2680\u2681\u2682\u2683\u2684\u2685"


async def _plays_in_chat(world: World, code: str, name: str) -> None:
    """Have somebody play in the chat, whose board nobody looks at, until it is another's turn."""
    row, names = await world.row(code), await world.names(code)
    while names[row.to_move or 0] == name:
        move = (await world.state(code)).legal_actions()[0]
        await world.front.press(world.apps.in_chat(name), f"text:{code}:{row.revision}={move}")
        row = await world.until_revision(code, row.revision)


async def test_moves_and_turns_give_visible_and_haptic_feedback(world: World) -> None:
    key = next(key for key, game in games.items() if game.facts.rolls)
    dice = await world.apps.game("Anna", "Bruno", play=f"/play {key} seats:2")
    code = await world.apps.game("Anna", "Bruno", play="/play annuvin")
    # Anna has played, Bruno has, and it is Anna's turn again.
    for name in ("Bruno", "Anna", "Bruno"):
        await _plays_in_chat(world, code, name)
    await _plays_in_chat(world, dice, "Anna")
    anna = await world.opens("Anna", **MOVING)
    await anna.is_ready()
    client = world.client(anna)
    await anna.frame.evaluate(WATCH)

    # All since her last turn is played back: that one is shown first, and ends with the board as it is.
    await anna.frame.locator(f'#home-games [data-code="{code}"]').tap()
    turns = (await world.row(code)).turn
    await anna.frame.wait_for_function("turns => String(window.replayed) === turns", arg=f"now,{turns - 1},now")
    row = await world.row(code)
    await anna.shows(row.revision)
    await expect(anna.stage).to_have_attribute("data-turn", "")

    # In every shape of window the board and what can be pressed below or beside it are seen whole.
    for width, height in SIZES:
        await anna.page.set_viewport_size({"width": width, "height": height})
        for part in (".board img", "#stage-tools"):
            await expect(anna.stage.locator(part)).to_be_in_viewport(ratio=0.99)
    await anna.page.set_viewport_size({"width": 390, "height": 780})

    # A piece is dragged to where it can go.
    felt = len(await client.events("web_app_trigger_haptic_feedback"))
    move = next(each for each in (await world.state(code)).legal_actions() if each.source and each.target)
    await anna.drag(present(move.source), present(move.target))
    await world.until_revision(code, row.revision)
    feels = (await client.events("web_app_trigger_haptic_feedback"))[felt:]
    assert {"type": "impact", "impact_style": "light"} in feels

    # Bruno moves: Anna feels that it is her turn, and the dice roll before her eyes.
    await client.press_back()
    await anna.frame.locator(f'#home-games [data-code="{dice}"]').tap()
    await expect(anna.stage).to_have_attribute("data-game", dice)
    await anna.shows((await world.row(dice)).revision)
    await _plays_in_chat(world, dice, "Bruno")
    line = present((await world.front.context.table(dice)).line)
    assert line.begun is not None
    rolls = [action for action in line.begun.actions if action.verb in games[key].facts.rolls]
    fallen = "".join(FACES[number - 1] for number in rolls[-1].value)
    await anna.frame.wait_for_function("fallen => window.rolled.at(-1) === fallen", arg=fallen)
    await anna.shows((await world.row(dice)).revision)
    await client.until_event("web_app_trigger_haptic_feedback", type="notification", notification_type="warning")


async def test_late_answers_leave_another_game_as_it_is(world: World) -> None:
    first = await world.apps.game("Anna", "Bruno", play="/play annuvin")
    second = await world.apps.game("Anna", "Bruno", play="/play annuvin")
    for code in (first, second):
        await _plays_in_chat(world, code, "Bruno")
    asked, shown = asyncio.Event(), asyncio.Event()

    async def hold(path: str) -> None:
        if path.endswith(("/api/press", "/api/say")) and not shown.is_set():
            asked.set()
            await shown.wait()

    anna = await world.opens("Anna", first, on_answer=hold)
    await anna.is_ready()

    async def until_asked() -> None:
        async with asyncio.timeout(60):
            await asked.wait()
        asked.clear()

    async def goes_on_to(code: str) -> None:
        await world.client(anna).press_back()
        await anna.frame.locator(f'#home-games [data-code="{code}"]').tap()
        await expect(anna.stage).to_have_attribute("data-game", code)
        await anna.shows((await world.row(code)).revision)

    # A piece is chosen, and the reader goes on to the other game before the answer has come.
    await anna.cell(present((await world.state(first)).legal_actions()[0].source)).tap()
    await until_asked()
    await goes_on_to(second)
    row, state = await world.row(second), await world.state(second)
    action = state.legal_actions()[-1]
    await anna.cell(present(action.source)).tap()
    await until_asked()
    shown.set()
    await expect(anna.stage).to_have_attribute("data-at", present(action.source))
    await anna.cell(present(action.target)).tap()
    await anna.shows((await world.until_revision(second, row.revision)).revision)
    await expect(anna.stage).to_have_attribute("data-game", second)

    # What is wrong with a typed line is told below the game that it was typed for.
    await goes_on_to(first)
    shown.clear()
    await anna.stage.locator("#tool-more").tap()
    await anna.stage.locator('[data-key="type"]').tap()
    await anna.frame.locator('#note input[name="line"]').fill("a1-z9")
    await anna.frame.locator("#note .key.primary").tap()
    await until_asked()
    await goes_on_to(second)
    async with anna.page.expect_response("**/api/say"):
        shown.set()
    notes = anna.frame.locator("#stage-notes")
    await goes_on_to(first)
    await expect(notes).to_contain_text("z9")
    await goes_on_to(second)
    await expect(notes).to_be_hidden()


async def test_a_list_of_games_keeps_its_order_under_a_finger(world: World) -> None:
    codes = [await world.apps.game("Anna", "Bruno", play="/play annuvin") for _ in range(2)]
    for code in codes:
        await _plays_in_chat(world, code, "Bruno")
    shown = asyncio.Event()
    shown.set()

    async def hold(path: str) -> None:
        if path.endswith("/api/home"):
            await shown.wait()

    anna = await world.opens("Anna", on_answer=hold)
    await anna.is_ready()
    listed = anna.frame.locator("#home-games button")
    first, second = [present(await each.get_attribute("data-code")) for each in await listed.all()]
    await listed.first.tap()
    await anna.shows((await world.row(first)).revision)

    # She moves in the first one, while the list that she comes back to is still on its way.
    shown.clear()
    await world.client(anna).press_back()
    await _plays_in_chat(world, first, "Anna")
    async with anna.page.expect_response("**/api/home"):
        shown.set()
    await expect(listed.nth(0).locator(".state")).to_have_text("Waiting")
    await expect(listed.nth(0)).to_have_attribute("data-code", first)
    await listed.nth(1).tap()
    await expect(anna.stage).to_have_attribute("data-game", second)
    # Shown anew, what waits comes first.
    await world.client(anna).press_back()
    await expect(listed.first).to_have_attribute("data-code", second)


async def test_a_board_that_could_not_be_loaded_is_loaded_later(world: World) -> None:
    code = await world.apps.game("Anna", "Bruno", play="/play annuvin")
    await _plays_in_chat(world, code, "Anna")
    anna = await world.opens("Anna", code, clock=True)
    await anna.is_ready()
    await anna.shows((await world.row(code)).revision)
    await anna.page.route("**/api/board?*", lambda route: route.abort(), times=1)
    async with anna.page.expect_event("requestfailed"):
        await _plays_in_chat(world, code, "Bruno")
    await anna.page.clock.fast_forward(6000)
    await anna.shows((await world.row(code)).revision)


async def test_one_throw_rolls_once(world: World) -> None:
    key = next(key for key, game in games.items() if game.facts.rolls)
    code = await world.apps.game("Anna", "Bruno", play=f"/play {key} seats:2")
    # Until somebody has used one die of two.
    for _ in range(100):
        row, names = await world.row(code), await world.names(code)
        mover = names[present(row.to_move)]
        state = await world.state(code)
        moves = [move for move in state.legal_actions() if state.play(move).to_move == state.to_move]
        if moves and present((await world.front.context.table(code)).line).begun is not None:
            break
        await _plays_in_chat(world, code, mover)
    watcher = await world.opens("Anna", code, **MOVING)
    await watcher.is_ready()
    await watcher.shows(row.revision)
    await watcher.frame.evaluate(WATCH)
    await world.apps.presses(mover, f"text:{code}:{row.revision}={moves[0]}", GROUP)
    await watcher.shows((await world.row(code)).revision)
    assert await watcher.frame.locator(".dice").count() == 0
    await _plays_in_chat(world, code, mover)
    await watcher.frame.wait_for_function("() => window.rolled.length > 0")
