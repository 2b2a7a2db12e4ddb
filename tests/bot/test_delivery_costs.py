"""What it costs the database to bring a board: counted, so that nothing new is paid for unseen."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from storage.sqlite import Connection
from tests.bot.party import Party
from tests.support.counting import name_statement
from tests.support.sent import each_sent

SQUARE = "/play annuvin @bruno board:square"
READ, SHOWN, NOTIFIED, RETIRED = "SELECT posts", "UPDATE posts", "UPDATE notices", "UPDATE posts"


@contextmanager
def counted() -> Iterator[list[str]]:
    """Give the statements that are sent on behalf of delivery from now on, as verbs and tables, and their commits."""
    sent: list[str] = []

    def ours() -> bool:
        task = asyncio.current_task()
        return task is not None and task.get_name().startswith("delivery")

    def note(statement: str, _: object) -> None:
        if ours() and (name := name_statement(statement)) is not None:
            sent.append(name)

    commit = Connection.commit

    async def commit_noted(connection: Connection) -> None:
        if ours() and connection.is_in_transaction:
            sent.append("COMMIT")
        await commit(connection)

    with patch.object(Connection, "commit", commit_noted), each_sent(note):
        yield sent


async def test_a_completed_move_is_read_once_noted_in_one_transaction_and_then_retired(duel: Party) -> None:
    await duel.front.start()
    # Not settle: the first scan of the started loop has to be over, whether or not a board is due.
    await duel.front.delivery.run_until_idle()
    await duel.front.messenger.run_until_idle()
    await duel.front.delivery.run_until_idle()
    with counted() as sent:
        await duel.front.typed_text(duel.request(duel.mover), "/move a1-a2")
        await duel.adapter.until(lambda: [shown.retired for shown in duel.shown[-2:]] == [True, False])
        await duel.front.close()
    assert "a1-a2" in duel.newest.text
    (post,) = await duel.store.posts.list_for_game(duel.code)
    assert post.due_at is None
    # No search: the commit announces what is due.
    assert sent == [READ, SHOWN, NOTIFIED, "COMMIT", RETIRED]


async def test_an_old_board_that_has_to_wait_is_retired_later_without_being_read_again(duel: Party) -> None:
    vars(duel.adapter)["seconds_to_retire"] = lambda _, **__: 7.0
    with counted() as sent:
        await duel.say(duel.mover, "/move a1-a2")
        assert [shown.retired for shown in duel.shown[-2:]] == [False, False]
        assert sent == [READ, SHOWN, NOTIFIED, "COMMIT"]
        duel.clock.turn(seconds=7)
        await duel.front.delivery.run_until_idle()
        assert sent == [READ, SHOWN, NOTIFIED, "COMMIT", RETIRED]
    assert [shown.retired for shown in duel.shown[-2:]] == [True, False]


async def test_a_game_that_moves_on_while_an_old_board_waits_is_shown_at_once(duel: Party) -> None:
    first, second = duel.mover, duel.other()
    vars(duel.adapter)["seconds_to_retire"] = lambda _, **__: 7.0
    await duel.say(first, "/move a1-a2")
    await duel.say(second, "/move d4-d3")
    assert "d4-d3" in duel.newest.text
    duel.clock.turn(seconds=7)
    with counted() as sent:
        await duel.front.delivery.run_until_idle()
    # Both at once.
    assert sent == [RETIRED]
    assert [shown.retired for shown in duel.shown[-3:]] == [True, True, False]
