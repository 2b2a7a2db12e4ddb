"""Waiting for a computer's turn, where the answer is to show it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.context.context import Context


async def thought(context: Context, game: str, patience: float) -> None:
    """Return when no computer is to act in a game any more, when none can for now, or after so many seconds."""
    signals = context.signals
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while True:
                end = signals.next_end
                row = await context.store.game(game)
                if row is None or not row.thinking or game in signals.resting:
                    return
                await end.wait()
