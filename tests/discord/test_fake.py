"""The fake Discord refuses what the real one refuses: messages, files, permissions, answers, commands, the gateway."""

from typing import Final

import aiohttp
import pytest

from tests.discord.pages import REFERENCE, documented
from tests.discord.raw import Client, an_option, button, callback, command, gallery, menu, option, row, text, v2
from tests.fakes.discord.answering import CHOICES, DEFERRED, DEFERRED_UPDATE, MESSAGE, UPDATE
from tests.fakes.discord.messages import LARGEST_FILE
from tests.fakes.discord.schema import Json, operation, problems, spec
from tests.fakes.discord.world import EPHEMERAL

PNG: Final = b"\x89PNG..."

BROKEN: Final[dict[str, Json]] = {
    "unknown field": {"content": "x", "colour": "red"},
    "unknown field inside": v2(row(button(size=3))),
    "wrong type": {"content": 5},
    "wrong type inside": v2(row(button(disabled="no"))),
    "too long": {"content": "x" * 4001},
    "label too long": v2(row(button(label="x" * 81))),
    "placeholder too long": v2(row({**menu(option("a")), "placeholder": "x" * 151})),
    "option too long": v2(row(menu({"label": "x" * 101, "value": "a"}))),
    "26 options": v2(row(menu(*(option(str(n)) for n in range(26))))),
    "no options": v2(row(menu())),
    "the same option twice": v2(row(menu(option("a"), option("a")))),
    "six buttons in a row": v2(row(*(button(str(n)) for n in range(6)))),
    "an empty row": v2(row()),
    "a menu beside a button": v2(row(menu(option("a")), button())),
    "two menus alike": v2(row(menu(option("a"))), row(menu(option("b")))),
    "a button without an id": v2(row({"type": 2, "style": 1, "label": "x"})),
    "a button without a label": v2(row({"type": 2, "style": 1, "custom_id": "a"})),
    "a link without an address": v2(row({"type": 2, "style": 5, "label": "x", "custom_id": "a"})),
    "an unknown component": v2({"type": 99}),
    "a button outside a row": v2(button()),
    "empty text": v2(text(" ")),
    "V2 without the flag": {"components": [text()]},
    "V2 with embeds": v2(text(), embeds=[{"title": "x"}]),
    "six rows without V2": {"components": [row(button(str(n))) for n in range(6)]},
    "a picture that is not there": v2(text(), gallery("a.png")),
    "an ephemeral message without an interaction": {"content": "x", "flags": EPHEMERAL},
    "a nonce too long": {"content": "x", "nonce": "x" * 26},
    "a broken id": {"content": "x", "allowed_mentions": {"users": ["anna"]}},
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_message_is_refused(client: Client, kind: str) -> None:
    await client.refused(400, 50035, "POST", client.messages, BROKEN[kind])
    assert client.discord.shown(client.channel) == []


async def test_an_empty_message_is_refused(client: Client) -> None:
    await client.refused(400, 50006, "POST", client.messages, {"content": ""})


async def test_files_must_be_listed_shown_and_small(client: Client) -> None:
    picture = v2(gallery("a.png"), attachments=[{"id": "0", "filename": "a.png", "description": "x" * 1024}])
    await client.said(picture, {"a.png": PNG})
    for body in (
        v2(gallery("a.png"), attachments=[{"id": "0", "description": "x" * 1025}]),
        v2(gallery("a.png"), attachments=[{"id": "1"}]),
        v2(gallery("a.png"), attachments=[]),
        v2({"type": 13, "file": {"url": "https://example.org/a.png"}}, attachments=[{"id": "0"}]),
    ):
        await client.refused(400, 50035, "POST", client.messages, body, {"a.png": PNG})
    await client.refused(400, 50035, "POST", client.messages, picture, {"a.png": b""})
    await client.refused(413, 40005, "POST", client.messages, picture, {"a.png": b"x" * (LARGEST_FILE + 1)})
    twice = v2(gallery("a.png"), attachments=[{"id": "0", "filename": "a.png"}, {"id": "1", "filename": "a.png"}])
    await client.refused(400, 50035, "POST", client.messages, twice, {"a.png": PNG, "b.png": PNG})


@documented(page=REFERENCE, says="an edit that lists attachments keeps those alone; one without keeps all")
async def test_edit_must_list_kept_attachments(client: Client) -> None:
    message = await client.said(v2(gallery("a.png")), {"a.png": PNG})
    address, attachment = f"{client.messages}/{message.id}", {"id": message.attachments[0].id}
    await client.refused(400, 50035, "PATCH", address, {"components": [gallery("b.png")]}, {"b.png": PNG})
    await client.refused(400, 50035, "PATCH", address, {"attachments": []})
    await client.refused(400, 50035, "PATCH", address, {"components": [gallery("b.png")], "attachments": [attachment]})
    assert message.picture == PNG
    for body in (
        {"components": [gallery("a.png"), text()]},
        {"components": [gallery("a.png")], "attachments": [attachment]},
        {"components": [text()], "attachments": []},
    ):
        await client.done("PATCH", address, body)
    assert message.attachments == []
    new = {"components": [gallery("b.png")], "attachments": [{"id": "0", "filename": "b.png"}]}
    await client.done("PATCH", address, new, {"b.png": PNG})
    assert message.picture == PNG


async def test_attachment_without_a_component_is_kept_but_hidden(client: Client) -> None:
    message = await client.said(v2(gallery("a.png")), {"a.png": PNG})
    status, data = await client.ask("PATCH", f"{client.messages}/{message.id}", {"components": [text()]})
    assert (status, [each["filename"] for each in data["attachments"]]) == (200, ["a.png"])
    assert message.picture is None
    assert message.attachments != []


async def test_what_loses_pictures_is_taken_and_noted(client: Client) -> None:
    message = await client.said(v2(text(), gallery("a.png")), {"a.png": PNG})
    attachment = {"id": message.attachments[0].id}
    address, shown = f"{client.messages}/{message.id}", v2(text(), gallery("a.png"))
    await client.done("PATCH", address, shown | {"attachments": [attachment]})
    await client.done("PATCH", address, shown)
    assert client.discord.lapses == []
    there = message.to_json()["components"][1]["items"][0]["media"]["url"]
    for body, said in (
        (v2({"type": 12, "items": [{"media": {"url": there}}]}), "will lead nowhere"),
        (shown | {"attachments": [{**attachment, "description": "x"}]}, "more than the id"),
        ({"components": shown["components"]}, "without the flag"),
        (v2(text(), attachments=[]), "an empty list"),
    ):
        await client.done("PATCH", address, body)
        (lapse,) = client.discord.lapses
        assert said in lapse
        client.discord.lapses.clear()
    assert message.picture is None
    await client.said(v2(text(), attachments=[{"id": "0"}]), {"a.png": PNG})
    assert client.discord.lapses == ["attachments: nobody sees 'a.png'"]


async def test_who_does_not_say_who_they_are_is_refused(client: Client) -> None:
    await client.refused(401, 0, "GET", "/users/@me", token="wrong")
    await client.refused(404, 0, "GET", "/nowhere")
    async with client.session.get(f"{client.discord.api_url}/users/@me", headers={"User-Agent": "me"}) as answer:
        assert answer.status == 403


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
