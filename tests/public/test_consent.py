"""What may be shown: only what all places and all people agree to, and no longer than that."""

from bot.kernel.requests import Place
from tests.bot.party import Party, words
from tests.public.world import World


async def test_pages_need_the_consent_of_a_manager(world: World) -> None:
    code = await world.party.started()
    assert "games.example" not in words(await world.share(code))
    refused = await world.party.say("bruno", "/settings public:on for:channel")
    assert "games.example" not in words(await world.share(code)), words(refused)
    await world.allow()
    page = await world.page(code)
    assert (await world.get(f"/g/{page}")).status == 200
    assert code not in page


async def test_a_page_taken_back_is_gone_and_comes_back(world: World, page: str) -> None:
    seen = await world.get(f"/g/{page}")
    assert (seen.status, seen.headers["Cache-Control"]) == (200, "no-cache")
    await world.allow("off")
    for path in (f"/g/{page}", f"/g/{page}/board.png", f"/g/{page}/turns/0.png", f"/g/{page}/record.txt"):
        gone = await world.get(path, If_None_Match=seen.headers["ETag"])
        assert gone.status == 410, path
        assert gone.headers["Cache-Control"] == "no-store"
        assert "Anna" not in gone.text
    await world.allow("on")
    assert (await world.get(f"/g/{page}")).status == 200


async def test_every_place_that_shows_a_game_must_allow_it(world: World, page: str) -> None:
    other = Place("web", "cellar", title="The cellar")
    await world.party.say(world.party.mover, f"/board game:{world.party.code}", place=other)
    assert (await world.get(f"/g/{page}")).status == 410, "the cellar shows it, too, and has not agreed"
    world.party.managers.add("eve")
    await world.party.say("eve", "/settings public:on for:channel", place=other)
    assert (await world.get(f"/g/{page}")).status == 200


async def test_games_of_hidden_people_are_not_shown(world: World, page: str) -> None:
    assert "Bruno" in (await world.get(f"/g/{page}")).text
    await world.party.say("bruno", "/settings profile:hidden")
    assert (await world.get(f"/g/{page}")).status == 410
    await world.party.say("bruno", "/settings profile:auto")
    assert (await world.get(f"/g/{page}")).status == 200


async def test_who_is_forgotten_takes_their_games_from_the_world(world: World, page: str) -> None:
    await world.resign()
    assert (await world.get(f"/g/{page}")).status == 200
    bruno = (await world.party.store.people.identify("web", "bruno", "Bruno")).id
    await world.party.store.privacy.forget_person(bruno, world.party.clock())
    gone = await world.get(f"/g/{page}")
    assert gone.status == 410
    assert "Bruno" not in gone.text


async def test_a_lobby_is_not_shown(world: World) -> None:
    await world.allow()
    await world.party.say("anna", "/play annuvin")
    assert "games.example" not in words(await world.share(world.party.code))


async def test_thread_inherits_public_consent_of_its_channel(world: World) -> None:
    await world.allow()
    assert (await world.party.store.places.get_or_create("web", "room", "t1")).effective.get("public") is True


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
