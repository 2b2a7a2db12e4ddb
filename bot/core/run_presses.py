"""Buttons that give a command, with some of its values."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import Command, check_values
from bot.core.context import Context, Public
from bot.core.features import commands_on, load_commands
from bot.core.permissions import Right
from bot.core.request_context import RequestContext
from bot.interface.presses import RUN_PRESS, Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply

_SEPARATOR: Final = ":"


def run_press(name: str, values: Mapping[str, str] | None = None) -> str:
    """Return the payload of a button that gives a command; it may be too long."""
    return press(RUN_PRESS, None, 0, name, *(f"{each}{_SEPARATOR}{value}" for each, value in (values or {}).items()))


async def press_run(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle such a button."""
    command, values = _read(pressed)
    if command is None or command.name not in commands_on(asker.request.user.platform):
        raise Refused("refusal.stale")
    return await command.handler(context, asker, check_values(command, values))


def run_kind(pressed: Press) -> Public | None:
    """Return what the command makes public."""
    command, values = _read(pressed)
    return None if command is None else command.kind(values)


def run_right(pressed: Press) -> Right | None:
    """Return the right that the command needs."""
    command, values = _read(pressed)
    return None if command is None else command.right_for(values)


def run_opens_form(pressed: Press) -> bool:
    """Return True if the command opens its form."""
    command, values = _read(pressed)
    return command is not None and command.opens_form(values)


def _read(pressed: Press) -> tuple[Command | None, dict[str, str]]:
    name, *pairs = pressed.path or ("",)
    return load_commands().get(name), dict(each.partition(_SEPARATOR)[::2] for each in pairs)
