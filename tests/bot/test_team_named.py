"""Some people of a channel who play under a name: who votes for them, and the rest of the channel against them."""

from tests.bot.party import Party, labelled, words
from tests.bot.test_team_opponents import ELSEWHERE, vote_shown
from tests.bot.test_teams import propose, votes_counted
from tests.support.present import present

REDS = "/team annuvin name:Reds members:@bruno"


async def test_named_team_votes_are_limited_to_members_and_admitted_people(party: Party) -> None:
    await party.meet("bruno", "carla", "dora")
    await party.say("anna", f"{REDS} computer 1 time:1h")
    await votes_counted(party)
    code = party.code
    assert "Reds votes on its turn" in party.board.text
    assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code))
    press = f"vote:{code}:{(await party.load_row(code)).revision}=1"
    assert "not among them" in words(await party.press("carla", press))
    assert "started no game here" in words(await party.say("bruno", "/team admit:@carla"))
    assert "may vote from now on" in words(await party.say("anna", "/team admit:@carla"))
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
    await party.meet("bruno", "carla", "dora")
    await party.say("anna", f"{REDS} against:channel time:1h")
    code = party.code
    assert "your own" in words(await party.say("carla", f"/team join:{code} name:Reds members:@dora"))
    assert "on the other side" in words(await party.say("carla", f"/team join:{code} name:Blues members:@bruno"))
    await party.say("carla", f"/team join:{code}")
    assert (await party.load_row(code)).status == "playing"
    for _ in range(2):
        await votes_counted(party)
        table = await party.table(code)
        team = present(table.team_at(table.mover))
        reds = ("anna", "bruno")
        mine, theirs = (reds, ("carla", "dora")) if team.name == "Reds" else (("carla", "dora"), reds)
        assert "Proposed as A" in words(await propose(party, mine[0], await party.legal(code), code))
        await vote_shown(party)
        assert "the votes are shown once the turn is played" in party.board.text
        press = f"vote:{code}:{(await party.load_row(code)).revision}=1"
        assert "Your vote is for A" in words(await party.press(mine[1], press))
        for who in theirs:
            assert "Your vote" not in words(await party.press(who, press))
        assert len(await party.store.teams.votes(code, (await party.store.teams.proposals(code))[-1].round)) == 2
        await votes_counted(party, hours=1)
        assert "2 of 2" in party.board.text
    assert len(await party.store.teams.votes(code)) == 4
    assert "Reds" in words(await party.say("dora", "/team"))


async def test_where_all_who_are_known_vote_those_of_the_other_side_are_left_out(party: Party) -> None:
    await party.meet("bruno", "carla", "dora")
    await party.say("anna", f"{REDS} against:channel time:1h voters:known")
    code = party.code
    await party.say("carla", f"/team join:{code}")
    sides = {team.name: team.id for team in (await party.table(code)).teams}
    for who, name in (("anna", "Reds"), ("bruno", "Reds"), ("carla", "The room"), ("dora", "The room")):
        assert await party.store.teams.side_of(code, await party.id_of(who)) == sides[name]


async def test_named_teams_play_again_with_the_same_people(party: Party) -> None:
    await party.meet("bruno", "carla", "dora")
    await party.say("anna", f"{REDS} computer 1 time:1h idle:loss")
    code = party.code
    await party.say("anna", "/team admit:@carla")
    for _ in range(2):
        await votes_counted(party, hours=1)
    assert (await party.load_row(code)).status == "over"
    again = (await party.press("bruno", labelled(party.board.card, "Play again"))).opens
    assert again
    (team,) = (await party.table(again)).teams
    assert team.team_name == "Reds"
    people = [await party.id_of(who) for who in ("anna", "bruno", "carla")]
    assert await party.store.teams.admitted(again, team.id) == sorted(people)
