"""Playing again, playing on for somebody, blocking, limits."""

import asyncio

import pytest

from bot.kernel.requests import Place
from bot.table.clocks import TimeControl
from engine.record import Record, verify
from storage import GameRow, Offers, Person, Store
from storage.people import SettingChanges
from tests.bot.party import SQUARE, Party, button, buttons, card, missing, words
from tests.support.records import record_of


async def over(party: Party, line: str = SQUARE) -> GameRow:
    code = await party.started(line)
    await party.resign("bruno", code)
    return await party.load_row(code)


async def seats(party: Party, code: str) -> dict[str, int | None]:
    found = await party.load_row(code)
    people = await party.store.people.get_many([entry.person or 0 for entry in found.seats])
    return {people[entry.person or 0].name: entry.seat for entry in found.seats}


async def test_one_press_each_plays_again_with_the_seats_gone_round(party: Party) -> None:
    first = await over(party, "/play annuvin @bruno board:square clock:20+5 rated:no")
    again = button(party.newest.card, "rematch")
    await party.press("anna", again)
    assert "Anna challenges Bruno" in party.newest.text
    code = party.code
    await party.press("bruno", again)
    before, after = await seats(party, first.id), await seats(party, code)
    assert {name: 1 - (seat or 0) for name, seat in before.items()} == after
    found = await party.load_row(code)
    assert (found.status, found.options) == ("playing", first.options)
    await party.resign("anna", found.id)
    record = await record_of(party.front.context, await party.table(code))
    assert record.rematch_of == first.id
    assert verify(Record.from_text(record.to_text())).seats == 0
    assert (found.terms.rated, found.terms.rematch_of) == (False, first.id)
    assert TimeControl.of(found.terms).name == "20+5"


async def test_both_who_press_at_once_get_one_game(party: Party) -> None:
    await over(party)
    again = button(party.newest.card, "rematch")
    await asyncio.gather(party.press("anna", again), party.press("bruno", again))
    assert len(await party.store.games.list_ids()) == 2
    if (await party.load_row()).status == "lobby":
        await party.press("anna", again)
        await party.press("bruno", again)
    assert (await party.load_row()).status == "playing"


async def test_only_players_can_start_a_rematch(party: Party) -> None:
    found = await over(party)
    # The page shows it to nobody else.
    again = button(party.newest.card, "rematch")
    assert set(again.people) == {seat.person for seat in found.seats}
    assert "Only those who played" in words(await party.press("carla", again))
    assert "not finished a game yet" in words(await party.say("carla", "/rematch"))
    await party.say("bruno", "/rematch")
    assert "Bruno challenges Anna" in party.newest.text, "without a code it is the last game"
    code = await party.started(SQUARE)
    assert "not over yet" in words(await party.say("anna", f"/rematch {code}"))


async def test_an_absent_player_s_seat_can_be_taken_with_the_others_consent(party: Party, code: str) -> None:
    gone, other = party.mover, party.other()
    # While no seat is free, a person who follows the link sees the board.
    assert missing(words(await party.say("carla", f"/join {code}")), "Anna", "Bruno") == []
    party.clock.turn(hours=25)
    assert "offered to play on for" in words(await party.say("carla", f"/join {code}"))
    assert f"Carla would like to play on for {gone.capitalize()}" in party.newest.text
    assert "somebody else has offered" in words(await party.say("dora", f"/join {code}")).lower()
    await party.press(other, button(party.newest.card, "agree"))
    assert party.mover == "carla"
    await party.say("carla", "a1-a2")
    await party.say(other, "/move d4-d3")
    await party.resign(other, code)
    assert [result.rated for result in await party.store.games.results_of(code)] == [False, False]


async def test_an_operator_s_limit_holds_for_every_way_into_a_game_and_a_block_for_an_absent_seat(
    party: Party, code: str
) -> None:
    party.front.context.most_games = 2
    party.clock.turn(hours=25)
    await party.say("carla", "/help")
    await party.say("anna", "/block @carla")
    assert "would rather not play" in words(await party.say("carla", f"/join {code}"))
    for _ in range(2):
        await party.say("dora", "/play annuvin")
    assert "in 2 games already" in words(await party.say("dora", "/play annuvin"))
    assert "already. Finish one first" in words(await party.say("dora", f"/join {code}"))
    assert (await party.load_row(code)).offers == Offers()
    await party.say("carla", "/play annuvin")
    assert "in 2 games already" in words(await party.press("dora", button(party.newest.card, "join")))


async def test_who_comes_back_keeps_the_seat(party: Party, code: str) -> None:
    gone, other = party.mover, party.other()
    party.clock.turn(hours=25)
    await party.say("carla", f"/join {code}")
    agree = button(party.newest.card, "agree")
    assert "for the others to decide" in words(await party.press(gone, agree))
    await party.say(gone, "a1-a2")
    assert "no longer on the table" in words(await party.press(other, agree))
    assert "Carla" not in await seats(party, code)


async def test_blocked_person_cannot_challenge_or_join(party: Party) -> None:
    await party.meet("bruno", "carla")
    assert "against yourself" in words(await party.say("bruno", "/block @bruno"))
    assert "do not know who" in words(await party.say("bruno", "/block @xyz"))
    assert "not meet Anna" in words(await party.say("bruno", "/block @carla")).replace("Carla", "Anna")
    assert "You have blocked Carla" in words(await party.say("bruno", "/block"))
    assert "cannot challenge" in words(await party.say("carla", "/play annuvin @bruno"))
    assert "You have blocked" in words(await party.say("bruno", "/play annuvin @carla"))
    await party.say("bruno", "/play annuvin")
    assert "rather not play" in words(await party.press("carla", button(party.newest.card, "join")))
    await party.say("bruno", "/block @carla")
    assert "New to Annuvin?" in words(await party.press("carla", button(party.newest.card, "join")))
    assert "blocked nobody" in words(await party.say("bruno", "/block"))


async def test_of_two_blocks_at_once_both_hold(party: Party, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    await party.meet("bruno", "carla", "dora")
    change = store.people.change_settings

    async def change_second(person: int, changes: SettingChanges) -> Person | None:
        monkeypatch.undo()
        await party.say("bruno", "/block @dora")
        return await change(person, changes)

    monkeypatch.setattr(store.people, "change_settings", change_second)
    await party.say("bruno", "/block @carla")
    for who in ("carla", "dora"):
        assert "cannot challenge" in words(await party.say(who, "/play annuvin @bruno"))


@pytest.mark.parametrize(("who", "answer"), [("bruno", "cannot challenge Bruno"), ("anna", "You have blocked Bruno")])
async def test_whoever_is_blocked_is_not_asked_to_play_again(party: Party, who: str, answer: str) -> None:
    await over(party)
    again = button(party.newest.card, "rematch")
    await party.say("bruno", "/settings challenges:nobody")
    blocked = {"anna": "bruno", "bruno": "anna"}[who]
    await party.say(who, f"/block @{blocked}")
    assert answer in words(await party.press("anna", again))
    await party.say(who, f"/block @{blocked}")
    await party.press("anna", again)
    assert "Anna challenges Bruno" in party.newest.text


async def test_challenges_can_be_limited(party: Party) -> None:
    for choice in ("nobody", "known"):
        await party.say("bruno", f"/settings challenges:{choice}")
        assert "cannot challenge" in words(await party.say("anna", SQUARE))
    await party.say("bruno", "/settings challenges:auto")
    await over(party)
    await party.say("bruno", "/settings challenges:known")
    assert (await party.say("anna", SQUARE)).card is None


async def test_a_game_moves_to_another_channel_with_its_players(party: Party, code: str) -> None:
    garden = Place("web", "garden")
    shown = len(party.shown)
    for place in (party.room, garden):
        watching = await party.say("carla", f"/board {code}", place=place)
        assert watching.private
        assert (card(watching).rows, card(watching).mention, len(party.shown)) == ((), None, shown)
    await party.say("anna", f"/board {code}", place=garden)
    assert party.newest.place.channel == "garden"
    assert buttons(party.newest.card)
