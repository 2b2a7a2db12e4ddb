"""`tavoliere serve`: the bot. On shutdown it finishes work in progress, within ten seconds."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog
from prometheus_client import Gauge
from pydantic import SecretStr

from bot.cli.console import ENVIRONMENT, OK, CommandFailed, Console, Subcommand, argument
from bot.cli.database import explain_storage_errors, hide_password, lock_database, migrated_store
from bot.cli.files import DATA_FOLDER, read_host, whole_number
from bot.cli.installed_games import DamageWatch, log_set_aside_games, log_waiting_games
from bot.cli.operations import HTTPS, set_up_proxies
from bot.kernel.app_sessions import load_app_signer
from bot.kernel.context import Context
from bot.kernel.operations import metrics
from bot.kernel.operations.health import Failing, Operations
from bot.kernel.operations.limits import raise_open_files
from bot.kernel.operations.logs import Censor, Counter, Reporter, configure, read_place, send_report
from bot.kernel.operations.manager_secret import ManagerSecret, manager_link
from bot.kernel.operations.process import CpuAffinity, trim_memory
from bot.kernel.operations.settings import Settings, is_loopback, read_networks, split_url, unknown_settings
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.pictures import Artist
from bot.platforms.app import Tavoliere
from bot.platforms.web.request_guard import ClientAddresses, Mount
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import PageCannotListen, WebServer, public_mounts, start_web
from bot.thinking.thinkers import SearchPool
from render.pool import Painter, Projector
from storage import Locked

if TYPE_CHECKING:  # the platforms' libraries are large: only those of platforms with a token are imported
    from bot.platforms.discord.connection import DiscordConnection
    from bot.platforms.telegram.adapter import MiniApp
    from bot.platforms.telegram.connection import TelegramConnection

    Connection = DiscordConnection | TelegramConnection

GC_YOUNG_THRESHOLD: Final = 100_000
"""Threshold of the garbage collector's youngest generation: with the default 700, most objects are still in use."""
DRAIN_TIMEOUT_SECONDS: Final = 4.0
"""Maximum seconds to wait for replies in progress and due posts."""
CLOSE_TIMEOUT_SECONDS: Final = 0.5
"""Maximum seconds for closing each connection after that."""
SHUTDOWN_TIMEOUT_SECONDS: Final = 9.0
"""Seconds after which the process exits in any case, which cannot damage stored data."""

log = structlog.get_logger(__name__)


def _warn(console: Console) -> None:
    """Print the settings that are unknown, and those without effect."""
    settings = console.settings
    for name, meant in unknown_settings():
        console.complain("setting-unknown" if meant is None else "setting-mistyped", name=name, meant=meant)
    platform = (settings.errors_to or "").partition(":")[0]
    token = {"discord": settings.discord_token, "telegram": settings.telegram_token}
    if platform and token[platform] is None:
        console.complain("setting-needs-token", name="TAVOLIERE_ERRORS_TO", token=f"{platform.upper()}_TOKEN")


def manager_secret(console: Console) -> ManagerSecret:
    """Return the secret of the page's manager, creating it if there is none; print a failure to store it and go on."""
    secret = ManagerSecret(console.settings.data_dir)
    try:
        secret.load_or_create()
    except OSError as error:
        console.complain("serve.manager-none", file=str(secret.path), reason=error.strerror or str(error))
    return secret


def start_logs(settings: Settings, *further: str) -> Reporter | None:
    """Start logging and counting errors; return the reporter, None without reports in the settings.

    `further` are secrets besides those in the settings.
    """
    hidden = (value.get_secret_value() for _, value in settings if isinstance(value, SecretStr))
    secrets = [*hidden, *further]
    reporter = None if settings.errors_to is None else Reporter(Censor(secrets))
    handlers: list[logging.Handler] = [Counter()]
    if reporter is not None:
        handlers.append(reporter)
    configure(settings.log_level, settings.log_format, secrets, handlers)
    return reporter


async def _start_operations(
    stack: AsyncExitStack,
    tavoliere: Tavoliere,
    page: WebServer,
    fronts: Mapping[str, Connection],
    failing: Failing,
    console: Console,
) -> None:
    """Start the operations server, if a port is set; CommandFailed if the address is not available."""
    host, port = console.settings.operations_host, console.settings.operations_port
    if port is None:
        return
    context, thinkers = tavoliere.context, tavoliere.context.thinkers

    def figures() -> dict[Gauge, float]:
        return {
            metrics.SEARCHES_WAITING: len(thinkers.waiting),
            metrics.SEARCHES_WAITING_PEOPLE: thinkers.waiting.people_count,
            metrics.SEARCHES_WAITING_SECONDS: thinkers.longest_wait_seconds,
            metrics.PAGE_CONNECTIONS: page.connections,
            metrics.PAGE_STREAMS: page.streams,
        }

    def connected() -> dict[str, bool]:
        return {name: front.is_listening for name, front in fronts.items()}

    operations = Operations(context.store, connected, figures, failing, context.clock)
    try:
        port = await operations.start(host, port)
    except OSError:
        raise CommandFailed("serve.operations-listen", ENVIRONMENT, host=host, port=port) from None
    stack.push_async_callback(operations.stop)
    shown = f"[{host}]" if ":" in host else host
    console.say("serve.operations", address=f"http://{shown}:{port}")


def _run(_options: Namespace, console: Console) -> int:
    """Run the bot until it is stopped."""
    trim_memory()
    raise_open_files()
    _warn(console)
    set_up_proxies(console.settings)
    affinity = CpuAffinity()
    pinning = affinity.pinned() if console.settings.cpu_affinity == "one" else nullcontext()
    with pinning, lock_database(console, "serve.running-already") as hold_file:
        secret = manager_secret(console)
        reporter = start_logs(console.settings, secret() or "")
        # Damage may be found only when it is first read, while the page and the platforms start.
        with explain_storage_errors(console), asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(console, reporter, secret, hold_file, affinity))
    return OK


def new_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop, which saves a tenth of a move's cost; asyncio's if uvloop is not installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(
    console: Console,
    reporter: Reporter | None,
    secret: ManagerSecret,
    hold_file: Callable[[], None],
    affinity: CpuAffinity,
) -> None:
    settings, stopped = console.settings, asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(migrated_store(console))
        hold_file()
        # A lock of another process, such as one that inspects the file, is temporary.
        with suppress(Locked):
            await store.key_values.check_writable()
        store.start_sharing()
        log_set_aside_games(console.texts)
        await log_waiting_games(store)
        painter = await stack.enter_async_context(Painter())
        projector = await stack.enter_async_context(Projector())
        context = Context(
            store,
            console.texts,
            artist=Artist(painter.draw, animate=projector.show),
            language=console.language,
            thinkers=SearchPool(settings.thinkers or None, on_start=affinity.release),
            web_address=settings.web_address.rstrip("/"),
            is_chat_public=settings.is_chat_public,
        )
        tavoliere = Tavoliere(context)
        # Before anyone can press: durations are moved by the time for which the program was not running.
        await tavoliere.alarms.beat()
        clock = context.clock
        fronts: dict[str, Connection] = {}

        def failing() -> dict[str, str]:
            return {name: problem for name, front in fronts.items() if (problem := front.problem) is not None}

        room = ChatRoom(store, clock, context.web_address)
        tavoliere.add(room)
        tavoliere.alarms.cleanup.append(room.remove_old_messages)
        tavoliere.alarms.watching.append(DamageWatch(store, clock.monotonic).scan)
        names = [name.strip() for name in settings.web_names.split(",") if name.strip()]
        if public := split_url(settings.web_address).hostname:
            names.append(public)
        callers = ClientAddresses(read_networks(settings.web_proxies))
        apps = await _make_apps(tavoliere, settings)
        try:
            page = await start_web(
                tavoliere,
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
        if reporter is not None and settings.errors_to is not None:
            place, voice = read_place(settings.errors_to), tavoliere.context.speaker(None).of("operations")
            reports = send_report(reporter, lambda: tavoliere.context.adapters.get(place.platform), place, voice)
            stack.push_async_callback(cancel_tasks, asyncio.create_task(reports, name="reports"))
        await _start_operations(stack, tavoliere, page, fronts, failing, console)
        await tavoliere.start()
        stack.push_async_callback(tavoliere.close, CLOSE_TIMEOUT_SECONDS)
        affinity.start()
        stack.push_async_callback(affinity.stop)
        _greet(page, secret(), console)
        _greet_from_platforms(discord, telegram, console)
        _settle_memory()
        await stopped.wait()
        await _drain(tavoliere, fronts.values())
    console.say("serve.stopped", place=hide_password(settings))


@dataclass(frozen=True, slots=True)
class Apps:
    """The available apps: their pages, the link to the Mini App, and whether boards open the Activity."""

    mounts: tuple[Mount, ...] = ()
    mini_app: MiniApp | None = None
    activity: bool = False


async def _make_apps(tavoliere: Tavoliere, settings: Settings) -> Apps:
    """Return the apps; none without a public https address."""
    telegram, discord, secret = settings.telegram_token, settings.discord_token, settings.discord_client_secret
    if not settings.web_address.startswith(HTTPS) or not (telegram or (discord and secret)):
        return Apps()
    from bot.platforms.apps.launches import DiscordLauncher, Launcher, TelegramLauncher
    from bot.platforms.apps.pages import make_apps
    from bot.platforms.discord.activity import LAUNCH_MEMORY, forget_old_launches
    from bot.platforms.telegram.adapter import MiniApp

    store, clock = tavoliere.context.store, tavoliere.context.clock
    signer = await load_app_signer(store)
    launchers: list[Launcher] = []
    mini_app = None
    if telegram is not None:
        launchers.append(TelegramLauncher(telegram.get_secret_value(), signer, clock))
        mini_app = MiniApp(settings.web_address, settings.telegram_app, signer)
    if discord is not None and secret is not None:
        launchers.append(DiscordLauncher(discord.get_secret_value(), secret.get_secret_value(), store, clock))
        tavoliere.alarms.cleanup.append(lambda: forget_old_launches(store, clock() - LAUNCH_MEMORY))
    mount = make_apps(tavoliere, signer, launchers)
    return Apps((mount,), mini_app, discord is not None and secret is not None)


async def _connect_discord(tavoliere: Tavoliere, settings: Settings, apps: Apps) -> DiscordConnection | None:
    """Return the connection to Discord, None without a token; CommandFailed only for a wrong token."""
    if settings.discord_token is None:
        return None
    from bot.platforms.discord.client import DiscordTokenRefused
    from bot.platforms.discord.connection import DiscordConnection

    connection = DiscordConnection(
        tavoliere,
        token=settings.discord_token.get_secret_value(),
        # If several processes share a database, only one of them listens to each shard.
        shards=settings.discord_shards or (1 if tavoliere.context.store.is_shared else None),
    )
    connection.adapter.opens_activity = apps.activity
    try:
        return await connection.start()
    except DiscordTokenRefused:
        raise CommandFailed("serve.discord-token", ENVIRONMENT) from None


async def _connect_telegram(tavoliere: Tavoliere, settings: Settings, apps: Apps) -> TelegramConnection | None:
    """Return the connection to Telegram, None without a token; CommandFailed if the operator must change a setting."""
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
        raise CommandFailed("serve.telegram-listen", ENVIRONMENT, **error.details) from None


def _settle_memory() -> None:
    """Exclude existing objects from garbage collection, and run it less often for new ones.

    A full collection blocks all replies for a tenth of a second, and most of these objects are permanent.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG_THRESHOLD)


def _greet(page: WebServer, secret: str | None, console: Console) -> None:
    """Print where the page is, and the manager's link, to a terminal only: a pipe may end in a log that others read."""
    console.say("serve.running")
    console.say("serve.page", address=page.address)
    if not is_loopback(console.settings.web_host):
        console.say("serve.network", port=page.port)
    if secret is not None and sys.stdout.isatty():
        console.say("serve.manager", link=manager_link(page.address, secret))
    elif secret is not None:
        console.say("serve.manager-told")


def _greet_from_platforms(
    discord: DiscordConnection | None, telegram: TelegramConnection | None, console: Console
) -> None:
    if discord is None:
        console.say("serve.discord-none")
    elif discord.name is None:
        console.say("serve.discord-later")
    else:
        console.say("serve.discord", name=discord.name, address=discord.adapter.invitation)
    if telegram is None:
        console.say("serve.telegram-none")
    elif (account := telegram.account) is None:
        console.say("serve.telegram-later")
    else:
        console.say("serve.telegram", name=account.name)
        # In inline mode, people post games to any chat; in guest mode, they mention the bot there.
        if not account.supports_inline_queries:
            console.say("serve.telegram-unlisted", name=account.name)
        if not account.supports_guest_queries:
            console.say("serve.telegram-no-guest", name=account.name)


async def _drain(tavoliere: Tavoliere, fronts: Iterable[Connection]) -> None:
    """Answer pending requests and deliver due posts, within `DRAIN_TIMEOUT_SECONDS`."""
    last = threading.Timer(SHUTDOWN_TIMEOUT_SECONDS, os._exit, (1,))
    last.daemon = True
    last.start()
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_SECONDS):
            await asyncio.gather(*(front.drain() for front in fronts))
            await tavoliere.delivery.run_until_idle()
            return
    log.warning("shutdown-timed-out")


SUBCOMMANDS: Final = {
    "serve": Subcommand(
        _run,
        (
            argument("--host", read_host, about="web-host", dest="web_host", metavar="ADDRESS"),
            argument("--port", whole_number(0, 65535), dest="web_port", metavar="N"),
            DATA_FOLDER,
        ),
    )
}
