"""Updates that the library cannot read are passed over, alone and once: nobody else's wait for them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.telegram.harness import Scene

BROKEN: list[dict[str, Any]] = [
    {"callback_query": {"id": "1", "data": "x"}},
    {"callback_query": "a press"},
    {"message": {"message_id": 1, "date": "yesterday", "chat": {"id": 1, "type": "private"}}},
    {"my_chat_member": {"chat": {"id": 1, "type": "private"}}},
]


@pytest.mark.parametrize("broken", BROKEN, ids=str)
async def test_what_cannot_be_read_is_passed_over(scene: Scene, broken: dict[str, Any]) -> None:
    anna = scene.person("Anna")
    await scene.bot.settle()
    await scene.telegram.deliver({"update_id": 700_000_000, **broken})
    await scene.say(anna, "/help")
    assert len(scene.shown) == 1
