"""What an app may do in a Telegram group is for those who are in it now, by whatever way somebody tries."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from aiohttp import ClientWebSocketResponse

from bot.kernel.app_sessions import MAX_SESSION_AGE
from bot.kernel.context import ANSWER_LIFETIME_SECONDS
from bot.kernel.features import commands_on, load_presses
from bot.kernel.preferences import SOUND
from bot.kernel.presses import game_of_press
from bot.kernel.requests import Place
from bot.platforms.apps.access import AppAccess
from bot.platforms.web.room import ChatRoom
from bot.platforms.webhooks.job import NOT_MANAGED, WebhookDeliveries
from bot.platforms.webhooks.sender import Sender
from storage import PlaceRow, Store
from storage.places import Places
from tests.apps.hosts import PUBLIC, App, Apps, serve_apps
from tests.bot.party import Clock
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.fakes.telegram.server import FakeTelegram
from tests.support.present import present
from tests.telegram.harness import Bot, Scene
from tests.web.browser import Answer

OUTSIDE: Final = {"left-chat", "not-in-chat", "no-such-game"}
NOT_TOLD: Final = {"membership-not-told.telegram"}
UNANSWERED: Final = {"membership-unanswered"}
A_YEAR: Final = timedelta(days=300)
FAULT: Final = ApiError(500, "Internal Server Error")


class Group:
    """A group on the fake Telegram with the real program, its app, and Anna and Bruno at a game that Carla watches."""

    def __init__(self, scene: Scene, apps: Apps, game: str) -> None:
        self.scene = scene
        self.apps = apps
        self.game = game
        self.link = ""

    async def opens(self, person: Person) -> App:
        """Have somebody open the app by the link below the board."""
        name = person.account.first_name
        self.apps.numbers[name] = person.id
        return await self.apps.opens(name, self.link)

    async def moves(self) -> None:
        """Have who is to move play in the group."""
        table = await self.apps.front.context.table(self.game)
        identity = (await self.apps.store.people.identities(table.person_at(table.mover) or 0))[0]
        turn = table.playing.state.legal_actions()[0].text
        await self.scene.say(self.scene.by(int(identity.user_id)), f"/move {turn} game:{self.game}")

    async def stored_state(self) -> list[Any]:
        """Return what is stored and shown of the group that somebody else must not change."""
        store, here = self.apps.store, str(self.scene.group.id)
        place = await store.places.get_or_create("telegram", here, None, here)
        games = await store.games.list_in_place(place.id, 100)
        made = [
            len(await store.competitions.list_in_place(place.id, 9, kind=kind)) for kind in ("cup", "league", "ladder")
        ]
        shown = [(message.id, message.text, message.edits) for message in self.scene.shown]
        return [place.settings, [(game.id, game.seats, game.status) for game in games], made, shown]


@pytest.fixture
async def telegram(clock: Clock) -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram(clock) as running:
        yield running
        # Only the questions who somebody is were refused, where a test has it so.
        assert {method for method, _ in running.refused} <= {"getChatMember"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def group(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[Group]:
    scene = Scene(telegram, Bot(telegram, store, clock, web_address=f"https://{PUBLIC}"))
    async with scene.bot as bot:
        room = ChatRoom(store, clock)
        bot.tavoliere.add(room)
        async with serve_apps(bot.tavoliere, room, clock) as apps:
            for name in ("Anna", "Bruno", "Carla"):
                scene.alone(scene.person(name))
                await scene.say(scene.person(name), "/rules annuvin")
            await scene.started()
            made = Group(scene, apps, await scene.code())
            here = Place("telegram", str(scene.group.id), None, str(scene.group.id))
            made.link = apps.signer.sign_link("telegram", here, made.game)
            yield made


Attempt = Callable[[App, str, int], Awaitable[list[Answer]]]
"""What somebody tries with an app and a game's code: one press and one line of so many."""


async def _act(app: App, game: str, step: int) -> list[Answer]:
    """Press every kind of button, of the game and in the chat."""
    found = []
    for deed in list(load_presses())[::step]:
        if game_of_press(of_game := f"{deed}:{game}:1") is not None:
            found.append(await app.post("press", press=of_game))
        found.append(await app.post("press", press=f"{deed}=x", where="chat"))
    return found


async def _say(app: App, game: str, step: int) -> list[Answer]:
    """Type every command and a move, on the game's board and into the chat."""
    found = []
    lines = ("d5-d6", *(f"/{name}" for name in commands_on(app.platform)), "/play annuvin", "/team annuvin")
    for line in lines[::step]:
        found.append(await app.post("say", text=line, open={"game": game}))
        found.append(await app.post("say", text=line, where="chat"))
    return found


async def _cell(app: App, game: str, _: int) -> list[Answer]:
    return [await app.post("cell", cell="d5", open={"game": game})]


async def _board(app: App, game: str, _: int) -> list[Answer]:
    return [await app.get(f"board?game={game}"), await app.get(f"board?game={game}&turn=0")]


async def _form(app: App, game: str, _: int) -> list[Answer]:
    return [await app.post("form", press="settings=x", values={}, where="chat")]


async def _turns(app: App, game: str, _: int) -> list[Answer]:
    return [await app.get(f"turns?game={game}")]


ATTEMPTS: Final[dict[str, Attempt | None]] = {
    "press": _act,
    "say": _say,
    "cell": _cell,
    "board": _board,
    "turns": _turns,
    "form": _form,
    # What shows who somebody is and their own games; their answers are looked at by themselves below.
    "session": None,
    "renew": None,
    "home": None,
    "live": None,
    # What is the same for everybody: the page itself comes first.
    "": None,
    "{folder:static|fonts}{version:(-[0-9a-f]+)?}": None,
    "about": None,
    "glimpses": None,
}


async def check_attempts_are_refused(app: App, game: str, codes: set[str], step: int = 1) -> None:
    """Have somebody try every route of an app with a game's code, and find that it is refused with these codes.

    Presses and lines are tried with a `step` of so many.
    """
    paths = [route.path.partition("}/")[2].removeprefix("api/") for route in app.apps.mount.routes]
    assert {path.partition("/")[0] for path in paths} == {*ATTEMPTS}, (
        "say what a new route does for those who are not in the group"
    )
    home = (await app.get("home")).data
    assert (home["here"], home["chat"]) == ([], False)
    assert home["why"] in codes
    for route, attempt in ATTEMPTS.items():
        for answer in await attempt(app, game, step) if attempt is not None else ():
            assert (answer.status in (403, 404, 503), answer.refusal in codes) == (True, True), (route, answer.data)


async def check_nothing_is_possible(group: Group, person: Person, codes: set[str], step: int = 20) -> None:
    """Have somebody try whatever there is with an old link, and find that it is refused and does nothing.

    What is refused is refused in one place: by default one of twenty presses and lines is tried.
    """
    before = await group.stored_state()
    app = await group.opens(person)
    assert (app.data["game"], app.data["chat"]) == (None, False)
    assert app.data["refused"] in codes
    assert app.data["words"][f"error.{(await app.get('home')).data['why']}"]
    await check_attempts_are_refused(app, group.game, codes, step)
    stream = await app.listens(group.game)
    await group.moves()
    assert await hears_of(app, stream) == []
    await stream.close()
    after = await group.stored_state()
    assert after[:3] == before[:3]


async def hears_of(app: App, stream: ClientWebSocketResponse) -> list[Any]:
    """Return the games of which a stream tells until it tells of one that its person starts now."""
    assert (await app.post("say", text="/play annuvin computer")).status == 200
    async with asyncio.timeout(60):
        while not (news := await stream.receive_json())["list"]:
            assert not news["games"], news
    games: list[Any] = news["games"]
    return games


async def check_all_is_possible(group: Group, person: Person) -> None:
    """Have a member look on and put a game up."""
    app = await group.opens(person)
    assert (app.data["game"], app.data["chat"]) == (group.game, True)
    for route in ("board", "turns"):
        attempt = present(ATTEMPTS[route])
        assert {answer.status for answer in await attempt(app, group.game, 1)} == {200}
    opened = (await app.post("say", text="/play annuvin", where="chat")).data["open"]
    await group.scene.finish()
    assert opened in [game for game, _, _ in (await group.stored_state())[1]]


async def test_neither_a_stranger_with_the_link_nor_who_was_in_the_group_once_does_anything(group: Group) -> None:
    carla, eve = group.scene.people["Carla"], group.scene.person("Eve")
    group.scene.alone(eve)
    del group.scene.group.status[eve.id]
    await check_nothing_is_possible(group, eve, OUTSIDE)
    await check_all_is_possible(group, carla)
    group.scene.group.status[carla.id] = "left"
    group.apps.clock.now += A_YEAR
    await check_nothing_is_possible(group, carla, OUTSIDE, step=1)
    # And who has come back is a member again at once.
    group.scene.group.status[carla.id] = "member"
    await check_all_is_possible(group, carla)


async def test_while_telegram_does_not_answer_only_the_last_minute_counts(group: Group) -> None:
    carla = group.scene.people["Carla"]
    app = await group.opens(carla)
    faults = group.scene.telegram._faults["getChatMember"]
    faults += [FAULT] * 2000
    assert (await app.get(f"board?game={group.game}")).status == 200
    group.apps.clock.turn(seconds=ANSWER_LIFETIME_SECONDS)
    assert (await app.get(f"board?game={group.game}")).refusal == "membership-unanswered"
    await check_nothing_is_possible(group, carla, UNANSWERED)
    faults.clear()
    await check_all_is_possible(group, carla)


async def test_where_telegram_does_not_tell_only_those_with_a_seat_go_on(group: Group) -> None:
    group.scene.group.hides_members = True
    await check_nothing_is_possible(group, group.scene.people["Carla"], NOT_TOLD)
    app = await group.opens(group.scene.people["Anna"])
    assert (await app.get(f"board?game={group.game}")).status == 200
    group.scene.group.status[group.scene.telegram.bot.id] = "administrator"
    await check_all_is_possible(group, group.scene.people["Carla"])


async def test_who_has_left_finishes_the_games_in_which_they_sit_and_nothing_else(group: Group) -> None:
    for name in ("Anna", "Bruno"):
        group.scene.group.status[group.scene.people[name].id] = "kicked"
    group.apps.clock.now += A_YEAR
    app = {name: await group.opens(group.scene.people[name]) for name in ("Anna", "Bruno")}
    boards = {name: await each.board(group.game) for name, each in app.items()}
    (mover,) = [name for name, board in boards.items() if board["table"]["turn"]]
    turn = (await group.apps.front.context.table(group.game)).playing.state.legal_actions()[0].text
    assert (await app[mover].post("say", text=turn, open={"game": group.game})).status == 200
    moved = await app[mover].board(group.game)
    assert moved["table"]["revision"] > boards[mover]["table"]["revision"]
    await group.scene.finish()
    before = await group.stored_state()
    for line in ("/play annuvin", "/leaderboard", "/team annuvin", "/cup annuvin clock:1d players:4", "/board"):
        await app[mover].post("say", text=line, open={"game": group.game})
        assert (await app[mover].post("say", text=line, where="chat")).refusal == "not-in-chat"
    await group.scene.finish()
    assert await group.stored_state() == before
    resigned = await app[mover].post("press", press=f"resign!:{group.game}:{moved['table']['revision']}")
    assert resigned.status == 200
    assert present(await group.apps.store.games.get(group.game)).status == "over"


async def test_an_open_stream_ends_for_those_who_leave(group: Group) -> None:
    carla = group.scene.people["Carla"]
    app = await group.opens(carla)
    stream = await app.listens(group.game)
    async with asyncio.timeout(60):
        assert (await stream.receive_json())["games"][0]["revision"]
        await group.moves()
        assert (await stream.receive_json())["games"][0]["revision"]
        group.scene.group.status[carla.id] = "kicked"
        group.apps.clock.turn(seconds=ANSWER_LIFETIME_SECONDS)
        await group.moves()
        assert (await stream.receive_json())["games"] == [{"code": group.game}]
    assert (await app.get(f"board?game={group.game}")).refusal == "left-chat"
    await group.moves()
    assert await hears_of(app, stream) == []


async def test_a_session_that_is_used_all_day_asks_once_a_minute_and_moves_ask_nothing(group: Group) -> None:
    def asked() -> int:
        return group.scene.telegram.count("getChatMember")

    anna, carla = [await group.opens(group.scene.people[name]) for name in ("Anna", "Carla")]
    begun = asked()
    for _ in range(5):
        await carla.board(group.game)
        await carla.get("home")
    assert asked() == begun
    group.apps.clock.now += MAX_SESSION_AGE / 40
    begun = asked()
    for _ in range(5):
        board = await anna.board(group.game)
        if board["table"]["turn"]:
            await anna.post("press", press=next(iter(board["card"]["presses"].values())))
    assert asked() == begun, "who has a seat moves without being asked about"
    await carla.board(group.game)
    assert asked() == begun + 1


async def test_what_was_answered_before_people_changed_is_asked_anew(group: Group) -> None:
    scene, carla, store = group.scene, await group.opens(group.scene.people["Carla"]), group.apps.store
    group.apps.clock.turn(seconds=ANSWER_LIFETIME_SECONDS)
    async with scene.telegram.holding("getChatMember") as gate:
        looking = asyncio.create_task(carla.board(group.game))
        await scene.telegram.until(lambda: gate.waiting, "the question")
        newcomer = await store.people.identify("telegram", "4711", "Dora", at=scene.bot.clock.now)
        await store.privacy.forget_person(newcomer.id, scene.bot.clock.now)
        asked = scene.telegram.count("getChatMember")
    await looking
    await carla.board(group.game)
    assert scene.telegram.count("getChatMember") == asked + 2, "that one, and one afterwards"


async def test_a_place_that_changes_while_it_is_read_is_read_anew(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    carla, context = await group.opens(group.scene.people["Carla"]), group.apps.front.context
    access = AppAccess(context, group.apps.signer)
    session, table = present(access.read_session(carla.token, "telegram")), await context.table(group.game)
    read = Places.get

    async def overtaken(places: Places, number: int) -> PlaceRow | None:
        monkeypatch.undo()
        before = await read(places, number)
        await places.change_settings(number, {SOUND: False})
        return before

    monkeypatch.setattr(Places, "get", overtaken)
    person = carla.data["me"]["person"]
    places = [await access.place_for_game(session, table, person, plays=False) for _ in range(2)]
    assert [present(place).quiet for place in places] == [False, True]


class Noting(Sender):
    """A sender that notes what it would send."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    async def check(self, text: str) -> str:
        return text

    async def send(self, address: str, secret: str, delivery: str, timestamp: int, body: bytes) -> None:
        self.sent.append(delivery)


async def test_a_webhook_lasts_as_long_as_who_added_it_manages_the_group(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, sender, carla = group.scene, Noting(), group.scene.people["Carla"]
    monkeypatch.setattr("bot.platforms.webhooks.commands.SENDER", sender)
    job = scene.bot.tavoliere.jobs["webhooks"]
    assert isinstance(job, WebhookDeliveries)
    job.sender = sender
    scene.group.status[carla.id] = "administrator"
    scene.alone(carla)
    await scene.say(carla, "/webhook address:https://hooks.example/")
    (hook,) = await group.apps.store.webhooks.list_all()

    async def sent_after_a_move() -> int:
        before = len(sender.sent)
        group.apps.clock.turn(seconds=ANSWER_LIFETIME_SECONDS)
        await group.moves()
        await job.run_until_idle()
        return len(sender.sent) - before

    assert await sent_after_a_move()
    faults = scene.telegram._faults["getChatMember"]
    faults += [FAULT] * 100
    assert not await sent_after_a_move()
    faults.clear()
    await scene.say(carla, "/webhook")
    assert "cannot ask just now" in scene.private(carla)[-1].text
    assert await sent_after_a_move(), "what has waited is sent"
    scene.group.status[carla.id] = "member"
    assert not await sent_after_a_move()
    assert present(await group.apps.store.webhooks.get(hook.id)).stopped == NOT_MANAGED
    await scene.finish()
    assert any("does not manage this place any more" in message.text for message in scene.shown)
    scene.group.status[carla.id] = "administrator"
    assert not await sent_after_a_move()
    await scene.say(carla, "/webhook")
    assert "does not manage this place any more" in scene.private(carla)[-1].text
