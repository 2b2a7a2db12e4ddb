"""Pages of cups, leagues and ladders, and what the interface gives of them."""

import asyncio
import io
import re
from typing import Any

import pytest
from PIL import Image

from bot.platforms.public.previews import example_board
from engine import games
from render.charts import Emblem
from render.preview import MAX_ROWS, PreviewRow, PreviewText, draw_table_preview
from render.theme import THEMES
from tests.bot.cups import HALL, make_competition
from tests.bot.party import words
from tests.public.everything import Pages, everything
from tests.public.test_taken_back import forget
from tests.public.world import ADDRESS, API, World
from tests.support.comparing import missing_from
from tests.support.present import present

KINDS = ("cup", "league", "ladder")


def addresses_of(kind: str, page: str) -> list[str]:
    """Return all addresses under which something of a competition is shown."""
    own = f"/{kind}/{page}"
    return [
        own, f"{own}?lang=it", f"{own}/table.png", f"{own}/preview.png", f"{API}/{kind}s/{page}",
        f"{API}/games?{kind}={page}", f"/oembed?url={ADDRESS}{own}",
    ]  # fmt: skip


async def check_words(world: World, pages: Pages) -> None:
    """What is written on the pages, in both languages, and that no code that joins is among it."""
    league, scala = (await world.get(f"/league/{pages.league}")).text, (await world.get(f"/ladder/{pages.ladder}")).text
    season = "Season 1, until Dec 21, 2026 12:00 UTC, games over: 1 of 10"  # two have a block between them
    said = ("<h1>League: Annuvin, 1 day a turn</h1>", season, "1 waits for the next season: Fido")
    assert missing_from(league, *said) == []
    assert len(re.findall(r'<th scope="row">', league)) == 5
    assert f'<a href="/p/{pages.player}">Anna</a>' in league
    assert "Dino has challenged Anna" in scala
    assert re.search(r'<a href="/g/[^"]{22}">Elsa plays Bruno for place 2</a>', scala)
    league, scala = [(await world.get(f"{pages.paths[kind]}?lang=it")).text for kind in ("league", "ladder")]
    assert "<h1>Campionato: Annuvin, 1 giorno a mossa</h1>" in league
    assert "Elsa gioca con Bruno per il posto 2" in scala
    for kind in KINDS:
        page, listed = getattr(pages, kind), (await world.get("/g/")).text
        assert f'href="/{kind}/{page}"' in listed
        for path in addresses_of(kind, page):
            seen = await world.get(path)
            assert seen.status == 200, path
            assert all(code.encode() not in seen.body for code in pages.codes.values()), path
            assert (await world.get(path, If_None_Match=seen.headers["ETag"])).status == 304, path
        og = re.search(r'<meta property="og:image" content="([^"]+)">', (await world.get(f"/{kind}/{page}")).text)
        assert Image.open(io.BytesIO((await world.get(present(og)[1].replace("&amp;", "&"))).body)).size == (1200, 630)
        assert (await world.get(f"/oembed?url={ADDRESS}/{kind}/{page}")).json["type"] == "photo"
        for other in set(KINDS) - {kind}:
            assert (await world.get(f"/{other}/{page}")).status == 404
            assert (await world.get(f"{API}/{other}s/{page}")).json["status"] == 404
            assert (await world.get(f"{API}/games?{other}={page}")).status == 404


async def check_addresses(world: World, pages: Pages, *, shown: bool) -> None:
    """The button Table, and the profile of who wants a page, tell where the page is, as long as it may be shown."""
    party = world.party
    for kind in KINDS:
        said = words(await party.press("cora", f"{kind}=table.{pages.codes[kind]}"))
        address = f"It has a page that anybody can read: {ADDRESS}/{kind}/{getattr(pages, kind)}"
        assert (address in said) == shown, said
    said = words(await party.say("cora", "/profile @anna"))
    assert f"A page that anybody can read: {ADDRESS}/p/{pages.player}" in said
    assert ADDRESS not in words(await party.say("anna", "/profile @cora"))


async def check_data(world: World, pages: Pages) -> None:
    """What the interface gives of them is as its description says."""
    schema = await world.description()

    def validate() -> dict[str, Any]:
        found = {}
        for kind in KINDS:
            case = schema[f"/{kind}s/{{id}}"]["GET"].Case(path_parameters={"id": getattr(pages, kind)})
            found[kind] = case.call_and_validate(base_url=f"{world.address}{API}").json()
        return found

    found = await asyncio.to_thread(validate)
    cup, text = found["cup"], (await world.get(f"/cup/{pages.cup}")).text
    assert ("<table>" in text, "table.png" in text, len(cup["table"])) == (True, False, 4), "a table is shown once"
    paired = [pairing["game"] for each in cup["rounds"] for pairing in each["pairings"]]
    for game in paired:
        assert f'href="/cup/{pages.cup}"' in (await world.get(f"/g/{game}")).text
    (division,) = found["league"]["season"]["divisions"]
    assert {each["name"] for each in division["table"]} == {"Anna", "Bruno", "Cora", "Dino", "Elsa"}
    assert [each["name"] for each in found["league"]["queue"]] == ["Fido"]
    games = [each["game"] for each in division["pairings"]]
    assert all(games)
    assert [2, 4] not in [sorted(each["entrants"]) for each in division["pairings"]]  # Cora has blocked Elsa
    listed = (await world.get(f"{API}/games?league={pages.league}")).json["items"]
    assert {each["id"] for each in listed} == set(games)
    assert f'href="/league/{pages.league}"' in (await world.get(f"/g/{games[0]}")).text
    assert [each["name"] for each in found["ladder"]["places"]] == ["Anna", "Bruno", "Cora", "Dino", "Elsa"]
    accepted, waiting = found["ladder"]["challenges"]
    assert (accepted["accepted"], waiting["accepted"], waiting["game"]) == (True, False, None)
    assert f'href="/ladder/{pages.ladder}"' in (await world.get(f"/g/{accepted['game']}")).text


async def check_that_nobody_learns_of_blocks(world: World, pages: Pages) -> None:
    """Of two who have a block between them both stand in the tables, and nothing says that they do not meet."""
    for kind in ("league", "ladder"):
        for path in (pages.paths[kind], f"{pages.paths[kind]}?lang=it", f"{API}/{kind}s/{getattr(pages, kind)}"):
            text = (await world.get(path)).text
            assert missing_from(text, "Cora", "Elsa") == [], path
            assert not re.search(r"(?i)block|blocc|void", text), path


async def test_competition_pages_omit_the_hidden_and_can_vanish(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = await everything(world, monkeypatch)
    await check_words(world, pages)
    await check_data(world, pages)
    await check_addresses(world, pages, shown=True)
    await check_that_nobody_learns_of_blocks(world, pages)

    # Who hides, and who is forgotten, has no name there; their games are gone.
    paths = [path for kind in KINDS for path in addresses_of(kind, getattr(pages, kind)) if "/games" not in path]
    before = {path: await world.get(path) for path in paths}
    await world.party.say("dino", "/settings profile:hidden")
    await forget(world, "bruno")
    for path, seen in before.items():
        now = await world.get(path, If_None_Match=seen.headers["ETag"])
        said = "" if path.endswith(".png") else now.text
        assert now.status == (304 if path.startswith("/oembed") else 200), path
        assert "Dino" not in said, path
        assert "Bruno" not in said, path
    league = (await world.get(f"{API}/leagues/{pages.league}")).json
    assert [each["name"] for each in league["season"]["divisions"][0]["table"]].count(None) == 2
    for each in league["season"]["divisions"][0]["pairings"]:
        shown = not {1, 3} & set(each["entrants"])  # the numbers of Bruno and Dino
        assert (each["game"] is not None) == shown, each

    # A second league, so that the list has two pages.
    world.party.clock.turn(minutes=1)
    second = await make_competition(world.party, "/league annuvin clock:1d")
    first = (await world.get(f"{API}/leagues?limit=1")).json
    rest = (await world.get(f"{API}/leagues?limit=1&cursor={first['next']}")).json
    assert [each["members"] for each in first["items"]] == [0]
    assert [each["id"] for each in rest["items"]] == [pages.league]
    assert rest["next"] is None
    empty = first["items"][0]["id"]
    assert "The season begins as soon as 5 people are in." in (await world.get(f"/league/{empty}")).text
    assert (await world.get(f"/league/{empty}/table.png")).status == 404
    assert (await world.get(f"{API}/leagues?cursor={'A' * 22}")).status == 404

    # One more place that shows it and has not agreed is enough; the other league stays.
    hall = await world.party.store.places.get_or_create("web", HALL.channel, "")
    await world.party.store.competitions.add_place(second, hall.id, world.party.clock())
    assert {(await world.get(path)).status for path in addresses_of("league", empty)} == {410}
    assert [each["id"] for each in (await world.get(f"{API}/leagues")).json["items"]] == [pages.league]

    await world.allow("off")
    for kind in KINDS:
        for path in addresses_of(kind, getattr(pages, kind)):
            gone = await world.get(path, If_None_Match=before[path].headers["ETag"] if path in before else "x")
            assert gone.status == 410, path
            if path.startswith(API):
                assert gone.headers["Content-Type"].startswith("application/problem+json")
        assert (await world.get(f"{API}/{kind}s")).json == {"items": [], "next": None}
    assert "/league/" not in (await world.get("/g/")).text
    await check_addresses(world, pages, shown=False)


def test_table_previews_fit_any_names() -> None:
    board = example_board(next(iter(games)))
    names = ("Anna", "x" * 80, "名前 \U0001f600", "", "<b>", "y", "left out")
    rows = [PreviewRow("" if number == 3 else str(number), name, "5½") for number, name in enumerate(names, start=1)]
    pictures = []
    for some, theme in zip((rows, rows[:1], []), THEMES, strict=True):
        text = PreviewText("A game", "It is season 12. " * 9, "League", "Tavoliere · games.example")
        drawn = draw_table_preview(board, text, some, (Emblem("month", 12),) if some else (), theme)
        assert drawn.size == (1200, 630)
        assert len(drawn.png) < 200_000
        pictures.append(drawn.png)
    most = draw_table_preview(board, text, rows[:MAX_ROWS], (Emblem("month", 12),), next(iter(THEMES)))
    assert most.png == pictures[0]
