"""Settings as they are stored and read: what cannot be read is left out, and logged once."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.kernel.preferences import PREFERENCES
from storage import Person, PlaceRow, Store
from storage.columns import BROKEN_JSON, read_settings
from tests.support.present import present


def test_every_preference_is_read_as_it_is_stored() -> None:
    for preference in PREFERENCES.values():
        for value in preference.stored_values.values():
            read = {preference.key: value}
            if preference.personal:
                assert read_settings("people", 1, read) == read
            if preference.placed:
                assert read_settings("places", 1, read) == read


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ({"theme": 7, "language": "it"}, {"language": "it"}),
        ({"quiet": [22, 8], "digest_hour": 24}, {"quiet": [22, 8]}),
        ({"quiet": [22, 24], "blocked": ["x"], "holiday_until": "2026-11-22"}, {}),
        ({"profile": "frends", "votes": 5, "theme": "dark"}, {"profile": "hidden", "votes": "hidden", "theme": "dark"}),
        ({"from a newer version": [1]}, {"from a newer version": [1]}),
        (BROKEN_JSON, {"profile": "hidden", "votes": "hidden"}),
    ],
)
def test_what_cannot_be_read_is_left_out_and_logged_once(stored: dict[str, Any], read: dict[str, Any]) -> None:
    person = 1000 + len(str(stored))
    with capture_logs() as logs:
        assert [read_settings("people", person, stored) for _ in range(2)] == [read, read]
    wrong = [name for name in stored if read.get(name) != stored[name] and stored != BROKEN_JSON]
    assert [entry["setting"] for entry in logs] == (wrong or (["settings"] if stored == BROKEN_JSON else []))


async def test_only_settings_that_are_read_are_stored(store: Store, place: PlaceRow, ada: Person) -> None:
    with pytest.raises(KeyError, match="shoe_size"):
        await store.people.change_settings(ada.id, {"shoe_size": 42})
    with pytest.raises(KeyError, match="quiet"):
        await store.places.change_settings(place.id, {"quiet": [22, 8]})
    await store.people.change_settings(ada.id, {"theme": 7, "text": True})
    assert present(await store.people.get(ada.id)).settings == {"text": True}
    changed = present(await store.people.change_settings(ada.id, {"language": "it"}))
    assert changed.settings == {"text": True, "language": "it"}
