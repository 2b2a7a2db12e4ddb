"""Attacks on the lot of a competition: a person who knows its secret seed can neither foresee nor choose it.

The tests read the seed from the database, as the friend who hosts the bot can.
"""

from dataclasses import replace

import pytest

from bot.competitions import pairing
from bot.competitions.competition import MAX_LOT_WAIT
from bot.competitions.cups.service import Cup
from bot.competitions.events import CupGave, InvalidCompetition
from bot.competitions.file import CupFile, check_file
from tests.bot.chance_table import ChanceTable
from tests.bot.cups import cup_of, main, played_out, time_passes
from tests.bot.party import card, words
from tests.support.chains import Chain
from tests.support.present import present

THREE = ("anna", "bruno", "cora")
CHAINS = {who: Chain.of(number) for number, who in enumerate((*THREE, "dino"), start=21)}


async def entered(table: ChanceTable, *who: str, players: int = 3) -> str:
    """Have Anna make a competition on the page that people enter there, and return its code."""
    known = set(await table.party.store.competitions.list_ids())
    await table.chosen("anna", f"/cup annuvin clock:1d players:{players}", CHAINS["anna"].joining)
    (code,) = set(await table.party.store.competitions.list_ids()) - known
    for each in who:
        await table.chosen(each, f"cup=join.{code}", CHAINS[each].joining)
    return code


async def give(table: ChanceTable, code: str, who: str, number: int = 1, chain: Chain | None = None) -> str:
    """Have somebody's page open a link of a chain, and return what is said."""
    return words(await table.chosen(who, f"cup=give.{code}", (chain or CHAINS[who]).opens(code, number)))


def foreseen(cup: Cup, **links: str) -> tuple[int, ...]:
    """Return the lot that somebody who knows the seed works out, if these are the links that browsers open."""
    number = {cup.name(entrant).lower(): entrant for entrant in cup.entries}
    state = replace(cup.state, given={number[who]: link for who, link in links.items()})
    return pairing.draw_order(state, cup.row.seed)


async def test_cup_lot_waits_for_contributions_unknown_during_entry(table: ChanceTable) -> None:
    code = await entered(table, *THREE)
    cup = await cup_of(table.party, code)
    assert (cup.state.stage, cup.state.awaited) == ("open", (0, 1, 2))
    assert "Nobody enters any more" in main(table.party, code).text
    assert "Nobody can enter any more" in words(await table.chosen("dino", f"/cup join:{code}", None))
    await give(table, code, "anna")
    await give(table, code, "anna", 2)
    cup = await cup_of(table.party, code)
    assert cup.state.given == {0: CHAINS["anna"].links[1]}
    # An operator who plays as Anna has given all they have, and the others' links decide.
    mine = CHAINS["anna"].links[1]
    orders = {foreseen(cup, anna=mine, bruno=Chain.of(n).links[1], cora=Chain.of(n).links[2]) for n in range(60)}
    assert len(orders) == 6
    await give(table, code, "bruno")
    assert (await cup_of(table.party, code)).state.stage == "open"
    await give(table, code, "cora")
    cup = await cup_of(table.party, code)
    assert cup.state.stage == "running"
    assert cup.state.lots == foreseen(cup, **{who: CHAINS[who].links[1] for who in THREE})
    # In its games browsers begin other chains.
    game = next(game.id for *_, game in cup.state.games())
    assert {entry.joined_by for entry in (await table.party.load_row(present(game))).seats} == {"chain:-"}
    await played_out(table.party, code)
    file = present(card(await table.party.say("anna", f"/export {code}")).file)
    assert check_file(CupFile.read(file.content.decode())).lots >= 1


async def test_a_forged_link_is_found_out_and_a_lot_waits_for_an_absent_page_for_an_hour(table: ChanceTable) -> None:
    code = await entered(table, *THREE)
    for chain, number in ((CHAINS["bruno"], 1), (CHAINS["anna"], 2), (Chain.of(99), 1)):
        assert await give(table, code, "anna", number, chain) != ""
        assert (await cup_of(table.party, code)).state.given == {}
    assert await give(table, code, "dino") == "", "whoever is not in has nothing to give"
    cup = await cup_of(table.party, code)
    with pytest.raises(InvalidCompetition, match="broken-link"):
        cup.state.apply(cup.row.created_at, CupGave(0, Chain.of(99).links[1]))
    await give(table, code, "anna")
    await time_passes(table.party, round(MAX_LOT_WAIT.total_seconds() / 3600))
    cup = await cup_of(table.party, code)
    assert cup.state.stage == "running"
    assert cup.state.lots == foreseen(cup, anna=CHAINS["anna"].links[1])


async def test_an_id_to_enter_by_cannot_be_chosen(table: ChanceTable) -> None:
    code = await entered(table, "anna", "bruno", players=8)
    for number in range(60, 64):
        await table.chosen("bruno", f"cup=leave.{code}", None)
        await table.chosen("bruno", f"cup=join.{code}", Chain.of(number).joining)
    await table.do("cora", f"cup=join.{code}", event="first")
    await table.do("cora", f"cup=leave.{code}")
    await table.do("cora", f"cup=join.{code}", event="second")
    await table.chosen("dino", f"cup=join.{code}", CHAINS["anna"].joining)
    state = (await cup_of(table.party, code)).state
    causes = [state.entrants[number].cause for number in range(4)]
    # The commitment that Dino has copied is ignored.
    assert causes == [f"chain:{CHAINS['anna'].end}", f"chain:{CHAINS['bruno'].end}", "web:first", "chain:-"]


async def test_ending_and_making_anew_before_the_links_are_opened_tells_nothing(table: ChanceTable) -> None:
    orders = set()
    for number in range(3):
        code = await entered(table, *THREE)
        cup = await cup_of(table.party, code)
        orders |= {foreseen(cup, anna=Chain.of(n).end, bruno=Chain.of(n + 1).end, cora="0" * 64) for n in range(60)}
        assert len(orders) == 6, "whatever is made, all orders can still come"
        await table.do("anna", f"cup=end!.{code}")
        assert (await cup_of(table.party, code)).state.stage == "over", number


async def test_who_leaves_while_the_lot_waits_changes_nothing_of_it(table: ChanceTable) -> None:
    code = await entered(table, *THREE, "dino", players=4)
    await table.chosen("dino", f"cup=leave.{code}", None)
    for who in THREE:
        await give(table, code, who)
    cup = await cup_of(table.party, code)
    assert (cup.state.stage, sorted(cup.state.lots)) == ("running", [0, 1, 2, 3])
    assert cup.state.lots == foreseen(cup, **{who: CHAINS[who].links[1] for who in THREE})
    assert (await played_out(table.party, code)).state.stage == "over"


async def test_cup_lot_on_a_platform_uses_the_starting_press(table: ChanceTable) -> None:
    await table.do("anna", "/cup annuvin clock:1d players:8")
    (code,) = await table.party.store.competitions.list_ids()
    for who in THREE:
        await table.do(who, f"cup=join.{code}")
    before = await cup_of(table.party, code)
    orders = {
        pairing.draw_order(
            before.state.apply(before.row.created_at, pairing.close(before.state, f"web:{number}")), before.row.seed
        )
        for number in range(60)
    }
    assert len(orders) == 6
    await table.do("anna", f"cup=start.{code}", event="unforeseeable")
    state = (await cup_of(table.party, code)).state
    assert (state.stage, pairing.ids_of_lot(state)) == ("running", ["web:unforeseeable"])
    assert state.lots == pairing.draw_order(state, before.row.seed)
