"""Conversion of cards' forms to HTML elements, for the page and the apps, with or without scripts."""

import re
from collections.abc import Mapping
from html import escape
from itertools import groupby
from typing import Any, Final

from bot.kernel.cards import MAX_FORM_TEXT_LENGTH, VALUE_SEPARATOR
from bot.kernel.forms import NO, YES
from storage import Json

Element = list[Any]
"""The name of an element, its attributes, and its children: elements, or texts."""

_KNOWN_PERSON: Final = re.compile(r"<@[^|>]*\|([^>]*)>")


def draw_form(form: Json) -> Element:
    """Return the element of a stored form; its submit buttons are named `press`.

    A control that may send nothing has a hidden input of the same name before it, with the default value.
    """
    buttons = [_submit("key primary", "submit", form["press"], form["submit"])]
    if again := form.get("again"):
        buttons.append(_submit("key", "again", *again))
    parts = list[Element]()
    for title, fields in groupby(form["fields"], lambda each: each.get("section", "")):
        drawn = list(map(_draw_field, fields))
        named = {"class": "section", "aria-label": title}
        parts += [["section", named, ["h2", {}, title], *drawn]] if title else drawn
    return ["form", {"class": "form", "method": "post"}, *parts, ["div", {"class": "row"}, *buttons]]


def write_html(element: Element | str) -> str:
    """Return an element as HTML."""
    if isinstance(element, str):
        return escape(element)
    name, attributes, *children = element
    named = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items() if value is not None)
    inside = "".join(map(write_html, children))
    return f"<{name}{named}>" if name == "input" else f"<{name}{named}>{inside}</{name}>"


def _submit(style: str, key: str, press: str, label: str) -> Element:
    return ["button", {"type": "submit", "class": style, "name": "press", "value": press, "data-key": key}, label]


def _draw_field(field: Mapping[str, Any]) -> Element:
    name, kind = f"form-{field['name']}", field["kind"]
    about = ["small", {"id": f"{name}-about"}, field["about"]]
    error = (
        [["p", {"id": f"{name}-error", "class": "error", "role": "alert"}, field["error"]]] if field["error"] else []
    )
    leads = {"data-leads": ""} if field.get("leads") else {}
    if kind == "several":
        boxes = _draw_boxes(field, name, leads)
        return ["fieldset", {"class": "field"}, ["legend", {}, field["label"]], *boxes, about, *error]
    described = f"{name}-error {name}-about" if error else f"{name}-about"
    named = {"id": name, "name": field["name"], "data-key": name, "aria-describedby": described, **leads}
    if error:
        named["aria-invalid"] = "true"
    label = ["label", {"for": name}, field["label"]]
    return ["div", {"class": "field"}, label, *_draw_control(field, named), about, *error]


def _draw_control(field: Mapping[str, Any], named: Json) -> list[Element]:
    kind, value = field["kind"], field["value"]
    if kind == "yes-no":
        return [_hidden(field, NO), ["input", {**named, "type": "checkbox", "value": YES, **_checked(value == YES)}]]
    if field["options"]:
        options = [
            ["option", {"value": each, **({"selected": ""} if each == value else {})}, label]
            for each, label in field["options"]
        ]
        return [["select", named, *options]]
    if kind == "number":
        bounds = {"min": field["least"], "max": field["most"]}
        return [["input", {**named, "type": "number", **bounds, "value": value}]]
    # People with known ids are shown by their names.
    shown = _KNOWN_PERSON.sub(r'@"\1"', value) if kind == "people" else value
    most = field["most"] if kind == "text" else MAX_FORM_TEXT_LENGTH
    return [["input", {**named, "type": "text", "maxlength": most, "value": shown, "autocomplete": "off"}]]


def _draw_boxes(field: Mapping[str, Any], name: str, leads: dict[str, str]) -> list[Element]:
    chosen = field["value"].split(VALUE_SEPARATOR)
    return [
        _hidden(field, ""),
        *(
            [
                "label",
                {},
                [
                    "input",
                    {
                        "type": "checkbox",
                        "name": field["name"],
                        "value": value,
                        "data-key": f"{name}-{value}",
                        **leads,
                        **_checked(value in chosen),
                    },
                ],
                label,
            ]
            for value, label in field["options"]
        ),
    ]


def _hidden(field: Mapping[str, Any], value: str) -> Element:
    return ["input", {"type": "hidden", "name": field["name"], "value": value}]


def _checked(checked: bool) -> dict[str, str]:
    return {"checked": ""} if checked else {}
