"""A worker process of `thinkers`: reads searches from its input, one JSON line each, and writes the answers."""

import json
import os
import signal
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO, Final

from engine.core import Json
from engine.search import assess, think

_NICENESS: Final = 10


def main() -> None:
    """Answer searches until the input closes; then end at once, even during a search."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # only the program ends its workers
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICENESS)
    orders: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read_orders, args=(sys.stdin.buffer, orders), daemon=True).start()
    while True:
        reply = json.dumps(answer(json.loads(orders.get())), separators=(",", ":"))
        sys.stdout.buffer.write(reply.encode() + b"\n")
        sys.stdout.buffer.flush()


def answer(order: Json) -> Json:
    """Return the `answer` of a search, or under `failed` its error as text."""
    try:
        if order["do"] == "turn":
            return {"answer": think(order["position"], order["level"], order["seed"], order["seconds"])}
        more = {"seconds": order["seconds"], "avoid": order.get("avoid", ())}
        return {"answer": assess(order["position"], order["iterations"], **more)}
    except Exception as error:  # noqa: BLE001 (the caller must get every error)
        return {"failed": f"{type(error).__name__}: {error}"}


def _read_orders(lines: BinaryIO, orders: SimpleQueue[bytes]) -> None:
    for line in lines:
        orders.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
