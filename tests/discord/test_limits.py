"""What Discord allows at most: the whole table of commands, and every card that the services can make."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import Any

import discord
import pytest

from bot.boards.lessons import welcome_card
from bot.kernel.cards import Attachment, Card, Menu, Picture
from bot.kernel.choices import Question, next_question
from bot.kernel.features import commands_on
from bot.kernel.preferences import LANGUAGES
from bot.kernel.table import Table
from bot.kernel.texts import Span, Speaker
from bot.kernel.words.describe import line_words
from bot.lobby.cards import lobby_card
from bot.lobby.service import MAX_INVITED
from bot.people.help import commands as info
from bot.platforms.app import COMMANDS
from bot.platforms.discord.commands import (
    USER_INSTALL_COMMANDS,
    command_payloads,
    localise_name,
    with_distinct_names,
)
from bot.platforms.discord.decode import lacking_permission
from bot.platforms.discord.layout import Mentions, escape, message_parts
from bot.table.cards import board_card, choosing_card, nonmember_card, over_card, resign_card
from engine import State, games
from render import draw
from tests.bot.test_limits import PEOPLE, a_row, sample_lines
from tests.engine.playing import Setting, settings
from tests.fakes.discord.clock import Clock
from tests.fakes.discord.commands import check_commands
from tests.fakes.discord.messages import LARGEST_FILE, apply
from tests.fakes.discord.schema import Json, operation, problems
from tests.fakes.discord.world import TEXT, Account, Channel, Message, Permission, Snowflakes
from tests.support.program import TEXTS
from tests.support.tiny import Tiny

CALLED = Mentions({person: 10**18 + person for person in PEOPLE})
NOTE = TEXTS.speaker("it").of("discord").say("missing.attach")
escape_once = cache(escape)


@pytest.fixture(autouse=True)
def escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each text escaped once: a long one that is cut is tried in many lengths, the same ones on every card."""
    monkeypatch.setattr("bot.platforms.discord.layout.escape", escape_once)


def shown(card: Card, *, picture: bool = True) -> Message:
    """Return the message that shows a card, checked as the fake Discord checks it."""
    made = message_parts(card, CALLED, picture=picture, note=() if picture else NOTE)
    view: Any = made.view
    body: Json = {"components": view.to_components(), "flags": 1 << 15, "nonce": "x" * 25}
    files = {}
    if made.files:
        body["attachments"] = [file.to_dict(index) for index, file in enumerate(made.files)]
        files = {index: (file.filename, file.fp.read()) for index, file in enumerate(made.files)}
    body = json.loads(json.dumps(body))
    assert problems(operation("POST /channels/{channel_id}/messages")["body"], body) == []
    clock = Clock()
    message = Message("1", Channel("2", TEXT), Account("3", "bot", "Bot"), clock.now)
    apply(message, body, files, Snowflakes(clock), new=True)
    entries = [entry for row in card.rows for entry in (row.options if isinstance(row, Menu) else row)]
    assert len(message.pressable) == len(entries)
    return message


def pictured(card: Card, alt: str) -> Card:
    return replace(card, picture=Picture(Tiny.png, alt, "board.png"))


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_cards_at_play(setting: Setting) -> None:
    row, languages = a_row(setting), cycle(LANGUAGES)
    for state, line in sample_lines(setting, 1, 29):
        speaker = TEXTS.speaker(next(languages))
        table = Table(brief=row, people=PEOPLE, row=row, line=line)
        alt = "x" * 1024
        shown(pictured(board_card(table, speaker), alt))
        shown(pictured(board_card(table, speaker), "*" * 1024), picture=False)
        shown(resign_card(table, speaker))
        if state.to_move is None:
            for language in LANGUAGES:
                shown(over_card(table, TEXTS.speaker(language)))
            continue
        for asked in questions(state):
            shown(pictured(choosing_card(table, speaker, asked), alt))
        shown(pictured(nonmember_card(table, speaker, next(questions(state), None)), alt))
        moves = line_words(speaker.of(row.game), tuple(state.legal_actions()[:3]))
        shown(Card(speaker.say("ask.played", moves=moves)))


def questions(state: State) -> Iterator[Question]:
    """Yield the first question of a position and some of those that follow."""
    actions = state.legal_actions()
    asked = next_question(state, actions)
    while isinstance(asked, Question):
        yield asked
        asked = next_question(state, actions, (*asked.path, asked.entries[-1].key))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_cards_around_games(key: str, language: str) -> None:
    speaker = TEXTS.speaker(language)
    shown(info.rules_card(speaker, key))
    row = a_row(next(setting for setting in settings() if setting.key == key), "lobby")
    for states in (("joined", "open"), ("joined", "invited"), ("joined", "declined")):
        seats = tuple(replace(seat, state=states[min(seat.number, 1)]) for seat in row.seats)
        lobby = replace(row, seats=seats)
        shown(lobby_card(Table(brief=lobby, people=PEOPLE, row=lobby, line=None), speaker))


@pytest.mark.parametrize("key", games)
def test_real_pictures_are_small_enough(key: str) -> None:
    state = next(state for state, _ in sample_lines(Setting(key, games[key].seats[-1]), 0, 29))
    png = draw(state, names=[person.name for person in PEOPLE.values()][: state.seats]).png
    assert 1000 < len(png) < LARGEST_FILE / 4
    shown(replace(Card((Span("x"),)), picture=Picture(png, "x", f"{key}.png")))


def test_a_file_is_shown_beside_the_picture_or_left_out_with_it() -> None:
    card = replace(pictured(Card((Span("Here it is"),)), "x"), file=Attachment("game.txt", b"Game: annuvin"))
    assert [each.filename for each in shown(card).attachments] == ["board.png", "game.txt"]
    assert shown(card, picture=False).attachments == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_welcome(language: str) -> None:
    shown(welcome_card(TEXTS.speaker(language), "discord"))


def test_too_long_text_is_shortened() -> None:
    long = Card((Span("*" * 6000, bold=True),), Picture(Tiny.png, "x" * 2000))
    assert len(shown(long).text) <= 4000
    assert "per" in shown(long, picture=False).text
    assert shown(Card(())).text == "…"


@pytest.fixture
def registered() -> list[Json]:
    """The commands as they are registered with Discord."""
    listed: list[Json] = json.loads(json.dumps(command_payloads(TEXTS)))
    return listed


def test_the_whole_table_of_commands(registered: list[Json]) -> None:
    assert problems(operation("PUT /applications/{application_id}/commands")["body"], registered) == []
    check_commands(registered)
    assert [command["name"] for command in slash(registered)] == list(commands_on("discord"))


def slash(registered: list[Json]) -> list[Json]:
    """Return the commands that are typed, without what is offered for a person or a message."""
    return [command for command in registered if command.get("type", 1) == 1]


def test_commands_are_named_and_described_in_both_languages(registered: list[Json]) -> None:
    commands = slash(registered)
    parts = [part for command in commands for part in (command, *command["options"])]
    assert len(parts) > 30
    english, italian = TEXTS.speaker("en"), TEXTS.speaker("it")
    for command in commands:
        known = COMMANDS[command["name"]]
        said = {"en-US": known.description(english), "it": known.description(italian)}
        assert (command["description"], command["description_localizations"]) == (said["en-US"], said)
    for part in parts:
        # English by its own key, too: else somebody's Discord may fall back to another language.
        assert part["name_localizations"]["en-US"] == part["name"]
        assert part["name_localizations"]["it"], part["name"]
        assert part["description_localizations"].keys() == {"en-US", "it"}
        assert "…" not in part["description_localizations"].values()
        for choice in part.get("choices") or []:
            assert choice["name_localizations"].keys() == {"en-US", "it"}
    block = next(command for command in commands if command["name"] == "block")
    assert [option["description"] for option in block["options"]][1:] == ["One more person"] * (MAX_INVITED - 1)
    assert block["options"][1]["name_localizations"]["it"] == "persona2"


def test_context_menus_are_named_in_both_languages(registered: list[Json]) -> None:
    menus = [command for command in registered if command not in slash(registered)]
    assert [(menu["type"], menu["name"], menu["contexts"]) for menu in menus] == [
        (2, "Challenge to a game", [0, 2]),
        (3, "Show the board", [0, 1, 2]),
    ]
    assert [menu["name_localizations"]["it"] for menu in menus] == ["Sfida a una partita", "Mostra il tavoliere"]


def test_clashing_option_names_are_made_distinct() -> None:
    def option(name: str, italian: str) -> Json:
        return localise_name(TEXTS, name, lambda _: italian)

    options = [option("board", "Tavoliere"), option("shape", "tavoliere"), option("size", "board"), option("a", "A b!")]
    names = [each["name_localizations"] for each in with_distinct_names(options)]
    english = [{"en-US": each["name"]} for each in options]
    assert names == [english[0] | {"it": "tavoliere"}, *english[1:]]


def test_commands_are_offered_where_they_work(registered: list[Json]) -> None:
    for command in slash(registered):
        alone = command["name"] in USER_INSTALL_COMMANDS
        assert command["integration_types"] == ([0, 1] if alone else [0])
        assert command["contexts"] == ([0, 1, 2] if alone else [0, 1])
        hidden = Permission.MANAGE_GUILD if COMMANDS[command["name"]].managed else None
        assert command["default_member_permissions"] == hidden
    assert any(command["default_member_permissions"] for command in registered)


def test_parameters_become_options_of_their_kind(registered: list[Json]) -> None:
    play = next(command for command in registered if command["name"] == "play")
    options = {option["name"]: option for option in play["options"]}
    assert options["game"]["autocomplete"]
    assert [options[name]["type"] for name in ("opponent", "opponent2", "opponent3", "opponent4")] == [6] * 4
    assert (options["seats"]["type"], options["seats"]["min_value"], options["seats"]["max_value"]) == (4, 2, 5)
    change = next(command for command in registered if command["name"] == "settings")
    for option in change["options"]:
        if option["name"] == "theme":
            assert [choice["value"] for choice in option["choices"]] == ["light", "dark", "contrast", "auto"]


@pytest.mark.parametrize("thread", [False, True])
def test_first_missing_permission_is_reported(thread: bool) -> None:
    needed = ["view_channel", "send_messages_in_threads" if thread else "send_messages", "attach_files"]
    keys = ["missing.view", "missing.thread" if thread else "missing.send", "missing.attach", None]
    speaker: Speaker = TEXTS.speaker("en").of("discord")
    for count, key in enumerate(keys):
        assert lacking_permission(discord.Permissions(**dict.fromkeys(needed[:count], True)), thread=thread) == key
        assert key is None or speaker.has(key)
