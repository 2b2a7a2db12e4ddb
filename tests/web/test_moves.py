"""Moves typed into the page's field like any other line, and the language that a room speaks."""

import json
from dataclasses import replace

from bot.kernel.cards import Button
from bot.kernel.operations.clock import Clock
from bot.kernel.presses import TRY_CONTROL
from bot.kernel.requests import OpenBoard, Reply
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.support.typing_forms import TYPING_FORMS
from tests.web.browser import Tab, Two
from tests.web.front import FakeFront, board_card, make_card


async def test_typed_move_is_played_without_a_chat_message(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["b1-b2"] = Reply()
    front.replies["b1-b9"] = Reply(make_card("Too far."))
    assert (await anna.say("b1-b2", "event0001")).data == {"played": True}
    assert (await anna.say("b1-b2", "event0001")).data == {"played": True}, "sent again it is played once"
    assert front.asked == ["b1-b2"]
    assert front.done[0][1].message is None
    assert ((await anna.say("b1-b9")).data, await bruno.sees()) == ({"played": True}, [])
    (note,) = await anna.sees()
    assert (note["card"]["text"], note["used"]["text"]) == ([{"text": "Too far."}], "b1-b9")


async def test_all_else_is_talk(anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["b1-b2"] = Reply()
    front.replies["stop here, everybody"] = Reply()
    for text in ("hello", "I like b1-b3", "stop here, everybody"):
        assert (await anna.say(text)).data == {}
    assert (await anna.say("b1-b2", talk=True)).data == {}, "said, not played, where that is wanted"
    assert (await anna.say("b1-b2", answers=(await bruno.sees())[0]["id"])).data == {}, "as an answer to somebody"
    assert (len(await bruno.sees()), front.done) == (5, [])


async def test_lesson_played_by_typing_stays_in_one_message(anna: Tab, front: FakeFront) -> None:
    front.replies["/learn"] = Reply(board_card("Move a piece."), apart=True)
    front.replies["d2-d3"] = Reply(board_card("Well done."), update=True)
    front.replies["next"] = Reply(board_card("Now capture."), update=True)
    front.replies["d3xd4"] = Reply(board_card("All done."), update=True)
    await anna.say("/learn")
    await anna.say("hello")
    await anna.say("d2-d3")
    shown = await anna.sees()
    assert [message.get("text") or message["card"]["text"][0]["text"] for message in shown] == ["hello", "Well done."]
    await anna.press(shown[1]["id"], "next")
    await anna.say("d3xd4")
    _, last = await anna.sees()
    assert last["card"]["text"][0]["text"] == "All done."
    assert "Now capture." not in json.dumps(await anna.sees())


async def test_a_room_speaks_as_who_opens_it(browsers: Two, room: ChatRoom, store: Store) -> None:
    await browsers[0].post("/api/names", {"name": "Anna", "language": "it-IT"})
    await browsers[1].post("/api/names", {"name": "Bruno", "language": "en-GB"})
    assert (await room.place()).effective["language"] == "it"
    assert (await ChatRoom(store, Clock()).place()).effective["language"] == "it", "after a restart, too"


async def test_a_room_that_exists_keeps_its_language(browsers: Two, room: ChatRoom, store: Store) -> None:
    # There is no French here.
    bruno = Tab(browsers[0], (await browsers[0].post("/api/names", {"name": "Bruno", "language": "fr"})).data["name"])
    await browsers[1].post("/api/names", {"name": "Anna", "language": "it"})
    assert "language" not in (await room.place()).effective
    assert "spoken" not in await bruno.listen()
    await store.places.change_settings((await room.place()).id, {"language": "en"})
    assert (await bruno.listen())["spoken"] == "en"


async def test_a_language_chosen_before_anybody_came_stays(browsers: Two, room: ChatRoom, store: Store) -> None:
    await store.places.change_settings((await room.place()).id, {"language": "en"})
    await browsers[0].post("/api/names", {"name": "Anna", "language": "it"})
    assert (await room.place()).effective["language"] == "en"


async def test_move_answering_an_analysis_board_is_tried_and_not_played(
    anna: Tab, bruno: Tab, front: FakeFront
) -> None:
    board = board_card("Tried, not played.")
    way = Button("Back", f"{TRY_CONTROL}:ABC123:1=back")
    front.replies["/try"] = Reply(replace(board, rows=((way,),)), apart=True)
    front.replies["b1-b2"] = Reply(board_card("Tried."), update=True, apart=True)
    await anna.say("/try")
    (shown,) = await anna.sees()
    await anna.say("b1-b2", answers=shown["id"])
    (shown,) = await anna.sees()
    assert shown["card"]["text"][0] == {"text": "Tried."}
    assert front.asked == ["/try", "b1-b2"]
    assert [request.board for _, request in front.done] == [None, OpenBoard("try", "ABC123")]
    assert await bruno.sees() == []


async def test_lines_are_told_apart_in_every_form(anna: Tab, front: FakeFront) -> None:
    front.replies |= {typed("b1-b2"): Reply() for typed in TYPING_FORMS.values()}
    for form, typed in TYPING_FORMS.items():
        assert (await anna.say(typed("b1-b2"))).data == {"played": True}, form
    for form, typed in TYPING_FORMS.items():
        assert (await anna.say(typed("/help"))).data == {}, form
    assert await anna.sees() == [], "no command is said aloud"
