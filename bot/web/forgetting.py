"""Removal of forgotten people from stored messages."""

import re
from collections.abc import Collection
from typing import Final

from bot.web.present import Json
from engine.record_fields import FORGOTTEN_NAME

_NUMBER: Final = r" \(\d+\)"
"""What tells a name apart from others that look like it: `Anna (2)`."""
_NUMBER_PATTERN: Final = re.compile(f"{_NUMBER}$")


def without_people(card: Json, people: Collection[int], names: Collection[str]) -> Json | None:
    """Return a stored card without some people and their names; None if it mentions none of them.

    Pictures contain names, so the picture goes, and with it its presses.
    """
    known = {name for name in names if name}
    spans = [_remove_names(span, people, known) for span in card.get("text", ())]
    is_mentioned = spans != card.get("text", [])
    quoted = {key: card[key] for key in ("used", "answers") if card.get(key) and card[key].get("name") in known}
    table = card.get("table")
    sitting = [] if table is None else [_remove_player(each, people, known) for each in table["sitting"]]
    named = table is not None and sitting != table["sitting"]
    if not is_mentioned and not quoted and not named:
        return None
    changed = {**card, **{key: {**value, "name": FORGOTTEN_NAME} for key, value in quoted.items()}}
    if table is not None and named:
        changed["table"] = {**table, "sitting": sitting}
    if is_mentioned:
        changed |= {"text": spans, "picture": None, "presses": {}}
    return changed


def without_names(text: str, names: Collection[str]) -> str:
    """Return a text with each name that is a word of its own replaced by an ellipsis.

    The number that tells it apart from another goes with it.
    """
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:{_NUMBER})?(?!\w)", FORGOTTEN_NAME, text)
    return text


def _is_name(shown: str, names: Collection[str]) -> bool:
    """Return whether a text is one of the names, as it is stored or with a number that tells it apart from another."""
    return shown in names or _NUMBER_PATTERN.sub("", shown) in names


def _remove_player(sitting: Json, people: Collection[int], names: Collection[str]) -> Json:
    return {**sitting, "name": ""} if sitting["person"] in people or _is_name(sitting["name"], names) else sitting


def _remove_names(span: Json, people: Collection[int], names: Collection[str]) -> Json:
    named = span.get("bold") and _is_name(span["text"].removeprefix("@"), names)
    if span.get("person") not in people and not named:
        return span
    return {key: value for key, value in span.items() if key != "person"} | {"text": FORGOTTEN_NAME}
