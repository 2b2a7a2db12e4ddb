"""Who is an administrator of a group or a member of it, as far as Telegram says so, and what those who left may do."""

import pytest

from bot.kernel.preferences import PUBLIC
from bot.kernel.requests import Place, User
from tests.fakes.telegram.people import Person
from tests.support.leavers import (
    REFUSAL_WORDS,
    check_all_is_shown,
    check_nothing_is_shown,
    said,
)
from tests.support.present import present
from tests.support.rights import answer_to, listen_to_replies, make_competitions
from tests.telegram.harness import GROUP_BOT, Scene


async def test_where_members_are_hidden_administrators_are_known_all_the_same(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    scene.group.status[anna.id] = "administrator"
    scene.group.hides_members = True
    with scene.telegram.refusing("CHAT_ADMIN_REQUIRED", "CHAT_ADMIN_REQUIRED"):
        await scene.say(anna, "/settings language:it for:channel")
        await scene.say(bruno, "/settings language:en for:channel")
    assert "Telegram tells me who is in a group only if" in scene.shown[-1].text
    await scene.say(anna, "/play annuvin")
    assert "cerca compagni di gioco" in scene.board.text
    scene.group.status[scene.telegram.bot.id] = "administrator"
    await scene.say(bruno, "/settings language:en for:channel")
    assert "Only those who manage" in scene.shown[-1].text
    await scene.say(anna, "/settings language:en for:channel")
    await scene.say(anna, "/play fagocitare")
    assert "would like to play" in scene.board.text


async def test_nobody_is_asked_about_for_what_needs_no_right(scene: Scene, anna: Person) -> None:
    scene.alone(anna)
    await scene.started()
    await scene.play(scene.mover, scene.board)
    for line in ("/games", "/settings theme:dark", "/puzzle", "/team annuvin", "/leaderboard"):
        await scene.say(anna, line)
    assert [call for call in scene.telegram.calls if call.method.startswith("getChat")] == []


async def test_a_channel_is_no_administrator_and_an_anonymous_one_has_no_seat_and_no_webhook(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.group.status[anna.id] = "administrator"
    with monkeypatch.context() as patched:
        replies = listen_to_replies(patched)
        message = (await anna.say("hello")).to_json() | {"text": "/settings language:it for:channel"}
        channel = {"id": -1_000_000_009_999, "type": "channel", "title": "News"}
        await scene.telegram.update(message=message | {"from": GROUP_BOT | {"id": 136817688}, "sender_chat": channel})
        await scene.bot.settle()
        assert replies.said == []
    assert "Write as yourself" in scene.shown[-1].text
    for line in ("/play annuvin", "/join", "/settings theme:dark", "/privacy"):
        await scene.say_anonymously(anna, line)
        assert "Write as yourself" in scene.shown[-1].text, line
    place = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    assert await scene.bot.store.games.list_in_place(place.id, status="lobby") == []
    await scene.say_anonymously(anna, "/settings for:channel")
    (link,) = scene.shown[-1].marked.links
    # Only in their own chat it is known who they are.
    form = await scene.say_alone(anna, f"/start {link.partition('?start=')[2]}")
    await scene.tap(scene.alone(anna), form, "Language: automatic")
    await scene.tap(scene.alone(anna), form, "Italiano")
    await scene.say(anna, "/play annuvin")
    assert "cerca compagni di gioco" in scene.board.text


async def test_who_has_left_takes_no_seat_from_elsewhere_and_who_was_never_there_may(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    dora = scene.person("Dora")
    await scene.say(bruno, "/rules annuvin")
    await scene.say(anna, "/play annuvin")
    code = await scene.code()
    for who in (bruno, dora):
        scene.group.status[who.id] = "left"
    assert "not in that group any more" in (await scene.say_alone(bruno, f"/join {code}")).text
    assert (await scene.row()).status == "lobby"
    await scene.say_alone(dora, f"/join {code}")
    assert (await scene.row()).status == "playing"


async def test_who_has_made_a_competition_and_left_runs_it_no_longer(scene: Scene, anna: Person) -> None:
    await scene.say(anna, "/cup annuvin clock:1d players:4")
    place = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    (row,) = await scene.bot.store.competitions.list_in_place(place.id, 9, kind="cup")
    message = await scene.say_alone(anna, "/help")
    alone = scene.alone(anna)
    scene.group.status[anna.id] = "kicked"
    tap = await alone.tap_data(message, f"cup=end!.{row.id}")
    await scene.finish()
    assert "Only the person who made it" in str(tap.text)
    scene.group.status[anna.id] = "member"
    await alone.tap_data(message, f"cup=end!.{row.id}")
    await scene.finish()
    assert present(await scene.bot.store.competitions.get(row.id)).status == "over"


def users(scene: Scene, *names: str) -> dict[str, User]:
    """Return people of a scene as the program knows them."""
    found = {name: scene.person(name).account for name in names}
    return {name: User("telegram", str(account.id), account.first_name, "en") for name, account in found.items()}


async def test_who_has_left_sees_nothing_by_a_code_from_elsewhere(scene: Scene) -> None:
    front, other = scene.bot.tavoliere, scene.telegram.group("Others")
    people = users(scene, "Anna", "Bruno", "Carla", "Dora")
    here = Place("telegram", str(scene.group.id), None, str(scene.group.id))
    there = Place("telegram", str(other.id), None, str(other.id))
    await scene.started()
    game = await scene.code()
    competitions = await make_competitions(front, here, people["Anna"])
    for name in ("Bruno", "Carla", "Dora"):
        scene.alone(scene.person(name))
        await scene.say(scene.person(name), "/rules annuvin")
    for kind in competitions:
        assert REFUSAL_WORDS not in said(
            await answer_to(front, people["Bruno"], here, f"/{kind} join:{competitions[kind]}")
        )
    for name in ("Bruno", "Carla"):
        other.status[scene.people[name].id] = "member"
        scene.group.status[scene.people[name].id] = "kicked"
    alone = {name: Place("telegram", user.id, kind="private") for name, user in people.items()}
    for place in (alone["Carla"], there):
        await check_nothing_is_shown(front, people["Carla"], place, game, competitions)
    await check_all_is_shown(front, people["Dora"], alone["Dora"], game, competitions)
    # What the place shows to the world is seen by everybody.
    front.context.web_address = "https://games.example"
    stored = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    await scene.bot.store.places.change_settings(stored.id, {PUBLIC: True})
    assert REFUSAL_WORDS not in said(await answer_to(front, people["Carla"], alone["Carla"], f"/board game:{game}"))
    assert REFUSAL_WORDS in said(
        await answer_to(front, people["Carla"], alone["Carla"], f"/cup join:{competitions['cup']}")
    )
    await scene.bot.store.places.change_settings(stored.id, {PUBLIC: None})
    # Who sits in the game finishes it; who has entered something takes part in nothing new, and may leave.
    bruno = people["Bruno"]
    for line in (f"/board game:{game}", f"/resign game:{game}", f"/export code:{game}"):
        assert REFUSAL_WORDS not in said(await answer_to(front, bruno, alone["Bruno"], line))
    code = competitions["ladder"]
    for press in (
        f"cup=stay.{competitions['cup']}",
        f"league=stay.{competitions['league']}",
        f"ladder=accept.{code}.1",
    ):
        assert REFUSAL_WORDS in said(await answer_to(front, bruno, alone["Bruno"], press)), press
    assert REFUSAL_WORDS in said(await answer_to(front, bruno, alone["Bruno"], f"ladder=challenge.{code}.0"))
    await answer_to(front, bruno, alone["Bruno"], f"ladder=leave!.{code}")
    person = (await scene.bot.store.people.find("Bruno", platform="telegram"))[0].id
    entries = {each.person: each.inside for each in await scene.bot.store.competitions.entrants(code)}
    assert entries[person] is False


async def test_a_leaver_carries_no_game_of_the_group_into_another_chat(scene: Scene) -> None:
    scene.telegram.lists = True
    await scene.started()
    game, carla = await scene.code(), scene.person("Carla")
    scene.alone(carla)
    await scene.say(carla, "/rules annuvin")
    assert game in [each["id"] for each in (await carla.ask(game)).results or ()]
    scene.group.status[carla.id] = "left"
    scene.bot.clock.turn(seconds=61)
    assert game not in [each["id"] for each in (await carla.ask(game)).results or ()]


async def test_a_rematch_of_a_leaver_is_offered_where_they_ask(scene: Scene) -> None:
    await scene.started()
    game, front = await scene.code(), scene.bot.tavoliere
    bruno = users(scene, "Bruno")["Bruno"]
    scene.alone(scene.people["Bruno"])
    scene.alone(scene.people["Anna"])
    scene.group.status[scene.people["Bruno"].id] = "left"
    alone = Place("telegram", bruno.id, kind="private")
    await answer_to(front, bruno, alone, f"resign!:{game}:{(await scene.row()).revision}")
    await scene.finish()
    before = [(message.id, message.text) for message in scene.shown]
    await answer_to(front, bruno, alone, f"/rematch game:{game}")
    await scene.finish()
    again = present(present(await scene.bot.store.games.get(game)).progress.rematch)
    shown = await scene.bot.store.posts.list_for_game(again)
    assert [post.place.kind for post in shown] == ["private"]
    assert [(message.id, message.text) for message in scene.shown] == before


async def test_the_plan_of_a_leaver_is_carried_out_and_makes_nothing_else(scene: Scene) -> None:
    mover, planner = await scene.started()
    game = await scene.row()
    await scene.say_alone(planner, f"/plan #{game.id} if b1-b2 then b5-b4")
    scene.group.status[planner.id] = "kicked"
    place = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    before = [brief.id for brief in await scene.bot.store.games.list_in_place(place.id, 100)]
    # Made before they left or after it, a plan is for the game in which they sit.
    await scene.say(mover, f"/move b1-b2 game:{game.id}")
    events = await scene.bot.store.games.events(game.id)
    assert [event.data["action"] for event in events if event.kind == "action"] == ["b1-b2", "b5-b4"]
    assert "planned" in scene.board.text
    assert "Planned: if c1-c2" in (await scene.say_alone(planner, f"/plan #{game.id} if c1-c2 then f7-f6")).text
    await scene.say(mover, f"/move c1-c2 game:{game.id}")
    events = await scene.bot.store.games.events(game.id)
    assert [event.data["action"] for event in events if event.kind == "action"][-1] == "f7-f6"
    assert [brief.id for brief in await scene.bot.store.games.list_in_place(place.id, 100)] == before
    # In a game of others there no plan can be made.
    carla, dora = scene.person("Carla"), scene.person("Dora")
    await scene.say(carla, "/play annuvin")
    await scene.tap(dora, scene.board, "Join")
    other = await scene.code()
    assert other != game.id
    said = (await scene.say_alone(planner, f"/plan #{other} if b1-b2 then b5-b4")).text
    assert REFUSAL_WORDS in said
    assert list(await scene.bot.store.trees.list_plans(other)) == []
