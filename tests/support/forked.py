"""The command `tavoliere` as a process of its own, forked from one that has imported the program already.

What importing costs is most of what a start costs; a test that needs that starts an interpreter.
"""

import os
import pty
import signal
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

from tests.durability.process import FORKS, direct_clients
from tests.support.present import present


def run_command(
    folder: str,
    environment: Mapping[str, str],
    arguments: Sequence[str],
    out: Connection,
    err: Connection,
    fakes: tuple[str, str] | None,
) -> None:
    """Be the command: what runs in the process."""
    for number, connection in ((1, out), (2, err)):
        os.dup2(connection.fileno(), number)
    out.close()
    err.close()
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    sys.stdout = open(1, "w", encoding=encoding, buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=encoding, buffering=1, closefd=False)  # noqa: SIM115
    os.chdir(folder)
    sys.path.insert(0, folder)
    os.environ.clear()
    os.environ.update(environment)
    if fakes is not None:
        direct_clients(*fakes)
    from bot.__main__ import main

    sys.exit(main(list(arguments)))


class Forked:
    """What `subprocess.Popen` gives, as far as it is used; `together` puts both streams into `stdout`.

    With `terminal` its output is a terminal. `fakes` are the addresses of a fake Discord's API and gateway.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        together: bool = False,
        terminal: bool = False,
        fakes: tuple[str, str] | None = None,
    ) -> None:
        mine, theirs = map(Connection, pty.openpty()) if terminal else FORKS.Pipe(duplex=False)
        errors, their_errors = FORKS.Pipe(duplex=False)
        given = theirs if together else their_errors
        given_to = (str(folder), dict(environment), [*arguments], theirs, given, fakes)
        self._process = FORKS.Process(target=run_command, args=given_to)
        self._process.start()
        self.pid = int(self._process.pid or 0)
        self.returncode: int | None = None
        self.stdout = _opened(mine)
        self.stderr = _opened(errors)
        theirs.close()
        their_errors.close()

    def poll(self) -> int | None:
        """Return how it ended, None while it runs."""
        if self.returncode is None:
            self.returncode = self._process.exitcode
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Return what is still to be read of its streams, when it has ended; they are closed."""
        with ThreadPoolExecutor(1) as pool, self.stdout as out, self.stderr as err:
            said = pool.submit(err.read)
            found = out.read(), said.result()
        self.wait(timeout)
        return found

    def wait(self, timeout: float | None = None) -> int:
        """Return how it ended, as soon as it has."""
        if self.returncode is None:
            self._process.join(timeout)
            assert self.poll() is not None, "it did not end"
            self._process.close()
        return present(self.returncode)


def _opened(connection: Connection) -> TextIO:
    """Return the end of a pipe as a file."""
    with connection:
        return os.fdopen(os.dup(connection.fileno()), encoding="utf-8")
