"""The fake Discord refuses what the real one refuses, each kind of it."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import aiohttp
import pytest

from tests.fakes.discord.answering import CHOICES, DEFERRED, DEFERRED_UPDATE, MESSAGE, UPDATE
from tests.fakes.discord.messages import LARGEST_FILE
from tests.fakes.discord.people import Person
from tests.fakes.discord.schema import Json, operation, problems, spec
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import (
    ATTACH_FILES,
    COMPONENTS_V2,
    CREATE_PUBLIC_THREADS,
    EPHEMERAL,
    READ_MESSAGE_HISTORY,
    SEND_MESSAGES,
    USUAL,
    VIEW_CHANNEL,
    Interaction,
    Message,
)

PNG: Final = b"\x89PNG..."
AGENT: Final = "DiscordBot (https://example.org, 1)"


class Client:
    """A client without manners of its own."""

    def __init__(self, discord: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self.discord = discord
        self.session = session
        self.guild = discord.guild("Friends")
        self.channel = self.guild.channels[0]
        self.anna = Person(discord, discord.account("Anna"), self.channel)
        self.headers: dict[str, str] = {}

    async def ask(
        self, method: str, path: str, body: Any = None, files: dict[str, bytes] | None = None, token: str | None = None
    ) -> tuple[int, Any]:
        """Make a request; return the status and the body of the answer."""
        headers = {"User-Agent": AGENT, "Authorization": f"Bot {token or self.discord.token}"}
        sent: dict[str, Any] = {}
        if files is not None:
            form = aiohttp.FormData(quote_fields=False)
            form.add_field("payload_json", json.dumps(body))
            for index, (name, content) in enumerate(files.items()):
                form.add_field(f"files[{index}]", io.BytesIO(content), filename=name)
            sent["data"] = form
        elif body is not None:
            sent["data"] = json.dumps(body)
            headers["Content-Type"] = "application/json"
        async with self.session.request(method, self.discord.api_url + path, headers=headers, **sent) as answer:
            self.headers = dict(answer.headers)
            text = await answer.text()
            return answer.status, json.loads(text) if text else None

    async def refused(self, status: int, code: int, method: str, path: str, *body: Any, **more: Any) -> str:
        """Make a request that must be refused; return what the answer says of it."""
        before = len(self.discord.refused)
        answered, data = await self.ask(method, path, *body, **more)
        assert (answered, data["code"]) == (status, code), data
        assert len(self.discord.refused) == before + 1
        return json.dumps(data)

    @property
    def messages(self) -> str:
        return f"/channels/{self.channel.id}/messages"

    async def said(self, body: Json, files: dict[str, bytes] | None = None) -> Message:
        """Send a message that must be taken."""
        status, data = await self.ask("POST", self.messages, body, files)
        assert status == 200, data
        return self.discord.messages[data["id"]]

    async def interaction(self, kind: int = 2, message: Message | None = None, *, member: bool = True) -> Interaction:
        """Return an interaction of Anna's, without a gateway that would tell of it."""
        number = self.discord.ids.new()
        made = Interaction(
            number, f"t{number}", kind, self.anna.account, self.channel, self.discord.clock.now, message, member
        )
        self.discord.interactions[made.token] = made
        return made


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with FakeDiscord() as discord, aiohttp.ClientSession() as session:
        yield Client(discord, session)


def callback(interaction: Interaction) -> str:
    return f"/interactions/{interaction.id}/{interaction.token}/callback"


def webhook(client: Client, interaction: Interaction) -> str:
    return f"/webhooks/{client.discord.application_id}/{interaction.token}"


def text(content: str = "Hello") -> Json:
    return {"type": 10, "content": content}


def button(custom_id: str = "a", **more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Press", "custom_id": custom_id, **more}


def row(*parts: Json) -> Json:
    return {"type": 1, "components": list(parts)}


def menu(*options: Json, custom_id: str = "m") -> Json:
    return {"type": 3, "custom_id": custom_id, "options": list(options)}


def option(value: str) -> Json:
    return {"label": value or "x", "value": value}


def gallery(*names: str) -> Json:
    return {"type": 12, "items": [{"media": {"url": f"attachment://{name}"}} for name in names]}


def v2(*parts: Json, **more: Any) -> Json:
    return {"flags": COMPONENTS_V2, "components": list(parts), **more}


BROKEN: Final[dict[str, Json]] = {
    "unknown field": {"content": "x", "colour": "red"},
    "unknown field inside": v2(row(button(size=3))),
    "wrong type": {"content": 5},
    "wrong type inside": v2(row(button(disabled="no"))),
    "too long": {"content": "x" * 4001},
    "label too long": v2(row(button(label="x" * 81))),
    "custom_id too long": v2(row(button("x" * 101))),
    "placeholder too long": v2(row({**menu(option("a")), "placeholder": "x" * 151})),
    "option too long": v2(row(menu({"label": "x" * 101, "value": "a"}))),
    "26 options": v2(row(menu(*(option(str(n)) for n in range(26))))),
    "no options": v2(row(menu())),
    "the same option twice": v2(row(menu(option("a"), option("a")))),
    "six buttons in a row": v2(row(*(button(str(n)) for n in range(6)))),
    "an empty row": v2(row()),
    "a menu beside a button": v2(row(menu(option("a")), button())),
    "two buttons alike": v2(row(button("a"), button("a"))),
    "two menus alike": v2(row(menu(option("a"))), row(menu(option("b")))),
    "a button without an id": v2(row({"type": 2, "style": 1, "label": "x"})),
    "a button without a label": v2(row({"type": 2, "style": 1, "custom_id": "a"})),
    "a link without an address": v2(row({"type": 2, "style": 5, "label": "x", "custom_id": "a"})),
    "an unknown component": v2({"type": 99}),
    "a button outside a row": v2(button()),
    "41 components": v2(*(row(*(button(f"{n}.{m}") for m in range(5))) for n in range(7))),
    "too much text": v2(*(text("x" * 1001) for _ in range(4))),
    "empty text": v2(text(" ")),
    "V2 without the flag": {"components": [text()]},
    "V2 with content": v2(text(), content="x"),
    "V2 with embeds": v2(text(), embeds=[{"title": "x"}]),
    "six rows without V2": {"components": [row(button(str(n))) for n in range(6)]},
    "a picture that is not there": v2(text(), gallery("a.png")),
    "an ephemeral message without an interaction": {"content": "x", "flags": EPHEMERAL},
    "users both parsed and listed": {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
    "a nonce too long": {"content": "x", "nonce": "x" * 26},
    "a broken id": {"content": "x", "allowed_mentions": {"users": ["anna"]}},
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_message_is_refused(client: Client, kind: str) -> None:
    await client.refused(400, 50035, "POST", client.messages, BROKEN[kind])
    assert client.discord.shown(client.channel) == []


async def test_an_empty_message_is_refused(client: Client) -> None:
    await client.refused(400, 50006, "POST", client.messages, {"content": ""})


async def test_what_is_wrong_is_said(client: Client) -> None:
    assert "81 characters, more than 80" in await client.refused(
        400, 50035, "POST", client.messages, v2(row(button(label="x" * 81)))
    )


async def test_a_good_message_is_shown(client: Client) -> None:
    message = await client.said(v2(text(f"<@{client.anna.id}>"), gallery("a.png"), row(button())), {"a.png": PNG})
    assert message.picture == PNG
    assert message.pings == (client.anna.account,)
    assert message.labels == ["Press"]
    status, data = await client.ask("GET", f"{client.messages}/{message.id}")
    assert status == 200
    assert data["components"][1]["items"][0]["media"]["url"].startswith("https://")


async def test_nobody_is_called_who_may_not_be(client: Client) -> None:
    shut = await client.said({"content": f"<@{client.anna.id}>", "allowed_mentions": {"parse": []}})
    one = await client.said(
        {"content": f"<@{client.anna.id}>", "allowed_mentions": {"parse": [], "users": [client.anna.id]}}
    )
    assert (shut.pings, one.pings) == ((), (client.anna.account,))


async def test_files_must_be_listed_shown_and_small(client: Client) -> None:
    picture = v2(gallery("a.png"), attachments=[{"id": "0", "filename": "a.png", "description": "x" * 1024}])
    await client.said(picture, {"a.png": PNG})
    for body in (
        v2(gallery("a.png"), attachments=[{"id": "0", "description": "x" * 1025}]),
        v2(gallery("a.png"), attachments=[{"id": "1"}]),
        v2(gallery("a.png"), attachments=[]),
        v2(text(), attachments=[{"id": "0"}]),
    ):
        await client.refused(400, 50035, "POST", client.messages, body, {"a.png": PNG})
    await client.refused(400, 50035, "POST", client.messages, picture, {"a.png": b""})
    await client.refused(413, 40005, "POST", client.messages, picture, {"a.png": b"x" * (LARGEST_FILE + 1)})
    twice = v2(gallery("a.png"), attachments=[{"id": "0", "filename": "a.png"}, {"id": "1", "filename": "a.png"}])
    await client.refused(400, 50035, "POST", client.messages, twice, {"a.png": PNG, "b.png": PNG})


async def test_an_edit_must_list_what_it_keeps(client: Client) -> None:
    message = await client.said(v2(gallery("a.png")), {"a.png": PNG})
    address, kept = f"{client.messages}/{message.id}", {"id": message.attachments[0].id}
    await client.refused(400, 50035, "PATCH", address, {"components": [gallery("b.png")]}, {"b.png": PNG})
    await client.refused(400, 50035, "PATCH", address, {"attachments": []})
    await client.refused(400, 50035, "PATCH", address, {"components": [gallery("b.png")], "attachments": [kept]})
    assert message.picture == PNG
    for body in (
        {"components": [gallery("a.png"), text()]},
        {"components": [gallery("a.png")], "attachments": [kept]},
        {"components": [text()], "attachments": []},
    ):
        assert (await client.ask("PATCH", address, body))[0] == 200
    assert message.attachments == []
    new = {"components": [gallery("b.png")], "attachments": [{"id": "0", "filename": "b.png"}]}
    assert (await client.ask("PATCH", address, new, {"b.png": PNG}))[0] == 200
    assert message.picture == PNG


async def test_a_v2_message_stays_one(client: Client) -> None:
    message = await client.said(v2(text()))
    address = f"{client.messages}/{message.id}"
    await client.refused(400, 50035, "PATCH", address, {"flags": 0})
    await client.refused(400, 50035, "PATCH", address, {"content": "x"})


async def test_the_same_nonce_is_the_same_message(client: Client) -> None:
    first = await client.said({"content": "x", "nonce": "n", "enforce_nonce": True})
    again = await client.said({"content": "y", "nonce": "n", "enforce_nonce": True})
    other = await client.said({"content": "y", "nonce": "n"})
    assert first is again
    assert other is not first
    assert first.text == "x"


@pytest.mark.parametrize(
    ("lacking", "code", "files"),
    [(VIEW_CHANNEL, 50001, None), (SEND_MESSAGES, 50013, None), (ATTACH_FILES, 50013, {"a.png": PNG})],
)
async def test_permissions_are_needed(client: Client, lacking: int, code: int, files: dict[str, bytes] | None) -> None:
    client.channel.permissions = USUAL & ~lacking
    await client.refused(403, code, "POST", client.messages, v2(text(), *([gallery("a.png")] if files else [])), files)


async def test_reading_and_threads_need_permissions(client: Client) -> None:
    message = await client.said({"content": "x"})
    client.channel.permissions = USUAL & ~READ_MESSAGE_HISTORY & ~CREATE_PUBLIC_THREADS
    await client.refused(403, 50013, "GET", f"{client.messages}/{message.id}")
    await client.refused(403, 50013, "POST", f"{client.messages}/{message.id}/threads", {"name": "x"})


async def test_what_is_gone_is_gone(client: Client) -> None:
    message = await client.said({"content": "x"})
    await client.refused(404, 10008, "PATCH", f"{client.messages}/1", {"content": "y"})
    assert (await client.ask("DELETE", f"{client.messages}/{message.id}"))[0] == 204
    await client.refused(404, 10008, "DELETE", f"{client.messages}/{message.id}")
    client.channel.deleted = True
    await client.refused(404, 10003, "POST", client.messages, {"content": "x"})
    await client.refused(404, 10003, "POST", "/channels/1/messages", {"content": "x"})


async def test_a_thread_has_its_message_s_id_and_there_is_one(client: Client) -> None:
    message = await client.said({"content": "x"})
    address = f"{client.messages}/{message.id}/threads"
    await client.refused(400, 50035, "POST", address, {"name": ""})
    status, data = await client.ask("POST", address, {"name": "Game", "auto_archive_duration": 10080})
    assert (status, data["id"]) == (200, message.id)
    await client.refused(400, 160004, "POST", address, {"name": "Game"})
    thread = client.discord.channels[message.id]
    status, said = await client.ask("POST", f"/channels/{thread.id}/messages", {"content": "x"})
    assert status == 200
    thread.archived = True
    await client.refused(400, 50083, "PATCH", f"/channels/{thread.id}/messages/{said['id']}", {"content": "y"})
    assert (await client.ask("POST", f"/channels/{thread.id}/messages", {"content": "x"}))[0] == 200
    assert not thread.archived


async def test_who_does_not_say_who_they_are_is_refused(client: Client) -> None:
    await client.refused(401, 0, "GET", "/users/@me", token="wrong")
    await client.refused(404, 0, "GET", "/nowhere")
    async with client.session.get(f"{client.discord.api_url}/users/@me", headers={"User-Agent": "me"}) as answer:
        assert answer.status == 403


async def test_the_first_answer_has_three_seconds(client: Client) -> None:
    interaction = await client.interaction()
    client.discord.clock.turn(3.01)
    await client.refused(404, 10062, "POST", callback(interaction), {"type": DEFERRED})
    assert interaction.answer is None
    unknown = f"/interactions/{client.discord.ids.new()}/{interaction.token}/callback"
    await client.refused(404, 10062, "POST", unknown, {"type": DEFERRED})


async def test_there_is_one_first_answer(client: Client) -> None:
    interaction = await client.interaction()
    assert (await client.ask("POST", callback(interaction), {"type": DEFERRED}))[0] == 200
    await client.refused(400, 40060, "POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})


@pytest.mark.parametrize(
    ("kind", "answer"),
    [(2, DEFERRED_UPDATE), (2, UPDATE), (2, CHOICES), (3, CHOICES), (4, DEFERRED), (4, MESSAGE)],
)
async def test_answers_must_fit(client: Client, kind: int, answer: int) -> None:
    interaction = await client.interaction(kind, await client.said({"content": "x"}))
    data: Json = {"choices": []} if answer == CHOICES else {"content": "x"}
    body = {"type": answer} if answer in (DEFERRED, DEFERRED_UPDATE) else {"type": answer, "data": data}
    await client.refused(400, 50035, "POST", callback(interaction), body)


async def test_there_are_at_most_25_choices(client: Client) -> None:
    for choices in (
        [{"name": str(n), "value": str(n)} for n in range(26)],
        [{"name": "x" * 101, "value": "a"}],
        [{"name": "", "value": "a"}],
        [{"value": "a"}],
    ):
        interaction = await client.interaction(4)
        await client.refused(400, 50035, "POST", callback(interaction), {"type": CHOICES, "data": {"choices": choices}})


@pytest.mark.parametrize("private", [True, False])
async def test_a_defer_fixes_whether_the_answer_is_private(client: Client, private: bool) -> None:
    interaction = await client.interaction()
    defer = {"type": DEFERRED, "data": {"flags": EPHEMERAL if private else 0}}
    await client.ask("POST", callback(interaction), defer)
    assert interaction.original is not None
    assert interaction.original.loading
    other = {"content": "x", "flags": 0 if private else EPHEMERAL}
    assert (await client.ask("POST", webhook(client, interaction), other))[0] == 200
    assert interaction.original.text == "x"
    assert interaction.original.private is private
    assert interaction.followups == []
    await client.ask("POST", webhook(client, interaction), {"content": "y", "flags": EPHEMERAL})
    assert [message.private for message in interaction.followups] == [True]


async def test_nothing_follows_before_the_first_answer_or_after_a_quarter_of_an_hour(client: Client) -> None:
    interaction = await client.interaction()
    await client.refused(404, 10015, "POST", webhook(client, interaction), {"content": "x"})
    await client.ask("POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})
    client.discord.clock.turn(15 * 60 + 1)
    await client.refused(401, 50027, "POST", webhook(client, interaction), {"content": "x"})
    await client.refused(401, 50027, "PATCH", f"{webhook(client, interaction)}/messages/@original", {"content": "y"})


async def test_where_the_bot_is_no_member_five_messages_follow(client: Client) -> None:
    interaction = await client.interaction(member=False)
    await client.ask("POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})
    for _ in range(5):
        assert (await client.ask("POST", webhook(client, interaction), {"content": "x"}))[0] == 200
    await client.refused(400, 40094, "POST", webhook(client, interaction), {"content": "x"})


async def test_a_deferred_update_is_about_the_message(client: Client) -> None:
    message = await client.said({"content": "x", "components": [row(button())]})
    interaction = await client.interaction(3, message)
    await client.ask("POST", callback(interaction), {"type": DEFERRED_UPDATE})
    assert (await client.ask("PATCH", f"{webhook(client, interaction)}/messages/@original", {"content": "y"}))[0] == 200
    assert message.text == "y"
    other = await client.said({"content": "z"})
    address = f"{webhook(client, interaction)}/messages/{other.id}"
    await client.refused(404, 10008, "PATCH", address, {"content": "y"})


async def test_a_limit_is_kept_on_the_clock_that_tests_turn(client: Client) -> None:
    client.discord.limits.set("POST /channels/{channel_id}/messages", 2, per=5)
    client.discord.limits.turns = False
    for left in ("1", "0"):
        assert (await client.ask("POST", client.messages, {"content": "x"}))[0] == 200
        assert client.headers["X-RateLimit-Remaining"] == left
    status, data = await client.ask("POST", client.messages, {"content": "x"})
    assert status == 429
    assert data["retry_after"] > 0
    assert {"Via", "Retry-After", "X-RateLimit-Bucket", "X-RateLimit-Reset-After"} <= set(client.headers)
    client.discord.clock.turn(5)
    assert (await client.ask("POST", client.messages, {"content": "x"}))[0] == 200
    assert client.discord.limits.refused == 1


def command(**more: Any) -> Json:
    return {"name": "play", "description": "Play", **more}


def an_option(name: str = "game", **more: Any) -> Json:
    return {"type": 3, "name": name, "description": "Which", **more}


CHOICE: Final = {"name": "x", "value": "x"}
MANY_LONG: Final = [{"name": f"{n:x<100}", "value": f"{n:x<100}"} for n in range(10, 35)]

BROKEN_COMMANDS: Final[dict[str, list[Json]]] = {
    "twice": [command(), command()],
    "no description": [{"name": "play"}],
    "an empty description": [command(description="")],
    "a long description": [command(description="x" * 101)],
    "a long translation": [command(description_localizations={"it": "x" * 101})],
    "capitals": [command(name="Play")],
    "spaces": [command(name="play it")],
    "a long name": [command(name="x" * 33)],
    "101 commands": [command(name=f"c{n}") for n in range(101)],
    "26 options": [command(options=[an_option(f"o{n}") for n in range(26)])],
    "an option twice": [command(options=[an_option(), an_option()])],
    "26 choices": [command(options=[an_option(choices=[{"name": f"{n}", "value": f"{n}"} for n in range(26)])])],
    "a choice twice": [command(options=[an_option(choices=[CHOICE, CHOICE])])],
    "a long choice": [command(options=[an_option(choices=[{"name": "x" * 101, "value": "x"}])])],
    "choices and completion": [command(options=[an_option(choices=[CHOICE], autocomplete=True)])],
    "required last": [command(options=[an_option("a"), an_option("b", required=True)])],
    "bounds the wrong way": [command(options=[{**an_option(), "type": 4, "min_value": 5, "max_value": 2}])],
    "an unknown kind": [command(options=[{**an_option(), "type": 77}])],
    "an unknown field": [command(colour="red")],
    "too much in all": [command(options=[an_option(f"o{n}", choices=MANY_LONG) for n in range(2)])],
    "no contexts": [command(contexts=[])],
}


@pytest.mark.parametrize("kind", BROKEN_COMMANDS)
async def test_broken_commands_are_refused(client: Client, kind: str) -> None:
    address = f"/applications/{client.discord.application_id}/commands"
    await client.refused(400, 50035, "PUT", address, BROKEN_COMMANDS[kind])
    assert client.discord.commands == {}
    assert (await client.ask("PUT", address, [command(options=[an_option(choices=[CHOICE])])]))[0] == 200


def test_the_table_holds_what_the_description_says() -> None:
    assert len(spec()["operations"]) == 20
    assert operation("POST /channels/{channel_id}/messages")["files"]
    assert problems({"$ref": "ButtonStyleTypes"}, 7)
    assert not problems({"$ref": "ButtonStyleTypes"}, 4)


async def test_the_gateway_lets_nobody_in_with_another_token(client: Client) -> None:
    async with client.session.ws_connect(client.discord.gateway_url) as socket:
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": "wrong", "intents": 1, "properties": {}}})
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == 4004


async def test_the_gateway_gives_what_was_missed(client: Client) -> None:
    gateway = client.discord.gateway
    async with client.session.ws_connect(client.discord.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": {"token": client.discord.token, "intents": 1, "properties": {}}})
        ready, guild = await socket.receive_json(), await socket.receive_json()
    await client.discord.until(lambda: not gateway.connected, "the end of the connection")
    assert (ready["t"], guild["t"]) == ("READY", "GUILD_CREATE")
    assert ready["d"]["resume_gateway_url"].startswith("ws://127.0.0.1:")
    await gateway.dispatch("SOMETHING", {})
    async with client.session.ws_connect(client.discord.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json(
            {"op": 6, "d": {"token": client.discord.token, "session_id": ready["d"]["session_id"], "seq": guild["s"]}}
        )
        assert [(await socket.receive_json())["t"] for _ in range(2)] == ["SOMETHING", "RESUMED"]
    async with client.session.ws_connect(client.discord.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json({"op": 6, "d": {"token": client.discord.token, "session_id": "no", "seq": 1}})
        assert await socket.receive_json() == {"op": 9, "d": False}
