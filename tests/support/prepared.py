"""Programs of tests in an interpreter forked from one that has imported what most of them need.

To import that takes most of what a short program costs. Which games there are is found anew by each program, and so is
all that depends on it; where another tree comes first on the path, all of ours is imported anew from there.
"""

import atexit
import gc
import importlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType
from typing import Final

IMPORTED: Final = (
    "aiohttp.web", "aiosqlite", "alembic.command", "alembic.runtime.migration", "asyncpg", "babel.dates",
    "babel.messages.pofile", "babel.numbers", "cachetools", "discord.ext.commands", "filelock", "fsrs", "jinja2",
    "hypothesis", "networkx", "openskill.models", "PIL.Image", "PIL.ImageDraw", "PIL.ImageFont", "prometheus_client",
    "pydantic_settings", "pytest", "sqlalchemy.dialects.sqlite.aiosqlite", "sqlalchemy.ext.asyncio", "structlog",
    "telegram.ext", "uharfbuzz",
    # Ours, as far as they do not ask which games there are.
    "bot.boards.puzzles.feature", "bot.kernel.operations.health", "bot.outbox.messenger", "bot.people.account.commands",
    "bot.people.advice.hints", "bot.people.standings.feature", "bot.platforms.apps.launches",
    "bot.platforms.discord.adapter", "bot.platforms.public.streams", "bot.platforms.telegram.layout",
    "bot.platforms.telegram.updates", "bot.platforms.web.room", "bot.table.feature", "engine.search.contest",
)  # fmt: skip
OURS: Final = ("bot", "engine", "render", "storage", "tests")
_MAX_ORDER_BYTES: Final = 1 << 20
_SERVE: Final = "import runpy; runpy.run_path({!r}, run_name='__main__')"


class Prepared:
    """The interpreter from which programs are forked, one at a time; it ends with this process."""

    def __init__(self, options: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it with options for Python, in an environment whose PYTHONPATH names one folder."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, *options, "-c", _SERVE.format(__file__)]
        with theirs:
            self._process = subprocess.Popen(command, stdin=theirs.fileno(), env=dict(environment))
        atexit.register(self._end)

    def run(self, program: str, environment: Mapping[str, str], folder: Path | None) -> tuple[int, str, str]:
        """Run a program in a folder; return how it ended, and what it printed to both streams."""
        order = json.dumps([program, str(folder or Path.cwd()), dict(environment)]).encode()
        with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
            socket.send_fds(self._control, [order], [out.fileno(), err.fileno()])
            code = json.loads(self._control.recv(_MAX_ORDER_BYTES))
            out.seek(0)
            err.seek(0)
            return code, out.read(), err.read()

    def _end(self) -> None:
        self._control.close()
        self._process.wait()


def serve() -> str | None:
    """Be that interpreter until nobody is there; in each process that is forked, return the program it is to run."""
    for name in IMPORTED:
        importlib.import_module(name)
    assert sys.modules["engine.games"].games._found is None
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=0) as control:
        while True:
            order, descriptors, _, _ = socket.recv_fds(control, _MAX_ORDER_BYTES, 2)
            if not order:
                return None
            program, folder, environment = json.loads(order)
            process = os.fork()
            if process == 0:
                break
            for descriptor in descriptors:
                os.close(descriptor)
            _, status = os.waitpid(process, 0)
            control.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
    os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate(descriptors, 1):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # The folder it runs in comes first, then what the environment names, of which here was one.
    sys.path[1:2] = folders = environment["PYTHONPATH"].split(os.pathsep)
    tree = next(Path(each) for each in folders if any(Path(each, name).is_dir() for name in OURS))
    if tree != Path(__file__).resolve().parents[2]:
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            del sys.modules[name]
    importlib.invalidate_caches()
    return str(program)


if __name__ == "__main__":
    given = serve()
    if given is not None:
        # Processes that it starts in turn look at the main module.
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(compile(given, "<string>", "exec"), vars(main))  # noqa: S102
