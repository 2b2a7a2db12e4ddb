"""Events that discord.py cannot read are passed over alone: the connection goes on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.harness import Scene


@pytest.mark.parametrize(
    ("event", "data"),
    [
        ("INTERACTION_CREATE", {"id": "1", "type": 2}),
        ("MESSAGE_CREATE", {"channel_id": "7"}),
        ("GUILD_CREATE", {"name": "Friends"}),
        ("CHANNEL_UPDATE", {}),
        ("INTERACTION_CREATE", None),
    ],
)
async def test_what_cannot_be_read_is_passed_over(scene: Scene, event: str, data: Any) -> None:
    anna = scene.person("Anna")
    session = scene.discord.gateway.session
    assert session is not None
    await scene.discord.gateway._tell(session, event, data)
    await scene.command(anna, "help")
    assert "/play" in anna.told.text
    assert len(scene.discord.gateway.identified) == 1
