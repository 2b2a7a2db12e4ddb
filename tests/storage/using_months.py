"""All that the store can do about months of places, called once."""

from storage import Person, PlaceRow, Store
from tests.support.stores import START, time_after


async def use_months(store: Store, place: PlaceRow, ada: Person) -> None:
    """Call what the store can do about months."""
    await store.ratings.standings("annuvin", START, time_after(days=1))
    await store.ratings.rated_between([ada.id], START, time_after(days=1))
    await store.ratings.before([ada.id], time_after(days=1))
    await store.daily.list_without_month("2026-11", START, time_after(days=1))
    await store.games.ended_in(place.id, START, time_after(days=1), 10)
    await store.games.list_results_between(place.id, START, time_after(days=1))
    await store.ratings.standings(place=place.id)
    await store.ratings.standings("annuvin", place=place.id)
    await store.ratings.standings(group=("web", "g"))
    await store.ratings.standings("annuvin", START, group=("web", "g"))
