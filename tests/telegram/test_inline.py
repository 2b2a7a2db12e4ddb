"""Games in chats that the bot is not in: inline mode and guest mode, from the list to the last move."""

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
from tests.support.choosing import choose_cleverly
from tests.support.comparing import missing_from
from tests.telegram.harness import Bot, data_of, first_of
from tests.telegram.other_chat import InlinePlayers, OtherChat

ACTS: Final = 6
WHOLE: Final = 3000
"""More actions than any game takes."""
FIRST: Final = next(iter(games))


@pytest.fixture
async def other_chat(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[OtherChat]:
    telegram.lists = True
    bot = Bot(telegram, store, clock, draw=DRAW)
    made = OtherChat(telegram, bot)
    await bot.start()
    yield made
    await bot.stop()
    # A private message to a person who never opened the chat is tried, and refused.
    private = [(method, said) for method, said in telegram.refused if "chat not found" in said.description]
    assert telegram.refused == private
    telegram.refused.clear()


@pytest.fixture
async def store_chat(other_chat: OtherChat) -> Chat:
    """A chat that the operator has named for pictures."""
    chat = other_chat.telegram.group("Store")
    other_chat.bot.connecting["store_chat"] = chat.id
    await other_chat.bot.restart()
    return chat


async def test_the_list_has_all_games_and_ones_own(other_chat: OtherChat) -> None:
    anna = other_chat.person("Anna")
    asked = await anna.ask("")
    *known, puzzle = list(asked.results or ())
    assert ([each["id"] for each in known], asked.private) == (list(games), "help")
    assert str(puzzle["id"]).startswith("puzzle-")
    key = next(iter(games))
    narrow = await anna.ask(key[:4])
    assert key in [each["id"] for each in narrow.results or ()]
    await other_chat.begun(key, "Anna", "Bruno")
    code = await other_chat.bot.store.games.list_ids()
    assert code[0] in [each["id"] for each in (await anna.ask("")).results or ()]
    assert code[0] not in [each["id"] for each in (await other_chat.person("Carla").ask("")).results or ()]


@pytest.mark.parametrize("acts", [ACTS, pytest.param(WHOLE, marks=pytest.mark.full)])
@pytest.mark.parametrize("game", games)
async def test_every_game_is_played_in_one_message(other_chat: OtherChat, game: str, acts: int) -> None:
    seats = games[game].seats
    names = ("Anna", "Bruno", "Carla", "Dario", "Elena")[: max(seats[0], min(3, seats[-1]))]
    await other_chat.begun(game, *names)
    assert other_chat.board.photo is None
    players = InlinePlayers(other_chat, f"inline {game}", choose_cleverly)
    await players.play(acts)
    assert players.over or players.acts == ACTS
    assert players.used == {"tap", "typed"}
    assert [said.description for _, said in other_chat.telegram.refused if said.code == 429] == []


async def test_first_press_opens_the_game_of_its_sender(other_chat: OtherChat) -> None:
    anna, bruno = other_chat.person("Anna"), other_chat.person("Bruno")
    await other_chat.put(anna, FIRST, feedback=False)
    assert not (await other_chat.tap(bruno, other_chat.board, "Join")).alert
    row = await other_chat.only_game()
    assert {seat.state for seat in row.seats} == {"joined"}
    assert row.starter == (await other_chat.bot.store.people.ids_of_users("telegram", [str(anna.id)]))[str(anna.id)]
    # Told of the choice only now, we put nothing up once more.
    chosen = {"result_id": FIRST, "from": anna.account.to_json(), "query": ""}
    await other_chat.telegram.update(chosen_inline_result={**chosen, "inline_message_id": other_chat.board.inline})
    await other_chat.bot.settle()
    assert (await other_chat.only_game()).id == row.id


async def test_forged_sender_opens_no_game(other_chat: OtherChat) -> None:
    anna, bruno = other_chat.person("Anna"), other_chat.person("Bruno")
    message = await other_chat.put(anna, FIRST, feedback=False)
    forged = data_of(message, "Join").replace(str(anna.id), str(bruno.id))
    tap = await anna.tap_data(message, forged)
    await tap.answered.wait()
    assert await other_chat.bot.store.games.list_ids() == []


async def test_two_who_join_at_once_have_a_seat_and_a_kind_word(other_chat: OtherChat) -> None:
    await other_chat.put(other_chat.person("Anna"), FIRST)
    taps = [await other_chat.person(name).begin_tap(other_chat.board, "Join") for name in ("Bruno", "Carla")]
    for tap in taps:
        await tap.answered.wait()
    await other_chat.bot.settle()
    assert [bool(tap.text) for tap in taps] == [False, True]
    row = await other_chat.only_game()
    assert [seat.state for seat in row.seats] == ["joined", "joined"]


async def test_a_kill_between_press_and_answer_loses_nothing(other_chat: OtherChat) -> None:
    await other_chat.put(other_chat.person("Anna"), FIRST, feedback=False)
    async with other_chat.telegram.holding("answerCallbackQuery") as gate:
        tap = await other_chat.person("Bruno").begin_tap(other_chat.board, "Join")
        await other_chat.telegram.until(lambda: gate.waiting, "the answer")
        await other_chat.bot.kill()
    await other_chat.bot.start()
    await tap.answered.wait()
    await other_chat.bot.wait()
    # The first process had asked for the answer to be shown already, so that of the second was one too many.
    other_chat.telegram.refused[:] = [each for each in other_chat.telegram.refused if each[0] != "answerCallbackQuery"]
    row = await other_chat.only_game()
    assert (row.status, len(row.seats)) == ("playing", 2)
    assert first_of(other_chat.board)


async def test_pictures_come_by_the_store_and_stay(other_chat: OtherChat, store_chat: Chat) -> None:
    await other_chat.begun(FIRST, "Anna", "Bruno")
    assert other_chat.board.photo is not None
    sent = other_chat.telegram.shown(store_chat)
    assert [message.photo for message in sent] == [other_chat.board.photo]
    assert sent[0].silent
    assert all(
        call.given["chat_id"] == store_chat.id for call in other_chat.telegram.calls if call.method == "sendPhoto"
    )


async def test_picture_is_uploaded_through_the_private_chat_of_a_player(other_chat: OtherChat) -> None:
    anna = other_chat.person("Anna")
    private = other_chat.alone(anna)
    await other_chat.begun(FIRST, "Anna", "Bruno")
    assert other_chat.board.photo is not None
    assert [message for message in other_chat.telegram.shown(private.here) if message.photo is not None] == []


async def test_a_board_in_words_leads_to_the_board_in_private(other_chat: OtherChat) -> None:
    anna, bruno = await other_chat.begun(FIRST, "Anna", "Bruno")
    assert other_chat.board.photo is None
    assert "row" in other_chat.board.text.lower() or "d" in other_chat.board.text
    (link,) = [button["url"] for button in other_chat.board.buttons if "url" in button]
    (shown,) = await other_chat.follow(await other_chat.whose_move(), link)
    assert shown.photo is not None
    assert [label for label in shown.labels if label]
    assert anna is not bruno


async def test_answer_too_long_for_a_toast_goes_to_the_private_chat(other_chat: OtherChat) -> None:
    (anna,) = await other_chat.begun(FIRST, "Anna")
    tap = await other_chat.tap(anna, other_chat.board, "Rules")
    assert tap.url is not None
    assert games[FIRST].key in (await other_chat.follow(anna, tap.url))[-1].text.lower()
    again = await other_chat.tap(anna, other_chat.board, "Rules")
    assert (again.url, again.text) == (None, "The answer is in our private chat.")


async def test_a_link_plays_nothing(other_chat: OtherChat) -> None:
    await other_chat.begun(FIRST, "Anna", "Bruno")
    row = await other_chat.only_game()
    mover = await other_chat.whose_move()
    made = base64.urlsafe_b64encode(f"resign!:{row.id}:{row.revision}".encode()).decode().rstrip("=")
    await other_chat.say(other_chat.alone(mover), f"/start p-{made}")
    assert (await other_chat.only_game()).status == "playing"


async def test_press_out_of_turn_names_the_player_to_move(other_chat: OtherChat) -> None:
    anna, bruno = await other_chat.begun(FIRST, "Anna", "Bruno")
    other = bruno if await other_chat.whose_move() is anna else anna
    before = other_chat.board.edits
    assert (await other_chat.tap(other, other_chat.board, first_of(other_chat.board)[0])).text
    assert other_chat.board.edits == before


async def test_an_offer_is_answered_on_the_board_itself(other_chat: OtherChat) -> None:
    anna, bruno = await other_chat.begun(FIRST, "Anna", "Bruno")
    await other_chat.do(anna, "offer", "=draw")
    assert "Anna offers a draw" in other_chat.board.text
    await other_chat.tap(bruno, other_chat.board, "Agree: draw")
    assert (await other_chat.only_game()).status == "over"
    assert len(other_chat.shown) == 1


async def test_a_rematch_takes_the_place_of_the_game_before(other_chat: OtherChat) -> None:
    anna, bruno = await other_chat.begun(FIRST, "Anna", "Bruno")
    row = await other_chat.only_game()
    await other_chat.do(anna, "resign!")
    again = next(each for each in other_chat.board.buttons if str(each.get("callback_data")).startswith("rematch:"))
    # The old game's board has changed, too, and cannot be shown at once: later it must not take the message back.
    other_chat.telegram.fail("editMessageText", ApiError(500, "Internal Server Error"))
    await other_chat.tap(bruno, other_chat.board, again["text"])
    await other_chat.bot.wait()
    other_chat.telegram.refused[:] = [each for each in other_chat.telegram.refused if each[1].code != 500]
    assert "Bruno" in other_chat.board.text
    join = next(
        str(each["callback_data"]) for each in other_chat.board.buttons if each.get("callback_data", "")[:4] == "join"
    )
    assert row.id not in join


async def test_a_game_is_carried_into_another_chat_by_its_code(other_chat: OtherChat) -> None:
    anna = other_chat.person("Anna")
    await other_chat.put(anna, FIRST)
    (share,) = [each["switch_inline_query"] for each in other_chat.board.buttons if "switch_inline_query" in each]
    here = other_chat.board
    carla = Person(
        other_chat.telegram, other_chat.telegram.account("Carla"), other_chat.telegram.elsewhere("Colleagues")
    )
    there = await carla.choose(await carla.ask(share), share)
    await other_chat.bot.settle()
    await other_chat.tap(carla, there, "Join")
    assert (await other_chat.only_game()).status == "playing"
    assert first_of(here)
    assert first_of(there)


async def test_games_with_a_clock_need_reachable_players(other_chat: OtherChat) -> None:
    anna, carla = other_chat.person("Anna"), other_chat.person("Carla")
    private = other_chat.telegram.private(anna.account)
    await Person(other_chat.telegram, anna.account, private).say(f"/play {FIRST} clock:1d")
    await other_chat.bot.settle()
    code = (await other_chat.only_game()).id
    there = await other_chat.put(anna, code, typed=code)
    await other_chat.tap(anna, there, "Details")
    assert "private message from me" in other_chat.telegram.shown(private)[-1].text
    answer = await other_chat.tap(carla, there, "Join")
    assert "cannot write to you in private yet" in (answer.text or "")
    assert f"https://t.me/tavoliere_bot?start={code}" in (answer.text or "")
    assert (await other_chat.only_game()).status == "lobby"
    own = Person(other_chat.telegram, carla.account, other_chat.telegram.private(carla.account))
    await own.say("/help")
    await other_chat.bot.settle()
    await other_chat.tap(carla, there, "Join")
    assert (await other_chat.only_game()).status == "playing"


async def test_today_s_puzzle_is_put_into_a_chat_and_opened_in_private(other_chat: OtherChat, clock: Clock) -> None:
    anna, bruno = other_chat.person("Anna"), other_chat.person("Bruno")
    today = puzzle_on(clock().date())
    put = await other_chat.put(anna, f"puzzle-{today.id}", typed="puzzle")
    assert await other_chat.bot.store.games.list_ids() == []
    (link,) = [button["url"] for button in put.buttons]
    shown = (await other_chat.follow(bruno, link))[-1]
    assert shown.photo is not None
    assert "seen by you alone" in shown.text


async def test_share_gives_the_links_and_the_friend_sits_down_by_one(other_chat: OtherChat) -> None:
    anna, carla = other_chat.person("Anna"), other_chat.person("Carla")
    private = other_chat.alone(anna)
    await other_chat.put(anna, FIRST)
    await other_chat.tap(anna, other_chat.board, "Share")
    code = (await other_chat.only_game()).id
    assert f"https://t.me/tavoliere_bot?start={code}" in other_chat.telegram.shown(private.here)[-1].text
    alone = other_chat.alone(carla)
    await other_chat.say(alone, f"/start {code}")
    assert (await other_chat.only_game()).status == "playing"
    # A person who comes later by the same link watches.
    tap = await other_chat.tap(other_chat.person("Dora"), other_chat.board, "Share")
    assert tap.url is not None
    assert code in (await other_chat.follow(other_chat.person("Dora"), tap.url))[-1].text
    dora = other_chat.alone(other_chat.person("Dora"))
    await other_chat.say(dora, f"/start {code}")
    assert other_chat.telegram.shown(dora.here)[-1].photo is not None


async def test_a_finished_game_is_shared_and_looked_back_at(other_chat: OtherChat) -> None:
    anna, bruno = await other_chat.begun(FIRST, "Anna", "Bruno")
    await InlinePlayers(other_chat, "shared", choose_cleverly).play(2)
    row = await other_chat.only_game()
    await other_chat.do(anna, "resign!")
    assert other_chat.board.labels[:4] == ["Play again", "New game", "Analyse", "Share"]
    private = other_chat.alone(bruno)
    await other_chat.say(private, "/start")
    await other_chat.tap(bruno, other_chat.board, "Share")
    said = other_chat.telegram.shown(private.here)[-1].text
    assert missing_from(said, "the finished board", f"https://t.me/tavoliere_bot?start={row.id}") == []
    carla = other_chat.alone(other_chat.person("Carla"))
    await other_chat.say(carla, f"/start {row.id}")
    (shown,) = other_chat.telegram.shown(carla.here)
    assert shown.photo is not None
    assert "Anna has resigned." in shown.text
    # From the end it goes back through the turns.
    await other_chat.tap(carla, shown, "◀")
    assert shown.text != said
    assert row.id in shown.text
    assert len(other_chat.telegram.shown(carla.here)) == 1


async def test_a_finished_board_is_shown_anywhere(other_chat: OtherChat) -> None:
    anna, _ = await other_chat.begun(FIRST, "Anna", "Bruno")
    row = await other_chat.only_game()
    await other_chat.do(anna, "resign!")
    there = Person(other_chat.telegram, anna.account, other_chat.telegram.elsewhere("Colleagues"))
    shown = await there.choose(await there.ask(""), row.id)
    await other_chat.bot.settle()
    await other_chat.bot.wait()
    assert "resigned" in shown.text
    assert shown.labels == other_chat.board.labels


async def test_a_call_by_the_name_of_a_game_puts_it_up(other_chat: OtherChat) -> None:
    anna, bruno = other_chat.person("Anna"), other_chat.person("Bruno")
    other_chat.message = await anna.call(f"@tavoliere_bot {FIRST}")
    await other_chat.bot.settle()
    await other_chat.tap(bruno, other_chat.board, "Join")
    assert (await other_chat.only_game()).status == "playing"


async def test_all_messages_of_a_chat_have_one_limit(other_chat: OtherChat) -> None:
    anna, _ = await other_chat.begun(FIRST, "Anna", "Bruno")
    code = (await other_chat.only_game()).id
    for _ in range(MAX_PER_BURST[CallKind.BOARD] + 2):
        # However quickly it is shown anew there, and by however many messages.
        other_chat.message = await anna.call(f"@tavoliere_bot {code}", other_chat.message)
        await other_chat.bot.settle()
    await other_chat.bot.until(lambda: first_of(other_chat.board), "the newest board")
    await other_chat.bot.until(
        lambda: [each for each in other_chat.shown if each.labels] == [other_chat.board], "the old ones' end"
    )
    assert [said.description for _, said in other_chat.telegram.refused if said.code == 429] == []


async def test_mention_without_a_game_explains_how_to_call_the_bot(other_chat: OtherChat) -> None:
    assert "@tavoliere_bot" in (await other_chat.person("Anna").call("@tavoliere_bot what can you do?")).text
    assert await other_chat.bot.store.games.list_ids() == []


async def test_mention_with_an_illegal_move_is_refused_with_a_reason(other_chat: OtherChat) -> None:
    await other_chat.begun(FIRST, "Anna", "Bruno")
    mover = await other_chat.whose_move()
    before = (await other_chat.only_game()).revision
    said = await mover.call("@tavoliere_bot z9-z8", other_chat.board)
    assert said.text
    assert said.labels == []
    assert (await other_chat.only_game()).revision == before


async def test_reply_below_a_board_is_a_move_or_ignored(other_chat: OtherChat) -> None:
    await other_chat.begun(FIRST, "Anna", "Bruno")
    mover = await other_chat.whose_move()
    other = next(each for each in other_chat.people.values() if each is not mover)
    table = await other_chat.bot.tavoliere.context.table((await other_chat.only_game()).id)
    move = table.playing.state.legal_actions()[0].text
    other_chat.message = await mover.call("@tavoliere_bot", other_chat.board)
    await other_chat.bot.settle()
    before = len(other_chat.shown)
    for person, text in ((mover, "Your turn soon?"), (mover, ""), (other, move), (other, "well done")):
        asked = await person.begin_call(text, other_chat.board)
        await other_chat.bot.settle()
        assert asked.sent is None
    assert len(other_chat.shown) == before
    assert (await other_chat.only_game()).revision == table.row.revision
    other_chat.message = await mover.call(move, other_chat.board)
    await other_chat.bot.wait()
    assert (await other_chat.only_game()).revision > table.row.revision


async def test_a_message_that_is_gone_stops_nothing(other_chat: OtherChat) -> None:
    await other_chat.begun(FIRST, "Anna", "Bruno")
    row = await other_chat.only_game()
    mover = await other_chat.whose_move()
    other_chat.board.deleted = True
    await other_chat.do(mover, "resign!")
    assert (await other_chat.only_game()).status == "over"
    assert await other_chat.bot.store.surfaces.list_for_game(row.id) == []
    assert {said.description for _, said in other_chat.telegram.refused} >= {"Bad Request: MESSAGE_ID_INVALID"}
    other_chat.telegram.refused.clear()
