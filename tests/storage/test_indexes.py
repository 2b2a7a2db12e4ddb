"""A database that grows for years: tests/support/indexes.py sees how the statements of all tests find their rows."""

import pytest

from storage import GameRow, Person, Store
from tests.support.indexes import Plans
from tests.support.stores import START


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
async def test_what_is_over_or_delivered_is_not_even_looked_at(
    store: Store, plans: Plans, ada: Person, game: GameRow
) -> None:
    await store.games.list_for_person(ada.id)
    await store.games.list_in_place(game.place)
    await store.posts.list_due(START, 9)
    await store.notices.list_due(START)
    assert plans.indexes >= {"ix_seats_live", "ix_game_places_live", "ix_posts_due", "ix_notices_due"}
