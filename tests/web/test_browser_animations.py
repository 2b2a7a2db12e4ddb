"""An animation in a real browser: it runs, and rests for those who want no motion."""

from playwright.async_api import expect

from bot.kernel.cards import Animation, Card, Picture
from bot.kernel.texts import Span
from engine import games
from engine.turn import group_turns
from render.animation import animate, select_key_positions
from tests.web.desk import Desk


def card() -> Card:
    """Return a card with a short game."""
    start = games["annuvin"].start(2, {"board": "square"})
    state, actions = start, []
    for _ in range(4):
        actions.append(state.legal_actions()[0])
        state = state.play(actions[-1])
    line = list(group_turns(start, actions))
    film, still = animate(start, line), select_key_positions(start, line)
    moving = Animation(film.gif, "annuvin.gif", film.size)
    picture = Picture(still.png, "A whole game.", "annuvin.png", still.size, animation=moving)
    return Card((Span("Look:"),), picture)


async def test_reduced_motion_stands_still(desk: Desk) -> None:
    page = await desk.come_in(reduced_motion="no-preference")
    await desk.show(card(), "game1")
    image = page.get_by_role("img", name="A whole game.")
    await expect(image).to_be_visible()
    await page.wait_for_function("() => document.querySelector('picture img').naturalWidth > 1")
    assert (await image.evaluate("(image) => image.currentSrc")).endswith(".gif")
    await page.emulate_media(reduced_motion="reduce")
    await page.wait_for_function("() => document.querySelector('picture img').currentSrc.endsWith('.png')")
    shown, natural = await image.evaluate(
        "(image) => [image.width / image.height, image.naturalWidth / image.naturalHeight]"
    )
    assert abs(shown - natural) < 0.02, "nothing is stretched"
