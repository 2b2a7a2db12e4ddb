"""Several processes on one database: a session that one has begun goes on at another, which hears of all commits."""

import asyncio

from bot.kernel.app_sessions import AppSession, load_app_signer, new_session_times
from bot.platforms.apps.launches import DiscordLauncher
from bot.platforms.discord.activity import remember_launch
from storage import Store
from tests.apps.conftest import open_apps
from tests.apps.hosts import App


async def test_a_session_goes_on_at_another_process_which_hears_of_commits(two_stores: tuple[Store, Store]) -> None:
    async with open_apps(two_stores[0]) as one, open_apps(two_stores[1]) as other:
        code = await one.game("Anna", "Bruno")
        here = {name: await one.opens(name, await one.link(code)) for name in ("Anna", "Bruno")}
        there = {name: App(other, app.token, app.data) for name, app in here.items()}
        boards = {name: await app.board(code) for name, app in there.items()}
        (mover,) = [name for name, board in boards.items() if board["table"]["turn"]]
        watcher = next(name for name in there if name != mover)
        stream = await there[watcher].listens(code)
        state = (await one.front.context.table(code)).playing.state
        revision = boards[mover]["table"]["revision"]
        async with asyncio.timeout(60):
            await here[mover].post("press", press=f"text:{code}:{revision}={state.legal_actions()[0]}")
            # What another process has stored is told without what it has come to.
            while (await stream.receive_json())["games"] != [{"code": code}]:
                pass
        assert (await there[watcher].board(code))["table"]["revision"] > revision


async def test_a_press_in_one_process_switches_an_activity_at_another(two_stores: tuple[Store, Store]) -> None:
    async with open_apps(two_stores[0]) as one:
        launcher = DiscordLauncher("token", "secret", two_stores[1], one.clock)
        async with open_apps(two_stores[1], launcher) as other:
            code = await one.game("Anna", "Bruno")
            launched, expires = new_session_times(one.clock())
            session = AppSession("discord", "7", "Eve", None, None, launched, expires, instance="i-1")
            app = App(other, (await load_app_signer(one.store)).sign_session(session), {}, "discord")
            assert (await app.get(f"board?game={code}")).status == 404
            stream = await app.listens()
            await remember_launch(one.store, "i-1", "7", code, one.clock())
            async with asyncio.timeout(60):
                news = await stream.receive_json()
            assert news["open"] == code
            # Who can press the button below a board may look at it.
            assert (await App(other, news["token"], {}, "discord").get(f"board?game={code}")).status == 200
