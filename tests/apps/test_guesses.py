"""Guesses in the app: its board offers them to those who watch, and shows nobody else that one was made."""

import asyncio
from collections.abc import Iterator
from typing import Any

from bot.kernel.presses import GUESS, GUESS_TURN, press
from tests.apps.hosts import App, Apps
from tests.web.browser import list_buttons


def _presses(card: dict[str, Any] | None) -> Iterator[str]:
    """Yield all that a card's buttons and cells carry."""
    yield from (each["press"] for each in list_buttons({"card": card}))
    yield from (card or {}).get("presses", {}).values()


async def _views(app: App, code: str) -> list[Any]:
    """Return all that the app tells somebody of a game and of their games."""
    return [(await app.get(path)).data for path in (f"board?game={code}", f"turns?game={code}", "home")]


async def test_guess_in_the_app_is_private(apps: Apps) -> None:
    code = await apps.game("Anna", "Bruno")
    opened = {name: await apps.opens(name, await apps.link(code)) for name in ("Anna", "Bruno", "Carla", "Eve")}
    eve, others = opened["Eve"], [opened[name] for name in ("Anna", "Bruno", "Carla")]
    begin = press(GUESS, code)
    assert begin not in _presses((await eve.board(code))["card"])
    for name in ("Anna", "Bruno"):
        await apps.presses(name, press("guessyes", code))
    assert begin in _presses((await eve.board(code))["card"])
    assert begin not in _presses((await opened["Anna"].board(code))["card"])
    stream = await opened["Anna"].listens(code)
    before = [await _views(app, code) for app in others]
    shown = [message.card for message in apps.adapter.messages.values()]
    answer = await eve.post("press", press=begin)
    carried: list[str] = []
    while not any(each.startswith(f"{GUESS_TURN}:") for each in carried):
        carried = list(_presses(answer.data["card"]))
        tried = [each for each in carried if each.startswith("t:")]
        guesses = [each for each in carried if each.startswith(f"{GUESS_TURN}:")]
        answer = await eve.post("press", press=(guesses or tried)[0])
    assert "Nobody else sees it" in str(answer.data)
    (guess,) = await apps.store.guesses.list_in_game(code)
    assert guess.actions
    await apps.front.delivery.run_until_idle()
    assert [await _views(app, code) for app in others] == before
    assert [message.card for message in apps.adapter.messages.values()] == shown
    # What Eve's board carried, pressed by others, neither tells nor guesses anything.
    for app in others:
        for each in [*carried, press("guesstable", code)]:
            answer = await app.post("press", press=each)
            assert "You guess that" not in str(answer.data)
            assert "Eve" not in str(answer.data)
    assert await apps.store.guesses.list_in_game(code) == [guess]
    table = await apps.front.context.table(code)
    mover = table.people[table.row.to_move or 0].name
    for text in guess.actions:
        await apps.presses(mover, f"text:{code}:{table.row.revision}={text}")
    async with asyncio.timeout(60):
        assert "Eve" not in str(await stream.receive_json())
    assert "Eve" in str((await opened["Anna"].post("press", press=press("guesstable", code))).data)
