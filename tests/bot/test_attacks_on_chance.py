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
    seat, draw = await table.seat_of(who), await table.drawn()
    rolled, ids = (await table.rolls())[draw]
    assert [each[0] for each in ids] == [seat]
    assert rolled == await table.foreseen(draw, ids[0][1])
    others = {await table.foreseen(draw, f"web:{number}") for number in range(60)}
    assert len(others) > 10, "any other id would have been as likely, and any other roll with it"
    other = await table.turn()
    assert {await table.name_at(each[0]) for each in (await table.rolls())[draw + 1][1]} == {who, other}


async def test_roll_is_the_same_after_undo_and_replay(table: ChanceTable) -> None:
    await table.begin()
    start = await table.drawn()
    first = await table.turn()
    before = (await table.rolls())[start + 1]
    for _ in range(3):
        row = await table.row()
        await table.do(first, f"undo:{table.code}:{row.revision}")
        other = "anna" if first == "bruno" else "bruno"
        revision = (await table.row()).revision
        await table.do(other, f"agree:{table.code}:{revision}=undo")
        assert await table.mover() == first
        table.party.restarted()
        await table.turn()
        assert (await table.rolls())[start + 1] == before
    assert verify(await table.record()).draws == start + 1
    assert await check_game(table.party.store, table.code) == ()


async def test_repeated_event_draws_once(table: ChanceTable) -> None:
    await table.begin()
    who = await table.turn(event="told-twice")
    drawn, revision = await table.rolls(), (await table.row()).revision
    table.party.restarted()
    await table.do(who, f"/move a1-a2 game:{table.code}", event="told-twice")
    assert (await table.rolls(), (await table.row()).revision) == (drawn, revision)


async def test_typing_until_a_roll_suits_gains_nothing(table: ChanceTable) -> None:
    # What is typed has an id that is counted up: writing to the bot, one could wait for the number that suits.
    await table.begin()
    first = await table.turn()
    draw = await table.drawn()
    newest = (await table.rolls())[draw][1]
    assert await table.mover() != first
    foreseen = await table.foreseen(draw + 1, newest[0][1])
    await table.turn(ids="counted")
    assert (await table.rolls())[draw + 1] == (foreseen, newest), "it takes the newest id at the table, and no other"


async def test_with_links_of_ones_own_nothing_can_be_chosen(table: ChanceTable) -> None:
    await on_the_page(table)
    who = await table.mover()
    mine = ANNA if who == "anna" else BRUNO
    at = 2 if who == "anna" else 1
    move = f"/move {(await table.state()).legal_actions()[0].text} game:{table.code}"
    # Idle steps to get at another link: one that is far ahead, one of another chain, one with capitals, none at all.
    row = await table.row()
    for link in (mine.links[at + 1], CARLA.links[1], mine.links[at].upper(), "no link"):
        heads = {int(seat): head for seat, head in present(row.chance)["heads"].items()}
        assert heads[await table.seat_of(who)] == mine.links[at - 1]
        given = ClientEntropy(game=table.code, link=link)
        await table.chosen(who, f"offer:{table.code}:{(await table.row()).revision}=draw", given)
        await table.chosen(who, f"refuse:{table.code}:{(await table.row()).revision}=draw", given)
    ids = (await table.rolls())[1][1]
    await table.chosen(who, move, mine.opens(table.code, at + 1))
    after_undo = [each for _, each in (await table.rolls())[max(await table.rolls())][1]]
    assert f"chain:{mine.links[at + 1]}" not in after_undo, "one link at a time"
    assert ids
    assert verify(await table.record()).seats == 2


async def test_only_the_first_chain_link_counts_until_another_player_acts(table: ChanceTable) -> None:
    await on_the_page(table)
    first = await table.mover()
    chains, at = {"anna": ANNA, "bruno": BRUNO}, {"anna": 1, "bruno": 0}
    for _ in range(6):
        who = await table.mover()
        at[who] += 1
        expected = f"chain:{chains[who].links[at[who]]}"
        while (await table.state()).to_move is not None and await table.mover() == who:
            state = await table.state()
            # Every step of the turn has another link with it.
            for step in (at[who], at[who] + 1):
                given = chains[who].opens(table.code, step)
                last = await table.chosen(who, f"/move {state.legal_actions()[0].text} game:{table.code}", given)
                if (await table.state()) != state:
                    break
            assert last is not None
        newest = (await table.rolls())[max(await table.rolls())][1]
        assert [await table.seat_of(who), expected] in newest
    record = await table.record()
    assert first in ("anna", "bruno")
    assert verify(record).with_ids == len(record.taken)
    assert Record.from_text(record.to_text()) == record


async def test_replacement_chain_counts_only_after_another_player_acts(table: ChanceTable) -> None:
    await on_the_page(table)
    who = await table.mover()
    ground = Chain.of(99)
    seat, draw = await table.seat_of(who), await table.drawn()
    before = dict((await table.row()).chance or {})
    await table.turn(ids="chosen", pledge=ground.begins(table.code))
    rolls = await table.rolls()
    assert rolls[draw + 1][1] == rolls[draw][1]
    row = await table.row()
    assert row.chance is not None
    assert row.chance["new"] == {str(seat): ground.end}
    assert row.chance["chains"] == [[seat, draw + 1, ground.end]], "it is recorded"
    assert before["heads"][str(seat)] == row.chance["heads"][str(seat)]
    # The other one acts and gives something that nobody could know: now the new chain goes on from there.
    other = await table.mover()
    await table.turn(
        ids="chosen", pledge=(ANNA if other == "anna" else BRUNO).opens(table.code, 2 if other == "anna" else 1)
    )
    await table.turn(ids="chosen", pledge=ground.opens(table.code, 1))
    assert [seat, f"chain:{ground.links[1]}"] in (await table.rolls())[draw + 3][1]
    record = await table.record()
    checked = verify(Record.from_text(record.to_text()))
    assert (checked.chains, checked.with_ids) == (1, draw + 4)
    # A record in which it counted earlier is found out.
    at = [took.draw for took in record.taken].index(draw + 1)
    early = tuple((who, f"chain:{ground.links[1]}" if who == seat else each) for who, each in record.taken[at].ids)
    if all(who != seat for who, _ in early):
        early = tuple(sorted((*early, (seat, f"chain:{ground.links[1]}"))))
    forged = replace(record, taken=(*record.taken[:at], DrawIds(draw + 1, early), *record.taken[at + 1 :]))
    with pytest.raises(InvalidRecord) as error:
        verify(forged)
    assert error.value.code == "chain-too-soon"


async def test_a_new_chain_does_not_count_where_the_other_gave_nothing(table: ChanceTable) -> None:
    await on_the_page(table)
    who, ground, draw = await table.mover(), Chain.of(99), await table.drawn()
    await table.turn(ids="chosen", pledge=ground.begins(table.code))
    await table.turn(ids="counted")
    before = (await table.rolls())[draw + 2][1]
    assert await table.turn(ids="chosen", pledge=ground.opens(table.code, 1)) == who
    assert (await table.rolls())[draw + 3][1] == before


async def test_known_limit_seed_holder_predicts_rolls_by_their_own_link(table: ChanceTable) -> None:
    await on_the_page(table)
    who = await table.mover()
    mine, at = (ANNA, 2) if who == "anna" else (BRUNO, 1)
    draw = await table.drawn() + 1
    ids: dict[int, str] = dict((await table.rolls())[1][1])
    ids[await table.seat_of(who)] = f"chain:{mine.links[at]}"
    foreseen = await table.foreseen(draw, *[ids[seat] for seat in sorted(ids)])
    await table.turn(ids="chosen", pledge=mine.opens(table.code, at))
    assert (await table.rolls())[draw][0] == foreseen


async def test_a_computer_and_the_clock_take_the_newest_ids(table: ChanceTable) -> None:
    await table.opened(f"/play {DICE} computer:1", ANNA.joining)
    table.party.thinking = True
    await table.party.settle()
    for link in (1, 2, 3):
        while (await table.state()).to_move == await table.seat_of("anna"):
            turn = (await table.state()).turn
            given = ANNA.opens(table.code, link)
            await table.chosen(
                "anna", f"/move {(await table.state()).legal_actions()[0].text} game:{table.code}", given
            )
            if (await table.state()).turn != turn:
                break
        rolls = await table.rolls()
        assert rolls[max(rolls)][1] == [[await table.seat_of("anna"), f"chain:{ANNA.links[link]}"]]
    assert verify(await table.record()).draws == max(await table.rolls())


@pytest.mark.parametrize(
    ("instead", "code"),
    [(f"chain:{CARLA.links[1]}", "other-chain"), ("web:pressed", "other-chance")],
)
async def test_verification_detects_a_changed_contribution(table: ChanceTable, instead: str, code: str) -> None:
    await on_the_page(table)
    for link in (2, 1) if await table.mover() == "anna" else (1, 2):
        who = await table.mover()
        await table.turn(ids="chosen", pledge=(ANNA if who == "anna" else BRUNO).opens(table.code, link))
    record = await table.record()
    assert verify(record).with_ids == len(record.taken) > 3
    *before, last = record.taken
    seat = last.ids[-1][0]
    forged = replace(record, taken=(*before, DrawIds(last.draw, (*last.ids[:-1], (seat, instead)))))
    with pytest.raises(InvalidRecord) as error:
        verify(forged)
    assert error.value.code == code
    left_out = replace(record, taken=(*before, DrawIds(last.draw, last.ids[:-1])))
    with pytest.raises(InvalidRecord) as error:
        verify(left_out)
    assert error.value.code == "other-chance"


async def test_a_game_of_an_older_version_goes_on_as_it_began(table: ChanceTable) -> None:
    await table.lobby()
    row = await table.row()
    assert row.chance is not None
    # As the version before left it.
    step = GameChange(game=replace(row, chance=None), events=(NewEvent("older"),), at=START)
    await table.party.store.games.commit(step)
    await table.do("bruno", f"join:{table.code}:1")
    for _ in range(3):
        await table.turn()
    record = await table.record()
    assert (record.version, record.taken) == (1, ())
    assert record.to_text().startswith("Tavoliere record 1\n")
    assert verify(record).draws > 3


async def test_idle_steps_open_no_further_links(table: ChanceTable) -> None:
    await on_the_page(table)
    who = await table.mover()
    mine, at = (ANNA, 2) if who == "anna" else (BRUNO, 1)
    seat, request = await table.seat_of(who), table.party.request(who)

    def opens(number: int) -> Request:
        return replace(request, ids="chosen", pledge=mine.opens(table.code, number))

    # Within one's own turn: a step, taken back freely, and again.
    given = read_contributions((await table.row()).chance).after_action(seat, opens(at), table.code)
    assert given.ids[seat] == f"chain:{mine.links[at]}"
    for number in (at, at + 1, at + 2):
        assert given.after_action(seat, opens(number), table.code).ids == given.ids
    after = given.after_action(1 - seat, table.party.request("somebody"), table.code).after_action(
        seat, opens(at + 1), table.code
    )
    assert after.ids[seat] == f"chain:{mine.links[at + 1]}", "after somebody else has acted"
    assert given.after_no_contribution(1 - seat).accepts_link(seat)
    assert not given.after_no_contribution(seat).accepts_link(seat)
    assert read_contributions(dump_fields(after)) == after
    assert (
        read_contributions({"ids": {"x": 1}, "chains": [[1, 2]], "spent": "0", "done": 7, "drawn": None})
        == SeedContributions()
    )


async def test_known_limit_record_shows_a_withheld_link(table: ChanceTable) -> None:
    await on_the_page(table)
    who, draw = await table.mover(), await table.drawn()
    ids = [each for _, each in (await table.rolls())[draw][1]]
    foreseen = await table.foreseen(draw + 1, *ids)
    await table.turn(ids="chosen")
    assert (await table.rolls())[draw + 1][0] == foreseen, "they know what comes of giving nothing, too"
    mine = (BRUNO, 1) if who == "anna" else (ANNA, 2)
    await table.turn(ids="chosen", pledge=mine[0].opens(table.code, mine[1]))
    expected = [0, 0]
    expected[await table.seat_of(who)] = 1
    assert verify(await table.record()).nothing_new == tuple(expected)
