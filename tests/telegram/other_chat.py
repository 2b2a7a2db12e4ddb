"""A chat that the bot is not in, and people who play there."""

from engine import CHANCE, Action, State
from storage import GameRow
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Message
from tests.support.present import present
from tests.telegram.harness import Bot, Scene
from tests.telegram.players import Players


class OtherChat(Scene):
    """A group that the bot is not in, with people who put a game there."""

    def __init__(self, telegram: FakeTelegram, bot: Bot) -> None:
        super().__init__(telegram, bot)
        self.group: Chat = telegram.elsewhere("Cousins")
        self.message: Message | None = None
        self.moving: Person | None = None

    @property
    def mover(self) -> Person:
        return present(self.moving)

    @property
    def board(self) -> Message:
        return present(self.message)

    @property
    def shown(self) -> list[Message]:
        """What was put there through the bot."""
        return [message for message in self.telegram.inline.values() if message.chat is self.group]

    async def put(self, person: Person, what: str, *, feedback: bool = True, typed: str = "") -> Message:
        """Have somebody put something listed into the chat and wait until it is shown."""
        self.message = await person.choose(await person.ask(typed), what, feedback=feedback)
        await self.bot.settle()
        return self.message

    async def row(self) -> GameRow:
        """Return the only game as it is stored."""
        (code,) = await self.bot.store.games.list_ids()
        return present(await self.bot.store.games.get(code))

    async def do(self, person: Person, deed: str, rest: str = "") -> None:
        """Have somebody press what does something to the game as it is now, and wait until it is shown."""
        row = await self.row()
        await (await person.tap_data(self.board, f"{deed}:{row.id}:{row.revision}{rest}")).answered.wait()
        await self.bot.wait()

    async def follow(self, person: Person, link: str) -> list[Message]:
        """Have somebody open their chat with the bot by a link; return what the bot shows there then."""
        await self.say_alone(person, f"/start {link.partition('?start=')[2]}")
        return self.private(person)

    async def begun(self, game: str, *names: str) -> tuple[Person, ...]:
        """Have people begin a game there."""
        people = tuple(self.person(name) for name in names)
        await self.put(people[0], game)
        for other in people[1:]:
            await self.tap(other, self.board, "Join")
        if "Start" in self.board.labels:
            await self.tap(people[0], self.board, "Start")
        return people


class InlinePlayers(Players):
    """Plays for everybody at a table there: by taps, and by calls that hold a move."""

    scene: OtherChat

    async def state(self) -> State:
        """Return the position, and note whose move it is."""
        state = await super().state()
        if state.to_move not in (None, CHANCE):
            self.scene.moving = await self.scene.whose_move()
        return state

    async def type(self, action: Action) -> None:
        """Call the bot with an action as an answer to the board; what it answers is the board from then on.

        Within a turn it only asks how that goes on, and the board stays.
        """
        self.used.add("typed")
        before = self.scene.board
        # What the bot has posted as a guest is answered without its name.
        ours = before.author is self.scene.telegram.bot
        answer = await self.scene.mover.call(action.text if ours else f"@tavoliere_bot {action.text}", before)
        await self.scene.bot.settle()
        await self.scene.bot.wait(8)
        if not answer.labels:
            return
        self.scene.message = answer
        await self.scene.bot.until(lambda: not before.labels, "the old board's losing its buttons")

    async def check(self) -> None:
        """Check that one message alone has buttons, and calls nobody by an edit."""
        assert [message for message in self.scene.shown if message.labels] == [self.scene.board]
