"""Competitions as they are chosen, shown, refused, checked and taken away."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.competitions.cups.service import CUPS
from bot.competitions.events import CUP_CODEC, CompetitionEvent, CupCreated, CupEnded, CupTerms, Ending, Entered, Format
from bot.competitions.kinds import check_competitions
from bot.competitions.pairing import next_event, start_event
from bot.platforms.web.room import ChatRoom
from storage import CompetitionChange, EntrantRow, NewEvent, Store
from tests.bot.cups import FOUR, HALL, a_cup, cup_of, main, played_out
from tests.bot.party import Party, buttons, card, labelled, words
from tests.discord.test_limits import shown as on_discord
from tests.support.present import present
from tests.support.stores import make_cup_row, some_people
from tests.support.tiny import DRAW
from tests.telegram.test_cards import shown as on_telegram


async def test_invalid_competition_commands_are_refused_in_one_sentence(party: Party) -> None:
    game = await party.started()
    code = await a_cup(party, "/cup annuvin clock:1d players:3", "bruno")
    for who, line, said in (
        ("anna", "/cup annuvin players:4", "needs a clock"),
        ("anna", "/cup annuvin clock:none", "needs a clock"),
        ("anna", "/cup annuvin clock:200+10", "between 1+0 and 180+60"),
        ("anna", "/cup annuvin clock:1d players:65", "65"),
        ("anna", "/cup annuvin clock:1d players:17", "at most 16"),
        ("anna", "/cup annuvin clock:1d players:2", "from 3 to 64"),
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
    bruno = (await cup_of(party, code)).entrant_of(await party.id_of("bruno"))
    await party.press("anna", f"cup=out!.{code}.{bruno}")
    assert "put you out" in words(await party.press("bruno", f"cup=join.{code}"))
    assert "not in this competition" in words(await party.press("bruno", f"cup=leave.{code}"))
    for pressed in (
        "cup=",
        "cup=join",
        "cup=x.AAAAAA",
        f"cup=x.{code}",
        f"cup=out.{code}.99",
        "cupnew=annuvin.zz",
        "form=cup.1.-.g:chess",
    ):
        assert words(await party.press("anna", pressed))


@pytest.mark.parametrize(
    ("labels", "terms"),
    [
        (
            (
                "Real Queen | Format: all play all | knock-out | Time for a turn: 1 day a turn | 3 days a turn | "
                "For how many: 8 people | 16 people | ✗ Fine wins count double"
            ),
            {"format": "knockout", "clock": 3 * 86400, "most": 16, "double": ("royal",)},
        ),
        (
            (
                "La Vedova Nera | Format: all play all | tables | Rounds: as many as fit | 2 rounds | "
                "Players at a table: 5 players | 4 players | Starts with: 3 people at least | 5 people at least | "
                "Where somebody is missing: nobody plays | a computer of level 2 plays | Holidays: none | "
                "3 days longer at most | ✗ Off if too few come | ✓ Counts for the leaderboard"
            ),
            {"rounds": 2, "seats": 4, "least": 5, "computers": "2", "holidays": 3, "lapses": True, "rated": False},
        ),
    ],
)
async def test_all_settings_of_a_cup_can_be_pressed(party: Party, labels: str, terms: dict[str, Any]) -> None:
    shown = await party.say("anna", "/cup")
    assert "no competition here yet" in words(shown)
    for label in (*labels.split(" | "), "It starts: when it is full", "in 6 hours"):
        on_telegram(card(shown), "en")
        shown = await party.follow("anna", shown, label)
    on_discord(card(shown))
    await party.follow("anna", shown, "Make it")
    (code,) = await party.store.competitions.list_ids()
    made = (await cup_of(party, code)).state.terms
    assert {name: getattr(made, name) for name in terms} == terms
    assert made.starts_at is not None


async def test_it_is_listed_and_comes_down_to_the_newest_message(party: Party) -> None:
    code = await a_cup(party, "/cup real-queen clock:1d double:yes")
    assert "Royal wins" in main(party, code).text
    for _ in range(2):
        old, before = main(party, code), len(party.shown)
        await party.press("bruno", f"cup=show.{code}")
        assert (len(party.shown), old.retired, main(party, code).retired) == (before + 1, True, False)
    listed = await party.say("bruno", "/cup")
    assert code in {each.label[-6:] for each in buttons(card(listed))}


LONG_NAME = "Somebody with a name as long as number"


async def test_a_table_of_64_fits_on_both_platforms_and_is_paged(store: Store) -> None:
    party = Party(store, draw=DRAW)
    code = await a_cup(party, "/cup annuvin clock:1h format:swiss players:64 rounds:1")
    cup, cards, entries = await cup_of(party, code), [], []
    async with store.transaction():
        for number, known in enumerate(await some_people(store, *(f"{LONG_NAME} {number}" for number in range(64)))):
            entries.append(EntrantRow(number, known.id, cup.row.place, f"web:{number}"))
    events: list[CompetitionEvent] = [Entered(each.number, each.joined_by) for each in entries]
    await CUPS.store(party.front.context, cup, events[:-1], entries=entries[:-1])
    await party.settle()
    cards.append(main(party, code).card)
    # Over before a game is opened: nothing has to be played for its table.
    cup = await cup_of(party, code)
    full = cup.state.apply(party.clock(), events[-1])
    events = [events[-1], start_event(full, cup.row.seed)]
    events += next_event(full.apply(party.clock(), events[-1]), cup.row.seed)
    await CUPS.store(party.front.context, cup, [*events, CupEnded(Ending.STOPPED)], entries=entries[-1:])
    await party.settle()
    table = await party.press("anna", f"cup=table.{code}")
    for label in ("Next", "How ties are broken"):
        cards.append(card(table))
        table = await party.press("anna", labelled(card(table), label))
    assert "Buchholz" in words(table)
    cards += [main(party, code).card, *(shown.card for shown in party.shown if "-news:" in shown.key)]
    for each in cards:
        on_discord(each)
        on_telegram(each, "en")
    assert main(party, code).card.picture is not None


async def test_a_competition_of_a_game_that_is_gone_is_answered_in_one_sentence(party: Party) -> None:
    await party.say("anna", "/games")
    place = await party.store.places.get_or_create("web", "room", None, None, "group", "The room")
    row = replace(make_cup_row(place.id, await party.id_of("anna"), "K7QFRC"), game_key="gone")
    terms = CupTerms(game="gone", format=Format.ALL, clock=3600, options={"size": 7})
    made = CupCreated(terms, row.id, "a" * 64)
    await party.store.competitions.create(
        row, [NewEvent(CUP_CODEC.kind_of(made), CUP_CODEC.to_json(made))], party.clock()
    )
    await party.front.jobs["cups"].run_until_idle()
    for verb in ("join", "start"):
        assert "gone" in words(await party.press("anna", f"cup={verb}.{row.id}"))
    assert "gone" in main(party, row.id).text
    assert words(await party.press("anna", f"cup=table.{row.id}"))
    assert words(await party.say("anna", "/cup"))


async def test_on_the_page_it_is_shown_in_the_room_and_kept_up_to_date(party: Party) -> None:
    party.front.add(ChatRoom(party.store, party.clock))
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:3])
    said = await party.store.room.list_messages(await party.id_of("anna"))
    cups = [each for each in said if "Competition" in each.text or "Competition" in str(each.card)]
    assert len(cups) == 2
    assert "Round 1" in str(cups[0].card)
    assert sum(code in str(each.card) for each in cups) >= 1


async def test_the_hash_of_the_lots_is_behind_a_button_and_their_seed_in_the_file_when_it_is_over(party: Party) -> None:
    """And the check compares what is stored of it with its events."""
    code = await a_cup(party, "/cup annuvin clock:1d players:3", *FOUR[:2])
    row = (await cup_of(party, code)).row
    assert row.seed_hash not in main(party, code).text
    details = words(await party.press("bruno", labelled(main(party, code).card, "Details")))
    assert row.seed_hash in details
    assert "Everybody meets everybody" in details
    await party.press(FOUR[2], f"cup=join.{code}")
    assert row.seed.encode() not in present(card(await party.say("anna", f"/export {code}")).file).content
    cup = await played_out(party, code)
    late = await party.say("anna", f"/export {code}")
    data = await party.press("anna", labelled(card(late), "As JSON"))
    for reply, name in ((late, f"cup-{code}.txt"), (data, f"cup-{code}.json")):
        file = present(card(reply).file)
        assert file.name == name
        for text in (row.seed, *(f"Id: {game.id}" for *_, game in cup.state.games())):
            assert text.encode() in file.content
    assert [found async for found in check_competitions(party.store)] == [(code, ())]
    change = CompetitionChange(row=(await cup_of(party, code)).row, events=(NewEvent("paused"),), at=party.clock())
    await party.store.competitions.commit(change)
    assert [found.what async for _, every in check_competitions(party.store) for found in every] == ["cup-events"]


async def test_reader_woken_by_an_entry_finds_it(party: Party) -> None:
    code = await a_cup(party)
    wanted = party.front.context.signals.event("competition")
    found: list[int] = []
    busy = asyncio.Lock()

    async def look() -> None:
        while True:
            await wanted.wait()
            async with busy:
                wanted.clear()
                found.append((await cup_of(party, code)).row.revision)

    looking = asyncio.create_task(look())
    await party.front.press(party.request("bruno"), f"cup=join.{code}")
    async with busy:
        looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    # Either they are called yet, or what they have seen last is how it stands.
    assert wanted.is_set() or found[-1:] == [(await cup_of(party, code)).row.revision]
