"""Fitting cards to Telegram's limits, and the arguments that address a message."""

from dataclasses import replace
from typing import Any

from telegram import ReplyParameters

from bot.interface.cards import Card
from bot.interface.requests import Place
from bot.language.texts import Span, Speaker, join, strip_styles
from bot.telegram.decode import COMMENTS_THREAD_PREFIX
from bot.telegram.inline import inline_id
from bot.telegram.markup import MAX_CAPTION_LENGTH, utf16_length


def edit_target(place: Place, message: int) -> dict[str, Any]:
    """Return the arguments that identify the message to edit."""
    inline = inline_id(place.channel)
    if inline is not None:
        return {"inline_message_id": inline}
    return {"chat_id": int(place.channel), "message_id": message}


def with_picture_in_words(card: Card) -> Card:
    """Return a card with its picture replaced by the alt text."""
    if card.picture is None:
        return card
    return replace(card, picture=None, text=join([card.text, (Span(card.picture.alt),)], "\n\n"))


def without_picture(card: Card, speaker: Speaker) -> Card:
    """Return a card with its picture replaced by the alt text, and a note that pictures may not be sent here."""
    alt = card.picture.alt if card.picture is not None else ""
    return replace(card, picture=None, text=join([card.text, (Span(alt),), speaker.say("missing.photos")], "\n\n"))


def without_handles(card: Card) -> Card:
    """Return a card that mentions nobody by an @name, unless it should."""
    if card.named or not any(span.handle for span in card.text):
        return card
    return replace(card, text=tuple(replace(span, handle=False) for span in card.text))


def reply_arguments(place: Place, answering: int | None) -> dict[str, Any]:
    """Return the arguments that send a message to a topic or below a channel's post, perhaps as a reply."""
    topic, given = place.thread or "", dict[str, Any]()
    if topic.startswith(COMMENTS_THREAD_PREFIX):
        # A reply to one of the comments stays among them.
        answering = int(topic.removeprefix(COMMENTS_THREAD_PREFIX)) if answering is None else answering
    elif topic:
        given["message_thread_id"] = int(topic)
    if answering is not None:
        given["reply_parameters"] = ReplyParameters(answering, allow_sending_without_reply=True)
    return given


def fit_caption(card: Card) -> Card:
    """Return a card without its picture if its text is too long for a caption: the text matters more."""
    if card.picture is not None and utf16_length(strip_styles(card.text)) > MAX_CAPTION_LENGTH:
        return replace(card, picture=None)
    return card
