"""What Telegram documents, or its makers have said, and its fake keeps: each line with the page that says so."""

import sys
from types import FunctionType
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.bot.party import Clock
from tests.fakes.telegram.inline import put_message
from tests.fakes.telegram.limits import A_MINUTE
from tests.fakes.telegram.markup import Marked
from tests.fakes.telegram.people import Person, tap_json
from tests.fakes.telegram.schema import Json
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Message, Tap
from tests.support.tiny import Tiny
from tests.telegram.raw import Caller, key, keys

API = "https://core.telegram.org/bots/api"
FEATURES = "https://core.telegram.org/bots/features"
LIMITS = "https://github.com/tginfo/Telegram-Limits/issues"
SERVER = "https://github.com/tdlib/telegram-bot-api"

documented = pytest.mark.documented


@documented(page="https://core.telegram.org/bots/faq", says="20 messages a minute in a group")
async def test_a_group_takes_twenty_a_minute(caller: Caller, group: Chat, telegram: FakeTelegram, clock: Clock) -> None:
    for number in range(A_MINUTE):
        await caller.sent(group, str(number))
        clock.turn(seconds=2)
    answer = await caller.call("sendMessage", chat_id=group.id, text="one more")
    assert (answer["error_code"], answer["parameters"]) == (429, {"retry_after": 20})
    telegram.refused.clear()
    assert (await caller.call("sendMessage", chat_id=telegram.group("Others").id, text="elsewhere"))["ok"]
    clock.turn(seconds=20)
    assert (await caller.call("sendMessage", chat_id=group.id, text="one more"))["ok"]


@documented(page="https://github.com/tdlib/td/issues/2592", says="sends and edits share the limit")
async def test_edits_count_like_messages(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    message = await caller.sent(group)
    before = telegram.limits.count(group.id)
    await caller.call("editMessageText", chat_id=group.id, message_id=message.id, text="other")
    assert telegram.limits.count(group.id) == before + 1


@documented(page=f"{SERVER}/issues/648", says="edits of an inline message are subject to its chat's limits")
async def test_inline_edits_count_for_their_chat(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    author = telegram.account("Zoe")
    first, second = (put_message(telegram, Message(0, group, author, 0, marked=Marked("One"))) for _ in range(2))
    for number, message in enumerate((first, second)):
        await caller.call("editMessageText", inline_message_id=message.inline, text=f"Other {number}")
    assert telegram.limits.count(group.id) == 2


@documented(page=f"{API}#callbackquery", says="chat_instance uniquely corresponds to the chat")
async def test_presses_tell_which_of_them_are_in_one_chat(telegram: FakeTelegram, group: Chat) -> None:
    anna, elsewhere = telegram.account("Zoe"), telegram.elsewhere("Cousins")
    messages = [
        tap_json(Tap("1", anna, put_message(telegram, Message(0, chat, anna, 0)), ""))["chat_instance"]
        for chat in (group, group, elsewhere)
    ]
    assert messages[0] == messages[1] != messages[2]
    assert messages[0] != str(group.id)


@documented(page=f"{SERVER}/issues/648", says="answerCallbackQuery has no limits")
async def test_answers_to_taps_are_free(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    message = await caller.sent(group, reply_markup=keys([key()]))
    before = telegram.limits.count(group.id)
    for number in range(30):
        tap = await Person(telegram, telegram.account(f"P{number}"), group).begin_tap(message, "Play")
        assert (await caller.call("answerCallbackQuery", callback_query_id=tap.id))["ok"]
    assert telegram.limits.count(group.id) == before


def refusal(page: str, says: str, words: str, method: str, **given: Any) -> Any:
    """Return a call that is refused with some words, and the page that says why."""
    return pytest.param(method, given, words, id=f"{method} {words}", marks=documented(page=page, says=says))


LARGE = keys(*[[key("x" * 60, f"{row}.{place}" + "y" * 50) for place in range(8)] for row in range(10)])
COMMANDS = f"{API}#botcommand", "small letters, digits, underscores: 1-32"
DESCRIPTIONS = f"{API}#setmydescription", "0-512 characters, 0-120 the short one, by language"
REFUSALS = (
    refusal(
        f"{API}#answercallbackquery", "text of 0-200 characters", "201", "answerCallbackQuery",
        callback_query_id="q", text="a" * 201,
    ),
    refusal(
        f"{API}#inlinekeyboardbutton", "callback_data of 1-64 bytes", "65 bytes", "sendMessage",
        text="a", reply_markup=keys([key(data="x" * 65)]),
    ),
    refusal(
        f"{LIMITS}/228", "100 buttons, 8 in a row (measured)", "too many", "sendMessage",
        text="a", reply_markup=keys([key(str(number)) for number in range(9)]),
    ),
    refusal(
        f"{LIMITS}/187", "10 kB of a keyboard are too much (measured)", "too long", "sendMessage",
        text="a", reply_markup=LARGE,
    ),
    refusal(*DESCRIPTIONS, "513", "setMyDescription", description="a" * 513),
    refusal(*DESCRIPTIONS, "121", "setMyShortDescription", short_description="a" * 121),
    refusal(*COMMANDS, "BOT_COMMAND", "setMyCommands", commands=[{"command": "Play", "description": "x"}]),
    refusal(*COMMANDS, "BOT_COMMAND_INVALID", "setMyCommands", commands=[{"command": "rück", "description": "x"}]),
    refusal(*COMMANDS, "33 characters", "setMyCommands", commands=[{"command": "a" * 33, "description": "x"}]),
)  # fmt: skip


@pytest.mark.parametrize(("method", "given", "words"), REFUSALS)
async def test_too_much_is_refused(caller: Caller, group: Chat, method: str, given: Json, words: str) -> None:
    where = {"chat_id": group.id} if method == "sendMessage" else {}
    assert words in await caller.refused(method, **where, **given)


@documented(page=f"{API}#sendphoto", says="captions of 0-1024 characters after entities parsing")
async def test_captions_are_counted_without_their_markup(caller: Caller, group: Chat) -> None:
    fits: dict[str, Any] = {"chat_id": group.id, "caption": f"<b>{'a' * 1024}</b>", "parse_mode": "HTML"}
    assert (await caller.call("sendPhoto", ("photo", Tiny.png), **fits))["ok"]
    for long in (f"<b>{'a' * 1025}</b>", "🦁" * 513):
        assert "too long" in await caller.refused("sendPhoto", ("photo", Tiny.png), **fits | {"caption": long})


@documented(page=f"{API}#editmessagetext", says="an edit without reply_markup leaves no buttons")
async def test_an_edit_without_buttons_takes_them_away(caller: Caller, group: Chat) -> None:
    message = await caller.sent(group, reply_markup=keys([key()]))
    await caller.call("editMessageText", chat_id=group.id, message_id=message.id, text="other")
    assert message.labels == []


@documented(page=f"{API}#deletemessage", says="a message can be deleted for 48 hours")
async def test_old_messages_stay(caller: Caller, group: Chat, clock: Clock) -> None:
    message = await caller.sent(group)
    clock.turn(hours=49)
    assert "deleted" in await caller.refused("deleteMessage", chat_id=group.id, message_id=message.id)


@documented(page=f"{API}#formatting-options", says="mentions by id call members, and who has contacted the bot")
async def test_mention_notifies_members_only(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    (anna,) = (each for each in telegram.people.values() if not each.is_bot)
    stranger = telegram.account("Zoe")
    text = "".join(f'<a href="tg://user?id={each.id}">{each.first_name}</a>' for each in (anna, stranger))
    assert (await caller.sent(group, text, parse_mode="HTML")).pings == (anna.id,)


@documented(page=f"{API}#date-time-entity-formatting", says="tg-time with a Unix time and a format")
async def test_times_are_shown_by_the_clock_of_the_reader(caller: Caller, group: Chat) -> None:
    text = '<tg-time unix="1790000000" format="wDT">a day</tg-time>'
    message = await caller.sent(group, text, parse_mode="HTML")
    assert (message.text, message.marked.times) == ("a day", [(1790000000, "wDT", "a day")])
    wrong = text.replace("wDT", "%H")
    assert "time" in await caller.refused("sendMessage", chat_id=group.id, text=wrong, parse_mode="HTML")


@documented(page=f"{API}#replyparameters", says="allow_sending_without_reply where the message may be gone")
async def test_reply_to_a_deleted_message_may_be_allowed(caller: Caller, group: Chat) -> None:
    gone = {"message_id": 4711}
    assert "replied" in await caller.refused("sendMessage", chat_id=group.id, text="a", reply_parameters=gone)
    await caller.sent(group, reply_parameters={**gone, "allow_sending_without_reply": True})


@documented(page=f"{API}#message", says="is_automatic_forward of a channel's post")
async def test_comments_belong_to_the_post(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    post = telegram.channel_post(group, "News")
    said = post.to_json()
    assert (said["from"]["id"], said["sender_chat"]["type"]) == (777000, "channel")
    assert said["is_automatic_forward"] is True
    comment = await caller.sent(group, reply_parameters={"message_id": post.id})
    assert comment.to_json()["message_thread_id"] == post.id
    assert "is_topic_message" not in comment.to_json()


@documented(page=f"{API}#setmessagereaction", says="one reaction of those that are allowed")
async def test_reactions_are_of_a_list(caller: Caller, group: Chat) -> None:
    message = await caller.sent(group)
    where = {"chat_id": group.id, "message_id": message.id}
    assert (await caller.call("setMessageReaction", **where, reaction=[{"type": "emoji", "emoji": "👌"}]))["ok"]
    assert message.reaction == "👌"
    group.reactions = frozenset()
    said = await caller.refused("setMessageReaction", **where, reaction=[{"type": "emoji", "emoji": "👌"}])
    assert "REACTION_INVALID" in said


@documented(page=f"{API}#getting-updates", says="an update is told until one after it is asked for")
async def test_unconfirmed_updates_are_delivered_again(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    carla = Person(telegram, telegram.account("Carla"), group)
    for text in ("/play", "/help"):
        await carla.say(text)
    both = (await caller.call("getUpdates"))["result"]
    assert [update["message"]["text"] for update in both] == ["/play", "/help"]
    assert (await caller.call("getUpdates"))["result"] == both
    assert (await caller.call("getUpdates", offset=both[0]["update_id"] + 1))["result"] == both[1:]
    assert (await caller.call("getUpdates"))["result"] == both[1:]
    assert (await caller.call("getUpdates", offset=both[1]["update_id"] + 1, timeout=0))["result"] == []


@documented(page=f"{FEATURES}#privacy-mode", says="commands and answers to the bot alone are heard")
async def test_talk_is_not_heard(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    carla = Person(telegram, telegram.account("Carla"), group)
    await carla.say("what a nice day")
    assert telegram.pending == []
    await carla.say("d5-d6", answering=await caller.sent(group))
    assert len(telegram.pending) == 1


@documented(
    page=f"{SERVER}/blob/master/telegram-bot-api/WebhookActor.cpp",
    says="what one person taps is brought one after the other, the next once the one before was taken",
)
async def test_taps_of_one_person_come_in_their_order(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    brought: list[int] = []

    async def called(request: web.Request) -> web.Response:
        brought.append((await request.json())["update_id"])
        return web.Response(status=503 if len(brought) < 3 else 200)

    app = web.Application()
    app.router.add_post("/", called)
    async with TestServer(app) as server:
        telegram.webhook, telegram.insists = (str(server.make_url("/")), "s"), True
        message = await caller.sent(group, reply_markup=keys([key()]))
        anna = Person(telegram, telegram.account("Anna"), group)
        for _ in range(2):
            await anna.begin_tap(message, "Play")
        await telegram.until(lambda: len(set(brought)) == 2, "both taps")
    first, second = sorted(set(brought))
    assert brought == [first, first, first, second]


@documented(page=f"{API}#answerinlinequery", says="no more than 50 results; ids of 1-64 bytes; once")
async def test_a_list_is_answered_once(caller: Caller, telegram: FakeTelegram) -> None:
    asked = Person(telegram, telegram.account("Anna"), telegram.elsewhere("Cousins")).asks("annuvin")
    where: Json = {"inline_query_id": asked.id, "cache_time": 0, "is_personal": True}
    many = [article(str(number)) for number in range(51)]
    assert "TOO_MUCH" in await caller.refused("answerInlineQuery", **where, results=many)
    assert "RESULT_ID" in await caller.refused("answerInlineQuery", **where, results=[article("x" * 65)])
    assert (await caller.call("answerInlineQuery", **where, results=many[:50]))["ok"]
    assert "too old" in await caller.refused("answerInlineQuery", **where, results=[])


@documented(page=f"{API}#answerguestquery", says="one new message, known by its inline_message_id")
async def test_a_call_is_answered_by_one_message(caller: Caller, telegram: FakeTelegram) -> None:
    anna = Person(telegram, telegram.account("Anna"), telegram.elsewhere("Cousins"))
    asked = anna.asks("@tavoliere_bot")
    sent = await caller.call("answerGuestQuery", guest_query_id=asked.id, result=article("a"))
    message = telegram.inline[sent["result"]["inline_message_id"]]
    assert (message.chat, message.author) == (anna.here, telegram.bot)
    assert "too old" in await caller.refused("answerGuestQuery", guest_query_id=asked.id, result=article("a"))


@documented(page=f"{FEATURES}#guest-bots", says="who mentions it, or answers one of its messages")
async def test_a_guest_hears_of_mentions_and_answers_to_it_alone(caller: Caller, telegram: FakeTelegram) -> None:
    anna = Person(telegram, telegram.account("Anna"), telegram.elsewhere("Cousins"))
    asked = await anna.begin_call("@tavoliere_bot, come here")
    sent = await caller.call("answerGuestQuery", guest_query_id=asked.id, result=article("a"))
    await anna.begin_call("and go on", telegram.inline[sent["result"]["inline_message_id"]])
    texts = [each["guest_message"]["text"] for each in telegram.pending if "guest_message" in each]
    assert texts == ["@tavoliere_bot, come here", "and go on"]
    with pytest.raises(AssertionError):
        await anna.begin_call("hello, cousins")


@documented(page=f"{API}#editmessagemedia", says="inline messages take no uploads, but a file_id")
async def test_an_inline_message_takes_no_uploads(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    anna = Person(telegram, telegram.account("Anna"), telegram.elsewhere("Cousins"))
    asked = anna.asks("@tavoliere_bot")
    sent = await caller.call("answerGuestQuery", guest_query_id=asked.id, result=article("a"))
    where = {"inline_message_id": sent["result"]["inline_message_id"]}
    media = {"type": "photo", "media": "attach://board"}
    assert "no uploads" in await caller.refused("editMessageMedia", ("board", Tiny.png), **where, media=media)
    stored = await caller.call("sendPhoto", ("photo", Tiny.png), chat_id=group.id)
    known = {"type": "photo", "media": stored["result"]["photo"][-1]["file_id"].removesuffix("s")}
    assert (await caller.call("editMessageMedia", **where, media=known))["result"] is True
    # Not the other way round.
    assert "no text" in await caller.refused("editMessageText", **where, text="words")


@documented(page=f"{API}#answercallbackquery", says="url: t.me/your_bot?start=XXXX where there is no game")
async def test_an_answer_to_a_tap_leads_to_us_alone(caller: Caller, group: Chat, telegram: FakeTelegram) -> None:
    message = await caller.sent(group, reply_markup=keys([key()]))
    tap = await Person(telegram, telegram.account("Zoe"), group).begin_tap(message, "Play")
    where: Json = {"callback_query_id": tap.id}
    assert "URL_INVALID" in await caller.refused("answerCallbackQuery", **where, url="https://example.org")
    assert (await caller.call("answerCallbackQuery", **where, url="https://t.me/tavoliere_bot?start=a"))["ok"]


def article(name: str) -> Json:
    return {"type": "article", "id": name, "title": "Annuvin", "input_message_content": {"message_text": "Come!"}}


def test_each_names_its_page() -> None:
    here = vars(sys.modules[__name__])
    tests = [each for name, each in here.items() if name.startswith("test_") and isinstance(each, FunctionType)]
    for test in tests:
        if test in (test_each_names_its_page, test_too_much_is_refused):
            continue
        (mark,) = (each for each in test.pytestmark if each.name == "documented")  # type: ignore[attr-defined]
        assert mark.kwargs["page"].startswith("https://")
        assert mark.kwargs["says"]
    assert len(tests) > 1
