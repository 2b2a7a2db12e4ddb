"""Addresses on this machine for what a test starts."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    # Not among those that the system gives to connections that go out, which could take it in between.
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as bound, suppress(OSError):
            bound.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
