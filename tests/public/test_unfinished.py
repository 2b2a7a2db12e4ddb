"""Of a game that goes on only what was played is told: what is done in secret changes no byte."""

import io
import re

import pytest
from PIL import Image

from bot.lobby.teams.rounds import SHOW_PAUSE
from bot.thinking.analysis import Analysis, CostlyChoice
from tests.bot.party import words
from tests.public.test_game_pages import next_event
from tests.public.world import ADDRESS, DRAWN, Seen, World, served
from tests.support.comparing import missing_from
from tests.support.present import present


def paths_of(page: str) -> list[str]:
    """Return every address that tells something of a game."""
    pages = [f"/g/{page}{query}" for query in ("", "?turn=0", "?turn=1", "?lang=it")]
    pictures = ["board.png", "board.png?theme=dark", "turns/0.png", "turns/1.png", "preview.png", "film.gif"]
    files = [f"/g/{page}/{name}" for name in (*pictures, "record.txt")]
    interface = [f"/api/v1/games{path}" for path in ("", f"/{page}", f"/{page}/turns", f"/{page}/record")]
    return [
        *pages, *files, *interface, "/g/", f"/oembed?url={ADDRESS}/g/{page}", "/api/v1/", "/api/v1/cups",
        "/api/v1/ratings",
    ]  # fmt: skip


async def all_seen(world: World, page: str) -> dict[str, Seen]:
    """Return all that the world can learn of a game, from a server that has cached nothing."""
    async with served(world.party) as fresh:
        return {path: await fresh.get(path) for path in paths_of(page)}


async def first_events(world: World, page: str) -> list[str]:
    """Return what those who begin to follow a game are told first."""
    events = []
    for path in (f"/g/{page}/live", f"/api/v1/games/{page}/stream"):
        async with world.session.get(world.address + path) as stream:
            events.append((await next_event(stream.content))["data"])
    return events


async def a_game_of_two(world: World) -> None:
    """Have two people play, of whom one plans, and each looks for good moves; others may guess."""
    await world.party.say("carla", "/help")
    await world.party.started("/play annuvin @bruno rated:no")
    for who in ("anna", "bruno"):
        await world.party.press(who, f"guessyes:{world.party.code}:0")
    await world.move()


async def secrets_of_two(world: World, code: str) -> None:
    """Have both do what only they may know of, and somebody guess."""
    party = world.party
    other = party.other()
    table = await party.front.context.table(code)
    first = table.playing.state.legal_actions()[0]
    answer = table.playing.state.play(first).legal_actions()[0]
    assert "Planned" in words(await party.say(other, f"/plan #{code} if {first.text} then {answer.text}"))
    assert "good move" in words(await party.say(party.mover, f"/hint {code}"))
    assert "Tried" in words(await party.say(other, f"/try #{code} {first.text}"))
    await party.say("carla", f"/guess {first.text} game:{code}")
    assert len(await party.store.guesses.list_in_game(code)) == 1


async def a_game_of_a_team(world: World) -> None:
    """Have the room play as one against a computer."""
    for who in ("bruno", "carla"):
        await world.party.say(who, "/help")
    await world.party.say("anna", "/team annuvin computer 1 quorum:3")
    await propose(world, world.party.code, "bruno", "carla", "anna")
    await votes_shown(world)


async def votes_shown(world: World) -> None:
    """Let what was voted be shown in the room, and counted where that is enough."""
    world.party.clock.turn(seconds=SHOW_PAUSE.total_seconds())
    await world.party.front.jobs["teams"].run_until_idle()
    await world.party.settle()


async def propose(world: World, code: str, *people: str) -> None:
    """Have people vote for the same turn."""
    text = (await world.party.front.context.table(code)).playing.state.legal_actions()[0].text
    for who in people:
        assert "roposed as A" in words(await world.party.say(who, f"/move {text} game:{code}"))


async def secrets_of_a_team(world: World, code: str) -> None:
    """Have the team vote, and the votes be counted in the room."""
    await propose(world, code, "bruno", "carla")
    await votes_shown(world)
    assert "2 votes" in world.party.board.text


@DRAWN
@pytest.mark.parametrize("team", [False, True])
async def test_private_actions_do_not_change_public_pages(world: World, *, team: bool) -> None:
    await world.allow()
    await (a_game_of_a_team if team else a_game_of_two)(world)
    code = world.party.code
    page = (await world.party.store.public.create_ids("game", [code], world.party.clock()))[code]
    before, events = await all_seen(world, page), await first_events(world, page)
    assert {each.status for each in before.values()} == {200}, [each for each in before if before[each].status != 200]
    row = present(await world.party.store.games.get(code))
    await (secrets_of_a_team if team else secrets_of_two)(world, code)
    after = await all_seen(world, page)
    assert [path for path in before if after[path].body != before[path].body] == []
    assert [path for path in before if after[path].headers.get("ETag") != before[path].headers.get("ETag")] == []
    assert await first_events(world, page) == events
    for path, seen in after.items():
        for secret in (row.seed.encode(), code.encode()):
            assert secret not in seen.body, path
    assert not any(row.seed in each or code in each for each in events)


async def test_mistakes_are_explained_only_after_the_game(world: World, page: str) -> None:
    for text in ("b1-b2", "b5-b4", "b2-b3", "b4xb3"):
        await world.party.say(world.party.mover, f"/move {text}")
    code = world.party.code
    found = Analysis(((0.5, 0.5),) * 5, (CostlyChoice(3, 0, 0, ("b2-b3",), ("c1-c2",), 0.5, 0.1),), ())
    await world.party.store.analyses.store(code, found.to_json(), world.party.clock())
    before = (await world.get(f"/g/{page}?turn=3")).text
    assert "What the analysis says" not in before
    assert "decisive" not in before
    await world.resign()
    for language, words_of_it in (
        ("en", "stood at 50%; after b2-b3, the move played, at 10%"),
        ("it", "erano del 50%; dopo b2-b3, la mossa giocata, del 10%"),
    ):
        text = (await world.get(f"/g/{page}?turn=3&lang={language}")).text
        (said,) = re.findall(r'<aside class="mistake".*?</aside>', text, re.DOTALL)
        assert missing_from(said, "b2-b3", "c1-c2") == []
        assert words_of_it in re.sub(r"</?b>", "", said).replace("\xa0", " "), said
        assert '<aside class="mistake"' not in (await world.get(f"/g/{page}?turn=2&lang={language}")).text
    assert len(re.findall(r"</a> <strong>decisive</strong>", (await world.get(f"/g/{page}")).text)) == 1


@DRAWN
async def test_a_film_shows_every_turn_and_is_of_the_language_and_theme_asked_for(world: World, page: str) -> None:
    assert (await world.get(f"/g/{page}/film.gif")).status == 404, "nothing has been played"
    await world.move()
    await world.move()
    seen = await world.get(f"/g/{page}/film.gif?theme=dark")
    assert (seen.status, seen.headers["Content-Type"]) == (200, "image/gif")
    assert getattr(Image.open(io.BytesIO(seen.body)), "n_frames", 1) >= 3
