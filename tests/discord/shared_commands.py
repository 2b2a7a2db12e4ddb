"""Our commands on Discord, built once for all bots of a process: building them takes most of a bot's start."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.app_commands import Choice

from bot.kernel.texts import Texts
from bot.platforms.discord import client
from bot.platforms.discord.decode import Interaction
from bot.platforms.discord.dispatcher import DiscordDispatcher
from bot.platforms.discord.tree import app_commands_for

build_payload: Any = app_commands.Command.get_translated_payload
PAYLOADS: dict[app_commands.Command[Any, ..., None], dict[str, Any]] = {}


class DispatcherOfClient(DiscordDispatcher):
    """Passes everything to the dispatcher of the bot that an interaction has reached."""

    def __init__(self) -> None:
        """Create the dispatcher, which knows nobody itself."""

    async def command(
        self, interaction: Interaction, name: str, values: Mapping[str, str], problem: str | None = None
    ) -> None:
        await dispatcher_of(interaction).command(interaction, name, values, problem)

    async def complete(
        self, interaction: Interaction, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Choice[str]]:
        found: list[Choice[str]] = await dispatcher_of(interaction).complete(interaction, name, parameter, values)
        return found

    async def show(self, interaction: Interaction, message: int) -> None:
        await dispatcher_of(interaction).show(interaction, message)


def dispatcher_of(interaction: discord.Interaction[Any]) -> Any:
    """Return the dispatcher of the bot that an interaction has reached."""
    assert isinstance(interaction.client, client.Client)
    return interaction.client._dispatcher


@cache
def commands_of(texts: Texts) -> list[app_commands.Command[Any, ..., None]]:
    """Return all commands in the words of these catalogues."""
    return app_commands_for(texts, DispatcherOfClient())


async def payload_of(command: app_commands.Command[Any, ..., None], *arguments: Any) -> dict[str, Any]:
    """Return what is sent to register a command."""
    if command not in PAYLOADS:
        PAYLOADS[command] = await build_payload(command, *arguments)
    return PAYLOADS[command]


def share_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all bots of a test use the same commands."""
    monkeypatch.setattr(client, "app_commands_for", lambda texts, _: commands_of(texts))
    monkeypatch.setattr(app_commands.Command, "get_translated_payload", payload_of)
