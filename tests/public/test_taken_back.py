"""What may be shown, by the consent of all places and people, and what is taken back: it is gone everywhere at once."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from bot.kernel.requests import Place
from storage import Store
from tests.bot.party import Party, button, card, labelled, words
from tests.public.test_unfinished import paths_of
from tests.public.world import World, a_world
from tests.support.present import present
from tests.support.stores import START, delay_notifications
from tests.support.tiny import Tiny


async def forget(world: World, who: str) -> None:
    """Have somebody forgotten, as they ask for it."""
    asked = await world.party.press(who, button(card(await world.party.say(who, "/privacy")), "forget"))
    assert "You are forgotten" in words(await world.party.press(who, labelled(card(asked), "Yes, forget me")))


@pytest.mark.parametrize("way", ["the place", "hidden", "forgotten"])
async def test_withdrawn_pages_are_not_served_from_caches(
    world: World, page: str, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("bot.platforms.public.previews.draw_preview", lambda *_: Tiny())
    await world.move()
    await world.resign()
    tags = {path: (await world.get(path)).headers["ETag"] for path in paths_of(page)}
    if way == "the place":
        await world.allow("off")
    elif way == "hidden":
        await world.party.say("bruno", "/settings profile:hidden")
    else:
        await forget(world, "bruno")
    for path in [path for path in tags if page in path]:
        gone = await world.get(path, If_None_Match=tags[path])
        assert (gone.status, gone.headers["Cache-Control"], b"Bruno" in gone.body) == (410, "no-store", False), path
    for path in ("/g/", "/api/v1/games"):
        seen = await world.get(path, If_None_Match=tags[path])
        assert (seen.status, page in seen.text) == (200, False), path
    if way != "forgotten":
        await world.allow()
        await world.party.say("bruno", "/settings profile:auto")
        back = await world.get(f"/g/{page}")
        assert (back.status, back.headers["Cache-Control"], "Bruno" in back.text) == (200, "no-cache", True)


async def test_privacy_shows_pages_and_webhooks_and_forgetting_takes_them(world: World) -> None:
    await world.shown_game()
    anna = await world.profile("anna")
    (person,) = await world.party.store.people.find("anna")
    place = await world.party.store.places.get_or_create("web", "room", "")
    hook = present(
        await world.party.store.webhooks.create(place.id, "https://hook.example/x", "whsec_AA", person.id, START, 5)
    )
    file = present(card(await world.party.say("anna", "/privacy")).file)
    exported = json.loads(file.content)
    assert [each["id"] for each in exported["public_pages"]] == [anna]
    assert [each["address"] for each in exported["webhooks"]] == ["https://hook.example/x"]
    assert "whsec_AA" not in file.content.decode()
    seen = await world.get(f"/p/{anna}")
    assert seen.status == 200
    await forget(world, "anna")
    for path in (f"/p/{anna}", f"/api/v1/players/{anna}", f"/api/v1/games?player={anna}"):
        assert (await world.get(path, If_None_Match=seen.headers["ETag"])).status == 410, path
    left = present(await world.party.store.webhooks.get(hook.id))
    assert left.person is None, "it is the place's, and says no longer who added it"


async def test_of_two_who_become_one_both_pages_lead_to_the_one_and_the_webhooks_are_theirs(world: World) -> None:
    await world.allow()
    store = world.party.store
    anna, bruno = await world.profile("anna"), await world.profile("bruno")
    ((one,), (other,)) = await store.people.find("anna"), await store.people.find("bruno")
    place = await store.places.get_or_create("web", "room", "")
    hook = present(await store.webhooks.create(place.id, "https://hook.example/x", "whsec_AA", other.id, START, 5))
    assert await store.links.merge_people(one.id, other.id) is not None
    for page in (anna, bruno):
        assert (await world.get(f"/api/v1/players/{page}")).json["name"] == "Anna"
    assert present(await store.webhooks.get(hook.id)).person == one.id
    await world.party.say("anna", "/settings profile:auto")
    assert {(await world.get(f"/p/{page}")).status for page in (anna, bruno)} == {410}


@pytest.fixture
async def two_worlds(two_stores: tuple[Store, Store]) -> AsyncIterator[tuple[World, World]]:
    """Two processes that show the world the same database."""
    here, there = two_stores
    async with a_world(here) as one, a_world(there) as other:
        yield one, other


async def test_withdrawal_in_one_process_applies_to_others(two_worlds: tuple[World, World]) -> None:
    here, there = two_worlds
    page = await here.shown_game()
    received = asyncio.Event()
    for path in (f"/g/{page}", f"/api/v1/games/{page}"):
        assert (await there.get(path)).status == 200
    assert page in (await there.get("/api/v1/games")).text
    assert page in (await there.get("/g/")).text
    there.party.store.add_listener(lambda news: received.set() if news.is_remote else None)
    async with asyncio.timeout(60):
        await here.allow("off")
        await received.wait()
        while (await there.get(f"/g/{page}")).status != 410:
            received.clear()
            await received.wait()
    assert (await there.get(f"/api/v1/games/{page}")).status == 410
    assert page not in (await there.get("/api/v1/games")).text + (await there.get("/g/")).text
    # Who hears nothing believes nothing.
    await here.allow()
    there.party.clock.turn(minutes=1)
    for path in (f"/g/{page}", "/g/", "/api/v1/games"):
        assert page in (await there.get(path)).text
    with delay_notifications(there.party.store):
        there.party.store.receives_changes = False
        await here.allow("off")
        assert (await there.get(f"/g/{page}")).status == 410
        for path in ("/g/", "/api/v1/games"):
            assert page not in (await there.get(path)).text, path


async def test_pages_need_the_consent_of_a_manager(world: World) -> None:
    code = await world.party.started()
    assert "games.example" not in words(await world.share(code))
    refused = await world.party.say("bruno", "/settings public:on for:channel")
    assert "games.example" not in words(await world.share(code)), words(refused)
    await world.allow()
    page = await world.page(code)
    assert (await world.get(f"/g/{page}")).status == 200
    assert code not in page


async def test_every_place_that_shows_a_game_must_allow_it(world: World, page: str) -> None:
    other = Place("web", "cellar", title="The cellar")
    await world.party.say(world.party.mover, f"/board game:{world.party.code}", place=other)
    assert (await world.get(f"/g/{page}")).status == 410, "the cellar shows it, too, and has not agreed"
    world.party.managers.add("eve")
    await world.party.say("eve", "/settings public:on for:channel", place=other)
    assert (await world.get(f"/g/{page}")).status == 200


async def test_a_lobby_is_not_shown(world: World) -> None:
    await world.allow()
    await world.party.say("anna", "/play annuvin")
    assert "games.example" not in words(await world.share(world.party.code))


async def test_a_page_that_never_existed_is_not_found(world: World) -> None:
    for path in ("/g/AAAAAAAAAAAAAAAAAAAAAA", "/g/x/board.png", "/shown/none.css", "/g/%00"):
        seen = await world.get(path)
        assert (seen.status, "Nothing here" in seen.text) == (404, True), path
        italian = (await world.get(path, Accept_Language="it-IT,en;q=0.5")).text
        assert "Qui non c'è nulla" in italian.replace("&#39;", "'")


async def test_without_a_public_address_there_is_nothing_and_nothing_to_set(world: World) -> None:
    async with Party(world.party.store) as party:
        party.managers.add("meg")
        assert "no public address" in words(await party.say("meg", "/settings public:on for:channel"))
        assert "world" not in words(await party.say("meg", "/settings for:channel"))
