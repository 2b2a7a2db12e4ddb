"""A channel against one person, and against another channel: what each side sees of the other's votes."""

import json

import pytest

from bot.kernel.requests import Place, Reply
from bot.kernel.texts import strip_styles
from tests.bot.party import Party, Shown, button, buttons, card, labelled, words
from tests.bot.test_teams import choose, lose, propose, team_game, vote_shown, votes_counted, votes_of
from tests.support.present import present

ELSEWHERE = Place("web", "club", title="The club")


async def say_there(party: Party, who: str, line: str) -> Reply:
    return await party.say(who, line, place=ELSEWHERE)


def newest_in(party: Party, place: Place) -> Shown:
    return next(each for each in reversed(party.shown) if each.place.channel == place.channel)


async def play_own_turn(party: Party, code: str) -> None:
    """Have the one person play whom a team plays against, if it is their turn."""
    if (await party.table(code)).voting_team is None:
        await party.play_first(code)


async def test_single_opponent_of_a_team_sees_no_votes_before_the_turn(party: Party) -> None:
    await party.meet("bruno", "carla", "dora")
    await party.say("anna", "/team annuvin against:person time:1h")
    assert "Who takes on everybody?" in party.newest.text
    assert [each.label for each in buttons(party.newest.card)][:2] == ["Join", "Call it off"]
    await party.press("dora", button(party.newest.card, "join"))
    code = party.code
    assert (await party.load_row(code)).status == "playing"
    await play_own_turn(party, code)
    await propose(party, "bruno", await party.legal(code), code)
    await vote_shown(party)
    assert "the votes are shown once the turn is played" in party.board.text
    assert "1 vote" not in party.board.text
    assert "You play against this channel" in words(await party.press("dora", labelled(party.board.card, "Vote A")))
    assert "You play against this channel" in words(await party.press("dora", button(party.board.card, "suggest")))
    await votes_counted(party, hours=1)
    row = await party.load_row(code)
    assert row.to_move is not None
    assert row.deadline is not None, "the one person has a clock, the team its rounds"
    await play_own_turn(party, code)
    assert (await party.load_row(code)).deadline is None
    assert "The last vote" in party.board.text
    await votes_counted(party, hours=2)


async def test_a_person_who_offers_a_draw_is_answered_by_two_thirds(party: Party) -> None:
    await party.meet("bruno", "carla", "dora")
    code = await party.started("/team annuvin @dora time:1h", "dora")
    await play_own_turn(party, code)
    await party.say("dora", f"/draw {code}")
    offer = next(each for each in reversed(party.shown) if "draw" in each.key)
    assert "A whole channel plays here" in words(await party.press("bruno", button(offer.card, "agree")))
    for who in ("bruno", "carla"):
        await choose(party, who, "Propose a draw")
    await propose(party, "anna", await party.legal(code), code)
    await votes_counted(party, hours=1)
    row = await party.load_row(code)
    assert (row.status, (row.outcome or {}).get("reason")) == ("over", "agreement")


async def channels(party: Party) -> tuple[str, Place, Place]:
    """Have two channels play, and return the code, and where the side plays that is to move, and where the other."""
    await party.say("bruno", "/help")
    await party.meet("carla", "dora", place=ELSEWHERE)
    await party.say("anna", "/team annuvin against:channel time:1h quorum:2 idle:loss")
    code = party.code
    assert f"/team join:{code}" in party.newest.text
    assert "waits for another channel" in words(await party.say("bruno", f"/join {code}"))
    assert "your own channel" in words(await party.say("bruno", f"/team join:{code}"))
    await say_there(party, "carla", f"/team join:{code}")
    assert (await party.load_row(code)).status == "playing"
    table = await party.table(code)
    here = present(table.voting_team).name == "The room"
    return code, party.room if here else ELSEWHERE, ELSEWHERE if here else party.room


async def test_channel_against_channel_with_votes_that_the_others_never_see(party: Party) -> None:
    code, mine, theirs = await channels(party)
    us, them = (("anna", "bruno"), ("carla", "dora")) if mine is party.room else (("carla", "dora"), ("anna", "bruno"))
    first = await party.legal(code, 3)
    assert first not in newest_in(party, theirs).text
    assert "Proposed as A" in words(await party.say(us[0], f"/move {first} game:{code}", place=mine))
    await vote_shown(party)
    assert "1 vote" in newest_in(party, mine).text
    # Every way to look, for the other side.
    seen = [newest_in(party, theirs).text]
    private = await party.press(us[0], f"suggest:{code}:{(await party.load_row(code)).revision}", place=mine)
    listed = await party.press(us[0], f"votes:{code}:{(await party.load_row(code)).revision}", place=mine)
    for each in (*buttons(card(private)), *buttons(card(listed))):
        for who in them:
            seen.append(words(await party.press(who, each, place=theirs)))
    assert [each.votes for each in await party.store.teams.proposals(code)] == [1], "others' buttons do nothing"
    revision = (await party.load_row(code)).revision
    for who in them:
        for deed in ("votes", "suggest", "teamm", "show", "more", "words", "try", "details", "share"):
            seen.append(words(await party.press(who, f"{deed}:{code}:{revision}", place=theirs)))
        for line in ("/games", f"/board {code}", f"/export {code}", f"/try {code}", "/team", f"/replay {code}"):
            reply = await party.say(who, line, place=theirs)
            seen.append(words(reply))
            if reply.card is not None and reply.card.file is not None:
                seen.append(reply.card.file.content.decode())
        view = await party.front.view_game(party.request(who, theirs), code)
        seen.append(strip_styles(view.card.text) if view.card is not None else "")
        seen.append(json.dumps(await party.store.privacy.export_person(await party.id_of(who))))
        reply = await party.press(who, f"vote:{code}:{revision}=1", place=theirs)
        assert "to move" in words(reply) or "turn" in words(reply), words(reply)
    assert not [text for text in seen if first in text or "Vote A" in text or "Proposed" in text]
    # Enough of those who may agree, and the turn is everybody's to see.
    await party.press(us[1], f"vote:{code}:{revision}=1", place=mine)
    await vote_shown(party)
    assert await votes_of(party, code) == [(first, [2, 2])]
    assert first in newest_in(party, theirs).text
    assert f"The last vote: {first} with 2 of 2 votes" in newest_in(party, mine).text
    assert "The last vote" not in newest_in(party, theirs).text, "who voted elsewhere is nobody's business here"
    assert "votes on its turn" in newest_in(party, mine).text
    assert "Propose a turn" not in [each.label for each in buttons(newest_in(party, mine).card)]
    assert "Propose a turn" in [each.label for each in buttons(newest_in(party, theirs).card)]


@pytest.mark.parametrize("voters", ["", "voters:known"])
async def test_only_those_known_at_the_start_vote_if_that_was_chosen_or_there_are_no_accounts(
    party: Party, voters: str
) -> None:
    code = await team_game(party, f"/team annuvin computer 1 {voters}", "bruno")
    assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code))
    revision = (await party.load_row(code)).revision
    for deed in (f"vote:{code}:{revision}=1", f"suggest:{code}:{revision}"):
        assert "settled at the start" in words(await party.press("late", deed))
    assert "started no game here" in words(await party.say("bruno", "/team admit:@late"))
    assert "is asked on the board" in words(await party.say("anna", "/team admit:@late"))
    assert "Your vote is for A" in words(await party.press("late", f"vote:{code}:{revision}=1"))


async def test_a_role_is_one_that_its_maker_has(party: Party) -> None:
    assert "do not have the role" in words(await party.say("anna", "/team annuvin computer 1 role:members"))


async def test_two_channels_play_again_by_one_button_in_each(party: Party) -> None:
    code, *_ = await channels(party)
    await lose(party, code)
    last = {each.place.channel: each for each in party.shown}
    opened = await party.press("anna", labelled(last["room"].card, "Play again"))
    again = await party.load_row(present(opened.opens))
    assert again.terms.team == (await party.load_row(code)).terms.team
    assert f"/team join:{again.id}" in newest_in(party, ELSEWHERE).text, "the other channel is asked where it is"
    assert "would like to play again" in words(await party.press("bruno", labelled(last["room"].card, "Play again")))
    private = Place("web", "@carla", kind="private")
    refused = await party.press("carla", labelled(last["club"].card, "Play again"), place=private)
    assert "somebody there has to press it" in words(refused)
    taken = await party.press("carla", labelled(last["club"].card, "Play again"), place=ELSEWHERE)
    assert taken.opens == again.id
    assert (await party.load_row(again.id)).status == "playing"
    assert {team.id for team in (await party.table(again.id)).teams} == {
        team.id for team in (await party.table(code)).teams
    }


async def test_team_rematch_invites_the_same_opponent(party: Party) -> None:
    await party.meet("bruno", "dora")
    code = await party.started("/team annuvin @dora time:1h idle:loss", "dora")
    await party.resign("dora", code)
    again = present((await party.press("dora", labelled(party.board.card, "Play again"))).opens)
    assert (await party.load_row(again)).status == "lobby"
    await party.press("dora", button(party.newest.card, "join"))
    assert (await party.load_row(again)).status == "playing"
