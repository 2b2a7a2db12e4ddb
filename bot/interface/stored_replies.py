"""Replies as plain data, kept with the event that they answer, so that its redelivery is answered alike."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.requests import Reply
from bot.language.rich_text import Span, Timestamp


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as plain data, without its picture."""
    return {
        "card": None if reply.card is None else _card_to_json(reply.card),
        "private": reply.private,
        "update": reply.update,
        "apart": reply.apart,
        "secret": reply.secret,
    }


def reply_from_json(data: dict[str, Any] | None) -> Reply:
    """Return the reply that `reply_to_json` wrote; one without words for none."""
    if data is None:
        return Reply()
    card = data["card"]
    whose = {"apart": data.get("apart", False), "secret": data.get("secret", False)}
    return Reply(None if card is None else _card_from_json(card), data["private"], data["update"], **whose)


def _card_to_json(card: Card) -> dict[str, Any]:
    return {
        "text": [_span_to_json(span) for span in card.text],
        "rows": [_row_to_json(row) for row in card.rows],
        "presses": dict(card.presses),
    }


def _card_from_json(data: dict[str, Any]) -> Card:
    text = tuple(_span_from_json(span) for span in data["text"])
    return Card(text, rows=tuple(_row_from_json(row) for row in data["rows"]), presses=data["presses"])


def _span_to_json(span: Span) -> list[Any]:
    stored_time = span.timestamp and [span.timestamp.at.isoformat(), span.timestamp.style]
    return [span.text, span.bold, span.code, span.person, span.handle, stored_time, span.command, span.link]


def _span_from_json(stored: list[Any]) -> Span:
    """Return a span; earlier versions kept only the first four of what `_span_to_json` writes."""
    text, bold, code, person, *more = stored
    handle, stored_time, command, link = more or (False, None, None, None)
    timestamp = Timestamp(datetime.fromisoformat(stored_time[0]), stored_time[1]) if stored_time else None
    return Span(text, bold, code, person, handle, timestamp, command, link)


def _row_to_json(row: Row) -> dict[str, Any]:
    buttons = row.options if isinstance(row, Menu) else row
    data: dict[str, Any] = {
        "buttons": [[button.label, button.press, button.style, button.disabled] for button in buttons]
    }
    if isinstance(row, Menu):
        data["placeholder"] = row.placeholder
    return data


def _row_from_json(data: dict[str, Any]) -> Row:
    buttons = tuple(Button(*button) for button in data["buttons"])
    return Menu(data["placeholder"], buttons) if "placeholder" in data else buttons
