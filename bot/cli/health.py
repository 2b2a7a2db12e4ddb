"""`tavoliere health`: ask the program running on this machine whether it is healthy (for containers)."""

import http.client
from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, PROBLEM, Console
from bot.cli.files import host_name
from bot.kernel.operations import PLATFORM_REASONS
from bot.kernel.operations.settings import find_reachable_address

_HEALTH_TIMEOUT_SECONDS = 4.0
_MAX_ANSWER_LENGTH = 100


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    host = find_reachable_address(console.settings.web_host)
    parser.add_argument(
        "--host", type=host_name(console), metavar="ADDRESS", default=host, help=console.line("arg.health-host")
    )
    parser.add_argument("--port", type=int, default=console.settings.web_port, help=console.line("arg.port"))


def run(options: Namespace, console: Console) -> int:
    """Return 0 if the program answers that it is healthy."""
    connection = http.client.HTTPConnection(options.host, options.port, timeout=_HEALTH_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        status, said = answer.status, answer.read(_MAX_ANSWER_LENGTH).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException):
        status, said = 0, ""
    finally:
        connection.close()
    if status == http.client.OK:
        console.say("health.well")
        return OK
    reason, *which = said.split() or [""]
    if status == http.client.SERVICE_UNAVAILABLE and reason in PLATFORM_REASONS:
        console.complain(f"health.{reason}", platforms=", ".join(name.capitalize() for name in which))
    elif status == http.client.SERVICE_UNAVAILABLE:
        console.complain("health.database", reason=said)
    else:
        console.complain("health.ill", host=options.host, port=options.port)
    return PROBLEM
