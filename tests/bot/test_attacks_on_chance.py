"""Attacks on rolls and deals: each fails to gain, but for those that docs/fair-chance.md says still stand.

The attacker knows the secret seed, as the friend who hosts the bot does: the tests read it from the database.
"""

from dataclasses import replace

import pytest

from bot.kernel.line import SeedContributions, read_contributions
from bot.kernel.requests import ClientEntropy, Request
from bot.table.checking import check_game
from engine.record import DrawIds, InvalidRecord, Record, verify
from storage import GameChange, NewEvent
from storage.agreements import dump_fields
from tests.bot.chance_table import ANNA, BRUNO, CARLA, DICE, ChanceTable, on_the_page
from tests.support.chains import Chain
from tests.support.present import present
from tests.support.stores import START


async def test_roll_on_a_platform_is_unpredictable_before_the_move(table: ChanceTable) -> None:
    await table.begin()
    who = await table.turn()
    draw = await table.drawn()
    rolled, ((seat, taken),) = await table.newest_roll()
    assert seat == await table.seat_of(who)
    assert rolled == await table.foreseen(draw, taken)
    others = {await table.foreseen(draw, f"web:{number}") for number in range(60)}
    assert len(others) > 10, "any other id would have been as likely, and any other roll with it"
    assert await table.turn() != who
    _, ids = await table.newest_roll()
    assert [seat for seat, _ in ids] == [0, 1]


async def test_roll_is_the_same_after_undo_and_replay(table: ChanceTable) -> None:
    await table.begin()
    start = await table.drawn()
    first = await table.turn()
    other = "anna" if first == "bruno" else "bruno"
    before = (await table.rolls())[start + 1]
    for _ in range(3):
        await table.do(first, f"undo:{table.code}:{(await table.row()).revision}")
        await table.do(other, f"agree:{table.code}:{(await table.row()).revision}=undo")
        assert await table.mover() == first
        table.party.restarted()
        await table.turn()
        assert (await table.rolls())[start + 1] == before
    assert verify(await table.record()).draws == start + 1
    assert await check_game(table.party.store, table.code) == ()


async def test_typing_until_a_roll_suits_gains_nothing(table: ChanceTable) -> None:
    # What is typed has an id that is counted up: writing to the bot, one could wait for the number that suits.
    await table.begin()
    first = await table.turn()
    _, newest = await table.newest_roll()
    assert await table.mover() != first
    foreseen = await table.foreseen(await table.drawn() + 1, newest[0][1])
    await table.turn(ids="counted")
    assert await table.newest_roll() == (foreseen, newest), "it takes the newest id at the table, and no other"


async def test_with_links_of_ones_own_nothing_can_be_chosen(table: ChanceTable) -> None:
    who, mine, at = await on_the_page(table)
    # Idle steps to get at another link: one that is far ahead, one of another chain, one with capitals, none at all.
    for link in (mine.links[at + 1], CARLA.links[1], mine.links[at].upper(), "no link"):
        for deed in ("offer", "refuse"):
            pressed = f"{deed}:{table.code}:{(await table.row()).revision}=draw"
            await table.chosen(who, pressed, ClientEntropy(game=table.code, link=link))
        heads = present((await table.row()).chance)["heads"]
        assert heads[str(await table.seat_of(who))] == mine.links[at - 1]
    await table.turn_on_the_page(mine.opens(table.code, at + 1))
    _, taken = await table.newest_roll()
    assert f"chain:{mine.links[at + 1]}" not in [each for _, each in taken], "one link at a time"
    assert verify(await table.record()).seats == 2


async def test_only_the_first_chain_link_counts_until_another_player_acts(table: ChanceTable) -> None:
    await on_the_page(table)
    chains, at = {"anna": ANNA, "bruno": BRUNO}, {"anna": 1, "bruno": 0}
    for _ in range(6):
        who, turn = await table.mover(), (await table.state()).turn
        at[who] += 1
        step = at[who]
        # Every step of the turn has another link with it.
        while (state := await table.state()).turn == turn and state.to_move is not None:
            given = chains[who].opens(table.code, step)
            await table.chosen(who, f"/move {state.legal_actions()[0].text} game:{table.code}", given)
            step += 1
        _, taken = await table.newest_roll()
        assert [await table.seat_of(who), f"chain:{chains[who].links[at[who]]}"] in taken
    record = await table.record()
    assert verify(record).with_ids == len(record.taken)
    assert Record.from_text(record.to_text()) == record


async def test_replacement_chain_counts_only_after_another_player_acts(table: ChanceTable) -> None:
    who, mine, _ = await on_the_page(table)
    ground, seat, draw = Chain.of(99), await table.seat_of(who), await table.drawn()
    before = present((await table.row()).chance)
    await table.turn_on_the_page(ground.begins(table.code))
    rolls, chance = await table.rolls(), present((await table.row()).chance)
    assert rolls[draw + 1][1] == rolls[draw][1]
    assert chance["new"] == {str(seat): ground.end}
    assert chance["chains"] == [[seat, draw + 1, ground.end]], "it is recorded"
    assert before["heads"][str(seat)] == chance["heads"][str(seat)]
    # The other one acts and gives something that nobody could know: now the new chain goes on from there.
    await table.turn_on_the_page(BRUNO.opens(table.code, 1) if mine is ANNA else ANNA.opens(table.code, 2))
    await table.turn_on_the_page(ground.opens(table.code, 1))
    assert [seat, f"chain:{ground.links[1]}"] in (await table.rolls())[draw + 3][1]
    record = await table.record()
    checked = verify(Record.from_text(record.to_text()))
    assert (checked.chains, checked.with_ids) == (1, draw + 4)
    # A record in which it counted earlier is found out.
    at = [took.draw for took in record.taken].index(draw + 1)
    early = tuple(sorted({**dict(record.taken[at].ids), seat: f"chain:{ground.links[1]}"}.items()))
    forged = replace(record, taken=(*record.taken[:at], DrawIds(draw + 1, early), *record.taken[at + 1 :]))
    with pytest.raises(InvalidRecord, match="chain-too-soon"):
        verify(forged)


async def test_a_new_chain_does_not_count_where_the_other_gave_nothing(table: ChanceTable) -> None:
    who, _, _ = await on_the_page(table)
    ground = Chain.of(99)
    await table.turn_on_the_page(ground.begins(table.code))
    await table.turn(ids="counted")
    _, before = await table.newest_roll()
    assert await table.turn_on_the_page(ground.opens(table.code, 1)) == who
    _, after = await table.newest_roll()
    assert after == before


async def test_known_limit_seed_holder_predicts_rolls_and_the_record_shows_a_withheld_link(table: ChanceTable) -> None:
    who, mine, at = await on_the_page(table)
    draw, (_, taken) = await table.drawn(), await table.newest_roll()
    ids = {**dict(taken), await table.seat_of(who): f"chain:{mine.links[at]}"}
    foreseen = await table.foreseen(draw + 1, *[ids[seat] for seat in sorted(ids)])
    await table.turn_on_the_page(mine.opens(table.code, at))
    rolled, taken = await table.newest_roll()
    assert rolled == foreseen
    foreseen = await table.foreseen(draw + 2, *[each for _, each in taken])
    withholding = await table.seat_of(await table.turn_on_the_page())
    rolled, _ = await table.newest_roll()
    assert rolled == foreseen, "they know what comes of giving nothing, too"
    await table.turn_on_the_page(mine.opens(table.code, at + 1))
    expected = [0, 0]
    expected[withholding] = 1
    assert verify(await table.record()).nothing_new == tuple(expected)


async def test_a_computer_takes_the_newest_ids(table: ChanceTable) -> None:
    await table.opened(f"/play {DICE} computer:1", ANNA.joining)
    table.party.thinking = True
    await table.party.settle()
    for link in (1, 2, 3):
        await table.turn_on_the_page(ANNA.opens(table.code, link))
        _, taken = await table.newest_roll()
        assert taken == [[await table.seat_of("anna"), f"chain:{ANNA.links[link]}"]]
    assert verify(await table.record()).draws == await table.drawn()


async def test_verification_detects_a_changed_contribution(table: ChanceTable) -> None:
    _, mine, at = await on_the_page(table)
    await table.turn_on_the_page(mine.opens(table.code, at))
    await table.turn_on_the_page(BRUNO.opens(table.code, 1) if mine is ANNA else ANNA.opens(table.code, 2))
    record = await table.record()
    assert verify(record).with_ids == len(record.taken) > 3
    *before, last = record.taken
    *others, (seat, _) = last.ids
    for instead, code in (
        ([(seat, f"chain:{CARLA.links[1]}")], "other-chain"),
        ([(seat, "web:pressed")], "other-chance"),
        ([], "other-chance"),
    ):
        forged = replace(record, taken=(*before, DrawIds(last.draw, (*others, *instead))))
        with pytest.raises(InvalidRecord, match=code):
            verify(forged)


async def test_a_game_of_an_older_version_goes_on_as_it_began(table: ChanceTable) -> None:
    await table.lobby()
    # As the version before left it.
    step = GameChange(game=replace(await table.row(), chance=None), events=(NewEvent("older"),), at=START)
    await table.party.store.games.commit(step)
    await table.do("bruno", f"join:{table.code}:1")
    for _ in range(3):
        await table.turn()
    record = await table.record()
    assert (record.version, record.taken) == (1, ())
    assert record.to_text().startswith("Tavoliere record 1\n")
    assert verify(record).draws > 3


async def test_idle_steps_open_no_further_links(table: ChanceTable) -> None:
    who, mine, at = await on_the_page(table)
    seat, request = await table.seat_of(who), table.party.request(who)

    def opens(number: int) -> Request:
        return replace(request, ids="chosen", pledge=mine.opens(table.code, number))

    # Within one's own turn: a step, taken back freely, and again.
    given = read_contributions((await table.row()).chance).after_action(seat, opens(at), table.code)
    assert given.ids[seat] == f"chain:{mine.links[at]}"
    for number in (at, at + 1, at + 2):
        assert given.after_action(seat, opens(number), table.code).ids == given.ids
    assert given.after_no_contribution(1 - seat).accepts_link(seat), "after somebody else has acted"
    assert not given.after_no_contribution(seat).accepts_link(seat)
    assert read_contributions(dump_fields(given)) == given
    damaged = {"ids": {"x": 1}, "chains": [[1, 2]], "spent": "0", "done": 7, "drawn": None}
    assert read_contributions(damaged) == SeedContributions()
