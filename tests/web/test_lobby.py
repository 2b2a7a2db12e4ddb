"""What the lobby shows: to guests as well, kept true by the one stream, read once for all and only when it changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.cards import Button, Card
from bot.kernel.texts import Span, Texts
from bot.people.standings.service import Rank
from bot.platforms.web.lobby import Lobby, lobby_to_json
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from engine import games
from render.charts import LeaderboardRow
from storage import Store
from tests.support.present import present
from tests.web.browser import Browser, Json, Tab, Two, list_buttons
from tests.web.front import FakeFront, board_card, make_card, make_headline, make_sight
from tests.web.hall import Hall

SUNDAY = datetime(2026, 11, 29, 22, 30, tzinfo=UTC)


class Late:
    """A clock on a Sunday evening."""

    def __call__(self) -> datetime:
        """Return the time of day."""
        return SUNDAY

    def monotonic(self) -> float:
        """Return seconds."""
        return 0.0


async def listen_as_guest(browser: Browser) -> Tab:
    """Return the tab of somebody who has not said a name, listening; its first parcel is still to be received."""
    tab = Tab(browser, {})
    address = f"{browser.origin}/api/live?language=it"
    tab.socket = await browser.session.ws_connect(address, headers={"Origin": browser.origin})
    return tab


async def show_game(room: ChatRoom, key: str, *people: int | None, status: str = "playing", free: bool = False) -> None:
    """Have the room show a game."""
    rows = ((Button("Join", f"join:{key}:1"),),) if free else ()
    line = make_headline(key, *people, status=status)
    await room.send(ROOM_PLACE, Card((Span("A game."),), rows=rows, headline=line), key)


async def test_a_guest_is_sent_the_lobby_and_nothing_that_is_said(
    browsers: Two, anna: Tab, room: ChatRoom, texts: Texts
) -> None:
    await anna.say("Among ourselves")
    guest = await listen_as_guest(browsers[1])
    first = await guest.hear()
    assert set(first) == {"version", "tables", "lobby"}
    assert first["lobby"]["puzzle"]["title"] in [texts.speaker("it").game_name(key) for key in games]
    await anna.say("Still among ourselves")
    await room.send(await room.private_chat(anna.me["user"]), make_card("for Anna alone"), "private")
    await show_game(room, "ABCDEF", anna.person, status="lobby", free=True)
    parcels: list[Json] = []
    while not parcels or not parcels[-1].get("tables"):
        parcels.append(await guest.hear())
    assert [(each["code"], each["free"], each["mine"]) for each in parcels[-1]["tables"]] == [("ABCDEF", True, False)]
    assert "ourselves" not in str(parcels)
    assert "Anna alone" not in str(parcels)
    # A guest is nobody who is here.
    assert set(room.here) <= {anna.person}
    polled = (await browsers[1].get("/api/live?language=en")).data
    assert {name for parcel in polled for name in parcel} == {"version", "tables", "lobby"}


async def test_who_is_kept_out_does_not_look_in_either(hall: Hall) -> None:
    browser = hall.eve.browser
    assert (await browser.get("/api/live")).status == 200
    assert (await hall.anna.browser.manage(hall.secret.load_or_create())).status == 200
    await hall.anna.say("/ban @Eve")
    refused = await browser.get("/api/live")
    assert (refused.status, refused.refusal) == (403, "ban")


async def test_the_leaderboard_is_read_again_after_a_game_has_ended(
    anna: Tab, front: FakeFront, room: ChatRoom
) -> None:
    front.ranks = [Rank(anna.person, LeaderboardRow(1, "Anna", 3, 0, 1))]
    leaders = (await anna.listen())["lobby"]["leaders"]
    assert leaders == [{"place": 1, "person": anna.person, "name": "Anna", "points": None, "results": [3, 0, 1]}]
    before = front.rankings
    for number in range(3):
        await anna.say(f"word {number}")
    await anna.hear_messages(3)
    assert front.rankings == before
    front.ranks = [replace(front.ranks[0], row=LeaderboardRow(1, "Anna", 4, 0, 1))]
    await show_game(room, "ABCDEF", anna.person, None, status="over")
    while not (parcel := await anna.hear()).get("lobby"):
        pass
    assert parcel["lobby"]["leaders"][0]["results"] == [4, 0, 1]
    assert front.rankings == before + 1


async def test_each_day_has_its_puzzle_by_the_clock_of_the_room(store: Store, front: FakeFront, texts: Texts) -> None:
    room = ChatRoom(store, Late())
    place = await room.place()
    content, seconds = await Lobby(front.program, room).read(place, [])
    assert (content.day, seconds) == (SUNDAY.date(), 90 * 60)
    for zone, day, left in (
        ("Europe/Rome", SUNDAY.date(), 30),
        ("Asia/Tokyo", SUNDAY.date() + timedelta(days=1), 16.5 * 60),
    ):
        moved = await store.places.change_settings(place.id, {"timezone": zone})
        content, seconds = await Lobby(front.program, room).read(present(moved), [])
        assert (content.day, seconds) == (day, left * 60)
        shown = lobby_to_json(content, texts.speaker("en"))["puzzle"]
        assert shown["title"] == texts.speaker("en").game_name(puzzle_on(day).game)


async def test_small_pictures_are_drawn_for_who_may_see_them(anna: Tab, front: FakeFront, room: ChatRoom) -> None:
    today = room.clock().date()
    paths = [f"/puzzles/{today}-light.webp", f"/small/ABCDEF.webp?as={anna.me['user']}&theme=dark&revision=1"]
    assert [(await anna.browser.get(path)).status for path in paths] == [200, 404]
    sight = replace(board_card(), headline=make_headline("ABCDEF", anna.person, None))
    front.sights["ABCDEF", ()] = make_sight(sight)
    assert [(await anna.browser.get(path)).status for path in paths] == [200, 200]
    for path in (
        f"/puzzles/{today + timedelta(days=2)}-light.webp",
        f"/puzzles/{today}-plaid.webp",
        "/puzzles/2026-02-31-light.webp",
        "/small/ABCDEF.webp?as=somebody",
    ):
        assert (await anna.browser.get(path)).status in (403, 404)


async def test_a_cup_is_read_in_ones_own_language_whoever_made_it(hall: Hall) -> None:
    await hall.anna.say("/cup annuvin clock:1d players:4")
    await hall.settled()
    shown = next(
        each for each in await hall.bruno.sees() if any(one["press"].startswith("cup=") for one in list_buttons(each))
    )
    said: dict[str, str] = {}
    for language in ("en", "it"):
        path = f"/api/words?as={hall.bruno.me['user']}&language={language}&message={shown['id']}"
        card = (await hall.bruno.browser.get(path)).data["card"]
        said[language] = "".join(span["text"] for span in card["text"])
        assert [each["press"] for each in list_buttons({"card": card})] == [one["press"] for one in list_buttons(shown)]
    assert said["en"] == "".join(span["text"] for span in shown["card"]["text"])
    assert "Iscrizioni" in said["it"] or "torneo" in said["it"].casefold()
    # What a person says stays as it is, and a board is drawn for its reader anyway.
    talk = (await hall.bruno.say("Good luck!")).status
    assert talk == 200
    newest = (await hall.bruno.sees())[-1]["id"]
    assert (await hall.bruno.browser.get(f"/api/words?as={hall.bruno.me['user']}&message={newest}")).status == 404
