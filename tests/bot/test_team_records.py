"""Who voted for what: in the record and the replay once a game is over, and what the analysis says of the crowd."""

from dataclasses import replace

import pytest

from bot.thinking.analysis import Alternative, Analysis, JudgedAlternative, read_analysis
from engine.record import Record
from tests.bot.party import Party, button, buttons, card, missing, words
from tests.bot.test_teams import actions_of, choose, propose, team_game, votes_counted
from tests.support.present import present


@pytest.fixture
def party(advised: Party) -> Party:
    return advised


async def voted_game(party: Party) -> tuple[str, str, str]:
    """Have a crowd vote once, then resign; return the code, and what was played and what Carla alone wanted."""
    code = await team_game(party, "/team annuvin computer 1 time:1h")
    most, lone = await party.legal(code), await party.legal(code, 1)
    assert "without your name" in words(await party.say("bruno", "/settings votes:hidden"))
    for who, turn in (("anna", most), ("bruno", most), ("carla", lone)):
        await propose(party, who, turn, code)
    assert "#" not in await exported(party, code)
    await votes_counted(party, hours=1)
    assert "#" not in await exported(party, code), "while the game goes on nobody reads who voted for what"
    assert "Carla" not in words(await party.say("carla", f"/replay {code}"))
    await choose(party, "anna", "Propose to resign")
    await votes_counted(party, hours=1)
    assert (await party.load_row(code)).status == "over"
    return code, most, lone


async def exported(party: Party, code: str) -> str:
    return present(card(await party.say("dora", f"/export {code}")).file).content.decode()


async def test_record_and_replay_list_votes_without_private_names(party: Party) -> None:
    code, most, lone = await voted_game(party)
    text = await exported(party, code)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line.startswith("# Turn") for line in comments] == [True, False, False, True, False]
    assert missing(comments[1], "A: ", most, "2 votes: Anna and 1 more") == []
    assert missing(comments[2], lone, "1 vote: Carla") == []
    assert "Bruno" not in text
    assert "resign – 1 vote: Anna" in comments[4]
    assert Record.from_text(text).game_id == code, "comments are no part of the record"
    turn = next(at for at, event in enumerate(await actions_of(party, code), start=1) if "votes" in event.data)
    said = words(await party.press("dora", f"replay:{code}:0={turn}"))
    assert missing(said, "How the vote went", lone, "Carla") == []
    assert "How the vote went" not in words(await party.press("dora", f"replay:{code}:0=0"))
    await party.say("carla", "/settings votes:hidden")
    assert "Carla" not in await exported(party, code), "also afterwards"


async def test_the_analysis_says_whether_the_crowd_or_the_lone_proposer_was_right(party: Party) -> None:
    code, _, lone = await voted_game(party)
    reply = await party.say("anna", f"/analyse {code}")
    while any(each.label == "Look again" for each in buttons(card(reply))):
        reply = await party.press("anna", button(card(reply), "analysed"))
    said = words(reply)
    assert missing(said, "The best proposal that was not played: turn", lone, "by Carla, with 1 of 3 votes") == []
    found = present(read_analysis(await party.store.analyses.get(code)))
    assert found.best_alternative is not None
    for value, judgement in ((0.9, "90% rather than 20%: the lone proposer was right"), (0.2, "the crowd was right")):
        judged = replace(found.best_alternative, value=value, played=0.2)
        await party.store.analyses.store(code, replace(found, best_alternative=judged).to_json(), party.clock())
        assert judgement in words(await party.say("dora", f"/analyse {code}"))


def test_judged_alternative_is_stored_and_optional() -> None:
    judged = JudgedAlternative(Alternative(3, 1, ("a1-a2",), (7, 2)), 0.6, 0.5)
    analysis = Analysis(((0.5, 0.5),), (), (), judged)
    assert read_analysis(analysis.to_json()) == analysis
    older = {name: value for name, value in analysis.to_json().items() if name != "best_alternative"}
    assert read_analysis(older) == Analysis(((0.5, 0.5),), (), ())
