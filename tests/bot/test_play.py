"""At the table: buttons, typed moves, stale and foreign presses, resigning, the end."""

import asyncio
import random

import pytest

from bot.kernel.cards import Menu
from bot.kernel.presses import read_press
from engine import games
from tests.bot.party import Party, button, buttons, card, missing, words


async def test_a_piece_then_its_target_and_back(party: Party, code: str) -> None:
    mover, board = party.mover, party.newest
    asked = await party.press(mover, buttons(board.card)[0])
    assert (asked.private, asked.update) == (True, False)
    assert "Where to from a1?" in words(asked)
    assert [entry.label for entry in buttons(card(asked))] == ["1 · a2", "2 · b2", "Back"]
    back = await party.follow(mover, asked, "Back")
    assert back.update
    assert "Which piece?" in words(back)
    assert [entry.label for entry in buttons(card(back))] == ["1 · a1", "2 · b1", "3 · c1", "4 · d1"]
    assert (await party.load_row(code)).turn == 0
    done = await party.follow(mover, asked, "1 · a2")
    assert done.update
    assert "Done: a1-a2" in words(done)
    assert party.newest is not board
    assert board.retired
    assert "played a1-a2" in party.newest.text
    assert party.mover != mover


async def test_a_click_on_the_picture_is_the_same_as_its_button(duel: Party) -> None:
    asked = await duel.press(duel.mover, duel.newest.card.presses["b1"])
    assert "Where to from b1?" in words(asked)
    await duel.press(duel.mover, card(asked).presses["b2"])
    assert "played b1-b2" in duel.newest.text


async def test_a_typed_move_in_the_room_and_as_a_command_and_as_an_answer(duel: Party) -> None:
    first, second = duel.mover, duel.other()
    assert (await duel.say(first, "A1 a2")).card is None
    assert duel.mover == second
    await duel.say(second, "/move d4-d3")
    board = next(reversed(duel.adapter.messages))
    assert "patience" in words(await duel.say(second, "d3-d2", message=board))
    await duel.say(first, "b1-b2", message=board)
    assert "played b1-b2" in duel.newest.text


@pytest.mark.parametrize(
    ("text", "answer"),
    [("/move a1-a3", "a1"), ("/move xyzzy", "I do not understand"), ("/move", "Which move?")],
)
async def test_invalid_move_is_refused_with_an_explanation(party: Party, code: str, text: str, answer: str) -> None:
    reply = await party.say(party.mover, text)
    assert reply.private
    assert answer in words(reply)
    assert (await party.load_row(code)).turn == 0


async def test_strangers_may_watch(duel: Party) -> None:
    reply = await duel.press("carla", buttons(duel.newest.card)[0])
    assert missing(words(reply), "Anna", "welcome to watch") == []
    assert "welcome to watch" in words(await duel.press("carla", f"resign:{duel.code}:1"))
    shown = await duel.press("carla", f"show:{duel.code}:1")
    assert shown.private
    assert buttons(card(shown)) == []


async def test_a_button_of_another_board_changes_nothing(party: Party, code: str) -> None:
    old, mover = party.newest.card, party.mover
    await party.say(mover, "a1-a2")
    for press in (buttons(old)[1].press, f"c:{code}:99=a1"):
        assert "moved on" in words(await party.press(mover, press))
    assert (await party.load_row(code)).turn == 1


async def test_a_double_click_moves_once(party: Party, code: str) -> None:
    mover = party.mover
    asked = card(await party.press(mover, buttons(party.newest.card)[0]))
    replies = await asyncio.gather(*(party.press(mover, buttons(asked)[0]) for _ in range(4)))
    assert sorted("Done" in words(reply) for reply in replies) == [False, False, False, True]
    assert (await party.load_row(code)).turn == 1


async def test_the_same_event_at_once_and_again_gets_the_same_answer_and_is_handled_once(
    party: Party, code: str
) -> None:
    mover = party.mover
    asked = card(await party.press(mover, buttons(party.newest.card)[0]))
    request, press = party.request(mover, event="once"), buttons(asked)[0].press
    first, *others = await asyncio.gather(*(party.front.press(request, press) for _ in range(3)))
    assert others == [first, first]
    party.restarted()
    again = await party.front.press(request, press)
    assert (words(again), again.private, again.update) == (words(first), True, True)
    assert (await party.load_row(code)).turn == 1


async def test_within_a_turn_the_message_is_edited_and_the_next_question_asked(party: Party) -> None:
    await party.started("/play annuvin @bruno board:hexagon")
    # The last of these captures, and could capture again.
    before = ("e2-e3", "d6-d5", "c1-c2", "d5-d4", "d2-d3", "d4xd3", "d1xd3", "b5-c4", "d3xc4", "c6xc4", "e3xc4")
    for text in (*before, "f7xf3", "c4xd7"):
        await party.say(party.mover, text)
    shown, mover = party.newest, party.mover
    assert "goes on" in shown.text
    assert (shown.edits, (await party.say(mover, "stop")).card) == (1, None)
    assert party.newest is not shown


async def test_resigning_asks_for_confirmation_and_is_announced(party: Party, code: str) -> None:
    asked = await party.say("bruno", "/resign")
    assert asked.private
    assert "goes on" in words(await party.follow("bruno", asked, "No, play on"))
    assert (await party.load_row(code)).status == "playing"
    await party.follow("bruno", asked, "Yes, resign")
    assert party.newest.text.startswith("Bruno has resigned.\nAnna wins!\n"), "and nothing about nobody else being left"
    assert (await party.load_row(code)).seed not in party.newest.text, "it is behind a button"
    results = await party.store.games.results_of(code)
    assert sorted((result.mark, result.reason) for result in results) == [("loss", "last-seat"), ("win", "last-seat")]


async def test_a_stale_yes_does_not_resign(party: Party, code: str) -> None:
    mover = party.mover
    more = card(await party.press(mover, button(party.newest.card, "more")))
    asked = await party.press(mover, button(more, "resign"))
    await party.say(mover, "a1-a2")
    assert "moved on" in words(await party.follow(mover, asked, "Yes, resign"))
    assert (await party.load_row(code)).status == "playing"


async def test_after_the_end_nothing_can_be_played(party: Party, code: str) -> None:
    old = party.newest.card
    await party.resign("bruno", code)
    assert "over" in words(await party.press("anna", buttons(old)[0]))
    assert "You have no game going on" in words(await party.say("anna", "/move a1-a2"))
    assert "over" in words(await party.say("anna", f"/move a1-a2 game:{code}"))


async def test_in_a_game_of_three_the_others_play_on(party: Party) -> None:
    code = await party.started("/play vedova-nera seats:3", "bruno", "carla")
    leaver = party.mover
    await party.resign(leaver, code)
    assert party.mover != leaver
    assert (await party.load_row(code)).status == "playing"
    assert "You have left" in words(await party.say(leaver, f"/move red game:{code}"))


async def test_where_there_is_a_choice_in_the_middle_of_a_turn_nothing_plays_itself(party: Party) -> None:
    code = await party.started("/play real-queen @bruno")
    for text in ("a1", "g1", "b1", "g2", "c1", "f4", "d1"):
        await party.say(party.mover, text)
    assert "So far: d1, takes g1." in words(await party.say(party.mover, "xg1"))
    for text in ("ra1", "rb1"):
        await party.say(party.mover, text)
    events = [event.data for event in await party.store.games.events(code) if event.kind == "action"]
    assert [event["action"] for event in events[-4:]] == ["d1", "xg1", "ra1", "rb1"]
    assert not any(event.get("auto") for event in events)


@pytest.mark.parametrize("typed", ["xg1 xg2 xg3", "xg1 xg2 xg3 rd1"])
async def test_the_only_action_in_the_middle_of_a_turn_is_played_whether_typed_or_not(party: Party, typed: str) -> None:
    code = await party.started("/play real-queen @bruno")
    # Two lines meet in d1: after the captures d1 has to go back first, and nothing else is legal.
    for text in ("a1", "g1", "b1", "g2", "c1", "g3", "d2", "f5", "d3", "f6", "d4", "f7", "d1", typed):
        mover = party.mover
        await party.say(mover, text)
    events = [event.data for event in await party.store.games.events(code) if event.kind == "action"]
    assert [event["action"] for event in events[-5:]] == ["d1", "xg1", "xg2", "xg3", "rd1"]
    assert [bool(event.get("auto")) for event in events[-5:]] == [False] * 4 + ["rd1" not in typed]
    assert party.mover == mover
    await party.say(mover, "ra1 rb1")
    assert party.mover != mover


@pytest.mark.parametrize(
    ("key", "chosen"),
    [(key, "") for key in games]
    + [
        (key, f"{name}:{value}")
        for key, game in games.items()
        for name, option in game.options.items()
        for value in option.values
        if value != option.default
    ],
)
async def test_any_game_is_played_by_buttons_alone(party: Party, key: str, chosen: str) -> None:
    language = "it" if chosen else "en"
    party.managers.add("anna")
    for who in ("anna", "bruno"):
        party.languages[who] = language
    await party.say("anna", f"/settings language:{language} for:channel")
    people = ("bruno", "carla", "dario", "elena")[: games[key].seats[0] - 1]
    code = await party.started(f"/play {key} seats:{games[key].seats[0]} {chosen}", *people)
    rng, turns = random.Random(key + language), 6 if chosen else 12
    for _ in range(turns):
        if (await party.load_row(code)).status == "over":
            break
        mover = party.mover
        choices = [entry for entry in buttons(party.newest.card) if read_press(entry.press).deed == "c"]
        reply = await party.press(mover, rng.choice(choices))
        for _ in range(8):
            onward = [entry for entry in buttons(reply.card) if is_onward(entry.press)] if reply.card else []
            if not onward or party.mover != mover:
                break
            assert reply.private
            reply = await party.press(mover, rng.choice(onward))
    found = await party.load_row(code)
    assert found.status == "over" or found.revision > turns * 2 // 3
    for shown in party.shown:
        assert "missing" not in shown.text
        assert all(not isinstance(entry, Menu) or entry.options for entry in shown.card.rows)


def is_onward(press: str) -> bool:
    pressed = read_press(press)
    return pressed.deed == "p" and bool(pressed.path)


async def test_an_unexpected_error_is_one_kind_sentence(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(party.front.context.store.games, "list_for_person", broken)
    reply = await party.say("anna", "/games")
    assert "went wrong on my side" in words(reply)
    assert reply.private
