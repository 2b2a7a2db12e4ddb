"""A game whose stored data makes no sense is set aside and reported; all the others go on."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from itertools import cycle
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.kernel.cards import Card
from bot.kernel.requests import Place
from bot.table.checking import check_games, plan_repair
from storage import Offers
from tests.bot.party import Party, button, buttons, card, words
from tests.support.present import present


def damage(party: Party, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(party.store._database.path)) as connection, connection:
        assert connection.execute(statement, values).rowcount >= 1
    party.store.cache.clear()  # as if it had been so since the start


async def moved(party: Party) -> tuple[str, str]:
    """Have a game begin, and the first move be made in it; return its code and who made it."""
    code, mover = await party.started("/play annuvin @bruno clock:1d"), party.mover
    await party.say(mover, f"/move b1-b2 game:{code}")
    return code, mover


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
async def test_a_broken_game_is_set_aside_and_the_others_go_on(party: Party, how: str) -> None:
    broken = await party.started("/play annuvin @bruno clock:1d")
    board = buttons(party.newest.card)[0]
    whole = await party.started("/play annuvin @bruno")
    mover = party.mover
    damage(party, DAMAGES[how], broken)
    with capture_logs() as logs:
        reply = await party.press("anna", board)
        assert broken in words(reply)
        assert "damaged" in words(reply)
        for question in ("/board game:", "/move b1-b2 game:", "/export code:", "/resign game:"):
            said = words(await party.say("anna", f"{question}{broken}"))
            assert "damaged" in said, (question, said)
    entries = [entry for entry in logs if entry["event"] == "broken-game"]
    assert {entry["game"] for entry in entries} == {broken}
    assert all(entry["reason"] and "exc_info" not in entry for entry in entries)
    assert whole in words(await party.say("anna", "/games")) + str(presses((await party.say("anna", "/games")).card))
    party.clock.turn(days=3)
    await party.front.alarms.tick()
    await party.front.alarms.tick()
    assert present(await party.store.games.get(broken)).status == "playing"
    await party.say(mover, f"/move b1-b2 game:{whole}")
    assert present(await party.store.games.get(whole)).turn == 1
    found = {game: findings async for game, findings in check_games(party.store)}
    assert found[broken]
    assert not found[whole]


def presses(card: Card | None) -> list[str]:
    """Return what the buttons of a card carry."""
    return [entry.press for entry in buttons(card)] if card else []


@pytest.mark.parametrize(("how", "by"), [*zip(DAMAGES, cycle(["command", "button", "code"]))])
async def test_a_manager_can_end_a_broken_game(party: Party, how: str, by: str) -> None:
    broken = await party.started("/play annuvin @bruno clock:1d")
    board = party.newest
    whole = await party.started("/play annuvin @bruno") if by == "button" else ""
    await party.say("carla", "/help")
    damage(party, DAMAGES[how], broken)
    assert (await party.load_row(broken)).status == "playing"
    asked = f"/close game:{broken}" if by == "code" else "/close"
    if by != "button":
        assert "damaged" not in words(await party.say("anna", asked))
        assert (await party.load_row(broken)).status == "playing", "who manages nothing ends nothing"
    party.managers |= {"anna", "carla"}
    if by == "code":
        assert "has not moved for a day" in words(await party.say("anna", asked)), "it may be put right, and lost then"
        assert (await party.load_row(broken)).status == "playing"
    reply = await party.say("carla", asked)
    if by == "button":
        (wanted,) = (press for press in presses(reply.card) if broken in press)
        reply = await party.press("carla", wanted)
    assert "damaged" not in words(reply)
    row = await party.load_row(broken)
    assert (row.status, row.outcome) == ("over", {"reason": "closed"})
    assert await party.store.games.results_of(broken) == []
    assert broken not in words(await party.say("anna", "/games"))
    assert broken not in words(await party.say("bruno", "/games"))
    assert board.retired or not any(broken in press for press in presses(board.card) if "more" in press)
    assert len([shown.text for shown in party.shown if "ended by those who manage" in shown.text]) == 1
    if whole:
        assert (await party.load_row(whole)).status == "playing"


async def test_ending_a_broken_game_restores_its_position_from_events(party: Party) -> None:
    code, _ = await moved(party)
    position = (await party.load_row(code)).position
    damage(party, DAMAGES["no JSON"].replace("revision + 1", "revision"), code)
    party.front = party.restarted()
    party.managers.add("carla")
    await party.say("carla", f"/close game:{code}")
    row = await party.load_row(code)
    assert (row.status, row.position) == ("over", position)
    assert "b1-b2" in str(card(await party.say("anna", f"/export code:{code}")).file)
    assert [findings async for _, findings in check_games(party.store)] == [()]


async def test_a_private_game_that_is_broken_can_be_ended_by_its_player(party: Party) -> None:
    alone = Place("web", "anna", kind="private")
    await party.say("anna", "/play annuvin computer:1", place=alone)
    code = party.code
    damage(party, DAMAGES["a position that cannot be"], code)
    assert "ended" in words(await party.say("anna", "/close", place=alone))
    assert (await party.load_row(code)).status == "over"


@pytest.mark.parametrize(("language", "said"), [("en", "set aside"), ("it", "messa da parte")])
async def test_broken_game_is_marked_in_the_list_without_a_turn(party: Party, language: str, said: str) -> None:
    broken = await party.started("/play annuvin @bruno")
    mover = party.mover
    before = words(await party.say(mover, "/games"))
    damage(party, DAMAGES["a position that cannot be"], broken)
    party.languages[mover] = language
    reply = await party.say(mover, "/games")
    assert broken in words(reply)
    assert said in words(reply)
    assert said not in before
    assert "your turn" not in words(reply)
    assert "tocca a te" not in words(reply)
    assert not any(broken in press for press in presses(reply.card))


@pytest.mark.parametrize("offers", ["{", "[]", '{"draw": 5}', '{"seat": {"person": 1}}'])
async def test_offers_that_cannot_be_read_lapse_with_the_next_move(party: Party, offers: str) -> None:
    code = await party.started("/play annuvin @bruno clock:1d")
    mover = party.mover
    whole = await party.started("/play annuvin @bruno")
    damage(party, "UPDATE games SET offers = ? WHERE id = ?", offers, code)
    assert [findings[0].what async for _, findings in check_games(party.store) if findings] == ["unreadable"]
    party.restarted()
    listed = await party.say("anna", "/games")
    assert all(each in words(listed) + str(presses(listed.card)) for each in (code, whole))
    assert "damaged" not in words(await party.say(mover, f"/board game:{code}"))
    await party.say(mover, f"/move b1-b2 game:{code}")
    row = await party.load_row(code)
    assert (row.turn, row.offers) == (1, Offers())
    assert [findings async for _, findings in check_games(party.store)] == [(), ()]


EVENTS = {
    "garbled": "UPDATE events SET data = replace(data, 'b1-b2', 'b1-b9') WHERE game = ? AND kind = 'action'",
    "no JSON": "UPDATE events SET data = '{' WHERE game = ? AND data LIKE '%b1-b2%'",
    "missing": "DELETE FROM events WHERE game = ? AND data LIKE '%b1-b2%'",
}


async def number_of(party: Party, code: str) -> int:
    """Return the number of the event that the tests damage."""
    return next(event.number for event in await party.store.games.events(code) if event.data.get("action") == "b1-b2")


@pytest.mark.parametrize(
    ("how", "asked"), [("garbled", "/undo"), ("no JSON", "/export code:"), ("missing", "/replay code:")]
)
async def test_game_with_unreplayable_events_is_set_aside_on_discovery(party: Party, how: str, asked: str) -> None:
    whole = await party.started("/play annuvin @bruno")
    code, mover = await moved(party)
    number = await number_of(party, code)
    damage(party, EVENTS[how], code)
    before = await party.load_row(code)
    with capture_logs() as logs:
        reply = await party.say(mover, asked + code if asked.endswith(":") else f"{asked} game:{code}")
    assert "record" in words(reply)
    assert "operator has been notified" in words(reply)
    assert {(entry["game"], entry["number"]) for entry in logs if entry["event"] == "broken-game"} == {(code, number)}
    row = await party.load_row(code)
    assert (row.position, row.revision, row.status) == (before.position, before.revision, "playing")
    assert row.deadline is None, "nobody loses it on time"
    other = party.other(mover)
    assert "record" in words(await party.say(other, f"/move b5-b4 game:{code}"))
    assert await party.load_row(code) == row
    assert "set aside" in words(await party.say(other, "/games"))
    party.front = party.restarted()
    assert "record" in words(await party.say(other, f"/resign game:{code}"))
    assert "damaged" not in words(await party.say(mover, f"/board game:{whole}"))
    party.managers.add("carla")
    await party.say("carla", f"/close game:{code}")
    closed = await party.load_row(code)
    assert (closed.status, closed.position) == ("over", before.position)


@pytest.mark.parametrize("how", EVENTS)
async def test_finished_game_with_unreplayable_events_is_reported(party: Party, how: str) -> None:
    code, _ = await moved(party)
    await party.say(party.mover, "b5-b4")
    await party.resign(party.mover, code)
    assert (await party.load_row(code)).status == "over"
    number = await number_of(party, code)
    damage(party, EVENTS[how], code)
    before = await party.load_row(code)
    for question in ("/replay", "/export", "/analyse"):
        for language, said in (("en", "operator has been notified"), ("it", "lo sa già")):
            party.languages["anna"] = language
            with capture_logs() as logs:
                reply = await party.say("anna", f"{question} code:{code}")
            assert said in words(reply)
            assert code in words(reply)
            found = [(entry["game"], entry["number"]) for entry in logs if entry["event"] == "broken-game"]
            assert found == [(code, number)]
    assert await party.load_row(code) == before


@pytest.mark.parametrize(("how", "end"), [("garbled", "resign"), ("no JSON", "draw"), ("missing", "time")])
async def test_unreplayable_games_are_not_rated(party: Party, how: str, end: str) -> None:
    code, mover = await moved(party)
    other = party.mover
    agreed = button(card(await party.say(other, f"/resign game:{code}")), "resign!") if end == "resign" else ""
    if end == "draw":
        await party.say(mover, "/draw")
    damage(party, EVENTS[how], code)
    with capture_logs() as logs:
        if end == "resign":
            assert "damaged" in words(await party.press(other, agreed))
        elif end == "draw":
            assert "damaged" in words(await party.say(other, "/draw"))
        else:
            party.clock.turn(days=2)
            await party.front.alarms.tick()
            await party.front.alarms.tick()
    assert any(entry["event"] == "broken-game" and entry["game"] == code for entry in logs)
    assert (await party.load_row(code)).status == "playing"
    assert await party.store.games.results_of(code) == []
    assert "set aside" in words(await party.say(other, "/games"))


@pytest.mark.parametrize("how", ["position", "record"])
async def test_broken_games_do_not_block_other_games_of_their_players(party: Party, how: str) -> None:
    over = await party.started("/play annuvin @bruno")
    await party.resign(party.mover, over)
    code, mover = await moved(party)
    if how == "record":
        damage(party, EVENTS["garbled"], code)
    else:
        damage(party, DAMAGES["a position that cannot be"], code)
        damage(party, "UPDATE games SET position = '[]' WHERE id = ?", over)
        party.front = party.restarted()
    assert over in words(await party.say("anna", "/history"))
    other = party.other(mover)
    assert "damaged" not in words(await party.say(other, "/settings holiday:5"))
    asked = button(card(await party.say(other, "/privacy")), "forget")
    sure = next(each for each in buttons(card(await party.press(other, asked))) if each.press.startswith("forget!"))
    assert "You are forgotten" in words(await party.press(other, sure))
    assert (await party.load_row(code)).status == "playing"
    assert await party.store.games.results_of(code) == []


async def test_a_mended_record_brings_a_game_back(party: Party) -> None:
    code, mover = await moved(party)
    damage(party, EVENTS["garbled"], code)
    await party.say(mover, "/undo")
    assert (await party.load_row(code)).deadline is None
    party.clock.turn(days=9)
    assert "record" in words(await party.say(party.other(mover), f"/move b5-b4 game:{code}"))
    damage(party, "UPDATE events SET data = replace(data, 'b1-b9', 'b1-b2') WHERE game = ?", code)
    change = present(await plan_repair(party.store, code, party.clock()))
    await party.store.games.commit(change)
    row = await party.load_row(code)
    assert row.deadline == party.clock() + timedelta(days=1)
    assert party.clock() < present(row.alarm_at) < row.deadline
    party.front = party.restarted()
    await party.front.delivery.run_until_idle()
    await party.say(party.mover, "b5-b4")
    assert (await party.load_row(code)).turn == 2


async def test_board_of_a_broken_game_does_not_block_others(party: Party) -> None:
    broken = await party.started("/play annuvin @bruno")
    whole = await party.started("/play annuvin @bruno")
    mover, shown = party.mover, len(party.shown)
    damage(party, "UPDATE games SET position = '{' WHERE id = ?", broken)
    damage(party, "UPDATE posts SET due_at = '2026-01-01 00:00:00', shown_revision = 0 WHERE game = ?", broken)
    damage(party, "UPDATE games SET revision = revision + 1 WHERE id = ?", broken)
    with capture_logs() as logs:
        await party.say(mover, f"/move b1-b2 game:{whole}")
    assert len(party.shown) == shown + 1
    assert any(entry["event"] == "broken-game" for entry in logs)


async def test_invalid_time_does_not_stop_deliveries(party: Party, tmp_path: Path) -> None:
    code = await party.started("/play annuvin @bruno")
    mover, shown = party.mover, len(party.shown)
    (post,) = await party.store.posts.list_for_game(code)
    damage(party, "UPDATE posts SET due_at = '2025-99-99 00:00:00' WHERE id = ?", post.id)
    await party.front.delivery.run_until_idle()
    with closing(sqlite3.connect(tmp_path / "data" / "tavoliere.db")) as connection:
        assert connection.execute("SELECT due_at FROM posts WHERE id = ?", (post.id,)).fetchall() == [(None,)]
    await party.front.typed_text(party.request(mover), "b1-b2")
    await party.front.delivery.run_until_idle()
    assert len(party.shown) == shown + 1


async def test_a_digest_lists_the_other_games(party: Party) -> None:
    await party.say("bruno", "/settings notices:digest")
    await party.say("anna", "/settings notices:digest")
    gone = await party.started("/play annuvin @bruno")
    whole = await party.started("/play annuvin @bruno")
    damage(party, DAMAGES[NOT_INSTALLED], gone)
    await party.wait(days=1)
    digests = [shown.text + str(presses(shown.card)) for shown in party.shown if shown.place.channel.startswith("@")]
    assert digests
    assert all(whole in digest and gone not in digest for digest in digests), digests
