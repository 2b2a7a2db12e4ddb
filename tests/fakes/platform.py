"""What the fake platforms share: they listen on a port, note what they are asked, and hold it back or fail it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from aiohttp import web

from tests.fakes.distortion import ANYTHING, Answer, Distortion, Shape
from tests.support.ports import listening

TIMEOUT_SECONDS: Final = 60.0
"""How many real seconds a test waits for something that should happen at once."""

Call = TypeVar("Call")
Error = TypeVar("Error", bound=Exception)
Found = TypeVar("Found")


def refuse_if(is_wrong: object, error: Exception) -> None:
    """Refuse a request with an error if it is wrong."""
    if is_wrong:
        raise error


def required(found: Found | None, error: Exception) -> Found:
    """Return what a request names, or refuse it with an error where that is not there."""
    if found is None:
        raise error
    return found


@dataclass
class Gate:
    """Holds calls back until it is opened; `waiting` counts them."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0


class FakePlatform(Generic[Call, Error]):
    """A server that takes a platform's calls; an operation is what its documents call an endpoint or a method."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.listeners: list[Callable[[Call, Any, bool], None]] = []
        """Told of each call before it is carried out, and again (True) with its result before that is sent."""
        self.refused: list[tuple[str, Error]] = []
        self.lapses: list[str] = []
        """What was sent that the platform takes and this program must not send."""
        self.distortion: Distortion | None = None
        """What makes of some answers what no platform describes."""
        self.port = 0
        self._gates: dict[str, Gate] = {}
        self._faults: dict[str, list[Error]] = defaultdict(list)
        self._changed = asyncio.Condition()
        self._stack = AsyncExitStack()

    async def _serve(self, app: web.Application) -> None:
        self.port = await self._stack.enter_async_context(listening(app))

    async def _end(self) -> None:
        for gate in self._gates.values():
            gate.open.set()
        await self.tell()
        await self._stack.aclose()

    def notify_listeners(self, call: Call, result: Any = None, *, done: bool) -> None:
        for listener in self.listeners:
            listener(call, result, done)

    # Waiting, holding back, failing.

    async def tell(self) -> None:
        """Wake those who wait for something."""
        async with self._changed:
            self._changed.notify_all()

    async def until(self, found: Callable[[], Found], what: str = "it") -> Found:
        """Return the first true value of a function, called again whenever anything has happened."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS), self._changed:
                while True:
                    result = found()
                    if result:
                        return result
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"waited in vain for {what}; refused: {self.refused}") from None

    @asynccontextmanager
    async def holding(self, operation: str) -> AsyncIterator[Gate]:
        """Hold calls of an operation back until the block ends."""
        gate = self._gates[operation] = Gate()
        try:
            yield gate
        finally:
            del self._gates[operation]
            gate.open.set()

    async def gate(self, operation: str) -> None:
        """Wait where calls of an operation are held back, and raise the error that the next one is to come to."""
        gate = self._gates.get(operation)
        if gate is not None:
            gate.waiting += 1
            await self.tell()
            await gate.open.wait()
        if self._faults[operation]:
            raise self._faults[operation].pop(0)

    def distort(self, operation: str, answer: Any, shape: Shape = ANYTHING) -> Answer | None:
        """Return what is sent instead of an answer, None for the answer itself."""
        if self.distortion is None or not self.distortion.choose(operation):
            return None
        return self.distortion.distort(answer, shape)

    def fail(self, operation: str, *errors: Error) -> None:
        """Answer the next calls of an operation with errors."""
        self._faults[operation] += errors
