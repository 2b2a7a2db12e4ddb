"""Random interleavings of presses, commits from elsewhere, lost connections and restarts: nothing contradicts."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from storage import Store, coordination
from tests.durability.interleavings import STEPS, Interleaving
from tests.support.postgres import Postgres

QUICK: Final = 3
LONG: Final = 60
SCRIPTS = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 1), st.integers(0, 999)), min_size=12, max_size=30)
Script = list[tuple[str, int, int]]
BOTH: Final = [QUICK, pytest.param(LONG, marks=[pytest.mark.full, pytest.mark.timeout(1800)])]


async def carry_out(interleaving: Interleaving, count: int, script: Script) -> None:
    """Carry a script out with so many processes, and check what must be so at its end."""
    try:
        await interleaving.begin(count)
        for step in script:
            await interleaving.step(*step)
        await interleaving.check_in_the_end()
    finally:
        await interleaving.end()


def try_scripts(most: int, carry: Callable[[Script], Coroutine[Any, Any, None]]) -> None:
    """Try so many scripts."""

    @settings(max_examples=most)
    @given(script=SCRIPTS)
    def try_script(script: Script) -> None:
        asyncio.run(carry(script))

    try_script()


@pytest.mark.parametrize("most", BOTH)
def test_two_processes_on_a_server(most: int, postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordination, "MIN_BACKOFF_SECONDS", 0.01)

    async def carry(script: Script) -> None:
        name = await postgres.take_empty_database()
        lost = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"

        async def cut() -> None:
            await postgres.execute(f"{lost} AND datname = current_database()", name)

        await carry_out(Interleaving(lambda: Store.open(postgres.address(name)), cut), 2, script)

    try_scripts(most, carry)


@pytest.mark.parametrize("most", BOTH)
def test_one_process_on_a_file(most: int, tmp_path: Path, empty_database: Path) -> None:
    numbers = iter(range(10_000))

    async def carry(script: Script) -> None:
        path = tmp_path / f"{next(numbers)}.db"
        await asyncio.to_thread(shutil.copy, empty_database, path)
        await carry_out(Interleaving(lambda: Store.open(path), None), 1, script)

    try_scripts(most, carry)
