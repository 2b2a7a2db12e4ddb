"""The operator's view of a running `tavoliere serve`: logs, metrics, health, and error reports in a chat."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.cli.console import ENVIRONMENT, CommandFailed, Console
from bot.operations.logs import Censor, configure
from bot.operations.settings import Settings

if TYPE_CHECKING:
    from prometheus_client import Gauge

    from bot.app import Tavoliere
    from bot.operations.health import Failing
    from bot.operations.reports import Reporter
    from bot.web.server import WebServer
    from storage import Store


def start_logs(settings: Settings, *further: str) -> Reporter | None:
    """Start logging and counting errors; return the reporter, None if no reports are wanted.

    `further` are secrets besides those in the settings.
    """
    from bot.operations.reports import Counter, Reporter

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
    from bot.operations import metrics
    from bot.operations.server import Operations

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
    from bot.operations.reports import read_place, send_report
    from bot.operations.tasks import cancel_tasks

    place = read_place(settings.errors_to or "")
    voice = tavoliere.context.speaker(language).of("operations")
    task = asyncio.create_task(
        send_report(reporter, lambda: tavoliere.context.adapters.get(place.platform), place, voice), name="reports"
    )
    stack.push_async_callback(cancel_tasks, task)
