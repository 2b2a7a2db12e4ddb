"""`tavoliere health`: what it says of a program that is not well."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.cli.conftest import Run
from tests.support.ports import free_port


@contextmanager
def answering(status: int, said: str) -> Iterator[str]:
    """Answer everything on a port like this; that port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        # How long it takes to notice that it shall end: half a second, unless said otherwise.
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield str(server.server_port)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "said", "code", "words"),
    [
        (200, "ok\n", 0, ["well"]),
        (503, "disk-full\n", 1, ["database", "disk-full"]),
        (503, "not-listening discord telegram\n", 1, ["listening", "Discord, Telegram"]),
        (503, "token-in-use telegram\n", 1, ["another program", "Telegram", "token"]),
        (503, "commands-refused discord\n", 1, ["does not take", "Discord", "commands"]),
        (404, "nothing", 1, ["does not answer"]),
    ],
)
def test_health_reports_what_is_wrong(run: Run, status: int, said: str, code: int, words: list[str]) -> None:
    with answering(status, said) as port:
        ran = run("health", "--port", port)
    assert ran.code == code
    assert all(word in ran.out + ran.err for word in words), ran


def test_health_reports_in_italian(run: Run) -> None:
    with answering(503, "not-listening telegram\n") as port:
        assert "ha smesso di ascoltare Telegram" in run("health", "--port", port, LANG="it_IT.UTF-8").err


def test_a_program_that_does_not_run_does_not_answer(run: Run) -> None:
    assert run("health", "--port", str(free_port())).code == 1
