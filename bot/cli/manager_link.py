"""`tavoliere manager-link`: print the link with which its manager opens the page."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bot.cli.console import ENVIRONMENT, OK, USAGE, CommandFailed, Console
from bot.cli.database import settings_of
from bot.cli.files import web_address
from bot.kernel.operations.manager_secret import ManagerSecret, manager_link
from bot.kernel.operations.settings import Settings, is_loopback, page_address


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("--new", action="store_true", help=console.line("arg.new"))
    parser.add_argument("--address", type=web_address(console), metavar="URL", help=console.line("arg.address"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Print the link, with `--new` after renewing its secret; the program may be running or not."""
    settings = settings_of(options, console)
    address = options.address or _own_address(settings)
    # A secret in a mistyped folder would open nothing.
    if not settings.data_dir.is_dir():
        raise CommandFailed("manager-link.no-folder", ENVIRONMENT, folder=str(settings.data_dir))
    secret = ManagerSecret(settings.data_dir)
    try:
        known = secret.renew() if options.new else secret.load_or_create()
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandFailed("manager-link.unusable", ENVIRONMENT, file=str(secret.path), reason=reason) from None
    console.put(manager_link(address, known))
    if options.new:
        console.complain("manager-link.renewed")
    if not options.address and (settings.web_names or not is_loopback(settings.web_host)):
        console.complain("manager-link.elsewhere")
    return OK


def _own_address(settings: Settings) -> str:
    if settings.web_port == 0:
        raise CommandFailed("manager-link.no-port", USAGE)
    return page_address(settings.web_host, settings.web_port)
