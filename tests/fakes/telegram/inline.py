"""Inline mode and guest mode of the fake Bot API: lists, what is chosen from them, calls, and what answers those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.fakes.platform import refuse_if
from tests.fakes.telegram.markup import MAX_TEXT_CHARACTERS, check_keyboard, read_marked
from tests.fakes.telegram.schema import Json, bad_request
from tests.fakes.telegram.world import Account, Asked, Chat, Message

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

MAX_RESULTS: Final = 50
MAX_ID_BYTES: Final = 64


def answer_list(telegram: FakeTelegram, given: Json) -> bool:
    """Take the answer to an inline query; ApiError."""
    asked = _open(telegram, given["inline_query_id"])
    results = given["results"]
    names = [each["id"] for each in results]
    refuse_if(len(results) > MAX_RESULTS, bad_request("RESULTS_TOO_MUCH"))
    refuse_if(
        len(set(names)) < len(names) or any(not 1 <= len(name.encode()) <= MAX_ID_BYTES for name in names),
        bad_request("RESULT_ID_INVALID"),
    )
    for each in results:
        _made(each, asked.who, asked.chat)
    button = given.get("button")
    asked.results, asked.private = results, button["start_parameter"] if button is not None else None
    refuse_if(
        given.get("cache_time") != 0 or not given.get("is_personal"),
        bad_request("the fake knows no lists that are kept: they would be of somebody else, or of yesterday"),
    )
    asked.answered.set()
    return True


def answer_call(telegram: FakeTelegram, given: Json) -> Json:
    """Post what answers a call of the bot as a guest, once; ApiError."""
    asked = _open(telegram, given["guest_query_id"])
    asked.sent = put_message(telegram, _made(given["result"], telegram.bot, asked.chat))
    asked.answered.set()
    # Nobody says whether it counts among what a chat may have: what comes after it is held to the stricter reading.
    telegram.limits.note(asked.chat.id)
    return {"inline_message_id": asked.sent.inline}


def choose_inline_result(telegram: FakeTelegram, asked: Asked, name: str) -> Message:
    """Return the message that somebody has put into the chat by choosing from a list."""
    result = next(each for each in asked.results or () if each["id"] == name)
    return put_message(telegram, _made(result, asked.who, asked.chat))


def put_message(telegram: FakeTelegram, message: Message) -> Message:
    """Put a message into its chat, known by an id of its own."""
    telegram.put(message)
    message.inline = f"AgAAA{message.id:05d}_inline"
    telegram.inline[message.inline] = message
    return message


def _open(telegram: FakeTelegram, name: str) -> Asked:
    asked = telegram.asked.get(name)
    if asked is None or asked.answered.is_set():
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    return asked


def _made(result: Json, author: Account, chat: Chat) -> Message:
    """Return the message that a result is; the fake knows articles with text."""
    content = result["input_message_content"]
    refuse_if(
        result["type"] != "article" or "message_text" not in content,
        bad_request("the fake knows articles with text only"),
    )
    marked = read_marked(content, "message_text", MAX_TEXT_CHARACTERS, least=1)
    return Message(0, chat, author, 0, marked=marked, keyboard=check_keyboard(result.get("reply_markup")))
