"""A whole game in a real browser, by every means, with the real program behind it; and what precedes one by keys."""

import re

import pytest
from playwright.async_api import Browser, expect

from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from engine import IllegalAction, State, games
from tests.web import short_game
from tests.web.chromium import MOVING, PHONE, come_in, open_page
from tests.web.player import Player, begin_game, read_log
from tests.web.program import Program


def refusal_in_words(state: State, text: str) -> str:
    """Return what a person should be told who types a move that a rule forbids."""
    with pytest.raises(IllegalAction) as raised:
        state.parse(text)
    return strip_styles(engine_words(Texts().speaker("en"), "annuvin", raised.value))


COUNTS_SLIDES = """
() => {
  globalThis.slid = 0;
  const look = (changes) => {
    for (const change of changes) for (const node of change.addedNodes) if (node.className === "slide") slid += 1;
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}
"""

TYPES_WHILE_A_PIECE_SLIDES = """
() => {
  const observer = new MutationObserver((changes) => {
    const slides = changes.some((change) => [...change.addedNodes].some((node) => node.className === "slide"));
    if (!slides) return;
    document.getElementById("text").focus();
    observer.disconnect();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
"""


async def test_a_whole_game_between_two_people(program: Program, browser: Browser) -> None:
    # What moved slides, but not for somebody who has asked for less motion.
    anna = Player(await come_in(browser, program.address, "Anna", **MOVING))
    bruno = Player(await come_in(browser, program.address, "Bruno", reduced_motion="reduce", **PHONE))
    await anna.says("A quick one?")
    await bruno.says("With pleasure.")
    await expect(read_log(anna.page, "With pleasure.")).to_be_visible()
    for player in (anna, bruno):
        await player.page.evaluate(COUNTS_SLIDES)
    white, black = await begin_game(anna, bruno, "Bruno")
    names = ["Anna", "Bruno"] if white is anna else ["Bruno", "Anna"]

    state = games["annuvin"].start(seats=2, options=short_game.OPTIONS)
    for number, turn in enumerate(short_game.TURNS):
        player = (white, black)[number % 2]
        await player.is_waited_for()
        refused_in, refused = short_game.REFUSED
        types = number == (0 if white is bruno else 1)
        if types:
            await anna.table.get_by_role("button", name="Turn the board").focus()
            await anna.page.evaluate(TYPES_WHILE_A_PIECE_SLIDES)
        if number == refused_in:
            await player.says_as_talk(turn[0])
            await expect(read_log((white, black)[0].page, turn[0]).last).to_be_visible()
            await player.answers(refused)
            # Above it there may still be the lesson that is offered to newcomers.
            refusal = player.secret.filter(has_text=refusal_in_words(state, refused))
            await expect(refusal).to_have_count(1)
            await expect(refusal).to_contain_text("Only you can see this")
        if len(turn) == 1 and number % 4 in (0, 3):
            await player.clicks(*re.findall(r"[a-d]\d", turn[0]))
        elif number == 1:
            await player.says(f"/move {turn[0]}")
        elif number == 2:
            await player.says_and_means(turn[0])
        else:
            await player.answers(" ".join(turn))
        for action in turn:
            state = state.play(state.parse(action)[0])
        if state.outcome is None:
            await (white, black)[(number + 1) % 2].is_waited_for()
            await expect(player.page.locator("#waiting-list button")).to_have_count(0)
        if types:
            await expect(anna.page.locator(".slide")).to_have_count(0)
            await expect(anna.page.locator("#text")).to_be_focused()
        if number == refused_in:
            await program.kill()
            await expect(anna.page.get_by_role("status")).to_contain_text("connection")
            await program.start()
            await expect(anna.page.locator("#app")).to_have_attribute("data-live", "true")
            await expect(bruno.page.locator("#app")).to_have_attribute("data-live", "true")
            await expect(read_log(anna.page, "With pleasure.")).to_be_visible()

    assert state.outcome is not None
    for player in (white, black):
        await expect(player.page.locator("#stage-ask")).to_contain_text(f"{names[0]} wins")
        await expect(player.page.locator("#log .game-line.over .state")).to_have_text(f"{names[0]} has won")
        await expect(player.page.locator("#waiting-list button")).to_have_count(0)
        await expect(player.page).to_have_title("Tavoliere")
        await expect(player.page.locator(".board img")).to_have_count(1)
    assert await anna.page.evaluate("slid") >= len(short_game.TURNS) // 2
    assert await bruno.page.evaluate("slid") == 0
    await bruno.turns_to("table")
    await bruno.chooses("Leaderboard")
    # The button shows it to who pressed it; what is typed is for all.
    board = re.compile(rf"1.*{names[0]}.*1 win.*2.*{names[1]}.*1 loss", re.DOTALL)
    await expect(bruno.page.locator("#sheet")).to_contain_text(board)
    await bruno.page.keyboard.press("Escape")
    await bruno.says("/leaderboard")
    for player in (white, black):
        await expect(player.page.locator("#log .message").last).to_contain_text(board)

    await anna.page.reload()
    await expect(read_log(anna.page, "A quick one?")).to_be_visible()
    await expect(anna.page.locator("#log .message").last).to_contain_text("1 win")
    assert not [line for line in program.output if b"Traceback" in line or b"error" in line.lower()]


async def test_a_name_a_command_and_its_answer_by_the_keyboard_alone(program: Program, browser: Browser) -> None:
    page = await open_page(browser, program.address)
    keys = page.keyboard
    await page.locator("#come-in").press("Enter")
    await expect(page.locator("#name")).to_be_focused()
    await keys.type("Anna")
    await keys.press("Enter")
    await expect(page.locator("#text")).to_be_focused()

    # A command from the list of suggestions, and Escape that takes it away.
    await keys.type("/")
    await expect(page.locator("#options [role=option]").first).to_be_visible()
    await keys.press("Escape")
    await expect(page.locator("#popup")).to_be_hidden()
    await keys.type("hel")
    await expect(page.locator("#options [aria-selected=true]")).to_contain_text("/help")
    await keys.press("Tab")
    await expect(page.locator("#text")).to_have_value("/help")
    await keys.press("Enter")
    sheet = page.locator("#sheet")
    await expect(sheet).to_contain_text("/play")
    await expect(sheet).to_be_focused()
    await keys.press("Tab")
    await expect(sheet.get_by_role("button", name="Close")).to_be_focused()
    await keys.press("Enter")
    await expect(sheet).not_to_be_visible()
    await expect(page.locator("#text")).to_be_focused()

    # The other side sits in the same browser: one tab that changes between names.
    await keys.press("Shift+Tab")
    await expect(page.locator("#speaker")).to_be_focused()
    await keys.press("Enter")
    await page.locator("#name").focus()
    await keys.type("Bruno")
    await keys.press("Enter")
    await expect(page.locator("#speaker")).to_have_attribute("aria-label", re.compile("Bruno"))
