"""tools/check_mechanisms.py: a second way of sending, or of waiting for what is due, is found where it stands."""

from pathlib import Path

import pytest

from tools.check_mechanisms import ROOT, find_problems

LOOP = """
async def run(self):
    while True:
        await self.store.alarms.list_due(self.clock())
        await self.wanted.wait()
"""
SEND = """
async def show(context, adapter, place):
    await adapter.send(place, card)
    await context.adapters[place.platform].edit(place, "7", card)
"""


@pytest.mark.parametrize(
    ("name", "source", "lines"),
    [
        ("bot/table/alarms.py", LOOP, [3]),
        ("bot/kernel/alarms.py", LOOP, []),
        ("bot/outbox/worker.py", LOOP, []),
        ("bot/outbox/other.py", LOOP, [3]),
        ("bot/table/showing.py", SEND, [3, 4]),
        ("bot/outbox/showing.py", SEND, []),
        ("bot/table/sockets.py", "async def f(socket):\n    await socket.send(1)\n", []),
    ],
)
def test_a_second_way_is_found(tmp_path: Path, name: str, source: str, lines: list[int]) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert [found.split(":")[:2] for found in find_problems(tmp_path)] == [[name, str(line)] for line in lines]


def test_there_is_one_of_each_here() -> None:
    assert list(find_problems(ROOT)) == []
