"""All commands, as the platforms read them."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import Command, PressRule
from bot.core.features import load_commands, load_presses
from bot.entry.commandline import Parameter

COMMANDS: Final[Mapping[str, Command]] = load_commands()
PARAMETERS: Final[Mapping[str, tuple[Parameter, ...]]] = {
    name: command.parameters for name, command in COMMANDS.items()
}
PRESSES: Final[Mapping[str, PressRule]] = load_presses()
