"""The allowance for all requests of a bot, however long they are under way and however many processes share it."""

import asyncio

import pytest
import yarl

from bot.platforms.discord import connection
from bot.platforms.discord.connection import GlobalRateLimiter, is_rate_limited


async def taken(tasks: list[asyncio.Task[None]]) -> int:
    """Return how many may go on, once everybody has asked."""
    for _ in range(10):
        await asyncio.sleep(0)
    return sum(task.done() for task in tasks)


@pytest.mark.parametrize(("processes", "most"), [(1, 6), (2, 3), (4, 1), (100, 1)])
async def test_requests_and_processes_share_limits(monkeypatch: pytest.MonkeyPatch, processes: int, most: int) -> None:
    monkeypatch.setattr(connection, "RATE_LIMIT_REQUESTS", 6)
    monkeypatch.setattr(connection, "RATE_LIMIT_WINDOW_SECONDS", 3600.0)
    shared = GlobalRateLimiter(lambda: processes)
    tasks = [asyncio.create_task(shared.acquire()) for _ in range(8)]
    assert await taken(tasks) == most
    # An answer that has just come counts for as long as it may take another request to arrive.
    shared.release()
    assert await taken(tasks) == most
    monkeypatch.setattr(connection, "RATE_LIMIT_WINDOW_SECONDS", 0.0)
    shared.release()
    assert await taken(tasks) > most
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    ("path", "counted"),
    [
        ("/api/v10/channels/1/messages", True),
        ("/api/v10/users/@me", True),
        ("/api/v10/interactions/1/token/callback", False),
        ("/api/v10/webhooks/1/token/messages/@original", False),
        ("/gateway/", False),
        ("/", False),
    ],
)
def test_answers_to_interactions_do_not_count(path: str, *, counted: bool) -> None:
    assert is_rate_limited(yarl.URL(f"https://discord.com{path}")) is counted
