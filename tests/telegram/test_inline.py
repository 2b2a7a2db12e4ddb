"""Games in chats that the bot is not in: inline mode and guest mode, from the list to the last move."""

import base64
from collections.abc import AsyncIterator
from typing import Final

import pytest

from bot.boards.puzzles.puzzle import puzzle_on
from bot.platforms.telegram.calls import MAX_PER_BURST, CallKind
from engine import games
from storage import Store
from tests.bot.party import Clock
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.fakes.telegram.server import FakeTelegram
from tests.support.choosing import choose_cleverly
from tests.support.comparing import missing_from
from tests.support.present import present
from tests.support.typing_forms import TYPING_FORMS
from tests.telegram.harness import Bot, data_of, first_of
from tests.telegram.other_chat import InlinePlayers, OtherChat

ACTS: Final = 6
WHOLE: Final = 3000
"""More actions than any game takes."""
FIRST: Final = next(iter(games))


@pytest.fixture
async def scene(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[OtherChat]:
    telegram.lists = True
    made = OtherChat(telegram, Bot(telegram, store, clock))
    async with made.bot:
        yield made
    # A private message to a person who never opened the chat is tried, and refused.
    private = [(method, said) for method, said in telegram.refused if "chat not found" in said.description]
    assert telegram.refused == private
    telegram.refused.clear()


async def test_the_list_has_all_games_and_ones_own(scene: OtherChat, anna: Person) -> None:
    asked = await anna.ask("")
    *known, puzzle = list(asked.results or ())
    assert ([each["id"] for each in known], asked.private) == (list(games), "help")
    assert str(puzzle["id"]).startswith("puzzle-")
    narrow = await anna.ask(FIRST[:4])
    assert FIRST in [each["id"] for each in narrow.results or ()]
    # What is typed after the bot's name is read in every form.
    for form, typed in TYPING_FORMS.items():
        for name in ("real-queen", "Real Queen"):
            asked = await anna.ask(typed(name))
            assert [each["id"] for each in asked.results or ()] == ["real-queen"], form
    await scene.begun(FIRST, "Anna", "Bruno")
    code = await scene.bot.store.games.list_ids()
    assert code[0] in [each["id"] for each in (await anna.ask("")).results or ()]
    assert code[0] not in [each["id"] for each in (await scene.person("Carla").ask("")).results or ()]


@pytest.mark.parametrize("acts", [ACTS, pytest.param(WHOLE, marks=pytest.mark.full)])
@pytest.mark.parametrize("game", games)
async def test_every_game_is_played_in_one_message(scene: OtherChat, game: str, acts: int) -> None:
    seats = games[game].seats
    names = ("Anna", "Bruno", "Carla", "Dario", "Elena")[: max(seats[0], min(3, seats[-1]))]
    await scene.begun(game, *names)
    assert scene.board.photo is None
    # A newcomer's board speaks of what is there.
    assert "the game begins" in scene.board.text
    assert missing_from(scene.board.text, "/move", "picture", "type") == ["/move", "picture", "type"]
    players = InlinePlayers(scene, f"inline {game}", choose_cleverly)
    await players.play(acts)
    assert players.over or players.acts == ACTS
    assert players.used == {"tap", "typed"}
    assert [said.description for _, said in scene.telegram.refused if said.code == 429] == []


async def test_first_press_opens_the_game_of_its_sender_unless_that_is_forged(
    scene: OtherChat, anna: Person, bruno: Person
) -> None:
    message = await scene.put(anna, FIRST, feedback=False)
    forged = data_of(message, "Join").replace(str(anna.id), str(bruno.id))
    await (await anna.tap_data(message, forged)).answered.wait()
    assert await scene.bot.store.games.list_ids() == []
    assert not (await scene.tap(bruno, message, "Join")).alert
    row = await scene.row()
    assert {seat.state for seat in row.seats} == {"joined"}
    assert row.starter == (await scene.bot.store.people.ids_of_users("telegram", [str(anna.id)]))[str(anna.id)]
    # Told of the choice only now, we put nothing up once more.
    chosen = {"result_id": FIRST, "from": anna.account.to_json(), "query": ""}
    await scene.telegram.update(chosen_inline_result={**chosen, "inline_message_id": scene.board.inline})
    await scene.bot.settle()
    assert (await scene.row()).id == row.id


async def test_a_kill_between_press_and_answer_loses_nothing(scene: OtherChat) -> None:
    await scene.put(scene.person("Anna"), FIRST, feedback=False)
    async with scene.telegram.holding("answerCallbackQuery") as gate:
        tap = await scene.person("Bruno").begin_tap(scene.board, "Join")
        await scene.telegram.until(lambda: gate.waiting, "the answer")
        await scene.bot.kill()
    await scene.bot.start()
    await tap.answered.wait()
    await scene.bot.wait()
    # The first process had asked for the answer to be shown already, so that of the second was one too many.
    scene.telegram.refused[:] = [each for each in scene.telegram.refused if each[0] != "answerCallbackQuery"]
    row = await scene.row()
    assert (row.status, len(row.seats)) == ("playing", 2)
    assert first_of(scene.board)


async def test_pictures_come_by_the_chat_that_the_operator_has_named_for_them(scene: OtherChat) -> None:
    store_chat = scene.telegram.group("Store")
    scene.bot.connecting["store_chat"] = store_chat.id
    await scene.bot.restart()
    await scene.begun(FIRST, "Anna", "Bruno")
    assert scene.board.photo is not None
    sent = scene.telegram.shown(store_chat)
    assert [message.photo for message in sent] == [scene.board.photo]
    assert sent[0].silent
    assert all(call.given["chat_id"] == store_chat.id for call in scene.telegram.calls if call.method == "sendPhoto")


async def test_picture_is_uploaded_through_the_private_chat_of_a_player(scene: OtherChat, anna: Person) -> None:
    scene.alone(anna)
    await scene.begun(FIRST, "Anna", "Bruno")
    assert scene.board.photo is not None
    assert [message for message in scene.private(anna) if message.photo is not None] == []


async def test_a_board_in_words_leads_to_the_board_in_private(scene: OtherChat) -> None:
    await scene.begun(FIRST, "Anna", "Bruno")
    assert scene.board.photo is None
    (link,) = [button["url"] for button in scene.board.buttons if "url" in button]
    (shown,) = await scene.follow(await scene.whose_move(), link)
    assert shown.photo is not None
    assert [label for label in shown.labels if label]


async def test_answer_too_long_for_a_toast_goes_to_the_private_chat(scene: OtherChat) -> None:
    (anna,) = await scene.begun(FIRST, "Anna")
    tap = await scene.tap(anna, scene.board, "Rules")
    assert games[FIRST].key in (await scene.follow(anna, present(tap.url)))[-1].text.lower()
    again = await scene.tap(anna, scene.board, "Rules")
    assert (again.url, again.text) == (None, "The answer is in our private chat.")


async def test_neither_a_link_nor_a_press_out_of_turn_plays_and_an_offer_is_answered_on_the_board_itself(
    scene: OtherChat,
) -> None:
    anna, bruno = await scene.begun(FIRST, "Anna", "Bruno")
    row, mover, before = await scene.row(), await scene.whose_move(), scene.board.edits
    made = base64.urlsafe_b64encode(f"resign!:{row.id}:{row.revision}".encode()).decode().rstrip("=")
    await scene.say(scene.alone(mover), f"/start p-{made}")
    assert (await scene.row()).status == "playing"
    other = bruno if mover is anna else anna
    assert (await scene.tap(other, scene.board, first_of(scene.board)[0])).text
    assert scene.board.edits == before
    await scene.do(anna, "offer", "=draw")
    assert "Anna offers a draw" in scene.board.text
    await scene.tap(bruno, scene.board, "Agree: draw")
    assert (await scene.row()).status == "over"
    assert len(scene.shown) == 1


async def test_a_rematch_takes_the_place_of_the_game_before(scene: OtherChat) -> None:
    anna, bruno = await scene.begun(FIRST, "Anna", "Bruno")
    row = await scene.row()
    await scene.do(anna, "resign!")
    # The old game's board has changed, too, and cannot be shown at once: later it must not take the message back.
    scene.telegram.fail("editMessageText", ApiError(500, "Internal Server Error"))
    await scene.tap(bruno, scene.board, "Play again")
    await scene.bot.wait()
    scene.telegram.refused[:] = [each for each in scene.telegram.refused if each[1].code != 500]
    assert "Bruno" in scene.board.text
    assert row.id not in data_of(scene.board, "Accept")


async def test_a_game_is_carried_into_anscene_by_its_code(scene: OtherChat, anna: Person) -> None:
    await scene.put(anna, FIRST)
    (share,) = [each["switch_inline_query"] for each in scene.board.buttons if "switch_inline_query" in each]
    here = scene.board
    carla = Person(scene.telegram, scene.telegram.account("Carla"), scene.telegram.elsewhere("Colleagues"))
    there = await carla.choose(await carla.ask(share), share)
    await scene.bot.settle()
    await scene.tap(carla, there, "Join")
    assert (await scene.row()).status == "playing"
    assert first_of(here)
    assert first_of(there)


async def test_games_with_a_clock_need_reachable_players(scene: OtherChat) -> None:
    anna, carla = scene.person("Anna"), scene.person("Carla")
    await scene.say_alone(anna, f"/play {FIRST} clock:1d")
    code = (await scene.row()).id
    there = await scene.put(anna, code, typed=code)
    await scene.tap(anna, there, "Details")
    assert "in a private message" in scene.private(anna)[-1].text
    answer = await scene.tap(carla, there, "Join")
    assert "cannot write to you in private yet" in (answer.text or "")
    assert f"https://t.me/tavoliere_bot?start={code}" in (answer.text or "")
    assert (await scene.row()).status == "lobby"
    await scene.say_alone(carla, "/help")
    await scene.tap(carla, there, "Join")
    assert (await scene.row()).status == "playing"


async def test_today_s_puzzle_is_put_into_a_chat_and_opened_in_private(scene: OtherChat, clock: Clock) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    today = puzzle_on(clock().date())
    put = await scene.put(anna, f"puzzle-{today.id}", typed="puzzle")
    assert await scene.bot.store.games.list_ids() == []
    (link,) = [button["url"] for button in put.buttons]
    shown = (await scene.follow(bruno, link))[-1]
    assert shown.photo is not None
    assert "seen by you alone" in shown.text


async def test_share_gives_the_links_and_the_friend_sits_down_by_one(scene: OtherChat) -> None:
    anna, carla = scene.person("Anna"), scene.person("Carla")
    scene.alone(anna)
    await scene.put(anna, FIRST)
    await scene.tap(anna, scene.board, "Share")
    code = (await scene.row()).id
    assert f"https://t.me/tavoliere_bot?start={code}" in scene.private(anna)[-1].text
    await scene.say_alone(carla, f"/start {code}")
    assert (await scene.row()).status == "playing"
    # A person who comes later by the same link watches.
    dora = scene.person("Dora")
    tap = await scene.tap(dora, scene.board, "Share")
    assert code in (await scene.follow(dora, present(tap.url)))[-1].text
    assert (await scene.say_alone(dora, f"/start {code}")).photo is not None


async def test_finished_game_is_shared_and_replayed(scene: OtherChat) -> None:
    anna, bruno = await scene.begun(FIRST, "Anna", "Bruno")
    await InlinePlayers(scene, "shared", choose_cleverly).play(2)
    row = await scene.row()
    await scene.do(anna, "resign!")
    assert scene.board.labels[:4] == ["Play again", "New game", "Analyse", "Share"]
    there = Person(scene.telegram, anna.account, scene.telegram.elsewhere("Colleagues"))
    elsewhere = await there.choose(await there.ask(""), row.id)
    await scene.finish()
    assert "resigned" in elsewhere.text
    assert elsewhere.labels == scene.board.labels
    await scene.say_alone(bruno, "/start")
    await scene.tap(bruno, scene.board, "Share")
    said = scene.private(bruno)[-1].text
    assert missing_from(said, "the finished board", f"https://t.me/tavoliere_bot?start={row.id}") == []
    carla = scene.alone(scene.person("Carla"))
    await scene.say(carla, f"/start {row.id}")
    (shown,) = scene.private(carla)
    assert shown.photo is not None
    assert "Anna has resigned." in shown.text
    # From the end it goes back through the turns.
    await scene.tap(carla, shown, "◀")
    assert shown.text != said
    assert row.id in shown.text
    assert len(scene.private(carla)) == 1


async def test_all_messages_of_a_chat_have_one_limit(scene: OtherChat) -> None:
    anna, _ = await scene.begun(FIRST, "Anna", "Bruno")
    code = (await scene.row()).id
    for _ in range(MAX_PER_BURST[CallKind.BOARD] + 2):
        # However quickly it is shown anew there, and by however many messages.
        scene.message = await anna.call(f"@tavoliere_bot {code}", scene.message)
        await scene.bot.settle()
    await scene.bot.until(lambda: first_of(scene.board), "the newest board")
    await scene.bot.until(lambda: [each for each in scene.shown if each.labels] == [scene.board], "the old ones' end")
    assert [said.description for _, said in scene.telegram.refused if said.code == 429] == []


async def test_calls_explain_put_a_game_up_and_play_and_other_replies_are_passed_over(
    scene: OtherChat, anna: Person, bruno: Person
) -> None:
    assert "@tavoliere_bot" in (await anna.call("@tavoliere_bot what can you do?")).text
    assert await scene.bot.store.games.list_ids() == []
    scene.message = await anna.call(f"@tavoliere_bot {FIRST}")
    await scene.bot.settle()
    await scene.tap(bruno, scene.board, "Join")
    table = await scene.bot.tavoliere.context.table((await scene.row()).id)
    move, mover = table.playing.state.legal_actions()[0].text, await scene.whose_move()
    refused = await mover.call("@tavoliere_bot z9-z8", scene.board)
    assert refused.text
    assert refused.labels == []
    scene.message = await mover.call("@tavoliere_bot", scene.board)
    await scene.bot.settle()
    other, before = bruno if mover is anna else anna, len(scene.shown)
    for person, text in ((mover, "Your turn soon?"), (mover, ""), (other, move), (other, "well done")):
        asked = await person.begin_call(text, scene.board)
        await scene.bot.settle()
        assert asked.sent is None
    assert len(scene.shown) == before
    assert (await scene.row()).revision == table.row.revision
    scene.message = await mover.call(move, scene.board)
    await scene.bot.wait()
    assert (await scene.row()).revision > table.row.revision


async def test_a_message_that_is_gone_stops_nothing(scene: OtherChat) -> None:
    await scene.begun(FIRST, "Anna", "Bruno")
    row = await scene.row()
    mover = await scene.whose_move()
    scene.board.deleted = True
    await scene.do(mover, "resign!")
    assert (await scene.row()).status == "over"
    assert await scene.bot.store.posts.list_for_game(row.id) == []
    assert {said.description for _, said in scene.telegram.refused} >= {"Bad Request: MESSAGE_ID_INVALID"}
    scene.telegram.refused.clear()
