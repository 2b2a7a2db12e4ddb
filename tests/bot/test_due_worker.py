"""A worker whose items stay due whatever it does leaves the rest of the program its time, and says so."""

import asyncio

from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.kernel.post_kinds import MAX_ROUNDS, DueWorker
from storage import Unreachable
from tests.bot.party import Party


class Restless(DueWorker):
    """A worker for which something is always due, again at once."""

    rounds = 0

    async def _run_due(self) -> bool:
        self.rounds += 1
        return True


class Cut(DueWorker):
    """A worker that finds the database away three times, then twice there, then away."""

    looks = 0

    async def _run_due(self) -> bool:
        self.looks += 1
        if self.looks < 6:
            self._wanted.set()
        if self.looks not in (4, 5):
            raise Unreachable(reason="gone")
        return False


async def test_an_outage_is_logged_when_it_begins_and_when_it_ends(party: Party) -> None:
    context = party.front.context
    worker, seen = Cut(context, context.signals.event("cut"), "cut"), asyncio.Event()

    def record_entry(_: object, __: str, entry: EventDict) -> EventDict:
        if worker.looks > 5:
            seen.set()
        return entry

    with capture_logs([record_entry]) as logs:
        worker.start()
        async with asyncio.timeout(60):
            await seen.wait()
        await worker.close()
    assert [each["event"] for each in logs] == [
        "cut-waits-for-the-database",
        "database-is-back",
        "cut-waits-for-the-database",
    ]


async def test_a_worker_that_does_not_rest_is_stopped_and_reported(party: Party) -> None:
    context = party.front.context
    worker = Restless(context, context.signals.event("restless"), "restless")
    with capture_logs() as logs:
        await worker.run_until_idle()
    assert worker.rounds == MAX_ROUNDS
    assert [(each["event"], each["job"]) for each in logs] == [("job-does-not-rest", "restless")]
