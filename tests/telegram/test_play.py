"""Playing on Telegram: challenges, boards, half-made choices, typed moves, and those who press what is not theirs."""

import asyncio

import pytest

from bot.kernel.cards import Card, Picture
from bot.kernel.requests import Place, Reply, Request
from bot.kernel.texts import Span
from bot.platforms.telegram.markup import ANSWER_MARK
from tests.fakes.telegram.markup import MAX_BUTTONS_PER_ROW
from tests.fakes.telegram.people import Person
from tests.support.comparing import missing_from
from tests.support.tiny import Tiny
from tests.support.typing_forms import TYPING_FORMS
from tests.telegram.harness import Scene, data_of, first_of, without_keys
from tests.telegram.players import Players


async def test_a_named_seat_is_kept_for_the_name_and_bound_when_its_owner_taps(scene: Scene) -> None:
    anna, bruno, zoe = scene.person("Anna"), scene.person("Bruno"), scene.person("Zoe")
    await scene.say(anna, f"/play annuvin @{bruno.account.username}")
    assert "challenges @bruno_here" in scene.board.text
    assert scene.board.marked.handles == ["bruno_here"]
    assert not scene.board.silent
    tap = await scene.tap(zoe, scene.board, "Accept")
    assert tap.alert
    assert "seats are taken or kept" in (tap.text or "")
    await scene.tap(bruno, scene.board, "Accept")
    assert scene.mover in (anna, bruno)


async def test_who_is_answered_or_named_without_a_username_is_challenged(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    talk = await scene.say(bruno, "who would like to play?")
    await scene.say(anna, "/play annuvin", answering=talk)
    assert scene.board.marked.called == [bruno.id]
    await scene.tap(bruno, scene.board, "Accept")
    assert scene.mover in (anna, bruno)
    # Telegram itself says whom a name means that it shows, which here is that of two.
    namesake = Person(scene.telegram, scene.telegram.account("Bruno"), scene.group)
    await scene.say(namesake, "/help")
    await scene.say(anna, "/play annuvin @Bruno", naming=bruno.account)
    assert scene.board.marked.called == [bruno.id]
    assert "Accept" in scene.board.labels


async def test_challenging_oneself_or_a_bot_by_an_answer(scene: Scene, anna: Person) -> None:
    talk = await scene.say(anna, "hello")
    await scene.say(anna, "/play annuvin", answering=talk)
    assert "against yourself" in scene.shown[-1].text
    await scene.say(anna, "/play annuvin", answering=scene.shown[-1])
    assert ", ".join(scene.board.labels[:3]) == "Join, Call it off, Play the computer"
    assert ", ".join(scene.board.labels[3:]) == "Share, Rules, Details, Copy an invitation"


async def test_a_link_joins_a_game(scene: Scene, anna: Person, bruno: Person) -> None:
    await scene.say(anna, "/play annuvin")
    link = scene.board.buttons[-1]["copy_text"]["text"]
    assert link.startswith("https://t.me/tavoliere_bot?start=")
    await scene.say(scene.alone(bruno), f"/start {link.partition('=')[2]}")
    alone = scene.private(bruno)
    # Shown in both places, the game notifies the player to move only where they were last.
    assert (scene.board.marked.called, alone[-1].marked.called) in (([anna.id], []), ([], [bruno.id]))
    assert alone[-1].photo == Tiny.png


async def test_a_turn_is_announced_by_one_new_picture_with_one_mention_and_two_calls(scene: Scene) -> None:
    mover, other = await scene.started()
    before = scene.board
    assert before.photo == Tiny.png
    assert not before.silent
    calls = len(scene.telegram.calls)
    await scene.play(mover, before)
    made = [call.method for call in scene.telegram.calls[calls:] if call.method != "getUpdates"]
    assert made == ["answerCallbackQuery", "answerCallbackQuery", "sendPhoto", "editMessageReplyMarkup"]
    board = scene.board
    assert board is not before
    assert (board.marked.called, before.labels, before.photo) == ([other.id], [], Tiny.png)
    # Telegram knows a picture that it was sent once: the same is shown again by its name there.
    await scene.say(mover, "/board")
    sent = [call.given for call in scene.telegram.calls if call.method == "sendPhoto"]
    assert ["photo" in given for given in sent] == [False, True, True]
    assert {(each.file_id or "").rstrip("s") for each in (scene.board, board, before)} == set(scene.telegram.files)


async def test_a_new_board_before_the_answer_leaves_the_old_as_it_was(
    scene: Scene, mover: Person, other: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scene.board
    text, press = before.text, scene.bot.tavoliere.press

    async def slowly(request: Request, data: str) -> Reply:
        reply = await press(request, data)
        await scene.bot.tavoliere.delivery.run_until_idle()
        return reply

    monkeypatch.setattr(scene.bot.tavoliere, "press", slowly)
    await scene.play(mover, before)
    assert scene.mover is other
    assert (before.text, before.labels) == (text, [])


async def test_half_made_choices_change_the_buttons_alone_and_go_back(scene: Scene, mover: Person) -> None:
    board = scene.board
    without_keys(board)
    labels, text = board.labels, board.text
    piece = first_of(board)[0]
    tap = await scene.tap(mover, board, piece)
    assert (tap.alert, tap.text) == (False, f"Where to from {piece.removeprefix(ANSWER_MARK)}?")
    assert board.labels[-4:] == ["Rules", "More", "Share", "In words"]
    assert all(len(row) <= MAX_BUTTONS_PER_ROW for row in board.keyboard)
    await scene.tap(mover, board, "Back")
    assert {*labels} <= {*board.labels}
    assert first_of(board) == [each for each in labels if each.startswith(ANSWER_MARK)]
    assert board.text == text


@pytest.mark.parametrize(("most", "uploads"), [(1, 3), (2, 2)])
async def test_of_the_newest_pictures_it_is_known_that_telegram_has_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, most: int, uploads: int
) -> None:
    monkeypatch.setattr("bot.platforms.telegram.adapter.MESSAGE_CACHE_SIZE", most)
    await scene.bot.restart()
    adapter, where = scene.bot.connection.adapter, Place("telegram", str(scene.group.id))
    for name in ("one", "two", "one"):
        await adapter.send(where, Card((Span(name),), Picture(Tiny.png + name.encode(), name, "board.png")), name)
    sent = [call.given for call in scene.telegram.calls if call.method == "sendPhoto"]
    assert sum("photo" not in given for given in sent) == uploads


async def test_moves_are_typed_by_answering_the_board_and_refusals_go_away(
    scene: Scene, mover: Person, other: Person
) -> None:
    board, ephemeral = scene.board, scene.bot.connection.ephemeral
    example = board.marked.code[-1].removeprefix("/move ")
    await scene.say(other, example, answering=board)
    assert "patience" in scene.shown[-1].text
    assert scene.shown[-1].silent
    asked = await scene.say(mover, "a1-z9", answering=board)
    refusal = scene.shown[-1]
    assert refusal.reply_to is asked
    await ephemeral.run_until_idle()
    assert refusal in scene.shown
    await scene.bot.wait(30)
    await ephemeral.run_until_idle()
    assert refusal not in scene.shown
    assert scene.board is board
    await scene.say(mover, example, answering=board)
    assert scene.mover is other


async def test_more_cells_than_an_answer_holds_are_not_listed_but_it_says_how_one_is_tapped(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Fewer than Telegram's 200 characters, so that any throw of the dice will do.
    monkeypatch.setattr("bot.platforms.telegram.choosing.MAX_ALERT_LENGTH", 60)
    await scene.started("/play uomo-nero seats:2")
    players = Players(scene, "uomo-nero")
    while not any(each.startswith("…") for each in scene.board.labels):
        await players.play(1)
    board, mover, said = scene.board, scene.mover, list[str]()
    for piece in [each for each in first_of(board) if each[1:].isalnum() and len(each) < 5]:
        if piece not in board.labels:
            await scene.tap(mover, board, "Back")
        said.append((await scene.tap(mover, board, piece)).text or "")
    assert all(each.startswith("Where to from") for each in said)
    assert not any(each.endswith("…") for each in said)
    assert any(each.endswith("\nTap its column, then its row.") for each in said)


async def test_answers_that_go_away_do_so_after_a_restart(scene: Scene, anna: Person, bruno: Person) -> None:
    # Without a private chat they are answered in the group.
    await scene.say(anna, "/rules annuvin")
    card = scene.shown[-1]
    assert "Annuvin" in card.text
    assert scene.bot.connection.ephemeral.owner(card.chat.id, card.id) == anna.id
    await scene.bot.restart()
    tap = await scene.tap(bruno, card, card.labels[0])
    assert tap.alert
    assert "somebody else" in (tap.text or "")
    await scene.bot.wait(300)
    await scene.bot.connection.ephemeral.run_until_idle()
    assert card.deleted


async def test_unknown_callback_data_is_ignored(scene: Scene, mover: Person) -> None:
    board = scene.board
    for data in ("nonsense", "c:ZZZZZZ:1=a1", "x" * 64, "-"):
        await mover.tap_data(board, data)
    await scene.bot.settle()
    assert (scene.board, board.edits) == (board, 0)


async def test_ten_people_tap_the_same_button_at_once(scene: Scene, anna: Person) -> None:
    others = [scene.person(f"Guest{number}") for number in range(10)]
    await scene.say(anna, "/play annuvin")
    lobby = scene.board
    taps = await asyncio.gather(*(other.begin_tap(lobby, "Join") for other in others))
    await scene.finish()
    await asyncio.gather(*(tap.answered.wait() for tap in taps))
    assert (sum(tap.alert for tap in taps), sum(not tap.alert for tap in taps)) == (9, 1)
    assert len([message for message in scene.shown if message.photo]) == 1
    mover, board = scene.mover, scene.board
    data = data_of(board, first_of(board)[0])
    taps = await asyncio.gather(*(each.tap_data(board, data) for each in scene.people.values()))
    await scene.bot.settle()
    assert [tap.alert for tap in taps if tap.who is mover.account] == [False]
    assert all(tap.alert for tap in taps if tap.who is not mover.account)
    assert board.edits == 0


async def test_position_in_words_is_shown_on_request_and_an_offer_answers_the_board(
    scene: Scene, mover: Person, other: Person
) -> None:
    tap = await scene.tap(other, scene.board, "In words")
    assert tap.alert
    assert "pieces on b1, c1" in (tap.text or "")
    board = scene.board
    await scene.tap(mover, board, "More")
    assert scene.bot.connection.ephemeral.owner(scene.group.id, scene.shown[-1].id) == mover.id
    await scene.say(mover, "/draw")
    assert "Agree: draw" in scene.shown[-1].labels
    assert scene.shown[-1].reply_to is board, "an offer answers the board that it is about"


async def test_a_long_position_in_words_comes_as_an_answer_to_the_board(scene: Scene) -> None:
    _, other = await scene.started("/play vedova-nera seats:3", "Bruno", "Carla")
    await scene.tap(other, scene.board, "In words")
    message = scene.shown[-1]
    assert message.reply_to is scene.board
    assert other.account.first_name in message.text
    assert len(message.text) > 200


async def test_commands_for_other_bots_and_talk_are_passed_over(scene: Scene, mover: Person, anna: Person) -> None:
    shown = len(scene.shown)
    message = await scene.say(anna, "/play@other_bot annuvin")
    await scene.telegram.update(message=message.to_json())
    talk = await scene.say(mover, "what a nice day")
    await scene.telegram.update(message=talk.to_json())
    await scene.bot.settle()
    assert len(scene.shown) == shown
    await scene.say(anna, "/help@tavoliere_bot")
    assert len(scene.shown) == shown + 1


async def test_alone_with_the_bot_moves_are_simply_typed(scene: Scene, anna: Person, bruno: Person) -> None:
    lobby = await scene.say_alone(anna, "/play annuvin")
    code = lobby.buttons[-1]["copy_text"]["text"].partition("=")[2]
    await scene.say_alone(bruno, f"/join {code}")
    boards = {who: scene.private(who)[-1] for who in (anna, bruno)}
    assert all(board.photo for board in boards.values())
    called = {who: board.marked.called for who, board in boards.items() if board.marked.called}
    ((mover, numbers),) = called.items()
    assert numbers == [mover.id]
    newest = await scene.say_alone(mover, boards[mover].marked.code[-1])
    assert newest is not boards[mover]
    assert mover.id not in newest.marked.called
    assert code in "".join((await scene.say_alone(mover, "/games")).labels)


async def test_a_command_that_answers_a_board_means_the_game_on_it(scene: Scene, anna: Person, bruno: Person) -> None:
    boards = []
    for _ in range(2):
        await scene.say(anna, f"/play annuvin board:square @{bruno.account.username}")
        await scene.tap(bruno, scene.board, "Accept")
        boards.append(scene.board)
    await scene.say(anna, "/resign")
    assert "Which game" in scene.shown[-1].text
    for board in boards:
        await scene.say(anna, "/resign", answering=board)
        assert "Do you really want to give up" in scene.shown[-1].text


async def test_reply_to_a_lesson_goes_to_the_lesson(scene: Scene, anna: Person, bruno: Person) -> None:
    lesson = await scene.say_alone(anna, "/learn annuvin")
    assert scene.private(anna) == [lesson]
    await scene.say(anna, f"/play annuvin board:square @{bruno.account.username}")
    await scene.tap(bruno, scene.board, "Accept")
    if scene.mover.id != anna.id:
        await scene.say(bruno, "/move a1-a2")
    assert scene.mover.id == anna.id
    board = scene.board
    newest = await scene.say_alone(anna, "d2-d7", answering=lesson)
    assert missing_from(newest.text, "step 1 of 8", "no farther than 1") == []
    done = await scene.say_alone(anna, "d2-d3", answering=newest)
    assert "That is all there is to a move" in done.text
    assert scene.board is board


async def test_names_are_never_links_and_nothing_typed_has_a_preview(scene: Scene) -> None:
    scene.people["Anna"] = scene.person("win.example/now")
    mover, other = await scene.started("/play annuvin", "https://evil.example #tag")
    await scene.say(mover, "/move evil.example/x")
    for each in (mover, other):
        scene.alone(each)
    await scene.say(other, "/profile")
    await scene.say(mover, "/games")
    shown = [*scene.shown, *scene.private(mover), *scene.private(other)]
    said = [message.text.replace("\u200b", "") for message in shown]
    assert any("win.example/now" in text for text in said)
    assert any("https://evil.example #tag" in text for text in said)
    # The fake notes what becomes a link, and texts that would have a preview.
    assert scene.telegram.lapses == []


# What else is read is tested where all fronts meet: tests/bot/test_plain_typing.py.
@pytest.mark.parametrize("form", ["quotes", "full width"])
async def test_commands_and_payloads_are_read_as_phones_type_them(scene: Scene, anna: Person, form: str) -> None:
    typed, mario = TYPING_FORMS[form], scene.person("Mario D\u2019Rossi")
    await scene.say(mario, "/help")
    # Telegram itself knows a command by its slash, and tells the bot of nothing else in a group.
    await scene.say(anna, "/play " + typed('annuvin @"Mario D\'Rossi" board:square'))
    row = await scene.row()
    assert (row.options["board"], [entry.state for entry in row.seats]) == ("square", ["joined", "invited"])
    assert row.seats[1].person == (await scene.bot.store.people.find("Mario D'Rossi"))[0].id
    await scene.say_alone(mario, f"/start {typed(row.id)}")
    assert (await scene.row()).status == "playing"
    table = await scene.bot.tavoliere.context.table(row.id)
    mover = mario if table.mover == table.seat_of(row.seats[1].person or 0) else anna
    await scene.say(mover, "/move " + typed(table.playing.state.legal_actions()[0].text))
    assert (await scene.row()).revision > table.row.revision
