"""The fake Discord refuses what the real one refuses, each kind of it: messages, files, permissions."""

from typing import Final

import pytest

from tests.discord.raw import Client, button, gallery, menu, option, row, text, v2
from tests.discord.test_documented import REFERENCE
from tests.fakes.discord.messages import LARGEST_FILE
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import EPHEMERAL, USUAL, Permission

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


async def test_a_good_message_is_shown(client: Client) -> None:
    message = await client.said(v2(text(f"<@{client.anna.id}>"), gallery("a.png"), row(button())), {"a.png": PNG})
    assert (message.picture, message.pings, message.labels) == (PNG, (client.anna.account,), ["Press"])
    data = await client.done("GET", f"{client.messages}/{message.id}")
    assert data["components"][1]["items"][0]["media"]["url"].startswith("https://")


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


@pytest.mark.documented(page=REFERENCE, says="an edit that lists attachments keeps those alone; one without keeps all")
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


async def test_files_that_components_show_are_known_by_them_alone(client: Client) -> None:
    item = {"media": {"url": "attachment://a.png"}, "description": "A board"}
    shown = v2({"type": 12, "items": [item]}, {"type": 13, "file": {"url": "attachment://b.txt"}})
    message = await client.said(shown, {"a.png": PNG, "b.txt": b"Game"})
    address = f"{client.messages}/{message.id}"
    _, data = await client.ask("GET", address)
    assert data["attachments"] == []
    (picture,), file = data["components"][0]["items"], data["components"][1]
    assert [picture["media"]["attachment_id"], file["file"]["attachment_id"]] == [
        each.id for each in message.attachments
    ]
    assert picture["media"]["url"].startswith("https://")
    assert "/a.png?" in picture["media"]["url"]
    assert (picture["description"], file["name"]) == ("A board", "b.txt")
    assert (message.alt, [each.content for each in message.files]) == ("A board", [b"Game"])
    client.discord.hides_attachment_ids = True
    _, data = await client.ask("GET", address)
    assert "attachment_id" not in data["components"][0]["items"][0]["media"]


async def test_attachment_without_a_component_is_kept_but_hidden(client: Client) -> None:
    message = await client.said(v2(gallery("a.png")), {"a.png": PNG})
    status, data = await client.ask("PATCH", f"{client.messages}/{message.id}", {"components": [text()]})
    assert (status, [each["filename"] for each in data["attachments"]]) == (200, ["a.png"])
    assert message.picture is None
    assert message.attachments != []


async def test_edit_may_lose_its_picture(client: Client) -> None:
    client.discord.lose_files("PATCH /channels/{channel_id}/messages/{message_id}")
    message = await client.said(v2(text(), gallery("a.png")), {"a.png": PNG})
    address, again = f"{client.messages}/{message.id}", {"components": [text(), gallery("a.png")]}
    status, data = await client.ask("PATCH", address, again)
    assert (status, [part["type"] for part in data["components"]]) == (200, [10])
    assert (message.picture, message.attachments) == (None, [])
    await client.done("PATCH", address, {"components": [text()]})


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


@pytest.mark.parametrize(
    ("lacking", "code", "files"),
    [
        (Permission.VIEW_CHANNEL, 50001, None),
        (Permission.SEND_MESSAGES, 50013, None),
        (Permission.ATTACH_FILES, 50013, {"a.png": PNG}),
    ],
)
async def test_permissions_are_needed(client: Client, lacking: int, code: int, files: dict[str, bytes] | None) -> None:
    client.channel.permissions = USUAL & ~lacking
    await client.refused(403, code, "POST", client.messages, v2(text(), *([gallery("a.png")] if files else [])), files)


async def test_reading_and_threads_need_permissions(client: Client) -> None:
    message = await client.said({"content": "x"})
    client.channel.permissions = USUAL & ~Permission.READ_MESSAGE_HISTORY & ~Permission.CREATE_PUBLIC_THREADS
    await client.refused(403, 50013, "GET", f"{client.messages}/{message.id}")
    await client.refused(403, 50013, "POST", f"{client.messages}/{message.id}/threads", {"name": "x"})


async def test_deleted_messages_and_channels_are_not_found(client: Client) -> None:
    message = await client.said({"content": "x"})
    await client.refused(404, 10008, "PATCH", f"{client.messages}/1", {"content": "y"})
    await client.done("DELETE", f"{client.messages}/{message.id}")
    await client.refused(404, 10008, "DELETE", f"{client.messages}/{message.id}")
    client.channel.deleted = True
    await client.refused(404, 10003, "POST", client.messages, {"content": "x"})
    await client.refused(404, 10003, "POST", "/channels/1/messages", {"content": "x"})


async def test_who_does_not_say_who_they_are_is_refused(client: Client) -> None:
    await client.refused(401, 0, "GET", "/users/@me", token="wrong")
    await client.refused(404, 0, "GET", "/nowhere")
    async with client.session.get(f"{client.discord.api_url}/users/@me", headers={"User-Agent": "me"}) as answer:
        assert answer.status == 403
