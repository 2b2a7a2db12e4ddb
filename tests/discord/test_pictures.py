"""Old boards keep their pictures: through whole games, restarts and several processes, and when Discord loses them.

How boards look is remembered, of the newest, and only while nobody else may change them; what was sent is freed.
"""

import gc
import io
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import AsyncMock

import discord
import pytest
from discord import ui
from structlog.testing import capture_logs

from bot.kernel.cards import Animation, Attachment, Button, Card, Picture
from bot.kernel.pictures import Renderer
from bot.kernel.requests import Adapter, Place, Undeliverable
from bot.kernel.texts import Span
from bot.outbox import boards as boards_module
from bot.outbox.boards import BoardPost
from bot.outbox.worker import Delivery
from engine import State
from render import Drawing
from storage import Post, Store
from tests.discord.harness import Bot, Scene, acknowledge_first, wait_for_shards
from tests.discord.players import MAX_ACTS, Players
from tests.discord.test_games import sit_down
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person
from tests.fakes.discord.rest import Call
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Message
from tests.support.choosing import choose_capture
from tests.support.tiny import Tiny

SEND: Final = "POST /channels/{channel_id}/messages"
EDIT: Final = "PATCH /channels/{channel_id}/messages/{message_id}"
ANSWERS: Final = (
    "POST /interactions/{interaction_id}/{interaction_token}/callback",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original",
)
"""The calls by which a press is answered in the message that was pressed: at once, and after it was acknowledged."""
REFUSED: Final = ApiError(400, 50035, "Invalid Form Body", ["the attachment was not found"])
UNAVAILABLE: Final = ApiError(503, 0, "unavailable")


async def telling(state: State, **how: Any) -> Drawing:
    """Draw a picture by which a position and all else that is seen of it is known, behind its end."""
    turn = how.pop("last_turn")
    said = json.dumps([state.to_json(), turn and turn.to_json(), repr(sorted(how.items()))], sort_keys=True)
    return Drawing(Tiny.png + said.encode(), Tiny.size, Tiny.spots)


class Album:
    """Every picture that was sent for all to see, with its alternative text, by the message that it stands in."""

    def __init__(self, discord: FakeDiscord) -> None:
        self.sent: dict[str, tuple[bytes, str]] = {}
        self.uploads: list[str] = []
        discord.listeners.append(self._record_call)

    def _record_call(self, call: Call, result: Any, done: bool) -> None:
        if done and call.files and call.operation in (SEND, EDIT):
            (entry,) = call.body["attachments"]
            self.sent[result["id"]] = (call.files[0][1], entry["description"])
            self.uploads.append(call.operation)

    def check(self, messages: list[Message]) -> None:
        """Check that all these messages still show what was sent for them."""
        assert [message.id for message in messages] == list(self.sent)
        assert [(message.picture, message.alt) for message in messages] == list(self.sent.values())
        assert len({picture for picture, _ in self.sent.values()}) == len(messages)
        assert [message.labels for message in messages[:-1]] == [[]] * (len(messages) - 1)


@pytest.fixture
def draw() -> Renderer:
    """What draws pictures that tell what they show."""
    return telling


def look(message: Message) -> tuple[str, bytes | None, str | None]:
    """Return what can be seen of a message."""
    return message.text, message.picture, message.alt


@pytest.mark.parametrize("known", [True, False], ids=["ids", "no ids"])
async def test_all_boards_of_a_game_keep_their_pictures_also_after_a_restart(scene: Scene, known: bool) -> None:
    scene.discord.hides_attachment_ids = not known
    album = Album(scene.discord)
    await sit_down(scene, "annuvin", "en-US", "Anna", "Bruno")
    players = Players(scene, "pictures", choose_capture)
    await players.play(8)
    await scene.bot.restart()
    await players.play(MAX_ACTS if known else 8)
    assert players.over is known
    lobby, *boards = scene.shown
    assert lobby.picture is None
    assert len(boards) > 12
    album.check(boards)
    # Nothing went wrong, so nobody had to look which messages there are.
    assert scene.discord.count("GET /channels/{channel_id}/messages") == 0
    # Each was uploaded once, and taking its buttons off named its file.
    assert album.uploads == [SEND] * len(boards)
    retired = [call.body for call in scene.discord.calls if call.operation == EDIT]
    assert sum("attachments" in body for body in retired) == (len(boards) - 1 if known else 0)


async def test_two_processes_keep_pictures_of_all_boards(
    discord: FakeDiscord, two_stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    discord.gateway.shards = 2
    bots = [Bot(discord, store, draw=telling) for store in two_stores]
    scene = Scene(discord, bots[0])
    album = Album(discord)

    async def settle() -> None:
        for bot in bots:
            await bot.connection.dispatcher.wait_until_idle()
        for bot in bots * 2:
            await bot.tavoliere.delivery.run_until_idle()

    async with AsyncExitStack() as stack:
        with monkeypatch.context() as quick:
            quick.setattr("bot.platforms.discord.client.HEARTBEAT_SECONDS", 0.05)
            for bot in bots:
                bot.connecting["shards"] = 2
                bot.settle = settle  # type: ignore[method-assign]
                await stack.enter_async_context(bot)
            await wait_for_shards(discord, bots)
        await sit_down(scene, "annuvin", "en-US", "Anna", "Bruno")
        await Players(scene, "together", choose_capture).play(4)
        album.check(scene.shown[1:])
        # How a board looks is remembered only while nobody else may change it.
        where = Place("discord", scene.channel.id)
        first, second = (bot.connection.adapter for bot in bots)
        await first.send(where, board("one"), "key")
        await second.edit(where, scene.board.id, board("two"))
        await first.edit(where, scene.board.id, board("three"))
        await second.edit(where, scene.board.id, Card((Span("four"),), rows=board("").rows))
        await first.retire(where, scene.board.id, remove=False)
        assert (look(scene.board), scene.board.labels) == (("four", None, None), [])


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
@pytest.mark.parametrize("how", ["lost", "refused"])
async def test_a_picture_that_gets_lost_is_drawn_again(scene: Scene, how: str, restarted: bool) -> None:
    await scene.started()
    await scene.move(scene.mover)
    old = scene.board
    before = look(old)
    if restarted:
        await scene.bot.restart()
    if how == "lost":
        scene.discord.lose_files(EDIT)
        await scene.move(scene.mover)
    else:
        scene.discord.fail(EDIT, REFUSED)
        with scene.discord.refusing(50035):
            await scene.move(scene.mover)
    assert scene.board is not old
    assert (look(old), old.labels, old.edits) == (before, [], 2 if how == "lost" else 1)
    await scene.move(scene.mover)
    assert [len(message.attachments) for message in scene.shown[1:]] == [1, 1, 1, 1]


async def test_the_picture_of_a_turn_that_was_going_on_is_drawn_as_it_was(scene: Scene) -> None:
    await sit_down(scene, "uomo-nero", "en-US", "Anna", "Bruno")
    players = Players(scene, "uomo-nero")
    while True:
        old, before, state = scene.board, look(scene.board), await players.state()
        action = players.choose(state, players.rng)
        if old.edits and state.play(action).turn != state.turn:
            break
        await players.type(action)
    await scene.bot.restart()
    scene.discord.lose_files(EDIT)
    await players.type(action)
    assert scene.board is not old
    assert look(old) == before


async def test_a_picture_that_is_lost_while_discord_is_away_is_drawn_again_later(scene: Scene) -> None:
    await scene.started()
    old, before = scene.board, look(scene.board)
    redrawing = False

    def once(call: Call, _: Any, done: bool) -> None:
        nonlocal redrawing
        if call.operation == EDIT and done and not redrawing:
            redrawing = True
            scene.discord.fail(EDIT, UNAVAILABLE)

    scene.discord.listeners.append(once)
    scene.discord.lose_files(EDIT)
    with scene.discord.refusing(0):
        await scene.move(scene.mover)
    newest = scene.board
    assert (newest.pings, old.picture) != ((), before[1])
    # The file that is named is not there any more.
    with scene.discord.refusing(50035):
        await scene.wait(minutes=1)
    assert look(old) == before
    assert scene.board is newest


@pytest.mark.parametrize("why", ["no drawing", "damaged", "slow", "refused", "unknown"])
async def test_an_undrawable_picture_holds_nothing_up(scene: Scene, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.started()
    await scene.move(scene.mover)
    old, text = scene.board, scene.board.text
    await scene.bot.restart()
    codes: tuple[int, ...] = ()

    if why == "refused":
        scene.discord.listeners.append(lambda call, _, done: refuse(scene, call, done))
        codes = (50035, 50035)
    elif why == "unknown":
        redraw = Delivery._redraw

        async def forget(self: Delivery, adapter: Adapter, place: Place, post: Post, message: str) -> None:
            await redraw(
                self, adapter, place, replace(post, stale_messages=dict.fromkeys(post.stale_messages)), message
            )

        monkeypatch.setattr(Delivery, "_redraw", forget)
    elif why == "no drawing":
        monkeypatch.setattr(BoardPost, "redraw", AsyncMock(return_value=None))
    else:
        error = TimeoutError if why == "slow" else LookupError("nothing there")
        monkeypatch.setattr(boards_module, "table_after", AsyncMock(side_effect=error))
    scene.discord.lose_files(EDIT)
    with capture_logs() as logs, scene.discord.refusing(*codes):
        await scene.move(scene.mover)
        await scene.move(scene.mover)
    assert [entry["event"] for entry in logs].count("picture-lost") == 1
    assert (old.text, old.picture, old.labels) == (text, None, [])
    boards = scene.shown[1:]
    assert [message.picture is None for message in boards] == [message is old for message in boards]
    (post,) = await scene.bot.store.posts.list_for_game((await scene.bot.store.games.list_in_place(1))[0].id)
    assert (post.due_at, post.stale_messages) == (None, {})


def refuse(scene: Scene, call: Call, done: bool) -> None:
    """Have what follows the first edit refused, twice."""
    if done and call.operation == EDIT and not scene.discord.refused and not call.files:
        scene.discord.fail(EDIT, REFUSED, REFUSED)
        scene.discord.listeners.clear()


@pytest.mark.parametrize(("times", "sent"), [(1, 0), (2, 1)])
async def test_an_edit_that_brings_a_picture_is_refused_once_or_for_good(scene: Scene, times: int, sent: int) -> None:
    await sit_down(scene, "uomo-nero", "en-US", "Anna", "Bruno")
    players = Players(scene, "uomo-nero")
    while True:
        board, before = scene.board, len(scene.shown)
        state = await players.state()
        action = players.choose(state, players.rng)
        after = state.play(action)
        if (after.turn, after.to_move) == (state.turn, state.to_move):
            break
        await players.type(action)
    scene.discord.fail(EDIT, *[REFUSED] * times)
    with scene.discord.refusing(*[50035] * times):
        await players.type(action)
    assert len(scene.shown) == before + sent
    assert (scene.board is board) is not sent
    assert scene.board.picture is not None
    assert scene.board.pressable
    assert all(message.picture for message in scene.shown[1:])


async def test_edit_is_repeated_when_its_picture_was_lost(scene: Scene) -> None:
    adapter, where = scene.bot.connection.adapter, Place("discord", scene.channel.id)
    await adapter.send(where, board("one"), "key")
    scene.discord.lose_files(EDIT)
    await adapter.edit(where, scene.board.id, board("two"))
    assert look(scene.board) == ("two", Tiny.png, "The two.")
    scene.discord.lose_files(EDIT)
    # Sent before the program died, and brought up to date.
    await adapter.send(where, board("three"), "key")
    assert (look(scene.board), len(scene.board.attachments)) == (("three", Tiny.png, "The three."), 1)


def board(words: str, **more: Any) -> Card:
    rows = ((Button("Press", "help"),),)
    return Card((Span(words),), Picture(Tiny.png, f"The {words}.", "board 1.png", **more), rows)


@pytest.mark.parametrize("remembered", [True, False])
async def test_animations_and_files_stay_when_the_buttons_go(scene: Scene, remembered: bool) -> None:
    where = Place("discord", scene.channel.id)
    moving = Animation(b"GIF89a", "game.gif", (450, 500))
    file = Attachment("annuvin-abc.txt", b"Tavoliere")
    card = board("film", animation=moving)
    card = Card(card.text, card.picture, card.rows, file=file)
    await scene.bot.connection.adapter.send(where, card, "key")
    if not remembered:
        await scene.bot.restart()
    shown = scene.board
    assert shown.labels == ["Press"]
    await scene.bot.connection.adapter.retire(where, shown.id, remove=False)
    assert (look(shown), shown.labels) == (("film", b"GIF89a", "The film."), [])
    assert [each.content for each in shown.files] == [b"Tavoliere"]
    scene.discord.lose_files(EDIT)
    with pytest.raises(Undeliverable, match="picture-lost"):
        await scene.bot.connection.adapter.retire(where, shown.id, remove=False)


async def test_a_picture_is_shown_anew_beside_what_else_there_is(scene: Scene) -> None:
    adapter, where = scene.bot.connection.adapter, Place("discord", scene.channel.id)
    card = board("film")
    await adapter.send(where, Card(card.text, card.picture, card.rows, file=Attachment("a.txt", b"Game")), "key")
    scene.discord.fail(EDIT, REFUSED)
    with scene.discord.refusing(50035), pytest.raises(Undeliverable, match="picture-lost"):
        await adapter.retire(where, scene.board.id, remove=False)
    assert look(scene.board) == ("film", Tiny.png, "The film.")
    await adapter.redraw(where, scene.board.id, Picture(b"\x89PNG new", "Again.", "board 1.png"))
    assert (look(scene.board), scene.board.labels) == (("film", b"\x89PNG new", "Again."), [])
    assert [each.content for each in scene.board.files] == [b"Game"]
    assert len(scene.board.attachments) == 2


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(("times", "pictured"), [(1, True), (2, False)])
async def test_private_answer_with_a_refused_picture_is_retried_or_sent_in_words(
    scene: Scene, mover: Person, times: int, pictured: bool, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await scene.choose(mover)
    await scene.press(mover, message, "Back")
    if answer != ANSWERS[0]:
        acknowledge_first(monkeypatch)
    scene.discord.fail(answer, *[REFUSED] * times)
    with scene.discord.refusing(*[50035] * times):
        await scene.press(mover, message, message.labels[0])
    assert "from" in message.text
    assert (message.picture is not None) is pictured
    assert pictured or "The board" in message.text or "pieces" in message.text


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_lost_private_picture_is_given_again(
    scene: Scene, mover: Person, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await scene.choose(mover)
    await scene.press(mover, message, "Back")
    if answer != ANSWERS[0]:
        acknowledge_first(monkeypatch)
    scene.discord.lose_files(answer)
    await scene.press(mover, message, message.labels[0])
    assert message.picture is not None
    assert message.alt


@pytest.mark.parametrize("most", [1, 2])
async def test_looks_of_newest_boards_are_remembered(scene: Scene, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("bot.platforms.discord.adapter.MESSAGE_CACHE_SIZE", most)
    await scene.bot.restart()
    adapter, where = scene.bot.connection.adapter, Place("discord", scene.channel.id)
    sent = [await adapter.send(where, board(words), words) for words in ("one", "two")]
    for message in sent:
        await adapter.retire(where, message, remove=False)
    assert [message.labels for message in scene.shown[-2:]] == [[], []]
    assert [look(message)[0] for message in scene.shown[-2:]] == ["one", "two"]
    assert scene.discord.count("GET /channels/{channel_id}/messages/{message_id}") == 2 - most


@contextmanager
def collecting_garbage() -> Iterator[list[Any]]:
    """Give a list that contains afterwards what only the garbage collector would have freed."""
    found: list[Any] = []
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield found
        gc.collect()
        found += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def test_boards_and_their_pictures_are_freed_once_they_are_sent(scene: Scene, mover: Person) -> None:
    with collecting_garbage() as found:
        await scene.press(mover, scene.board, scene.board.labels[0])
        await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
        assert scene.board.picture is not None
    ours = io.BytesIO | discord.File | ui.LayoutView | discord.Component
    assert [each for each in found if isinstance(each, ours)] == []
