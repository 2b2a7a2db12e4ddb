"""Attacks on the lot for the seats, by joining: each fails to gain.

The attacker knows the secret seed, as the friend who hosts the bot does: the tests read it from the database.
"""

from engine import fair
from engine.record import DrawIds, verify
from tests.bot.chance_table import ANNA, BRUNO, CARLA, DICE, THREE, ChanceTable
from tests.bot.party import buttons, words
from tests.support.chains import Chain


async def test_who_joins_last_and_tries_ids_until_the_seats_suit_gains_nothing(table: ChanceTable) -> None:
    await table.opened(f"/play {DICE} @bruno", ANNA.joining)
    row = await table.row()

    def seat(mine: str, *ids: str) -> int:
        joined = [entry.joined_by or "" for entry in row.seats if entry.state == "joined"]
        public = fair.public_text(row.id, [*joined, f"chain:{mine}"])
        return fair.draw_seats(row.seed, public, 2, ids)[1]

    best = next(chain for chain in map(Chain.of, range(100, 200)) if seat(chain.end) == 0)
    await table.chosen("bruno", f"join:{table.code}:1", best.joining)
    assert (await table.row()).status == "lobby"
    assert table.party.board.text.count("The game begins as soon as") == 1
    assert next(each.label for each in buttons(table.party.board.card) if each.people) == "Begin"
    # What Anna's browser opens was fixed before, and nobody else knows it: all that was tried was in vain.
    assert {seat(best.end, f"chain:{Chain.of(number).links[1]}") for number in range(40)} == {0, 1}
    await table.chosen("bruno", f"begin:{table.code}:1", best.opens(table.code, 1))
    assert (await table.row()).status == "lobby", "not for the one who came last to begin"
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 1))
    assert await table.seat_of("bruno") == seat(best.end, f"chain:{ANNA.links[1]}")
    assert (await table.record()).taken[0] == DrawIds(0, ((await table.seat_of("anna"), f"chain:{ANNA.links[1]}"),))
    assert verify(await table.record()).seats == 2


async def test_an_id_to_join_by_cannot_be_chosen(table: ChanceTable) -> None:
    await table.opened(f"/play {THREE} seats:5", ANNA.joining)
    await table.chosen("bruno", f"join:{table.code}:1", BRUNO.joining)
    for number in range(50, 55):
        await table.chosen("bruno", f"leave:{table.code}:1", None)
        await table.chosen("bruno", f"join:{table.code}:1", Chain.of(number).joining)
    await table.chosen("carla", f"join:{table.code}:1", ANNA.joining)
    await table.do("dora", f"join:{table.code}:1", event="first")
    await table.do("dora", f"leave:{table.code}:1")
    await table.do("dora", f"join:{table.code}:1", event="second")
    await table.do("elsa", f"join:{table.code}:1", ids="counted", event="m1.77")
    # Who comes back has their first id again; a copied commitment and an id that is counted up give nothing.
    expected = [f"chain:{ANNA.end}", f"chain:{BRUNO.end}", "chain:-", "web:first", "web:-"]
    assert await table.joined_by() == expected


async def test_player_of_another_platform_is_called_and_starts_with_their_own_button(table: ChanceTable) -> None:
    await table.lobby()
    await table.chosen("bruno", f"join:{table.code}:1", BRUNO.joining)
    assert table.party.board.calls == ((await table.party.store.people.find("Anna"))[0].id,)
    assert "Begin" in [each.label for each in buttons(table.party.board.card)]
    assert "without a press of yours" in words(await table.do("carla", f"begin:{table.code}:1"))
    await table.do("anna", f"begin:{table.code}:1", event="unforeseeable")
    record = await table.record()
    assert [each for _, each in record.taken[0].ids] == ["web:unforeseeable"]
    assert verify(record).with_ids == len(record.taken) > 1


async def test_game_without_an_initial_draw_starts_at_once(table: ChanceTable) -> None:
    await table.opened("/play annuvin board:square @bruno", ANNA.joining)
    await table.chosen("bruno", f"join:{table.code}:1", BRUNO.joining)
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 1))
    await table.do("bruno", f"resign!:{table.code}:{(await table.row()).revision}")
    await table.chosen("anna", f"rematch:{table.code}:{(await table.row()).revision}", CARLA.joining)
    first, table.code = table.code, table.party.code
    assert table.code != first
    await table.chosen("bruno", f"join:{table.code}:1", Chain.of(5).joining)
    row = await table.row()
    assert (row.status, row.terms.rotated) == ("playing", True)


async def test_who_joins_after_others_have_opened_has_them_open_again(table: ChanceTable) -> None:
    await table.opened(f"/play {THREE} seats:3", ANNA.joining)
    await table.chosen("bruno", f"join:{table.code}:1", BRUNO.joining)
    await table.chosen("carla", f"join:{table.code}:1", CARLA.joining)
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 1))

    async def opened() -> list[str]:
        return list(((await table.row()).chance or {}).get("ids", {}).values())

    assert await opened() == [f"chain:{ANNA.links[1]}"]
    # Coming back with what was committed to before Anna opened anything, Carla has gained nothing by it.
    await table.chosen("carla", f"leave:{table.code}:1", None)
    await table.chosen("carla", f"join:{table.code}:1", Chain.of(70).joining)
    assert await opened() == [f"chain:{ANNA.links[1]}"]
    # Somebody in league with her, whose commitment could be made to suit, has Anna open another link.
    await table.chosen("carla", f"leave:{table.code}:1", None)
    await table.chosen("dora", f"join:{table.code}:1", Chain.of(71).joining)
    assert await opened() == []
    await table.chosen("bruno", f"begin:{table.code}:1", BRUNO.opens(table.code, 1))
    assert (await table.row()).status == "lobby"
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 2))
    assert (await table.row()).status == "playing"
    taken = (await table.record()).taken[0]
    assert {each for _, each in taken.ids} == {f"chain:{ANNA.links[2]}", f"chain:{BRUNO.links[1]}"}
    assert verify(await table.record()).seats == 3


async def test_joining_with_nothing_at_all_is_no_way_round(table: ChanceTable) -> None:
    # A player who contributes nothing knows the lot: if the game began at once, they could take it or leave it.
    await table.opened(f"/play {DICE} @bruno", ANNA.joining)
    await table.do("bruno", f"join:{table.code}:1", ids="chosen")
    assert ((await table.row()).status, await table.joined_by()) == ("lobby", [f"chain:{ANNA.end}", "chain:-"])
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 1))
    assert (await table.row()).status == "playing"
    checked = verify(await table.record())
    assert (checked.unnamed, checked.seats) == (1, 2)


async def test_known_limit_last_typed_join_predicts_the_seats(table: ChanceTable) -> None:
    await table.lobby()
    row = await table.row()
    foreseen = fair.draw_seats(row.seed, fair.public_text(row.id, [row.seats[0].joined_by or "", "web:-"]), 2, [])
    await table.do("bruno", f"/join {table.code}", ids="counted")
    assert (await table.seat_of("anna"), await table.seat_of("bruno")) == foreseen
    assert verify(await table.record()).unnamed == 1
