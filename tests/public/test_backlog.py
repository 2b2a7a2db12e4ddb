"""A webhook behind with very many games: none is left out, however many wait."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from bot.platforms.webhooks import job as job_module
from storage import Store, StoredWebhook, WebhookCursor
from storage.message_schema import webhook_cursors
from storage.schema import game_places, games
from tests.bot.party import Party
from tests.public.world import ADDRESS
from tests.support.present import present
from tests.support.stores import START, make_place, some_people, store_game


@pytest.mark.parametrize("waiting", [120, pytest.param(12_000, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_none_of_very_many_games_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch, waiting: int) -> None:
    place, people = await make_place(store), await some_people(store, "Ada", "Bob")
    game = await store_game(store, place, people)
    present(await store.webhooks.create(place.id, "https://hook.example/x", "whsec_AA", people[0].id, START, 5))
    async with store._database.transaction() as connection:
        stored = dict((await connection.execute(select(games).where(games.id == game.id))).mappings().one())
        for number in range(waiting):
            at = START + timedelta(minutes=number)
            values = {"id": f"{number:06d}", "created_at": at, "started_at": at, "updated_at": at}
            await connection.execute(insert(games).values(**stored | values))
            shown = {"place": place.id, "game": values["id"], "live": False}
            await connection.execute(insert(game_places).values(**shown))
    asked: list[str] = []

    async def tell(_context: Any, hook: StoredWebhook, subject: str, _cursor: Any) -> WebhookCursor:
        asked.append(subject)
        return WebhookCursor(hook.id, subject, 1_000_000, 1, over=True)

    monkeypatch.setattr(job_module, "next_message", tell)
    async with Party(store, web_address=ADDRESS) as party:
        await party.front.jobs["webhooks"].run_until_idle()
    assert asked == [f"game:{number:06d}" for number in range(waiting)], "those that changed first before others, once"
    async with store._database.read_autocommit() as connection:
        delivered = (await connection.execute(select(func.count()).select_from(webhook_cursors))).scalar_one()
    assert delivered == waiting
