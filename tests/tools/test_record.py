"""tools/record.py: two runs of the same program are told the same, and another program's run is not."""

import json
from typing import Any

import pytest

from bot.kernel.texts import Speaker, Text
from tools.record import list_runs, record_run


async def test_records_differ_only_where_the_program_does(monkeypatch: pytest.MonkeyPatch) -> None:
    text = await record_run("team")
    assert text == await record_run("team")
    calls = {json.loads(line)["call"] for line in text.splitlines() if not line.startswith("drawn: ")}
    assert {"send", "edit", "answer"} <= calls
    assert "drawn: annuvin" in text
    say = Speaker.say

    def say_otherwise(self: Speaker, key: str, /, **values: Any) -> Text:
        return say(self, key, **values) * (2 if key == "team.proposed" else 1)

    monkeypatch.setattr(Speaker, "say", say_otherwise)
    assert await record_run("team") != text


def test_whole_games_of_all_kinds_are_recorded_on_both_platforms() -> None:
    assert {"room", "cup", "league", "team", "discord-annuvin", "telegram-annuvin"} <= set(list_runs())
