"""Replies as JSON for an app's page, with pictures and files embedded."""

from bot.interface.cards import Card, Picture
from bot.interface.requests import Reply
from bot.language.texts import Speaker
from bot.web.boards import data_url
from bot.web.form_html import draw_form
from bot.web.present import Json, card_to_json, table_to_json
from bot.web.room import find_opened_game


def reply_to_json(reply: Reply, speaker: Speaker, viewer: int) -> Json:
    """Return a reply as JSON: a game to open, or a card and the card that it replaces."""
    card = reply.card
    if card is not None and reply.private and (game := find_opened_game(card)) is not None:
        return {"open": game}
    answer: Json = {"update": reply.update, "apart": reply.apart, "public": not reply.private}
    if reply.opens is not None:
        answer["open"] = reply.opens
    return answer if card is None else answer | {"card": shown_card(card, speaker, viewer)}


def shown_card(card: Card, speaker: Speaker, viewer: int) -> Json:
    """Return a card as JSON."""
    stored = card_to_json(card)
    shown: Json = {name: stored[name] for name in ("text", "rows", "presses", "calls")}
    if card.picture is not None:
        shown["picture"] = stored["picture"] | _address(card.picture)
    if card.file is not None:
        shown["file"] = {"name": card.file.name, "url": data_url(card.file.content, "application/octet-stream")}
    if "form" in stored:
        shown["form"] = draw_form(stored["form"])
    if card.search is not None:
        shown["search"] = card.search
    if stored["tree"]:
        shown["tree"] = stored["tree"]
    if stored["table"] is not None:
        shown["table"] = table_to_json(stored["table"], viewer, speaker)
    return shown


def _address(picture: Picture) -> Json:
    still = data_url(picture.png, "image/png")
    moving = picture.animation
    if moving is None:
        return {"url": still}
    width, height = picture.size
    return {
        "url": data_url(moving.gif, "image/gif"),
        "width": moving.size[0],
        "height": moving.size[1],
        "still": {"url": still, "width": width, "height": height},
    }
