"""A game whose stored data makes no sense is set aside and reported; all the others go on."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.interface.cards import Card
from bot.interface.requests import Place, Reply
from bot.play.checking import check_games
from bot.play.repair import plan_repair
from storage import GameRow, Offers, Store
from tests.bot.party import Party, button, buttons, card, words
from tests.support.present import present


@pytest.fixture
async def hall(store: Store) -> AsyncIterator[Party]:
    """A party in which two games go on."""
    gathered = Party(store)
    yield gathered
    await gathered.front.close()


def damage(hall: Party, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(hall.store._database.path)) as connection, connection:
        assert connection.execute(statement, values).rowcount >= 1
    hall.store.memory.clear()  # as if it had been so since the start


DAMAGES = {
    "no JSON": 'UPDATE games SET position = \'{"game": "annu\', revision = revision + 1 WHERE id = ?',
    "a position that cannot be": "UPDATE games SET position = replace(position, 'b1', 'z9'), revision = 9 WHERE id = ?",
    "another game": "UPDATE games SET game = 'tombola', revision = revision + 1 WHERE id = ?",
    "a last turn": 'UPDATE games SET last_turn = \'{"draws": "x"}\', revision = 9 WHERE id = ?',
    "options that are no JSON": "UPDATE games SET options = '{', position = '[', revision = revision + 1 WHERE id = ?",
}


NOT_INSTALLED = "another game"
"""It might be the game of a package that is gone: tests/installed tells of those."""


@pytest.mark.parametrize("how", [how for how in DAMAGES if how != NOT_INSTALLED])
async def test_a_broken_game_is_set_aside_and_the_others_go_on(hall: Party, how: str) -> None:
    broken = await hall.started("/play annuvin @bruno clock:1d")
    board = buttons(hall.newest.card)[0]
    whole = await hall.started("/play annuvin @bruno")
    mover = hall.mover
    damage(hall, DAMAGES[how], broken)
    with capture_logs() as logs:
        reply = await hall.press("anna", board)
        assert broken in words(reply)
        assert "damaged" in words(reply)
        for question in ("/board game:", "/move b1-b2 game:", "/export code:", "/resign game:"):
            said = words(await hall.say("anna", f"{question}{broken}"))
            assert "damaged" in said, (question, said)
    entries = [entry for entry in logs if entry["event"] == "broken-game"]
    assert {entry["game"] for entry in entries} == {broken}
    assert all(entry["reason"] and "exc_info" not in entry for entry in entries)
    assert whole in words(await hall.say("anna", "/games")) + str(buttons_of(await hall.say("anna", "/games")))
    hall.clock.turn(days=3)
    await hall.front.alarms.tick()
    await hall.front.alarms.tick()
    assert present(await hall.store.games.get(broken)).status == "playing"
    await hall.say(mover, f"/move b1-b2 game:{whole}")
    assert present(await hall.store.games.get(whole)).turn == 1
    found = {game: findings async for game, findings in check_games(hall.store)}
    assert found[broken]
    assert not found[whole]


def buttons_of(reply: Reply) -> list[str]:
    return buttons_in(reply.card) if reply.card else []


def buttons_in(card: Card) -> list[str]:
    return [entry.press for entry in buttons(card)]


async def row_of(hall: Party, code: str) -> GameRow:
    return present(await hall.store.games.get(code))


async def resigning(hall: Party, code: str) -> str:
    """Return the button by which the player to move resigns a game for good."""
    return button(card(await hall.say(hall.mover, f"/resign game:{code}")), "resign!").press


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("by", ["command", "button", "code"])
async def test_a_manager_can_end_a_broken_game(hall: Party, how: str, by: str) -> None:
    broken = await hall.started("/play annuvin @bruno clock:1d")
    board = hall.newest
    whole = await hall.started("/play annuvin @bruno") if by == "button" else ""
    await hall.say("carla", "/help")
    damage(hall, DAMAGES[how], broken)
    assert (await row_of(hall, broken)).status == "playing"
    asked = f"/close game:{broken}" if by == "code" else "/close"
    if by != "button":
        assert "damaged" not in words(await hall.say("anna", asked))
        assert (await row_of(hall, broken)).status == "playing", "who manages nothing ends nothing"
    hall.managers |= {"anna", "carla"}
    if by == "code":
        assert "has not moved for a day" in words(await hall.say("anna", asked)), "it may be put right, and lost then"
        assert (await row_of(hall, broken)).status == "playing"
    reply = await hall.say("carla", asked)
    if by == "button":
        (wanted,) = (press for press in buttons_of(reply) if broken in press)
        reply = await hall.press("carla", wanted)
    assert "damaged" not in words(reply)
    row = await row_of(hall, broken)
    assert (row.status, row.outcome) == ("over", {"reason": "closed"})
    assert await hall.store.games.results_of(broken) == []
    assert broken not in words(await hall.say("anna", "/games"))
    assert broken not in words(await hall.say("bruno", "/games"))
    assert board.retired or not any(broken in press for press in buttons_in(board.card) if "more" in press)
    assert len([shown.text for shown in hall.shown if "ended by those who manage" in shown.text]) == 1
    if whole:
        assert (await row_of(hall, whole)).status == "playing"


async def test_ending_a_broken_game_restores_its_position_from_events(hall: Party) -> None:
    code = await hall.started("/play annuvin @bruno")
    await hall.say(hall.mover, "b1-b2")
    position = (await row_of(hall, code)).position
    damage(hall, DAMAGES["no JSON"].replace("revision + 1", "revision"), code)
    hall.front = hall.restarted()
    hall.managers.add("carla")
    await hall.say("carla", f"/close game:{code}")
    row = await row_of(hall, code)
    assert (row.status, row.position) == ("over", position)
    assert "b1-b2" in str(card(await hall.say("anna", f"/export code:{code}")).file)
    assert [findings async for _, findings in check_games(hall.store)] == [()]


async def test_a_private_game_that_is_broken_can_be_ended_by_its_player(hall: Party) -> None:
    alone = Place("web", "anna", kind="private")
    await hall.say("anna", "/play annuvin computer:1", place=alone)
    code = hall.code
    damage(hall, DAMAGES["a position that cannot be"], code)
    assert "ended" in words(await hall.say("anna", "/close", place=alone))
    assert (await row_of(hall, code)).status == "over"


@pytest.mark.parametrize(("language", "said"), [("en", "set aside"), ("it", "messa da parte")])
async def test_broken_game_is_marked_in_the_list_without_a_turn(hall: Party, language: str, said: str) -> None:
    broken = await hall.started("/play annuvin @bruno")
    mover = hall.mover
    before = words(await hall.say(mover, "/games"))
    damage(hall, DAMAGES["a position that cannot be"], broken)
    hall.languages[mover] = language
    reply = await hall.say(mover, "/games")
    assert broken in words(reply)
    assert said in words(reply)
    assert said not in before
    assert "your turn" not in words(reply)
    assert "tocca a te" not in words(reply)
    assert not any(broken in press for press in buttons_of(reply))


@pytest.mark.parametrize("offers", ["{", "[]", '{"draw": 5}', '{"seat": {"person": 1}}'])
async def test_offers_that_cannot_be_read_lapse_with_the_next_move(hall: Party, offers: str) -> None:
    code = await hall.started("/play annuvin @bruno clock:1d")
    mover = hall.mover
    whole = await hall.started("/play annuvin @bruno")
    damage(hall, "UPDATE games SET offers = ? WHERE id = ?", offers, code)
    assert [findings[0].what async for _, findings in check_games(hall.store) if findings] == ["unreadable"]
    hall.restarted()
    listed = await hall.say("anna", "/games")
    assert all(each in words(listed) + str(buttons_of(listed)) for each in (code, whole))
    assert "damaged" not in words(await hall.say(mover, f"/board game:{code}"))
    await hall.say(mover, f"/move b1-b2 game:{code}")
    row = await row_of(hall, code)
    assert (row.turn, row.offers) == (1, Offers())
    assert [findings async for _, findings in check_games(hall.store)] == [(), ()]


EVENTS = {
    "garbled": "UPDATE events SET data = replace(data, 'b1-b2', 'b1-b9') WHERE game = ? AND kind = 'action'",
    "no JSON": "UPDATE events SET data = '{' WHERE game = ? AND data LIKE '%b1-b2%'",
    "missing": "DELETE FROM events WHERE game = ? AND data LIKE '%b1-b2%'",
}


async def number_of(hall: Party, code: str) -> int:
    """Return the number of the event that the tests damage."""
    return next(event.number for event in await hall.store.games.events(code) if event.data.get("action") == "b1-b2")


@pytest.mark.parametrize("how", EVENTS)
@pytest.mark.parametrize("asked", ["/undo", "/export code:", "/replay code:"])
async def test_game_with_unreplayable_events_is_set_aside_on_discovery(hall: Party, how: str, asked: str) -> None:
    whole = await hall.started("/play annuvin @bruno")
    code = await hall.started("/play annuvin @bruno clock:1d")
    mover = hall.mover
    await hall.say(mover, f"/move b1-b2 game:{code}")
    number = await number_of(hall, code)
    damage(hall, EVENTS[how], code)
    before = await row_of(hall, code)
    with capture_logs() as logs:
        reply = await hall.say(mover, asked + code if asked.endswith(":") else f"{asked} game:{code}")
    assert "record" in words(reply)
    assert "operator has been told" in words(reply)
    assert {(entry["game"], entry["number"]) for entry in logs if entry["event"] == "broken-game"} == {(code, number)}
    row = await row_of(hall, code)
    assert (row.position, row.revision, row.status) == (before.position, before.revision, "playing")
    assert row.deadline is None, "nobody loses it on time"
    other = hall.other(mover)
    assert "record" in words(await hall.say(other, f"/move b5-b4 game:{code}"))
    assert await row_of(hall, code) == row
    assert "set aside" in words(await hall.say(other, "/games"))
    hall.front = hall.restarted()
    assert "record" in words(await hall.say(other, f"/resign game:{code}"))
    assert "damaged" not in words(await hall.say(mover, f"/board game:{whole}"))
    hall.managers.add("carla")
    await hall.say("carla", f"/close game:{code}")
    closed = await row_of(hall, code)
    assert (closed.status, closed.position) == ("over", before.position)


@pytest.mark.parametrize("how", EVENTS)
async def test_finished_game_with_unreplayable_events_is_reported(hall: Party, how: str) -> None:
    code = await hall.started("/play annuvin @bruno")
    await hall.say(hall.mover, "b1-b2")
    await hall.say(hall.mover, "b5-b4")
    await hall.press(hall.mover, (await resigning(hall, code)))
    assert (await row_of(hall, code)).status == "over"
    number = await number_of(hall, code)
    damage(hall, EVENTS[how], code)
    before = await row_of(hall, code)
    for question in ("/replay", "/export", "/analyse"):
        for language, said in (("en", "operator has been told"), ("it", "lo sa già")):
            hall.languages["anna"] = language
            with capture_logs() as logs:
                reply = await hall.say("anna", f"{question} code:{code}")
            assert said in words(reply)
            assert code in words(reply)
            found = [(entry["game"], entry["number"]) for entry in logs if entry["event"] == "broken-game"]
            assert found == [(code, number)]
    assert await row_of(hall, code) == before


@pytest.mark.parametrize("how", EVENTS)
@pytest.mark.parametrize("end", ["resign", "draw", "time"])
async def test_unreplayable_games_are_not_rated(hall: Party, how: str, end: str) -> None:
    code = await hall.started("/play annuvin @bruno clock:1d")
    mover, other = hall.mover, hall.other()
    await hall.say(mover, "b1-b2")
    agreed = await resigning(hall, code) if end == "resign" else ""
    if end == "draw":
        await hall.say(mover, "/draw")
    damage(hall, EVENTS[how], code)
    with capture_logs() as logs:
        if end == "resign":
            assert "damaged" in words(await hall.press(other, agreed))
        elif end == "draw":
            assert "damaged" in words(await hall.say(other, "/draw"))
        else:
            hall.clock.turn(days=2)
            await hall.front.alarms.tick()
            await hall.front.alarms.tick()
    assert any(entry["event"] == "broken-game" and entry["game"] == code for entry in logs)
    assert (await row_of(hall, code)).status == "playing"
    assert await hall.store.games.results_of(code) == []
    assert "set aside" in words(await hall.say(other, "/games"))


@pytest.mark.parametrize("how", ["position", "record"])
async def test_broken_games_do_not_block_other_games_of_their_players(hall: Party, how: str) -> None:
    over = await hall.started("/play annuvin @bruno")
    await hall.press(hall.mover, await resigning(hall, over))
    code = await hall.started("/play annuvin @bruno clock:1d")
    mover = hall.mover
    await hall.say(mover, "b1-b2")
    if how == "record":
        damage(hall, EVENTS["garbled"], code)
    else:
        damage(hall, DAMAGES["a position that cannot be"], code)
        damage(hall, "UPDATE games SET position = '[]' WHERE id = ?", over)
        hall.front = hall.restarted()
    assert over in words(await hall.say("anna", "/history"))
    other = hall.other(mover)
    assert "damaged" not in words(await hall.say(other, "/settings holiday:5"))
    asked = button(card(await hall.say(other, "/privacy")), "forget")
    sure = next(each for each in buttons(card(await hall.press(other, asked))) if each.press.startswith("forget!"))
    assert "You are forgotten" in words(await hall.press(other, sure))
    assert (await row_of(hall, code)).status == "playing"
    assert await hall.store.games.results_of(code) == []


async def test_a_mended_record_brings_a_game_back(hall: Party) -> None:
    code = await hall.started("/play annuvin @bruno clock:1d")
    mover = hall.mover
    await hall.say(mover, "b1-b2")
    damage(hall, EVENTS["garbled"], code)
    await hall.say(mover, "/undo")
    assert (await row_of(hall, code)).deadline is None
    hall.clock.turn(days=9)
    assert "record" in words(await hall.say(hall.other(mover), f"/move b5-b4 game:{code}"))
    damage(hall, "UPDATE events SET data = replace(data, 'b1-b9', 'b1-b2') WHERE game = ?", code)
    change = present(await plan_repair(hall.store, code, hall.clock()))
    await hall.store.games.commit(change)
    row = await row_of(hall, code)
    assert row.deadline == hall.clock() + timedelta(days=1)
    assert row.alarm_at is not None
    assert hall.clock() < row.alarm_at < row.deadline
    hall.front = hall.restarted()
    await hall.front.delivery.run_until_idle()
    await hall.say(hall.mover, "b5-b4")
    assert (await row_of(hall, code)).turn == 2


async def test_board_of_a_broken_game_does_not_block_others(hall: Party) -> None:
    broken = await hall.started("/play annuvin @bruno")
    whole = await hall.started("/play annuvin @bruno")
    mover, shown = hall.mover, len(hall.shown)
    damage(hall, "UPDATE games SET position = '{' WHERE id = ?", broken)
    damage(hall, "UPDATE surfaces SET due_at = '2026-01-01 00:00:00', shown_revision = 0 WHERE game = ?", broken)
    damage(hall, "UPDATE games SET revision = revision + 1 WHERE id = ?", broken)
    with capture_logs() as logs:
        await hall.say(mover, f"/move b1-b2 game:{whole}")
    assert len(hall.shown) == shown + 1
    assert any(entry["event"] == "broken-game" for entry in logs)


async def test_invalid_time_does_not_stop_deliveries(hall: Party, tmp_path: Path) -> None:
    code = await hall.started("/play annuvin @bruno")
    mover, shown = hall.mover, len(hall.shown)
    (surface,) = await hall.store.surfaces.list_for_game(code)
    damage(hall, "UPDATE surfaces SET due_at = '2025-99-99 00:00:00' WHERE id = ?", surface.id)
    await hall.front.delivery.run_until_idle()
    with closing(sqlite3.connect(tmp_path / "data" / "tavoliere.db")) as connection:
        assert connection.execute("SELECT due_at FROM surfaces WHERE id = ?", (surface.id,)).fetchall() == [(None,)]
    await hall.front.typed_text(hall.request(mover), "b1-b2")
    await hall.front.delivery.run_until_idle()
    assert len(hall.shown) == shown + 1
