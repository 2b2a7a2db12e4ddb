"""Buttons that give a command, with some of its values."""

from collections.abc import Mapping
from dataclasses import replace
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
_SUBJECT_KINDS: Final = ("game", "mygame", "code")
"""Kinds of parameters that say what is looked at."""


def run_press(name: str, values: Mapping[str, str] | None = None) -> str:
    """Return the payload of a button that gives a command; it may be too long."""
    return press(RUN_PRESS, None, 0, name, *(f"{each}{_SEPARATOR}{value}" for each, value in (values or {}).items()))


async def press_run(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle such a button."""
    command, values = _read(pressed)
    if command is None or command.name not in commands_on(asker.request.user.platform):
        raise Refused("refusal.stale")
    reply = await command.handler(context, asker, check_values(command, values))
    return keep_personal(context, asker, reply, str(pressed)) if command.is_personal(values) else reply


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


def only_looks(pressed: Press) -> bool:
    """Return True if such a button shows something about its presser, and changes nothing whatever it carries."""
    command, values = _read(pressed)
    if command is None or not command.is_personal(values):
        return False
    kinds = {parameter.name: parameter.kind for parameter in command.parameters}
    return all(kinds.get(name) in _SUBJECT_KINDS for name in values)


def keep_personal(context: Context, asker: RequestContext, reply: Reply, link: str) -> Reply:
    """Return a reply that concerns its asker alone, to be shown in their own chat where a group could read it.

    `link` is the press that shows it there.
    """
    where = asker.request.place
    stays = where.kind != "group" or where.guest or context.is_private_place(asker.place)
    if stays or not reply.private or reply.card is None:
        return reply
    return replace(reply, apart=True, update=False, link=reply.link or link)


def link_of(command: Command, values: Mapping[str, str]) -> str:
    """Return the press that shows what a command shows, with what it is about."""
    kinds = {parameter.name: parameter.kind for parameter in command.parameters}
    return run_press(command.name, {name: each for name, each in values.items() if kinds.get(name) in _SUBJECT_KINDS})


def _read(pressed: Press) -> tuple[Command | None, dict[str, str]]:
    name, *pairs = pressed.path or ("",)
    return load_commands().get(name), dict(each.partition(_SEPARATOR)[::2] for each in pairs)
