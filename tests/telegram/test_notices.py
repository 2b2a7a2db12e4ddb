"""Who is called on Telegram: exactly those whom a notice is for, once each, and nobody by an edit."""

from __future__ import annotations

from storage import Notice
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def move(scene: Scene, person: Person) -> None:
    """Have somebody make the move that the newest board suggests."""
    board = next(message for message in reversed(scene.shown) if message.photo is not None)
    await scene.say(person, board.marked.code[-1], answering=board)


async def whole(scene: Scene) -> tuple[Person, Person, list[Notice]]:
    """Have a game with an offer, a reminder and an end; return its players, and all that was promised."""
    promised: dict[tuple[int, str, str], Notice] = {}

    async def note() -> None:
        for each in await scene.bot.store.notices.list_for_game(code):
            promised[each.person, each.kind, each.subject] = each

    anna, bruno = scene.people["Anna"], scene.people["Bruno"]
    await scene.say(anna, "/play annuvin @bruno board:square clock:1h")
    code = next(each["callback_data"] for each in scene.board.buttons).split(":")[1]
    await note()
    await scene.tap(bruno, scene.board, "Accept")
    await note()
    table = await scene.bot.tavoliere.context.table(code)
    starter = await scene.bot.store.people.identities(table.row.to_move or 0)
    mover = scene.by(int(starter[0].user))
    other = bruno if mover is anna else anna
    await move(scene, mover)
    await note()
    await scene.say(mover, f"/draw {code}")
    await note()
    offer = next(message for message in reversed(scene.shown) if "Agree: draw" in message.labels)
    assert offer.reply_to is [message for message in scene.shown if message.photo is not None][-1]
    await scene.tap(other, offer, "No draw")
    assert offer.labels == []
    for _ in range(29):
        # In steps: longer without a beat, and it would have been down.
        scene.bot.clock.turn(seconds=110)
        await scene.bot.tavoliere.alarms.tick()
    await scene.bot.settle()
    await note()
    await scene.say(mover, "/resign")
    await scene.tap(mover, scene.shown[-1], "Yes, resign")
    await note()
    return mover, other, list(promised.values())


def sounds(messages: list[Message]) -> list[tuple[int | str, ...]]:
    """Return whom messages called, leaving out those that called nobody."""
    return [message.pings for message in messages if message.pings]


async def known(scene: Scene, line: str) -> None:
    """Have Anna and Bruno say something, so that the bot knows them."""
    for name in ("Anna", "Bruno"):
        await scene.say(scene.person(name), line)


async def test_every_call_is_a_notice_and_every_notice_calls_once(scene: Scene) -> None:
    await known(scene, "/games")
    mover, other, promised = await whole(scene)
    ids = {each.person: await scene.bot.store.people.identities(each.person) for each in promised}
    notified = sorted(int(ids[each.person][0].user) for each in promised)
    assert sorted(number for pings in sounds(scene.shown) for number in pings) == notified
    assert [each.kind for each in promised] == ["challenge", "turn", "turn", "offer", "time", "over"]
    assert all(each.route == "here" for each in promised)
    # A message without a call makes no sound, and one with a call does.
    assert all(message.silent is not bool(message.pings) for message in scene.shown)
    assert other.id in scene.board.pings
    assert mover.id not in scene.board.pings


async def test_who_wants_no_notice_is_called_by_nothing_at_all(scene: Scene) -> None:
    await known(scene, "/settings notices:none")
    await whole(scene)
    assert sounds(scene.shown) == []
    assert all(message.silent for message in scene.shown)


async def test_in_private_and_where_that_is_closed_in_the_group(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/settings notices:private")
    await scene.say(bruno, "/settings notices:private")
    chat, other = (scene.telegram.private(each.account) for each in (bruno, anna))
    await scene.say(anna, "/play annuvin @bruno board:square")
    assert sounds(scene.shown) == []
    (challenge,) = scene.telegram.shown(chat)
    assert "challenges" in challenge.text
    assert not challenge.silent
    await scene.tap(bruno, scene.board, "Accept")
    assert sounds(scene.shown) == []
    # People who blocked the bot are notified in the group, where the game is.
    chat.blocked = other.blocked = True
    with scene.telegram.refusing("bot was blocked"):
        mover = anna if scene.telegram.shown(other) else bruno
        await move(scene, mover)
    (called,) = sounds(scene.shown)
    assert called == ((bruno if mover is anna else anna).id,)
