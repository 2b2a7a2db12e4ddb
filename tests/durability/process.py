"""`tavoliere serve` as a process of its own, directed at the fakes, that can be killed at any moment.

Processes are forked from one that has imported everything: what is tested comes after that, and it is quick.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final
from unittest import mock

TIMEOUT_SECONDS: Final = 400.0
"""How many seconds anything may take; nothing is wrong with a slow machine.

It is more than the program itself gives a search: three times 63 seconds, for searches run at low priority.
"""

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "bot.__main__", "bot.platforms.app", "bot.cli.serve", "bot.platforms.discord.connection",
        "bot.platforms.telegram.connection",
        "bot.platforms.web.server", "render.pool", "render.pool", "storage", "tests.support.warm", __name__,
    ]
)  # fmt: skip


def direct_clients(api: str, gateway: str) -> None:
    """Have the clients of this process talk to the fakes, as often as they like."""
    import discord.gateway
    import discord.http
    import yarl

    import bot.platforms.discord.connection
    import bot.platforms.telegram.calls

    discord.http.Route.BASE = api
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    free = dict.fromkeys(bot.platforms.telegram.calls.CallKind, 10**9)
    # Unlike an assignment this fails where a name is no longer there.
    limits: dict[str, Any] = {"MAX_PER_BURST": free, "MAX_PER_MINUTE": free, "MAX_PER_SECOND_OVERALL": free}
    mock.patch.multiple(bot.platforms.telegram.calls, **limits).start()
    mock.patch.object(bot.platforms.discord.connection, "RATE_LIMIT_REQUESTS", 10**9).start()


def serve(
    folder: str, environment: Mapping[str, str], api: str, gateway: str, prepare: Callable[[], None] | None
) -> None:
    """Be the program: what runs in the process."""
    output = os.open(Path(folder) / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder)
    for name in [name for name in os.environ if name.endswith(("TOKEN", "_URL")) or name.startswith("TAVOLIERE")]:
        del os.environ[name]
    os.environ.update(environment)

    direct_clients(api, gateway)
    if prepare is not None:
        prepare()
    from bot.__main__ import main

    sys.exit(main(["serve", "--port", "0"]))


def live(main: Callable[..., Coroutine[Any, Any, None]], arguments: tuple[Any, ...], out: Connection) -> None:
    """Be a life: what runs in the process."""
    os.dup2(out.fileno(), 1)
    out.close()
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    asyncio.run(main(*arguments))


class Life:
    """A coroutine of the tests as a process of its own that can be killed; what it prints is read from `stdout`."""

    def __init__(self, process: BaseProcess, stdout: asyncio.StreamReader) -> None:
        self.stdout = stdout
        self._process = process

    @classmethod
    async def start(cls, main: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> Life:
        """Start it; `main` stands in a module, by whose name the process finds it."""
        mine, theirs = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=live, args=(main, arguments, theirs))
        # The first one waits until there is a process to fork from.
        await asyncio.to_thread(process.start)
        theirs.close()
        stdout = asyncio.StreamReader()
        with mine:
            pipe = os.fdopen(os.dup(mine.fileno()), "rb")
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout), pipe)
        return cls(process, stdout)

    def kill(self) -> None:
        """End it at once, whatever it is about."""
        self._process.kill()

    async def killed(self) -> bytes:
        """End it at once, whatever it is about; return what it has printed that nobody has read."""
        self.kill()
        printed = await self.stdout.read()
        await self.ended()
        return printed

    async def ended(self) -> int:
        """Return how it ended, when it has and all that it printed is here to be read."""
        await asyncio.to_thread(self._process.join, TIMEOUT_SECONDS)
        code = self._process.exitcode
        assert code is not None, "it did not end"
        self._process.close()
        return code


class Program:
    """One run of the program."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], api: str, gateway: str, prepare: Callable[[], None] | None
    ) -> None:
        """Start it; `prepare` is called in it before it begins."""
        environment = {"LANG": "en_GB.UTF-8", "TAVOLIERE_LOG_FORMAT": "json", **environment}
        self._process: BaseProcess = FORKS.Process(target=serve, args=(str(folder), environment, api, gateway, prepare))
        self._process.start()

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        """How it ended."""
        return self._process.exitcode

    def kill(self) -> None:
        """End it at once, whatever it is about."""
        self._process.kill()

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    async def ended(self) -> None:
        await asyncio.to_thread(self._process.join, TIMEOUT_SECONDS)
        assert self._process.exitcode is not None, "the program did not end"
