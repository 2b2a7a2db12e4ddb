"""Buttons of a half-made choice that come when the game has moved on: no old board gets any."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.requests import Place, Reply, Request, User
from storage import Store
from tests.telegram.harness import Scene


async def test_a_choice_that_comes_late_gives_an_old_board_no_buttons(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, other = await scene.started()
    board, front = scene.board, scene.bot.tavoliere
    press, example = front.press, board.marked.code[-1]

    async def late(request: Request, pressed: str) -> Reply:
        reply = await press(request, pressed)
        # Before the buttons are there the same person has typed a move, and the next board is shown.
        await front.command(replace(request, event="typed", message=None), "move", {"move": example})
        await front.delivery.settle()
        return reply

    monkeypatch.setattr(front, "press", late)
    await scene.tap(mover, board, board.labels[0])
    assert scene.mover is other
    assert scene.board is not board
    assert board.buttons == []


async def test_what_another_process_shows_meanwhile_comes_last(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, other = await scene.started()
    board, front, adapter = scene.board, scene.bot.tavoliere, scene.bot.connection.adapter
    example, put = board.marked.code[-1], adapter.put_keyboard
    monkeypatch.setattr(Store, "shared", True)

    async def slowly(place: Place, message: int, *given: Any) -> None:
        monkeypatch.setattr(adapter, "put_keyboard", put)
        # What follows is another process's doing, whose changes do not wait for ours.
        adapter._changing.clear()
        me = User("telegram", str(mover.account.id), "Anna")
        await front.command(Request("typed", me, place), "move", {"move": example})
        await front.delivery.settle()
        assert board.buttons == []
        await put(place, message, *given)
        assert board.buttons != []

    monkeypatch.setattr(adapter, "put_keyboard", slowly)
    await scene.tap(mover, board, board.labels[0])
    assert scene.mover is other
    assert scene.board is not board
    assert board.buttons == []
