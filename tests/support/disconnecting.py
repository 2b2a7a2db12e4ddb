"""Connections that go without saying so."""

import socket

from aiohttp import ClientWebSocketResponse


def drop(stream: ClientWebSocketResponse) -> None:
    """Break a WebSocket's connection off, as a browser does that is closed or loads another page."""
    stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
