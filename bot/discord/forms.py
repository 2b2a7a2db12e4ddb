"""Forms as Discord's modals: a page at a time, and what comes back when one is submitted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import discord
from discord import ui

from bot.core.forms import NO, YES
from bot.core.question_cards import button_rows
from bot.discord.decode import Interaction, mention_of_names
from bot.entry.commandline import read_people
from bot.interface.cards import Card
from bot.interface.forms import VALUE_SEPARATOR, FormField, FormView
from bot.language.texts import Span, join
from bot.lobby.people import MAX_INVITED
from bot.words.describe import shorten

MAX_TITLE_LENGTH: Final = 45
"""Maximum length of the title of a modal, and of a label in it (page Component Reference, Label)."""
MAX_TEXT_LENGTH: Final = 100
"""Maximum length of descriptions, labels of options, and ids."""
MAX_RADIO_OPTIONS: Final = 10
"""Maximum number of options of a radio group, which has at least two, and of a checkbox group."""
_MODAL_PREFIX: Final = "form|"
_UNSET: Final = "-"
"""An option's value cannot be empty."""


class FormModal(ui.Modal):
    """A page of a form."""

    def is_finished(self) -> bool:
        """Return True: submissions are read from their interactions, so discord.py need not store every modal."""
        return True


def form_modal(form: FormView) -> FormModal:
    """Return the page of a form that is to be opened."""
    title, press = shorten(form.title, MAX_TITLE_LENGTH), form.pages[form.page].press
    modal = FormModal(title=title, custom_id=f"{_MODAL_PREFIX}{press}")
    for each in form.fields_on(form.page):
        about = shorten(each.error or each.about, MAX_TEXT_LENGTH) or None
        label = shorten(each.label, MAX_TITLE_LENGTH)
        modal.add_item(ui.Label(text=label, description=about, component=_control(each)))
    return modal


def with_pages(card: Card) -> Card:
    """Return a form's card for a message: its values in words, and a button for each page."""
    form = card.form
    if form is None:
        return card
    lines = [(Span(f"{each.label}: "), Span(each.words, bold=True)) for each in form.fields]
    return replace(card, text=join([card.text, *lines]), rows=(*button_rows(form.pages), *form.rows))


def read_modal(interaction: Interaction) -> tuple[str, Mapping[str, str]] | None:
    """Return the press that a submitted modal carries, and the values of its fields; None for none of ours."""
    data: Any = interaction.data
    if interaction.type is not discord.InteractionType.modal_submit:
        return None
    press = str(data["custom_id"])
    if not press.startswith(_MODAL_PREFIX):
        return None
    people: Any = data.get("resolved") or {}
    given = (each["component"] for each in data["components"] if "component" in each)
    values = {str(each["custom_id"]): _value(each, people) for each in given}
    return press.removeprefix(_MODAL_PREFIX), values


def _control(asked: FormField) -> ui.Item[Any]:
    options = [(each.value or _UNSET, shorten(each.label, MAX_TEXT_LENGTH)) for each in asked.options]
    chosen = {each or _UNSET for each in asked.chosen}
    if asked.kind == "yes-no":
        return ui.Checkbox(custom_id=asked.name, default=asked.value == YES)
    if asked.kind == "people":
        known = [each.id for each in read_people(asked.value) if each.id is not None]
        users = [discord.SelectDefaultValue(id=int(each), type=discord.SelectDefaultValueType.user) for each in known]
        most = asked.most or MAX_INVITED
        return ui.UserSelect(
            custom_id=asked.name, required=False, min_values=0, max_values=most, default_values=users[:most]
        )
    if asked.kind == "several" and len(options) <= MAX_RADIO_OPTIONS:
        boxes = [
            discord.CheckboxGroupOption(label=label, value=each, default=each in chosen) for each, label in options
        ]
        return ui.CheckboxGroup(
            custom_id=asked.name, required=False, min_values=0, max_values=len(boxes), options=boxes
        )
    if asked.kind == "choice" and 2 <= len(options) <= MAX_RADIO_OPTIONS:
        radios = [discord.RadioGroupOption(label=label, value=each, default=each in chosen) for each, label in options]
        return ui.RadioGroup(custom_id=asked.name, options=radios)
    if options:
        several = asked.kind == "several"
        listed = [discord.SelectOption(label=label, value=each, default=each in chosen) for each, label in options]
        least, most = (0, len(listed)) if several else (1, 1)
        return ui.Select(custom_id=asked.name, required=not several, min_values=least, max_values=most, options=listed)
    return ui.TextInput(
        custom_id=asked.name,
        required=False,
        default=asked.value or None,
        max_length=asked.most if asked.kind == "text" else MAX_NUMBER_LENGTH,
    )


MAX_NUMBER_LENGTH: Final = 5


def _value(given: Mapping[str, Any], people: Any) -> str:
    value, values = given.get("value"), given.get("values")
    if given["type"] == discord.ComponentType.user_select.value:
        return " ".join(mention_of_names(str(each), people) for each in values or [])
    if isinstance(value, bool):
        return YES if value else NO
    if values is not None:
        value = VALUE_SEPARATOR.join(map(str, values))
    return "" if value in (None, _UNSET) else str(value)
