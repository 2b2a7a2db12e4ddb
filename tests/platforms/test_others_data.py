"""What is stored about the other player and means nothing here: on every platform the game goes on."""

from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from storage.columns import PERSON_SETTINGS
from tests.platforms.room import Room, start_annuvin, suggested_move

UNKNOWN: Final = {"timezone": "Nowhere/Land", "language": "xx", "theme": "sepia", "notices": "pigeon", "side": "round"}
"""Names that some other machine may know."""
DAMAGED: Final[tuple[Any, ...]] = (7, "?", ["x"], {"x": "y"}, [99, -1])


@pytest.mark.parametrize(
    "settings",
    [UNKNOWN, *({name: value for name in PERSON_SETTINGS if name != "team"} for value in DAMAGED)],
    ids=lambda settings: str(settings["theme"]),
)
async def test_settings_of_the_opponent_stop_nothing(room: Room, settings: dict[str, Any]) -> None:
    mover, other = await start_annuvin(room, clock="1d")
    store = room.bot.store
    (stored,) = await store.people.find("Anna" if other is room.member("Anna") else "Bruno")
    await store.people.change_settings(stored.id, settings)
    shown = len(room.shown)
    with capture_logs() as logs:
        await room.give(mover, "move", move=suggested_move(room.board))
        (code,) = await store.games.list_ids()
        (post,) = await store.posts.list_for_game(code)
        assert (post.shown_revision, post.attempts) == (post.revision, 0)
        assert len(room.shown) > shown
        assert room.called(room.shown[-1]) == [other]
        for command in ("leaderboard", "profile", "puzzle", "games"):
            await room.give(mover, command)
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
