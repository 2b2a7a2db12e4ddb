"""What a link looks like in a chat: its picture, its OpenGraph tags, its oEmbed.

What is the same for all is made once, and what is drawn has its limits.
"""

import asyncio
import io
import re
import threading
from contextlib import AbstractAsyncContextManager
from itertools import cycle
from random import Random

import pytest
from PIL import Image

from bot.platforms.public import previews as drawing
from bot.platforms.public.answers import NothingToShow, SharedAnswers
from bot.platforms.public.pages import MAX_FILMS_AT_ONCE, Drawings
from engine import CHANCE, games
from render.preview import PreviewBoard, PreviewText, draw_preview, wrap_words
from render.theme import THEMES
from tests.public.world import ADDRESS, World
from tests.support.tiny import Tiny


async def test_the_page_says_how_a_link_to_it_looks(world: World, page: str) -> None:
    text = (await world.get(f"/g/{page}")).text
    found = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', text))
    assert found["title"].startswith("Annuvin: ")
    assert found["url"] == f"{ADDRESS}/g/{page}"
    assert (found["image:width"], found["image:height"]) == ("1200", "630")
    assert found["image:alt"]
    picture = await world.get(found["image"])
    assert picture.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert Image.open(io.BytesIO(picture.body)).size == (1200, 630)


async def test_a_preview_is_drawn_once_for_all_and_keeps_no_board_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, begun, go_on = [], asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slow(*given: object) -> Tiny:
        drawn.append(given)
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(60)
        return Tiny()

    monkeypatch.setattr(drawing, "draw_preview", slow)
    page = await world.shown_game()
    path = f"/g/{page}/preview.png"
    asked = [asyncio.create_task(world.get(f"{path}?lang={lang}")) for lang in ("en", "it") for _ in range(25)]
    try:
        async with asyncio.timeout(60):
            await begun.wait()
            # Previews have a limit of their own: one is drawn at a time, and boards do not wait for it.
            for theme in ("light", "dark"):
                assert (await world.get(f"/g/{page}/board.png?theme={theme}")).status == 200
        assert len(drawn) == 1
    finally:
        go_on.set()
    assert ({each.status for each in await asyncio.gather(*asked)}, len(drawn)) == ({200}, 2)


async def test_oembed_tells_of_a_game(world: World, page: str) -> None:
    embed = (await world.get(f"/oembed?url={ADDRESS}/g/{page}")).json
    assert (embed["version"], embed["type"], embed["width"], embed["height"]) == ("1.0", "photo", 1200, 630)
    assert embed["url"].startswith(f"{ADDRESS}/g/{page}/preview.png")
    small = (await world.get(f"/oembed?url={ADDRESS}/g/{page}&maxwidth=400")).json
    assert (small["type"], "url" in small) == ("link", False)
    for url in ("https://elsewhere.example/g/x", f"{ADDRESS}/g/", f"{ADDRESS}/g/{'A' * 22}", "no address", "//["):
        assert (await world.get(f"/oembed?url={url}")).status == 404, url
    assert (await world.get(f"/oembed?url={ADDRESS}/g/{page}&format=xml")).status == 501
    assert (await world.get(f"/oembed?url={ADDRESS}/g/{page}&maxwidth=wide")).status == 400


async def test_links_to_rules_and_profiles_have_pictures(world: World) -> None:
    page = await world.profile("anna")
    for path, title, language in ((f"/rules/{next(iter(games))}", "Annuvin", "en"), (f"/p/{page}", "Anna", "it")):
        text = (await world.get(f"{path}?lang={language}")).text
        found = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', text))
        assert found["image:alt"]
        picture = await world.get(found["image"].replace("&amp;", "&"))
        assert (picture.status, Image.open(io.BytesIO(picture.body)).size) == (200, (1200, 630)), path
        embed = (await world.get(f"/oembed?url={ADDRESS}{path}&lang={language}")).json
        assert embed["type"] == "photo"
        assert embed["title"].startswith(f"{title} – "), embed
        assert (await world.get(embed["url"])).status == 200
    await world.party.say("anna", "/settings profile:hidden")
    for path in (f"/p/{page}/preview.png", f"/oembed?url={ADDRESS}/p/{page}"):
        assert (await world.get(path)).status == 410, path
    for path in ("/rules/chess/preview.png", f"/oembed?url={ADDRESS}/rules/chess"):
        assert (await world.get(path)).status == 404, path


def test_sentences_of_a_preview_end() -> None:
    short, long = (
        "Anna has won.",
        "Anna has won by seven points to five, which nobody had expected after the first round.",
    )
    assert wrap_words(short, 480, 102) == ([short], 34)
    lines, size = wrap_words(f"{long} {short}", 480, 136)
    assert " ".join(lines) == f"{long} {short}"
    assert size >= 27
    lines, _ = wrap_words(" ".join([long] * 3), 480, 102)
    assert " ".join(lines) == long
    lines, _ = wrap_words(long * 3, 480, 102)
    assert len(lines) == 3
    assert lines[-1].endswith(" …")
    assert wrap_words("", 480, 102)[0] == []


@pytest.mark.parametrize(("key", "theme"), list(zip(games, cycle(THEMES), strict=False)))
def test_nothing_of_a_board_is_cut_off_in_a_preview_with_any_names(key: str, theme: str) -> None:
    """Around the board there is only paper."""
    names = ("Anna", "x" * 80, "名前 \U0001f600", "", "<b>")
    text = PreviewText(key, "It is Anna's turn. " * 9, "Puzzle" * 4, "Tavoliere · " + "games." * 20)
    rng, paper = Random(4), THEMES[theme].paper
    for seats in {games[key].seats[0], games[key].seats[-1]}:
        state = games[key].start(seats)
        while state.outcome is None and (state.to_move == CHANCE or state.turn < 30):
            state = state.play(state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng))
        drawn = draw_preview(PreviewBoard(state, None, names[:seats]), text, theme)
        assert (drawn.size, len(drawn.png) < 200_000) == ((1200, 630), True)
        left = Image.open(io.BytesIO(drawn.png)).convert("RGB").crop((0, 0, 630, 630))
        edges = [(0, 0, 630, 24), (0, 606, 630, 630), (0, 0, 24, 630), (606, 0, 630, 630)]
        for edge in edges:
            assert left.crop(edge).getcolors() == [((edge[2] - edge[0]) * (edge[3] - edge[1]), paper)], theme


LONG = 10.0**9


async def test_a_thousand_readers_cost_one_answer() -> None:
    answers, made, go_on = SharedAnswers(LONG), list[int](), asyncio.Event()

    async def make() -> bytes:
        made.append(1)
        await go_on.wait()
        return b"x"

    readers = [asyncio.create_task(answers.get("a", make)) for _ in range(1000)]
    await asyncio.sleep(0)
    readers[0].cancel()
    go_on.set()
    found = await asyncio.gather(*readers, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert set(found[1:]) == {b"x"}, "who gives up takes it from nobody"
    assert (await answers.get("a", make), len(made), await answers.get("b", make)) == (b"x", 1, b"x")
    assert len(made) == 2


async def test_failed_answers_are_not_cached() -> None:
    answers, tries = SharedAnswers(LONG), list[int]()

    async def fail() -> bytes:
        tries.append(1)
        raise NothingToShow("gone")

    found = await asyncio.gather(*(answers.get("a", fail) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(each, NothingToShow) for each in found)
    assert len(tries) == 1
    with pytest.raises(NothingToShow):
        await answers.get("a", fail)
    assert len(tries) == 2


async def test_the_world_has_one_place_in_the_queue_of_films_and_no_more_wait_than_its_limit(
    world: World, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.move()
    filming, go_on, most = list[int](), asyncio.Event(), list[int]()
    artist = world.party.front.context.artist
    show = artist.show

    async def slow(*given: object, **named: object) -> object:
        filming.append(1)
        most.append(len(filming))
        await go_on.wait()
        try:
            return await show(*given, **named)  # type: ignore[arg-type]
        finally:
            filming.pop()

    monkeypatch.setattr(artist, "show", slow)
    get = Drawings.get
    limited = Drawings(at_once=MAX_FILMS_AT_ONCE, waiting=1)
    take_turn, asked, both_inside = limited._limit.turn, list[int](), asyncio.Event()

    def turn() -> AbstractAsyncContextManager[bool]:
        asked.append(1)
        if len(asked) == 2:
            both_inside.set()
        return take_turn()

    monkeypatch.setattr(limited._limit, "turn", turn)
    monkeypatch.setattr(Drawings, "get", lambda _, key, draw: get(limited, key, draw))
    paths = [f"/g/{page}/film.gif?theme={theme}" for theme in ("light", "dark")]
    waiting = [asyncio.create_task(world.get(path)) for path in paths for _ in range(5)]
    async with asyncio.timeout(60):
        await both_inside.wait()
        refused = await world.get(f"/g/{page}/film.gif?theme=contrast")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        go_on.set()
        assert {each.status for each in await asyncio.gather(*waiting)} == {200}
    assert (max(most), (await world.get(f"/g/{page}/film.gif?theme=contrast")).status) == (1, 200)
