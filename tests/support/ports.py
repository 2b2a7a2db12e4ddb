"""Addresses on this machine for what a test starts."""

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from ssl import SSLContext
from typing import Final

from aiohttp import web

_PORTS: Final = range(10_000, 32_000)
_OUTGOING: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOCKS: Final = Path(tempfile.gettempdir()) / "tavoliere-test-ports"


def free_port() -> int:
    """Return a port of this machine that nobody listens at, and that no other test run gets while this one lives."""
    _LOCKS.mkdir(exist_ok=True)
    outgoing = _outgoing_ports()
    for port in random.SystemRandom().sample(_PORTS, 1_000):
        if port not in outgoing and _hold(port) and _is_free(port):
            return port
    raise AssertionError("no port is free")


@asynccontextmanager
async def listening(
    app: web.Application, context: SSLContext | None = None, ending_seconds: float = 1.0
) -> AsyncIterator[int]:
    """Have an application listen on this machine, by TLS with a `context`; give the port.

    In the end it waits `ending_seconds` for those who are still asking.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=ending_seconds)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _outgoing_ports() -> range:
    """Return the ports that the system gives to outgoing connections: one could be taken before it is listened at."""
    with suppress(OSError):
        first, last = map(int, _OUTGOING.read_text("ascii").split())
        if set(_PORTS) - set(range(first, last + 1)):
            return range(first, last + 1)
    return range(0)


def _hold(port: int) -> bool:
    """Keep a port from the other workers, until this process ends."""
    lock = os.open(_LOCKS / str(port), os.O_WRONLY | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as bound, suppress(OSError):
        bound.bind(("127.0.0.1", port))
        return True
    return False
