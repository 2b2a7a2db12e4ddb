"""Errors are told in the operator's channel: each kind once an hour, never with a token."""

import asyncio
import logging
from contextlib import suppress

import pytest
import structlog

from bot.cli.serve import start_logs
from bot.kernel.operations import logs as reports
from bot.kernel.operations.logs import Censor, Report, Reporter, configure, read_place, send_report
from bot.kernel.operations.settings import Settings
from bot.kernel.requests import TryLater, Undeliverable
from bot.kernel.texts import Texts
from tests.bot.party import Recorder, Shown
from tests.operations.conftest import Seconds
from tests.support.figures import figure
from tests.support.present import present

SECRET = "123456789:AAHk-secretsecretsecretsecretsecret"


@pytest.fixture
def reporter(logs: None, seconds: Seconds) -> Reporter:
    """A reporter that hears all logs of the process."""
    made = Reporter(Censor([SECRET]), seconds)
    configure("error", "text", [SECRET], [made])
    return made


def counted(kind: str) -> float:
    return figure("tavoliere_errors_total", kind=kind)


@pytest.mark.parametrize("errors_to", [None, "telegram:-100123"])
def test_every_error_is_counted_once_with_or_without_reports(logs: None, errors_to: str | None) -> None:
    ours, library = "bot.counted: broken-game", "some.counted: error"
    before = counted(ours), counted(library)
    assert (start_logs(Settings(errors_to=errors_to)) is None) == (errors_to is None)
    for _ in range(3):
        structlog.get_logger("bot.counted").error("broken-game", game="K7QF22")
    structlog.get_logger("bot.counted").warning("undeliverable")
    logging.getLogger("some.counted").error("cannot %s", "open")
    assert (counted(ours) - before[0], counted(library) - before[1]) == (3, 1)


async def taken(reporter: Reporter) -> Report | None:
    """Return the next report, None if nothing is to be told."""
    with suppress(TimeoutError):
        async with asyncio.timeout(0):
            return await reporter.take()
    return None


async def test_each_kind_of_error_is_reported_once_an_hour_with_a_count(reporter: Reporter, seconds: Seconds) -> None:
    log = structlog.get_logger("bot.somewhere")
    for _ in range(4):
        log.error("broken-game", game="K7QF22")
    log.error("another-thing")
    first = await reporter.take()
    assert "broken-game" in first.kind
    assert "K7QF22" in first.detail
    assert "another-thing" in (await reporter.take()).kind
    assert await taken(reporter) is None
    seconds.now = 3601
    log.error("broken-game", game="K7QF22")
    assert (await reporter.take()).more == 3


async def test_full_report_queue_drops_the_oldest(reporter: Reporter) -> None:
    log = structlog.get_logger("bot.x")
    kinds = [f"trouble {number}" for number in range(reports.MAX_QUEUED_REPORTS + 3)]
    for kind in kinds:
        log.error(kind)
    sent = []
    while report := await taken(reporter):
        sent.append(report.kind)
    assert sent == [f"bot.x: {kind}" for kind in kinds[3:]]


async def test_of_too_many_kinds_those_that_came_last_stay_known(reporter: Reporter) -> None:
    log = structlog.get_logger("bot.x")
    for kind in [f"trouble {number}" for number in range(reports.MAX_KINDS)]:
        log.error(kind)
        log.error("trouble 0")
    log.error("one more")
    while await taken(reporter):
        pass
    log.error("trouble 0")
    assert await taken(reporter) is None
    log.error("trouble 1")
    assert present(await taken(reporter)).kind == "bot.x: trouble 1"


async def test_library_errors_and_exceptions_are_reported(reporter: Reporter) -> None:
    logging.getLogger("some.library").error("cannot %s", "open")
    assert "cannot open" in (await reporter.take()).detail
    try:
        raise ValueError("a thing went wrong")
    except ValueError:
        structlog.get_logger("bot.x").exception("request-failed")
    assert "a thing went wrong" in (await reporter.take()).detail


async def test_warnings_are_not_reported(reporter: Reporter) -> None:
    structlog.get_logger("bot.x").warning("undeliverable", game="K7QF22")
    assert await taken(reporter) is None


async def test_reports_hide_tokens(reporter: Reporter) -> None:
    structlog.get_logger("bot.x").error("failed", reason=f"https://api.telegram.org/bot{SECRET}/sendPhoto")
    logging.getLogger("other").error("postgresql://anna:hunter2@host/db %s", SECRET)
    for _ in range(2):
        report = await reporter.take()
        assert SECRET not in report.detail + report.kind
        assert "hunter2" not in report.detail


async def send_reports(reporter: Reporter, channel: Recorder, place: str, language: str, *errors: str) -> Shown:
    """Have errors happen one after the other; return the message that comes to a place of the channel's platform."""
    voice = Texts().speaker(language).of("operations")
    task = asyncio.create_task(send_report(reporter, lambda: channel, read_place(place), voice))
    for error in errors:
        structlog.get_logger("bot.x").error(error, game="K7QF22")
    await channel.until(lambda: bool(channel.messages))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    (message,) = channel.messages.values()
    return message


@pytest.mark.parametrize(("language", "words"), [("en", "Something went wrong"), ("it", "Qualcosa è andato storto")])
async def test_reports_reach_the_place_in_the_settings(reporter: Reporter, language: str, words: str) -> None:
    channel = Recorder("telegram", faults=[TryLater(0.0)])
    message = await send_reports(reporter, channel, "telegram:-100123:7", language, "broken-game")
    place = message.place
    assert (place.platform, place.channel, place.thread) == ("telegram", "-100123", "7")
    assert words in message.text
    assert "K7QF22" in message.text


@pytest.mark.parametrize(
    "failures",
    [[Undeliverable("channel-gone")], [TryLater(0.001)] * reports.MAX_ATTEMPTS],
    ids=["the channel is gone", "the last attempt fails"],
)
async def test_report_that_cannot_be_delivered_does_not_end_the_next(
    reporter: Reporter, failures: list[BaseException | None]
) -> None:
    message = await send_reports(reporter, Recorder("discord", faults=failures), "discord:5", "en", "first", "second")
    assert "second" in message.text


@pytest.mark.parametrize("wrong", ["", "discord", "discord:", "discord:abc", "web:1", "telegram:1:x", "telegram:--1x"])
def test_invalid_report_place_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_place(wrong)
