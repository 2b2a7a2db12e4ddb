"""A form as its reader sees it: each platform shows it with its own controls, and sends the values back by name."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from bot.interface.cards import Button, Row

FieldKind = Literal["choice", "several", "yes-no", "number", "text", "people"]
ANSWER: Final = ""
"""The name of the value that answers the only field that was asked for."""
VALUE_SEPARATOR: Final = ","
"""Separates the values of a field of the kind `several`."""
MAX_PAGE_FIELDS: Final = 5
"""Maximum number of fields on a page: those of a Discord modal."""
MAX_FORM_TEXT_LENGTH: Final = 400
"""Maximum number of characters typed into a field."""


@dataclass(frozen=True, slots=True)
class FormOption:
    """A value that can be chosen, and its label."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: its label, one sentence about it, its current value (also in words), and the `options`, if it has any.

    A number is between `least` and `most`; `most` people can be named. `error` says why the value cannot be used.
    `leads`: True if other fields depend on it.
    """

    name: str
    kind: FieldKind
    label: str
    about: str
    value: str
    words: str
    options: tuple[FormOption, ...] = ()
    least: int | None = None
    most: int | None = None
    error: str = ""
    page: int = 0
    leads: bool = False

    @property
    def chosen(self) -> frozenset[str]:
        """The chosen values: those of the kind `several` may be many."""
        return frozenset(self.value.split(VALUE_SEPARATOR) if self.kind == "several" else [self.value])


@dataclass(frozen=True, slots=True)
class FormView:
    """A form with its current values.

    `press` fills in all of it and submits it. `pages` are the buttons that open a page's fields, and carry what fills
    them in; `page` is the one to open first. `again` shows all of it after a choice on which other fields depend, None
    if none does. `rows` are the buttons that remain where fields have controls of their own.
    """

    title: str
    submit: str
    press: str
    fields: tuple[FormField, ...]
    pages: "tuple[Button, ...]"
    rows: "tuple[Row, ...]" = field(default=())
    page: int = 0
    again: "Button | None" = None

    def fields_on(self, page: int) -> tuple[FormField, ...]:
        """Return the fields of a page."""
        return tuple(each for each in self.fields if each.page == page)
