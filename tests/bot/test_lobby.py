"""From a challenge to the first move."""

import asyncio
from dataclasses import replace

import pytest

from bot.kernel.presses import read_press
from bot.kernel.requests import Place, User
from tests.bot.party import SQUARE, Party, button, buttons, card, labelled, missing, words


@pytest.fixture
async def lobby(party: Party) -> None:
    """Have Anna look for somebody to play with."""
    await party.say("anna", "/play annuvin")


@pytest.fixture
async def bruno(party: Party) -> None:
    """Have Bruno come, who was not here before."""
    await party.meet("bruno")


@pytest.mark.usefixtures("bruno")
async def test_a_challenge_calls_whom_it_is_for_and_starts_when_accepted(party: Party) -> None:
    assert "New to Annuvin?" in words(await party.say("anna", SQUARE))
    challenge = party.newest
    assert "Anna challenges Bruno" in challenge.text
    assert party.mover == "bruno"
    labels = [entry.label for entry in buttons(challenge.card)]
    assert labels == ["Accept", "Decline", "Call it off", "Rules", "Details", "Learn it in three minutes"]
    assert button(challenge.card, "learn").people == (challenge.card.mention,), "for whom the game is new"
    assert "All seats are taken or kept" in words(await party.press("carla", button(challenge.card, "join")))
    await party.press("bruno", button(challenge.card, "join"))
    assert challenge.text.startswith("Annuvin with ")
    assert (challenge.text.endswith(": the game has begun."), buttons(challenge.card)) == (True, [])
    assert not challenge.removed
    assert "it is your turn" in party.newest.text
    row = await party.load_row()
    assert (row.status, row.options) == ("playing", {"board": "square", "setup": "classic"})


@pytest.mark.usefixtures("lobby")
async def test_open_seats_are_taken_by_joining(party: Party) -> None:
    assert "Who joins in?" in party.newest.text
    assert [entry.label for entry in buttons(party.newest.card)] == [
        "Join",
        "Call it off",
        "Play the computer",
        "Share",
        "Rules",
        "Details",
    ]
    assert party.newest.card.mention is None
    assert "You are in already" in words(await party.press("anna", button(party.newest.card, "join")))
    assert (await party.load_row()).status == "lobby"
    await party.say("carla", "/join")
    assert party.mover in ("anna", "carla"), "without a code the one game that waits is joined"


@pytest.mark.usefixtures("lobby")
async def test_two_who_join_the_last_seat_at_once_do_not_both_get_it(party: Party) -> None:
    join = button(party.newest.card, "join")
    replies = await asyncio.gather(*(party.press(who, join) for who in ("bruno", "carla", "dora")))
    assert sum("New to Annuvin?" in words(reply) for reply in replies) == 1
    assert len((await party.load_row()).seats) == 2


@pytest.mark.usefixtures("bruno")
async def test_a_challenge_that_is_declined_ends_and_says_so(party: Party) -> None:
    await party.say("anna", "/play annuvin @bruno")
    challenge, code = party.newest, party.code
    await party.press("bruno", button(challenge.card, "leave"))
    assert "Bruno would rather not play" in challenge.text
    assert [entry.press for entry in buttons(challenge.card)] == ["solo=annuvin", "choose"]
    assert len(party.shown) == 1
    assert "it was declined" in words(await party.say("bruno", f"/join {code}"))


@pytest.mark.usefixtures("bruno")
async def test_outdated_accept_button_explains_the_current_state(party: Party) -> None:
    await party.say("anna", "/play annuvin @bruno")
    accept = button(party.newest.card, "join")
    await party.press("bruno", accept)
    assert "you are in it" in words(await party.press("bruno", accept))
    assert "without you" in words(await party.press("carla", accept))
    await party.say("anna", "/play annuvin @bruno")
    accept = button(party.newest.card, "join")
    await party.press("anna", button(party.newest.card, "withdraw"))
    assert "has called it off" in words(await party.press("bruno", accept))
    await party.say("anna", "/play annuvin @bruno")
    accept = button(party.newest.card, "join")
    party.clock.turn(days=15)
    await party.front.alarms.tick()
    assert "answered in time" in words(await party.press("bruno", accept))


@pytest.mark.usefixtures("bruno")
async def test_a_challenge_without_a_game_asks_which(party: Party) -> None:
    asked = await party.say("anna", "/play @bruno")
    assert asked.private
    assert {entry.press.partition("=")[0] for entry in buttons(card(asked))} == {"against"}
    assert party.shown == []
    await party.press("anna", buttons(card(asked))[0])
    assert "Anna challenges Bruno" in party.newest.text
    assert "Which game?" in words(await party.say("anna", "/play @bruno @carla"))
    await party.say("bruno", "/settings challenges:nobody")
    assert "challenge" in words(await party.press("anna", buttons(card(asked))[0]))
    assert len(party.shown) == 1


@pytest.mark.usefixtures("lobby")
async def test_only_the_starter_can_call_a_lobby_off(party: Party) -> None:
    withdraw = button(party.newest.card, "withdraw")
    assert "Only the person who proposed" in words(await party.press("carla", withdraw))
    leave = withdraw.press.replace("withdraw:", "leave:")
    assert "You have no seat" in words(await party.press("carla", leave))
    await party.press("anna", withdraw)
    assert "called off" in party.newest.text


async def test_each_button_of_a_lobby_says_whom_it_is_for(party: Party) -> None:
    people = "anna", "bruno", "carla", "dora"
    await party.meet(*people)
    ids = {who: await party.id_of(who) for who in people}

    def offered(who: str) -> list[str]:
        fitting = [each for each in buttons(party.newest.card) if not each.people or ids[who] in each.people]
        return [read_press(each.press).deed for each in fitting if ids[who] not in each.without]

    await party.say("anna", "/play vedova-nera @bruno @carla")
    assert offered("anna") == ["start", "withdraw", "rules", "details"]
    assert offered("bruno") == offered("carla") == ["join", "leave", "rules", "details", "learn"]
    assert offered("dora") == ["rules", "details"]
    await party.press("bruno", button(party.newest.card, "join"))
    assert offered("bruno") == ["leave", "rules", "details"]
    assert offered("carla") == ["join", "leave", "rules", "details", "learn"]
    every = [each.press for each in buttons(party.newest.card)]
    assert len(set(every)) == len(every)
    await party.press("carla", button(party.newest.card, "leave"))
    await party.say("anna", "/play annuvin")
    assert offered("anna") == ["withdraw", "robot", "share", "rules", "details"]
    assert offered("dora") == ["join", "share", "rules", "details"]
    await party.say("anna", "/play annuvin @zoe")
    assert offered("dora") == ["join", "leave", "share", "rules", "details"], "who Zoe is will be seen when she comes"


async def test_unknown_name_is_reported_where_all_members_are_known(party: Party) -> None:
    room = replace(party.room, known=True)
    await party.say("bruno", "/help", place=room)
    reply = await party.say("anna", "/play annuvin @brunno", place=room)
    assert reply.private
    assert "Nobody called Brunno has been here" in words(reply).replace("brunno", "Brunno")
    assert "Did you mean Bruno?" in words(reply)
    assert "`" not in words(reply)
    assert "/play annuvin @Bruno" in words(reply)
    assert "Anna challenges brunno" in party.newest.text, "the seat is kept all the same"
    stranger = words(await party.say("anna", "/play annuvin @zoe", place=room))
    assert missing(stranger, "Send them the link", "there are: Bruno") == []
    assert "has been here" not in words(await party.say("anna", "/play annuvin @bruno", place=room))
    assert "has been here" not in words(await party.say("anna", "/play annuvin @brunno"))


@pytest.mark.usefixtures("lobby")
async def test_a_lobby_that_is_closed_says_by_whom(party: Party) -> None:
    party.managers.add("carla")
    await party.say("carla", f"/close {party.code}")
    assert "called off by those who manage" in party.newest.text


@pytest.mark.usefixtures("bruno")
async def test_person_is_found_by_id_under_any_name_and_renamed_by_nobody(party: Party) -> None:
    await party.command("anna", "play", game="annuvin", opponents="<@bruno|Bruno>")
    await party.press("bruno", button(party.newest.card, "join"))
    assert party.mover in ("anna", "bruno")
    await party.say("anna", '/play annuvin opponents:"<@bruno|Evil>"')
    found = await party.store.people.find("Bruno", platform="web")
    assert [person.name for person in found] == ["Bruno"]


REFUSED = (
    ("/play annuvin @anna", "against yourself"),
    ("/play annuvin @b @c @d", "at most 2 players"),
    ("/play annuvin @b @c @d @e @f @g", "at most 2 players"),
    ("/play vedova-nera @b @c @d @e @f @g", "at most 5 players"),
    ("/play vedova-nera seats:2 @b @c", "named 2 other players"),
    ("/play annuvin seats:3", "exactly 2 players"),
    ("/play vedova-nera seats:6", "from 2 to 5"),
    ("/play annuvin seats:many", "must be a number"),
    ("/play annuvin board:round", "cannot be “round”"),
    ("/play real-queen board:square", "no option “board”"),
    ("/play chess", "do not know a game called “chess”"),
    ("/play @bruno", "Which game?"),
    ("/play annuvin sideways", "what to do with “sideways”"),
    ("/join QQQQQQ", "no game with the code"),
    ("/join", "No game is waiting"),
    ("/dance", "I do not know /dance"),
    ("/bord", "Did you mean /board?"),
)


async def test_invalid_play_commands_are_refused_without_a_game(party: Party) -> None:
    for line, answer in REFUSED:
        reply = await party.say("anna", line)
        assert answer in words(reply), line
        assert reply.private, line
    assert party.shown == []


async def test_games_for_more_start_when_the_starter_says_so(party: Party) -> None:
    await party.say("anna", "/play vedova-nera")
    lobby = party.newest
    assert button(lobby.card, "start").disabled
    assert "At least 2 players" in words(await party.press("anna", button(lobby.card, "start")))
    await party.press("bruno", button(lobby.card, "join"))
    await party.press("carla", button(lobby.card, "join"))
    assert (len(party.shown), lobby.edits) == (1, 2)
    assert "Only the person who proposed" in words(await party.press("bruno", button(lobby.card, "start")))
    await party.press("anna", button(lobby.card, "start"))
    row = await party.load_row()
    assert (row.status, row.seat_count, len(row.seats)) == ("playing", 3, 3)
    assert sorted(entry.seat or 0 for entry in row.seats) == [0, 1, 2]


async def test_who_leaves_makes_room_and_the_order_of_joining_is_kept(party: Party) -> None:
    await party.say("anna", "/play vedova-nera seats:3")
    lobby = party.newest
    await party.press("bruno", button(lobby.card, "join"))
    await party.press("bruno", button(lobby.card, "leave"))
    assert "2 seats are free" in lobby.text
    await party.press("carla", button(lobby.card, "join"))
    await party.press("bruno", button(lobby.card, "join"))
    row = await party.load_row()
    assert [entry.person for entry in row.seats] == [await party.id_of(who) for who in ("anna", "carla", "bruno")]


async def test_many_can_be_challenged_and_one_decline_does_not_end_it(party: Party) -> None:
    await party.meet("bruno", "carla")
    await party.say("anna", "/play vedova-nera @bruno @carla")
    lobby = party.newest
    assert lobby.card.mention is not None
    assert len(lobby.card.also) == 1
    await party.press("bruno", button(lobby.card, "leave"))
    assert "would rather not" in lobby.text
    await party.press("carla", button(lobby.card, "join"))
    await party.press("anna", button(lobby.card, "start"))
    assert party.mover in ("anna", "carla")


@pytest.mark.parametrize("line", ["/join {}", "/play join:{}"])
async def test_a_code_joins_from_another_channel_where_the_game_is_then_shown_too(party: Party, line: str) -> None:
    await party.say("anna", "/play annuvin")
    code, garden = party.code, Place("web", "garden", title="The garden")
    await party.say("bruno", line.format(code.lower()), place=garden)
    assert {shown.place.channel for shown in party.shown if "it is your turn" in shown.text} == {"room", "garden"}
    assert "no game with the code" in words(await party.say("carla", line.format("WWWWWW"), place=garden))


@pytest.mark.usefixtures("lobby")
async def test_several_that_wait_are_asked_about(party: Party) -> None:
    await party.say("carla", "/play fagocitare")
    asked = card(await party.say("bruno", "/join"))
    assert len(buttons(asked)) == 2
    await party.press("bruno", buttons(asked)[0])
    assert "turn" in party.newest.text


async def test_without_a_game_one_is_chosen_from_a_list_with_its_options(party: Party) -> None:
    assert (await party.say("anna", "/play")).private
    chosen = await party.press("anna", "new=annuvin")
    assert chosen.update
    again = await party.follow("anna", chosen, "Board: Hexagon (Annuvin)", "Square (Cacciatori)")
    assert "New to Annuvin?" in words(await party.press("anna", labelled(card(again), "Look for players")))
    assert (await party.load_row()).options == {"board": "square", "setup": "classic"}


async def test_a_button_that_means_nothing_any_more_is_answered(party: Party) -> None:
    for press in (
        *("new=chess", "new=annuvin.board:round", "post=", "nonsense", "c:QQQQQQ:1=x", "", "history=99", "export"),
        *("profile=99", "profile=x", "replay=1", "replay:QQQQQQ:0=1"),
    ):
        reply = await party.press("anna", press)
        assert reply.card is not None, press
        assert "went wrong" not in words(reply), press
    assert party.shown == []


async def test_a_name_cannot_break_a_card(party: Party) -> None:
    user = User("web", "eve", "Eve\n\u202e*bold*`x`" + "z" * 200, "en")
    await party.front.typed_text(replace(party.request("eve"), user=user), "/play annuvin")
    await party.front.delivery.run_until_idle()
    name = party.newest.card.text[0]
    assert name.person is not None
    assert len(name.text) <= 32
    assert "\u202e" not in name.text
    assert "\n" not in name.text
    assert "*bold*" in name.text
