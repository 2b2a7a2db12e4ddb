"""Forms in Discord's own windows: opened first of all, filled in page by page, kept in a private message."""

import pytest

from bot.platforms.discord import dispatcher
from tests.discord.harness import Scene, hold
from tests.fakes.discord.answering import DEFERRED, WINDOW
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Interaction
from tests.support.comparing import missing_from
from tests.support.present import present


def ids(opened: Interaction) -> list[str]:
    """Return the ids of the parts of an opened window."""
    return [part["component"]["custom_id"] for part in present(opened.window)["components"]]


async def press(scene: Scene, person: Person, label: str) -> Interaction:
    """Press a button below the newest private message."""
    message = person.newest_private
    found = [part for part in message.pressable if part["label"].startswith(label)]
    found = [part for part in found if part["label"] == label] or found
    assert len(found) == 1, message.labels
    pressed = await person.press_part(message, found[0])
    await scene.bot.settle()
    return pressed


async def test_settings_open_a_window_that_stores_them_page_by_page(scene: Scene, anna: Person) -> None:
    opened = await scene.command(anna, "settings")
    assert opened.answer == WINDOW
    assert ids(opened) == ["language", "theme", "side", "text", "notices"]
    assert present(opened.window)["title"] == "Your settings"
    await scene.fill(anna, opened, theme="dark")
    assert "Look of the boards: **dark**" in anna.newest_private.text
    second = await press(scene, anna, "Open: Reminders")
    assert second.answer == WINDOW
    await scene.fill(anna, second, timezone="Atlantis")
    assert "I do not know the time zone" in anna.newest_private.text
    third = await press(scene, anna, "Open: Reminders")
    (zone,) = [part for part in present(third.window)["components"] if part["component"]["custom_id"] == "timezone"]
    assert zone["component"]["value"] == "Atlantis"
    await scene.fill(anna, third, timezone="Rome", reminders="off")
    assert "Time zone: **Europe/Rome**" in anna.newest_private.text
    assert len(anna.private) == 1, "one message, which is edited"
    (person,) = await scene.bot.tavoliere.context.store.people.find("Anna")
    assert {"theme": "dark", "reminders": False, "timezone": "Europe/Rome"}.items() <= person.settings.items()


async def test_window_in_italian_has_its_words(scene: Scene) -> None:
    anna = scene.person("Anna", "it")
    opened = await scene.command(anna, "settings")
    assert present(opened.window)["title"] == "Le tue impostazioni"
    assert present(opened.window)["components"][0]["label"] == "Lingua"


async def test_cup_is_made_in_windows_and_what_depends_on_a_choice_is_on_a_later_one(
    scene: Scene, anna: Person
) -> None:
    opened = await scene.command(anna, "cup", game="vedova-nera")
    assert ids(opened)[:1] == ["format"]
    assert not {"rounds", "seats", "players"} & set(ids(opened))
    await scene.fill(anna, opened, format="tables", clock="3d")
    assert "Format: **tables**" in anna.newest_private.text
    second = await press(scene, anna, "Open: For how many")
    assert {"players", "rounds", "seats"} <= set(ids(second))
    await scene.fill(anna, second, players="16", rounds="2")
    assert missing_from(anna.newest_private.text, "Format: **tables**", "For how many: **16 people**") == []
    await press(scene, anna, "Make it")
    assert "is made" in anna.newest_private.text
    assert len(await scene.bot.tavoliere.context.store.competitions.list_ids()) == 1


async def test_late_window_is_a_private_message_with_a_button_for_it(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(dispatcher, "ANSWER_TIMEOUT_SECONDS", 0.01)
        may_go_on = hold(patched, scene.bot.tavoliere, "command")
        sent = await anna.send_command("settings")
        await scene.discord.until(lambda: sent.answer is not None, "an acknowledgement")
        may_go_on.set()
        await scene.bot.settle()
    assert sent.answer == DEFERRED
    assert "Your settings" in anna.newest_private.text
    opened = await press(scene, anna, "Open: Language")
    assert opened.answer == WINDOW


async def test_people_are_chosen_from_those_of_the_server(scene: Scene, anna: Person, bruno: Person) -> None:
    await scene.command(anna, "play")
    await press(scene, anna, "La Vedova Nera")
    opened = await press(scene, anna, "Open: Opponent")
    await scene.fill(anna, opened, opponents=[bruno.account])
    await press(scene, anna, "Look for players")
    assert scene.board.pings == (bruno.account,)


async def test_old_form_says_that_it_is_old(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "play")
    message = anna.newest_private
    old = {**message.pressable[0], "custom_id": "0|cuppost=annuvin.021000000"}
    await scene.press_part(anna, message, old)
    assert "earlier version" in anna.newest_private.text
    opened = await scene.press(anna, anna.newest_private, "Open it anew")
    assert "A new competition" in anna.newest_private.text
    assert opened.window is None
