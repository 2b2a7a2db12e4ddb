"""What needs consent, and taking back: durable, lapsing when the game moves on, restoring exactly what was."""

import asyncio
from dataclasses import replace

import pytest

from bot.kernel.presses import read_press
from bot.kernel.requests import Place
from engine import games
from engine.record import Record, verify
from storage import OfferKind, Offers
from tests.bot.party import SQUARE, Party, button, buttons, card, labelled, missing, words
from tests.support.records import record_of


@pytest.fixture
async def timed(party: Party) -> str:
    """The code of a game with a day for each turn."""
    return await party.started(f"{SQUARE} clock:1d")


@pytest.fixture
async def three(party: Party) -> str:
    """The code of a game of three."""
    return await party.started("/play vedova-nera seats:3", "bruno", "carla")


async def test_a_draw_needs_both(party: Party, code: str) -> None:
    offered = await party.say("anna", "/draw")
    assert words(offered) == "You have offered a draw. It stands until it is answered or another player has moved."
    assert "Anna offers a draw" in party.newest.text
    assert "Anna offers a draw" in party.board.text
    assert (await party.load_row()).status == "playing"
    assert "agreed already" in words(await party.press("anna", button(party.newest.card, "agree")))
    await party.press("bruno", button(party.newest.card, "agree"))
    assert missing(party.newest.text, "A draw between", "agreed on it") == []
    results = await party.store.games.results_of(code)
    assert [(result.mark, result.reason) for result in results] == [("draw", "agreement")] * 2


async def test_an_offer_lapses_when_the_game_moves_on(party: Party, timed: str) -> None:
    first = party.mover
    await party.press(first, f"offer:{timed}:{(await party.load_row()).revision}=together")
    offer, old = party.newest, button(party.newest.card, "agree")
    await party.say(first, "a1-a2")
    assert (await party.load_row()).offers == Offers()
    assert not buttons(offer.card)
    assert "nobody winning" not in party.board.text
    assert "no longer on the table" in words(await party.press(party.mover, old))


async def test_draw_offer_lasts_until_the_opponent_has_moved(party: Party, code: str) -> None:
    first, second = party.mover, party.other()
    await party.say(first, "/draw")
    offer, old = party.newest, button(party.newest.card, "agree")
    assert set(offer.card.calls) == {offer.card.mention}
    await party.say(first, "a1-a2")
    assert (await party.load_row(code)).offers.offer_of_kind(OfferKind.DRAW) is not None
    assert "offers a draw" in party.board.text
    assert offer in [shown for shown in party.shown if buttons(shown.card)]
    # The other one's move says no; offered anew, it is another offer, which old buttons do not answer.
    await party.say(second, "d4-d3")
    assert (await party.load_row(code)).offers == Offers()
    assert not buttons(offer.card)
    assert offer.text.endswith("The offer is no longer open: the game has gone on.")
    await party.say(second, "/draw")
    assert "no longer on the table" in words(await party.press(first, old))
    await party.say(first, "a2-a3")
    assert (await party.load_row(code)).offers == Offers()
    await party.say(first, "/draw")
    assert "Done" in words(await party.say(second, "/draw")), "to offer what is offered is to agree"
    assert (await party.load_row(code)).outcome == {"reason": "agreement", "places": [1, 1]}


async def test_an_offer_survives_a_restart_and_can_be_turned_down(party: Party, code: str) -> None:
    await party.say("anna", "/draw")
    party.restarted()
    refuse = button(party.newest.card, "refuse")
    await party.press("bruno", refuse)
    row = await party.load_row(code)
    assert row.offers.offer_of_kind(OfferKind.DRAW) is None
    assert not buttons(party.newest.card)
    assert "offers a draw" not in party.board.text
    assert party.board.text.endswith("Bruno would rather play on: no draw.")
    forged = [("anna", f"{deed}:{code}:{row.revision}=declined") for deed in ("agree", "refuse")]
    for who, press in (("bruno", refuse.press), *forged):
        assert "no longer on the table" in words(await party.press(who, press))


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("undo", "{who} would rather not: the move stands."),
        ("together", "{who} would rather play on."),
        ("pause", "{who} would rather not: the clock runs on."),
    ],
)
async def test_refusal_is_shown_until_the_next_move(party: Party, timed: str, kind: str, shown: str) -> None:
    first = party.mover
    await party.say(first, "a1-b2")
    if kind == "undo":
        await party.say(first, "/undo")
    else:
        await party.press(first, f"offer:{timed}:{(await party.load_row()).revision}={kind}")
    other = party.mover
    await party.press(other, button(party.newest.card, "refuse"))
    assert party.board.text.endswith(shown.format(who=other.capitalize()))
    assert not buttons(party.newest.card)
    await party.say(party.mover, "d4-c3")
    assert "would rather" not in party.board.text


async def test_who_takes_an_offer_back_is_not_said_to_have_refused_it(duel: Party) -> None:
    mover, before = duel.mover, duel.newest.card
    await duel.say("anna", "/draw")
    assert "Where to" in words(await duel.press(mover, buttons(before)[0])), "the board's buttons are not stale"
    await duel.press("anna", button(duel.newest.card, "refuse"))
    assert duel.board.text.endswith("Anna has taken the offer back.")
    await duel.say("bruno", "/draw")
    assert "taken the offer back" not in duel.board.text


@pytest.mark.usefixtures("code")
async def test_an_offer_is_a_message_that_calls_who_must_answer_and_says_what_for(party: Party) -> None:
    await party.say("anna", "/draw")
    early = "Not everybody has had three turns of their own yet: a draw now would not count for the leaderboard."
    assert party.board.text.endswith(f"Anna offers a draw.\n{early}")
    shown = party.newest
    assert shown.text.endswith(f"Anna offers a draw. {early}\nWhat do you say, Bruno?")
    assert [entry.label for entry in buttons(shown.card)] == ["Agree: draw", "No draw"]
    assert shown.card.calls == (shown.card.mention,)
    # Shown anew, the board calls nobody again.
    await party.say("anna", "/board")
    assert party.newest.card.calls == ()


async def test_of_many_offers_each_has_its_message_with_buttons(party: Party, timed: str) -> None:
    first = party.mover
    await party.say(first, "a1-b2")
    for kind in ("draw", "together", "pause"):
        await party.press(first, f"offer:{timed}:{(await party.load_row()).revision}={kind}")
    await party.say(first, "/undo")
    assert [offer.kind for offer in (await party.load_row()).offers.pending] == ["draw", "together", "pause", "undo"]
    four = party.shown[-4:]
    presses = [read_press(entry.press) for shown in four for entry in buttons(shown.card)]
    kinds = ("draw", "together", "pause", "undo")
    assert [(each.deed, *each.path) for each in presses] == [(d, kind) for kind in kinds for d in ("agree", "refuse")]
    for phrase in ("offers a draw", "to stop here", "to stop the clock", "take back their last turn"):
        assert phrase in party.board.text
    await party.press(party.mover, button(four[0].card, "refuse"))
    assert [bool(buttons(shown.card)) for shown in four] == [False, True, True, True]
    assert four[0].text.endswith("would rather play on: no draw.")
    assert [offer.kind for offer in (await party.load_row()).offers.pending] == ["together", "pause", "undo"]


async def test_offer_among_three_needs_all_remaining_players(party: Party, three: str) -> None:
    await party.press("anna", f"offer:{three}:{(await party.load_row()).revision}=together")
    await party.press("bruno", button(party.newest.card, "agree"))
    assert "Bruno agrees" in party.board.text
    assert (await party.load_row(three)).status == "playing"
    await party.press("carla", button(party.newest.card, "agree"))
    assert "given up the game together" in party.newest.text
    assert await party.store.games.results_of(three) == []
    record = await record_of(party.front.context, await party.table(three))
    assert (record.result, verify(Record.from_text(record.to_text())).seats) == ("abandoned", 3)


async def test_what_cannot_be_offered_or_answered_is_refused(duel: Party) -> None:
    assert "no move to take back" in words(await duel.say("anna", "/undo"))
    assert "without a clock" in words(await duel.say("anna", "/pause"))
    await duel.say("anna", "/draw")
    assert "welcome to watch" in words(await duel.press("carla", button(duel.newest.card, "agree")))
    assert (await duel.load_row()).status == "playing"


async def test_two_who_agree_at_once_end_the_game_once(party: Party, three: str) -> None:
    await party.press("anna", f"offer:{three}:{(await party.load_row()).revision}=draw")
    agree = button(party.newest.card, "agree")
    await asyncio.gather(*(party.press(who, agree) for who in ("bruno", "carla", "bruno", "carla")))
    if (await party.load_row(three)).status == "playing":
        await party.press("bruno", f"agree:{three}:{(await party.load_row(three)).revision}=draw")
        await party.press("carla", f"agree:{three}:{(await party.load_row(three)).revision}=draw")
    assert len(await party.store.games.results_of(three)) == 3


async def test_within_one_s_turn_taking_back_is_free_and_exact(party: Party) -> None:
    code = await party.started("/play real-queen @bruno")
    for text in ("a1", "g1", "b1", "g2", "c1", "f4"):
        await party.say(party.mover, text)
    before = await party.load_row(code)
    mover = party.mover
    await party.say(mover, "d1")
    assert (await party.load_row(code)).position != before.position
    assert "taken back" in words(await party.say(mover, "/undo"))
    after = await party.load_row(code)
    assert (after.position, after.turn, after.to_move) == (before.position, before.turn, before.to_move)
    assert "d1" not in party.newest.text.splitlines()[0]
    await party.say(mover, "d2")
    assert (await party.load_row(code)).turn == before.turn + 1


async def test_a_finished_turn_is_taken_back_if_the_other_agrees(party: Party, code: str) -> None:
    first, start = party.mover, await party.load_row(code)
    await party.say(first, "a1-b2")
    second = party.mover
    await party.say(second, "d4-c3")
    assert "asked to take back your last turn" in words(await party.say(first, "/undo"))
    assert "would like to take back their last turn" in party.newest.text
    await party.press(second, button(party.newest.card, "agree"))
    assert f"Agreed: {first.capitalize()} has taken back their last turn." in party.newest.text
    after = await party.load_row(code)
    assert (after.position, after.to_move) == (start.position, start.to_move)
    assert party.mover == first
    await party.say(first, "b1-b2")
    assert (await record_of(party.front.context, await party.table(code))).actions == ("b1-b2",)


async def test_the_dice_stay_as_they_fell(party: Party) -> None:
    code = await party.started("/play uomo-nero @bruno")
    table = await party.table(code)
    # To the beginning of a turn: what is taken back is the whole of one that is over.
    while table.playing.state.turn < 4 or table.playing.has_acted:
        await party.play_first(code)
        table = await party.table(code)
    before = await party.load_row(code)
    mover = party.mover
    await party.play_first(code)
    again = await party.load_row(code)
    await party.say(mover, "/undo")
    if (await party.load_row(code)).offers.pending:
        await party.press(party.mover, button(party.newest.card, "agree"))
    restored = await party.load_row(code)
    assert restored.position == before.position
    await party.play_first(code)
    assert (await party.load_row(code)).position == again.position
    record = await record_of(party.front.context, await party.table(code))
    assert verify(replace(record, seed=restored.seed)).draws > 0


async def test_leaving_is_not_taken_back(party: Party, three: str) -> None:
    first = party.mover
    await party.say(first, "/move red")
    leaver = party.mover
    await party.resign(leaver, three)
    assert "has left the game since" in words(await party.say(first, f"/undo {three}"))


async def test_game_can_be_called_off_until_everyone_has_moved(party: Party, code: str) -> None:
    first, second, found = party.mover, party.other(), await party.load_row(code)
    await party.press(second, f"off:{code}:{found.revision}")
    await party.say(first, "a1-a2")
    lapsed = await party.press(second, f"agree:{code}:{found.revision + 1}=off")
    assert "no longer on the table" in words(lapsed), "the game has gone on since it was proposed"
    late = button(card(await party.press(first, button(party.newest.card, "more"))), "off")
    await party.say(second, "d4-d3")
    more = card(await party.press(first, button(party.newest.card, "more")))
    assert "off" not in [read_press(entry.press).deed for entry in buttons(more)]
    assert "moved on" in words(await party.press(first, late))
    forced = f"off:{code}:{(await party.load_row(code)).revision}"
    assert "Everybody has had a turn" in words(await party.press(first, forced))


async def test_calling_off_needs_unanimous_agreement_and_leaves_no_result(party: Party, code: str) -> None:
    more = card(await party.press("bruno", button(party.newest.card, "more")))
    proposed = await party.press("bruno", labelled(more, "Propose to call it off"))
    assert "You have proposed to call the game off" in words(proposed)
    found = await party.load_row(code)
    assert found.status == "playing", "seats and dice have been seen: nobody tries another lot alone"
    assert "would like to call the game off" in party.newest.text
    await party.press("anna", f"refuse:{code}:{found.revision}=off")
    assert (await party.load_row(code)).status == "playing"
    await party.press("bruno", f"off:{code}:{found.revision + 1}")
    await party.press("anna", f"agree:{code}:{found.revision + 2}=off")
    assert "called off" in party.newest.text
    assert await party.store.games.results_of(code) == []
    assert (await party.load_row(code)).status == "over"


async def test_computers_agree_to_calling_off(party: Party) -> None:
    party.thinking = False
    await party.say("anna", f"{SQUARE.split(' @')[0]} computer:1")
    code = party.code
    await party.press("anna", f"off:{code}:{(await party.load_row(code)).revision}")
    assert (await party.load_row(code)).outcome == {"reason": "called-off"}


async def test_who_manages_the_place_does_not_escape_from_a_game_of_their_own(party: Party, code: str) -> None:
    mover, other = party.mover, party.other()
    party.managers |= {mover, other}
    assert "has not moved for a day" in words(await party.say(other, f"/close {code}"))
    alone = Place("web", other, kind="private")
    await party.say(other, f"/board {code}", place=alone)
    assert "has not moved for a day" in words(await party.say(other, f"/close {code}", place=alone))
    party.clock.turn(hours=25)
    assert "has not moved for a day" in words(await party.say(mover, f"/close {code}")), "by waiting out one's own turn"
    assert (await party.load_row(code)).status == "playing"
    await party.say(other, f"/close {code}")
    assert (await party.load_row(code)).outcome == {"reason": "closed"}


async def test_who_manages_the_place_where_a_stuck_game_is_now_can_end_it(party: Party, code: str) -> None:
    assert "Only those who manage" in words(await party.say("carla", f"/close {code}"))
    party.managers.add("carla")
    garden, thread = Place("web", "garden"), Place("web", "garden", thread="7")
    assert "Only those who manage" in words(await party.say("carla", f"/close {code}", place=garden))
    await party.say("bruno", f"/board {code}", place=thread)
    await party.say("carla", f"/close {code}", place=garden)
    assert "ended by those who manage" in party.board.text


async def test_without_a_game_there_is_nothing_to_offer_or_to_close(party: Party) -> None:
    party.managers.add("carla")
    for command in ("/draw", "/undo", "/pause"):
        assert words(await party.say("carla", command)) == "You have no game going on. /play starts one."
    assert words(await party.say("carla", "/close")) == "No game is going on here that could be closed."


async def test_repetition_is_counted_as_if_the_moves_taken_back_had_not_been(party: Party, code: str) -> None:
    first = party.mover
    for _ in range(3):
        await party.say(party.mover, "a1-a2")
        await party.say(first, "/undo")
        await party.press(party.mover, button(party.newest.card, "agree"))
    found = await party.load_row(code)
    assert found.status == "playing"
    assert found.position == games["annuvin"].start(2, {"board": "square"}).to_json()
