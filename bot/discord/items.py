"""Buttons and menus that carry our presses in their ids, so that they work after any restart."""

from __future__ import annotations

import re
from typing import Any, Protocol, Self, cast

import discord
from discord import ui


class Pressed(Protocol):
    """The client, as the items see it."""

    async def on_press(self, interaction: discord.Interaction[Any], press: str) -> None:
        """Carry out a press."""
        ...


class PressButton(ui.DynamicItem[ui.Button[ui.LayoutView]], template=r"(?s)(\d{1,2})\|(?P<press>.+)"):
    """A button; the number in front keeps two buttons with the same press apart, as Discord wants it."""

    def __init__(self, button: ui.Button[ui.LayoutView], press: str) -> None:
        super().__init__(button)
        self.press = press

    @classmethod
    def create(
        cls, number: int, press: str, label: str, style: discord.ButtonStyle, *, disabled: bool = False
    ) -> PressButton:
        """Return a new button."""
        button = ui.Button[ui.LayoutView](label=label, style=style, custom_id=f"{number}|{press}", disabled=disabled)
        return cls(button, press)

    @classmethod
    async def from_custom_id(cls, _: discord.Interaction[Any], item: ui.Item[Any], match: re.Match[str], /) -> Self:
        """Return the button that was pressed."""
        return cls(cast("ui.Button[ui.LayoutView]", item), match["press"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Pass the press on."""
        await cast("Pressed", interaction.client).on_press(interaction, self.press)


class PressMenu(ui.DynamicItem[ui.Select[ui.LayoutView]], template=r"menu\|(\d{1,2})"):
    """A menu, each of whose options carries its press as its value."""

    @classmethod
    def create(cls, number: int, placeholder: str, options: list[discord.SelectOption]) -> PressMenu:
        """Return a new menu."""
        return cls(ui.Select[ui.LayoutView](custom_id=f"menu|{number}", placeholder=placeholder, options=options))

    @classmethod
    async def from_custom_id(cls, _: discord.Interaction[Any], item: ui.Item[Any], __: re.Match[str], /) -> Self:
        """Return the menu of which an option was chosen."""
        return cls(cast("ui.Select[ui.LayoutView]", item))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Pass the chosen option's press on."""
        await cast("Pressed", interaction.client).on_press(interaction, self.item.values[0])
