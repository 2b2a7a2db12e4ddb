"""Pages of puzzles, rules, cups and players, the list of games, and what robots may read."""

import re
from io import BytesIO
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
from PIL import Image

from bot.kernel.requests import GameLink
from bot.platforms.public.site import ANSWERS_PER_MINUTE, PREFIXES
from engine import games
from storage import NewTitle
from tests.bot.party import Recorder
from tests.public.world import ADDRESS, DRAWN, PROXIED, World
from tests.support.present import present


@DRAWN
@pytest.mark.parametrize("key", list(games))
async def test_rules_pages_of_every_game_have_pictures(world: World, key: str) -> None:
    for language in ("en", "it"):
        text = (await world.get(f"/rules/{key}?lang={language}")).text
        assert f'<html lang="{language}">' in text
        assert len(re.findall(r"<img ", text)) >= 3
    picture = await world.get(f"/rules/{key}/1.png?theme=contrast")
    assert (picture.status, picture.body[:4]) == (200, b"\x89PNG")
    assert (await world.get(f"/rules/{key}/99.png")).status == 404
    assert (await world.get("/rules/chess")).status == 404


async def test_a_puzzle_keeps_its_solution_until_its_date_is_over_everywhere(world: World) -> None:
    world.party.clock.turn(days=5, minutes=-1)  # 26 November 2026, just before noon in UTC
    day = "/puzzle/2026-11-25"
    assert "The solution stands here once" in (await world.get(day)).text
    for path, status in ((f"{day}/solution.png", 404), ("/api/v1/puzzles/2026-11-25", 404), (f"{day}/board.png", 200)):
        assert (await world.get(path)).status == status, path
    world.party.clock.turn(minutes=1)
    assert (await world.get("/api/v1/puzzles/2026-11-25")).json["date"] == "2026-11-25"
    assert (await world.get("/api/v1/puzzles/2026-11-26")).status == 404
    text = (await world.get(day)).text
    assert (f"{day}?solution=" in text, "The solution</h2>" in text) == (True, False), "it is asked for"
    assert '<h2 id="solution">The solution</h2>' in (await world.get(f"{day}?solution=")).text
    assert (await world.get(f"{day}/solution.png?theme=dark")).status == 200
    assert (await world.get("/puzzle/2026-11-27")).status == 200, "somewhere it is the 27th already"
    for none in ("2026-11-28", "2026-11-22", "2026-13-01", "2026-W48-3", "tomorrow"):
        assert (await world.get(f"/puzzle/{none}")).status == 404, none


async def test_a_puzzles_address_says_only_what_can_have_been_played(world: World) -> None:
    world.party.clock.turn(days=5)
    page = "/puzzle/2026-11-26"
    for path in (page, f"{page}/board.png"):
        solve = "?solve=&" if path.endswith("png") else "?"
        for wrong in ("played=zzz", "at=zzz", f"at={'a.' * 60}", "played=", "&".join(["played=a"] * 40)):
            assert (await world.get(f"{path}{solve}{wrong}")).status == 400, wrong
    first = present(re.search(r'<a rel="nofollow" data-step="1" href="([^"]*)"', (await world.get(page)).text))[1]
    answered = await world.get(first.replace("&amp;", "&"))
    assert (answered.status, 'content="noindex"' in answered.text) == (200, True)
    board = present(re.search(r'<img src="(/puzzle/[^"]*)"', answered.text))[1].replace("&amp;", "&")
    assert (await world.get(board)).body[:4] == b"\x89PNG"


@PROXIED
async def test_one_address_solves_so_fast_and_others_go_on(world: World) -> None:
    path = "/puzzle/2026-11-21?at=zzz"
    for _ in range(ANSWERS_PER_MINUTE):
        assert (await world.get(path, X_Forwarded_For="203.0.113.7")).status != 429
    assert (await world.get(path, X_Forwarded_For="203.0.113.7")).status == 429
    assert (await world.get("/g/", X_Forwarded_For="203.0.113.7")).status == 200, "other pages are read on"
    assert (await world.get(path, X_Forwarded_For="203.0.113.8")).status != 429


@DRAWN
async def test_games_are_a_gallery_of_small_boards_with_who_has_won(world: World) -> None:
    assert "There is none yet." in (await world.get("/g/")).text
    first = await world.shown_game()
    await world.move()
    loser = world.party.mover
    await world.resign()
    winner = {"anna": "Bruno", "bruno": "Anna"}[loser]
    world.party.clock.turn(minutes=1)
    second = await world.shown_game("/play real-queen @bruno")
    text = (await world.get("/g/")).text
    assert text.index(f'href="/g/{second}"') < text.index(f'href="/g/{first}"'), "newest first"
    assert f"won by {winner}" in text
    assert "goes on" in text
    small = present(re.search(rf'src="(/g/{first}/small\.png[^"]*)"', text))[1].replace("&amp;", "&")
    picture = await world.get(small)
    assert (picture.status, Image.open(BytesIO(picture.body)).width) == (200, 320)
    assert (await world.get(small, If_None_Match=picture.headers["ETag"])).status == 304
    only = (await world.get("/g/?game=real-queen")).text
    assert (second in only, first in only) == (True, False)
    assert 'href="/g/?game=real-queen" aria-current="true"' in only
    for query in ("game=chess", f"cursor={'A' * 22}"):
        assert (await world.get(f"/g/?{query}")).status == 404, query
    await world.allow("off")
    assert first not in (await world.get("/g/")).text
    assert (await world.get(small)).status == 410


async def test_the_page_of_the_day_has_its_puzzle_and_the_newest_games(world: World) -> None:
    world.party.clock.turn(days=5)
    page = await world.shown_game()
    assert page not in (await world.get("/puzzle/")).text, "a game that goes on is for another page"
    await world.move()
    await world.resign()
    text = (await world.get("/puzzle/")).text
    day = present(re.search(r'href="(/puzzle/[0-9-]{10})"', text))[1]
    assert (await world.get(day)).status == 200
    assert (await world.get(f"{day}/board.png")).status == 200
    assert f'href="/g/{page}"' in text


class Bot(Recorder):
    """A bot that can be opened by a link."""

    def game_link(self, code: str) -> GameLink | None:
        return GameLink(f"https://t.me/a_bot{code}")


async def test_every_page_leads_to_a_game_of_ones_own(world: World, page: str) -> None:
    world.party.clock.turn(days=5)
    paths = ("/g/", f"/g/{page}", "/puzzle/", "/rules/annuvin")
    for path in paths:
        assert "Play here" not in (await world.get(path)).text, "the chat page is not published"
    context = world.party.front.context
    context.is_chat_public = True
    context.adapters["telegram"] = Bot()
    world.party.clock.turn(minutes=1)
    for path in paths:
        text = (await world.get(f"{path}?lang=it")).text
        assert f'<a class="way" href="{ADDRESS}/">Gioca qui</a>' in text
        assert '<a class="way" href="https://t.me/a_bot">Gioca su Telegram</a>' in text


async def test_a_player_who_wants_it_has_a_page(world: World, page: str) -> None:
    assert "/p/" not in (await world.get(f"/g/{page}")).text
    assert all(each["player"] is None for each in (await world.get(f"/api/v1/games/{page}")).json["players"])
    await world.party.say("anna", "/settings profile:public")
    found = present(re.search(r'href="(/p/([A-Za-z0-9_-]{22}))"', (await world.get(f"/g/{page}")).text))
    profile = await world.get(found[1])
    assert (profile.status, "<h1>Anna</h1>" in profile.text, page in profile.text) == (200, True, True)
    players = (await world.get(f"/api/v1/games/{page}")).json["players"]
    assert [each["player"] for each in players if each["name"] == "Anna"] == [found[2]]
    assert [each["id"] for each in (await world.get(f"/api/v1/games?player={found[2]}")).json["items"]] == [page]
    (anna,) = await world.party.store.people.find("anna")
    won = [NewTitle(anna.id, "league", key, "LEAGUE", "3") for key in ("annuvin", "no-longer-installed")]
    await world.party.store.titles.award(won, world.party.clock())
    world.party.clock.turn(minutes=1)
    await world.party.say("bruno", "/settings theme:dark")  # whatever people change renews the pages
    assert "<b>Seasons won:</b> 1 (Annuvin 1)" in (await world.get(found[1])).text
    assert "<b>Stagioni vinte:</b> 1 (Annuvin 1)" in (await world.get(f"{found[1]}?lang=it")).text
    data = (await world.get(f"/api/v1/players/{found[2]}")).json
    assert (data["name"], [each["game"] for each in data["titles"]]) == ("Anna", ["annuvin", "no-longer-installed"])
    await world.party.say("anna", "/settings profile:auto")
    for path in (found[1], f"/api/v1/players/{found[2]}", f"/api/v1/games?player={found[2]}"):
        assert (await world.get(path)).status == 410, path


async def test_robots_file_allows_public_pages_only(world: World) -> None:
    robots = RobotFileParser()
    robots.parse((await world.get("/robots.txt")).text.splitlines())
    for path in ("/g/", "/puzzle/2026-11-25", "/rules/annuvin", "/cup/x", "/league/x", "/ladder/x", "/p/x"):
        assert robots.can_fetch("bot", ADDRESS + path), path
    for path in ("/", "/api/v1/games", "/api/me", "/healthz", "/boards/x.png"):
        assert not robots.can_fetch("bot", ADDRESS + path), path


def test_the_proxies_that_we_describe_hand_on_every_path() -> None:
    root = Path(__file__).parents[2]
    for name, form in (("compose.yaml", " {}*"), ("compose.scale.yaml", " {}*"), ("docs/operations.md", "`{}`")):
        text = (root / name).read_text("utf-8")
        for prefix in PREFIXES:
            assert form.format(prefix).removesuffix("*" if prefix == "/robots.txt" else "") in text, (name, prefix)
