"""Events of the platforms are handled once, and remembered for a while."""

from __future__ import annotations

import pytest

from storage import AlreadyHandled, Handled, Store
from tests.support.stores import START, after


async def test_an_event_is_unknown_until_it_is_handled(store: Store) -> None:
    assert await store.handled("telegram", "1") is None
    await store.mark_handled(Handled("telegram", "1", {"text": "è", "n": [1]}), START)
    assert await store.handled("telegram", "1") == Handled("telegram", "1", {"text": "è", "n": [1]})
    assert await store.handled("telegram", "2") is None
    assert await store.handled("discord", "1") is None


@pytest.mark.parametrize("reply", [None, {}, {"text": "hello\0"}])
async def test_handling_it_again_gives_the_first_reply(store: Store, reply: dict[str, str] | None) -> None:
    await store.mark_handled(Handled("telegram", "1", reply), START)
    with pytest.raises(AlreadyHandled) as caught:
        await store.mark_handled(Handled("telegram", "1", {"text": "other"}), after(hours=1))
    assert (caught.value.platform, caught.value.event, caught.value.reply) == ("telegram", "1", reply)


async def test_old_events_are_forgotten(store: Store) -> None:
    for hours in range(4):
        await store.mark_handled(Handled("web", str(hours)), after(hours=hours))
    assert await store.forget_handled(after(hours=2)) == 2
    assert [await store.handled("web", str(hours)) is not None for hours in range(4)] == [False, False, True, True]
    assert await store.forget_handled(after(hours=2)) == 0
