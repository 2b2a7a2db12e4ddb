"""A process of its own that sends what webhooks were not sent, and can be killed at any moment."""

import asyncio
import ssl
from multiprocessing.process import BaseProcess
from pathlib import Path

from bot.platforms.webhooks.job import WebhookDeliveries
from bot.platforms.webhooks.sender import Sender
from storage import Store
from tests.bot.party import Party
from tests.durability.process import FORKS
from tests.public.world import ADDRESS


def start_sending(address: str, certificate: str, *, shared: bool) -> BaseProcess:
    """Start a process that sends: until it is killed where it shares its database, else until all is sent."""
    process = FORKS.Process(target=_send, args=(address, certificate, shared), daemon=True)
    process.start()
    return process


def _send(address: str, certificate: str, shared: bool) -> None:
    asyncio.run(_send_all(address, certificate, shared=shared))


async def _send_all(address: str, certificate: str, *, shared: bool) -> None:
    async with await Store.open(address if shared else Path(address)) as store:
        party = Party(store, web_address=ADDRESS)
        job = party.front.jobs["webhooks"]
        assert isinstance(job, WebhookDeliveries)
        job.sender = Sender(lambda _: True, ssl.create_default_context(cafile=certificate))
        if not shared:
            await job.run_until_idle()
            return
        store.start_sharing()
        job.start()
        await asyncio.Event().wait()
