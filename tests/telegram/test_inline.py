"""Games in chats that the bot is not in: inline mode and guest mode, from the list to the last move."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Final

import pytest

from bot.puzzles.calendar import puzzle_on
from bot.telegram.rate_limits import MAX_PER_BURST, CallKind
from engine import games
from storage import Store
from tests.bot.party import Clock
from tests.discord.harness import DRAW
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat
from tests.support.choosing import cleverly
from tests.telegram.away import Away, InlinePlayers
from tests.telegram.harness import Bot, data_of, first_of

ACTS: Final = 6
WHOLE: Final = 3000
"""More actions than any game takes."""
FIRST: Final = next(iter(games))


@pytest.fixture
async def away(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[Away]:
    telegram.lists = True
    bot = Bot(telegram, store, clock, draw=DRAW)
    made = Away(telegram, bot)
    await bot.start()
    yield made
    await bot.stop()
    # Whoever has never opened the private chat is not written to there: that is tried, and refused.
    private = [(method, said) for method, said in telegram.refused if "chat not found" in said.description]
    assert telegram.refused == private
    telegram.refused.clear()


@pytest.fixture
async def store_chat(away: Away) -> Chat:
    """A chat that the operator has named for pictures."""
    chat = away.telegram.group("Store")
    away.bot.connecting["store_chat"] = chat.id
    await away.bot.restart()
    return chat


async def test_the_list_has_all_games_and_ones_own(away: Away) -> None:
    anna = away.person("Anna")
    asked = await anna.ask("")
    *known, puzzle = list(asked.results or ())
    assert [each["id"] for each in known] == list(games)
    assert asked.private == "help"
    assert str(puzzle["id"]).startswith("puzzle-")
    key = next(iter(games))
    narrow = await anna.ask(key[:4])
    assert key in [each["id"] for each in narrow.results or ()]
    await away.begun(key, "Anna", "Bruno")
    code = await away.bot.store.games.list_ids()
    assert code[0] in [each["id"] for each in (await anna.ask("")).results or ()]
    assert code[0] not in [each["id"] for each in (await away.person("Carla").ask("")).results or ()]


@pytest.mark.parametrize("acts", [ACTS, pytest.param(WHOLE, marks=pytest.mark.full)])
@pytest.mark.parametrize("game", games)
async def test_every_game_is_played_in_one_message(away: Away, game: str, acts: int) -> None:
    seats = games[game].seats
    names = ("Anna", "Bruno", "Carla", "Dario", "Elena")[: max(seats[0], min(3, seats[-1]))]
    await away.begun(game, *names)
    assert away.board.photo is None
    players = InlinePlayers(away, f"inline {game}", cleverly)
    await players.play(acts)
    assert players.over or players.acts == ACTS
    assert players.used == {"tap", "typed"}
    assert [said.description for _, said in away.telegram.refused if said.code == 429] == []


async def test_whoever_presses_first_opens_the_game_of_the_one_who_put_it_there(away: Away) -> None:
    anna, bruno = away.person("Anna"), away.person("Bruno")
    await away.put(anna, FIRST, feedback=False)
    tap = await away.tap(bruno, away.board, "Join")
    assert not tap.alert
    row = await away.only_game()
    assert {seat.state for seat in row.seats} == {"joined"}
    assert row.starter == (await away.bot.store.people.ids_of_users("telegram", [str(anna.id)]))[str(anna.id)]
    # Told of the choice only now, we put nothing up once more.
    told = {"result_id": FIRST, "from": anna.account.to_json(), "query": ""}
    await away.telegram.update(chosen_inline_result={**told, "inline_message_id": away.board.inline})
    await away.bot.settle()
    assert (await away.only_game()).id == row.id


async def test_nobody_puts_a_game_up_in_another_name(away: Away) -> None:
    anna, bruno = away.person("Anna"), away.person("Bruno")
    message = await away.put(anna, FIRST, feedback=False)
    forged = data_of(message, "Join").replace(str(anna.id), str(bruno.id))
    tap = await anna.tap_data(message, forged)
    await tap.answered.wait()
    assert await away.bot.store.games.list_ids() == []


async def test_two_who_join_at_once_have_a_seat_and_a_kind_word(away: Away) -> None:
    await away.put(away.person("Anna"), FIRST)
    taps = [await away.person(name).begin_tap(away.board, "Join") for name in ("Bruno", "Carla")]
    for tap in taps:
        await tap.answered.wait()
    await away.bot.settle()
    assert [bool(tap.text) for tap in taps] == [False, True]
    row = await away.only_game()
    assert [seat.state for seat in row.seats] == ["joined", "joined"]


async def test_a_kill_between_press_and_answer_loses_nothing(away: Away) -> None:
    await away.put(away.person("Anna"), FIRST, feedback=False)
    async with away.telegram.holding("answerCallbackQuery") as gate:
        tap = await away.person("Bruno").begin_tap(away.board, "Join")
        await away.telegram.until(lambda: gate.waiting, "the answer")
        await away.bot.kill()
    await away.bot.start()
    await tap.answered.wait()
    await away.bot.wait()
    # The first process had asked for the answer to be shown already, so that of the second was one too many.
    away.telegram.refused[:] = [each for each in away.telegram.refused if each[0] != "answerCallbackQuery"]
    row = await away.only_game()
    assert (row.status, len(row.seats)) == ("playing", 2)
    assert first_of(away.board)


async def test_pictures_come_by_the_store_and_stay(away: Away, store_chat: Chat) -> None:
    await away.begun(FIRST, "Anna", "Bruno")
    assert away.board.photo is not None
    sent = away.telegram.shown(store_chat)
    assert [message.photo for message in sent] == [away.board.photo]
    assert sent[0].silent
    assert all(call.given["chat_id"] == store_chat.id for call in away.telegram.calls if call.method == "sendPhoto")


async def test_without_a_store_the_private_chat_of_somebody_at_the_table_does(away: Away) -> None:
    anna = away.person("Anna")
    private = away.alone(anna)
    await away.begun(FIRST, "Anna", "Bruno")
    assert away.board.photo is not None
    assert [message for message in away.telegram.shown(private.here) if message.photo is not None] == []


async def test_a_board_in_words_leads_to_the_board_in_private(away: Away) -> None:
    anna, bruno = await away.begun(FIRST, "Anna", "Bruno")
    assert away.board.photo is None
    assert "row" in away.board.text.lower() or "d" in away.board.text
    (link,) = [button["url"] for button in away.board.buttons if "url" in button]
    mover = await away.whose_move()
    alone = away.alone(mover)
    await away.say(alone, f"/start {link.partition('?start=')[2]}")
    (shown,) = away.telegram.shown(alone.here)
    assert shown.photo is not None
    assert [label for label in shown.labels if label]
    assert anna is not bruno


async def test_what_a_toast_cannot_say_is_told_in_private_or_led_to(away: Away) -> None:
    (anna,) = await away.begun(FIRST, "Anna")
    tap = await away.tap(anna, away.board, "Rules")
    assert tap.url is not None
    alone = away.alone(anna)
    await away.say(alone, f"/start {tap.url.partition('?start=')[2]}")
    assert games[FIRST].key in away.telegram.shown(alone.here)[-1].text.lower()
    again = await away.tap(anna, away.board, "Rules")
    assert (again.url, again.text) == (None, "The answer is in our private chat.")


async def test_a_link_plays_nothing(away: Away) -> None:
    await away.begun(FIRST, "Anna", "Bruno")
    row = await away.only_game()
    mover = await away.whose_move()
    made = base64.urlsafe_b64encode(f"resign!:{row.id}:{row.revision}".encode()).decode().rstrip("=")
    await away.say(away.alone(mover), f"/start p-{made}")
    assert (await away.only_game()).status == "playing"


async def test_others_are_told_whose_move_it_is(away: Away) -> None:
    anna, bruno = await away.begun(FIRST, "Anna", "Bruno")
    other = bruno if await away.whose_move() is anna else anna
    before = away.board.edits
    tap = await away.tap(other, away.board, first_of(away.board)[0])
    assert tap.text
    assert away.board.edits == before


async def test_an_offer_is_answered_on_the_board_itself(away: Away) -> None:
    anna, bruno = await away.begun(FIRST, "Anna", "Bruno")
    row = await away.only_game()
    tap = await anna.tap_data(away.board, f"offer:{row.id}:{row.revision}=draw")
    await tap.answered.wait()
    await away.bot.wait()
    assert "Anna offers a draw" in away.board.text
    await away.tap(bruno, away.board, "Agree: draw")
    assert (await away.only_game()).status == "over"
    assert len(away.shown) == 1


async def test_a_rematch_takes_the_place_of_the_game_before(away: Away) -> None:
    anna, bruno = await away.begun(FIRST, "Anna", "Bruno")
    row = await away.only_game()
    tap = await anna.tap_data(away.board, f"resign!:{row.id}:{row.revision}")
    await tap.answered.wait()
    await away.bot.wait()
    again = next(each for each in away.board.buttons if str(each.get("callback_data")).startswith("rematch:"))
    # The old game's board has changed, too, and cannot be shown at once: later it must not take the message back.
    away.telegram.fail("editMessageText", ApiError(500, "Internal Server Error"))
    await away.tap(bruno, away.board, again["text"])
    await away.bot.wait()
    away.telegram.refused[:] = [each for each in away.telegram.refused if each[1].code != 500]
    assert "Bruno" in away.board.text
    join = next(
        str(each["callback_data"]) for each in away.board.buttons if each.get("callback_data", "")[:4] == "join"
    )
    assert row.id not in join


async def test_a_game_is_carried_into_another_chat_by_its_code(away: Away) -> None:
    anna = away.person("Anna")
    await away.put(anna, FIRST)
    (share,) = [each["switch_inline_query"] for each in away.board.buttons if "switch_inline_query" in each]
    here = away.board
    carla = Person(away.telegram, away.telegram.account("Carla"), away.telegram.elsewhere("Colleagues"))
    there = await carla.choose(await carla.ask(share), share)
    await away.bot.settle()
    await away.tap(carla, there, "Join")
    assert (await away.only_game()).status == "playing"
    assert first_of(here)
    assert first_of(there)


async def test_a_clock_is_for_those_whom_a_private_message_reaches(away: Away) -> None:
    anna, carla = away.person("Anna"), away.person("Carla")
    private = away.telegram.private(anna.account)
    await Person(away.telegram, anna.account, private).say(f"/play {FIRST} clock:1d")
    await away.bot.settle()
    code = (await away.only_game()).id
    there = await away.put(anna, code, typed=code)
    await away.tap(anna, there, "Details")
    assert "private message from me" in away.telegram.shown(private)[-1].text
    answer = await away.tap(carla, there, "Join")
    assert "cannot write to you in private yet" in (answer.text or "")
    assert f"https://t.me/tavoliere_bot?start={code}" in (answer.text or "")
    assert (await away.only_game()).status == "lobby"
    own = Person(away.telegram, carla.account, away.telegram.private(carla.account))
    await own.say("/help")
    await away.bot.settle()
    await away.tap(carla, there, "Join")
    assert (await away.only_game()).status == "playing"


async def test_today_s_puzzle_is_put_into_a_chat_and_opened_in_private(away: Away, clock: Clock) -> None:
    anna, bruno = away.person("Anna"), away.person("Bruno")
    today = puzzle_on(clock().date())
    put = await away.put(anna, f"puzzle-{today.id}", typed="puzzle")
    assert await away.bot.store.games.list_ids() == []
    (link,) = [button["url"] for button in put.buttons]
    alone = away.alone(bruno)
    await away.say(alone, f"/start {link.partition('?start=')[2]}")
    shown = away.telegram.shown(alone.here)[-1]
    assert shown.photo is not None
    assert "seen by you alone" in shown.text


async def test_share_gives_the_links_and_the_friend_sits_down_by_one(away: Away) -> None:
    anna, carla = away.person("Anna"), away.person("Carla")
    private = away.alone(anna)
    await away.put(anna, FIRST)
    await away.tap(anna, away.board, "Share")
    code = (await away.only_game()).id
    assert f"https://t.me/tavoliere_bot?start={code}" in away.telegram.shown(private.here)[-1].text
    alone = away.alone(carla)
    await away.say(alone, f"/start {code}")
    assert (await away.only_game()).status == "playing"
    # By the same link whoever comes later looks on.
    tap = await away.tap(away.person("Dora"), away.board, "Share")
    assert tap.url is not None
    dora = away.alone(away.person("Dora"))
    await away.say(dora, f"/start {tap.url.partition('?start=')[2]}")
    assert code in away.telegram.shown(dora.here)[-1].text
    await away.say(dora, f"/start {code}")
    assert away.telegram.shown(dora.here)[-1].photo is not None


async def test_a_finished_game_is_shared_and_looked_back_at(away: Away) -> None:
    anna, bruno = await away.begun(FIRST, "Anna", "Bruno")
    await InlinePlayers(away, "shared", cleverly).play(2)
    row = await away.only_game()
    await (await anna.tap_data(away.board, f"resign!:{row.id}:{row.revision}")).answered.wait()
    await away.bot.wait()
    assert away.board.labels[:4] == ["Play again", "New game", "Analyse", "Share"]
    private = away.alone(bruno)
    await away.say(private, "/start")
    await away.tap(bruno, away.board, "Share")
    said = away.telegram.shown(private.here)[-1].text
    assert "the finished board" in said
    assert f"https://t.me/tavoliere_bot?start={row.id}" in said
    carla = away.alone(away.person("Carla"))
    await away.say(carla, f"/start {row.id}")
    (shown,) = away.telegram.shown(carla.here)
    assert shown.photo is not None
    assert "Anna has resigned." in shown.text
    # From the end it goes back through the turns.
    await away.tap(carla, shown, "◀")
    assert shown.text != said
    assert row.id in shown.text
    assert len(away.telegram.shown(carla.here)) == 1


async def test_a_finished_board_is_shown_anywhere(away: Away) -> None:
    anna, _ = await away.begun(FIRST, "Anna", "Bruno")
    row = await away.only_game()
    await (await anna.tap_data(away.board, f"resign!:{row.id}:{row.revision}")).answered.wait()
    await away.bot.wait()
    there = Person(away.telegram, anna.account, away.telegram.elsewhere("Colleagues"))
    shown = await there.choose(await there.ask(""), row.id)
    await away.bot.settle()
    await away.bot.wait()
    assert "resigned" in shown.text
    assert shown.labels == away.board.labels


async def test_a_call_by_the_name_of_a_game_puts_it_up(away: Away) -> None:
    anna, bruno = away.person("Anna"), away.person("Bruno")
    away.message = await anna.call(f"@tavoliere_bot {FIRST}")
    await away.bot.settle()
    await away.tap(bruno, away.board, "Join")
    assert (await away.only_game()).status == "playing"


async def test_all_messages_of_a_chat_have_one_limit(away: Away) -> None:
    anna, _ = await away.begun(FIRST, "Anna", "Bruno")
    code = (await away.only_game()).id
    for _ in range(MAX_PER_BURST[CallKind.BOARD] + 2):
        # However quickly it is shown anew there, and by however many messages.
        away.message = await anna.call(f"@tavoliere_bot {code}", away.message)
        await away.bot.settle()
    await away.bot.until(lambda: first_of(away.board), "the newest board")
    await away.bot.until(lambda: [each for each in away.shown if each.labels] == [away.board], "the old ones' end")
    assert [said.description for _, said in away.telegram.refused if said.code == 429] == []


async def test_a_call_that_means_no_game_is_told_how(away: Away) -> None:
    said = await away.person("Anna").call("@tavoliere_bot what can you do?")
    assert "@tavoliere_bot" in said.text
    assert await away.bot.store.games.list_ids() == []


async def test_a_call_with_a_move_that_is_not_allowed_is_told_why(away: Away) -> None:
    await away.begun(FIRST, "Anna", "Bruno")
    mover = await away.whose_move()
    before = (await away.only_game()).revision
    said = await mover.call("@tavoliere_bot z9-z8", away.board)
    assert said.text
    assert said.labels == []
    assert (await away.only_game()).revision == before


async def test_what_is_said_below_a_board_without_its_name_is_a_move_or_none_of_its_business(away: Away) -> None:
    await away.begun(FIRST, "Anna", "Bruno")
    mover = await away.whose_move()
    other = next(each for each in away.people.values() if each is not mover)
    table = await away.bot.tavoliere.context.table((await away.only_game()).id)
    move = table.playing.state.legal_actions()[0].text
    away.message = await mover.call("@tavoliere_bot", away.board)
    await away.bot.settle()
    before = len(away.shown)
    for person, text in ((mover, "Your turn soon?"), (mover, ""), (other, move), (other, "well done")):
        asked = await person.begin_call(text, away.board)
        await away.bot.settle()
        assert asked.sent is None
    assert len(away.shown) == before
    assert (await away.only_game()).revision == table.row.revision
    away.message = await mover.call(move, away.board)
    await away.bot.wait()
    assert (await away.only_game()).revision > table.row.revision


async def test_a_message_that_is_gone_stops_nothing(away: Away) -> None:
    await away.begun(FIRST, "Anna", "Bruno")
    row = await away.only_game()
    mover = await away.whose_move()
    away.board.deleted = True
    await (await mover.tap_data(away.board, f"resign!:{row.id}:{row.revision}")).answered.wait()
    await away.bot.wait()
    assert (await away.only_game()).status == "over"
    assert await away.bot.store.surfaces.list_for_game(row.id) == []
    assert {said.description for _, said in away.telegram.refused} >= {"Bad Request: MESSAGE_ID_INVALID"}
    away.telegram.refused.clear()
