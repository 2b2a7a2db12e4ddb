"""A proxy in front of a server of this machine that lets everything through but live streams."""

import asyncio
from typing import Final, Literal

from tests.support.proxy import Server

STREAMS: Final = (b"/api/live", b"/live ", b"/stream ")
"""What stands in the first line of a request for a stream."""
_MISSING: Final = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class StreamProxy(Server):
    """What it does with streams is its `mode`.

    "open" lets them through; "missing" answers 404, as a proxy does that knows no upgrade; "silent" keeps them open,
    old and new ones, and carries nothing any more. Requests that ask once for what a stream would bring go through.
    """

    def __init__(self, port: int, mode: Literal["open", "missing", "silent"] = "open") -> None:
        super().__init__()
        self.mode = mode
        self._behind = port

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_there = await asyncio.open_connection("127.0.0.1", self._behind)
        is_stream = asyncio.Event()

        async def send() -> None:
            while data := await reader.read(65536):
                if _asks_for_a_stream(data):
                    is_stream.set()
                    if self.mode == "missing":
                        writer.write(_MISSING)
                        return
                if self.mode == "silent" and is_stream.is_set():
                    continue
                to_there.write(data)

        async def bring() -> None:
            while data := await there.read(65536):
                if self.mode == "silent" and is_stream.is_set():
                    continue
                writer.write(data)

        ways = [asyncio.create_task(send()), asyncio.create_task(bring())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ways:
                each.cancel()
            to_there.close()


def _asks_for_a_stream(data: bytes) -> bool:
    head = data.partition(b"\r\n\r\n")[0].lower()
    first = head.partition(b"\r\n")[0]
    wants = b"upgrade: websocket" in head or b"accept: text/event-stream" in head
    return first.startswith(b"get ") and wants and any(each in first for each in STREAMS)
