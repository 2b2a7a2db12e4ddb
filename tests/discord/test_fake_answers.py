"""The fake Discord refuses what the real one refuses: answers to interactions, limits, commands, the gateway."""

from typing import Any, Final

import aiohttp
import pytest

from tests.discord.raw import Client, callback
from tests.fakes.discord.answering import CHOICES, DEFERRED, DEFERRED_UPDATE, MESSAGE, UPDATE
from tests.fakes.discord.schema import Json, operation, problems, spec


@pytest.mark.parametrize(
    ("kind", "answer"), [(2, DEFERRED_UPDATE), (2, UPDATE), (2, CHOICES), (3, CHOICES), (4, DEFERRED), (4, MESSAGE)]
)
async def test_answers_must_fit(client: Client, kind: int, answer: int) -> None:
    interaction = await client.interaction(kind, await client.said({"content": "x"}))
    data: Json = {"choices": []} if answer == CHOICES else {"content": "x"}
    body = {"type": answer} if answer in (DEFERRED, DEFERRED_UPDATE) else {"type": answer, "data": data}
    await client.refused(400, 50035, "POST", callback(interaction), body)


async def test_a_response_that_would_remove_files_unasked_is_noted(client: Client) -> None:
    shown = await client.said({"content": "x"}, {"a.png": b"PNG"})
    for data, lapses in (
        ({"content": "y", "attachments": [{"id": shown.attachments[0].id}]}, 0),
        ({"content": "z"}, 1),
    ):
        before = len(client.discord.lapses)
        interaction = await client.interaction(3, shown)
        await client.done("POST", callback(interaction), {"type": UPDATE, "data": data})
        assert len(client.discord.lapses) - before == lapses


async def test_a_limit_is_kept_on_the_clock_that_tests_turn(client: Client) -> None:
    client.discord.limits.set("POST /channels/{channel_id}/messages", 2, per=5)
    client.discord.limits.turns = False
    for left in ("1", "0"):
        await client.done("POST", client.messages, {"content": "x"})
        assert client.headers["X-RateLimit-Remaining"] == left
    status, data = await client.ask("POST", client.messages, {"content": "x"})
    assert status == 429
    assert data["retry_after"] > 0
    assert {"Via", "Retry-After", "X-RateLimit-Bucket", "X-RateLimit-Reset-After"} <= set(client.headers)
    client.discord.clock.turn(5)
    await client.done("POST", client.messages, {"content": "x"})
    assert client.discord.limits.refused == 1


def command(**more: Any) -> Json:
    return {"name": "play", "description": "Play", **more}


def an_option(name: str = "game", **more: Any) -> Json:
    return {"type": 3, "name": name, "description": "Which", **more}


CHOICE: Final = {"name": "x", "value": "x"}

BROKEN_COMMANDS: Final[dict[str, list[Json]]] = {
    "twice": [command(), command()],
    "no description": [{"name": "play"}],
    "an empty description": [command(description="")],
    "a long description": [command(description="x" * 101)],
    "a long translation": [command(description_localizations={"it": "x" * 101})],
    "101 commands": [command(name=f"c{n}") for n in range(101)],
    "an option twice": [command(options=[an_option(), an_option()])],
    "26 choices": [command(options=[an_option(choices=[{"name": f"{n}", "value": f"{n}"} for n in range(26)])])],
    "a choice twice": [command(options=[an_option(choices=[CHOICE, CHOICE])])],
    "a long choice": [command(options=[an_option(choices=[{"name": "x" * 101, "value": "x"}])])],
    "choices and completion": [command(options=[an_option(choices=[CHOICE], autocomplete=True)])],
    "required last": [command(options=[an_option("a"), an_option("b", required=True)])],
    "bounds the wrong way": [command(options=[{**an_option(), "type": 4, "min_value": 5, "max_value": 2}])],
    "an unknown kind": [command(options=[{**an_option(), "type": 77}])],
    "an unknown field": [command(colour="red")],
    "no contexts": [command(contexts=[])],
}


@pytest.mark.parametrize("kind", BROKEN_COMMANDS)
async def test_broken_commands_are_refused(client: Client, kind: str) -> None:
    await client.refused(400, 50035, "PUT", client.commands, BROKEN_COMMANDS[kind])
    assert client.discord.commands == {}
    await client.done("PUT", client.commands, [command(options=[an_option(choices=[CHOICE])])])


def test_specification_table_is_complete() -> None:
    assert len(spec()["operations"]) == 25
    assert operation("POST /channels/{channel_id}/messages")["files"]
    assert problems({"$ref": "ButtonStyleTypes"}, 7)
    assert not problems({"$ref": "ButtonStyleTypes"}, 4)


@pytest.mark.parametrize(
    ("said", "code"),
    [({"token": "wrong"}, 4004), ({}, 4010), *(({"shard": shard}, 4010) for shard in ([0, 1], [3, 3], [0, 4]))],
    ids=str,
)
async def test_gateway_refuses_a_wrong_token_and_shard(client: Client, said: Json, code: int) -> None:
    client.discord.gateway.shards = 3
    async with client.connected(**said) as socket:
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == code


async def test_gateway_resume_replays_missed_events(client: Client) -> None:
    gateway = client.discord.gateway
    async with client.connected() as socket:
        ready, guild = await socket.receive_json(), await socket.receive_json()
    await client.discord.until(lambda: not gateway.connected, "the end of the connection")
    assert (ready["t"], guild["t"]) == ("READY", "GUILD_CREATE")
    assert ready["d"]["resume_gateway_url"].startswith("ws://127.0.0.1:")
    await gateway.dispatch("SOMETHING", {})
    async with client.connected(6, session_id=ready["d"]["session_id"], seq=guild["s"]) as socket:
        assert [(await socket.receive_json())["t"] for _ in range(2)] == ["SOMETHING", "RESUMED"]
    async with client.connected(6, session_id="no", seq=1) as socket:
        assert await socket.receive_json() == {"op": 9, "d": False}
