"""What is stored about the other player and means nothing here: on every platform the game goes on."""

from typing import Any, Final

from structlog.testing import capture_logs

from storage.columns import PERSON_SETTINGS
from tests.platforms.room import Room, start_annuvin

UNKNOWN: Final = {"timezone": "Nowhere/Land", "language": "xx", "theme": "sepia", "notices": "pigeon", "side": "round"}
"""Names that some other machine may know."""
NAMES: Final = [name for name in PERSON_SETTINGS if name != "team"]
DAMAGED: Final[tuple[Any, ...]] = (7, "?", ["x"], {"x": "y"}, [99, -1])


async def test_settings_of_the_opponent_stop_nothing(room: Room) -> None:
    mover, other = await start_annuvin(room, clock="1d")
    store = room.bot.store
    people = {each.name: each.id for name in ("Anna", "Bruno") for each in await store.people.find(name)}
    (code,) = await store.games.list_ids()
    with capture_logs() as logs:
        for settings in (UNKNOWN, *(dict.fromkeys(NAMES, value) for value in DAMAGED)):
            stored = people["Anna" if other is room.member("Anna") else "Bruno"]
            await store.people.change_settings(stored, settings)
            shown = len(room.shown)
            state = (await room.bot.tavoliere.context.table(code)).playing.state
            await room.give(mover, "move", move=state.legal_actions()[0].text)
            (post,) = await store.posts.list_for_game(code)
            assert (post.shown_revision, post.attempts) == (post.revision, 0)
            assert len(room.shown) > shown
            assert room.called(room.shown[-1]) == [other]
            for command in ("leaderboard", "profile", "puzzle", "games"):
                await room.give(mover, command)
            await store.people.change_settings(stored, dict.fromkeys(settings))
            mover, other = other, mover
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
