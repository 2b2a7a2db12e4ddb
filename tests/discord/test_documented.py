"""Which documented behaviours of Discord the fake keeps, each with the page that says so; the fake is asked by HTTP.

What tests of the program meet is marked there, with its page.
"""

from typing import Any, Final

import pytest

from tests.discord.pages import ANSWERING, COMMANDS, COMPONENTS, GATEWAY, LIMITS, REFERENCE, documented
from tests.discord.raw import Client, an_option, button, callback, command, row, text, v2, webhook
from tests.fakes.discord.answering import CHOICES, DEFERRED, MESSAGE
from tests.fakes.discord.schema import Json

# Interactions.


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


@documented(page=ANSWERING, says="in conversations of people app_permissions are always the same three")
async def test_permissions_in_conversations(client: Client) -> None:
    friends = client.discord.chat(client.anna.account, client.discord.account("Bruno"))
    assert friends.app_permissions == (1 << 14) | (1 << 15) | (1 << 17)
    assert client.discord.dm(client.anna.account).app_permissions == friends.app_permissions | 1 << 18
    client.channel = friends
    await client.refused(403, 50001, "POST", client.messages, {"content": "x"})
