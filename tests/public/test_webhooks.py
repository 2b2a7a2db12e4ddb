"""Webhooks: signed, told what happens and nothing twice in vain, never into inner networks, given up after a day."""

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import ssl
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import func, insert, select, update

from bot.kernel.requests import Place
from bot.kernel.table import BrokenGame
from bot.platforms.webhooks import commands, job as job_module
from bot.platforms.webhooks.job import FULL_LOOK_INTERVAL, LOOK_BACK, MAX_FAILING, WebhookDeliveries
from bot.platforms.webhooks.sender import InvalidAddress, NotDelivered, Sender, is_public_ip, read_address
from storage import Store, StoredWebhook, WebhookCursor
from storage.message_schema import webhook_cursors, webhooks
from storage.schema import game_places, games
from tests.bot.cups import FOUR, a_cup, played_out
from tests.bot.ladders import a_ladder, challenged
from tests.bot.party import Party, button, card, words
from tests.public.receiver import Receiver
from tests.public.world import ADDRESS, World
from tests.support.present import present
from tests.support.stores import START, make_place, some_people, store_game

INNER = (
    "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.5.5", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fec0::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "ff02::1", "no address",
)  # fmt: skip

TIMEOUT_SECONDS = 60
NAMED = pytest.mark.usefixtures("secret")
"""Marks tests in which the receiver has been named as a webhook of the room."""


@pytest.fixture
def sender(certificate: Path) -> Sender:
    """A sender to which this machine is as good as any other."""
    return Sender(lambda _: True, ssl.create_default_context(cafile=str(certificate)))


@pytest.fixture
def job(world: World, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> WebhookDeliveries:
    """The job of the party that sends, and the command that checks, as far as the receiver."""
    monkeypatch.setattr(commands, "SENDER", sender)
    found = world.party.front.jobs["webhooks"]
    assert isinstance(found, WebhookDeliveries)
    found.sender = sender
    world.party.managers.add("meg")
    return found


@pytest.fixture
async def secret(world: World, receiver: Receiver, job: WebhookDeliveries) -> str:
    """The secret of the receiver, which somebody who manages the room has named."""
    reply = await world.party.say("meg", f"/webhook address:{receiver.address}")
    assert reply.private
    return next(span.text for span in card(reply).text if span.text.startswith("whsec_"))


async def test_webhook_sends_events_once_and_signed(
    world: World, receiver: Receiver, job: WebhookDeliveries, secret: str
) -> None:
    await world.party.started()
    await world.move()
    await job.run_until_idle()
    await world.resign()
    await job.run_until_idle()
    await job.run_until_idle()
    # Giving up is a turn as well.
    assert [each["type"] for each in receiver.messages] == ["game.started", "game.turn", "game.turn", "game.over"]
    assert [each["data"]["turns"][0]["number"] for each in receiver.messages[1:3]] == [1, 2]
    assert receiver.messages[3]["data"]["game"]["outcome"]["places"]
    row = present(await world.party.store.games.get(world.party.code))
    ids = set()
    for headers, body in receiver.taken:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{wanted}"
        assert int(headers["webhook-timestamp"]) == int(world.party.clock().timestamp())
        assert row.seed.encode() not in body
        assert row.id not in f"{headers} {body.decode()}", "never the code that joins"
        ids.add(headers["webhook-id"])
    assert len(ids) == 4


@NAMED
async def test_what_failed_comes_again_with_growing_pauses_after_a_restart_too(
    world: World, receiver: Receiver, job: WebhookDeliveries, sender: Sender
) -> None:
    receiver.status = 500
    await world.party.started()
    await job.run_until_idle()
    assert len(receiver.taken) == 1
    await job.run_until_idle()
    assert len(receiver.taken) == 1, "not before its pause is over"
    world.party.clock.turn(seconds=10)
    await job.run_until_idle()
    assert len(receiver.taken) == 2
    receiver.status = 204
    world.party.clock.turn(seconds=20)
    again = WebhookDeliveries(world.party.front.context)
    again.sender = sender
    await again.run_until_idle()
    assert [each["type"] for each in receiver.messages] == ["game.started"] * 3
    assert len({headers["webhook-id"] for headers, _ in receiver.taken}) == 1


@NAMED
async def test_after_a_day_it_is_given_up(world: World, receiver: Receiver, job: WebhookDeliveries) -> None:
    receiver.status = 302
    await world.party.started()
    began = world.party.clock()
    for _ in range(15):
        await job.run_until_idle()
        await world.party.settle()
        world.party.clock.turn(hours=8)
        if any("given up" in shown.text for shown in world.party.shown):
            break
    assert any("localhost" in shown.text and "given up" in shown.text for shown in world.party.shown)
    assert MAX_FAILING <= world.party.clock() - began < 2 * MAX_FAILING
    before = len(receiver.taken)
    world.party.clock.turn(days=1)
    await job.run_until_idle()
    assert len(receiver.taken) == before
    assert "given up" in words(await world.party.say("meg", "/webhook"))


@NAMED
async def test_rounds_of_competitions_are_sent(world: World, receiver: Receiver, job: WebhookDeliveries) -> None:
    code = await a_cup(world.party, "/cup annuvin clock:1d players:4", *FOUR)
    await played_out(world.party, code)
    await job.run_until_idle()
    kinds = [each["type"] for each in receiver.messages]
    assert ([each["data"]["round"] for each in receiver.messages if each["type"] == "cup.round"]) == [1, 2, 3]
    assert kinds.count("cup.over") == 1
    assert code not in json.dumps(receiver.messages)

    # Of a ladder the games are sent, as all games of the place are.
    before, ladder = len(receiver.messages), await a_ladder(world.party, "/ladder annuvin clock:1d", "anna", "bruno")
    await challenged(world.party, ladder, "bruno", "anna")
    await world.party.press("anna", f"ladder=accept.{ladder}.0")
    await job.run_until_idle()
    (begun,) = receiver.messages[before:]
    assert (begun["type"], sorted(begun["data"]["game"]["players"])) == ("game.started", ["Anna", "Bruno"])
    assert ladder not in json.dumps(begun)


async def test_only_managers_name_and_remove_five_addresses(
    world: World, receiver: Receiver, job: WebhookDeliveries
) -> None:
    assert "whsec_" not in words(await world.party.say("bruno", f"/webhook address:{receiver.address}"))
    for number in range(5):
        await world.party.say("meg", f"/webhook address:{receiver.address}?{number}")
    assert "5 webhooks" in words(await world.party.say("meg", f"/webhook address:{receiver.address}?more"))
    listed = card(await world.party.say("meg", "/webhook"))
    assert receiver.address not in words(await world.party.say("meg", "/webhook")), "its path may be a secret"
    stranger = await world.party.press("bruno", button(listed, "unhook"))
    assert len(await world.party.store.webhooks.list_all()) == 5, words(stranger)
    elsewhere = Place("web", "cellar", title="The cellar")
    world.party.managers.add("eve")
    await world.party.press("eve", button(listed, "unhook"), place=elsewhere)
    assert len(await world.party.store.webhooks.list_all()) == 5
    assert "out of date" in words(await world.party.press("meg", f"unhook={'9' * 20}")), "no id of a database"
    await world.party.press("meg", button(listed, "unhook"))
    assert len(await world.party.store.webhooks.list_all()) == 4


async def test_a_place_without_webhooks_pays_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    job = world.party.front.jobs["webhooks"]
    await job.run_until_idle()

    asked = AsyncMock(side_effect=AssertionError("nothing is to be asked"))
    for name in ("list_all", "get", "list_behind", "cursor"):
        monkeypatch.setattr(world.party.store.webhooks, name, asked)
    await world.party.started()
    await world.move()
    await job.run_until_idle()


@NAMED
async def test_only_games_that_have_changed_are_looked_at_and_now_and_then_all(
    world: World, receiver: Receiver, job: WebhookDeliveries, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await world.party.started()
    second = await world.party.started()
    await job.run_until_idle()
    webhooks = world.party.store.webhooks
    looked: list[object] = []
    look = webhooks.list_behind

    async def noting(*given: Any, among: Any = None) -> dict[str, int]:
        looked.append(among)
        return await look(*given, among=among)

    monkeypatch.setattr(webhooks, "list_behind", noting)
    await world.move()
    await job.run_until_idle()
    assert looked == [{second}, {second}], "once with something to send, once with nothing left"
    assert receiver.messages[-1]["type"] == "game.turn"
    # What nobody was told of is found all the same, a little later.
    looked.clear()
    await world.party.say("anna", f"/resign game:{first}")
    reply = await world.party.say(world.party.mover, f"/resign game:{second}")
    await world.party.press(world.party.mover, button(card(reply), "resign!"))
    (worker,) = job._workers.values()
    present(worker._changed).clear()
    await job.run_until_idle()
    assert looked == [set()]
    world.party.clock.turn(seconds=(FULL_LOOK_INTERVAL + LOOK_BACK).total_seconds())
    await job.run_until_idle()
    assert looked[1] is None
    assert receiver.messages[-1]["type"] == "game.over"


async def test_a_webhook_that_answers_late_delays_no_other(
    world: World, receiver: Receiver, job: WebhookDeliveries
) -> None:
    """Neither another place's nor its own place's others; the program ends meanwhile, and nothing is lost."""
    party, elsewhere = world.party, Place("web", "cellar", title="The cellar")
    await party.say("meg", f"/webhook address:{receiver.address}?late")
    await party.say("meg", f"/webhook address:{receiver.address}?beside")
    await party.say("meg", f"/webhook address:{receiver.address}?elsewhere", place=elsewhere)
    receiver.hold("late")
    await party.started()
    await party.say("anna", f"/board game:{party.code}", place=elsewhere)
    job.start()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        for number in range(1, 4):
            for name in ("beside", "elsewhere"):
                await receiver.has_taken(name, number)
            assert receiver.kinds("late") == ["game.started"]
            await world.move()
        await job.close()
        receiver.release("late")
        job.start()
        await receiver.has_taken("late", 3)
    await job.close()
    assert receiver.kinds("late") == ["game.started", "game.started", "game.turn"]


async def test_two_who_add_webhooks_at_once_add_no_sixth(two_stores: tuple[Store, Store]) -> None:
    here, there = two_stores
    place, (meg,) = await make_place(here), await some_people(here, "Meg")
    for number in range(4):
        assert await here.webhooks.create(place.id, f"https://x/{number}", "s", meg.id, START, 5) is not None
    added = await asyncio.gather(
        *(store.webhooks.create(place.id, f"https://x/{store is here}/{n}", "s", meg.id, START, 5)
          for store in two_stores for n in range(3))
    )  # fmt: skip
    assert len([each for each in added if each is not None]) == 1
    assert len(await there.webhooks.list_in_place(place.id)) == 5


@NAMED
@pytest.mark.parametrize(("column", "damaged", "host"), [("secret", "whsec_x", "localhost"), ("address", "x", "?")])
async def test_webhook_whose_data_is_damaged_is_given_up(
    world: World, receiver: Receiver, job: WebhookDeliveries, column: str, damaged: str, host: str
) -> None:
    async with world.party.store._database.transaction() as connection:
        await connection.execute(update(webhooks).values({column: damaged}))
    await world.party.started()
    for _ in range(3):
        await job.run_until_idle()
        await world.party.settle()
        world.party.clock.turn(days=1)
    assert receiver.taken == []
    (said,) = [shown.text for shown in world.party.shown if "given up" in shown.text]
    assert host in said
    assert "given up" in words(await world.party.say("meg", "/webhook"))


@NAMED
async def test_a_game_that_cannot_be_read_is_left_until_it_changes(
    world: World, receiver: Receiver, job: WebhookDeliveries, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.party.started()
    tried = []

    async def broken(_: object, code: str) -> Any:
        tried.append(code)
        raise BrokenGame("broken-record", game=code)

    with monkeypatch.context() as patch:
        patch.setattr(type(world.party.front.context), "table_as_stored", broken)
        async with asyncio.timeout(60):
            await job.run_until_idle()
    assert tried == [world.party.code]
    await world.move()
    await job.run_until_idle()
    assert [each["type"] for each in receiver.messages] == ["game.started", "game.turn"]


def test_inner_addresses_are_not_public() -> None:
    assert [address for address in INNER if is_public_ip(address)] == []
    assert is_public_ip("93.184.216.34")
    assert is_public_ip("2606:2800:220:1:248:1893:25c8:1946")


@pytest.mark.parametrize(
    "address",
    ["http://example.org", "ftp://example.org", "https://", "https://a:b@example.org/", "https://example.org/#x",
     "https://exa mple.org", "example.org", "https://example.org:0/", "https://example.org:99999/", "https://[::1/",
     "https://" + "x" * 600],
)  # fmt: skip
def test_webhook_address_must_be_https(address: str) -> None:
    with pytest.raises(InvalidAddress):
        read_address(address)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0177.0.0.1", "0x7f.1"]
)
async def test_webhooks_never_reach_internal_networks(receiver: Receiver, certificate: Path, host: str) -> None:
    """The connection goes to what was checked: a name that leads here is refused where it is resolved for it."""
    strict = Sender(context=ssl.create_default_context(cafile=str(certificate)))
    address = receiver.address.replace("localhost", host)
    with pytest.raises(InvalidAddress):
        await strict.check(address)
    with pytest.raises(NotDelivered):
        await strict.send(address, "whsec_AAAA", "msg_1", 1, b"{}")
    assert receiver.taken == []


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Have every name resolve to some addresses, of the family that is asked for."""

    def find(host: str, port: int, family: int = 0, *_: object, **__: object) -> list[tuple[Any, ...]]:
        found = [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (each, port, 0, 0))
            if ":" in each
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]
        fitting = [each for each in found if family in (socket.AF_UNSPEC, each[0])]
        if not fitting:
            raise socket.gaierror
        return fitting

    monkeypatch.setattr(socket, "getaddrinfo", find)


async def test_a_name_is_resolved_in_both_families(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://hook.example:8443/x"
    resolve_to(monkeypatch, "2606:4700::1111")
    assert await Sender().check(address) == address
    assert await Sender()._find_target(address, "hook.example") == "https://[2606:4700::1111]:8443/x"
    for inner in ("fd00::1", "10.0.0.1"):
        resolve_to(monkeypatch, "1.1.1.1", "2606:4700::1111", inner)
        with pytest.raises(InvalidAddress, match="inner"):
            await Sender().check(address)


async def test_redirects_are_not_followed_and_gone_is_for_good(receiver: Receiver, sender: Sender) -> None:
    receiver.status = 307
    with pytest.raises(NotDelivered):
        await sender.send(receiver.address, "whsec_AAAA", "msg_1", 1, b"{}")
    assert len(receiver.taken) == 1
    receiver.status = 410
    with pytest.raises(NotDelivered) as raised:
        await sender.send(receiver.address, "whsec_AAAA", "msg_1", 1, b"{}")
    assert raised.value.for_good


@pytest.mark.parametrize("waiting", [120, pytest.param(12_000, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_none_of_very_many_games_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch, waiting: int) -> None:
    place, people = await make_place(store), await some_people(store, "Ada", "Bob")
    game = await store_game(store, place, people)
    present(await store.webhooks.create(place.id, "https://hook.example/x", "whsec_AA", people[0].id, START, 5))
    async with store._database.transaction() as connection:
        stored = dict((await connection.execute(select(games).where(games.id == game.id))).mappings().one())
        for number in range(waiting):
            at = START + timedelta(minutes=number)
            values = {"id": f"{number:06d}", "created_at": at, "started_at": at, "updated_at": at}
            await connection.execute(insert(games).values(**stored | values))
            shown = {"place": place.id, "game": values["id"], "live": False}
            await connection.execute(insert(game_places).values(**shown))
    asked: list[str] = []

    async def tell(_context: Any, hook: StoredWebhook, subject: str, _cursor: Any) -> WebhookCursor:
        asked.append(subject)
        return WebhookCursor(hook.id, subject, 1_000_000, 1, over=True)

    monkeypatch.setattr(job_module, "next_message", tell)
    async with Party(store, web_address=ADDRESS) as party:
        await party.front.jobs["webhooks"].run_until_idle()
    assert asked == [f"game:{number:06d}" for number in range(waiting)], "those that changed first before others, once"
    async with store._database.read_autocommit() as connection:
        delivered = (await connection.execute(select(func.count()).select_from(webhook_cursors))).scalar_one()
    assert delivered == waiting
