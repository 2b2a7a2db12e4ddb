"""Some people of a channel who play under a name: who votes for them, and the rest of the channel against them."""

import pytest

from tests.bot.party import Party, labelled, words
from tests.bot.test_team_opponents import ELSEWHERE
from tests.bot.test_teams import lose, propose, vote_shown, votes_counted
from tests.support.present import present

REDS = "/team annuvin name:Reds members:@bruno"
BLUES = "name:Blues members:@bruno,@carla and @dora"


async def opened(party: Party, line: str) -> str:
    """Have Anna type a line in a room where four others have been seen; return the code of the game that it opens."""
    await party.meet("bruno", "carla", "dora", "eve")
    await party.say("anna", line)
    return party.code


async def test_named_team_votes_are_limited_to_members_and_admitted_people(party: Party) -> None:
    code = await opened(party, f"{REDS} computer 1 time:1h")
    assert "Reds votes on its turn" in party.board.text
    assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code))
    press = f"vote:{code}:{(await party.load_row(code)).revision}=1"
    assert "not among them" in words(await party.press("carla", press))
    assert "started no game here" in words(await party.say("bruno", "/team admit:@carla"))
    assert "is asked on the board" in words(await party.say("anna", "/team admit:@carla"))
    assert "Your vote is for A" in words(await party.press("carla", press))
    await votes_counted(party, hours=1)
    assert "2 of 2" in party.board.text


async def test_a_team_has_a_name_and_people_who_were_seen_in_the_channel(party: Party) -> None:
    await party.meet("bruno")
    await party.say("elsa", "/help", place=ELSEWHERE)
    for line, why in (
        ("/team annuvin name:Reds", "somebody besides you"),
        ("/team annuvin members:@bruno", "somebody besides you"),
        ("/team annuvin name:Reds members:@anna", "somebody besides you"),
        ("/team annuvin name:Reds members:@nobody", "do not know everybody"),
        ("/team annuvin name:Reds members:@elsa", "been seen here"),
    ):
        assert why in words(await party.say("anna", line)), line
    assert await party.store.teams.running_in((await party.store.places.get_or_create("web", "room")).id) == []


async def test_the_rest_of_the_channel_takes_the_other_side(party: Party) -> None:
    code = await opened(party, f"{REDS} against:channel time:1h")
    assert "your own" in words(await party.say("carla", f"/team join:{code} name:Reds members:@dora"))
    assert "on the other side" in words(await party.say("carla", f"/team join:{code} name:Blues members:@anna"))
    await party.say("carla", f"/team join:{code}")
    assert (await party.load_row(code)).status == "playing"
    assert "You vote with Reds" in words(await party.press("bruno", labelled(party.board.card, "I'm with Reds")))
    for _ in range(2):
        await votes_counted(party)
        table = await party.table(code)
        team = present(table.voting_team)
        reds = ("anna", "bruno")
        mine, theirs = (reds, ("carla", "dora")) if team.name == "Reds" else (("carla", "dora"), reds)
        assert "Proposed as A" in words(await propose(party, mine[0], await party.legal(code), code))
        await vote_shown(party)
        assert "the votes are shown once the turn is played" in party.board.text
        press = f"vote:{code}:{(await party.load_row(code)).revision}=1"
        assert "Your vote is for A" in words(await party.press(mine[1], press))
        for who in theirs:
            assert "Your vote" not in words(await party.press(who, press))
        newest = (await party.store.teams.proposals(code))[-1].round
        assert [each.round for each in await party.store.teams.votes(code)].count(newest) == 2
        await votes_counted(party, hours=1)
        assert "2 of 2" in party.board.text
    assert len(await party.store.teams.votes(code)) == 4
    assert "Reds" in words(await party.say("dora", "/team"))


async def test_where_all_who_are_known_vote_those_of_the_other_side_are_left_out(party: Party) -> None:
    code = await opened(party, f"{REDS} against:channel time:1h voters:known")
    await party.say("carla", f"/team join:{code}")
    sides = {team.name: team.id for team in (await party.table(code)).teams}
    assert await party.store.teams.side_of(code, await party.id_of("bruno")) == sides["The room"], "not asked yet"
    await party.press("bruno", labelled(party.board.card, "I'm with Reds"))
    for who, name in (("anna", "Reds"), ("bruno", "Reds"), ("carla", "The room"), ("dora", "The room")):
        assert await party.store.teams.side_of(code, await party.id_of(who)) == sides[name]


async def test_named_teams_play_again_with_the_same_people(party: Party) -> None:
    code = await opened(party, f"{REDS} computer 1 time:1h idle:loss")
    await party.say("anna", "/team admit:@carla")
    await lose(party, code)
    again = present((await party.press("bruno", labelled(party.board.card, "Play again"))).opens)
    (team,) = (await party.table(again)).teams
    assert team.team_name == "Reds"
    anna, bruno, carla = [await party.id_of(who) for who in ("anna", "bruno", "carla")]
    assert await party.store.teams.admitted(again, team.id) == [bruno], "who asks for it is in"
    assert await party.store.teams.invitations(again) == [(team.id, person) for person in sorted((anna, carla))]


@pytest.mark.parametrize("voters", ["", "voters:known", "voters:everyone"])
async def test_nobody_is_taken_onto_the_other_side_without_being_asked(party: Party, voters: str) -> None:
    code = await opened(party, f"/team annuvin against:channel time:1h {voters}")
    await party.say("eve", f"/team join:{code} {BLUES}")
    assert (await party.load_row(code)).status == "playing"
    teams = {team.name: team.id for team in (await party.table(code)).teams}
    assert "Blues asks Bruno, Carla, and Dora to vote with it" in party.board.text
    people = {who: await party.id_of(who) for who in ("bruno", "carla", "dora", "eve")}
    assert await party.store.teams.admitted(code, teams["Blues"]) == [people["eve"]]
    assert "named and who have not answered" in words(
        await party.press("anna", labelled(party.board.card, "I'm with Blues"))
    ), "the server looks who presses"
    party.restarted()
    assert "You vote with Blues" in words(await party.press("dora", labelled(party.board.card, "I'm with Blues")))
    assert "You do not vote with Blues" in words(
        await party.press("carla", labelled(party.board.card, "Not with Blues"))
    )
    await party.wait(seconds=6)
    assert "Blues asks Bruno to vote with it" in party.board.text
    assert "have not answered" in words(await party.press("carla", labelled(party.board.card, "I'm with Blues")))
    while "The room votes" not in party.board.text:
        mover = present((await party.table(code)).voting_team)
        if mover.name != "Blues":
            break
        await propose(party, "eve", await party.legal(code), code)
        await votes_counted(party, hours=1)
    assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code)), "for the channel"
    assert "other side" in words(await party.press("bruno", labelled(party.board.card, "I'm with Blues")))
    assert "Proposed as A" not in words(await propose(party, "dora", await party.legal(code, 1), code))
    assert "Your vote" in words(await party.press("carla", f"vote:{code}:{(await party.load_row(code)).revision}=1"))
    assert await party.store.teams.side_of(code, people["bruno"]) == teams["The room"]


async def test_who_votes_with_the_team_that_asks_them_agrees(party: Party) -> None:
    code = await opened(party, f"/team annuvin {BLUES} computer 1 time:1h")
    (team,) = (await party.table(code)).teams
    assert "Blues asks Bruno, Carla, and Dora" in party.board.text
    assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code))
    press = f"vote:{code}:{(await party.load_row(code)).revision}=1"
    assert "Your vote is for A" in words(await party.press("carla", press))
    await party.wait(seconds=6)
    assert "Blues asks Dora to vote with it" in party.board.text
    assert len(await party.store.teams.admitted(code, team.id)) == 3
    await party.say("dora", "/privacy")
    assert (await party.store.privacy.export_person(await party.id_of("dora")))["team_invitations"]
    await party.store.privacy.forget_person(await party.id_of("dora"), party.clock.now)
    assert await party.store.teams.invitations(code) == []


async def test_who_may_vote_for_the_channel_is_asked_by_a_later_admission_too(party: Party) -> None:
    code = await opened(party, "/team annuvin against:channel time:1h")
    await party.say("eve", f"/team join:{code} name:Blues members:@dora")
    teams = {team.name: team.id for team in (await party.table(code)).teams}
    carla = await party.id_of("carla")
    assert await party.store.teams.side_of(code, carla) == teams["The room"]
    party.managers.add("eve")
    assert "is asked on the board" in words(await party.say("eve", "/team admit:@carla"))
    assert await party.store.teams.side_of(code, carla) == teams["The room"], "not asked yet"
    await party.wait(seconds=6)
    assert "You vote with Blues" in words(await party.press("carla", labelled(party.board.card, "I'm with Blues")))
    assert await party.store.teams.side_of(code, carla) == teams["Blues"]
