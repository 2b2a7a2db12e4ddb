"""People who plan answers and take plans back while they play, and what must be true of that in the end."""

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from bot.kernel.texts import Texts
from engine import Action, EngineError, State
from tests.durability.ledger import Ledger, Written
from tests.durability.matches import Match
from tests.durability.people import Killed, OnDiscord, OnTelegram, Player, Unreachable
from tests.durability.planner import PLANNED, whole_turn
from tests.durability.world import World
from tests.fakes.discord.world import Message as DiscordMessage
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.fakes.telegram.world import Message as TelegramMessage

OFTEN: Final = 0.4
FOLLOWS: Final = 0.7
"""How often somebody plans, and plays what a plan answers."""
TAKES_BACK: Final = 0.3

_SAID: Final = Texts().speaker("en")
_MADE: Final = _SAID.line("plan.made")
_OFF: Final = _SAID.line("plan.off")
_OFF_BUTTON: Final = _SAID.line("button.plan.off")

T = TypeVar("T")
Shown = DiscordMessage | TelegramMessage
Notification = tuple[str, int, str]
"""What somebody was told of a plan: `on` or `off`, the revision, and both turns with a bar between them."""


async def type_plan(player: Player, text: str) -> Shown | None:
    """Have somebody type /plan where they alone read the answer; return the answer, None if nobody knows of one."""
    world = player.world
    if isinstance(player, OnDiscord):
        interaction = await player.person.send_command("plan", line=text)

        def answered() -> Shown | None:
            message = interaction.original
            return message if message is not None and not message.loading else None
    else:
        person = _alone(player)
        known = len(world.telegram.shown(person.here))
        await person.say(f"/plan {text}")

        def answered() -> Shown | None:
            # What they are told besides is no answer.
            found = world.telegram.shown(person.here)[known:]
            return next((each for each in found if _MADE in each.text or world.unavailable in each.text), None)

    return await _answer(player, answered)


async def taken_back(player: Player, answer: Shown) -> bool:
    """Have somebody press the button that takes back what they have just planned; say whether they are told so."""
    if isinstance(answer, DiscordMessage):
        assert isinstance(player, OnDiscord)
        (part,) = (each for each in answer.pressable if each["label"] == _OFF_BUTTON)
        await player.person.send_press(answer, part)
    else:
        await _alone(player).begin_tap(answer, _OFF_BUTTON)
    return bool(await _answer(player, lambda: _OFF in answer.text))


def _alone(player: Player) -> TelegramPerson:
    """Return somebody of Telegram in their own chat with the bot."""
    assert isinstance(player, OnTelegram)
    telegram, account = player.world.telegram, player.person.account
    return TelegramPerson(telegram, account, telegram.private(account))


async def _answer(player: Player, wanted: Callable[[], T | None]) -> T | None:
    """Return what comes of something that was asked; None where a process or the database went meanwhile."""
    world = player.world
    if isinstance(player, OnDiscord):
        channel = player.person.here
        life = world.life_of(channel)

        def gone() -> bool:
            return world.life_of(channel) != life or not world.hears(channel)
    else:
        outages = world.outages

        def gone() -> bool:
            return world.outages != outages

    await world.until(player.spot, lambda: wanted() or gone(), f"an answer to {player.name}")
    return wanted() or None


class PlannedMatch(Match):
    """A game of two who plan answers; `told` is what they were told for certain, `asked` all that they wanted."""

    def __init__(self, world: World, game: str, players: Sequence[Player], rng: random.Random) -> None:
        super().__init__(world, game, players, rng)
        self.notified: list[Notification] = []
        self.asked: list[str] = []
        self._looked_at = -1
        self._doubtful = game not in PLANNED
        self._wanted: list[str] = []

    async def act(self) -> bool:
        await self.world.readable.wait()
        revision, state = self.world.ledger.state(self.code)
        assert state is not None
        if isinstance(state.to_move, int) and state.turn != self._looked_at:
            self._looked_at, self._wanted = state.turn, []
            if not self._doubtful and (not self.asked or self.rng.random() < OFTEN):
                await self._plan(revision, state)
        return await super().act()

    async def _plan(self, revision: int, state: State) -> None:
        """Have who waits plan an answer, and perhaps take it back.

        Where the answer is lost nobody plans in this game any more: what was asked may be done at any time.
        """
        theirs, after = whole_turn(state, self.rng)
        names = self.world.ledger.seats(self.code)
        if after.outcome is not None or not isinstance(state.to_move, int):
            return
        (waiter,) = (player for name, player in self.players.items() if name != names[state.to_move])
        mine, _ = whole_turn(after, self.rng)
        self.asked.append(f"{theirs}|{mine}")
        try:
            if isinstance(waiter, OnDiscord):
                await self.world.until(waiter.spot, lambda: self.world.hears(waiter.person.here), "the program")
            answer = await type_plan(waiter, f"#{self.code} if {theirs} then {mine}")
            if answer is None or self.world.unavailable in answer.text:
                self._doubtful = True
                return
            assert _MADE in answer.text, answer.text
            self._wanted = theirs.split() if self.rng.random() < FOLLOWS else []
            if self.rng.random() >= TAKES_BACK:
                self.notified.append(("on", revision, self.asked[-1]))
            elif await taken_back(waiter, answer):
                self.notified.append(("off", revision, self.asked[-1]))
            else:
                self._doubtful = True
        except (Killed, Unreachable, ConnectionError):
            self._doubtful = True

    def choose(self, state: State) -> Action:
        while self._wanted:
            try:
                return state.read(self._wanted.pop(0))
            except EngineError:
                continue
        return super().choose(state)


def check_matches(ledger: Ledger, matches: Sequence[Match]) -> int:
    """Check that plans were played as people were told; return how many turns were."""
    count = 0
    for match in matches:
        written = ledger.games[match.code]
        if isinstance(match, PlannedMatch):
            count += check_plans(written, match.notified)
            answers = {line.split("|")[1].split()[0] for line in match.asked}
            for event in written:
                assert "plan" not in event.data or event.data["action"] in answers, "it was nobody's plan"
        else:
            assert not any("plan" in event.data for event in written)
    return count


def check_plans(written: Sequence[Written], notified: Sequence[Notification]) -> int:
    """Check that each plan that stood was played with what it answers, and no other; return how many were."""
    by_number = {event.number: event for event in written}
    planned = [event for event in written if (event.cause or "").startswith("plan:")]
    causes = [event.cause for event in planned]
    assert len(causes) == len(set(causes)), "one event was answered twice"
    for event in planned:
        assert event.data["plan"] == event.number - 1, "something came between a turn and its answer"
    last = {revision: (what, line) for what, revision, line in notified}
    for stood, (what, line) in last.items():
        theirs, mine = (each.split() for each in line.split("|"))
        turn, at = list[str](), stood + 1
        while at in by_number and len(turn) < len(theirs):
            event = by_number[at]
            if event.kind == "action":
                turn.append(event.data["action"])
            at += 1
        while at in by_number and by_number[at].data.get("auto"):
            at += 1
        if turn != theirs:
            continue
        answer = by_number.get(at)
        is_planned = answer is not None and (answer.cause or "").startswith("plan:")
        if what == "off":
            assert not is_planned, "it was played though it was taken back"
        else:
            assert answer is not None, "what was planned is lost"
            assert is_planned
            assert answer.data["action"] == mine[0]
    return len(planned)
