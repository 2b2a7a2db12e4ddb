"""Competitions as people meet them: made, entered, played to their end, and everything that comes between."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.competitions.events import CupCreated, CupEntered, CupTerms, Format, kind_of, to_json
from bot.interface.requests import Place
from bot.jobs.alarms import PULSE
from bot.services.checking_cups import check_competitions
from bot.services.competitions import Cup, find_cup, store_events
from bot.web.room import ROOM, ChatRoom
from storage import CompetitionChange, EntrantRow, NewEvent, Store
from tests.bot.party import Party, Shown, buttons, labelled, words
from tests.discord.harness import DRAW
from tests.discord.test_limits import shown as on_discord
from tests.support.stores import a_cup_row
from tests.telegram.test_cards import shown as on_telegram

FOUR = ("anna", "bruno", "cora", "dino")
HALL = Place("web", "hall", title="The hall")


async def a_cup(party: Party, line: str = "/cup annuvin clock:1d players:4", *joining: str) -> str:
    """Have Anna make a competition that people enter, and return its code."""
    made = await party.say("anna", line)
    assert "The competition is made" in words(made), words(made)
    (row,) = await party.store.competitions_made(await person(party, "anna"))
    for who in joining:
        entered = await party.press(who, f"cup=join.{row.id}")
        assert "You are in" in words(entered), words(entered)
    return row.id


async def person(party: Party, who: str) -> int:
    found = await party.store.find_people(who.capitalize())
    return found[0].id


async def cup_of(party: Party, code: str) -> Cup:
    return await find_cup(party.front.context, code)


def main(party: Party, code: str, place: str = "room") -> Shown:
    """Return the message by which a competition is shown."""
    return [
        shown for shown in party.shown
        if shown.key.startswith(f"cup-{code}-") and "-round-" not in shown.key and shown.place.channel == place
    ][-1]  # fmt: skip


def told(party: Party) -> list[str]:
    """Return what was told of rounds, the oldest first."""
    return [shown.text for shown in party.shown if "-round-" in shown.key]


async def resign_all(party: Party, code: str) -> int:
    """Have whoever is to move resign in every game of a competition that goes on; return how many that were."""
    ended = 0
    for _, _, _, game in (await cup_of(party, code)).stands.games():
        row = await party.store.game(game.id or "")
        if row is not None and row.status == "playing":
            assert row.to_move is not None
            (who,) = (await party.store.people([row.to_move])).values()
            await party.press(who.name.lower(), f"resign!:{row.id}:{row.revision}")
            ended += 1
    return ended


async def time_passes(party: Party, hours: int) -> None:
    """Have so many hours go by with the program up: what is due is done."""
    party.clock.turn(hours=hours)
    await party.store.pulse(PULSE, party.clock())
    await party.front.alarms.beat()
    await party.front.rounds.settle()
    await party.settle()


async def played_out(party: Party, code: str) -> Cup:
    """Have a competition played to its end by resigning."""
    for _ in range(40):
        if not await resign_all(party, code):
            break
    return await cup_of(party, code)


async def test_all_play_all_from_the_command_to_the_winner(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4", *FOUR)
    # Full, it has begun by itself; everybody has a board with the terms of a competition.
    stands = (await cup_of(party, code)).stands
    assert (stands.stage, stands.planned, len(stands.rounds)) == ("running", 3, 1)
    assert "Round 1" in told(party)[-1]
    games = [game for *_, game in stands.games()]
    for game in games:
        row = await party.store.game(game.id or "")
        assert row is not None
        assert (row.status, row.terms.cup, row.terms.hints, row.terms.clock) == ("playing", code, False, 86400)
        assert f"{game.id}" in told(party)[-1]
    cup = await played_out(party, code)
    assert (cup.stands.stage, cup.stands.ending, len(cup.stands.rounds)) == ("over", "played", 3)
    assert len(told(party)) == 4
    assert "has won" in told(party)[-1] or "have won" in told(party)[-1]
    assert "won" in main(party, code).text
    ranks = sorted(entry.rank or 0 for entry in cup.entries.values())
    assert ranks[0] == 1
    best = next(each for each in cup.entries.values() if each.rank == 1)
    assert await party.store.cups_won(best.person or 0) == {"annuvin": 1}
    # Nobody met anybody twice.
    pairs = [frozenset(game.seats) for *_, game in cup.stands.games()]
    assert len(set(pairs)) == 6


@pytest.mark.parametrize(("kind", "players", "rounds"), [("swiss", 4, 2), ("knockout", 4, 2), ("twice", 3, 6)])
async def test_every_format_for_two_comes_to_its_end(party: Party, kind: str, players: int, rounds: int) -> None:
    code = await a_cup(party, f"/cup annuvin clock:1d players:{players} format:{kind} rounds:2", *FOUR[:players])
    cup = await played_out(party, code)
    assert (cup.stands.stage, len(cup.stands.rounds)) == ("over", rounds)


async def test_tables_for_three_and_more_come_to_their_end(party: Party) -> None:
    five = (*FOUR, "elsa")
    code = await a_cup(party, "/cup vedova-nera clock:1d players:5 format:tables seats:3 rounds:2", *five)
    cup = await played_out(party, code)
    assert (cup.stands.stage, len(cup.stands.rounds)) == ("over", 2)


async def test_who_never_moves_loses_is_asked_once_and_can_come_back(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1h players:4", *FOUR)
    await time_passes(party, 2)
    cup = await cup_of(party, code)
    silent = [number for number in cup.stands.inside if cup.stands.entrants[number].asked]
    assert len(silent) == 2
    assert len(cup.stands.rounds) == 2  # nobody waits for them
    assert "no first move came" in main(party, code).text
    assert main(party, code).calls == ()
    who = cup.name(silent[0]).lower()
    stayed = await party.press(who, labelled(main(party, code).card, "I am still in"))
    assert "paired again" in words(stayed)
    assert "Nobody has asked" in words(await party.press(who, f"cup=stay.{code}"))
    for _ in range(9):
        await time_passes(party, 2)
    assert (await cup_of(party, code)).stands.stage == "over"


async def test_in_its_games_nothing_but_a_draw_can_be_offered(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4 rounds:1", *FOUR)
    row = await party.store.game(next(game.id or "" for *_, game in (await cup_of(party, code)).stands.games()))
    assert row is not None
    people = await party.store.people([entry.person or 0 for entry in row.seats])
    mover = people[row.to_move or 0].name.lower()
    other = next(each.name.lower() for each in people.values() if each.id != row.to_move)
    assert "In a competition this cannot be done" in words(await party.say(mover, f"/pause {row.id}"))
    labels = {
        each.label
        for each in buttons((await party.press(other, f"more:{row.id}:{row.revision}")).card or party.newest.card)
    }
    assert labels.isdisjoint({"Pause", "Wait on", "Give up together", "Call it off", "Hint"})
    assert "offer" in words(await party.say(other, f"/draw {row.id}"))
    party.managers.add("anna")
    assert code in words(await party.say("anna", f"/close {row.id}"))
    hint = await party.say(mover, f"/hint {row.id}")
    assert "hint" in words(hint).lower()


async def test_leaving_excluding_pausing_and_ending(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:5", *FOUR)
    assert "Leave" in {each.label for each in buttons(main(party, code).card)}
    await party.press("dino", f"cup=leave.{code}")
    assert "3 of at most 5" in main(party, code).text
    await party.press("dino", f"cup=join.{code}")
    assert "Only whoever made it" in words(await party.press("bruno", f"cup=start.{code}"))
    assert "It starts" in words(await party.press("anna", f"cup=start.{code}"))
    assert "started already" in words(await party.press("anna", f"cup=start.{code}"))
    assert "started already" in words(await party.press("elsa", f"cup=join.{code}"))
    dino = (await cup_of(party, code)).entrant_of(await person(party, "dino"))
    run = await party.press("anna", f"cup=run.{code}")
    sure = await party.press("anna", labelled(run.card or main(party, code).card, "Dino"))
    await party.press("anna", labelled(sure.card or main(party, code).card, "Yes, put them out"))
    await party.press("anna", f"cup=pause.{code}")
    assert "Paused" in main(party, code).text
    await resign_all(party, code)
    assert len((await cup_of(party, code)).stands.rounds) == 1
    await party.press("anna", f"cup=resume.{code}")
    cup = await cup_of(party, code)
    assert len(cup.stands.rounds) == 2
    assert all(dino not in board.entrants for board in cup.stands.rounds[1].boards)
    await party.press("anna", f"cup=end!.{code}")
    assert "ended before its time" in main(party, code).text
    assert "It is over" in words(await party.press("anna", f"cup=end!.{code}"))


async def test_it_starts_at_its_time_waits_for_more_or_lapses(party: Party) -> None:
    waits = await a_cup(party, "/cup annuvin clock:1d starts:2h least:3", "anna", "bruno")
    party.clock.turn(hours=3)
    await party.front.rounds.settle()
    assert "as soon as 3 are there" in main(party, waits).text
    await party.press("cora", f"cup=join.{waits}")
    assert (await cup_of(party, waits)).stands.stage == "running"
    await party.press("anna", f"cup=end!.{waits}")
    lapses = await party.say("bruno", "/cup annuvin clock:1d starts:2h least:3 lapse:yes")
    assert "made" in words(lapses)
    (row, *_) = await party.store.competitions_made(await person(party, "bruno"))
    party.clock.turn(hours=3)
    await party.front.rounds.settle()
    assert "did not take place" in main(party, row.id).text
    assert party.clock() - row.created_at > timedelta(hours=2)


async def test_it_is_open_in_other_channels_for_whoever_has_the_code(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4 entry:code", *FOUR[:3])
    party.languages["dino"] = "it"
    assert "Partecipi" in words(await party.say("dino", f"/cup join {code}", place=HALL))
    assert "Round 1" in main(party, code).text
    assert "Round 1" in main(party, code, "hall").text
    there = [shown for shown in party.shown if "-round-" in shown.key]
    assert {shown.place.channel for shown in there} == {"room", "hall"}


async def test_what_cannot_be_is_answered_in_one_sentence(party: Party) -> None:
    game = await party.started()
    code = await a_cup(party, "/cup annuvin clock:1d players:3", "bruno")
    for who, line, said in (
        ("anna", "/cup annuvin players:4", "needs a clock"),
        ("anna", "/cup annuvin clock:1d players:65", "65"),
        ("anna", "/cup annuvin clock:1d players:17", "at most 16"),
        ("anna", "/cup annuvin clock:1d players:2", "2"),
        ("anna", "/cup annuvin clock:1d players:4 least:5", "take only 4"),
        ("anna", "/cup annuvin clock:1d starts:later", "do not understand"),
        ("anna", "/cup annuvin clock:1d starts:400d", "within 90 days"),
        ("anna", "/cup annuvin clock:1d double:yes", "alike"),
        ("anna", "/cup annuvin clock:1d format:tables", "for two"),
        ("anna", "/cup nothing clock:1d", "nothing"),
        ("anna", "/cup clock:1d", "Of which game"),
        ("bruno", f"/cup join:{code}", "in already"),
        ("bruno", f"/cup join:{game}", "code of a game"),
        ("bruno", "/cup join:AAAAAA", "AAAAAA"),
        ("bruno", "/cup join:K7QFRW", "no competition"),
    ):
        answer = words(await party.say(who, line))
        assert said in answer, (line, answer)
    assert "Only 1 in" in words(await party.press("anna", f"cup=start.{code}"))
    assert "those in the channel" in words(await party.say("elsa", f"/cup join:{code}", place=HALL))
    bruno = (await cup_of(party, code)).entrant_of(await person(party, "bruno"))
    await party.press("anna", f"cup=out!.{code}.{bruno}")
    assert "put you out" in words(await party.press("bruno", f"cup=join.{code}"))
    assert "not in this competition" in words(await party.press("bruno", f"cup=leave.{code}"))
    for pressed in ("cup=", "cup=join", "cup=x.AAAAAA", f"cup=x.{code}", f"cup=out.{code}.99", "cupnew=annuvin.zz"):
        assert words(await party.press("anna", pressed))


async def test_the_form_leads_step_by_step_to_a_competition(party: Party) -> None:
    shown = await party.say("anna", "/cup")
    assert "no competition here yet" in words(shown)
    for label in ("Real Queen", "knock-out", "3 days a turn", "for 16", "starts in 6 hours", "Royal wins double"):
        assert shown.card is not None
        shown = await party.press("anna", labelled(shown.card, label))
    assert shown.card is not None
    await party.press("anna", labelled(shown.card, "Make it"))
    (row,) = await party.store.competitions_made(await person(party, "anna"))
    terms = (await cup_of(party, row.id)).stands.terms
    assert (terms.format, terms.clock, terms.most, terms.double) == ("knockout", 3 * 86400, 16, ("royal",))
    assert terms.starts_at is not None
    assert "Royal wins" in main(party, row.id).text
    before = len(party.shown)
    await party.press("bruno", f"cup=show.{row.id}")
    assert len(party.shown) == before + 1
    listed = await party.say("bruno", "/cup")
    assert row.id in {each.label[-6:] for each in buttons(listed.card or main(party, row.id).card)}


async def test_boards_come_to_private_chats_where_there_are_no_threads_else_to_the_channel(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/games", place=Place("web", f"@{who}", kind="private"))
    party.adapter.closed.add("bruno")
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:3])
    seen = set[tuple[str, ...]]()
    while await resign_all(party, code):
        games = [game for *_, game in (await cup_of(party, code)).stands.games()]
        for game in games:
            names = tuple(sorted({(await cup_of(party, code)).name(each).lower() for each in game.seats}))
            shown = {shown.place.channel for shown in party.shown if game.id and game.id in str(shown.card.rows)}
            assert shown == ({"@anna", "room"} if "anna" in names else {"room"}), names
            seen.add(names)
    assert len(seen) == 3


async def test_who_links_has_one_entry_and_who_is_forgotten_leaves(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:5", *FOUR)
    anna, dino = [await person(party, who) for who in ("anna", "dino")]
    await party.store.merge_people(anna, dino)
    await party.front.rounds.settle()
    cup = await cup_of(party, code)
    assert (len(cup.stands.inside), cup.entrant_of(anna)) == (3, 0)
    cora = await person(party, "cora")
    await party.press("anna", f"cup=start.{code}")
    await party.press("cora", f"forget!={cora}")
    await played_out(party, code)
    await time_passes(party, 48)
    cup = await cup_of(party, code)
    assert cup.stands.stage == "over"
    assert "Cora" not in main(party, code).text
    assert "…" in main(party, code).text
    profile = await party.say("anna", "/profile")
    assert ("Competitions won" in words(profile)) == (await party.store.cups_won(anna) != {})


async def test_what_is_stored_of_a_competition_is_checked_against_its_events(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:4", *FOUR)
    await played_out(party, code)
    assert [found async for found in check_competitions(party.store)] == [(code, ())]
    row = await party.store.competition(code)
    assert row is not None
    change = CompetitionChange(row=row, events=(NewEvent("paused"),), at=party.clock())
    await party.store.change_competition(change)
    assert [found.what async for _, every in check_competitions(party.store) for found in every] == ["cup-events"]


async def test_a_long_table_fits_on_both_platforms_and_is_paged(store: Store) -> None:
    party = Party(store, draw=DRAW)
    people = [f"somebody with a name as long as number {number}" for number in range(20)]
    code = await a_cup(party, "/cup annuvin clock:1h format:swiss players:20 rounds:1", *people[:1])
    place = await store.place("web", "room", None, None, "group", "The room")
    for number, who in enumerate(people[1:], start=1):
        known = await store.person_by_identity("web", who, who.capitalize(), "en")
        cup = await cup_of(party, code)
        entry = EntrantRow(number, known.id, place.id, f"web:{number}")
        await store_events(party.front.context, cup, [CupEntered(number, f"web:{number}")], entries=[entry])
    await party.settle()
    cards = [main(party, code).card, party.newest.card]
    await time_passes(party, 2)
    table = await party.press("anna", f"cup=table.{code}")
    for label in ("Next", "Back", "How ties are broken"):
        assert table.card is not None
        cards.append(table.card)
        table = await party.press("anna", labelled(table.card, label))
    assert "Buchholz" in words(table)
    cards += [main(party, code).card, *(shown.card for shown in party.shown if "-round-" in shown.key)]
    for each in cards:
        on_discord(each)
        on_telegram(each, "en")
    assert main(party, code).card.picture is not None
    assert (await cup_of(party, code)).stands.stage == "over"


async def test_a_competition_of_a_game_that_is_gone_is_answered_in_one_sentence(party: Party) -> None:
    await party.say("anna", "/games")
    place = await party.store.place("web", "room", None, None, "group", "The room")
    row = replace(a_cup_row(place.id, await person(party, "anna"), "K7QFRC"), game_key="gone")
    terms = CupTerms(game="gone", format=Format.ALL, clock=3600, options={"size": 7})
    made = CupCreated(terms, row.id, "a" * 64)
    await party.store.create_competition(row, [NewEvent(kind_of(made), to_json(made))], party.clock())
    await party.front.rounds.settle()
    for verb in ("join", "start"):
        assert "gone" in words(await party.press("anna", f"cup={verb}.{row.id}"))
    assert "gone" in main(party, row.id).text
    assert words(await party.press("anna", f"cup=table.{row.id}"))
    assert words(await party.say("anna", "/cup"))


async def test_on_the_page_it_is_shown_in_the_room_and_kept_up_to_date(party: Party) -> None:
    room = ChatRoom(party.store, party.clock)
    party.front.add(room)
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:3])
    said = await party.store.messages(ROOM, await person(party, "anna"))
    cups = [each for each in said if "Competition" in each.text or "Competition" in str(each.card)]
    assert len(cups) == 2
    assert "Round 1" in str(cups[0].card)
    assert sum(code in str(each.card) for each in cups) >= 1


@pytest.mark.parametrize("days", [0, 2])
async def test_a_holiday_makes_a_turn_no_longer_than_is_agreed_on(party: Party, days: int) -> None:
    code = await a_cup(party, f"/cup annuvin clock:1d players:3 holidays:{days}", *FOUR[:3])
    (game,) = [game.id or "" for *_, game in (await cup_of(party, code)).stands.games()]
    row = await party.store.game(game)
    assert row is not None
    assert row.deadline is not None
    (mover,) = (await party.store.people([row.to_move or 0])).values()
    for holiday in (3, 9):
        party.clock.turn(hours=5)
        await party.say(mover.name.lower(), f"/settings holiday:{holiday}")
        now = await party.store.game(game)
        assert now is not None
        assert now.deadline == row.deadline + timedelta(days=days)


async def test_a_whole_competition_is_given_as_a_file_without_its_seed_while_it_goes_on(
    party: Party,
) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:3])
    seed = (await cup_of(party, code)).row.seed
    early = await party.say("anna", f"/export {code}")
    assert early.card is not None
    assert early.card.file is not None
    assert seed.encode() not in early.card.file.content
    await played_out(party, code)
    late = await party.say("anna", f"/export {code}")
    assert late.card is not None
    data = await party.press("anna", labelled(late.card, "As JSON"))
    for reply, name in ((late, f"cup-{code}.txt"), (data, f"cup-{code}.json")):
        file = reply.card.file if reply.card is not None else None
        assert file is not None
        assert file.name == name
        assert seed.encode() in file.content
        for *_, game in (await cup_of(party, code)).stands.games():
            assert f"Id: {game.id}".encode() in file.content
