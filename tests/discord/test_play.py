"""Playing on Discord: challenges, boards, private answers, and those who press what is not theirs."""

from unittest.mock import AsyncMock

import pytest

from tests.bot.test_completion_of_games import database_away
from tests.discord.harness import Scene
from tests.discord.pages import MESSAGES, documented
from tests.discord.test_games import sit_down
from tests.fakes.discord.answering import COMMAND
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import SUPPRESS_EMBEDS, Message
from tests.support.present import present
from tests.support.tiny import Tiny
from tests.support.typing_forms import TYPING_FORMS


async def test_a_turn_is_one_message_with_one_mention_and_one_private_answer(
    scene: Scene, mover: Person, other: Person
) -> None:
    before, alt = scene.board, present(scene.board.alt)
    assert (before.picture, before.attachments[0].filename) == (Tiny.png, "annuvin.png")
    assert "turn." in alt
    first, second = before.labels[:2]
    await scene.press(mover, before, first)
    assert f"from {first}" in mover.newest_private.text
    assert (mover.newest_private.picture, mover.newest_private.labels[-1]) == (Tiny.png, "Back")
    await scene.press(mover, before, second)
    (message,) = mover.private
    assert f"from {second}" in message.text
    await scene.press(mover, message, "Back")
    (message,) = mover.private
    assert message.text.startswith("Which piece")
    await scene.press(mover, message, second)
    assert len(scene.shown) == 2
    await scene.press(mover, message, message.labels[0])
    assert (len(scene.shown), scene.board.pings, before.labels) == (3, (other.account,), [])
    assert (before.picture, before.alt) == (Tiny.png, alt)
    # What one person alone sees does not pile up.
    for person in (other, mover, other):
        await scene.press(person, scene.board, scene.board.labels[0])
        await scene.press(person, person.newest_private, person.newest_private.labels[0])
        (message,) = person.private
        assert message.text.startswith("Done")


async def test_moves_are_completed_typed_and_explained(
    scene: Scene, mover: Person, other: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await mover.complete("move", "move", move="")
    assert 0 < len(found) <= 25
    begin = found[0]["value"][:2]
    found = await mover.complete("move", "move", move=begin)
    assert all(choice["value"].startswith(begin) for choice in found)
    assert len(await other.complete("board", "game", game="")) == 1
    assert await other.complete("move", "move", move="") == []
    await scene.command(mover, "move", move="a1-h9")
    assert mover.newest_private.private
    assert len(scene.shown) == 2
    await scene.command(mover, "move", move=found[0]["value"])
    assert (scene.board.pings, len(mover.private)) == ((other.account,), 1)
    with database_away(monkeypatch):
        assert await other.complete("move", "move", move="") == []
    assert await mover.complete("move", "move", move="") == []
    assert await other.complete("move", "move", move="") != []


async def test_unknown_button_is_refused_as_out_of_date(scene: Scene, mover: Person) -> None:
    part = {**scene.board.pressable[0], "custom_id": "0|nonsense"}
    scene.board.components.append({"type": 1, "components": [part]})
    await scene.press_part(mover, scene.board, part)
    assert "out of date" in mover.newest_private.text


async def test_internal_error_is_reported_to_users(scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene.bot.tavoliere, "command", AsyncMock(side_effect=RuntimeError("broken")))
    await anna.command("help")
    await scene.discord.until(lambda: "went wrong" in anna.newest_private.text, "an answer")


async def test_answers_and_completions_use_the_language_of_each_person(scene: Scene) -> None:
    anna, bruno = scene.person("Anna", "it"), scene.person("Bruno", "de")
    for person, words in ((bruno, "Welcome"), (anna, "Questo è Tavoliere")):
        await scene.command(person, "help")
        assert words in person.newest_private.text
    names = [choice["name"] for choice in await anna.complete("play", "game", game="uomo")]
    assert names == ["Gioco dell'Uomo Nero"]
    # Options are completed for the game that is named.
    found = await anna.complete("play", "board", game="annuvin", board="")
    assert {choice["value"] for choice in found} == {"hexagon", "square"}
    assert await anna.complete("play", "board", game="real-queen", board="") == []
    await scene.command(anna, "play", game="annuvin", board="square")
    assert "Board: Square" in scene.board.text


async def test_a_game_is_taken_away_as_a_file(scene: Scene, mover: Person) -> None:
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    (code,) = {choice["value"] for choice in await mover.complete("export", "code", code="")}
    await scene.command(mover, "export", code=code)
    (file,) = mover.newest_private.files
    assert file.content.startswith(b"Tavoliere")
    assert mover.newest_private.private


async def test_a_command_that_has_changed_since_discord_learned_it_says_so(scene: Scene, anna: Person) -> None:
    commands = scene.discord.commands
    old = {"type": 3, "name": "view", "description": "How", "autocomplete": True}
    commands["board"]["options"].append(old)
    commands["show"] = commands["games"] | {"name": "show"}
    for command, options in (("board", {"view": "1"}), ("show", {})):
        await scene.command(anna, command, **options)
        assert "This command has changed" in anna.newest_private.text
    assert await anna.complete("board", "view", view="1") == []
    count = len(anna.private)
    await anna.send(
        COMMAND, {"id": "1", "name": "games", "type": 1, "options": [{"name": "move", "type": 4, "value": 7}]}
    )
    await scene.discord.until(lambda: len(anna.private) > count, "an answer")
    await scene.bot.settle()


async def test_several_people_are_challenged_at_once_but_no_bots(
    scene: Scene, anna: Person, bruno: Person, carla: Person
) -> None:
    await scene.command(anna, "play", game="annuvin", opponent=scene.discord.bot)
    assert "bots do not play" in anna.newest_private.text
    assert scene.shown == []
    await scene.command(anna, "play", game="vedova-nera", opponent=bruno.account, opponent2=carla.account)
    assert set(scene.board.pings) == {bruno.account, carla.account}


async def test_in_a_direct_conversation_one_can_start_and_look(scene: Scene) -> None:
    anna = scene.person("Anna", here=None)
    anna.here = scene.discord.dm(anna.account)
    await scene.command(anna, "play", game="annuvin")
    (lobby,) = scene.discord.shown(anna.here)
    assert "Annuvin" in lobby.text
    await scene.command(anna, "games")
    assert "Annuvin" in anna.newest_private.text


@pytest.mark.parametrize("newest_only", [True, False])
async def test_the_old_board_goes_or_loses_its_buttons(scene: Scene, newest_only: bool) -> None:
    if newest_only:
        owner = scene.owner
        await scene.command(owner, "settings", boards="newest")
        assert "only the newest" in owner.newest_private.text
    mover, _ = await scene.started()
    old: Message = scene.board
    await scene.move(mover)
    assert old.deleted is newest_only
    assert newest_only or old.labels == []


@documented(page=MESSAGES, says="only who is allowed to be mentioned is called")
async def test_names_are_neither_links_nor_mentions_and_nothing_typed_has_a_preview(scene: Scene) -> None:
    names = ("**@everyone** <@1> https://evil.example", "[here](https://evil.example)")
    await sit_down(scene, "annuvin", "en-US", *names)
    mover = scene.mover
    await scene.command(mover, "move", move="https://evil.example discord.gg/abc")
    said = "".join(message.text for message in (*scene.shown, *mover.private))
    assert [words in said for words in ("evil.example", "@everyone", "<@1>")] == [True, False, False]
    # The fake notes what becomes a link; a preview is not to be shown of what is sent, either.
    assert scene.discord.lapses == []
    assert all(message.flags & SUPPRESS_EMBEDS for message in scene.shown)


async def test_the_picture_of_a_tried_line_says_that_it_is_not_played(scene: Scene, other: Person) -> None:
    await scene.press(other, scene.board, "More")
    await scene.press(other, other.private[-1], "Try it out")
    tried = other.private[-1]
    await scene.press(other, tried, "1 · b1")
    await scene.press(other, tried, "2 · b2")
    assert present(tried.alt).startswith("Only tried, not played.")


async def test_options_are_read_in_every_form(scene: Scene, anna: Person) -> None:
    # What else is read is tested where all fronts meet: tests/bot/test_plain_typing.py.
    forms = [TYPING_FORMS[name] for name in ("en dash", "full width")]
    for typed, (zone, hour) in zip(forms, [("Europe/Rome", 6), ("Europe/London", 7)], strict=True):
        await scene.command(anna, "settings", timezone=typed(zone), quiet=typed(f"22-{hour}"))
        person = await scene.bot.store.people.identify("discord", str(anna.account.id), "Anna")
        assert (person.settings["quiet"], person.settings["timezone"]) == ([22, hour], zone)
    mover, _ = await scene.started()
    (code,) = await scene.bot.store.games.list_ids()
    legal = (await scene.bot.tavoliere.context.table(code)).playing.state.legal_actions()[0].text
    suggested = await mover.complete("move", "move", move=legal, game=code)
    for typed in forms:
        assert await mover.complete("move", "move", move=typed(legal), game=typed(code)) == suggested
    await scene.command(mover, "move", move=forms[0](legal), game=forms[1](code))
    assert (await scene.bot.tavoliere.context.table(code)).row.last_turn is not None
