"""Computers at the table: how they are asked for, their seats, what they agree to, rematches, results, records."""

from pathlib import Path

import pytest
from sqlalchemy import update
from structlog.testing import capture_logs

from bot.cli.imports import import_record
from bot.kernel.names import log_unknown_name
from bot.table.checking import check_game
from engine.record import Record, verify
from storage import OfferKind
from storage.schema import seats
from tests.bot.computers import SQUARE, Weighing, play_turn, to_the_end
from tests.bot.party import Party, button, buttons, card, labelled, missing, words
from tests.support.present import present
from tests.support.records import record_of
from tests.support.stores import START, open_copy


async def test_a_game_against_the_computer_begins_at_once_and_goes_to_its_end(party: Party) -> None:
    await party.say("anna", SQUARE)
    started = await party.load_row()
    assert started.status == "playing"
    assert {entry.computer for entry in started.seats} == {None, "1"}
    assert party.mover == "anna"
    await play_turn(party)
    assert (await party.load_row()).position != started.position
    assert "taken back" in words(await party.say("anna", "/undo")), "with the computer's answer"
    assert ((await party.load_row()).position, party.mover) == (started.position, "anna")
    over = await to_the_end(party)
    assert {(each.pool, each.rated) for each in await party.store.games.results_of(over.id)} == {("computer", False)}
    assert await check_game(party.store, over.id) == ()
    assert "wins!" in party.newest.text


async def test_how_a_computer_is_asked_for(party: Party) -> None:
    for said, level in (
        ("computer:3", "3"),
        ("computer 4", "4"),
        ("computer", "2"),
        ("computers:1", "2"),
        ("Computer:5 clock:1d", "5"),
        ("@computer", "2"),
        ("@Computer 4", "4"),
        ("opponents:computer", "2"),
        ("opponents:computer computer:5", "5"),
    ):
        await party.say("anna", f"/play real-queen {said}")
        found = await party.load_row()
        assert found.status == "playing", said
        assert [entry.computer for entry in found.seats if entry.computer] == [level], said


async def test_how_many_computers_play(party: Party) -> None:
    await party.meet("bruno")
    for said, count, computers, status in (
        ("seats:4 computer:1", 4, 3, "playing"),
        ("seats:4 computers:1", 4, 1, "lobby"),
        ("computers:3", 4, 3, "playing"),
        ("@bruno computer 1", 3, 1, "lobby"),
        ("@bruno seats:5 computer:1", 5, 3, "lobby"),
    ):
        await party.say("anna", f"/play vedova-nera {said}")
        found = await party.load_row()
        assert (found.seat_count, sum(entry.computer is not None for entry in found.seats)) == (count, computers), said
        assert found.status == status, said


async def test_invalid_computer_seats_are_refused(party: Party) -> None:
    await party.meet("bruno")
    for said in ("computer:6", "computer:0", "computer:x", "computers:5", "@bruno computers:4", "seats:2 computers:3"):
        assert words(await party.say("anna", f"/play vedova-nera {said}")), said
    assert party.shown == []


async def test_names_are_in_the_language_of_who_reads(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:3 computer:1")
    assert "Computer 1 (level 1)" in party.newest.text + words(await party.say("anna", "/games"))
    party.languages["anna"] = "it"
    assert "Computer 1 (livello 1)" in words(await party.say("anna", "/games"))
    party.managers.add("anna")
    await party.say("anna", "/settings language:it for:channel")
    await party.say("anna", "/board")
    assert "livello 1" in party.newest.text


async def test_an_open_seat_is_given_to_a_computer(party: Party) -> None:
    await party.say("anna", "/play annuvin")
    offered = button(party.newest.card, "robot")
    assert offered.label == "Play the computer"
    assert "Join first" in words(await party.press("bruno", offered))
    asked = await party.press("anna", offered)
    assert asked.private
    assert [entry.label for entry in buttons(card(asked))] == ["1", "2", "3", "4", "5"]
    assert "plays along" in words(await party.press("anna", labelled(card(asked), "1")))
    assert (await party.load_row()).status == "playing"
    assert "already started" in words(await party.press("anna", labelled(card(asked), "2")))


async def test_the_list_of_games_leads_to_one_against_the_computer(party: Party) -> None:
    chosen = await party.follow("anna", await party.say("anna", "/play"), "Fagocitare")
    begun = await party.follow("anna", chosen, "Opponent: people", "1 – just learning", "Play the computer")
    assert "New to Fagocitare?" in words(begun)
    row = await party.load_row()
    assert (row.game, [entry.computer for entry in row.seats]) == ("fagocitare", [None, "1"])
    await party.press("bruno", "solo=real-queen")
    assert (await party.load_row()).game == "real-queen"
    # With a level alone it is asked which game.
    await party.follow("anna", await party.say("anna", "/play computer 1"), "Real Queen")
    assert [entry.computer for entry in (await party.load_row()).seats] == [None, "1"]


@pytest.mark.parametrize(("mine", "theirs", "drawn"), [(0.8, 0.2, True), (0.5, 0.5, True), (0.3, 0.7, False)])
async def test_computer_accepts_a_draw_when_not_ahead(party: Party, mine: float, theirs: float, drawn: bool) -> None:
    await party.say("anna", SQUARE)
    found = await party.load_row()
    seat = next(entry.seat for entry in found.seats if entry.computer)
    party.front.context.thinkers = Weighing(*((theirs, mine) if seat == 0 else (mine, theirs)))
    await party.say("anna", "/draw")
    found = await party.load_row(found.id)
    if drawn:
        assert found.outcome == {"reason": "agreement", "places": [1, 1]}
        assert await check_game(party.store, found.id) == ()
    else:
        assert found.status == "playing"
        assert "Computer (level 1) would rather play on: no draw." in party.newest.text
        await play_turn(party)
        assert "rather play on" not in party.newest.text


async def test_an_offered_draw_waits_for_people_and_is_answered_after_a_restart(party: Party) -> None:
    party.arguments["thinkers"] = Weighing(0.4, 0.4, 0.4)
    await party.started("/play vedova-nera seats:3")
    await party.follow("anna", await party.press("anna", button(party.newest.card, "robot")), "1")
    code = party.code
    party.thinking = False
    await party.say("anna", f"/draw {code}")
    assert (await party.load_row(code)).thinking
    party.restarted()
    party.thinking = True
    await party.settle()
    found = await party.load_row(code)
    offer = present(found.offers.offer_of_kind(OfferKind.DRAW))
    assert (found.status, len(offer.agreed)) == ("playing", 2)
    await party.press("bruno", button(party.newest.card, "agree"))
    assert (await party.load_row(code)).outcome == {"reason": "agreement", "places": [1, 1, 1]}


async def test_everything_else_it_agrees_to(party: Party) -> None:
    await party.say("anna", f"{SQUARE} clock:1d")
    code = party.code
    await play_turn(party)
    assert words(await party.say("anna", "/pause")) == "Done."
    assert (await party.load_row(code)).progress.paused
    await party.press("anna", f"offer:{code}:{(await party.load_row(code)).revision}=together")
    assert (await party.load_row(code)).outcome == {"reason": "abandoned"}


async def test_seat_of_an_absent_player_can_be_given_to_a_computer(party: Party) -> None:
    code = await party.started("/play annuvin @bruno board:square")
    gone, stays = party.mover, party.other()
    more = await party.press(stays, button(party.newest.card, "more"))
    assert not [entry for entry in buttons(card(more)) if entry.press.startswith("seat:")]
    assert "moved" in words(await party.press(stays, f"seat:{code}:0"))
    party.clock.turn(days=1)
    more = await party.press(stays, button(party.newest.card, "more"))
    asked = await party.press(stays, button(card(more), "seat"))
    assert "plays on in that seat" in words(await party.press(stays, labelled(card(asked), "1")))
    found = await party.load_row(code)
    assert sorted(str(entry.computer) for entry in found.seats) == ["1", "None"]
    assert party.mover == stays
    assert "are playing here" in words(await party.say(gone, f"/move a1-a2 game:{code}"))
    await party.resign(stays, found.id)
    assert {(each.pool, each.rated) for each in await party.store.games.results_of(code)} == {("computer", False)}
    record = await record_of(party.front.context, await party.table(code))
    assert verify(Record.from_text(record.to_text())).seats == 2
    assert await check_game(party.store, code) == ()


async def test_the_others_are_asked_before_a_seat_changes_hands(party: Party) -> None:
    await party.started("/play vedova-nera seats:3", "bruno", "carla")
    code, gone = party.code, party.mover
    one, other = (who for who in ("anna", "bruno", "carla") if who != gone)
    party.clock.turn(days=2)
    offered = await party.press(one, f"seat:{code}:{(await party.load_row(code)).revision}=2")
    assert "the computer plays on for Bruno" in words(offered)
    assert "Computer (level 2) would like to play on" in party.newest.text
    await party.press(other, button(party.newest.card, "agree"))
    assert [entry.computer for entry in (await party.load_row(code)).seats].count("2") == 1
    assert party.mover != gone


async def test_computers_fill_a_table_which_ends_the_game_when_no_person_is_left(party: Party) -> None:
    await party.started("/play vedova-nera seats:4")
    for level in ("1", "2"):
        offered = button(party.newest.card, "robot")
        assert offered.label == "Add a computer"
        await party.follow("bruno", await party.press("bruno", offered), level)
    found = await party.load_row()
    assert found.status == "playing"
    assert [entry.computer for entry in found.seats] == [None, None, "1", "2"]
    assert sorted(entry.seat or 0 for entry in found.seats) == [0, 1, 2, 3]
    code = found.id
    for who in ("bruno", "anna"):
        await party.resign(who, code)
    found = await party.load_row(code)
    assert found.status == "over"
    outcome, people = present(found.outcome), {entry.person: entry.seat or 0 for entry in found.seats}
    assert [outcome["places"][people[await party.id_of(who)]] for who in ("bruno", "anna")] == [4, 3]
    assert (sorted(outcome["places"]), outcome["reason"]) == ([1, 1, 3, 4], "deserted")
    assert "All people have left" in party.newest.text
    assert await check_game(party.store, code) == ()


async def test_results_against_computers_are_apart(party: Party) -> None:
    await party.say("anna", SQUARE)
    await party.resign("anna")
    assert missing(words(await party.say("anna", "/profile")), "Against the computer", "1 loss") == []
    assert "Computer (level 1)" in words(await party.say("anna", "/history"))
    for where in ("here", "server", "everywhere"):
        listed = words(await party.say("anna", f"/leaderboard where:{where}"))
        assert "Computer" not in listed
        assert "Anna" not in listed
    assert await party.store.ratings.list_for_people([await party.id_of("anna")]) == []


async def test_a_rematch_of_many_with_equal_computers(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:4 computer:1")
    first = await party.load_row()
    await party.resign("anna")
    await party.say("anna", f"/rematch {first.id}")
    again = await party.load_row()
    assert (again.status, again.seat_count, again.terms.rotated) == ("playing", 4, True)
    before, after = (next(each.seat or 0 for each in game.seats if each.person) for game in (first, again))
    assert after == (before - 1) % 4
    assert sorted(entry.seat or 0 for entry in again.seats) == [0, 1, 2, 3]


async def test_a_record_goes_out_and_comes_in(party: Party, tmp_path: Path, empty_database: Path) -> None:
    await party.say("anna", "/play uomo-nero seats:3 computer:1")
    code = party.code
    for _ in range(2):
        await play_turn(party, code=code)
    await party.resign("anna", code)
    over = await party.load_row(code)
    text = (await record_of(party.front.context, await party.table(code))).to_text()
    record = Record.from_text(text)
    assert (verify(record).seats, record.result) == (3, "abandoned")
    assert {name for name in record.names if name != "Anna"} == {"Computer 1 (level 1)", "Computer 2 (level 1)"}
    async with open_copy(empty_database, tmp_path / "other" / "tavoliere.db") as other:
        imported = await import_record(other, record, START)
        assert imported.outcome == over.outcome
        assert sorted(entry.computer or "" for entry in imported.seats) == ["", "1", "1"]
        assert {result.pool for result in await other.games.results_of(code)} == {"computer"}
        async with Party(other) as elsewhere:
            again = await record_of(elsewhere.front.context, await elsewhere.table(code))
            assert (again.to_text(), await check_game(other, code)) == (text, ())


@pytest.mark.parametrize("level", ["9", "", "\u00b2"])
async def test_a_stored_level_that_is_not_known_here_is_the_usual_one_and_is_logged_once(
    party: Party, level: str
) -> None:
    """Whatever shows the game or plays in it goes on: the computer moves, boards name it, it can be repeated."""
    log_unknown_name.cache_clear()
    await party.say("anna", SQUARE)
    code = party.code
    async with party.store._database.transaction() as connection:
        await connection.execute(update(seats).where(seats.computer == "1").values(computer=level))
    party.store.cache.clear()
    with capture_logs() as logs:
        for text in ("/games", f"/board {code}", f"/why {code}", "/profile", f"/record {code}"):
            assert "internal" not in words(await party.say("anna", text)).lower()
        assert "Computer (level 2)" in party.newest.text
        await play_turn(party)
        await party.resign("anna", code)
        await party.press("anna", button(party.board.card, "rematch"))
    unknown = [line for line in logs if line["event"] == "stored-name-unknown"]
    assert [(line["kind"], line["name"]) for line in unknown] == [("level", level)]
