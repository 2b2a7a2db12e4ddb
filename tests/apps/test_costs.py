"""What a move from the app asks of the database: no more than a press in the chat."""

from pathlib import Path
from typing import Any

from storage import Store
from tests.apps.conftest import open_apps
from tests.apps.hosts import GROUP, App
from tests.support.counting import BEGIN, listed_statements


async def _mover(apps: dict[str, App], code: str) -> tuple[str, dict[str, Any]]:
    boards = {name: await app.board(code) for name, app in apps.items()}
    return next((name, board) for name, board in boards.items() if board["table"]["turn"])


async def _target(app: App, board: dict[str, Any]) -> str:
    """Choose the first piece of a board; return the press that completes the move."""
    asked = await app.post("press", press=next(iter(board["card"]["presses"].values())))
    presses: list[str] = list(asked.data["board"]["card"]["presses"].values())
    return max(presses, key=lambda press: press.count("."))


async def test_a_move_from_the_app_asks_no_more_than_a_press_in_the_chat(tmp_path: Path) -> None:
    with listed_statements() as listed:
        async with await Store.open(tmp_path / "tavoliere.db") as store, open_apps(store) as apps:
            code = await apps.game("Anna", "Bruno")
            opened = {name: await apps.opens(name) for name in ("Anna", "Bruno")}
            asked: dict[str, list[str]] = {}
            # The first turns have memory know who everybody is.
            for where in ("chat", "chat", "app", "app", "chat", "app"):
                name, board = await _mover(opened, code)
                press = await _target(opened[name], board)
                listed.clear()
                if where == "chat":
                    assert not (await apps.front.press(apps.in_chat(name, GROUP), press)).failed
                else:
                    assert (await opened[name].post("press", press=press)).status == 200
                asked[where] = [*listed]
                await apps.front.delivery.run_until_idle()
            assert 0 < len(asked["app"]) <= len(asked["chat"]), asked
            # Neither a half-made choice nor the board that follows begins a transaction.
            name, board = await _mover(opened, code)
            listed.clear()
            await _target(opened[name], board)
            await opened[name].board(code)
            assert BEGIN not in listed
            assert len(listed) <= 8
