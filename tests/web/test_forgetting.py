"""Who was linked to somebody, or forgotten, in what the room keeps."""

from bot.kernel.cards import Card, Picture
from bot.kernel.operations.listening import FORBIDDEN_CLOSE_CODE
from bot.kernel.requests import Reply
from bot.kernel.texts import Span
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from storage import Store, utc_now
from tests.web.browser import Tab
from tests.web.front import PNG, FakeFront


async def test_a_name_goes_from_the_whole_room(
    anna: Tab, bruno: Tab, front: FakeFront, room: ChatRoom, store: Store
) -> None:
    said = (Span("Anna", bold=True, person=anna.person), Span(" beats "), Span("Bruno", bold=True, person=bruno.person))
    board = await room.send(ROOM_PLACE, Card(said, Picture(PNG, "Anna: a1.", "annuvin.png")), "board1")
    front.replies["/leaderboard"] = Reply(
        Card((Span("1. "), Span("Anna (2)", bold=True), Span(": one win"))), private=False
    )
    front.replies["/help"] = Reply(Card((Span("Annalise is not Anna."),)), private=False)
    await anna.say("/leaderboard")
    await bruno.say("/help")
    await anna.say("my own words")
    await bruno.say("I agree", answers=(await bruno.sees())[-1]["id"])
    await store.privacy.forget_person(anna.person, utc_now())
    await room.forget([anna.person], ["Anna"])
    shown = await bruno.sees()
    texts = ["".join(span["text"] for span in each["card"]["text"]) for each in shown if "card" in each]
    assert texts == ["… beats Bruno", "1. …: one win", "Annalise is not Anna."]
    assert "picture" not in shown[0]["card"]
    assert [each["used"]["name"] for each in shown if "used" in each] == ["…", "Bruno"]
    assert shown[-1]["answers"]["name"] == "…"
    stored = await store.room.list_messages(None)
    assert "Anna" not in "".join(message.text for message in stored if message.text != "Annalise is not Anna.")
    assert await store.room.picture(int(board), None) is None


async def test_tab_is_closed_when_its_account_was_merged(anna: Tab, bruno: Tab, room: ChatRoom, store: Store) -> None:
    await anna.listen()
    await bruno.listen()
    other = await store.people.identify("telegram", "77", "Anna T.", at=utc_now())
    await store.links.merge_people(other.id, anna.person)
    await bruno.say("hello")
    assert await anna.closed() == FORBIDDEN_CLOSE_CODE
    assert (await bruno.hear_messages())[0]["text"] == "hello"
