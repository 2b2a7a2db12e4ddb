"""Playing on Telegram."""

from __future__ import annotations

from tests.telegram.harness import Scene


async def test_a_game_begins_and_a_turn_is_made_by_taps(scene: Scene) -> None:
    mover, other = await scene.started()
    before = scene.board
    piece = before.labels[0]
    tap = await scene.tap(mover, before, piece)
    assert tap.text is not None
    assert f"from {piece}" in tap.text
    assert before.labels[-4:] == ["Back", "Rules", "More", "In words"]
    await scene.tap(mover, before, before.labels[0])
    assert scene.mover is other
    assert before.labels == []
