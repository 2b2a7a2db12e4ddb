"""Somebody who plays by touch in an app, in a real browser."""

from dataclasses import dataclass

from playwright.async_api import Frame, Locator, Page, expect

from bot.kernel.choices import Question, click_paths, next_question, path_to
from bot.kernel.presses import PATH_SEPARATOR
from engine import Action, State
from tests.support.present import present


@dataclass
class Player:
    """An app that somebody has open: the frame of its page, in the page of their platform's client."""

    name: str
    page: Page
    frame: Frame

    @property
    def root(self) -> Locator:
        """The page of the app."""
        return self.frame.locator("html")

    @property
    def stage(self) -> Locator:
        """The game, or the private board, that is open."""
        return self.frame.locator("#stage")

    def cell(self, name: str) -> Locator:
        """Return what is touched of a cell that can be chosen."""
        return self.stage.locator(f'.cell[data-cell="{name}"]')

    async def is_ready(self) -> None:
        """Wait until the app shows what it has opened, and receives what moves on."""
        await expect(self.root).to_have_attribute("data-ready", "true")
        await expect(self.root).to_have_attribute("data-live", "true")

    async def shows(self, revision: int) -> None:
        """Wait until the board is as it is at a revision, with nothing chosen."""
        await expect(self.stage).to_have_attribute("data-revision", str(revision))

    async def play(self, state: State, action: Action) -> None:
        """Touch what an action means, one cell after the other; what is no cell is a button."""
        legal = state.legal_actions()
        wanted = path_to(state, legal, action)
        at: tuple[str, ...] = ()
        presses = 0
        while at != wanted:
            presses += 1
            asked = next_question(state, legal, at)
            assert isinstance(asked, Question)
            meant = {path: cell for cell, path in click_paths(asked).items() if wanted[: len(path)] == path}
            at = max(meant, key=len) if meant else wanted[: len(at) + 1]
            if meant:
                await self.cell(meant[at]).tap()
            else:
                await self._press(at)
            await expect(self.stage).not_to_have_attribute("aria-busy", "true")
            if at != wanted:
                await expect(self.stage).to_have_attribute("data-at", PATH_SEPARATOR.join(at))
        if presses == 1 and state.game.facts.is_weighty(action):
            # What a single press on the open board would do is asked once more.
            await self.stage.locator("#stage-rows .key.primary").first.tap()
            await expect(self.stage).not_to_have_attribute("aria-busy", "true")

    async def drag(self, start: str, end: str) -> None:
        """Drag what stands on a cell to another one with a finger."""
        points = []
        for name in (start, end):
            box = present(await self.stage.locator(f'[data-cell="{name}"]').bounding_box())
            points.append({"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
        finger = await self.page.context.new_cdp_session(self.page)
        middle = {side: (points[0][side] + points[1][side]) / 2 for side in ("x", "y")}
        steps = [("touchStart", [points[0]]), ("touchMove", [middle]), ("touchMove", [points[1]]), ("touchEnd", [])]
        for kind, at in steps:
            await finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
        await finger.detach()

    async def _press(self, path: tuple[str, ...]) -> None:
        ending = f"={PATH_SEPARATOR.join(path)}"
        button = self.stage.locator(f'#stage-rows [data-key^="press:"][data-key$="{ending}"]')
        await button.first.tap()
