"""A channel that plays as one: proposals, votes, and what a round comes to."""

import pytest

from bot.kernel.requests import Adapter, Place, Reply
from bot.lobby.teams.cards import read_board_extra
from bot.lobby.teams.rounds import SHOW_PAUSE
from bot.lobby.teams.service import BY_PLATFORM, PLATFORMS_WITHOUT_ACCOUNTS, are_voters_listed
from bot.platforms.discord.adapter import DiscordAdapter
from bot.platforms.telegram.adapter import TelegramAdapter
from bot.platforms.web.room import ChatRoom
from engine import State, games
from storage import Event, TeamTerms
from storage.places import BAN
from tests.bot.party import Party, button, buttons, card, labelled, words
from tests.support.present import present

FIRST, SECOND = "b1-b2", "c1-c2"


async def actions_of(party: Party, code: str) -> list[Event]:
    return [event for event in await party.store.games.events(code) if event.kind == "action"]


async def votes_of(party: Party, code: str) -> list[tuple[str, list[int]]]:
    """Return the actions that a vote decided, each with the votes for it and all votes."""
    actions = [event.data for event in await actions_of(party, code)]
    return [(data["action"], data["votes"]) for data in actions if "votes" in data]


async def votes_counted(party: Party, **later: float) -> None:
    """Let so much time pass, what was voted be shown, and rounds that are over be closed."""
    party.clock.turn(**later)
    await party.front.jobs["teams"].run_until_idle()
    await party.settle()


async def vote_shown(party: Party) -> None:
    await votes_counted(party, seconds=SHOW_PAUSE.total_seconds())


async def lose(party: Party, code: str) -> None:
    """Have nobody vote until a game with `time:1h idle:loss` is lost."""
    for _ in range(2):
        await votes_counted(party, hours=1)
    assert (await party.load_row(code)).status == "over"


async def team_game(party: Party, line: str = "/team annuvin computer 1", *people: str) -> str:
    """Have Anna's room play as one, the others having been seen there, and return the code once the team is to move."""
    await party.meet(*(people or ("bruno", "carla")))
    reply = await party.say("anna", line)
    assert reply.card is None, words(reply)
    code = party.code
    assert (await party.load_row(code)).status == "playing"
    return code


async def propose(party: Party, who: str, text: str, code: str) -> Reply:
    return await party.say(who, f"/move {text} game:{code}")


async def choose(party: Party, who: str, label: str) -> Reply:
    """Have somebody press a button of the menu below the board of a channel that plays as one."""
    return await party.follow(who, await party.press(who, button(party.board.card, "teamm")), label)


async def propose_from_board(party: Party, reply: Reply) -> Reply:
    """Have Bruno press the first buttons of a board of his own until his turn is whole, and propose it."""
    while "Propose this turn" not in [each.label for each in buttons(card(reply))]:
        reply = await party.press("bruno", button(card(reply), "t"))
    return await party.press("bruno", labelled(card(reply), "Propose this turn"))


@pytest.fixture
async def code(party: Party) -> str:
    """The game of a channel whose votes take an hour."""
    return await team_game(party, "/team annuvin computer 1 time:1h")


async def test_a_channel_proposes_votes_and_plays(party: Party) -> None:
    code = await team_game(party)
    assert "The room votes on its turn." in party.board.text
    assert party.board.card.mention is None
    first, second = await party.legal(code), await party.legal(code, 1)
    reply = await propose(party, "bruno", first, code)
    assert reply.secret
    assert "Proposed as A" in words(reply)
    assert "Proposed as B" in words(await propose(party, "carla", second, code))
    assert "Vote A" not in [each.label for each in buttons(party.board.card)], "shown in batches"
    assert "Nobody" not in party.board.text, "until then it says nothing untrue"
    sent = party.adapter.sent
    await vote_shown(party)
    assert party.adapter.sent == sent, "an edit shows them"
    assert "1 vote" in party.board.text
    assert "Your vote is for B" in words(await party.press("anna", labelled(party.board.card, "Vote B")))
    await votes_counted(party, hours=23)
    assert await votes_of(party, code) == []
    await votes_counted(party, hours=1)
    assert await votes_of(party, code) == [(second, [2, 3])]
    assert "The last vote" not in party.board.text or "2 of 3" in party.board.text
    assert party.board.text.count("votes on its turn") == 1, "the computer has answered"


async def test_of_two_turns_with_as_many_votes_the_one_proposed_first_is_played(party: Party, code: str) -> None:
    second = await party.legal(code, 1)
    await propose(party, "bruno", second, code)
    await propose(party, "carla", await party.legal(code), code)
    await votes_counted(party, hours=1)
    assert await votes_of(party, code) == [(second, [1, 2])]


async def test_a_quorum_ends_a_round_at_once_and_a_vote_moves(party: Party) -> None:
    code = await team_game(party, "/team annuvin computer 1 quorum:3")
    first, second = await party.legal(code), await party.legal(code, 1)
    for who, turn in (("bruno", first), ("carla", second), ("anna", second)):
        await propose(party, who, turn, code)
    assert "Proposed as A" in words(await propose(party, "anna", first, code)), "the same turn is the same proposal"
    await vote_shown(party)
    assert await votes_of(party, code) == []
    await party.press("carla", f"vote:{code}:{(await party.load_row(code)).revision}=1")
    await vote_shown(party)
    assert await votes_of(party, code) == [(first, [3, 3])]


async def test_round_without_votes_is_prolonged_once_then_played_by_a_computer(party: Party, code: str) -> None:
    await votes_counted(party, hours=1)
    assert "as much time again" in party.board.text
    await votes_counted(party, minutes=59)
    assert await votes_of(party, code) == []
    await votes_counted(party, minutes=1)
    assert [votes for _, votes in await votes_of(party, code)] == [[0, 0]]
    assert "as much time again" not in party.board.text


async def test_ineligible_and_late_votes_are_refused_with_a_reason(party: Party, code: str) -> None:
    first = await party.legal(code)
    await propose(party, "bruno", first, code)
    revision = (await party.load_row(code)).revision
    elsewhere = Place("web", "another", title="Another")
    reply = await party.front.press(party.request("dora", elsewhere), f"vote:{code}:{revision}=1")
    assert "another channel" in words(reply)
    assert "another channel" in words(await party.say("dora", f"/move {first} game:{code}", place=elsewhere))
    assert "A whole channel plays here" in words(await party.say("bruno", f"/resign {code}"))
    party.clock.turn(hours=1)
    assert "This vote is over" in words(await party.press("carla", f"vote:{code}:{revision}=1"))
    await votes_counted(party)
    assert "moved on" in words(await party.press("carla", f"vote:{code}:{revision}=1"))
    assert len(await party.store.teams.votes(code)) == 1


async def test_a_turn_is_proposed_from_a_board_of_ones_own(party: Party, code: str) -> None:
    refused = await propose(party, "bruno", "a1-f6", code)
    assert (refused.talk, await party.store.teams.proposals(code)) == (False, [])
    assert words(refused), "explained as in any game"
    reply = await party.press("bruno", labelled(party.board.card, "Propose a turn"))
    assert reply.secret
    assert "Only you see this board" in words(reply)
    assert "Propose this turn" not in [each.label for each in buttons(card(reply))]
    assert "Proposed as A" in words(await propose_from_board(party, reply))
    assert len(await party.store.teams.proposals(code)) == 1


async def test_two_thirds_resign_and_less_do_not(party: Party, code: str) -> None:
    await choose(party, "anna", "Propose to resign")
    await propose(party, "bruno", await party.legal(code), code)
    await votes_counted(party, hours=1)
    assert (await party.load_row(code)).status == "playing"
    for who in ("anna", "bruno"):
        await choose(party, who, "Propose to resign")
    await propose(party, "carla", await party.legal(code), code)
    await votes_counted(party, hours=1)
    assert (await party.load_row(code)).status == "over"
    assert "resigned" in party.board.text or "gave up" in party.board.text


async def test_two_thirds_of_a_team_can_undo_the_answered_turn(party: Party, code: str) -> None:
    row = await party.load_row(code)
    menu = await party.press("anna", button(party.board.card, "teamm"))
    assert "Propose to take back" not in [each.label for each in buttons(card(menu))], "nothing to take back yet"
    await propose(party, "bruno", await party.legal(code), code)
    await votes_counted(party, hours=1)
    assert (await party.load_row(code)).turn == row.turn + 2
    await choose(party, "anna", "Propose to take back")
    await votes_counted(party, hours=1)
    assert (await party.load_row(code)).turn == row.turn
    assert await party.legal(code)
    assert present((await party.store.teams.sides(code))[0].closes_at) > party.clock.now


async def test_a_draw_is_offered_to_the_computer_and_the_team_votes_on(party: Party, code: str) -> None:
    await choose(party, "anna", "Propose a draw")
    await votes_counted(party, hours=1)
    offered = [event.data["what"] for event in await party.store.games.events(code) if event.kind == "offer"]
    assert offered == ["draw"]
    if (await party.load_row(code)).status == "playing":
        assert "Proposed as A" in words(await propose(party, "bruno", await party.legal(code), code))


async def test_team_notice_is_sent_once_a_turn_to_subscribers_only(party: Party, code: str) -> None:
    menu = await party.press("carla", button(party.board.card, "teamm"))
    reply = await party.press("carla", labelled(card(menu), "Tell me when we are to vote"))
    assert "get a private message" in words(reply)
    await propose(party, "bruno", await party.legal(code), code)
    await votes_counted(party, hours=1)
    private = [each for each in party.shown if each.place.kind == "private"]
    assert [each.place.channel for each in private] == ["@carla"]
    assert "is to vote on its turn" in private[0].text
    assert not any(each.calls for each in party.shown if each.place.kind != "private")


async def test_it_is_set_up_step_by_step(party: Party) -> None:
    listed = await party.say("anna", "/team")
    reply = await party.press("anna", button(card(listed), "form"))
    reply = await party.follow(
        "anna", reply, "When nobody votes: a computer of level 1 plays the turn", "the game is lost"
    )
    voters = "Who votes: everybody here; on the page only"
    reply = await party.press("anna", next(each for each in buttons(card(reply)) if each.label.startswith(voters)))
    reply = await party.follow("anna", reply, "everybody here, even who comes later")
    labels = [each.label for each in buttons(card(reply))]
    assert "Who votes: everybody here, even who comes later" in labels
    assert "When nobody votes: the game is lost" in labels
    opened = present((await party.follow("anna", reply, "Play as one")).opens)
    terms = present((await party.load_row(opened)).terms.team)
    assert (terms.idle, terms.voters) == ("loss", "everyone")
    assert "Your channel plays" in words(await party.say("bruno", "/team"))
    private = Place("web", "@anna", kind="private")
    assert "in a group" in words(await party.say("anna", "/team annuvin", place=private))


async def test_who_is_banned_from_the_room_does_not_vote_from_elsewhere(party: Party, code: str) -> None:
    first, press = await party.legal(code), f"vote:{code}:{(await party.load_row(code)).revision}=1"
    await propose(party, "bruno", first, code)
    alone, person = Place("web", "@carla", kind="private"), await party.id_of("carla")
    assert "Your vote is for A" in words(await party.press("carla", press, place=alone))
    place = (await party.load_row(code)).place
    await party.store.bans.add(place, BAN, person, [""], None, party.clock())
    for deed in (press, press.replace("vote", "votes").partition("=")[0], press.replace("vote", "suggest")):
        said = words(await party.press("carla", deed, place=alone))
        assert "not in that channel any more" in said
        assert first not in said
    assert "not in that channel any more" in words(await party.say("carla", f"/move {first} game:{code}", place=alone))


async def test_the_leading_proposals_stand_below_the_board_and_by_their_letters_in_its_picture(
    party: Party, code: str
) -> None:
    for number in range(6):
        await propose(party, "bruno" if number < 3 else "carla", await party.legal(code, number), code)
    assert "proposed 3 turns" in words(await propose(party, "bruno", await party.legal(code, 6), code))
    revision = (await party.load_row(code)).revision
    assert "Your vote is for F" in words(await party.press("anna", f"vote:{code}:{revision}=6"))
    await vote_shown(party)
    lines = [line for line in party.board.text.splitlines() if line[1:2] == ":"]
    assert [line[0] for line in lines] == ["F", "C", "A", "B", "D"], "those with most votes, then those proposed first"
    assert lines[0].endswith("2 votes")
    labels = [each.label for each in buttons(party.board.card)]
    assert [label for label in labels if label.startswith("Vote")] == [f"Vote {letter}" for letter in "ABCDF"]
    listed = await party.press("dora", labelled(party.board.card, "All proposals"))
    assert [each.label[-1] for each in buttons(card(listed))] == list("FCABDE")
    table, context = await party.table(code), party.front.context
    place = await party.store.places.get_or_create("web", "room")
    hint = present((await read_board_extra(context, table, place, context.speaker("en"))).hint)
    assert [step.label for step in hint.steps] == ["F", "C", "A"]


async def test_move_proposes_where_the_channel_plays_as_one(party: Party, code: str) -> None:
    assert "Proposed as A" in words(await party.say("bruno", f"/move {FIRST}"))
    assert (await party.complete("carla", "move", "move", move="c1"))[0].value.startswith("c1")
    assert "is how these turns begin" in words(await party.say("carla", "/move c"))
    own = await party.started("/play annuvin @bruno board:square")
    if await party.mover_of(own) == "anna":
        await party.play_first(own)
    assert "Proposed as" in words(await party.say("carla", f"/move {SECOND}")), "who plays nothing else"
    assert (await party.load_row(code)).status == "playing"


async def test_all_games_for_two_are_played_by_votes(party: Party) -> None:
    for key, game in games.items():
        if 2 not in game.seats:
            continue
        code = await team_game(party, f"/team {key} computer 1 time:1h")
        before = len(await actions_of(party, code))
        turn = whole_turn_of((await party.table(code)).playing.state)
        assert "Proposed as A" in words(await propose(party, "bruno", "; ".join(turn), code)), (key, turn)
        await votes_counted(party, hours=1)
        played = (await actions_of(party, code))[before : before + len(turn)]
        assert [event.data["action"] for event in played] == turn
        assert (played[0].cause or "").startswith("team:")
        revision = (await party.load_row(code)).revision
        await party.press("anna", f"motion:{code}:{revision}=resign")
        await votes_counted(party, hours=1)


def whole_turn_of(state: State) -> list[str]:
    """Return the actions of a turn, up to what chance decides."""
    found, after = list[str](), state
    while after.to_move == state.to_move and after.turn == state.turn:
        action = after.legal_actions()[0]
        after = after.advance(action)
        found.append(action.text)
    return found


def test_platforms_without_accounts_are_those_that_leave_it_to_us_to_know_their_members() -> None:
    adapters: dict[str, type[Adapter]] = {"discord": DiscordAdapter, "telegram": TelegramAdapter, "web": ChatRoom}
    assert {name for name, each in adapters.items() if not each.knows_members} == PLATFORMS_WITHOUT_ACCOUNTS
    usual = TeamTerms(seconds=1, voters=BY_PLATFORM)
    assert {name for name in adapters if are_voters_listed(usual, name)} == PLATFORMS_WITHOUT_ACCOUNTS
