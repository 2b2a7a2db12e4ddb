"""A connection that breaks, answers that come late or twice, floods, limits and cut lines, and unreadable events.

Events that discord.py cannot read are passed over alone; the connection goes on, or begins anew.
"""

import asyncio
import random
from functools import partial
from typing import Any, Final
from unittest.mock import AsyncMock

import pytest
import yarl
from discord import http
from structlog.testing import capture_logs

from bot.kernel.cards import Button, Card, Menu
from bot.kernel.operations.listening import Listener
from bot.kernel.presses import press, read_press
from bot.kernel.requests import Place, TryLater
from bot.kernel.texts import Span
from bot.platforms.discord import client as session_module, connection
from bot.platforms.discord.client import COMMANDS_KEY_PREFIX
from bot.platforms.discord.connection import DiscordConnection, GlobalRateLimiter, is_rate_limited
from storage import Store, Unreachable
from tests.discord.harness import Bot, Scene, acknowledge_first, hold, list_pauses
from tests.discord.pages import ANSWERING, MESSAGES, documented
from tests.discord.players import Players, payload_of
from tests.fakes.discord.answering import COMPLETION
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person
from tests.fakes.discord.rest import NONCE_LIFE
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Message, Permission
from tests.support.choosing import choose_at_random
from tests.support.figures import figure
from tests.support.fronts import make_front
from tests.support.program import TEXTS, connection_state

CALLBACK = "POST /interactions/{interaction_id}/{interaction_token}/callback"
SEND = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
UPDATE = "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original"
PUT = "PUT /applications/{application_id}/commands"
DIES_HERE: Final = AsyncMock(side_effect=RuntimeError("the program dies here"))


async def test_a_broken_connection_is_none_until_it_is_resumed_and_nothing_is_missed(
    scene: Scene, mover: Person, other: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway, board, seen = scene.discord.gateway, scene.board, list[tuple[bool, bool]]()
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
    await mover.press(board, board.labels[0])
    await scene.bot.settle()
    assert gateway.resumed == 1
    assert seen == [(False, False), (True, False)]
    assert mover.newest_private.text.startswith("Where")
    await gateway.ask_to_reconnect()
    await scene.discord.until(lambda: gateway.connected, "the bot's coming back")
    await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
    assert scene.board.pings == (other.account,)
    assert [each["intents"] for each in gateway.identified] == [1], "servers alone, and nothing privileged"


@documented(page=ANSWERING, says="the first answer must come within three seconds, else the token is void")
async def test_what_comes_too_late_changes_nothing_and_completions_are_one_quiet_line_in_the_log(
    scene: Scene, mover: Person, caplog: pytest.LogCaptureFixture
) -> None:
    board = scene.board
    found = await mover.complete("move", "move", move="")
    for send in (mover.send_completion("move", "move", move=""), mover.send_command("move", move=found[0]["value"])):
        with scene.discord.refusing(10062):
            async with scene.discord.holding(CALLBACK) as gate:
                interaction = await send
                await scene.discord.until(partial(getattr, gate, "waiting"), "the answer")
                scene.discord.clock.turn(4)
            await scene.bot.settle()
        assert (interaction.answer, interaction.choices) == (None, None)
        if interaction.kind == COMPLETION:
            assert [each.getMessage() for each in caplog.records if each.levelname in ("WARNING", "ERROR")] == []
    assert (scene.board, board.edits) == (board, 0)
    assert await mover.complete("move", "move", move="")


@documented(page=ANSWERING, says="what follows a deferred answer edits the loading message, which stays private or not")
async def test_an_interaction_is_answered_before_anything_is_done(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = hold(monkeypatch, scene.bot.store.processed_events, "get")
    interaction = await anna.command("help")
    assert interaction.original is not None
    assert interaction.original.loading
    may_go_on.set()
    await scene.bot.settle()
    assert "Welcome" in interaction.original.text


@pytest.mark.parametrize("call", [CALLBACK, UPDATE])
async def test_answer_to_a_dismissed_message_is_sent(
    scene: Scene, mover: Person, other: Person, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if call == UPDATE:
        acknowledge_first(monkeypatch)
    await scene.press(mover, scene.board, scene.board.labels[0])
    scene.discord.fail(call, ApiError(404, 10008, "Unknown Message"))
    with scene.discord.refusing(10008):
        await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
    assert scene.board.pings == (other.account,)
    assert mover.newest_private.text.startswith("Done")


async def test_200_presses_on_one_game_are_answered_once_each_and_one_move_is_played(
    scene: Scene, mover: Person, other: Person
) -> None:
    people = [mover, other, *(scene.person(f"Stranger {number}") for number in range(6))]
    board, rng = scene.board, random.Random(0)
    parts = [part for part in board.pressable if payload_of(part).startswith("c:")]
    await scene.press(mover, board, parts[0]["label"])
    choosing = mover.newest_private
    final = [part for part in choosing.pressable if payload_of(part).startswith("p:") and part["label"] != "Back"]
    before, seen = len(scene.shown), (board.to_json(), choosing.to_json())
    interactions = []
    for number in range(200):
        person = people[number % len(people)]
        message, snapshot, part = board, seen[0], rng.choice(parts)
        if person is mover and number % 3:
            message, snapshot, part = choosing, seen[1], final[0]
        interactions.append(await person.send_press(message, part, snapshot))
    await scene.discord.until(lambda: all(each.answer is not None for each in interactions), "all answers")
    await scene.bot.settle()
    # The one who is to move has dismissed some answers by asking anew while they were on their way.
    assert {error.code for _, error in scene.discord.refused} <= {10008}
    scene.discord.refused.clear()
    assert (len(scene.shown), scene.board.pings) == (before + 1, (other.account,))
    assert scene.discord.count(CALLBACK) >= 200
    assert len([message for message in scene.shown if message.labels]) == 1
    row = await scene.bot.store.games.list_for_person((await scene.bot.store.people.find(mover.account.shown))[0].id)
    assert row[0].turn == 1


async def test_an_old_board_edited_too_often_waits_and_keeps_its_picture(scene: Scene, mover: Person) -> None:
    old = scene.board
    scene.discord.fail(EDIT, *[ApiError(429, 30046, "Maximum number of edits to messages older than 1 hour reached")])
    with scene.discord.refusing(30046):
        await scene.move(mover)
    assert scene.board is not old
    await scene.wait(minutes=1)
    assert old.labels == []
    assert old.picture is not None


async def test_a_board_that_was_deleted_is_shown_anew(scene: Scene, mover: Person) -> None:
    scene.board.deleted = True
    assert [message for message in scene.shown if message.labels] == []
    with scene.discord.refusing(10008):
        await scene.move(mover)
    assert scene.board.labels


@documented(page=MESSAGES, says="with enforce_nonce the same nonce soon again is the message that there is")
async def test_message_sent_before_a_crash_is_edited_instead_of_repeated(scene: Scene) -> None:
    adapter, where = scene.bot.connection.adapter, Place("discord", scene.channel.id)
    one = await adapter.send(where, Card((Span("one"),)), "key")
    again = await adapter.send(where, Card((Span("two"),)), "key")
    other = await adapter.send(where, Card((Span("three"),)), "another key")
    assert (one, [message.text for message in scene.shown]) == (again, ["two", "three"])
    assert other == scene.board.id
    # It gets the new buttons though it says the same.
    for revision in (7, 8):
        for rows in ((Button("More", press("more", "ABCDEF", revision)),), Menu("x", (Button("y", f"y{revision}"),))):
            await adapter.send(where, Card((Span("one"),), rows=(rows,)), type(rows).__name__)
    *_, below, chosen = scene.shown
    assert [part["custom_id"] for part in below.pressable] == ["0|more:ABCDEF:8"]
    assert [part["value"] for part in chosen.pressable] == ["y8"]


async def test_a_board_sent_before_a_crash_does_not_pass_for_a_newer_one(
    scene: Scene, anna: Person, bruno: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.command(anna, "play", game="fagocitare", opponent=bruno.account)
    await scene.press(bruno, scene.board, "Accept")
    players = Players(scene, "fagocitare")
    while scene.board.pressable[0]["type"] != 3:
        await players.play(1)

    async def play(*, dies: bool = False) -> Message:
        """Play an action; return the newest board, sent though the program `dies` before it has recorded that."""
        with monkeypatch.context() as patch:
            if dies:
                patch.setattr("storage.posts.Posts.record_shown", DIES_HERE)
            await players.type(choose_at_random(await players.state(), players.rng))
        return scene.board

    lost = await play(dies=True)
    assert await play() is lost, "a failed board waits before it is tried again"
    await scene.wait(seconds=5)
    assert scene.board is not lost
    sent = await play(dies=True)
    await scene.wait(seconds=5)
    assert scene.board is sent, "it is found again"
    (post,) = await scene.bot.store.posts.list_for_game(players.code)
    assert (post.message, post.shown_revision) == (sent.id, post.revision)
    assert {read_press(payload_of(part)).revision for part in sent.pressable} == {0, post.revision}
    # Below each of them the first button is that of the rules, which says nothing about the revision.
    assert [message.pressable[0]["type"] for message in (lost, sent)] == [3, 3]


async def test_commands_are_registered_again_when_they_have_changed(scene: Scene) -> None:
    assert scene.discord.count(PUT) == 1
    name = f"{COMMANDS_KEY_PREFIX}{scene.discord.application_id}"
    await scene.bot.store.key_values.set("discord", name, {"digest": "another"})
    await scene.bot.restart()
    assert scene.discord.count(PUT) == 2
    assert (await scene.bot.store.key_values.get("discord", name) or {})["digest"] != "another"


def known_as(connection: DiscordConnection) -> str | None:
    return connection.name


async def test_absent_discord_is_awaited(discord: FakeDiscord, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "MIN_BACKOFF_SECONDS", 0.01)
    monkeypatch.setattr(http.Route, "BASE", "http://127.0.0.1:9/api/v10")
    tavoliere = make_front(store, texts=TEXTS)
    connection = DiscordConnection(tavoliere, token=discord.token)
    await connection.start()
    assert known_as(connection) is None
    with pytest.raises(TryLater):
        await connection.adapter.send(Place("discord", "1"), Card((Span("x"),)), "key")
    monkeypatch.setattr(http.Route, "BASE", discord.api_url)
    await discord.until(lambda: discord.gateway.connected, "the connection")
    assert known_as(connection) == "tavoliere"
    await connection.stop()
    await tavoliere.close()


@pytest.mark.parametrize("readable", [True, False])
async def test_killed_between_posting_and_noting_it_is_there_once_however_long_that_lasts(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch, readable: bool
) -> None:
    scene.guild.managers.add(anna.account)
    if not readable:
        scene.channel.permissions &= ~Permission.READ_MESSAGE_HISTORY
    with monkeypatch.context() as patch:
        patch.setattr("storage.posts.Posts.record_shown", DIES_HERE)
        await scene.command(anna, "puzzle", daily="on")
    (message,) = scene.shown
    assert (message.pings, message.labels) == ((), ["Try it"])
    await scene.bot.stop()
    # Others have gone on talking, and Discord has forgotten the nonce: without the history it cannot be known.
    for _ in range(3):
        scene.discord.ids.new()
    seconds_offline = NONCE_LIFE + 60
    scene.discord.clock.turn(seconds_offline)
    scene.bot.clock.turn(seconds=seconds_offline)
    await scene.discord.until(lambda: not scene.discord.gateway.connected, "the bot's leaving")
    await scene.bot.start()
    # As long before the next attempt as when the program died.
    await scene.wait(minutes=1)
    assert len(scene.shown) == (1 if readable else 2)
    assert scene.shown[0] is message
    # It is kept up to date, and solved in the end.
    await scene.wait(days=1)
    await scene.wait(seconds=10)
    assert ("Solution" in message.text) is readable
    assert [picture for picture, _ in message.pictures], "the picture is still there"


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


async def test_a_login_without_the_database_does_not_end_the_bot(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = list_pauses(scene.bot.connection._session)

    with monkeypatch.context() as patched:
        patched.setattr("storage.key_values.KeyValues.get", AsyncMock(side_effect=Unreachable(reason="gone")))
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
