"""The methods of the fake Bot API: what they check beyond the description, and what they do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aiohttp import BodyPartReader, MultipartReader

from tests.fakes.platform import refuse_if, required
from tests.fakes.telegram import inline
from tests.fakes.telegram.markup import (
    MAX_CAPTION_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    Marked,
    check_keyboard,
    read_marked,
)
from tests.fakes.telegram.members import ADMINISTRATORS, administrators_json, check_may_be_told, member_json
from tests.fakes.telegram.schema import ApiError, Json, bad_request
from tests.fakes.telegram.world import Chat, Message

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

LARGEST_PHOTO: Final = 10 * 1024 * 1024
WIDEST_PHOTO: Final = 10_000
"""How many pixels a photo may have, its width and height together."""
MAX_SIDE_RATIO: Final = 20
"""How many times as long as the other one of its sides may be."""
_REACTIONS: Final = (
    "❤👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓"
    "🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡"
)
REACTIONS: Final = frozenset(_REACTIONS)
"""Those of one character, of the list that ReactionTypeEmoji has."""

_DEEP_LINK: Final = re.compile(r"https://t\.me/\w+\?start=[A-Za-z0-9_-]{1,64}")
"""Where the answer to a press may lead that is no game's (page Bots, Deep Linking)."""


@dataclass(frozen=True)
class File:
    """An uploaded file."""

    name: str
    content: bytes


Files = Mapping[str, File]


class Methods:
    """Answers calls that have the right form."""

    def __init__(self, telegram: FakeTelegram) -> None:
        self._telegram = telegram

    def call(self, method: str, given: Json, files: Files) -> Any:
        """Return the result of a call; ApiError."""
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in method)
        answer: Any = getattr(self, f"{name}_")(given, files)
        return answer

    # What is sent.

    def send_message_(self, given: Json, files: Files) -> Json:
        return self._send(given, self._new(given, "text", MAX_TEXT_CHARACTERS, least=1))

    def send_photo_(self, given: Json, files: Files) -> Json:
        message = self._new(given, "caption", MAX_CAPTION_CHARACTERS)
        refuse_if(not message.chat.may_send_photos, bad_request("not enough rights to send photos to the chat"))
        message.photo, message.file_id = self._photo(given.get("photo"), files.get("photo"), files)
        return self._send(given, message)

    def send_animation_(self, given: Json, files: Files) -> Json:
        message = self._new(given, "caption", MAX_CAPTION_CHARACTERS)
        file = _animation(message.chat, files.get("animation"), given.get("animation"), files)
        message.document, message.content = file.name, file.content
        return self._send(given, message)

    def send_document_(self, given: Json, files: Files) -> Json:
        message = self._new(given, "caption", MAX_CAPTION_CHARACTERS)
        file = files.get("document") or files.get(str(given.get("document", "")).removeprefix("attach://"))
        if file is None or not file.content:
            raise bad_request("file must be non-empty")
        message.document, message.content = file.name, file.content
        return self._send(given, message)

    def _new(self, given: Json, name: str, most: int, least: int = 0) -> Message:
        """Return a message of the bot that says what a parameter holds."""
        chat = self._can_dm(given)
        return Message(0, chat, self._telegram.bot, 0, marked=self._read(given, name, most, least))

    def _read(self, given: Json, name: str, most: int, least: int = 0) -> Marked:
        marked = read_marked(given, name, most, least)
        lapses = [f"{each!r} becomes a link" for each in marked.live]
        if name == "text" and not (given.get("link_preview_options") or {}).get("is_disabled"):
            lapses.append(f"a preview for {marked.text!r}")
        self._telegram.lapses += lapses
        return marked

    def _send(self, given: Json, message: Message) -> Json:
        telegram, chat = self._telegram, message.chat
        message.keyboard = check_keyboard(given.get("reply_markup"), group=chat.group)
        message.silent = bool(given.get("disable_notification"))
        message.thread = given.get("message_thread_id")
        refuse_if(
            message.thread is not None and message.thread not in telegram.topics.get(chat.id, {}),
            bad_request("message thread not found"),
        )
        refuse_if(
            message.thread in chat.closed and chat.status[telegram.bot.id] not in ADMINISTRATORS,
            bad_request("TOPIC_CLOSED"),
        )
        wanted = given.get("reply_parameters")
        if wanted is not None:
            message.reply_to = telegram.find(chat.id, wanted["message_id"])
            is_lost = message.reply_to is None and not wanted.get("allow_sending_without_reply")
            refuse_if(is_lost, bad_request("message to be replied not found"))
        telegram.limits.take(chat.id, group=chat.group)
        # Who is not here and has never spoken to the bot is named, not called.
        message.marked.called = [each for each in message.marked.called if telegram.can_be_called(each, chat)]
        message.pings = (*dict.fromkeys(message.marked.called), *message.marked.handles)
        telegram.put(message)
        return message.to_json()

    # What is changed.

    def edit_message_text_(self, given: Json, files: Files) -> Json | bool:
        message = self._own(given)
        refuse_if(
            message.photo is not None or message.document is not None,
            bad_request("there is no text in the message to edit"),
        )
        return self._edit(message, given, marked=self._read(given, "text", MAX_TEXT_CHARACTERS, least=1))

    def edit_message_caption_(self, given: Json, files: Files) -> Json | bool:
        message = self._own(given)
        refuse_if(
            message.photo is None and message.document is None,
            bad_request("there is no caption in the message to edit"),
        )
        return self._edit(message, given, marked=self._read(given, "caption", MAX_CAPTION_CHARACTERS))

    def edit_message_media_(self, given: Json, files: Files) -> Json | bool:
        message = self._own(given)
        refuse_if(message.inline is not None and files, bad_request("inline messages take no uploads"))
        media = given["media"]
        marked = self._read(media, "caption", MAX_CAPTION_CHARACTERS)
        if media["type"] == "animation":
            file = _animation(message.chat, None, media["media"], files)
            moving = {"document": file.name, "content": file.content}
            return self._edit(message, given, marked=marked, photo=None, file_id=None, **moving)
        refuse_if(media["type"] != "photo", bad_request("the fake knows photos and animations only"))
        content, file_id = self._photo(media["media"], None, files)
        at_rest = {"document": None, "content": None}
        return self._edit(message, given, marked=marked, photo=content, file_id=file_id, **at_rest)

    def edit_message_reply_markup_(self, given: Json, files: Files) -> Json | bool:
        return self._edit(self._own(given), given)

    def _edit(self, message: Message, given: Json, **changes: Any) -> Json | bool:
        keyboard = check_keyboard(given.get("reply_markup"), group=message.chat.group)
        same = all(getattr(message, name) == value for name, value in changes.items())
        refuse_if(
            same and keyboard == message.keyboard,
            bad_request(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            ),
        )
        self._telegram.limits.take(message.chat.id, group=message.chat.group)
        for name, value in changes.items():
            setattr(message, name, value)
        message.keyboard = keyboard
        message.edits += 1
        return True if message.inline is not None else message.to_json()

    def delete_message_(self, given: Json, files: Files) -> bool:
        found = self._telegram.find(self._chat(given).id, given["message_id"])
        message = required(found, bad_request("message to delete not found"))
        refuse_if(
            self._telegram.date() - message.date > 48 * 3600, bad_request("message can't be deleted for everyone")
        )
        message.deleted = True
        return True

    def set_message_reaction_(self, given: Json, files: Files) -> bool:
        chat = self._can_dm(given)
        found = self._telegram.find(chat.id, given["message_id"])
        message = required(found, bad_request("message to react not found"))
        wanted = [each.get("emoji") for each in given.get("reaction") or ()]
        refuse_if(len(wanted) > 1, bad_request("REACTIONS_TOO_MANY"))
        allowed = REACTIONS if chat.reactions is None else chat.reactions
        refuse_if(message.topic_created is not None or not set(wanted) <= allowed, bad_request("REACTION_INVALID"))
        self._telegram.limits.take(chat.id, group=chat.group)
        message.reaction = wanted[0] if wanted else None
        return True

    def answer_callback_query_(self, given: Json, files: Files) -> bool:
        tap = self._telegram.taps.get(given["callback_query_id"])
        if tap is None or tap.answered.is_set():
            raise bad_request("query is too old and response timeout expired or query ID is invalid")
        tap.url = given.get("url")
        ours = f"https://t.me/{self._telegram.bot.username}?start="
        refuse_if(
            tap.url is not None and not (_DEEP_LINK.fullmatch(tap.url) and tap.url.startswith(ours)),
            bad_request("URL_INVALID"),
        )
        tap.text, tap.alert = given.get("text", ""), bool(given.get("show_alert"))
        tap.answered.set()
        return True

    # What is asked.

    def get_me_(self, given: Json, files: Files) -> Json:
        flags = {"can_join_groups": True, "can_read_all_group_messages": False}
        flags |= dict.fromkeys(("supports_inline_queries", "supports_guest_queries"), self._telegram.lists)
        return {**self._telegram.bot.to_json(), **flags}

    def get_chat_member_(self, given: Json, files: Files) -> Json:
        chat = self._chat(given)
        account = required(self._telegram.people.get(given["user_id"]), bad_request("user not found"))
        check_may_be_told(chat, account.id, self._telegram.bot.id)
        return member_json(chat, account.to_json(), given["user_id"])

    def get_chat_administrators_(self, given: Json, files: Files) -> list[Json]:
        return administrators_json(self._chat(given), self._telegram.people, self._telegram.bot.id)

    def set_my_commands_(self, given: Json, files: Files) -> bool:
        for command in given["commands"]:
            name = command["command"]
            refuse_if(
                not (name.isascii() and name.replace("_", "").isalnum() and name == name.lower() and len(name) <= 32),
                bad_request("BOT_COMMAND_INVALID"),
            )
            refuse_if(not 1 <= len(command["description"]) <= 256, bad_request("BOT_COMMAND_DESCRIPTION_INVALID"))
        refuse_if(len(given["commands"]) > 100, bad_request("BOT_COMMANDS_TOO_MUCH"))
        scope = given.get("scope", {"type": "default"})["type"]
        self._telegram.commands[scope, _language(given)] = given["commands"]
        return True

    def set_my_description_(self, given: Json, files: Files) -> bool:
        self._telegram.descriptions[_language(given)] = given.get("description", "")
        return True

    def set_my_short_description_(self, given: Json, files: Files) -> bool:
        self._telegram.short_descriptions[_language(given)] = given.get("short_description", "")
        return True

    def set_chat_menu_button_(self, given: Json, files: Files) -> bool:
        refuse_if(
            "chat_id" in given and self._chat(given).group, bad_request("there is a menu button in private chats only")
        )
        if "chat_id" in given:
            self._telegram.menu_labels[self._chat(given).id] = given["menu_button"]["text"]
            return True
        self._telegram.menu_button = given.get("menu_button", {"type": "default"})["type"]
        return True

    def set_webhook_(self, given: Json, files: Files) -> bool:
        self._telegram.webhook = (given["url"], given.get("secret_token", "")) if given["url"] else None
        return True

    def delete_webhook_(self, given: Json, files: Files) -> bool:
        self._telegram.webhook = None
        if given.get("drop_pending_updates"):
            self._telegram.pending.clear()
        return True

    # What the checks have in common.

    def _chat(self, given: Json) -> Chat:
        chat = self._telegram.chats.get(given["chat_id"])
        if chat is None or chat.gone:
            raise bad_request("chat not found")
        if chat.migrated_to is not None:
            text = "group chat was upgraded to a supergroup chat"
            raise ApiError(400, f"Bad Request: {text}", migrate_to_chat_id=chat.migrated_to)
        refuse_if(chat.blocked, ApiError(403, "Forbidden: bot was blocked by the user"))
        is_out = chat.status.get(self._telegram.bot.id) in ("kicked", "left")
        refuse_if(is_out, ApiError(403, f"Forbidden: bot was kicked from the {chat.kind} chat"))
        return chat

    def _can_dm(self, given: Json) -> Chat:
        chat = self._chat(given)
        refuse_if(not chat.may_send, bad_request("not enough rights to send text messages to the chat"))
        return chat

    def answer_inline_query_(self, given: Json, files: Files) -> bool:
        return inline.answer_list(self._telegram, given)

    def answer_guest_query_(self, given: Json, files: Files) -> Json:
        return inline.answer_call(self._telegram, given)

    def _own(self, given: Json) -> Message:
        name = given.get("inline_message_id")
        if name is not None:
            known = self._telegram.inline.get(name)
            if known is None or known.deleted:
                raise bad_request("MESSAGE_ID_INVALID")
            return known
        found = self._telegram.find(self._chat(given).id, given.get("message_id", 0))
        message = required(found, bad_request("message to edit not found"))
        refuse_if(message.author is not self._telegram.bot, bad_request("message can't be edited"))
        return message

    def _photo(self, value: str | None, file: File | None, files: Files) -> tuple[bytes, str]:
        if value is not None and value.startswith("attach://"):
            file = files.get(value.removeprefix("attach://"))
        if file is not None:
            refuse_if(
                not file.content.startswith(b"\x89PNG") or len(file.content) > LARGEST_PHOTO,
                bad_request("IMAGE_PROCESS_FAILED"),
            )
            width, height = (int.from_bytes(file.content[at : at + 4]) for at in (16, 20))
            refuse_if(
                width + height > WIDEST_PHOTO or max(width, height) > MAX_SIDE_RATIO * min(width, height),
                bad_request("PHOTO_INVALID_DIMENSIONS"),
            )
            return file.content, self._telegram.keep(file.content)
        known = self._telegram.files.get(value or "")
        return required(known, bad_request("wrong remote file identifier specified")), value or ""


def _animation(chat: Chat, file: File | None, value: str | None, files: Files) -> File:
    """Return the animation that is sent to a chat, as a file of its own or by the name of one."""
    refuse_if(not chat.may_send_photos, bad_request("not enough rights to send animations to the chat"))
    file = file or files.get((value or "").removeprefix("attach://"))
    if file is None or not file.content.startswith(b"GIF8"):
        raise bad_request("wrong type of the web page content")
    return file


def _language(given: Json) -> str:
    code: str = given.get("language_code", "")
    refuse_if(code and not (len(code) == 2 and code.isalpha() and code.islower()), bad_request("LANG_CODE_INVALID"))
    return code


async def read_parts(form: MultipartReader) -> tuple[dict[str, str], dict[str, File]]:
    """Return the parameters and the files of a form; an upload that is cut off leaves nothing open."""
    given: dict[str, str] = {}
    files: dict[str, File] = {}
    async for part in form:
        assert isinstance(part, BodyPartReader)
        assert part.name is not None
        if part.filename is None:
            given[part.name] = await part.text()
        else:
            files[part.name] = File(part.filename, bytes(await part.read()))
    return given, files


def plain_parameters(body: bytes) -> dict[str, str]:
    """Return the parameters of a body of JSON as text, as they come in forms."""
    read: Json = json.loads(body or b"{}")
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in read.items()}
