"""People who play on the fake Discord by all means that there are."""

import random
from collections.abc import Sequence
from typing import Final

from bot.kernel.choices import path_to
from bot.kernel.presses import PATH_SEPARATOR, read_press
from bot.kernel.question_cards import MAX_BUTTONS
from engine import Action, State
from engine.notation import normalise
from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import Message
from tests.support.choosing import Choose, choose_at_random

MAX_ACTS: Final = 1000
"""More actions than any game that is played to its end here lasts."""


class Players:
    """Plays for everybody at the table that the newest message shows."""

    def __init__(self, scene: Scene, seed: str, choose: Choose = choose_at_random) -> None:
        self.scene = scene
        self.rng = random.Random(seed)
        self.choose = choose
        self.used: set[str] = set()
        self.acts = 0
        self.code = ""

    @property
    def over(self) -> bool:
        """Whether the newest board shows a game that has ended."""
        return any("|rematch:" in part["custom_id"] for part in self.scene.board.pressable)

    async def play(self, most: int = MAX_ACTS) -> None:
        """Play to the end, or so many actions."""
        for _ in range(most):
            if self.over:
                return
            state = await self.state()
            action, before = self.choose(state, self.rng), self.scene.board
            known = {message.id for message in self.scene.shown}
            await (self.press(state, action) if self.by_button() else self.type(action))
            self.acts += 1
            after = await self.state()
            # Chance follows by itself, and so does what nobody has a choice about.
            assert after != state
            # Within one person's turn the board is edited; the next one's is a new message.
            same = (after.turn, after.to_move) == (state.turn, state.to_move)
            assert (self.scene.board is before) is same
            news = [message for message in self.scene.shown if message.id not in known]
            assert len(news) == (0 if same else 1), "one message a turn"
            assert self.over or all(message.pings == (self.scene.mover.account,) for message in news)
            assert self.over or len(self.scene.board.pings) <= 1
            self.used |= {"edit"} if same else set()

    def by_button(self) -> bool:
        """Say whether the next action is pressed; else it is typed."""
        return self.rng.random() < 0.5

    async def state(self) -> State:
        """Return the position of the game that the newest board shows."""
        for part in self.scene.board.pressable:
            self.code = read_press(payload_of(part)).game or self.code
        return (await self.scene.bot.tavoliere.context.table(self.code)).playing.state

    async def press(self, state: State, action: Action) -> None:
        """Press the way to an action: first below the board, then in the private answers."""
        path, mover = path_to(state, state.legal_actions(), action), self.scene.mover
        message = self.scene.board
        for depth in range(1, len(path) + 1):
            known = set(self.scene.discord.messages)
            await self._press(mover, message, PATH_SEPARATOR.join(path[:depth]))
            news = [each for each in mover.private if each.id not in known]
            if news:
                (message,) = news
        if await self.state() == state:  # it is asked whether that is meant
            chosen = f"={PATH_SEPARATOR.join(path)}"
            (part,) = [part for part in message.pressable if payload_of(part).endswith(chosen)]
            await self.scene.press_part(mover, message, part)

    async def _press(self, mover: Person, message: Message, rest: str) -> None:
        choices = [part for part in message.pressable if payload_of(part)[0] in "cp"]
        (part,) = [part for part in choices if payload_of(part).endswith(f"={rest}")]
        others = [each for each in message.pressable if len(path_of(each)) == len(path_of(part))]
        assert (part["type"] == 3) is (len(others) > MAX_BUTTONS)
        self.used.add("menu" if part["type"] == 3 else "button")
        await self.scene.press_part(mover, message, part)

    async def type(self, action: Action) -> None:
        """Type an action, taking what completion suggests on the way to it."""
        mover, typed = self.scene.mover, ""
        while typed != action.text:
            found = [choice["value"] for choice in await mover.complete("move", "move", move=typed)]
            assert len(found) <= 25
            if any(value.startswith(f"{action.text} ") for value in found):
                typed = action.text  # whole turns are suggested, of which it is the beginning
                break
            (typed,) = [value for value in found if value == action.text] or [
                value for value in found if normalise(action.text).startswith(normalise(value))
            ]
        self.used.add("typed")
        await self.scene.command(mover, "move", move=typed)


def path_of(part: Json) -> Sequence[str]:
    """Return the way to a choice that a button or an option of a menu carries, empty for other presses."""
    pressed = read_press(payload_of(part))
    return pressed.path if pressed.deed in ("c", "p") else ()


def payload_of(part: Json) -> str:
    """Return the press that a button or an option of a menu carries."""
    return str(part["value"] if part["type"] == 3 else part["custom_id"].split("|", 1)[1])
