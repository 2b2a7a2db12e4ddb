"""The real program as its own process, which can be killed and started again."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import bot
from tests.support.forked import Forked
from tests.support.present import present

_ADDRESS: Final = re.compile(rb"http://[^\s]+:(\d+)/")
START_TIMEOUT_SECONDS: Final = 180.0
"""Within how many seconds it starts and ends, on a machine that is busy with many other tests, too."""
_OURS: Final = ("TAVOLIERE_", "DISCORD_", "TELEGRAM_", "DATABASE_URL")


class Program:
    """`tavoliere serve` with its data in a folder; it keeps the port that it chose first.

    What is installed in the folders `packages` is found by it besides what is here. A `fresh` one shares no memory
    with others: it is started for itself, which takes longer.
    """

    def __init__(self, folder: Path, *packages: Path, fresh: bool = False) -> None:
        self.folder = folder
        self.packages = packages
        self._fresh = fresh
        self.port = 0
        self.prepare: Callable[[], None] | None = None
        """What its process does before it is the program: bounds that the system is to set it."""
        self._process: asyncio.subprocess.Process | Forked | None = None
        self._reader: asyncio.Task[None] | None = None
        self.output: list[bytes] = []

    @property
    def address(self) -> str:
        """Where its page is."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def pid(self) -> int:
        """The id of its process."""
        assert self._process is not None
        return self._process.pid

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end(signal.SIGTERM)

    async def start(self) -> None:
        """Start it and wait until it has printed its address."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        # The program is to be the one that these tests import, wherever they are run from.
        found = os.pathsep.join(map(str, (Path(bot.__file__).parent.parent, *self.packages)))
        environment |= {"TAVOLIERE_LANGUAGE": "en", "PYTHONUNBUFFERED": "1", "PYTHONPATH": found}
        arguments = ("serve", "--port", str(self.port), "--data-dir", str(self.folder / "data"))
        stream = await self._begun(arguments, environment)
        async with asyncio.timeout(START_TIMEOUT_SECONDS):
            while line := await stream.readline():
                self.output.append(line)
                if match := _ADDRESS.search(line):
                    self.port = int(match[1])
                    self._reader = asyncio.create_task(self._read(stream))
                    return
        raise AssertionError(b"".join(self.output).decode())

    async def _begun(self, arguments: Sequence[str], environment: Mapping[str, str]) -> asyncio.StreamReader:
        """Start the process; return what it prints."""
        if not self._fresh and not self.packages and self.prepare is None:
            process = self._process = await asyncio.to_thread(
                Forked, arguments, self.folder, environment, together=True
            )
            stream = asyncio.StreamReader()
            await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(stream), process.stdout.buffer
            )
            process.stderr.close()
            return stream
        # What is installed is looked for by a Python that starts, and bounds are for a process that nobody shares.
        started = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            preexec_fn=self.prepare,
        )
        return present(started.stdout)

    async def end(self, number: signal.Signals) -> int:
        """Send it a signal and return how it ended."""
        assert self._process is not None
        assert self._reader is not None
        self._process.send_signal(number)
        async with asyncio.timeout(START_TIMEOUT_SECONDS):
            await self._reader
            if isinstance(self._process, Forked):
                return await asyncio.to_thread(self._process.wait, START_TIMEOUT_SECONDS)
            return await self._process.wait()

    async def kill(self) -> None:
        """Kill it without a warning."""
        assert await self.end(signal.SIGKILL) == -signal.SIGKILL

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            self.output.append(line)
