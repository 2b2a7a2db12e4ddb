"""Hostile people at the real program: whatever they send, nobody else's game changes and nothing unexpected happens."""

import random
from contextlib import AsyncExitStack
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.kernel.cards import Card
from bot.kernel.operations.clock import Clock
from bot.kernel.requests import Place, Request, User
from bot.kernel.texts import Texts
from bot.platforms.app import COMMANDS
from bot.platforms.web.request_guard import MAX_BODY_BYTES
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.bot.party import Party, buttons
from tests.hostile import mutants
from tests.support.present import present
from tests.web.browser import Browser
from tests.web.front import serve_page

LONG = [pytest.mark.full, pytest.mark.timeout(1800)]
UNEXPECTED = {
    *("request-failed", "broken-game", "delivery-failed", "post-delivery-failed", "job-failed"),
    *("completion-failed", "missing-text"),
}


def problems(logs: list[Any]) -> list[Any]:
    return [entry for entry in logs if entry["event"] in UNEXPECTED]


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=LONG)])
async def test_strangers_change_no_game(party: Party, count: int) -> None:
    code = await party.started()
    await party.started("/play uomo-nero @bruno")
    games = {game: await party.store.games.get(game) for game in (code, party.code)}
    presses = [entry.press for shown in party.shown for entry in buttons(shown.card)]
    lines = [f"/{name} {game}" for name in sorted(COMMANDS) if name != "play" for game in (code, "", "b1-b2")]
    rng = random.Random(count)
    with capture_logs() as logs:
        for number in range(count):
            name, language = mutants.mutate_text(rng, ["Eve", "Anna", "Bruno"]), rng.choice(["en", "it", "xx"])
            user = User("web", f"eve{number % 3}", name, language)
            message = rng.choice([None, "m1", "m2", "m99", "zzz"])
            request = Request(f"hostile-{number}", user, Place("web", rng.choice(["room", "elsewhere"])), message)
            if rng.random() < 0.5:
                reply = await party.front.press(request, mutants.mutate_text(rng, presses))
            else:
                reply = await party.front.typed_text(request, mutants.mutate_text(rng, lines))
            assert reply.card is None or isinstance(reply.card, Card)
    assert problems(logs) == []
    for game, row in games.items():
        now = present(await party.store.games.get(game))
        assert row is not None
        assert (now.position, now.seats, now.status) == (row.position, row.seats, row.status)


@pytest.mark.parametrize("count", [100, pytest.param(5_000, marks=LONG)])
async def test_players_typing_nonsense_never_break_their_game(party: Party, count: int) -> None:
    codes = [await party.started()]
    rng = random.Random(count)
    people = ["anna", "bruno"]
    with capture_logs() as logs:
        for _ in range(count):
            front = party.front
            table = await front.context.table(codes[-1])
            if table.row.status == "over":
                codes.append(await party.started())
                continue
            moves = [action.text for action in list(table.playing.state.legal_actions())[:20]]
            request = party.request(rng.choice(people), message=rng.choice([None, "m1", "m2"]))
            await front.typed_text(request, mutants.mutate_text(rng, [*moves, "/undo", "/draw", "/board", "/hint"]))
    assert problems(logs) == []
    for code in codes:
        table = await party.table(code)
        assert table.row.revision == len(await party.store.games.events(code))


@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=LONG)])
async def test_requests_to_the_page(store: Store, count: int) -> None:
    rng = random.Random(count)
    bodies: dict[str, dict[str, Any]] = {
        "/api/names": {"name": "Eve", "language": "en"},
        "/api/manage": {"secret": "x" * 43},
        "/api/say": {"text": "/play annuvin @bruno", "event": "abcdefgh1", "as": "1", "language": "it", "answers": 1},
        "/api/press": {"message": 1, "press": "join:K7QF22:2", "event": "abcdefgh2", "as": "1"},
        "/api/dismiss": {"message": 1, "event": "abcdefgh3", "as": "1"},
        "/api/complete": {"text": "/move b1", "as": "1", "language": "en"},
    }
    with capture_logs() as logs:
        async with AsyncExitStack() as stack:
            party = await stack.enter_async_context(Party(store))
            page = serve_page(party.front, store, Texts(), ChatRoom(store, Clock()))
            server = await stack.enter_async_context(page)
            browser = await stack.enter_async_context(Browser(server.address))
            anna = await browser.name("Anna")
            await anna.say("hello")
            shown = await anna.sees()
            stranger = await stack.enter_async_context(Browser(server.address))
            for number in range(count):
                path = rng.choice(sorted(bodies))
                sent: Any = mutants.mutate_tree(rng, {**bodies[path], "event": f"event{number:08}"})
                if rng.random() < 0.1:
                    text = mutants.mutate_text(rng, ['{"text": "x"}', "[" * 3000, '{"a":' * 500])
                    sent = text.encode(errors="replace")
                elif rng.random() < 0.02:
                    sent = {"text": "x" * (MAX_BODY_BYTES + 1)}
                answer = await (browser if path == "/api/complete" else stranger).post(path, sent)
                assert answer.status < 500, (path, sent, answer.data)
                if answer.status >= 400:
                    assert answer.refusal
            assert [message["id"] for message in await anna.sees()][: len(shown)] == [each["id"] for each in shown]
    assert problems(logs) == []
