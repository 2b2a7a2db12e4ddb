"""What the page asks of the server, as browsers ask it."""

import json
from importlib.metadata import version

import pytest
from aiohttp import WSMsgType

from bot.kernel.cards import Attachment, Card
from bot.kernel.requests import Reply, TryLater
from bot.kernel.texts import Span
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from bot.platforms.web.sessions import MAX_NAMES_PER_BROWSER, PLATFORM
from storage import Store, Unavailable
from tests.support.comparing import missing_from
from tests.support.present import present
from tests.web.browser import Json, Tab, Two
from tests.web.front import PNG, FakeFront, board_card, make_card


async def test_a_new_browser_has_no_name_and_gets_no_cookie(browsers: Two) -> None:
    answer = await browsers[0].get("/api/hello?language=it-IT")
    assert answer.data["names"] == []
    assert (answer.data["language"], answer.data["words"]["names.enter"]) == ("it", "Entra")
    assert answer.data["release"] == version("tavoliere")
    assert "Set-Cookie" not in answer.headers


async def test_a_name_belongs_to_the_browser_that_made_it(browsers: Two, anna: Tab) -> None:
    cookie = (await browsers[0].get("/api/hello")).headers["Set-Cookie"]
    assert missing_from(cookie, "HttpOnly", "SameSite=Strict") == []
    assert (await browsers[0].get("/api/hello")).data["names"] == [anna.me]
    assert (await browsers[1].get("/api/hello")).data["names"] == []
    stranger = Tab(browsers[1], anna.me)
    for answer in (
        await stranger.say("I am Anna"),
        await stranger.press(1, "c:a1"),
        await stranger.send("/api/dismiss", message=1),
        await stranger.send("/api/complete", text="/", cursor=1),
        await browsers[1].get(f"/api/messages?as={anna.me['user']}&before=9"),
    ):
        assert (answer.status, answer.refusal) == (403, "not-yours")
    bruno = await browsers[1].name("Bruno")
    assert (await Tab(browsers[1], anna.me).say("I am Anna")).refusal == "not-yours"
    assert [message["text"] for message in await bruno.sees()] == []


async def test_stream_under_another_name_is_refused(browsers: Two, anna: Tab) -> None:
    async with browsers[1].session.ws_connect(
        f"{browsers[1].origin}/api/live?as={anna.me['user']}", headers={"Origin": browsers[1].origin}
    ) as socket:
        message = await socket.receive()
        assert (message.type, message.data) == (WSMsgType.CLOSE, 4001)


async def test_several_names_share_a_browser(browsers: Two) -> None:
    anna, bruno = await browsers[0].name("Anna"), await browsers[0].name("Bruno")
    assert anna.person != bruno.person
    assert (await browsers[0].get("/api/hello")).data["names"] == [anna.me, bruno.me]
    assert (await browsers[0].name("  anna ")).me == anna.me, "the same name again is the same person"


NO_NAMES: dict[str, tuple[object, ...]] = {
    "name-taken": ("ANNA", "@anna", "tavoliere", "Computer", "computer 2 (level 3)"),
    "name-empty": ("", "\u200b\u202e", '"'),
    "name-command": ("/play annuvin",),
    "name-too-long": ("A" * 33, 17, None),
}
ALIKE = (
    "\u0410nna", "\uff21nna", "\U0001d400nna", "Anna\u034f", "An\u200bna", "An\u200dna", "Anna\u3164",
    "A\u00adnna\ufe0f",
)  # fmt: skip
LIKE_THE_BOT = ("\uff34avoliere", "TAVOLIERE", "Tavol\u0456ere", "TavoIiere", "\u03a4avo1iere\u200b")


async def test_names_are_readable_and_unlike_existing_ones(browsers: Two) -> None:
    await browsers[0].name("Anna")
    for code, names in NO_NAMES.items():
        for name in names:
            assert (await browsers[1].post("/api/names", {"name": name})).refusal == code, name
    for name in (*ALIKE, *LIKE_THE_BOT):
        answer = await browsers[1].post("/api/names", {"name": name})
        assert answer.refusal in ("name-taken", "name-alike"), name
        assert "Set-Cookie" not in answer.headers
    assert (await browsers[1].get("/api/hello")).data["names"] == []


async def test_names_that_look_different_are_different(browsers: Two) -> None:
    for name in ("Anna", "Ánna", "Nanna", "Анастасия", "安娜", "Anna 2"):
        await browsers[0].name(name)


async def test_a_browser_cannot_fill_the_room(browsers: Two, store: Store) -> None:
    browser = (await browsers[0].name("Anna")).me["user"].partition(".")[0]
    for number in range(2, MAX_NAMES_PER_BROWSER + 1):
        await store.people.identify(PLATFORM, f"{browser}.{number}", f"Anna {number}")
    assert (await browsers[0].post("/api/names", {"name": "Bruno"})).refusal == "too-many-names"
    await browsers[1].name("Bruno")


async def test_messages_reach_everyone_and_duplicates_are_dropped(anna: Tab, bruno: Tab) -> None:
    await bruno.listen()
    assert (await anna.say("Ciao <b>tutti</b>", "eventABC1")).status == 200
    assert (await anna.say("Ciao <b>tutti</b>", "eventABC1")).status == 200
    assert (await bruno.say("Ciao", "eventABC1")).status == 200, "events of different people are different"
    first, second = await bruno.hear_messages(2)
    assert (first["author"]["name"], first["text"]) == ("Anna", "Ciao <b>tutti</b>")
    assert "event" not in first
    assert (second["author"]["name"], second["event"], len(await anna.sees())) == ("Bruno", "eventABC1", 2)


async def test_a_word_can_answer_a_word(anna: Tab, bruno: Tab) -> None:
    await anna.say("Who plays?")
    (question,) = await bruno.sees()
    await bruno.say("I do", answers=question["id"])
    assert (await anna.sees())[-1]["answers"] == {"id": question["id"], "name": "Anna", "text": "Who plays?"}


async def test_commands_are_carried_out_once_and_answered_privately(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["/help"] = Reply(make_card("Here is help."))
    await bruno.listen()
    await anna.listen()
    await anna.say("/help", "event0001")
    await anna.say("/help", "event0001")
    await anna.say("hello")
    (answer, _) = await anna.hear_messages(2)
    assert answer["private"]
    assert answer["card"]["text"] == [{"text": "Here is help."}]
    assert front.asked == ["/help"]
    request = front.done[0][1]
    assert (request.user.platform, request.user.id, request.user.name) == ("web", anna.me["user"], "Anna")
    assert (request.place, request.message) == (ROOM_PLACE, None)
    # Everything that Bruno's browser ever gets.
    received = json.dumps([await bruno.hear_messages(1), await bruno.sees()])
    assert "hello" in received
    assert "Here is help." not in received
    assert len(await anna.sees()) == 2


async def test_an_answer_for_all_says_who_asked(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["/leaderboard"] = Reply(make_card("Anna leads."), private=False)
    await anna.say("/leaderboard")
    (message,) = await bruno.sees()
    assert message["used"] == {"name": "Anna", "text": "/leaderboard"}
    assert not message["private"]


async def test_a_press_is_answered_privately_under_the_board(
    browsers: Two, anna: Tab, bruno: Tab, front: FakeFront, room: ChatRoom
) -> None:
    board = int(await room.send(ROOM_PLACE, board_card(mention=anna.person), "board1"))
    front.replies["c:a1"] = Reply(board_card("Where to?"))
    front.replies["c:b2"] = Reply(board_card("And then?"), update=True)
    assert (await anna.press(board, "c:a1")).status == 200
    shown, choosing = await anna.sees()
    assert choosing["private"]
    assert (choosing["parent"], front.done[-1][1].message) == (board, str(board))
    await anna.press(choosing["id"], "c:b2")
    _, again = await anna.sees()
    assert (again["id"], again["card"]["text"][0]["text"]) == (choosing["id"], "And then?")
    assert [message["id"] for message in await bruno.sees()] == [board]
    assert (await bruno.press(choosing["id"], "c:b2")).refusal == "no-such-message"
    assert (await browsers[0].get(again["card"]["picture"]["url"])).data == PNG
    assert (await browsers[1].get(again["card"]["picture"]["url"])).status == 404
    assert (await browsers[1].get(shown["card"]["picture"]["url"])).data == PNG
    await anna.send("/api/dismiss", message=choosing["id"])
    assert [message["id"] for message in await anna.sees()] == [board]


async def test_what_hangs_under_a_board_goes_with_it(anna: Tab, front: FakeFront, room: ChatRoom) -> None:
    board = await room.send(ROOM_PLACE, board_card(mention=anna.person), "board1")
    front.replies["c:a1"] = Reply(board_card("Where to?"))
    front.replies["far"] = Reply(make_card("Too far."))
    front.replies["c:b2"] = Reply(make_card("Played."), update=True)
    await anna.press(int(board), "c:a1")
    await anna.say("far", answers=int(board))
    await anna.say("far", answers=int(board))
    _, choosing, note = await anna.sees()
    assert choosing["parent"] == int(board)
    assert (note["sheet"], note["card"]["text"]) == (True, [{"text": "Too far."}]), "one note at a time"
    assert front.done[-1][1].message == board
    await room.retire(ROOM_PLACE, board, remove=False)
    old, _ = await anna.sees()
    assert old["retired"]
    assert (old["card"]["rows"], old["card"]["presses"]) == ([], {})
    assert (await anna.browser.get(old["card"]["picture"]["url"])).data == PNG
    assert (await anna.press(choosing["id"], "c:b2")).refusal == "no-such-message"
    # An answer that comes after all stands by itself.
    await anna.press(int(board), "far")
    assert "parent" not in (await anna.sees())[-1]


async def test_what_hangs_under_a_board_goes_with_it_after_an_outage(
    anna: Tab, bruno: Tab, front: FakeFront, room: ChatRoom, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await room.send(ROOM_PLACE, board_card(), "board1")
    front.replies["c:a1"] = Reply(board_card("Where to?"))
    for tab in (anna, bruno):
        await tab.press(int(board), "c:a1")

    async def fail(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patched:
        patched.setattr(store.room, "delete_message", fail)
        with pytest.raises(TryLater):
            await room.retire(ROOM_PLACE, board, remove=False)
    await room.retire(ROOM_PLACE, board, remove=False)
    assert {each.id for each in await store.room.changes_since(0, 100) if not each.deleted} == {int(board)}


async def test_only_the_newest_private_answer_stays(anna: Tab, bruno: Tab, front: FakeFront, room: ChatRoom) -> None:
    front.replies["/help"] = Reply(make_card("Help."))
    front.replies["/move d2-d9"] = Reply(make_card("Too far."))
    front.replies["/play"] = Reply(board_card("Which game?"))
    await anna.say("/move d2-d9")
    await bruno.say("/help")
    await anna.say("/move d2-d9")
    (note,) = await anna.sees()
    assert (note["card"]["text"], note["used"]["text"]) == ([{"text": "Too far."}], "/move d2-d9")
    await anna.say("/play")
    await anna.say("/help")
    await anna.say("/help")
    assert [shown["card"]["text"][0]["text"] for shown in await anna.sees()] == ["Which game?", "Help."]
    assert [shown["card"]["text"][0]["text"] for shown in await bruno.sees()] == ["Help."]
    board = await room.send(ROOM_PLACE, board_card(mention=anna.person), "board1")
    front.replies["far"] = Reply(make_card("Too far."))
    await anna.say("far", answers=int(board))
    assert (await anna.sees())[-1]["used"]["text"] == "far"


async def test_a_file_is_taken_away_by_whom_it_is_for(browsers: Two, anna: Tab, front: FakeFront) -> None:
    file = Attachment("annuvin-AB12CD.txt", "Tavoliere, partita è".encode())
    front.replies["/export"] = Reply(Card((Span("The record."),), file=file))
    await browsers[1].name("Bruno")
    await anna.say("/export")
    (shown,) = await anna.sees()
    assert shown["card"]["file"]["name"] == file.name
    answer = await anna.browser.get(shown["card"]["file"]["url"])
    assert (answer.status, answer.data) == (200, file.content)
    assert (await browsers[1].get(shown["card"]["file"]["url"])).status == 404
    assert (await anna.browser.get(shown["card"]["file"]["url"] + "x")).status == 404
    await anna.say("/export")
    assert len(await anna.sees()) == 1, "the newest is on the sheet"


async def test_dismissing_public_or_foreign_messages_has_no_effect(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["/help"] = Reply(make_card("Help."))
    await bruno.say("/help")
    await bruno.say("hello")
    secret, word = await bruno.sees()
    assert (await anna.send("/api/dismiss", message=secret["id"])).refusal == "no-such-message"
    assert (await anna.send("/api/dismiss", message=word["id"])).status == 200
    assert await bruno.sees() == [secret, word]


async def test_stream_resumes_where_it_stopped(browsers: Two, anna: Tab, bruno: Tab, room: ChatRoom) -> None:
    await anna.say("one")
    board = await room.send(ROOM_PLACE, board_card(), "board1")
    first = await bruno.listen()
    assert [message["id"] for message in first["messages"]] == [1, int(board)]
    await present(bruno.socket).close()
    await anna.say("two")
    await room.retire(ROOM_PLACE, board, remove=True)
    two, gone = (await bruno.listen(first["change"]))["messages"]
    assert (two["text"], gone) == ("two", {"id": int(board), "deleted": True})
    assert (await Tab(browsers[1], bruno.me).listen(10_000))["whole"], "a number from another room begins anew"


async def test_earlier_messages_come_in_pages(browsers: Two, anna: Tab, room: ChatRoom, store: Store) -> None:
    (speaker,) = await store.people.identities_with_prefix("web", anna.me["user"])
    for number in range(70):
        await room.say(speaker, f"event{number:06}", f"word {number}", None)
    first = await anna.listen()
    assert [message["text"] for message in first["messages"]] == [f"word {number}" for number in range(10, 70)]
    assert first["more"]
    page = (await browsers[0].get(f"/api/messages?as={anna.me['user']}&before={first['messages'][0]['id']}")).data
    assert [message["text"] for message in page["messages"]] == [f"word {number}" for number in range(10)]
    assert not page["more"]


async def test_player_to_move_is_notified_of_the_waiting_board(anna: Tab, bruno: Tab, room: ChatRoom) -> None:
    assert (await anna.listen())["tables"] == []
    board = await room.send(ROOM_PLACE, board_card("Bruno, ", mention=bruno.person), "board1")
    assert [game["message"] for game in (await bruno.listen())["tables"]] == [int(board)]
    await room.edit(ROOM_PLACE, board, board_card("Anna, ", mention=anna.person))
    parcel = await bruno.hear()
    while "tables" not in parcel:
        parcel = await bruno.hear()
    assert parcel["tables"] == []
    tables: list[Json] = []
    while not tables:
        tables = (await anna.hear()).get("tables", [])
    assert tables[0]["message"] == int(board)


async def test_presence_is_reported(anna: Tab, bruno: Tab) -> None:
    first = await anna.listen()
    assert {person["name"]: person["here"] for person in first["people"]} == {"Anna": True, "Bruno": False}
    await bruno.listen()
    people = (await anna.hear())["people"]
    assert {person["name"]: person["here"] for person in people} == {"Anna": True, "Bruno": True}
    await present(bruno.socket).close()
    people = (await anna.hear())["people"]
    assert {person["name"]: person["here"] for person in people} == {"Anna": True, "Bruno": False}


NONSENSE: tuple[tuple[str, Json, int, str], ...] = (
    ("/api/say", {"text": "x", "event": "short"}, 400, "not-json"),
    ("/api/say", {"text": "x", "event": 12345678}, 400, "not-json"),
    ("/api/say", {"text": "   "}, 400, "nothing-said"),
    ("/api/say", {"text": "x" * 2001}, 413, "text-too-long"),
    ("/api/say", {"text": ["x"]}, 400, "not-json"),
    ("/api/say", {"text": "x", "answers": 99}, 404, "no-such-message"),
    ("/api/say", {"text": "x", "answers": "1"}, 404, "no-such-message"),
    ("/api/press", {"message": 99, "press": "x"}, 404, "no-such-message"),
    ("/api/press", {"message": 2**70, "press": "x"}, 404, "no-such-message"),
    ("/api/press", {"message": True, "press": "x"}, 404, "no-such-message"),
    ("/api/press", {"message": 1, "press": "x" * 65}, 413, "text-too-long"),
    ("/api/dismiss", {}, 404, "no-such-message"),
)


async def test_nonsense_is_refused(anna: Tab) -> None:
    for path, body, status, code in NONSENSE:
        answer = await anna.send(path, **body)
        assert (answer.status, answer.refusal) == (status, code), (path, body)
    assert await anna.sees() == []


async def test_odd_characters_survive(browsers: Two) -> None:
    anna = await browsers[0].name("Añña 🦉")
    await anna.say("\u202e𝕏 \x00 <script>alert(1)</script> ü")
    (message,) = await anna.sees()
    assert "<script>alert(1)</script> ü" in message["text"]
