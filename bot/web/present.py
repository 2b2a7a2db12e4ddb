"""Cards and messages as the plain data that the room keeps and the page draws."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from bot.cards import Button, Card, Menu, Picture, Row, Span
from bot.presenters.asking import PUBLIC
from storage import RoomMessage

Json = dict[str, Any]


def card_to_json(card: Card) -> Json:
    """Return a card as the room keeps it; the picture itself is kept beside it."""
    return {
        "text": [_span_to_json(span) for span in card.text],
        "picture": None if card.picture is None else _picture_to_json(card.picture),
        "rows": [_row_to_json(row) for row in card.rows],
        "presses": dict(card.presses),
        "calls": [person for person in (card.mention, *card.also) if person is not None],
    }


def retired(card: Json) -> Json:
    """Return a kept card without what can be pressed."""
    return {**card, "rows": [], "presses": {}, "calls": [], "retired": True}


def message_to_json(message: RoomMessage, viewer: int | None) -> Json:
    """Return a message as the page draws it for one person."""
    if message.deleted or message.card is None:
        return {"id": message.id, "deleted": True}
    kept = message.card
    data: Json = {
        "id": message.id,
        "at": round(message.created_at.timestamp() * 1000),
        "edited": message.edited_at is not None,
        "private": message.recipient is not None,
    }
    if message.author is not None:
        data |= {"author": {"person": message.author, "name": kept["name"]}, "text": message.text}
        data["answers"] = kept.get("answers")
        if message.author == viewer:
            data["event"] = kept.get("event")
        return data
    card = {name: kept[name] for name in ("text", "rows", "presses", "calls")}
    if kept["picture"] is not None:
        address = f"/pictures/{message.id}/{kept['picture']['digest']}.png"
        card["picture"] = {**kept["picture"], "url": address}
    data |= {"card": card, "retired": kept.get("retired", False)}
    data |= {name: kept[name] for name in ("used", "parent") if name in kept}
    return data


def title_of_kept(card: Json) -> str:
    """Return the first line of a kept card's text, at most 60 characters."""
    first = "".join(span["text"] for span in card["text"]).strip().split("\n", 1)[0]
    return first if len(first) <= 60 else f"{first[:59]}…"


def names_in(card: Json, without: Iterable[int]) -> list[str]:
    """Return the people that a kept card's text names, without some of them."""
    left_out = set(without)
    found = {span["person"]: span["text"] for span in card["text"] if span.get("person") not in (None, *left_out)}
    return [name.removeprefix("@") for name in found.values()]


def _span_to_json(span: Span) -> Json:
    data: Json = {"text": span.text}
    if span.bold:
        data["bold"] = True
    if span.code:
        data["code"] = True
    if span.person is not None:
        data["person"] = span.person
    return data


def _picture_to_json(picture: Picture) -> Json:
    width, height = picture.size
    return {
        "alt": picture.alt,
        "name": picture.name,
        "width": width,
        "height": height,
        "spots": {cell: list(spot) for cell, spot in picture.spots.items()},
        "digest": hashlib.sha256(picture.png).hexdigest()[:16],
    }


def _button_to_json(button: Button) -> Json:
    data: Json = {"label": button.label, "press": button.press, "style": button.style, "disabled": button.disabled}
    if button.press.startswith(f"{PUBLIC}:"):
        # The page offers it to the one who is called, and spares the others.
        data["choice"] = True
    return data


def _row_to_json(row: Row) -> Json | list[Json]:
    if isinstance(row, Menu):
        return {"placeholder": row.placeholder, "options": [_button_to_json(option) for option in row.options]}
    return [_button_to_json(button) for button in row]
