"""Posts: where games are shown, and what delivery still has to do."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from storage import GameRow, NewNotice, NewPost, NoSuchGame, Person, PlaceRow, Post, ShownPost, Store
from storage.message_schema import posts
from tests.support.present import present
from tests.support.stores import (
    START,
    add_post,
    change_game,
    due_posts,
    make_place,
    some_people,
    store_game,
    time_after,
)


async def shown(store: Store, post: Post, revision: int, message: str, turn: int, minutes: int) -> Post:
    """Return the post after a message showed a revision."""
    changed = ShownPost(message, revision, turn)
    return present(await store.posts.record_shown(post, changed, time_after(minutes=minutes)))


@pytest.fixture
async def post(store: Store, game: GameRow) -> Post:
    """The only post of the game, which is new."""
    return await add_post(store, game.id, game.place, START)


async def test_a_new_post_is_due_at_once(store: Store, place: PlaceRow, game: GameRow, post: Post) -> None:
    assert post == Post(post.id, "board", game.id, game.id, None, place, 0, made_at=START, due_at=START)
    assert await store.posts.list_for_game(game.id) == [post]
    assert await store.posts.get(post.id) == post
    missing = replace(post, id=post.id + 1)
    assert await store.posts.get(missing.id) is None
    assert await store.posts.get_with_notices(missing.id) is None
    assert await store.posts.record_shown(missing, ShownPost("m", 0, 0), START) is None
    assert await store.posts.record_retired(missing, ["m"], START) is None
    assert await due_posts(store, START) == [post]
    assert await due_posts(store, time_after(seconds=-1)) == []
    assert await store.posts.next_due_at() == START
    with pytest.raises(NoSuchGame):
        await store.posts.add("CCCCCC", place.id, START)


@pytest.mark.parametrize("damaged", ["gone", "waiting"])
async def test_what_has_ended_or_waits_is_not_due_whatever_a_damaged_file_says(
    store: Store, post: Post, damaged: str
) -> None:
    async with store._database.transaction() as connection:
        await connection.execute(update(posts).filter_by(id=post.id).values(**{damaged: True}))
    assert await due_posts(store, START) == []
    assert await store.posts.next_due_at() is None


async def test_shown_post_is_not_due_until_the_next_move(store: Store, game: GameRow, post: Post) -> None:
    post = await shown(store, post, 0, "m1", 0, 1)
    assert (post.message, post.shown_revision, post.announced) == ("m1", 0, 0)
    assert post.due_at is None
    assert await store.posts.next_due_at() is None
    await change_game(store, game, 2)
    (post,) = await due_posts(store, time_after(minutes=2))
    assert (post.revision, post.shown_revision, post.due_at) == (1, 0, time_after(minutes=2))


async def test_post_that_changed_during_delivery_stays_due(store: Store, game: GameRow, post: Post) -> None:
    await change_game(store, game, 1)
    post = await shown(store, post, 0, "m1", 0, 2)
    assert post.due_at == time_after(minutes=2)
    # An edit of the same message retires nothing.
    post = await shown(store, post, 1, "m1", 0, 3)
    assert (post.stale_messages, post.due_at) == ({}, None)


async def test_a_new_message_makes_the_old_ones_retire(store: Store, game: GameRow, post: Post) -> None:
    post = await shown(store, post, 0, "m1", 0, 1)
    await change_game(store, game, 2)
    post = await shown(store, post, 1, "m2", 1, 3)
    assert (post.message, post.announced, post.stale_messages) == ("m2", 1, {"m1": 0})
    assert post.due_at == time_after(minutes=3)
    post = await shown(store, post, 1, "m3", 2, 4)
    assert post.stale_messages == {"m1": 0, "m2": 1}, "each with what it shows"
    assert await store.posts.get(post.id) == replace(post, revision=1)
    first = present(await store.posts.record_retired(post, ["m1"], time_after(minutes=5)))
    assert (first.stale_messages, first.due_at) == ({"m2": 1}, time_after(minutes=5))
    last = present(await store.posts.record_retired(post, ["m2"], time_after(minutes=6)))
    assert (last.stale_messages, last.due_at, last.message) == ({}, None, "m3")
    assert await store.posts.record_retired(post, ["m2"], time_after(minutes=7)) == last


async def test_stale_messages_without_revisions_still_retire(store: Store, game: GameRow, post: Post) -> None:
    await shown(store, post, 0, "m0", 0, 1)
    async with store._database.transaction() as connection:
        await connection.execute(update(posts).values(stale_messages=["long ago"]))
    await change_game(store, game, 2)
    post = await shown(store, post, 1, "m1", 1, 3)
    assert post.stale_messages == {"long ago": None, "m0": 0}
    left = present(await store.posts.record_retired(post, ["long ago"], time_after(minutes=4)))
    assert left.stale_messages == {"m0": 0}


async def test_failed_post_is_postponed_despite_new_revisions(store: Store, game: GameRow, post: Post) -> None:
    await store.posts.record_failure(post.id, time_after(minutes=5))
    await store.posts.record_failure(post.id, time_after(minutes=10))
    await change_game(store, game, 1)
    assert await due_posts(store, time_after(minutes=9)) == []
    assert await store.posts.next_due_at() == time_after(minutes=10)
    (post,) = await due_posts(store, time_after(minutes=10))
    assert (post.attempts, post.due_at) == (2, time_after(minutes=10))
    post = await shown(store, post, 1, "m1", 0, 11)
    assert (post.attempts, post.due_at) == (0, None)


async def test_due_posts_are_listed_oldest_first(store: Store, people: list[Person]) -> None:
    due = []
    for minutes in (3, 1, 2):
        place = await make_place(store, f"room {minutes}")
        game = await store_game(store, place, people)
        due.append(await add_post(store, game.id, place.id, time_after(minutes=minutes)))
    assert await due_posts(store, time_after(hours=1)) == [due[1], due[2], due[0]]
    assert await due_posts(store, time_after(hours=1), limit=1) == [due[1]]
    assert await due_posts(store, time_after(minutes=2)) == [due[1], due[2]]


async def test_a_post_that_is_gone_is_left_alone(store: Store, game: GameRow, post: Post) -> None:
    await shown(store, post, 0, "m1", 0, 1)
    await store.posts.close(post.id)
    game = await change_game(store, game, 2)
    await store.posts.record_failure(post.id, time_after(minutes=3))
    await shown(store, post, 1, "m1", 0, 3)
    assert await due_posts(store, time_after(hours=1)) == []
    assert await store.posts.list_for_game(game.id) == []
    assert await store.posts.find_by_message("web", "room", "m1") is None
    assert present(await store.posts.get(post.id)).gone


async def test_a_post_that_may_not_be_written_to_waits_until_its_group_is_open_again(store: Store) -> None:
    place = await store.places.get_or_create("web", "room", None, "server")
    game = await store_game(store, place, await some_people(store, "Ada", "Bob"))
    post = await add_post(store, game.id, place.id, START)
    await shown(store, post, 0, "m1", 0, 1)
    await store.posts.block(post.id)
    game = await change_game(store, game, 2)
    await store.posts.record_failure(post.id, time_after(minutes=3))
    assert await due_posts(store, time_after(hours=1)) == []
    assert await store.posts.list_for_game(game.id) == []
    found = present(await store.posts.find_by_message("web", "room", "m1"))
    assert (found.waiting, found.gone) == (True, False)
    # Nothing waits elsewhere, nor on another platform.
    assert await store.posts.unblock("web", "elsewhere", time_after(minutes=4)) == 0
    assert await store.posts.unblock("telegram", None, time_after(minutes=4)) == 0
    assert await store.posts.unblock("web", "server", time_after(minutes=4)) == 1
    assert await store.posts.unblock("web", "server", time_after(minutes=5)) == 0
    (back,) = await store.posts.list_for_game(game.id)
    assert (back.message, back.due_at, back.waiting) == ("m1", time_after(minutes=4), False)
    await store.posts.block(post.id)
    assert await store.posts.unblock("web", None, time_after(minutes=6)) == 1
    await store.posts.block(post.id)
    again = await add_post(store, game.id, post.place.id, time_after(minutes=7))
    assert (again.waiting, again.due_at) == (False, time_after(minutes=7))


async def test_showing_a_post_again_requests_a_new_message(store: Store, game: GameRow, post: Post) -> None:
    await shown(store, post, 0, "m1", 0, 1)
    again = await add_post(store, game.id, post.place.id, time_after(minutes=2))
    assert again == replace(
        post,
        message="m1",
        shown_revision=0,
        announced=None,
        shown_at=time_after(minutes=1),
        due_at=time_after(minutes=2),
    )
    post = await shown(store, post, 0, "m2", 0, 3)
    assert post.stale_messages == {"m1": 0}
    await store.posts.close(post.id)
    back = await add_post(store, game.id, post.place.id, time_after(minutes=4))
    assert (back.id, back.gone, back.due_at) == (post.id, False, time_after(minutes=4))


@pytest.mark.parametrize("meanwhile", ["the game moves on", "a new message is asked for"])
async def test_what_happens_before_old_messages_are_retired_is_not_forgotten(
    store: Store, game: GameRow, post: Post, meanwhile: str
) -> None:
    await shown(store, post, 0, "m1", 0, 1)
    await shown(store, post, 0, "m2", 1, 2)
    if meanwhile == "the game moves on":
        await change_game(store, game, 3)
    else:
        await store.posts.add(game.id, post.place.id, time_after(minutes=3))
    retired = present(await store.posts.record_retired(post, ["m1"], time_after(minutes=4)))
    assert retired.due_at == time_after(minutes=4)


async def test_request_for_a_new_message_survives_an_edit(store: Store, game: GameRow, post: Post) -> None:
    await shown(store, post, 0, "m1", 0, 1)
    await change_game(store, game, 2)
    await store.posts.add(game.id, post.place.id, time_after(minutes=3))
    post = await shown(store, post, 1, "m1", 0, 4)
    assert (post.announced, post.due_at) == (None, time_after(minutes=4))
    post = await shown(store, post, 1, "m2", 0, 5)
    assert (post.announced, post.stale_messages) == (0, {"m1": 1})


async def test_request_for_an_edit_survives_one_on_its_way(
    store: Store, game: GameRow, post: Post, place: PlaceRow
) -> None:
    team = await store.teams.get_or_create(place.id, "", "Our channel", START)
    await shown(store, post, 0, "m1", 0, 1)
    for minutes, in_flight in ((2, False), (4, True), (6, True)):
        # As votes come: for the first one nothing is on its way, the others find the edit for the one before.
        read = present(await store.posts.get(post.id))
        await store.teams.show_again(game.id, team.id, time_after(minutes=minutes))
        if in_flight:
            after = await shown(store, read, 0, "m1", 0, minutes + 1)
            assert (after.shown_revision, after.due_at) == (None, time_after(minutes=minutes + 1))
    after = await shown(store, present(await store.posts.get(post.id)), 0, "m1", 0, 8)
    assert (after.shown_revision, after.due_at) == (0, None)


async def test_a_message_finds_its_game(store: Store, people: list[Person]) -> None:
    topic = await store.places.get_or_create("telegram", "-100", "7")
    elsewhere = await store.places.get_or_create("telegram", "-200")
    games = [await store_game(store, place, people) for place in (topic, topic, elsewhere)]
    places = (topic, topic, elsewhere)
    found = [await add_post(store, game.id, place.id, START) for game, place in zip(games, places, strict=True)]
    for post, message in zip(found, ("1", "2", "1"), strict=True):
        await shown(store, post, 0, message, 0, 1)
    for channel, message, game in (("-100", "1", games[0]), ("-100", "2", games[1]), ("-200", "1", games[2])):
        assert present(await store.posts.find_by_message("telegram", channel, message)).game == game.id
    assert await store.posts.find_by_message("telegram", "-100", "3") is None
    assert await store.posts.find_by_message("discord", "-100", "1") is None


async def test_every_post_of_a_game_is_due_after_a_change(store: Store, people: list[Person]) -> None:
    room, group = await make_place(store), await make_place(store, "group", "telegram")
    game, other = await store_game(store, room, people), await store_game(store, room, people)
    for place in (room, group):
        post = await add_post(store, game.id, place.id, START)
        await shown(store, post, 0, f"m{place.id}", 0, 1)
    await shown(store, await add_post(store, other.id, room.id, START), 0, "m", 0, 1)
    await change_game(store, game, 2)
    assert {post.place.id for post in await due_posts(store, time_after(minutes=2))} == {room.id, group.id}
    assert {post.game for post in await due_posts(store, time_after(minutes=2))} == {game.id}


@pytest.mark.parametrize("has_changed", [False, True], ids=["same", "changed"])
async def test_notices_in_a_message_are_noted_with_it(
    store: Store, game: GameRow, post: Post, people: list[Person], has_changed: bool
) -> None:
    await store.notices.promise(game.id, [], [NewNotice(people[0].id, "turn", "0")], START)
    (made,) = await store.notices.list_for_game(game.id)
    if has_changed:
        await shown(store, post, 0, "sent meanwhile", 0, 0)
    noted = await store.posts.record_shown(post, ShownPost("m", 0, 0), START, notices=[made])
    assert present(noted).message == "m"
    assert present(await store.posts.get(post.id)).message == "m"
    made = present(await store.notices.find(made.person, made.kind, made.subject))
    assert (made.route, made.place, made.delivered_at) == ("here", post.place.id, START)


async def test_retiring_post_is_due_at_once_after_a_move(store: Store, game: GameRow, post: Post) -> None:
    await shown(store, post, 0, "m1", 0, 1)
    game = await change_game(store, game, 2)
    post = await shown(store, post, 1, "m2", 1, 3)
    await store.posts.record_retired(post, (), time_after(minutes=3), later=time_after(minutes=30))
    assert await due_posts(store, time_after(minutes=4)) == []
    await change_game(store, game, 5)
    # Asked for when there is a newer board to show already: nothing waits for that.
    await store.posts.record_retired(post, (), time_after(minutes=5), later=time_after(minutes=30))
    (due,) = await due_posts(store, time_after(minutes=5))
    assert due.stale_messages == {"m1": 0}


async def test_ended_posts_of_some_kinds_are_deleted_unless_their_game_goes_on(
    store: Store, place: PlaceRow, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database._BATCH_ROWS", 2)
    over, live = await store_game(store, place, people), await store_game(store, place, people)
    await change_game(store, over, status="over", to_move=None)

    async def promise(subject: str, game: str | None, *, kind: str = "notice", minutes: int = 0) -> Post:
        await store.posts.promise(NewPost(kind, subject, place.id, time_after(minutes=minutes), game=game))
        (promised,) = await store.posts.list_with(kind=kind, subject=subject)
        return promised

    old = [await promise(str(number), over.id if number % 2 else None) for number in range(5)]
    remaining = [await promise("remaining", over.id, kind="offer"), await promise("live", live.id)]
    remaining.append(await promise("new", over.id, minutes=2))
    for ended in [*old, *remaining]:
        await store.posts.close(ended.id)
    remaining.append(await promise("open", over.id))
    assert await store.posts.delete_ended(["notice", "digest"], time_after(minutes=1)) == len(old)
    assert [each.id for each in [*old, *remaining] if await store.posts.get(each.id)] == [each.id for each in remaining]
    assert await store.posts.delete_ended(["notice", "digest"], time_after(minutes=1)) == 0


async def test_what_can_change_in_a_place_is_found_by_its_channel_thread_or_group(
    store: Store, people: list[Person]
) -> None:
    shown = []
    for channel, thread in (("c", None), ("c", "t"), ("d", None)):
        place = await store.places.get_or_create("discord", channel, thread, "g")
        game = await store_game(store, place, people)
        shown.append((await add_post(store, game.id, place.id, START)).id)
    assert await store.posts.list_changing("discord", channel="c") == shown[:2]
    assert await store.posts.list_changing("discord", channel="c", thread="t") == shown[1:2]
    assert await store.posts.list_changing("discord", group_id="g") == shown
    assert await store.posts.list_changing("telegram", group_id="g") == []
    await store.posts.block(shown[0])
    await store.posts.close(shown[1])
    assert await store.posts.list_changing("discord", channel="c") == shown[:1], "what waits may end yet"
    done = present(await store.posts.get(shown[2]))
    await change_game(store, present(await store.games.get(done.subject)), status="over", to_move=None)
    last = present(await store.posts.get(done.id))
    await store.posts.record_shown(last, ShownPost("m", last.revision, 1), START)
    assert await store.posts.list_changing("discord", channel="d") == [], "what is over and shown stays as it is"
