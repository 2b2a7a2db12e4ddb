"""Waiting for a computer's turn, where the answer is to show it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.core.context import Context


async def wait_for_computer(context: Context, game: str, timeout_seconds: float) -> None:
    """Return when no computer is to act in a game any more, when none can for now, or after so many seconds."""
    signals = context.signals
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_seconds):
            while True:
                end = signals.next_computer_done
                row = await context.store.games.get(game)
                if row is None or not row.thinking or game in signals.resting:
                    return
                await end.wait()
