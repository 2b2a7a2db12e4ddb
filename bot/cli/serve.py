"""`tavoliere serve`: the bot itself."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.cli.console import ENVIRONMENT, OK, CommandFailed, Console
from bot.cli.database import explain_storage_errors, hide_password, lock_database, open_store
from bot.cli.files import host_name, whole_number
from bot.cli.starting import Apps, make_apps, manager_secret, see_that_it_can_be_written, set_up_proxies, warn
from bot.kernel.operations.limits import raise_open_files
from bot.kernel.operations.logs import Censor, configure
from bot.kernel.operations.manager_secret import ManagerSecret, manager_link
from bot.kernel.operations.process import CpuAffinity, trim_memory
from bot.kernel.operations.settings import Settings, is_loopback, read_networks, split_url

if TYPE_CHECKING:
    from prometheus_client import Gauge

    from bot.kernel.operations.health import Failing
    from bot.kernel.operations.logs import Reporter
    from bot.platforms.app import Tavoliere
    from bot.platforms.discord.connection import DiscordConnection
    from bot.platforms.telegram.connection import TelegramConnection
    from bot.platforms.web.server import WebServer
    from storage import Store


def start_logs(settings: Settings, *further: str) -> Reporter | None:
    """Start logging and counting errors; return the reporter, None if no reports are wanted.

    `further` are secrets besides those in the settings.
    """
    from bot.kernel.operations.logs import Counter, Reporter

    hidden = (
        settings.discord_token,
        settings.discord_client_secret,
        settings.telegram_token,
        settings.telegram_webhook_secret,
        settings.database_url,
        settings.https_proxy,
        settings.http_proxy,
    )
    secrets = [*(secret.get_secret_value() for secret in hidden if secret), *further]
    reporter = None if settings.errors_to is None else Reporter(Censor(secrets))
    handlers: list[logging.Handler] = [Counter()]
    if reporter is not None:
        handlers.append(reporter)
    configure(settings.log_level, settings.log_format, secrets, handlers)
    return reporter


async def start_operations(
    stack: AsyncExitStack,
    store: Store,
    tavoliere: Tavoliere,
    page: WebServer,
    connected: Mapping[str, Callable[[], bool]],
    failing: Failing,
    settings: Settings,
    console: Console,
) -> None:
    """Start the operations server, if a port is set; CommandFailed if the address is not available."""
    if settings.operations_port is None:
        return
    from bot.kernel.operations import metrics
    from bot.kernel.operations.health import Operations

    thinkers = tavoliere.context.thinkers

    def figures() -> dict[Gauge, float]:
        return {
            metrics.SEARCHES_WAITING: thinkers.waiting_count,
            metrics.SEARCHES_WAITING_PEOPLE: thinkers.people_waiting,
            metrics.SEARCHES_WAITING_SECONDS: thinkers.longest_wait_seconds,
            metrics.PAGE_CONNECTIONS: page.connections,
            metrics.PAGE_STREAMS: page.streams,
        }

    host = settings.operations_host
    operations = Operations(store, connected, figures, failing, tavoliere.context.clock)
    try:
        port = await operations.start(host, settings.operations_port)
    except OSError:
        raise CommandFailed("serve.operations-listen", ENVIRONMENT, host=host, port=settings.operations_port) from None
    stack.push_async_callback(operations.stop)
    shown = f"[{host}]" if ":" in host else host
    console.say("serve.operations", address=f"http://{shown}:{port}")


def start_reports(
    stack: AsyncExitStack, reporter: Reporter, tavoliere: Tavoliere, settings: Settings, language: str
) -> None:
    """Send error reports to the place in the settings."""
    from bot.kernel.operations.logs import read_place, send_report
    from bot.kernel.operations.tasks import cancel_tasks

    place = read_place(settings.errors_to or "")
    voice = tavoliere.context.speaker(language).of("operations")
    task = asyncio.create_task(
        send_report(reporter, lambda: tavoliere.context.adapters.get(place.platform), place, voice), name="reports"
    )
    stack.push_async_callback(cancel_tasks, task)


GC_YOUNG_THRESHOLD: Final = 100_000
"""Threshold of the garbage collector's youngest generation; at the default 700, most objects are still in use."""


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("--host", type=host_name(console), metavar="ADDRESS", help=console.line("arg.web-host"))
    parser.add_argument("--port", type=whole_number(0, 65535, console), metavar="N", help=console.line("arg.port"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Run until stopped."""
    chosen = {"web_host": options.host, "web_port": options.port, "data_dir": options.data_dir}
    settings = console.settings.model_copy(update={name: value for name, value in chosen.items() if value is not None})
    trim_memory()
    raise_open_files()
    warn(settings, console)
    set_up_proxies(settings)
    affinity = CpuAffinity()
    pinning = affinity.pinned() if settings.cpu_affinity == "one" else nullcontext()
    with pinning, lock_database(settings, "serve.running-already") as hold_file:
        secret = manager_secret(settings, console)
        reporter = start_logs(settings, secret() or "")
        # Damage may only show when it is first read, while the page and the platforms start.
        with explain_storage_errors(hide_password(settings)), asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(settings, console, reporter, secret, hold_file, affinity))
    return OK


def new_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop, which saves a tenth of the cost of a move; Python's own if it is not installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(
    settings: Settings,
    console: Console,
    reporter: Reporter | None,
    secret: ManagerSecret,
    hold_file: Callable[[], None],
    affinity: CpuAffinity,
) -> None:
    # Imported here, so that the other subcommands start quickly.
    from bot.cli.installed_games import DamageWatch, log_set_aside_games, log_waiting_games
    from bot.cli.leaving import CLOSE_TIMEOUT_SECONDS, drain_platforms
    from bot.platforms.app import Tavoliere
    from bot.platforms.web.request_guard import ClientAddresses
    from bot.platforms.web.room import ChatRoom
    from bot.platforms.web.server import PageCannotListen, public_mounts, start_web
    from bot.thinking.thinkers import SearchPool
    from render.pool import Painter, Projector

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    async with AsyncExitStack() as stack:
        store = await open_store(settings, console)
        stack.push_async_callback(store.close)
        hold_file()
        await see_that_it_can_be_written(store, settings)
        store.start_sharing()
        log_set_aside_games(console.texts)
        await log_waiting_games(store)
        painter = await stack.enter_async_context(Painter())
        projector = await stack.enter_async_context(Projector())
        tavoliere = Tavoliere(
            store,
            language=settings.language or console.language,
            draw=painter.draw,
            texts=console.texts,
            animate=projector.show,
            thinkers=SearchPool(settings.thinkers or None, on_start=affinity.release),
            web_address=settings.web_address,
            is_chat_public=settings.is_chat_public,
        )
        # Before anybody can press: what was due while the program was away is not due yet.
        await tavoliere.alarms.beat()
        clock = tavoliere.context.clock
        fronts: dict[str, DiscordConnection | TelegramConnection] = {}

        def failing() -> dict[str, str]:
            return {name: problem for name, front in fronts.items() if (problem := front.problem) is not None}

        room = ChatRoom(store, clock, settings.web_address.rstrip("/"))
        tavoliere.add(room)
        tavoliere.alarms.cleanup.append(room.remove_old_messages)
        tavoliere.alarms.watching.append(DamageWatch(store, clock.monotonic).scan)
        names = [name.strip() for name in settings.web_names.split(",") if name.strip()]
        if public := split_url(settings.web_address).hostname:
            names.append(public)
        callers = ClientAddresses(read_networks(settings.web_proxies))
        apps = await make_apps(tavoliere, store, console.texts, settings, clock)
        try:
            page = await start_web(
                tavoliere,
                store,
                console.texts,
                room,
                host=settings.web_host,
                port=settings.web_port,
                hosts=names,
                callers=callers,
                newcomers_per_hour=settings.web_newcomers,
                secret=secret,
                failing=failing,
                mounts=(*public_mounts(tavoliere.context, callers), *apps.mounts),
            )
        except PageCannotListen as error:
            key = f"serve.listen-{error.reason}"
            raise CommandFailed(key, ENVIRONMENT, host=error.host, port=error.port) from None
        stack.push_async_callback(page.stop)
        discord = await _connect_discord(tavoliere, settings, apps)
        if discord is not None:
            fronts["discord"] = discord
            stack.push_async_callback(discord.stop, CLOSE_TIMEOUT_SECONDS)
        telegram = await _connect_telegram(tavoliere, settings, apps)
        if telegram is not None:
            fronts["telegram"] = telegram
            stack.push_async_callback(telegram.stop, CLOSE_TIMEOUT_SECONDS)
        if reporter is not None:
            start_reports(stack, reporter, tavoliere, settings, settings.language or console.language)
        connected = {name: partial(_is_up, front) for name, front in fronts.items()}
        await start_operations(stack, store, tavoliere, page, connected, failing, settings, console)
        await tavoliere.start()
        stack.push_async_callback(tavoliere.close, CLOSE_TIMEOUT_SECONDS)
        affinity.start()
        stack.push_async_callback(affinity.stop)
        _greet(page.address, page.port, settings, console)
        _greet_manager(page.address, secret(), console)
        _greet_discord(discord, console)
        _greet_telegram(telegram, console)
        _settle_memory()
        await stopped.wait()
        await drain_platforms(tavoliere, fronts.values())
    console.say("serve.stopped", place=hide_password(settings))


async def _connect_discord(tavoliere: Tavoliere, settings: Settings, apps: Apps) -> DiscordConnection | None:
    """Return the connection to Discord, None without a token; only a wrong token ends the program."""
    if settings.discord_token is None:
        return None
    from bot.platforms.discord.client import DiscordTokenRefused
    from bot.platforms.discord.connection import DiscordConnection

    connection = DiscordConnection(
        tavoliere,
        token=settings.discord_token.get_secret_value(),
        # If several processes may share a database, only one of them listens to each shard.
        shards=settings.discord_shards or (1 if tavoliere.context.store.is_shared else None),
    )
    connection.adapter.opens_activity = apps.activity
    try:
        return await connection.start()
    except DiscordTokenRefused:
        raise CommandFailed("serve.discord-token", ENVIRONMENT) from None


async def _connect_telegram(tavoliere: Tavoliere, settings: Settings, apps: Apps) -> TelegramConnection | None:
    """Return the connection to Telegram, None without a token; exit if the operator must change a setting."""
    if settings.telegram_token is None:
        return None
    from bot.platforms.telegram.connection import TelegramConnection, TelegramTokenRefused
    from bot.platforms.telegram.updates import WebhookCannotListen, WebhookSettings

    webhook = None
    if settings.telegram_webhook is not None:
        secret = settings.telegram_webhook_secret
        webhook = WebhookSettings(
            settings.telegram_webhook,
            settings.telegram_webhook_host,
            settings.telegram_webhook_port,
            secret.get_secret_value() if secret is not None else None,
        )
    connection = TelegramConnection(
        tavoliere,
        token=settings.telegram_token.get_secret_value(),
        webhook=webhook,
        api=settings.telegram_api,
        store_chat=settings.telegram_store_chat,
        app=apps.mini_app,
    )
    try:
        return await connection.start()
    except TelegramTokenRefused:
        raise CommandFailed("serve.telegram-token", ENVIRONMENT) from None
    except WebhookCannotListen as error:
        raise CommandFailed("serve.telegram-listen", ENVIRONMENT, host=error.host, port=error.port) from None


def _settle_memory() -> None:
    """Exclude existing objects from garbage collection, and run it less often for new ones.

    A full collection takes a tenth of a second, in which no one is answered, and most of these objects are permanent.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG_THRESHOLD)


def _greet(address: str, port: int, settings: Settings, console: Console) -> None:
    console.say("serve.running")
    console.say("serve.page", address=address)
    if not is_loopback(settings.web_host):
        console.say("serve.network", port=port)


def _greet_manager(address: str, secret: str | None, console: Console) -> None:
    """Print the manager's link to a terminal only; a pipe may end in a log that others read."""
    if secret is None:
        return
    if sys.stdout.isatty():
        console.say("serve.manager", link=manager_link(address, secret))
    else:
        console.say("serve.manager-told")


def _greet_discord(discord: DiscordConnection | None, console: Console) -> None:
    if discord is None:
        console.say("serve.discord-none")
    elif discord.name is None:
        console.say("serve.discord-later")
    else:
        console.say("serve.discord", name=discord.name, address=discord.invitation)


def _greet_telegram(telegram: TelegramConnection | None, console: Console) -> None:
    if telegram is None:
        console.say("serve.telegram-none")
    elif telegram.name is None:
        console.say("serve.telegram-later")
    else:
        console.say("serve.telegram", name=telegram.name)
        if not telegram.supports_inline:
            console.say("serve.telegram-unlisted", name=telegram.name)
        if not telegram.supports_guest_mode:
            console.say("serve.telegram-no-guest", name=telegram.name)


def _is_up(front: DiscordConnection | TelegramConnection) -> bool:
    return front.is_listening
