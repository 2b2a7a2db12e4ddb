"""If they play this, I play that: turns that are planned, stored with what they answer, and known to nobody before."""

import pytest

from bot.kernel.presses import TRY_ANSWER, read_press
from bot.kernel.tree import read_tree
from engine import games
from storage import Event, GameRow, Unavailable
from tests.bot.party import Party, button, buttons, card, labelled, missing, words
from tests.bot.test_tries import way, ways
from tests.support.present import present

FIRST, ANSWER, THIRD, FOURTH = "b1-b2", "b5-b4", "c1-c2", "f7-f6"


async def played(party: Party, code: str) -> list[str]:
    return [event.data["action"] for event in await party.store.games.events(code) if event.kind == "action"]


async def planned_events(party: Party, code: str) -> list[Event]:
    return [event for event in await party.store.games.events(code) if (event.cause or "").startswith("plan:")]


async def is_planned(party: Party, who: str, code: str) -> bool:
    tried = await party.store.trees.get(await party.id_of(who), code)
    return tried is not None and tried.planned


def private_messages(party: Party, who: str) -> list[str]:
    """Return what somebody was told in private."""
    return [each.text for each in party.shown if each.place.kind == "private" and each.place.channel == f"@{who}"]


@pytest.fixture
async def code(party: Party) -> str:
    return await party.started("/play annuvin @bruno clock:1d")


@pytest.fixture
def mover(party: Party, code: str) -> str:
    assert party.code == code
    return party.mover


@pytest.fixture
def planner(party: Party, code: str) -> str:
    """Who is not to move, and plans."""
    assert party.code == code
    return party.other()


async def test_planned_turn_is_stored_with_the_answered_move_and_announced_once(
    party: Party, code: str, mover: str, planner: str
) -> None:
    reply = await party.say(planner, f"/plan #{code} if {FIRST} then {ANSWER}")
    assert reply.secret
    assert f"if {FIRST}, then {ANSWER}" in words(reply)
    assert f"if {FIRST}, then {ANSWER}" in words(await party.say(planner, "/games"))
    assert FIRST not in words(await party.say(mover, "/games"))
    before = await party.load_row(code)
    sent = party.adapter.sent
    party.clock.turn(hours=1)
    await party.say(mover, f"/move {FIRST}")
    row = await party.load_row(code)
    assert await played(party, code) == [FIRST, ANSWER]
    assert (row.turn, row.to_move) == (before.turn + 2, before.to_move)
    assert row.waiting_since == party.clock.now
    assert ((present(row.deadline) - party.clock.now).total_seconds(), party.adapter.sent) == (24 * 3600, sent + 1)
    text = party.board.text
    assert missing(text, FIRST, ANSWER) == []
    assert text.count("planned") == 1
    (event,) = await planned_events(party, code)
    assert event.cause == f"plan:{event.data['plan']}"
    assert (await party.store.games.events(code))[event.data["plan"] - 1].data["action"] == FIRST
    assert not await is_planned(party, planner, code)
    assert private_messages(party, planner) == []


async def test_a_pair_takes_three_presses_beyond_its_turns(party: Party, code: str, mover: str, planner: str) -> None:
    more = await party.press(planner, button(party.board.card, "more"))
    reply = await party.press(planner, labelled(card(more), "Try it out"))
    for text in (FIRST, ANSWER):
        piece, target = text.split("-")
        begun = f"{TRY_ANSWER}:{code}:{read_press(way(reply, 'words')).revision}={piece}"
        await party.press(planner, begun)
        reply = await party.press(planner, f"{begun}.{target}")
    reply = await party.press(planner, way(reply, "plan"))
    assert "nobody knows" in words(reply)
    assert [each.plan for each in card(reply).tree] == [False, False, True]
    assert "not planned any more" in words(await party.press(planner, way(reply, "unplan")))
    await party.say(mover, f"/move {FIRST}")
    assert await played(party, code) == [FIRST]


async def test_branches_and_depth_wait_for_their_turn(party: Party, code: str, mover: str, planner: str) -> None:
    line = f"se {FIRST} allora {ANSWER} se {THIRD} allora {FOURTH}; if d2-d3 then c6-c5"
    assert "Planned" in words(await party.say(planner, f"/plan {line}"))
    await party.say(mover, f"/move {FIRST}")
    assert await played(party, code) == [FIRST, ANSWER]
    assert "c6-c5" not in words(await party.say(planner, "/games"))
    await party.say(mover, f"/move {THIRD}")
    assert await played(party, code) == [FIRST, ANSWER, THIRD, FOURTH]
    assert len(await planned_events(party, code)) == 2
    assert not await is_planned(party, planner, code)


@pytest.mark.parametrize("closed", [False, True])
async def test_owner_alone_reads_that_a_plan_has_ended_once(
    party: Party, code: str, mover: str, planner: str, closed: bool
) -> None:
    if closed:
        party.adapter.closed.add(planner)
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}")
    await party.say(mover, f"/move {THIRD}")
    assert await played(party, code) == [THIRD]
    sent = [(each.place.channel, "your plan has ended" in each.text) for each in party.shown if "plan" in each.text]
    assert sent == ([] if closed else [(f"@{planner}", True)])
    assert "your plan has ended" in words(await party.say(planner, f"/try {code}"))
    assert "your plan has ended" not in words(await party.say(planner, f"/try {code}"))


@pytest.mark.parametrize("what", ["draw", "undo", "pause"])
async def test_an_offer_stops_plans(party: Party, code: str, mover: str, planner: str, what: str) -> None:
    await party.say(mover, f"/move {THIRD}")
    await party.say(planner, f"/move {FOURTH}")
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}")
    assert await is_planned(party, planner, code)
    await party.say(mover, f"/{what}")
    assert not await is_planned(party, planner, code)
    assert "your plan has stopped" in private_messages(party, planner)[-1]
    assert "offer on the table" in words(await party.say(planner, f"/plan if {FIRST} then {ANSWER}"))
    if what == "draw":
        await party.say(mover, f"/move {FIRST}")
        assert (await played(party, code))[2:] == [FIRST]


async def test_both_may_have_plans_and_they_answer_each_other(
    party: Party, code: str, mover: str, planner: str
) -> None:
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}")
    reply = await party.say(mover, f"/try {code} {FIRST}; {ANSWER}; {THIRD}")
    await party.press(mover, way(reply, "plan"))
    await party.say(mover, f"/move {FIRST}")
    assert await played(party, code) == [FIRST, ANSWER, THIRD]
    assert (await party.load_row(code)).turn == 3
    assert len(await planned_events(party, code)) == 2
    text = party.board.text
    assert all(each in text for each in (FIRST, ANSWER, THIRD))


async def test_a_plan_is_stored_with_the_turn_or_not_at_all(
    party: Party, code: str, mover: str, planner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}")
    commit = party.store.games.commit

    async def fails(change: object) -> GameRow:
        await commit(change)  # type: ignore[arg-type]
        raise Unavailable

    with monkeypatch.context() as patched:
        patched.setattr(party.store.games, "commit", fails)
        await party.say(mover, f"/move {FIRST}")
    assert await played(party, code) == []
    assert await is_planned(party, planner, code)
    request = party.request(mover)
    await party.front.typed_text(request, f"/move {FIRST}")
    await party.restarted().typed_text(request, f"/move {FIRST}")
    assert await played(party, code) == [FIRST, ANSWER]


async def test_invalid_plan_is_refused_with_a_reason(party: Party, code: str, mover: str, planner: str) -> None:
    assert "It is your turn" in words(await party.say(mover, f"/plan if {FIRST} then {ANSWER}"))
    assert "Type a plan like" in words(await party.say(planner, f"/plan {FIRST} {ANSWER}"))
    assert "no piece on a1" in words(await party.say(planner, "/plan if a1-a2 then b5-b4"))
    reply = await party.say(planner, f"/try {code} {FIRST}")
    assert "your opponent's turn first" in words(await party.press(planner, way(reply, "plan")))
    await party.say(mover, f"/move {THIRD}")
    await party.say(planner, f"/move {ANSWER}")
    reply = await party.say(planner, "/try b5-b4")
    assert "does not begin where the game is now" in words(await party.press(planner, way(reply, "plan")))
    assert "plan" not in ways(await party.say("cleo", f"/try {code} {FIRST}"))
    await party.started("/play uomo-nero @bruno")
    dice = await party.say("anna", f"/try {party.code}")
    reply = await party.press("anna", way(dice, "roll")) if "roll" in ways(dice) else dice
    assert "plan" not in ways(reply)


async def test_all_plans_of_a_game_are_taken_back_by_one_press(
    party: Party, code: str, mover: str, planner: str
) -> None:
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}; if {THIRD} then {FOURTH}")
    listed = await party.say(planner, "/games")
    assert "not planned any more" in words(await party.press(planner, button(card(listed), "unplan")))
    await party.say(mover, f"/move {FIRST}")
    assert await played(party, code) == [FIRST]


@pytest.mark.parametrize("key", ["real-queen", "fagocitare"])
async def test_whole_turns_are_planned_in_other_games_too(party: Party, key: str) -> None:
    code = await party.started(f"/play {key} @bruno")
    mover, planner = party.mover, party.other()
    state = games[key].load((await party.load_row(code)).position or {})
    await party.say(planner, f"/try {code}")
    for _ in range(2):
        turn, texts = state.turn, []
        while state.turn == turn:
            texts.append(state.legal_actions()[0].text)
            state = state.play(state.legal_actions()[0])
        reply = await party.say(planner, f"/try {' '.join(texts)}")
    tried = present(await party.store.trees.get(await party.id_of(planner), code))
    first, second = (node.play for node in read_tree(tried.tree).nodes.values())
    assert "nobody knows" in words(await party.press(planner, way(reply, "plan")))
    await party.say(mover, f"/move {' '.join(first)}")
    assert await played(party, code) == [*first, *second]


async def test_plan_leaves_no_trace_visible_to_others(party: Party, code: str, mover: str, planner: str) -> None:
    before = [words(await party.say(mover, line)) for line in ("/games", f"/export {code}", "/board", "/privacy")]
    row, events = await party.load_row(code), await party.store.games.events(code)
    shown = len(party.shown)
    await party.say(planner, f"/plan if {FIRST} then {ANSWER}")
    assert (await party.load_row(code), await party.store.games.events(code)) == (row, events)
    assert len(party.shown) == shown + 1 or len(party.shown) == shown
    after = [words(await party.say(mover, line)) for line in ("/games", f"/export {code}", "/board", "/privacy")]
    assert before == after
    more = await party.press(mover, button(party.board.card, "more"))
    assert not [each for each in buttons(card(more)) if "plan" in each.press]
