"""All commands, as the platforms read them."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import Command
from bot.core.features import load_commands
from bot.entry.commandline import Parameter

COMMANDS: Final[Mapping[str, Command]] = load_commands()
PARAMETERS: Final[Mapping[str, tuple[Parameter, ...]]] = {
    name: command.parameters for name, command in COMMANDS.items()
}
