"""`tavoliere health`: ask the running program on this machine whether it is well (for containers)."""

from __future__ import annotations

import http.client
from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, PROBLEM, Console

_PATIENCE = 4.0


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare what the subcommand takes."""
    parser.add_argument("--port", type=int, default=console.settings.web_port, help=console.line("arg.port"))


def run(options: Namespace, console: Console) -> int:
    """Return 0 if the program answers that it is well."""
    connection = http.client.HTTPConnection("127.0.0.1", options.port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException):
        status = 0
    finally:
        connection.close()
    if status == http.client.OK:
        console.say("health.well")
        return OK
    console.complain("health.ill", port=options.port)
    return PROBLEM
