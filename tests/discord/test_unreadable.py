"""Events that discord.py cannot read are passed over alone; the connection goes on, or begins anew."""

from typing import Any, Final

import discord.state
import pytest
from structlog.testing import capture_logs

from bot.kernel.operations.listening import Listener
from storage import Store, Unreachable
from tests.discord.harness import Bot, Scene, list_pauses
from tests.fakes.discord.server import FakeDiscord
from tests.support.figures import figure
from tests.support.program import connection_state

UNREADABLE: Final[list[tuple[str, Any]]] = [
    ("INTERACTION_CREATE", {"id": "1", "type": 2, "data": {"name": "a secret"}}),
    ("INTERACTION_CREATE", {"id": "a secret"}),
    ("INTERACTION_CREATE", None),
    ("MESSAGE_CREATE", {"channel_id": "7", "content": "a secret"}),
    ("GUILD_CREATE", {"name": "a secret"}),
    ("GUILD_DELETE", ["a secret"]),
    ("CHANNEL_UPDATE", {}),
]
ENDING: Final = ["{", "[]", '{"op": 0, "t": ["x"]}', '{"op": 10, "d": null}', '{"op": 0, "t": "READY"}']


async def check_returns(scene: Scene) -> None:
    """See that the bot is connected, or soon is anew, and answers."""
    await scene.discord.until(lambda: scene.discord.gateway.connected, "the new connection")
    anna = scene.person("Anna")
    await scene.command(anna, "help")
    assert "/play" in anna.newest_private.text
    assert connection_state(scene.bot) == (True, False)


async def test_unreadable_events_are_skipped_logged_and_counted(scene: Scene) -> None:
    name = "tavoliere_unreadable_events_total"
    for event, data in UNREADABLE:
        before = figure(name, platform="discord", kind=event)
        with capture_logs() as logs:
            await scene.discord.gateway.mumble(event, data)
            await check_returns(scene)
        assert len(scene.discord.gateway.identified) == 1
        assert figure(name, platform="discord", kind=event) == before + 1
        (line,) = [each for each in logs if each["event"] == "event-not-readable"]
        assert (line["platform"], line["kind"], line["log_level"]) == ("discord", event, "error")
        assert "secret" not in str(logs)


async def test_in_a_server_that_cannot_be_read_commands_are_answered(discord: FakeDiscord, store: Store) -> None:
    scene = Scene(discord, Bot(discord, store))
    real = scene.guild.to_json

    def unreadable() -> dict[str, Any]:
        return {**real(), "channels": [{"id": scene.channel.id, "type": 0}]}

    scene.guild.to_json = unreadable  # type: ignore[method-assign]
    with capture_logs() as logs:
        await scene.bot.start()
        await check_returns(scene)
    assert [each["kind"] for each in logs if each["event"] == "event-not-readable"] == ["GUILD_CREATE"]
    await scene.bot.stop()


async def test_what_ends_the_connection_is_logged_and_it_begins_anew(scene: Scene) -> None:
    assert connection_state(scene.bot) == (True, False)
    for frame in ENDING:
        pauses = list_pauses(scene.bot.connection._session)
        with capture_logs() as logs:
            await scene.discord.gateway.garble(frame)
            await pauses.begun()
        (line,) = [each for each in logs if each["log_level"] == "error"]
        assert (line["event"], line["platform"]) == ("listener-failed", "discord"), frame
        assert connection_state(scene.bot) == (False, True), frame
        await scene.discord.until(lambda: not scene.discord.gateway.connected, "the end of the connection")
        pauses.end()
        await check_returns(scene)


async def test_unreadable_start_is_tried_after_growing_pauses(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = list_pauses(scene.bot.connection._session)
    with monkeypatch.context() as patched:

        def mistaken(*_: object) -> None:
            raise KeyError("user")

        patched.setattr(discord.state.ConnectionState, "parse_ready", mistaken)
        await scene.discord.gateway.garble("{")
        for _ in range(3):
            await pauses.begun()
            assert connection_state(scene.bot) == (False, True)
            pauses.end()
        await pauses.begun()
    assert pauses.asked == sorted(pauses.asked)
    pauses.end()
    await check_returns(scene)


async def test_a_broken_connection_is_none_until_it_is_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway, seen = scene.discord.gateway, list[tuple[bool, bool]]()
    lost, connected = Listener.lost, Listener.connected

    def losing(listener: Listener) -> None:
        lost(listener)
        seen.append(connection_state(scene.bot))

    def hearing(listener: Listener) -> None:
        connected(listener)
        seen.append(connection_state(scene.bot))

    monkeypatch.setattr(Listener, "lost", losing)
    monkeypatch.setattr(Listener, "connected", hearing)
    await gateway.drop()
    await check_returns(scene)
    assert gateway.resumed == 1
    assert seen == [(False, False), (True, False)]


async def test_a_login_without_the_database_does_not_end_the_bot(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = list_pauses(scene.bot.connection._session)

    async def fail(*_: object) -> None:
        raise Unreachable(reason="gone")

    with monkeypatch.context() as patched:
        patched.setattr("storage.key_values.KeyValues.get", fail)
        await scene.discord.gateway.garble("{")
        await pauses.begun()
        pauses.end()
        await pauses.begun()
        assert connection_state(scene.bot) == (False, False)
    pauses.end()
    await check_returns(scene)


async def test_revoked_token_is_reported(scene: Scene) -> None:
    session = scene.bot.connection._session
    pauses, task = list_pauses(session), session.listener._task
    assert task is not None
    with capture_logs() as logs, scene.discord.refusing(0):
        scene.discord.token = "another"
        await scene.discord.gateway.garble("{")
        await pauses.begun()
        pauses.end()
        await task
    assert "discord-token-refused" in [each["event"] for each in logs]
    assert connection_state(scene.bot) == (False, True)
