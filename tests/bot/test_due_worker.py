"""A worker whose items stay due whatever it does leaves the rest of the program its time, and says so."""

from structlog.testing import capture_logs

from bot.kernel.post_kinds import MAX_ROUNDS, DueWorker
from tests.bot.party import Party


class Restless(DueWorker):
    """A worker for which something is always due, again at once."""

    rounds = 0

    async def _run_due(self) -> bool:
        self.rounds += 1
        return True


async def test_a_worker_that_does_not_rest_is_stopped_and_reported(party: Party) -> None:
    context = party.front.context
    worker = Restless(context, context.signals.event("restless"), "restless")
    with capture_logs() as logs:
        await worker.run_until_idle()
    assert worker.rounds == MAX_ROUNDS
    assert [(each["event"], each["job"]) for each in logs] == [("job-does-not-rest", "restless")]
