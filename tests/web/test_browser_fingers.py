"""Small cells under a finger: whatever it lands on near the cell that is meant, no other one is played."""

import math
import random
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.kernel.cards import Button, Card, Picture
from bot.kernel.choices import Question, click_paths, next_question
from bot.kernel.texts import Span
from bot.platforms.web.room import ROOM_PLACE
from engine import games
from engine.core import CHANCE, State
from render import draw
from tests.support.samples import list_variants, random_playout
from tests.web.desk import Desk
from tests.web.front import make_headline, make_sight
from tests.web.test_browser_table import CODE, headline_card, press

SCREENS = {320: 568, 360: 740, 412: 915}
INACCURACY_PIXELS = 14.0
"""How far from a cell's middle a finger lands at most, evenly scattered."""
COUNT_PRESSES = """(() => {
    window.sent = 0;
    const send = window.fetch;
    window.fetch = (address, ...rest) => {
        if (String(address).includes("/api/press")) window.sent += 1;
        return send(address, ...rest);
    };
})()"""
MIDDLE = """selector => {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    return box && [box.left + box.width / 2, box.top + box.height / 2];
}"""
HAS_HAPPENED = """sent => document.querySelector(".loupe")
    || (window.sent > sent && !document.querySelector("#stage[aria-busy]"))"""
HAS_ENDED = """() => !document.querySelector(".loupe") && !document.querySelector("#stage[aria-busy]")"""


def _position(key: str, chance: random.Random) -> tuple[State, Mapping[str, str]]:
    """Return a position in which somebody chooses a cell, and the press of each cell."""
    while True:
        seats, options = chance.choice(list(list_variants(games[key])))
        state, _ = chance.choice(list(random_playout(games[key], chance.randrange(1_000_000), seats, options)))
        if state.to_move is None or state.to_move == CHANCE:
            continue
        asked = next_question(state, state.legal_actions())
        if isinstance(asked, Question) and len(cells := click_paths(asked)) > 1:
            return state, {cell: press(cell) for cell in cells}


def _scattered(middle: tuple[float, float], chance: random.Random) -> tuple[float, float]:
    """Return a point evenly scattered in the disc in which a finger lands."""
    far, turn = INACCURACY_PIXELS * math.sqrt(chance.random()), chance.uniform(0, math.tau)
    return middle[0] + far * math.cos(turn), middle[1] + far * math.sin(turn)


async def _middle(page: Page, scope: str, cell: str) -> tuple[float, float]:
    found = await page.wait_for_function(MIDDLE, arg=f'{scope} .cell[data-cell="{cell}"]')
    x, y = await found.json_value()
    return x, y


FULL = [pytest.param(width, 200, 10, marks=pytest.mark.full) for width in SCREENS]


@pytest.mark.parametrize(("width", "positions", "taps"), [(320, len(games), 6), *FULL])
async def test_a_finger_that_misses_a_small_cell_plays_no_other(
    desk: Desk, width: int, positions: int, taps: int
) -> None:
    phone: dict[str, Any] = {
        "viewport": {"width": width, "height": SCREENS[width]},
        "is_mobile": True,
        "has_touch": True,
    }
    page = await desk.come_in(**phone)
    await page.add_init_script(COUNT_PRESSES)
    await page.reload()
    people = (await desk.person_of(page), None)
    board = await desk.show(headline_card(*people, revision=0))
    chance, wrong, magnified, given_up = random.Random(width), [], 0, 0
    for revision in range(1, positions + 1):
        key = sorted(games)[revision % len(games)]
        state, presses = _position(key, chance)
        drawn = draw(state, viewer=state.to_move)
        picture = Picture(drawn.png, "A board.", f"{key}.png", drawn.size, drawn.spots)
        line = make_headline(CODE, *people, revision=revision)
        card = Card((Span("Your turn."),), picture, ((Button("Rules", "rules"),),), presses=presses, headline=line)
        desk.front.sights[CODE, ()] = make_sight(card, question=True)
        await desk.room.edit(ROOM_PLACE, board, headline_card(*people, revision=revision))
        await expect(page.locator("#stage")).to_have_attribute("data-revision", str(revision))
        for _ in range(taps):
            cell = chance.choice(sorted(presses))
            before, sent = len(desk.front.asked), await page.evaluate("window.sent")
            await page.touchscreen.tap(*_scattered(await _middle(page, "#stage-board", cell), chance))
            await page.wait_for_function(HAS_HAPPENED, arg=sent)
            if await page.locator(".loupe").count():
                magnified += 1
                # What is not highlighted there would be given up, and the board pressed again.
                await page.touchscreen.tap(*_scattered(await _middle(page, ".loupe", cell), chance))
                await page.wait_for_function(HAS_ENDED)
            played = desk.front.asked[before:]
            wrong += [(key, cell, played)] if set(played) - {presses[cell]} else []
            given_up += not played
    count = positions * taps
    print(f"{width} px: {len(wrong)} of {count} wrong, {given_up} given up, {magnified} magnified")
    assert len(wrong) * 200 <= count, wrong
    assert given_up * 20 <= count
