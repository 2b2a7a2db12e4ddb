"""Groups, topics and private chats: floods, limits, being added and removed, changing ids, settings."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.kernel.features import commands_on
from bot.kernel.requests import Reply, Request
from bot.people.standings.service import Leaderboard, Period, Rank
from bot.platforms.telegram.calls import CallKind
from render.charts import LeaderboardRow
from tests.fakes.telegram.people import Person
from tests.support.comparing import missing_from
from tests.telegram.harness import Scene


async def test_a_flood_in_one_group_leaves_another_alone(scene: Scene, mover: Person, other: Person) -> None:
    elsewhere = Scene(scene.telegram, scene.bot)
    elsewhere.group = scene.telegram.group("Others", mover.account, other.account)
    elsewhere.people = {name: replace(person, here=elsewhere.group) for name, person in scene.people.items()}
    before, code = scene.board, await scene.code()
    scene.telegram.limits.flood(scene.group.id, 300)
    with scene.telegram.refusing("retry after 300"):
        await mover.say(before.marked.code[-1], answering=before)
        await scene.bot.settle()
        state = (await scene.bot.tavoliere.context.table(code)).playing.state
        for person in (other, mover):
            await person.say(f"/move {state.legal_actions()[0]} game:{code}")
        await scene.bot.settle()
        # Two moves are made; their board waits as do the words about a third, and nothing more is tried there.
        await elsewhere.started()
        for _ in range(2):
            there, board = elsewhere.mover, elsewhere.board
            await elsewhere.say(there, board.marked.code[-1], answering=board)
            assert elsewhere.mover is not there
        assert scene.board is before
    sent = scene.telegram.count("sendPhoto")
    await scene.bot.wait(301)
    assert scene.telegram.count("sendPhoto") == sent + 1, "of all boards that waited the newest alone is shown"
    assert scene.mover is mover
    await scene.bot.wait(10)
    assert before.labels == []


async def test_group_limits_hold_under_load(scene: Scene, mover: Person, other: Person) -> None:
    for _ in range(12):
        for person in (mover, other):
            await person.say("/rules annuvin")
            await person.say("a1-z9", answering=scene.board)
        await scene.bot.settle()
        scene.bot.clock.turn(seconds=2)
    await scene.bot.wait(120)
    assert scene.telegram.refused == []


async def test_topics_keep_their_games_to_themselves_and_one_that_is_gone_stops_nothing(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    forum = scene.telegram.group("Forum", anna.account, bruno.account, forum=True)
    topic = scene.telegram.topic(forum, "Games", anna.account)
    scene.go_to(forum, topic)
    await scene.say(anna, "/play annuvin")
    assert (scene.board.thread, scene.board.labels[0]) == (topic, "Join")
    await scene.tap(bruno, scene.board, "Join")
    assert scene.board.thread == topic
    mover = scene.mover
    await scene.say(mover, scene.board.marked.code[-1], answering=scene.board)
    assert scene.board.thread == topic
    await scene.say(mover, "a1-z9", answering=scene.board)
    assert {message.thread for message in scene.shown} == {topic}
    mover = scene.mover
    del scene.telegram.topics[forum.id][topic]
    with scene.telegram.refusing("thread not found"):
        await mover.say(scene.board.marked.code[-1], answering=scene.board)
        await scene.bot.settle()
    scene.go_to(forum)
    await scene.say(anna, "/board")
    assert scene.board.photo is not None
    assert scene.board.thread is None


async def test_topics_of_a_private_chat_keep_their_games_to_themselves(scene: Scene) -> None:
    # A bot may have topics in private chats (Bot API, sendMessage: "private chats of bots with forum topic mode
    # enabled"); messages there say is_topic_message as those of forums do.
    anna = scene.alone(scene.person("Anna"))
    anna.topic = scene.telegram.topic(anna.here, "Games", anna.account)
    scene.group = anna.here
    await scene.say(anna, "/play annuvin")
    assert (scene.board.labels[0], scene.board.thread) == ("Join", anna.topic)
    await scene.say(anna, "/games")
    assert {message.thread for message in scene.shown} == {anna.topic}


@pytest.mark.parametrize("announced", ["never", "meanwhile", "before the answer"])
async def test_group_that_migrates_while_it_is_called_is_shown_the_board_once(
    scene: Scene, anna: Person, bruno: Person, announced: str
) -> None:
    old = scene.telegram.group("Friends", anna.account, bruno.account, supergroup=False)
    scene.go_to(old)
    await scene.say(anna, "/play annuvin")
    async with scene.telegram.holding("sendPhoto") as gate:
        await bruno.begin_tap(scene.board, "Join")
        await scene.telegram.until(lambda: gate.waiting, "the board")
        new = await scene.telegram.migrate(old)
        if announced == "before the answer":
            await anna.send_service(migrate_to_chat_id=new.id)
            await scene.telegram.until(lambda: scene.telegram.listening, "the bot's listening")
            await scene.bot.connection.dispatcher.wait_until_idle()
    if announced == "meanwhile":
        await anna.send_service(migrate_to_chat_id=new.id)
    scene.go_to(new)
    await scene.bot.settle()
    assert [each.photo is not None for each in scene.shown] == [True], "at once"
    mover = scene.mover
    for _ in range(3):
        await scene.bot.wait()
    assert len(scene.shown) == 1
    await scene.say(mover, scene.board.marked.code[-1], answering=scene.board)
    assert (len(scene.shown), scene.mover is mover) == (2, False)
    assert all("upgraded to a supergroup" in error.description for _, error in scene.telegram.refused)
    scene.telegram.refused.clear()


async def test_group_that_migrates_while_its_board_is_edited_is_shown_the_board_once(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    scene.go_to(scene.telegram.group("Friends", anna.account, bruno.account, supergroup=False))
    await scene.say(anna, "/play uomo-nero seats:3")
    lobby = scene.board
    scene.group = await scene.telegram.migrate(scene.group)
    await bruno.tap(lobby, "Join")
    await scene.bot.settle()
    assert [each.labels[0] for each in scene.shown] == ["Join"], "at once"
    for _ in range(3):
        await scene.bot.wait()
    assert len(scene.shown) == 1
    assert "Bruno" in scene.board.text
    assert all("upgraded to a supergroup" in error.description for _, error in scene.telegram.refused)
    scene.telegram.refused.clear()


async def test_a_group_that_became_a_supergroup_goes_on_having_the_days_puzzle(scene: Scene, anna: Person) -> None:
    scene.group.status[anna.id] = "administrator"
    await scene.say(anna, "/puzzle daily:on hour:9")
    (daily,) = [message for message in scene.shown if message.labels == ["Try it"]]
    assert (daily.silent, daily.pings) == (True, ())
    new = await scene.telegram.migrate(scene.group)
    scene.bot.clock.turn(days=1)
    with scene.telegram.refusing("upgraded"):
        await scene.bot.settle()
        await scene.bot.wait(5)
    assert [message.labels for message in scene.telegram.shown(new)] == [["Try it"]]


async def test_welcome_uses_the_language_of_the_person_who_adds_the_bot(scene: Scene) -> None:
    anna = scene.person("Anna", "it")
    scene.group.status[scene.telegram.bot.id] = "left"
    await scene.telegram.change_bot(scene.group, anna.account, "member")
    await scene.bot.settle()
    assert "Ciao" in scene.board.text
    await scene.tap(anna, scene.board, "Gioca")
    await scene.say(anna, "/play annuvin")
    assert "cerca compagni di gioco" in scene.board.text
    before = len(scene.shown)
    await scene.telegram.change_bot(scene.group, anna.account, "administrator")
    await scene.bot.settle()
    assert len(scene.shown) == before


@pytest.mark.parametrize("registers", [pytest.param(True, id="")])
async def test_commands_and_descriptions_are_registered_in_both_languages_once(scene: Scene) -> None:
    known = scene.telegram.commands
    scopes = ("all_private_chats", "all_group_chats", "all_chat_administrators")
    assert set(known) == {(scope, language) for scope in scopes for language in ("", "it")}
    assert all((listed[0]["command"], len(listed) <= 12) == ("menu", True) for listed in known.values())
    names = [command["command"] for command in known["all_group_chats", ""]]
    assert set(names) == {name for name, command in commands_on("telegram").items() if command.listed}
    said = {language: known["all_private_chats", language][0]["description"] for language in ("", "it")}
    assert said[""] != said["it"]
    for each in (command for listed in known.values() for command in listed):
        assert missing_from(each["description"], "server", "channel") == ["server", "channel"]
    assert set(scene.telegram.descriptions) == set(scene.telegram.short_descriptions) == {"", "it"}
    assert "Annuvin" in scene.telegram.descriptions["it"]
    assert scene.telegram.menu_button == "commands"
    calls = scene.telegram.count("setMyCommands")
    await scene.bot.restart()
    assert scene.telegram.count("setMyCommands") == calls


async def test_people_who_block_the_bot_stop_nothing(scene: Scene, anna: Person, bruno: Person) -> None:
    lobby, chat = await scene.say_alone(anna, "/play annuvin"), scene.alone(anna).here
    code = next(each for each in lobby.buttons if "copy_text" in each)["copy_text"]["text"].partition("=")[2]
    chat.blocked = True
    with scene.telegram.refusing("blocked by the user"):
        await scene.say(bruno, f"/join {code}")
    assert scene.board.photo is not None
    chat.blocked = False
    assert (await scene.say_alone(anna, "/board")).photo is not None


async def test_game_below_a_channel_post_stays_in_its_comments(scene: Scene, anna: Person, bruno: Person) -> None:
    post = scene.telegram.channel_post(scene.group, "News of today")
    anna.post = bruno.post = post
    await scene.say(anna, "/play annuvin")
    lobby = scene.board
    assert "Telegram" not in lobby.text
    assert lobby.reply_to is post
    await scene.tap(bruno, lobby, "Join")
    board, mover = scene.board, scene.mover
    assert (board.reply_to, board.photo is not None) == (post, True)
    # An answer to the board says no more whose comments they are; a restart does not know it by heart.
    await scene.bot.restart()
    await scene.say(mover, board.marked.code[-1], answering=board)
    assert scene.board is not board
    assert scene.board.begun is post
    await scene.say(mover, "/help")
    assert scene.shown[-1].begun is post


async def test_a_text_that_is_no_move_is_answered_in_private(scene: Scene) -> None:
    assert "no move" in (await scene.say_alone(scene.person("Anna"), "d5-d6")).text


async def test_long_search_does_not_block_other_people(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    front, begun, done = scene.bot.tavoliere, asyncio.Event(), asyncio.Event()
    command = front.command

    async def slowly(request: Request, name: str, values: Mapping[str, str]) -> Reply:
        if name == "analyse":
            begun.set()
            await done.wait()
        return await command(request, name, values)

    monkeypatch.setattr(front, "command", slowly)
    await anna.say("/analyse")
    await begun.wait()
    await bruno.say("/play annuvin")
    await scene.telegram.until(lambda: scene.shown and "Join" in scene.shown[-1].labels, "the lobby")
    done.set()
    await scene.bot.settle()


async def test_a_reaction_takes_the_place_of_words_where_the_answer_is_in_private(scene: Scene, anna: Person) -> None:
    await scene.say(scene.alone(anna), "/help")
    before = len(scene.shown)
    asked = await scene.say(anna, "/link")
    assert (asked.reaction, len(scene.shown)) == ("👌", before)
    scene.group.reactions = frozenset()
    with scene.telegram.refusing("REACTION_INVALID"):
        asked = await scene.say(anna, "/link")
    assert asked.reaction is None
    assert "private chat" in scene.shown[-1].text


async def test_rate_limited_press_names_the_waiting_time(scene: Scene, mover: Person) -> None:
    await scene.bot.wait(60)
    board, budget = scene.board, scene.bot.connection.adapter.budget
    for _ in range(20):
        budget.acquire(scene.group.id, CallKind.BOARD)
        scene.bot.clock.turn(seconds=1.1)
    taps = await scene.play(mover, board)
    assert "seconds" in (taps[-1].text or "")
    assert "seconds" not in (taps[0].text or "")


async def test_the_list_of_games_leads_to_their_boards(scene: Scene, mover: Person) -> None:
    board = scene.board
    answer = await scene.say_alone(mover, "/games")
    assert answer.marked.links == [f"https://t.me/c/{str(scene.group.id).removeprefix('-100')}/{board.id}"]


async def test_a_server_that_knows_no_moments_in_texts_is_told_them_in_words(scene: Scene) -> None:
    anna, _ = scene.person("Anna"), await scene.started("/play annuvin clock:1d")
    scene.telegram.knows_times = False
    scene.alone(anna)
    refusal = 'Bad Request: can\'t parse entities: Unsupported start tag "tg-time" at byte offset 9'
    with scene.telegram.refusing(refusal):
        await scene.say(anna, "/games")
    listed = scene.private(anna)[-1]
    assert "Annuvin" in listed.text
    assert listed.marked.times == []
    # It is not asked again, and boards in pictures get through as well.
    await scene.play(scene.mover, scene.board)
    assert scene.board.photo
    assert scene.board.marked.times == []


@pytest.mark.parametrize("this_month", [True, False])
async def test_a_leaderboard_changes_in_place_where_it_can(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, this_month: bool
) -> None:
    anna = scene.person("Anna")
    rank = Rank(1, LeaderboardRow(1, "Anna", 3, 0, 1))

    async def ranked(context: object, requester: object, chosen: Leaderboard, period: Period, pace: str) -> list[Rank]:
        return [rank] if pace == "slow" and (this_month or period.since is None) else []

    await scene.say(anna, "/leaderboard")
    board, empty = scene.shown[-1], scene.shown[-1].text
    monkeypatch.setattr("bot.people.standings.commands.compute_leaderboard", ranked)
    await scene.tap(anna, board, "This month")
    if not this_month:
        assert board.text != empty, "a text stays one"
        await scene.say(anna, "/leaderboard")
        board = scene.shown[-1]
        await scene.tap(anna, board, "This month")
    assert (scene.shown[-1] is board, "Anna" in scene.shown[-1].text) == (this_month, this_month)
    assert board.photo, "a picture stays one"
    assert "This month" not in scene.shown[-1].labels


async def test_in_a_group_without_sound_the_turn_rings_for_who_is_to_move_alone(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    scene.group.status[anna.id] = "administrator"
    await scene.say(anna, "/settings sound:off")
    # Bruno can be written to, Anna has never opened a chat with the bot.
    await scene.say_alone(bruno, "/start")
    before = len(scene.private(bruno))
    await scene.say(anna, "/play annuvin")
    await scene.tap(bruno, scene.board, "Join")
    for _ in range(4):
        mover, board = await scene.whose_move(), scene.board
        assert board.silent
        assert board.marked.called == ([] if mover is bruno else [anna.id]), "who cannot be rung is called in silence"
        if mover is bruno:
            before += 1
            assert len(scene.private(bruno)) == before
            assert not scene.private(bruno)[-1].silent
        await scene.play(mover, board)
    await scene.say(anna, "/settings sound:on")
    await scene.say(anna, f"/resign game:{await scene.code()}")
    await scene.tap(anna, scene.shown[-1], "Yes, resign")
    assert not scene.board.silent
