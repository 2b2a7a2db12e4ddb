"""Trying lines out: a board of one's own beside a game, which nobody else sees."""

import re
from dataclasses import replace
from random import Random

import pytest

from bot.boards.tries import RETENTION
from bot.kernel.presses import TRY_ANSWER, TRY_CONTROL, read_press
from bot.kernel.requests import Reply
from bot.kernel.tree import MAX_NODES, read_tree
from bot.table.service import MAX_TREES_PER_PERSON
from engine import games
from storage import StoredTree
from tests.bot.party import Party, button, buttons, card, missing, words
from tests.bot.test_limits import CAPTION, check
from tests.support.present import present

OPENING = "b1-b2"
ANSWER = "b5-b4"


def way(reply: Reply, what: str) -> str:
    """Return the press of a button that leads through the tree."""
    carried = (read_press(each.press) for each in buttons(card(reply)))
    return next(str(each) for each in carried if each.deed == TRY_CONTROL and each.path[0] == what)


async def go(party: Party, reply: Reply, *whats: str) -> Reply:
    """Have Anna press buttons that lead through the tree, each on the reply to the one before; return the last."""
    for what in whats:
        reply = await party.press("anna", way(reply, what))
    return reply


def ways(reply: Reply) -> set[str]:
    carried = [read_press(each.press) for each in buttons(card(reply))]
    return {each.path[0] for each in carried if each.deed == TRY_CONTROL}


def tree_of(reply: Reply) -> list[tuple[int, str, bool]]:
    return [(each.depth, each.label, each.here) for each in card(reply).tree]


async def load_tree(party: Party, code: str, who: str = "anna") -> StoredTree | None:
    return await party.store.trees.get(await party.id_of(who), code)


@pytest.fixture
async def code(party: Party) -> str:
    return await party.started()


async def test_a_line_is_tried_for_both_sides_and_the_game_stays_as_it_is(party: Party, code: str) -> None:
    row, shown = await party.store.games.get(code), len(party.shown)
    reply = await party.follow("anna", await party.press("anna", button(party.board.card, "more")), "Try it out")
    assert (reply.private, reply.secret, reply.apart, reply.update) == (True, True, True, False)
    assert "seen by you alone" in words(reply)
    for text in (OPENING, ANSWER):
        piece, target = text.split("-")
        begun = f"{TRY_ANSWER}:{code}:{read_press(way(reply, 'words')).revision}={piece}"
        assert f"from {piece}" in words(await party.press("anna", begun))
        reply = await party.press("anna", f"{begun}.{target}")
    assert tree_of(reply) == [(0, "the beginning", False), (0, OPENING, False), (0, ANSWER, True)]
    assert (await party.store.games.get(code), len(party.shown)) == (row, shown)
    assert await party.store.trees.get(await party.id_of("bruno"), code) is None


async def test_back_on_other_branches_notes_and_deletion(party: Party, code: str) -> None:
    reply = await party.say("anna", f"/try {code} {OPENING}; {ANSWER}; c1-c2")
    assert ways(reply) == {"back", "other", "cut", "words", "plan"}
    assert f"Next you tried {ANSWER}" in words(await go(party, reply, "back", "back"))
    await party.say("anna", "/try b5-c5")
    reply = await party.say("anna", '/try note:"what if he comes closer"')
    assert "what if he comes closer" in words(reply)
    assert tree_of(reply) == [
        (0, "the beginning", False),
        (0, OPENING, False),
        (1, ANSWER, False),
        (1, "c1-c2", False),
        (1, "b5-c5", True),
    ]
    listed = await go(party, reply, "other")
    assert len([each for each in buttons(card(listed)) if "=go." in each.press]) == 3
    reply = await party.follow("anna", listed, "the beginning: b1-b2 · b5-b4 · c1-c2")
    reply = await go(party, reply, "back", "on")
    assert tree_of(reply)[3] == (1, "c1-c2", True)
    sure = await go(party, reply, "back", "cut")
    assert "2 turns" in words(sure)
    reply = await go(party, sure, "cutyes")
    assert [label for _, label, _ in tree_of(reply)] == ["the beginning", OPENING, "b5-c5"]
    assert "gone" in words(await go(party, reply, "other", "end", "endyes"))
    assert await load_tree(party, code) is None
    assert "nothing tried out" in words(await go(party, reply, "back"))


async def test_moves_and_analysis_lines_are_kept_apart(party: Party, code: str) -> None:
    mover = party.mover
    await party.say(mover, f"/try {code}")
    before = await load_tree(party, code, mover)
    await party.say(mover, f"/move {OPENING}")
    row = await party.load_row(code)
    assert (row.turn, await load_tree(party, code, mover)) == (1, before)
    await party.say(mover, f"/try {ANSWER}")
    assert (await party.store.games.get(code)) == row
    after = await load_tree(party, code, mover)
    assert (before and before.revision, after and after.revision) == (1, 2)


async def test_the_line_goes_on_where_the_game_has_followed_it(party: Party, code: str) -> None:
    mover = party.mover
    await party.say(mover, f"/try {code} {OPENING}; {ANSWER}")
    await party.say(mover, f"/move {OPENING}")
    reply = await party.say(mover, f"/try {code}")
    assert tree_of(reply) == [(0, "the beginning", False), (0, OPENING, True), (0, ANSWER, False)]
    await party.say(party.mover, "/move f7-f6")
    reply = await party.say(mover, f"/try {code}")
    assert [each[1] for each in tree_of(reply)] == ["the beginning", OPENING, ANSWER, "turn 2"]
    assert tree_of(reply)[-1][2]


async def test_lines_after_an_undone_turn_are_removed(party: Party, code: str) -> None:
    first, second = party.mover, party.other()
    await party.say("anna", f"/try {code} {OPENING}")
    await party.say(first, f"/move {OPENING}")
    await party.say(second, "/move f7-f6")
    reply = await party.say("anna", f"/try {code}")
    await party.say("anna", "/try c1-c2")
    assert "turn 2" in [label for _, label, _ in tree_of(reply)]
    await party.say(second, "/undo")
    await party.say(first, "/undo")
    reply = await party.say("anna", "/try")
    assert "The game went back" in words(reply)
    assert not any(label.startswith("turn") for _, label, _ in tree_of(reply))
    assert "went back" not in words(await party.say("anna", f"/try {code}"))


async def test_analysis_dice_can_be_rolled_or_chosen(party: Party) -> None:
    code = await party.started("/play uomo-nero @bruno")
    row = await party.store.games.get(code)
    reply = await party.say("anna", f"/try {code}")
    rng, rolls = Random(1), 0
    for _ in range(30):
        check(card(reply), CAPTION)
        if "roll" not in ways(reply):
            moves = [each for each in buttons(card(reply)) if each.press.startswith(f"{TRY_ANSWER}:{code}:")]
            reply = await party.press("anna", rng.choice([each for each in moves if "=" in each.press]))
            continue
        assert len([each for each in buttons(card(reply)) if "=dice." in each.press]) == 21
        rolls += 1
        reply = await (go(party, reply, "roll") if rolls % 2 else party.follow("anna", reply, "3, 5"))
        assert rolls % 2 or "3" in words(reply)
    assert rolls > 1
    assert await party.store.games.get(code) == row


@pytest.mark.parametrize("key", games)
async def test_every_card_of_every_game_fits(party: Party, key: str) -> None:
    party.languages["anna"] = "it"
    await party.say("anna", f"/play {key} computer:1 hints:yes")
    code = party.code
    reply, rng = await party.say("anna", f"/try {code}"), Random(5)
    for step in range(24):
        check(card(reply), CAPTION)
        pressed = [each.press for each in buttons(card(reply)) if not each.press.endswith(("=endyes", "=words"))]
        reply = await party.press("anna", rng.choice(pressed)) if pressed else reply
        if step % 10 == 0 or not pressed:
            reply = await party.say("anna", "/try")
    tried = await load_tree(party, code)
    assert tried is None or read_tree(tried.tree).to_json() == tried.tree


async def test_finished_game_can_be_analysed_from_any_turn_with_computer_advice(party: Party, code: str) -> None:
    first, second = party.mover, party.other()
    for who, text in ((first, OPENING), (second, ANSWER), (first, "c1-c2")):
        await party.say(who, f"/move {text}")
    assert "think" not in ways(await party.say(first, f"/try {code}"))  # rated, and at play
    await party.resign(second, code)
    replay = await party.press("cleo", f"replay:{code}:1=1")
    reply = await party.press("cleo", button(card(replay), "try"))
    assert tree_of(reply) == [(0, "turn 1", True)]
    reply = await party.press("cleo", way(reply, "think"))
    assert "The computer would play" in words(reply)
    assert re.search(r"chances: .*\d+ %|Proven", words(reply))


async def test_a_game_may_be_started_without_trying(party: Party) -> None:
    code = await party.started("/play annuvin @bruno try:no")
    assert not (await party.load_row(code)).terms.tries
    more = await party.press("anna", button(party.board.card, "more"))
    assert not [each for each in buttons(card(more)) if each.press.startswith("try:")]
    assert "without trying" in words(await party.say("anna", f"/try {code}"))
    await party.resign("bruno", code)
    assert tree_of(await party.say("anna", f"/try {code}"))
    await party.press("anna", button(party.board.card, "rematch"))
    (rematch,) = await party.store.games.list_in_place((await party.load_row(code)).place, status="lobby")
    assert not rematch.terms.tries


async def test_analysis_limits_are_explained(party: Party, code: str) -> None:
    await party.say("anna", f"/try {code}")
    assert "play one here first" in words(await party.say("anna", "/try note:good"))
    await party.say("anna", f"/try {OPENING}")
    assert "80 characters" in words(await party.say("anna", f'/try note:"{"a" * 81}"'))
    tried = present(await load_tree(party, code))
    nodes = [[number, 1, ["c1-c2"], "", False] for number in range(2, MAX_NODES + 2)]
    full = {**tried.tree, "nodes": nodes, "here": 1, "tip": 1, "last": MAX_NODES + 1}
    await party.store.trees.store(replace(tried, tree=full), party.clock.now, MAX_TREES_PER_PERSON)
    assert "no room for more" in words(await party.say("anna", "/try b1-a1"))


async def test_lines_are_kept_for_a_week_after_their_last_use(party: Party, code: str) -> None:
    await party.say("anna", f"/try {code} {OPENING}")
    await party.resign("bruno", code)
    # What is kept follows only when the program was away for a day or more.
    for _ in range(10):
        party.clock.turn(seconds=(RETENTION.total_seconds() - 3600) / 10)
        await party.front.alarms.tick()
    assert await load_tree(party, code) is not None
    for _ in range(2):
        party.clock.turn(hours=13)
        await party.front.alarms.tick()
    assert await load_tree(party, code) is None


async def test_the_board_in_words_says_that_it_was_only_tried(party: Party, code: str) -> None:
    reply = await go(party, await party.say("anna", f"/try {code} {OPENING}"), "words")
    assert missing(words(reply), "only tried", "b2") == []
    assert card(reply).picture is None
