"""The real program as its own process, which can be killed and started again."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import bot

_ADDRESS: Final = re.compile(rb"http://[^\s]+:(\d+)/")
_OURS: Final = ("TAVOLIERE_", "DISCORD_", "TELEGRAM_", "DATABASE_URL")


class Program:
    """`tavoliere serve` with its data in a folder; it keeps the port that it chose first.

    What is installed in the folders `packages` is found by it besides what is here.
    """

    def __init__(self, folder: Path, *packages: Path) -> None:
        self.folder = folder
        self.packages = packages
        self.port = 0
        self.prepare: Callable[[], None] | None = None
        """What its process does before it is the program: bounds that the system is to set it."""
        self._process: asyncio.subprocess.Process | None = None
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end(signal.SIGTERM)

    async def start(self) -> None:
        """Start it and wait until it has printed its address."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        # The program is to be the one that these tests import, wherever they are run from.
        found = os.pathsep.join(map(str, (Path(bot.__file__).parent.parent, *self.packages)))
        environment |= {"TAVOLIERE_LANGUAGE": "en", "PYTHONUNBUFFERED": "1", "PYTHONPATH": found}
        arguments = ("-m", "bot", "serve", "--port", str(self.port), "--data-dir", str(self.folder / "data"))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            cwd=self.folder,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            preexec_fn=self.prepare,
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            while line := await self._process.stdout.readline():
                self.output.append(line)
                if match := _ADDRESS.search(line):
                    self.port = int(match[1])
                    self._reader = asyncio.create_task(self._read(self._process.stdout))
                    return
        raise AssertionError(b"".join(self.output).decode())

    async def end(self, number: signal.Signals) -> int:
        """Send it a signal and return how it ended."""
        assert self._process is not None
        assert self._reader is not None
        self._process.send_signal(number)
        async with asyncio.timeout(60):
            await self._reader
            return await self._process.wait()

    async def kill(self) -> None:
        """Kill it without a warning."""
        assert await self.end(signal.SIGKILL) == -signal.SIGKILL

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            self.output.append(line)
