"""Conversion of cards and messages to the JSON that the room stores and the page draws."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Final, Literal
from urllib.parse import quote

from pydantic import TypeAdapter

from bot.kernel.cards import (
    Attachment,
    Button,
    Card,
    FormView,
    Headline,
    LotCall,
    Menu,
    PageContent,
    Panel,
    Picture,
    Row,
    TreeLine,
    filter_buttons,
)
from bot.kernel.operations.listening import Absence, Presence
from bot.kernel.question_cards import PUBLIC_CHOICE
from bot.kernel.requests import ClockView, TimeGift
from bot.kernel.table import computer_name
from bot.kernel.texts import Span, Speaker
from bot.platforms.web.form_html import draw_form
from engine.record import FORGOTTEN_NAME
from storage import Identity, Json, RoomMessage

MAX_QUOTE_LENGTH: Final = 120

_FIELD_PARTS: Final = ("name", "kind", "label", "about", "value", "error", "leads", "section")
_BUTTON: Final = TypeAdapter(Button)
_HEADLINE: Final = TypeAdapter(Headline)
_LOT: Final = TypeAdapter(LotCall)
_PANELS: Final = TypeAdapter(tuple[Panel, ...])
_SPAN: Final = TypeAdapter(Span)
_SPANS_ELSEWHERE: Final = {"handle", "timestamp", "command", "link"}
"""What the page shows by the text alone, or in its own way."""
_TREE: Final = TypeAdapter(tuple[TreeLine, ...])
_GIFT: Final = TypeAdapter(TimeGift)
_PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
"""Last chunk of every PNG."""
_PNG_BEGINNING: Final = b"\x89PNG"


def card_to_json(card: Card) -> Json:
    """Return a card as JSON for the room; its picture is stored separately."""
    return {
        "text": [_span_to_json(span) for span in card.text],
        "picture": None if card.picture is None else _picture_to_json(card.picture),
        "rows": [_row_to_json(row) for row in card.rows if card.form is None] + _rows_beside(card.form),
        "presses": dict(card.presses),
        "calls": [person for person in (card.mention, *card.also) if person is not None],
        "file": None if card.file is None else _file_to_json(card.file, beside=card.picture is None),
        "table": None if card.headline is None else headline_to_json(card.headline),
        "about": card.about,
        "lot": None if card.lot is None else _lot_to_json(card.lot),
        "tree": _TREE.dump_python(card.tree, mode="json"),
        "search": card.search,
        **({} if card.form is None else {"form": form_to_json(card.form)}),
        **({} if card.page is None else {"page": _page_to_json(card.page)}),
    }


def _page_to_json(page: PageContent) -> Json:
    return {
        "text": [_span_to_json(span) for span in page.text],
        "actions": [button_to_json(button) for button in page.actions],
        "panels": _PANELS.dump_python(page.panels, mode="json"),
        "tabs": [list(map(button_to_json, row)) for row in page.tabs],
    }


def apply_page(card: Json) -> Json:
    """Return a stored card as the page shows it: with the text, buttons and panels that exist only on the page."""
    return {**card, **(card.get("page") or {})}


def form_to_json(form: FormView) -> Json:
    """Return a form as JSON for the room; `draw_form` draws it."""
    return {
        "press": form.press,
        "submit": form.submit,
        "again": None if form.again is None else [form.again.press, form.again.label],
        "fields": [
            {
                **{name: getattr(each, name) for name in _FIELD_PARTS},
                "options": [[option.value, option.label] for option in each.options],
                "least": each.least,
                "most": each.most,
            }
            for each in form.fields
        ],
    }


def _rows_beside(form: FormView | None) -> list[Json | list[Json]]:
    """Return the buttons shown with a form, except the button that submits it."""
    rows = filter_buttons(form.rows, lambda button: button.press != form.press) if form is not None else ()
    return [_row_to_json(row) for row in rows]


def _lot_to_json(call: LotCall) -> Json:
    return {**_LOT.dump_python(call, mode="json"), "awaited": list(call.heads), "cup": True}


def without_buttons(card: Json) -> Json:
    """Return a stored card without its buttons and presses."""
    return {
        **{name: value for name, value in card.items() if name not in ("form", "page")},
        "rows": [],
        "presses": {},
        "tree": [],
        "calls": [],
        "retired": True,
    }


def message_to_json(message: RoomMessage, viewer: int | None, speaker: Speaker) -> Json:
    """Return a message as JSON for one viewer; `speaker` gives the language of game names."""
    if message.deleted or message.card is None:
        return {"id": message.id, "deleted": True}
    stored = apply_page(message.card)
    data: Json = {
        "id": message.id,
        "at": round(message.created_at.timestamp() * 1000),
        "edited": message.edited_at is not None,
        "private": message.recipient is not None,
    }
    if message.author is not None:
        data |= {"author": {"person": message.author, "name": stored["name"]}, "text": message.text}
        data["answers"] = stored.get("answers")
        if message.author == viewer:
            data["event"] = stored.get("event")
        return data
    card = show_card(stored, viewer, speaker)
    if stored.get("page") is not None:
        card |= {name: stored.get(name, []) for name in ("actions", "panels", "tabs")}
    if stored.get("about") is not None:
        card["about"] = stored["about"]
    if stored.get("lot") is not None:
        data["lot"] = stored["lot"]
    # Old pictures are deleted; their text describes what they showed.
    if stored["picture"] is not None and message.picture is not None:
        card["picture"] = _shown_picture(message.id, stored["picture"])
    if _has_file(message):
        name = stored["file"]["name"]
        card["file"] = {"name": name, "url": f"/files/{message.id}/{quote(name)}"}
    data |= {"card": card, "retired": stored.get("retired", False)}
    data |= {name: stored[name] for name in ("used", "parent", "sheet") if name in stored}
    return data


def show_card(stored: Json, viewer: int | None, speaker: Speaker) -> Json:
    """Return what the page draws of a stored card for one viewer, without its picture and its file."""
    card: Json = {name: stored[name] for name in ("text", "rows", "presses", "calls")}
    card |= {name: stored[name] for name in ("search", "tree") if stored.get(name)}
    if stored.get("form") is not None:
        card["form"] = draw_form(stored["form"])
    if stored.get("table") is not None:
        card["table"] = table_to_json(stored["table"], viewer, speaker)
    return card


def table_to_json(headline: Json, viewer: int | None, speaker: Speaker) -> Json:
    """Return a stored headline as JSON for one viewer: the game's title, and the players."""
    names = [_sitting_name(each, speaker) for each in headline["sitting"]]
    people = [each["person"] for each in headline["sitting"]]
    voice, mover = speaker.of(headline["game"]), headline["mover"]
    return {
        **{name: headline[name] for name in ("code", "game", "status", "revision", "position", "heads", "awaited")},
        "title": voice.game_name() if voice.has("name") else headline["game"],
        "names": names,
        "others": [name for name, person in zip(names, people, strict=True) if person is None or person != viewer],
        "seat": people.index(viewer) if viewer is not None and viewer in people else None,
        "mine": viewer is not None and viewer in people,
        "starter": viewer is not None and viewer in people[:1],
        "mover": names[mover] if mover is not None else None,
        "seated": people[mover] if mover is not None else None,
        "turn": mover is not None and viewer is not None and people[mover] == viewer,
        "firsts": [names[at] for at in headline["firsts"]],
        "again": headline.get("again"),
        "votes": headline.get("votes", ""),
        "unusual": headline.get("unusual", False),
        "free": headline.get("free", False),
        "won": any(people[at] == viewer for at in headline["firsts"]) and viewer is not None,
    }


def list_absences(headline: Json, presence: Presence) -> list[tuple[int, Absence]]:
    """Return the seats of absent players of a live game, each with the length of the absence."""
    if not headline.get("live") or headline["status"] != "playing":
        return []
    return presence.list_absences(each["person"] for each in headline["sitting"])


def clocks_to_json(clocks: ClockView) -> Json:
    """Return a game's current clocks for the page, which continues counting from them."""
    return {
        "live": clocks.is_live,
        "left": clocks.left,
        "running": clocks.running,
        "waits": clocks.waits,
        "low": clocks.low,
        "away": [seat for seat, _ in clocks.absences],
        "again": clocks.again,
        "give": None if clocks.gift is None else _GIFT.dump_python(clocks.gift, mode="json"),
    }


def _sitting_name(player: Json, speaker: Speaker) -> str:
    return (
        computer_name(speaker, player["level"], player["number"])
        if player["level"]
        else player["name"] or FORGOTTEN_NAME
    )


def headline_to_json(headline: Headline) -> Json:
    """Return a game's headline as JSON for the room."""
    # Include the fields `unusual` and `live` only if they are set: older versions do not know them.
    left_out = {name for name in ("unusual", "live") if not getattr(headline, name)}
    made: Json = _HEADLINE.dump_python(headline, mode="json", exclude=left_out)
    return made


def _shown_picture(message: int, picture: Json) -> Json:
    """Return the stored picture of a message with its addresses."""
    moving, dark = picture.get("moving") or {}, picture.get("dark")
    found = locate_picture(
        picture, f"/pictures/{message}/{picture['digest']}.png", f"/pictures/{message}/{moving.get('digest')}.gif"
    )
    return {**found, "dark": f"/pictures/{message}/{dark}.png"} if dark and not moving else found


def locate_picture(picture: Json, png: str, gif: str) -> Json:
    """Return a stored picture with its address: the animation's, if it has one, with the PNG as its still."""
    moving = picture.get("moving")
    if moving is None:
        return {**picture, "url": png}
    still = {"url": png, "width": picture["width"], "height": picture["height"]}
    return {**picture, "width": moving["width"], "height": moving["height"], "url": gif, "still": still}


PicturePart = Literal["png", "dark", "gif"]
"""The stored parts of a picture: the light theme, the dark theme, and the animation."""


def find_stored_part(message: RoomMessage, digest: str, *, moving: bool) -> PicturePart | None:
    """Return the part of a message's picture with a digest; None if no part has it."""
    stored = (message.card or {}).get("picture") or {}
    if moving:
        return "gif" if (stored.get("moving") or {}).get("digest") == digest else None
    return "png" if stored.get("digest") == digest else "dark" if stored.get("dark") == digest else None


def read_stored_file(message: RoomMessage, beside: bytes | None) -> Attachment | None:
    """Return a message's file, with its separately stored content (`beside`); None if there is no file."""
    stored = (message.card or {}).get("file")
    if stored is None or not _has_file(message):
        return None
    if "data" in stored:
        return Attachment(stored["name"], base64.b64decode(stored["data"]))
    return None if beside is None else Attachment(stored["name"], beside)


def _has_file(message: RoomMessage) -> bool:
    file = (message.card or {}).get("file")
    return file is not None and ("data" in file or message.picture is not None)


def stored_title(card: Json) -> str:
    """Return the first line of a stored card's text, at most 60 characters."""
    first = "".join(span["text"] for span in card["text"]).strip().split("\n", 1)[0]
    return first if len(first) <= 60 else f"{first[:59]}…"


def list_mentioned_names(card: Json, without: Iterable[int]) -> list[str]:
    """Return the names of the people whom a stored card's text mentions, without some of them."""
    left_out = set(without)
    found = {span["person"]: span["text"] for span in card["text"] if span.get("person") not in (None, *left_out)}
    return [name.removeprefix("@") for name in found.values()]


def _span_to_json(span: Span) -> Json:
    data: Json = _SPAN.dump_python(span, exclude_defaults=True, exclude=_SPANS_ELSEWHERE)
    if span.timestamp is not None:
        data["moment"] = {"at": span.timestamp.at.isoformat(), "style": span.timestamp.style}
    return data


def join_stored_bytes(card: Card) -> bytes | None:
    """Return the bytes stored with a card: its PNG, the PNG in the dark theme, and the animation, if any.

    For a card without a picture, the bytes are its file's content.
    """
    picture = card.picture
    if picture is None:
        return None if card.file is None else card.file.content
    return picture.png + picture.dark + (picture.animation.gif if picture.animation is not None else b"")


def split_kept_bytes(stored: bytes) -> dict[PicturePart, bytes]:
    """Return the parts of a picture that `join_stored_bytes` joined; missing parts are empty."""
    png, rest = _cut_after_png(stored)
    dark, moving = _cut_after_png(rest) if rest.startswith(_PNG_BEGINNING) else (b"", rest)
    return {"png": png, "dark": dark, "gif": moving}


def _cut_after_png(stored: bytes) -> tuple[bytes, bytes]:
    end = stored.find(_PNG_END) + len(_PNG_END)
    return (stored, b"") if end < len(_PNG_END) else (stored[:end], stored[end:])


def _file_to_json(file: Attachment, *, beside: bool) -> Json:
    return {"name": file.name} | ({} if beside else {"data": base64.b64encode(file.content).decode()})


def _picture_to_json(picture: Picture) -> Json:
    width, height = picture.size
    data: Json = {
        "alt": picture.alt,
        "name": picture.name,
        "width": width,
        "height": height,
        "spots": {cell: list(spot) for cell, spot in picture.spots.items()},
        "cells": None if picture.cells is None else dict(picture.cells),
        "digest": hashlib.sha256(picture.png).hexdigest()[:16],
    }
    if picture.captures:
        data["captures"] = list(picture.captures)
    if picture.dark:
        data["dark"] = hashlib.sha256(picture.dark).hexdigest()[:16]
    moving = picture.animation
    if moving is not None:
        data["moving"] = {
            "width": moving.size[0],
            "height": moving.size[1],
            "digest": hashlib.sha256(moving.gif).hexdigest()[:16],
        }
    return data


def button_to_json(button: Button) -> Json:
    """Return a button as JSON."""
    data: Json = _BUTTON.dump_python(button, mode="json")
    for name in ("people", "without", "managers"):
        if not data[name]:
            del data[name]
    if button.press.startswith(f"{PUBLIC_CHOICE}:"):
        # The page shows it to the called person and hides it from others.
        data["choice"] = True
    return data


def _row_to_json(row: Row) -> Json | list[Json]:
    if isinstance(row, Menu):
        return {"placeholder": row.placeholder, "options": [button_to_json(option) for option in row.options]}
    return [button_to_json(button) for button in row]


def name_to_json(name: Identity) -> Json:
    """Return a name of this browser as the page knows it."""
    return {"user": name.user_id, "person": name.person, "name": name.name}


def quote_to_json(answered: RoomMessage | None) -> Json | None:
    """Return the beginning of an answered message; None if there is no such message."""
    if answered is None or answered.card is None:
        return None
    return {"id": answered.id, "name": answered.card["name"], "text": answered.text[:MAX_QUOTE_LENGTH]}
