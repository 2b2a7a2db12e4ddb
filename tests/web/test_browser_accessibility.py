"""The page without a mouse and without eyes: axe on every main screen, where the focus goes, what is read out."""

import re
from dataclasses import dataclass
from itertools import count, cycle, islice

import pytest
from playwright.async_api import Browser, Page, expect

from engine import State, games
from tests.support.present import present
from tests.web import short_game
from tests.web.accessibility import VIEWS, violations_in
from tests.web.chromium import come_in, enter_name, open_page
from tests.web.player import Player
from tests.web.program import Program


async def read_out(page: Page, *texts: str | re.Pattern[str]) -> None:
    """Wait until what happened at the table, or is asked there, has been read out."""
    for text in texts:
        await expect(page.locator("#said-table")).to_contain_text(text)


async def the_focus_is_on_the_board(page: Page) -> None:
    """Wait until a cell has the focus."""
    await expect(page.locator("#stage .cells button:focus")).to_have_count(1)


async def has_opened(page: Page, before: str | None) -> None:
    """Wait until another game than the one before is on the table, and asks."""
    await page.wait_for_function(
        "before => !['', before].includes(document.getElementById('stage').dataset.game)", arg=before
    )
    await expect(page.locator("#stage").locator(".cell, #stage-rows .key").first).to_be_visible()


@pytest.mark.parametrize("views", [1, pytest.param(len(VIEWS), marks=pytest.mark.full)])
async def test_axe_finds_nothing_on_any_screen(program: Program, browser: Browser, views: int) -> None:
    """With one view the screens of some games are looked at in turn on a phone and on a desk, with two all in both."""
    found: list[str] = []
    looked = count()

    async def look(page: Page, screen: str, *, at_length: bool = False) -> None:
        if at_length and views == 1:
            return  # all of it is in a screen that comes soon, or that another test looks at
        chosen = islice(cycle(VIEWS), next(looked) % len(VIEWS), None)
        found.extend(f"{screen}, {each}" for each in await violations_in(page, islice(chosen, views)))

    page = await open_page(browser, program.address)
    anna, stage, panel = Player(page), page.locator("#stage"), page.locator("#newgame")
    await expect(page.locator("#lobby-puzzle .tile")).to_be_visible()
    await look(page, "lobby of a guest", at_length=True)
    await page.locator("#come-in").click()
    await expect(page.locator("#name")).to_be_focused()
    await look(page, "welcome")
    await page.keyboard.type("Anna")
    await page.keyboard.press("Enter")
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    await look(page, "lobby", at_length=True)
    await anna.turns_to("talk")
    await page.locator("#speaker").click()
    await look(page, "names")
    await page.keyboard.press("Escape")

    await page.locator("#new-game").click()
    await look(page, "new game", at_length=True)
    await panel.locator(".game-card[data-game=annuvin]").click()
    await look(page, "new game, against whom", at_length=True)
    await panel.get_by_label("Anyone who gets an invitation").check()
    await panel.locator("summary").click()
    await look(page, "new game, all settings")
    await panel.get_by_role("button", name="Make the invitation").click()
    await expect(stage).to_contain_text("Who joins in?")
    await look(page, "open lobby")

    code = await stage.get_attribute("data-game")
    guest = await open_page(browser, f"{program.address}#join={code}", locale="it-IT")
    await expect(guest.locator("#names .invitation")).to_be_visible()
    await look(guest, "invitation")
    await enter_name(guest, "Luca", asked="Come ti chiami?")
    for each in (guest, page):
        await expect(each.locator("#stage .board img")).to_be_visible()
        await look(each, "game of two people", at_length=each is page)
    await page.locator("#tool-more").click()
    await look(page, "the tools' menu")
    await page.keyboard.press("Escape")

    for key in games if views > 1 else [*games][:: len(games) - 1]:
        before = await stage.get_attribute("data-game")
        await anna.says(f"/play {key} computer")
        await has_opened(page, before)
        await look(page, f"game of {key}")
        if key == "annuvin":
            await stage.locator(".cell").first.click()
            await expect(page.locator("#stage.choosing")).to_be_visible()
            await look(page, "half a move")
            await anna.says("/try")
            await expect(stage).to_contain_text("Type a line")
            await look(page, "tried out")
    on_the_table = {"/learn annuvin": "step 1 of 8", "/puzzle annuvin": "Solution", "/rules annuvin": "Rules"}
    for line, shown in on_the_table.items():
        await anna.says(line)
        await expect(stage).to_contain_text(shown)
        await look(page, line)
    await page.keyboard.press("Escape")
    sheets = {
        "/settings": "Language",
        "/help": "/play",
        "/profile": "Profile of",
        "/leaderboard annuvin": "Annuvin",
        "/cup annuvin": "A new competition",
    }
    # The tests of sheets look at them as well.
    for line, shown in sheets.items() if views > 1 else ():
        await anna.says(line)
        await expect(page.locator("#sheet, #log .message:last-child").filter(has_text=shown).first).to_be_visible()
        await look(page, line)
        await page.keyboard.press("Escape")
        await expect(page.locator("#sheet")).not_to_be_visible()

    await Player(guest).says("/resign")
    await guest.get_by_role("button", name="Sì, abbandono").click()
    await page.locator("#view-lobby").click()
    await page.locator(f'#lobby-mine [data-code="{code}"]').click()
    await expect(stage).to_contain_text("Anna wins")
    await look(page, "end of a game")
    await anna.says(f"/analyse {code}")
    await expect(stage).to_contain_text("nalys")
    await look(page, "analysis")
    assert found == []


@dataclass(frozen=True)
class Voice:
    """What a page says in its language."""

    pieces: tuple[str, str]
    empty: str
    where_to: str
    your_turn: str
    type_move: str
    captures: str


VOICES = {
    "en": Voice(
        ("white piece", "black piece"), "empty", "Where to from d1?", "it is your turn", "Type a move", "captures"
    ),
    "it": Voice(
        ("pedina bianca", "pedina nera"), "vuota", "Da d1 dove vai?", "tocca a te", "Scrivi una mossa", "cattura"
    ),
}


async def voice_of(player: Player) -> Voice:
    """Return what the page of somebody says."""
    return VOICES[await player.page.evaluate("document.documentElement.lang")]


async def names_what_stands(player: Player, state: State) -> None:
    """Check that every cell of a board is named with what stands on it."""
    voice, pieces = await voice_of(player), state.to_json()["pieces"]
    for cell in present(state.topology).names:
        said = next((voice.pieces[seat] for seat in (0, 1) if cell in pieces[seat]), voice.empty)
        await expect(player.page.locator(f"#stage [data-cell={cell}]")).to_have_attribute(
            "aria-label", f"{cell}, {said}"
        )


async def test_a_game_by_keys_and_ears(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    luca = Player(await come_in(browser, program.address, "Luca", locale="it-IT"))
    await expect(anna.page.locator("#skip-board")).to_be_hidden()
    await anna.says("/play annuvin @Luca board:square")
    await luca.page.locator("#log .lobby .primary").press("Enter")
    # Both for the one who accepted and the one who asked, the new board has the focus.
    for player in (anna, luca):
        await the_focus_is_on_the_board(player.page)
    white, black = (anna, luca) if await anna.table.locator(".cell").count() else (luca, anna)
    state = games["annuvin"].start(seats=2, options=short_game.OPTIONS)
    for player in (white, black):
        await names_what_stands(player, state)

    # The first stop of all leads to the board; the next to the conversation.
    page, keys, voice = white.page, white.page.keyboard, await voice_of(white)
    assert await page.evaluate("document.querySelector('a[href], button, input').id") == "skip-board"
    for skip, reached in (("#skip", "#text:focus"), ("#skip-board", ".cells button:focus")):
        await page.locator(skip).focus()
        await expect(page.locator(skip)).to_be_in_viewport(ratio=1)
        await keys.press("Enter")
        await expect(page.locator(reached)).to_have_count(1)

    # Without them the board is reached as well.
    focused = page.locator("#stage .cells button:focus")
    await page.locator("#text").focus()
    for _ in range(40):
        await keys.press("Shift+Tab")
        if await focused.count():
            break
    await keys.press("End")
    last = await focused.get_attribute("data-cell")
    await keys.press("Home")
    await expect(focused).not_to_have_attribute("data-cell", last or "")
    # From one piece to the next, and on to any cell by the arrows; what is asked is read out.
    for _ in range(len(state.legal_actions())):
        if await focused.get_attribute("data-cell") == "d1":
            break
        await keys.press("PageDown")
    await keys.press("Enter")
    await read_out(page, voice.where_to)
    await keys.press("ArrowUp")
    await expect(focused).to_have_attribute("aria-label", f"d2, {voice.empty}")
    await keys.press("Enter")
    # The focus stays on the piece that was moved, and the other side hears of it.
    await expect(focused).to_have_attribute("aria-label", f"d2, {voice.pieces[0]}")
    await expect(focused).to_have_attribute("aria-disabled", "true")
    await read_out(black.page, "d1-d2", (await voice_of(black)).your_turn)
    state = state.play(state.parse("d1-d2")[0])
    for player in (white, black):
        await names_what_stands(player, state)
        await the_focus_is_on_the_board(player.page)

    # A move that is typed on the board leads back to the piece, too.
    await black.table.locator("#tool-more").press("Enter")
    await black.table.get_by_role("button", name=(await voice_of(black)).type_move).press("Enter")
    await expect(black.page.locator("#text")).to_be_focused()
    await black.page.keyboard.type("d4-c3")
    await black.page.keyboard.press("Enter")
    moved = f"c3, {(await voice_of(black)).pieces[1]}"
    await expect(black.page.locator("#stage .cells button:focus")).to_have_attribute("aria-label", moved)
    await read_out(page, "d4-c3", voice.your_turn)
    # What a chosen piece would capture is said with the cell; the same piece again puts it down.
    for chosen in (True, False):
        await page.locator("#stage [data-cell=d2]").focus()
        await keys.press("Enter")
        label = f"c3, {voice.pieces[1]}" + (f": {voice.captures}" if chosen else "")
        await expect(page.locator("#stage [data-cell=c3]")).to_have_attribute("aria-label", label)
    # A cell that cannot be used says which rule stands in the way.
    await page.locator("#stage [data-cell=c3]").focus()
    await keys.press("Enter")
    await expect(page.locator("#said-table p")).to_have_count(1)
    await read_out(page, "c3")

    # A game of one's own, and a private board, from the panel.
    panel, before = anna.page.locator("#newgame"), await anna.table.get_attribute("data-game")
    await anna.page.locator("#new-game").press("Enter")
    await panel.locator("[data-game=fagocitare]").press("Enter")
    await panel.locator("[type=submit]").press("Enter")
    await has_opened(anna.page, before)
    await the_focus_is_on_the_board(anna.page)
    await anna.page.locator("#new-game").press("Enter")
    await panel.get_by_role("button", name="Puzzle of the day").press("Enter")
    await expect(anna.table.get_by_role("button", name="Solution")).to_be_visible()
    await the_focus_is_on_the_board(anna.page)
