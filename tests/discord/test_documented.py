"""Which documented behaviours of Discord the fake keeps, each with the page that says so; the fake is asked by HTTP."""

import inspect
import sys
from typing import Any, Final

import pytest

from tests.discord.raw import Client, button, callback, row, text, v2, webhook
from tests.discord.test_fake_answers import an_option, command
from tests.fakes.discord.answering import CHOICES, DEFERRED, DEFERRED_UPDATE, MESSAGE, UPDATE
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import EPHEMERAL, USUAL, Permission
from tests.support.present import present

DOCS: Final = "https://docs.discord.com/developers"
ANSWERING: Final = f"{DOCS}/interactions/receiving-and-responding"
COMMANDS: Final = f"{DOCS}/interactions/application-commands"
COMPONENTS: Final = f"{DOCS}/components/reference"
MESSAGES: Final = f"{DOCS}/resources/message"
REFERENCE: Final = f"{DOCS}/reference"
CHANNELS: Final = f"{DOCS}/resources/channel"
GATEWAY: Final = f"{DOCS}/events/gateway"
LIMITS: Final = f"{DOCS}/topics/rate-limits"
STATUS: Final = f"{DOCS}/topics/opcodes-and-status-codes"

PNG: Final = b"\x89PNG..."
documented = pytest.mark.documented


def test_every_behaviour_names_its_page() -> None:
    tests = [
        (name, function)
        for name, function in inspect.getmembers(sys.modules[__name__], inspect.isfunction)
        if name.startswith("test_") and "client" in inspect.signature(function).parameters
        if function is not test_what_a_body_may_hold
    ]
    assert len(tests) > 20
    assert all(page.startswith(DOCS) and says for page, says, *_ in BODIES)
    for name, function in tests:
        marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "documented"]
        assert len(marks) == 1, name
        assert marks[0].kwargs["page"].startswith(f"{DOCS}/"), name
        assert marks[0].kwargs["says"], name


# Interactions.


@documented(page=ANSWERING, says="the first answer must come within three seconds, else the token is void")
async def test_three_seconds(client: Client) -> None:
    interaction = await client.interaction()
    client.discord.clock.turn(3.01)
    await client.refused(404, 10062, "POST", callback(interaction), {"type": DEFERRED})
    assert interaction.answer is None
    unknown = f"/interactions/{client.discord.ids.new()}/{interaction.token}/callback"
    await client.refused(404, 10062, "POST", unknown, {"type": DEFERRED})


@documented(page=ANSWERING, says="a token is valid for fifteen minutes")
async def test_a_quarter_of_an_hour(client: Client) -> None:
    interaction = await client.interaction()
    await client.refused(404, 10015, "POST", webhook(client, interaction), {"content": "x"})
    await client.ask("POST", callback(interaction), {"type": DEFERRED})
    client.discord.clock.turn(899)
    await client.done("POST", webhook(client, interaction), {"content": "x"})
    client.discord.clock.turn(2)
    await client.refused(401, 50027, "POST", webhook(client, interaction), {"content": "x"})
    await client.refused(401, 50027, "PATCH", f"{webhook(client, interaction)}/messages/@original", {"content": "y"})


@documented(page=ANSWERING, says="what follows a deferred answer edits the loading message, which stays private or not")
@pytest.mark.parametrize("private", [True, False])
async def test_what_follows_a_defer(client: Client, private: bool) -> None:
    interaction = await client.interaction()
    defer = {"type": DEFERRED, "data": {"flags": EPHEMERAL if private else 0}}
    await client.ask("POST", callback(interaction), defer)
    assert interaction.original is not None
    assert interaction.original.loading
    other = {"content": "x", "flags": 0 if private else EPHEMERAL}
    await client.done("POST", webhook(client, interaction), other)
    assert (interaction.original.text, interaction.original.private) == ("x", private)
    assert interaction.followups == []
    await client.ask("POST", webhook(client, interaction), {"content": "y", "flags": EPHEMERAL})
    assert [message.private for message in interaction.followups] == [True]


@documented(page=ANSWERING, says="a deferred update shows no loading state and is for components alone")
async def test_a_deferred_update(client: Client) -> None:
    pressed = await client.interaction(3, await client.said({"content": "x", "components": [row(button())]}))
    await client.done("POST", callback(pressed), {"type": DEFERRED_UPDATE})
    assert pressed.original is pressed.message
    await client.done("PATCH", f"{webhook(client, pressed)}/messages/@original", {"content": "y"})
    assert present(pressed.message).text == "y"
    other = await client.said({"content": "z"})
    address = f"{webhook(client, pressed)}/messages/{other.id}"
    await client.refused(404, 10008, "PATCH", address, {"content": "y"})
    typed = await client.interaction(2)
    await client.refused(400, 50035, "POST", callback(typed), {"type": DEFERRED_UPDATE})


@documented(page=ANSWERING, says="a response tells, if asked, of the message that it has made or edited")
async def test_what_a_response_tells(client: Client) -> None:
    pressed = await client.interaction(3, await client.said({"content": "x", "components": [row(button())]}))
    data: Json = {"content": "y", "flags": EPHEMERAL}
    _, answer = await client.ask("POST", f"{callback(pressed)}?with_response=1", {"type": MESSAGE, "data": data})
    assert pressed.original is not None
    assert answer["interaction"]["response_message_id"] == answer["resource"]["message"]["id"] == pressed.original.id
    assert (answer["resource"]["type"], answer["resource"]["message"]["content"]) == (MESSAGE, "y")
    address = f"{webhook(client, pressed)}/messages/@original"
    await client.done("PATCH", address, {"content": "z"})
    assert (pressed.original.text, pressed.original.private) == ("z", True)
    await client.done("DELETE", address)
    assert pressed.original.deleted
    again = await client.interaction(3, pressed.message)
    body = {"type": UPDATE, "data": {"content": "new", "attachments": []}}
    _, answer = await client.ask("POST", f"{callback(again)}?with_response=1", body)
    assert (answer["resource"]["type"], answer["resource"]["message"]["content"]) == (UPDATE, "new")
    _, answer = await client.ask("POST", callback(await client.interaction()), {"type": DEFERRED})
    assert "resource" not in answer


@documented(page=ANSWERING, says="where the app is only installed by a user, five messages may follow")
async def test_five_messages_follow(client: Client) -> None:
    interaction = await client.interaction(member=False)
    await client.ask("POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})
    for _ in range(5):
        await client.done("POST", webhook(client, interaction), {"content": "x"})
    await client.refused(400, 40094, "POST", webhook(client, interaction), {"content": "x"})


@documented(page=ANSWERING, says="at most 25 choices complete what is typed")
async def test_25_choices(client: Client) -> None:
    interaction = await client.interaction(4)
    many = [{"name": str(number), "value": str(number)} for number in range(26)]
    for choices in (many, [{"name": "x" * 101, "value": "a"}], [{"name": "", "value": "a"}], [{"value": "a"}]):
        await client.refused(400, 50035, "POST", callback(interaction), {"type": CHOICES, "data": {"choices": choices}})
    await client.done("POST", callback(interaction), {"type": CHOICES, "data": {"choices": many[1:]}})


# Commands.


@documented(page=COMMANDS, says="overwriting all commands updates those of the same name, and the rest are gone")
async def test_a_command_keeps_its_id(client: Client) -> None:
    first = await client.registered(command(), command(name="move"))
    again = await client.registered(command(description="Otherwise"), command(name="board"))
    assert again["play"]["id"] == first["play"]["id"]
    assert set(client.discord.commands) == {"play", "board"}


@documented(page=COMMANDS, says="whoever lacks the default permissions of a command is not offered it")
async def test_default_permissions_hide_a_command(client: Client) -> None:
    await client.registered(command(default_member_permissions=32, contexts=[0], integration_types=[0]))
    with pytest.raises(AssertionError, match="hidden"):
        await client.anna.command("play")


# What a body may hold.


def translated(game: str, seats: str) -> Json:
    """Return a command with two options, whose names are translated so."""
    options = [an_option("game", name_localizations={"it": game}), an_option("seats", name_localizations={"it": seats})]
    return command(options=options)


ROWS: Final = [row(*(button(f"{number}.{other}") for other in range(5))) for number in range(7)]
LONG: Final = [{"name": f"{number:x<100}", "value": f"{number:x<100}"} for number in range(10, 35)]
USER_MENU: Final = {"type": 2, "name": "Challenge to a game"}
BODIES: Final[list[tuple[str, str, str, list[Any], list[Any]]]] = [
    (
        COMMANDS, "names of chat commands and options are 1 to 32 small letters, digits, - _ and '", "commands",
        [[command(**{field: value})] for name in ("Play", "play it", "x" * 33, "pl.ay")
         for field, value in (("name", name), ("name_localizations", {"it": name}))],
        [[command(name="perché-no")]],
    ),
    (
        COMMANDS, "commands of people and messages may have capitals and spaces, and no description", "commands",
        [[USER_MENU | {"description": "x"}]],
        [[USER_MENU, {"type": 3, "name": "Show the board"}]],
    ),
    (
        COMMANDS, "translated names of options differ from each other and from all other default names", "commands",
        [[translated("gioco", "gioco")], [translated("seats", "posti")]],
        [[translated("game", "posti")]],
    ),
    (
        COMMANDS, "a command has at most 25 options, and 8000 characters with its longest translations", "commands",
        [[command(options=[an_option(f"o{number}") for number in range(26)])],
         [command(options=[an_option(f"o{number}", choices=LONG) for number in range(2)])]],
        [[command(options=[an_option(f"o{number}") for number in range(25)])]],
    ),
    (
        COMPONENTS, "a message has at most 40 components and 4000 characters of text in all", "messages",
        [v2(*ROWS), v2(*(text("x" * 1001) for _ in range(4)))],
        [v2(*ROWS[:6])],
    ),
    (
        COMPONENTS, "a custom_id is unique within its message, and 100 characters long at most", "messages",
        [v2(row(button("a"), button("a"))), v2(row(button("x" * 101)))],
        [v2(row(button("a"), button("x" * 100)))],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "refused", "taken"),
    [pytest.param(*each, id=says, marks=documented(page=page, says=says)) for page, says, *each in BODIES],
)
async def test_what_a_body_may_hold(client: Client, what: str, refused: list[Any], taken: list[Any]) -> None:
    request = ("PUT", client.commands) if what == "commands" else ("POST", client.messages)
    for body in refused:
        await client.refused(400, 50035, *request, body)
    for body in taken:
        await client.done(*request, body)


# Messages.


@documented(page=COMPONENTS, says="with IS_COMPONENTS_V2 there are no content and embeds, and the flag stays")
async def test_components_v2(client: Client) -> None:
    await client.refused(400, 50035, "POST", client.messages, v2(text(), content="x"))
    message = await client.said(v2(text()))
    for body in ({"flags": 0}, {"content": "x"}):
        await client.refused(400, 50035, "PATCH", f"{client.messages}/{message.id}", body)


@documented(page=REFERENCE, says="commands are mentioned by name and id, moments by their seconds and perhaps a style")
async def test_mentions_of_commands_and_moments(client: Client) -> None:
    found = await client.registered(command())
    await client.said(v2(text(f"</play:{found['play']['id']}> <t:1618953630> <t:1618953630:R>")))
    assert client.discord.lapses == []
    await client.said(v2(text("</play:1> </gone:2> <t:soon:R> <t:1618953630:Q>")))
    assert len(client.discord.lapses) == 4
    client.discord.lapses.clear()


@documented(page=MESSAGES, says="with enforce_nonce the same nonce soon again is the message that there is")
async def test_the_same_nonce(client: Client) -> None:
    body = {"content": "x", "nonce": "n", "enforce_nonce": True}
    first = await client.said(body)
    assert await client.said(body | {"content": "y"}) is first
    assert first.text == "x"
    assert await client.said({"content": "y", "nonce": "n"}) is not first


@documented(page=MESSAGES, says="only who is allowed to be mentioned is called")
async def test_allowed_mentions(client: Client) -> None:
    said = {"content": f"<@{client.anna.id}>"}
    assert (await client.said(said)).pings == (client.anna.account,)
    assert (await client.said(said | {"allowed_mentions": {"parse": []}})).pings == ()
    one = await client.said(said | {"allowed_mentions": {"parse": [], "users": [client.anna.id]}})
    assert one.pings == (client.anna.account,)
    both = {"parse": ["users"], "users": [client.anna.id]}
    await client.refused(400, 50035, "POST", client.messages, said | {"allowed_mentions": both})


@documented(page=MESSAGES, says="a thread that is started from a message has the message's id")
async def test_a_thread_has_its_messages_id(client: Client) -> None:
    message = await client.said({"content": "x"})
    address = f"{client.messages}/{message.id}/threads"
    await client.refused(400, 50035, "POST", address, {"name": ""})
    assert (await client.ask("POST", address, {"name": "Game", "auto_archive_duration": 10080}))[1]["id"] == message.id
    await client.refused(400, 160004, "POST", address, {"name": "Game"})


@documented(page=CHANNELS, says="an archived thread cannot be changed, and sending a message to it unarchives it")
async def test_archived_threads(client: Client) -> None:
    message = await client.said({"content": "x"})
    await client.ask("POST", f"{client.messages}/{message.id}/threads", {"name": "Game"})
    thread = client.discord.channels[message.id]
    _, said = await client.ask("POST", f"/channels/{thread.id}/messages", {"content": "x"})
    thread.archived = True
    await client.refused(400, 50083, "PATCH", f"/channels/{thread.id}/messages/{said['id']}", {"content": "y"})
    await client.done("POST", f"/channels/{thread.id}/messages", {"content": "x"})
    assert not thread.archived


# Gateway and limits.


async def receive(client: Client, intents: int, *events: tuple[str, Any]) -> list[str]:
    """Return which events a bot hears that has asked for some intents."""
    async with client.connected(intents=intents) as socket:
        assert (await socket.receive_json())["t"] == "READY"
        for event in (*events, ("INTERACTION_CREATE", {})):
            await client.discord.gateway.dispatch(*event)
        received: list[str] = []
        while (news := await socket.receive_json())["t"] != "INTERACTION_CREATE":
            received.append(news["t"])
    return received


@documented(page=GATEWAY, says="of servers, roles, channels and threads is told who has asked for the intent GUILDS")
async def test_intents(client: Client) -> None:
    guild = client.guild
    events = [
        ("CHANNEL_UPDATE", client.channel.to_json()),
        ("GUILD_ROLE_UPDATE", {"guild_id": guild.id, "role": guild.role_json()}),
        ("THREAD_LIST_SYNC", {"guild_id": guild.id, "threads": [], "members": []}),
    ]
    assert await receive(client, 0, *events) == []
    assert await receive(client, 1, *events) == ["GUILD_CREATE", *(name for name, _ in events)]


@documented(page=GATEWAY, says="of itself as a member the bot is told without the intent GUILD_MEMBERS")
async def test_the_bots_own_membership(client: Client) -> None:
    other = client.guild.own_member_json() | {"user": client.anna.account.to_json()}
    events = [("GUILD_MEMBER_UPDATE", other), ("GUILD_MEMBER_UPDATE", client.guild.own_member_json())]
    assert await receive(client, 0, *events) == ["GUILD_MEMBER_UPDATE"]
    assert await receive(client, 2, *events) == ["GUILD_MEMBER_UPDATE"] * 2


@documented(page=GATEWAY, says="a server belongs to the shard (id >> 22) % number of shards")
async def test_the_gateway_tells_each_shard_of_its_own_servers(client: Client) -> None:
    gateway = client.discord.gateway
    gateway.shards = 2
    guilds = [client.discord.guild(f"Part {shard}", shard=shard) for shard in (0, 1)]
    assert [(int(guild.id) >> 22) % 2 for guild in guilds] == [0, 1]
    async with client.connected(shard=[1, 2]) as socket:
        listed = [guild["id"] for guild in (await socket.receive_json())["d"]["guilds"]]
        assert [guild.id in listed for guild in guilds] == [False, True]
        assert ([gateway.listening(shard) for shard in (0, 1)], gateway.connected) == ([False, True], False)


@documented(page=LIMITS, says="answers to interactions do not count towards the global limit")
async def test_the_global_limit(client: Client) -> None:
    client.discord.limits.overall = (1, 60.0)
    await client.said({"content": "x"})
    assert (await client.ask("POST", client.messages, {"content": "x"}))[0] == 429
    assert client.headers["X-RateLimit-Global"] == "true"
    interaction = await client.interaction()
    await client.done("POST", callback(interaction), {"type": DEFERRED})


# Where the bot is no member.


@documented(
    page=f"{DOCS}/topics/permissions", says="without Permission.USE_EXTERNAL_APPS user-installed apps answer in private"
)
async def test_external_apps_may_be_hushed(client: Client) -> None:
    client.channel = client.discord.guild("Elsewhere", has_bot=False).channels[0]
    for permissions, private in ((USUAL, True), (USUAL | Permission.USE_EXTERNAL_APPS, False)):
        client.channel.permissions = permissions
        interaction = await client.interaction(member=False)
        await client.ask("POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})
        assert present(interaction.original).private is private


@documented(page=ANSWERING, says="in conversations of people app_permissions are always the same three")
async def test_permissions_in_conversations(client: Client) -> None:
    friends = client.discord.chat(client.anna.account, client.discord.account("Bruno"))
    assert friends.app_permissions == (1 << 14) | (1 << 15) | (1 << 17)
    assert client.discord.dm(client.anna.account).app_permissions == friends.app_permissions | 1 << 18
    client.channel = friends
    await client.refused(403, 50001, "POST", client.messages, {"content": "x"})


@documented(page=ANSWERING, says="a button counts on the installation by which its message came, whoever presses it")
async def test_button_message_records_its_installation_owner(client: Client) -> None:
    client.channel = client.discord.chat(client.anna.account, client.discord.account("Bruno"))
    interaction = await client.interaction(member=False)
    interaction.owners = {"1": client.anna.id}
    await client.ask("POST", callback(interaction), {"type": MESSAGE, "data": {"content": "x"}})
    assert present(interaction.original).owners == {"1": client.anna.id}


@documented(page=STATUS, says="50278: cannot send messages to this user due to having no mutual guilds")
async def test_strangers_are_not_written_to(client: Client) -> None:
    account = client.anna.account
    client.channel = client.discord.dm(account)
    account.installed, account.beside = False, False
    await client.refused(403, 50278, "POST", client.messages, {"content": "x"})
    for account.installed, account.beside in ((True, False), (False, True)):
        await client.said({"content": "x"})


@documented(page=STATUS, says="50007: cannot send messages to this user")
async def test_direct_message_to_a_closed_account_is_refused(client: Client) -> None:
    client.channel = client.discord.dm(client.anna.account)
    client.discord.closed.add(client.anna.account)
    await client.refused(403, 50007, "POST", client.messages, {"content": "x"})
