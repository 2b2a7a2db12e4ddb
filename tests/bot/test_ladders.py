"""Ladders as people meet them: joined, climbed by challenges, and what time brings."""

import pytest

from bot.competitions.events import InvalidCompetition
from bot.competitions.file import LadderFile, check_file
from bot.competitions.kinds import check_competitions
from engine.fair import Draw
from tests.bot.cups import kept_message, time_passes
from tests.bot.ladders import a_ladder, challenged, ladder_of, order
from tests.bot.party import Party, buttons, card, labelled, words
from tests.support.present import present

SIX = ("anna", "bruno", "cora", "dino", "elsa", "fido")


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a ladder that six people are on."""
    return await a_ladder(party, "/ladder annuvin clock:1d", *SIX)


async def test_a_challenge_from_the_press_to_the_place(party: Party, code: str) -> None:
    assert await order(party, code) == list(SIX)
    mine = await party.press("elsa", labelled(kept_message(party, code).card, "My place"))
    assert "place 5 of 6" in words(mine)
    assert {each.label for each in buttons(card(mine))} == {"2. Bruno", "3. Cora", "4. Dino", "Leave"}
    assert "You have challenged Bruno" in words(await party.press("elsa", labelled(card(mine), "2. Bruno")))
    # One message calls the challenged, with the answers below it.
    (notice,) = [shown for shown in party.shown if "-notice:" in shown.key]
    assert notice.calls == (await party.id_of("bruno"),)
    assert "Elsa challenges you for place 2" in notice.text
    assert "Elsa has challenged Bruno" in kept_message(party, code).text
    await party.press("bruno", labelled(notice.card, "Accept"))
    (challenge,) = (await ladder_of(party, code)).state.open.values()
    row = await party.load_row(present(challenge.game))
    assert (row.status, row.terms.cup, row.terms.clock, row.terms.holidays) == ("playing", code, 86400, None)
    assert row.id in kept_message(party, code).text
    await party.settle()
    assert [each.text for each in party.shown if f"Annuvin, ladder {code}: the game of" in each.text]
    # Both have begun as often, so the lot has decided.
    ladder = await ladder_of(party, code)
    drawn = Draw(ladder.row.seed, f"{code}\n", 0).randrange(2)
    assert await party.mover_of(row.id) == ("bruno", "elsa")[drawn]
    await party.resign("bruno", row.id)
    assert await order(party, code) == ["anna", "elsa", "bruno", "cora", "dino", "fido"]
    assert "within the last week" in await challenged(party, code, "bruno", "elsa")


async def test_refused_ladder_challenge_names_its_reason(party: Party, code: str) -> None:
    for who, other, said in (
        ("fido", "bruno", "too far above"),
        ("anna", "bruno", "below you"),
        ("anna", "anna", "Nobody challenges themselves"),
        ("dino", "cora", "You have challenged"),
        ("dino", "bruno", "one at a time"),
        ("elsa", "cora", "to answer already"),
    ):
        assert said in await challenged(party, code, who, other)
    for who, press, said in (
        ("anna", f"accept.{code}.0", "somebody else's"),
        ("dino", f"withdraw.{code}.0", "You have taken the challenge back"),
        ("cora", f"accept.{code}.0", "does not wait"),
        ("gino", f"mine.{code}", "not on this ladder"),
        ("gino", f"challenge.{code}.1", "not on this ladder"),
    ):
        assert said in words(await party.press(who, f"ladder={press}"))
    assert "already" in words(await party.say("anna", f"/ladder join:{code}"))
    await party.say("elsa", "/block @dino")
    assert "do not play with each other" in await challenged(party, code, "elsa", "dino")


async def test_competition_codes_lead_to_the_right_command(party: Party) -> None:
    code = await a_ladder(party)
    assert f"/ladder join:{code}" in words(await party.say("anna", f"/cup join:{code}"))
    await party.say("anna", "/cup annuvin clock:1d")
    (cup,) = await party.store.competitions.list_ids()
    assert f"/cup join:{cup}" in words(await party.say("anna", f"/ladder join:{cup}"))


async def test_no_answer_loses_the_place_and_a_holiday_stops_the_time(party: Party) -> None:
    code = await a_ladder(party, "/ladder annuvin clock:1d days:2", *SIX)
    await challenged(party, code, "dino", "bruno")
    await challenged(party, code, "cora", "anna")
    await party.say("anna", "/settings holiday:5")
    await time_passes(party, 24 * 1.5, "ladders")
    assert await order(party, code) == list(SIX)
    await time_passes(party, 24 * 1, "ladders")
    assert await order(party, code) == ["anna", "dino", "bruno", "cora", "elsa", "fido"]
    await time_passes(party, 24 * 5, "ladders")
    assert await order(party, code) == ["cora", "anna", "dino", "bruno", "elsa", "fido"]


async def test_inactive_ladder_player_is_warned_and_sinks(party: Party, code: str) -> None:
    await time_passes(party, 24 * 23.1, "ladders")
    warnings = [shown for shown in party.shown if "you sink by 1 place" in shown.text]
    assert {shown.calls[0] for shown in warnings} == {await party.id_of(who) for who in SIX[:5]}
    assert await order(party, code) == list(SIX)
    await time_passes(party, 24 * 7.1, "ladders")
    assert await order(party, code) != list(SIX)
    again = [shown for shown in party.shown if "you sink by" in shown.text][len(warnings) :]
    assert [shown.calls for shown in again] == [(await party.id_of("fido"),)]  # who is the last no more


async def test_the_file_of_a_ladder_is_checked_by_replaying_it(party: Party, code: str) -> None:
    for who, other in (("elsa", "bruno"), ("fido", "cora")):
        await challenged(party, code, who, other)
        await party.press(other, f"ladder=accept.{code}.{(await ladder_of(party, code)).state.made - 1}")
    for challenge in list((await ladder_of(party, code)).state.open.values()):
        await party.resign(await party.mover_of(present(challenge.game)), present(challenge.game))
    for line in (f"/export {code}", None):
        reply = await (party.say("anna", line) if line else party.press("anna", f"ladder=json.{code}"))
        checked = check_file(LadderFile.read(present(card(reply).file).content.decode()))
        assert (checked.games, checked.unseen) == (2, 0)
        assert checked.events > 10
    text = present(card(await party.say("anna", f"/export {code}")).file).content.decode()
    with pytest.raises(InvalidCompetition, match="other-line"):
        LadderFile.read(text.replace("1. Anna", "1. Bruno"))
    assert [findings async for _, findings in check_competitions(party.store)] == [()]
