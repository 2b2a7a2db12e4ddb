"""The fake Telegram refuses a wrong request of each kind, so that whatever passes it is right."""

from typing import Final

import pytest

from tests.bot.party import Clock
from tests.fakes.telegram.limits import BURST
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import Json
from tests.fakes.telegram.server import SECRET_HEADER, FakeTelegram
from tests.fakes.telegram.world import Chat
from tests.support.tiny import Tiny
from tests.telegram.raw import Caller, key, keys


async def test_valid_calls_are_accepted(caller: Caller, group: Chat) -> None:
    message = await caller.sent(
        group, "<b>Hello</b> &amp; welcome", parse_mode="HTML", reply_markup=keys([key(data="x" * 64)])
    )
    assert (message.text, message.labels) == ("Hello & welcome", ["Play"])
    answer = await caller.call("sendPhoto", ("photo", Tiny.png), chat_id=group.id, caption="A board")
    known = answer["result"]["photo"][-1]["file_id"]
    answer = await caller.call("sendPhoto", chat_id=group.id, photo=known)
    assert answer["result"]["photo"][-1]["file_id"].startswith(known[:21])
    media = {"type": "photo", "media": "attach://board", "caption": "Anew"}
    number = answer["result"]["message_id"]
    answer = await caller.call(
        "editMessageMedia", ("board", Tiny.png), chat_id=group.id, message_id=number, media=media
    )
    assert answer["result"]["caption"] == "Anew"
    assert (await caller.call("setMyDescription", description="a" * 512, language_code="it"))["ok"]
    assert caller.telegram.descriptions == {"it": "a" * 512}


@pytest.mark.parametrize(
    ("method", "given", "words"),
    [
        ("sendMessage", {"text": "a"}, "needs 'chat_id'"),
        ("sendMessage", {"chat_id": -100, "text": "a", "colour": "red"}, "no parameter 'colour'"),
        ("sendMessage", {"chat_id": -100, "text": "a", "disable_notification": "perhaps"}, "no JSON"),
        ("sendMessage", {"chat_id": -100, "text": "a", "message_thread_id": "[1]"}, "not of type Integer"),
        ("sendMessage", {"chat_id": -100, "text": "a", "reply_parameters": {}}, "needs 'message_id'"),
        ("sendMessage", {"chat_id": -100, "text": "a", "reply_markup": {"inline_keyboard": [key()]}}, "no list"),
        ("sendMessage", {"chat_id": -100, "text": "a", "reply_markup": keys([{"text": "a", "size": 1}])}, "no 'size'"),
        ("setMyCommands", {"commands": [{"command": "play"}]}, "needs 'description'"),
        ("setMyCommands", {"commands": [], "scope": {"type": "all_chat_administrators", "x": 1}}, "no 'x'"),
        ("getUpdates", {"allowed_updates": "message"}, "no JSON"),
    ],
)
async def test_unspecified_calls_are_refused(caller: Caller, method: str, given: Json, words: str) -> None:
    assert words in await caller.refused(method, **given)


HTML: Final = {"parse_mode": "HTML"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"text": ""}, "empty"),
        ({"text": "a" * 4097}, "too long"),
        ({"text": "<b>" + "a" * 4097 + "</b>", **HTML}, "too long"),
        ({"text": "<b>open", **HTML}, "no end tag"),
        ({"text": "<b><i>a</b></i>", **HTML}, "unexpected end tag"),
        ({"text": "<h1>a</h1>", **HTML}, "unsupported start tag"),
        ({"text": "a < b", **HTML}, "can't parse"),
        ({"text": "this & that", **HTML}, "can't parse"),
        ({"text": '<a href="nowhere">a</a>', **HTML}, "leads nowhere"),
        ({"text": "*a*", "parse_mode": "Markdown"}, "unsupported parse_mode"),
        ({"text": "a", "reply_markup": keys(*[[key()]] * 101)}, "too many"),
        ({"text": "a", "reply_markup": keys([key(" ")])}, "non-empty"),
        ({"text": "a", "reply_markup": keys([{"text": "Nothing"}])}, "exactly one"),
        ({"text": "a", "reply_markup": keys([key(url="https://example.org")])}, "exactly one"),
        ({"text": "a", "reply_markup": keys([key(style="golden")])}, "STYLE"),
        ({"text": "a", "message_thread_id": 7}, "thread not found"),
    ],
)
async def test_bad_or_long_text_and_broken_keyboards_are_refused(
    caller: Caller, group: Chat, given: Json, words: str
) -> None:
    assert words in await caller.refused("sendMessage", chat_id=group.id, **given)


async def test_unknown_methods_and_tokens_are_refused(caller: Caller, telegram: FakeTelegram) -> None:
    assert "method not found" in await caller.refused("sendLove", code=404)
    telegram.token += "x"
    good, telegram.token = telegram.token, telegram.token[:-1]
    url = f"{telegram.url}{good}/getMe"
    async with caller.session.post(url) as answer:
        assert answer.status == 401


async def test_pictures_that_are_none_are_refused(caller: Caller, group: Chat) -> None:
    assert "needs 'photo'" in await caller.refused("sendPhoto", chat_id=group.id)
    assert "PROCESS" in await caller.refused("sendPhoto", ("photo", b"GIF"), chat_id=group.id)
    assert "file identifier" in await caller.refused("sendPhoto", chat_id=group.id, photo="nothing")
    message = await caller.sent(group)
    media = {"type": "photo", "media": "attach://other"}
    where = {"chat_id": group.id, "message_id": message.id}
    assert "file identifier" in await caller.refused("editMessageMedia", ("board", Tiny.png), media=media, **where)
    assert "media" in await caller.refused("editMessageMedia", media={"type": "photo"}, **where)


async def test_edits_must_change_something_that_is_there(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    message = await caller.sent(group, reply_markup=keys([key()]))
    where = {"chat_id": group.id, "message_id": message.id}
    again = await caller.refused("editMessageText", text="hello", reply_markup=keys([key()]), **where)
    assert "not modified" in again
    assert "not modified" in await caller.refused("editMessageReplyMarkup", reply_markup=keys([key()]), **where)
    assert "no caption" in await caller.refused("editMessageCaption", caption="a", **where)
    photo = (await caller.call("sendPhoto", ("photo", Tiny.png), chat_id=group.id))["result"]["message_id"]
    assert "no text" in await caller.refused("editMessageText", text="a", chat_id=group.id, message_id=photo)
    assert "not found" in await caller.refused("editMessageText", text="a", chat_id=group.id, message_id=9999)
    (anna,) = (person for person in telegram.people.values() if not person.is_bot)
    theirs = await Person(telegram, anna, group).say("hello")
    other = await caller.refused("editMessageText", text="a", chat_id=group.id, message_id=theirs.id)
    assert "can't be edited" in other
    assert (await caller.call("deleteMessage", **where))["ok"]
    assert "not found" in await caller.refused("deleteMessage", **where)


async def test_a_press_is_answered_once(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    message = await caller.sent(group, reply_markup=keys([key()]))
    tap = await Person(telegram, telegram.account("Carla"), group).begin_tap(message, "Play")
    assert (await caller.call("answerCallbackQuery", callback_query_id=tap.id, text="Yes", show_alert=True))["ok"]
    assert (tap.text, tap.alert) == ("Yes", True)
    assert "too old" in await caller.refused("answerCallbackQuery", callback_query_id=tap.id)
    assert "too old" in await caller.refused("answerCallbackQuery", callback_query_id="none")


async def test_one_a_second_in_any_chat(caller: Caller, telegram: FakeTelegram, clock: Clock) -> None:
    chat = telegram.private(telegram.account("Anna"))
    for _ in range(BURST):
        await caller.sent(chat)
    assert "retry after 5" in await caller.refused("sendMessage", code=429, chat_id=chat.id, text="a")
    clock.turn(seconds=5)
    await caller.sent(chat)


async def test_sending_without_permission_is_refused(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    group.may_send = False
    assert "not enough rights" in await caller.refused("sendMessage", chat_id=group.id, text="a")
    group.may_send, group.status[telegram.bot.id] = True, "kicked"
    assert "kicked" in await caller.refused("sendMessage", code=403, chat_id=group.id, text="a")


async def test_a_webhook_takes_the_place_of_asking(caller: Caller, telegram: FakeTelegram) -> None:
    assert "257" in await caller.refused("setWebhook", url="https://example.org", secret_token="s" * 257)
    assert (await caller.call("setWebhook", url="https://example.org", secret_token="s"))["ok"]
    assert telegram.webhook == ("https://example.org", "s")
    assert SECRET_HEADER.startswith("X-Telegram")
    assert (await caller.call("getUpdates"))["error_code"] == 409
