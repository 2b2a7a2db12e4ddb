"""A platform's listener retries with growing back-off and reports its state."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from bot.kernel.operations.listening import MIN_JITTER, CannotConnect, ConnectionLost, Listener
from storage import StorageError, Unreachable
from tests.support.pauses import TIMEOUT_SECONDS, Pauses
from tests.support.present import present

FIRST, LONGEST = 5.0, 300.0


class Taken(CannotConnect):
    """Somebody else has the place."""

    event = "place-taken"


class Thrown(CannotConnect):
    """We are not wanted any more."""

    event = "thrown-out"
    final = True


class Unlucky(CannotConnect):
    """Part of the start; irrelevant to the person who starts the program."""

    event = "unlucky"
    is_reported = False


class Platform:
    """A platform on which listening ends with what a test puts in; `now` is its time."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses = Pauses()
        self.at_connecting: list[Exception] = []
        self.connected = 0
        self.listener = Listener(
            "chat", self._listen, self._connect, first=FIRST, longest=LONGEST, clock=lambda: self.now, rest=self.pauses
        )
        self._ends: asyncio.Queue[Exception] = asyncio.Queue()
        self._connected = asyncio.Event()

    async def until_connected(self) -> None:
        """Wait until it is listened to anew."""
        await asyncio.wait_for(self._connected.wait(), TIMEOUT_SECONDS)
        self._connected.clear()

    async def end(self, error: Exception) -> float:
        """End the listening; return how long the pause is to be that follows."""
        self._ends.put_nowait(error)
        return await self.pauses.begun()

    async def _connect(self) -> None:
        self.connected += 1
        if self.at_connecting:
            raise self.at_connecting.pop()

    async def _listen(self) -> None:
        self.listener.connected()
        self._connected.set()
        raise await self._ends.get()


@pytest.fixture
async def platform() -> AsyncIterator[Platform]:
    made = Platform()
    yield made
    await made.listener.stop()


def standing(platform: Platform) -> tuple[bool, bool]:
    return platform.listener.listening, platform.listener.failing


@pytest.mark.parametrize(
    ("error", "failing", "event"),
    [
        (ConnectionLost("no route"), False, "chat-unreachable"),
        (Unreachable(reason="gone"), False, "listening-waits-for-the-database"),
        (StorageError(), True, "listening-waits-for-the-database"),
        (Taken(port=7), True, "place-taken"),
        (Unlucky(), True, "unlucky"),
        (KeyError("d"), True, "listener-failed"),
    ],
    ids=repr,
)
async def test_it_logs_errors_and_reconnects(platform: Platform, error: Exception, failing: bool, event: str) -> None:
    await platform.listener.start()
    await platform.until_connected()
    assert standing(platform) == (True, False)
    with capture_logs() as logs:
        await platform.end(error)
    assert [each["event"] for each in logs] == [event]
    assert standing(platform) == (False, failing)
    platform.pauses.end()
    await platform.until_connected()
    assert standing(platform) == (True, False)


async def test_unexpected_error_is_logged_with_its_traceback(platform: Platform) -> None:
    await platform.listener.start()
    error = ZeroDivisionError()
    with capture_logs() as logs:
        seconds = await platform.end(error)
    (line,) = logs
    assert (line["log_level"], line["platform"], line["exc_info"]) == ("error", "chat", error)
    assert line["seconds"] == round(seconds, 1)


async def test_pauses_grow_up_to_a_limit_and_are_not_the_same_for_all(platform: Platform) -> None:
    await platform.listener.start()
    whole = [FIRST * 2**number for number in range(6)] + [LONGEST] * 3
    pauses = []
    for _ in whole:
        pauses.append(await platform.end(KeyError()))
        platform.pauses.end()
    assert all(MIN_JITTER * most <= pause <= most for pause, most in zip(pauses, whole, strict=True))
    assert len(set(pauses)) == len(pauses)


async def test_who_has_listened_for_long_begins_with_a_short_pause_again(platform: Platform) -> None:
    await platform.listener.start()
    for passed, most in ((1.0, FIRST), (1.0, 2 * FIRST), (LONGEST, FIRST), (1.0, 2 * FIRST)):
        await platform.until_connected()
        platform.now += passed
        assert MIN_JITTER * most <= await platform.end(KeyError()) <= most
        platform.pauses.end()


async def test_being_away_for_long_is_not_listening_for_long(platform: Platform) -> None:
    await platform.listener.start()
    for most in (FIRST, 2 * FIRST):
        await platform.until_connected()
        platform.listener.lost()
        assert standing(platform) == (False, False)
        platform.now += LONGEST
        assert MIN_JITTER * most <= await platform.end(KeyError()) <= most
        platform.pauses.end()


async def test_a_platform_that_is_away_at_the_start_is_tried_again(platform: Platform) -> None:
    platform.at_connecting = [KeyError("user"), Unlucky(), ConnectionLost("no route")]
    await platform.listener.start()
    await platform.pauses.begun()
    assert standing(platform) == (False, False)
    for _ in range(2):
        platform.pauses.end()
        await platform.pauses.begun()
        assert standing(platform) == (False, True)
    platform.pauses.end()
    await platform.until_connected()
    assert platform.connected == 4


async def test_configuration_error_is_raised_at_the_start(platform: Platform) -> None:
    platform.at_connecting = [Taken(port=7)]
    with pytest.raises(Taken):
        await platform.listener.start()
    assert standing(platform) == (False, True)


async def test_final_error_stops_the_listener(platform: Platform) -> None:
    await platform.listener.start()
    await platform.end(KeyError())
    platform.at_connecting = [Thrown()]
    task = present(platform.listener._task)
    with capture_logs() as logs:
        platform.pauses.end()
        await task
    assert [each["event"] for each in logs] == ["thrown-out"]
    assert standing(platform) == (False, True)


async def test_who_is_stopped_does_not_listen(platform: Platform) -> None:
    await platform.listener.start()
    await platform.until_connected()
    await platform.listener.stop()
    assert standing(platform) == (False, False)
