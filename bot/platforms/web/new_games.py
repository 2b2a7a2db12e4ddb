"""Data of the page's new-game panel: each game with its options, computer levels, and clocks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from bot.kernel.cards import MAX_FORM_TEXT_LENGTH, MAX_PRESS_BYTES
from bot.kernel.presses import game_of_press, private_board
from bot.kernel.requests import ClientEntropy, OpenBoard, Reply, Request, User
from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.table import Table
from bot.kernel.texts import Speaker
from bot.lobby.cards import clock_name
from bot.lobby.form import OWN_CLOCK
from bot.platforms.web.boards import BoardQuery, is_code, read_side, read_theme
from bot.platforms.web.present import card_to_json, headline_to_json, table_to_json
from bot.platforms.web.request_guard import Rejected
from bot.platforms.web.room import ROOM_PLACE, ChatRoom, card_presses
from bot.platforms.web.sessions import PLATFORM
from bot.table.card_parts import headline
from bot.table.clocks import CLOCK_NAMES, parse_time_control
from engine import Game, games
from engine.search import LEVELS
from storage import Identity, Json, RoomMessage, Store, read_code


def games_to_json(speaker: Speaker) -> list[Json]:
    """Return the playable games in the speaker's language: description, numbers of players, and options."""
    voices = [(game, speaker.of(key)) for key, game in games.items()]
    return [
        {
            "key": game.key,
            "name": voice.game_name(),
            "about": voice.line("tagline"),
            "seats": [game.seats[0], game.seats[-1]],
            "options": _options(game, voice),
            "lesson": lesson_of(game.key) is not None,
        }
        for game, voice in voices
        if voice.has("name")
    ]


def choices_to_json(speaker: Speaker) -> Json:
    """Return the choices common to all games: computer levels and clocks."""
    return {
        "levels": [{"value": str(level), "label": speaker.line(f"computer.{level}")} for level in LEVELS],
        "clocks": [
            {
                "group": speaker.line(f"clock.kind.{kind}"),
                "values": [{"value": name, "label": clock_name(speaker, parse_time_control(name))} for name in names],
            }
            for kind, names in CLOCK_NAMES.items()
        ],
        "own": speaker.line(f"clock.kind.{OWN_CLOCK}"),
    }


def _options(game: Game, voice: Speaker) -> list[Json]:
    return [
        {
            "name": name,
            "label": voice.line(f"option.{name}"),
            "usual": str(option.default),
            "values": [_value(voice, name, value) for value in option.values],
        }
        for name, option in game.options.items()
    ]


def _value(voice: Speaker, name: str, value: str | int) -> Json:
    about = f"option.{name}.{value}.about"
    label = voice.line(f"option.{name}.{value}")
    return {"value": str(value), "label": label, "about": voice.line(about) if voice.has(about) else ""}


async def invitation_to_json(store: Store, speaker: Speaker, code: str) -> Json | None:
    """Return the game with an invitation's code, with its inviter or its players; None if there is no game."""
    read = read_code(code)
    found = None if read is None else await store.games.get_with_people(read)
    if found is None:
        return None
    row, people = found
    if row.game not in games or (row.is_over and row.started_at is None):
        return None
    table = table_to_json(headline_to_json(headline(Table(row, people, row=row, line=None))), None, speaker)
    voice, starter = speaker.of(row.game), people.get(row.starter)
    return {
        "game": row.game,
        "title": table["title"],
        "about": voice.line("tagline"),
        "status": row.status,
        "names": [starter.name] if row.is_lobby and starter is not None else table["names"],
    }


MAX_TEXT_LENGTH: Final = 2000
_HASH_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
MAX_FIELDS: Final = 100
_EVENT_PATTERN: Final = re.compile(r"[0-9A-Za-z]{8,64}")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The `body` that the page or an app has sent; that of a request that only reads is the query of its address."""

    body: Mapping[str, Any]

    @property
    def event(self) -> str:
        """The sender's id for the action; Rejected if there is none."""
        event = self.body.get("event")
        if not isinstance(event, str) or not _EVENT_PATTERN.fullmatch(event):
            raise Rejected(400, "not-json")
        return event

    @property
    def values(self) -> dict[str, str]:
        """The values of a form's fields; Rejected if they are none, or too many or too long."""
        values = self.body.get("values")
        if not isinstance(values, dict) or not all(isinstance(each, str) for each in values.values()):
            raise Rejected(400, "not-json")
        if len(values) > MAX_FIELDS or any(len(each) > MAX_FORM_TEXT_LENGTH for each in values.values()):
            raise Rejected(413, "text-too-long", most=MAX_FORM_TEXT_LENGTH)
        return values

    @property
    def press(self) -> str:
        """The pressed button or cell; Rejected if there is none."""
        return self.text("press", MAX_PRESS_BYTES)

    def text(self, name: str, longest: int = MAX_TEXT_LENGTH) -> str:
        """Return a text field of the body; Rejected if it is missing or too long."""
        text = self.body.get(name)
        if not isinstance(text, str):
            raise Rejected(400, "not-json")
        if len(text) > longest:
            raise Rejected(413, "text-too-long", most=longest)
        return text


@dataclass(frozen=True, slots=True)
class PageRequest(SentRequest):
    """A request of the page: who speaks, a Speaker of their language, if they manage the room, and its HTTP request."""

    speaker: Identity
    reader: Speaker
    manager: bool
    http: web.Request

    @property
    def game(self) -> str:
        """The code of the requested game; Rejected if it is malformed."""
        code = self.text("game")
        if not is_code(code):
            raise Rejected(404, "no-such-game")
        return code

    def request(self, event: str, message: str | None = None, board: OpenBoard | None = None) -> Request:
        """Return the Request for the services; event ids are unique per speaker.

        `board` is the board open before the reader.
        """
        user = User(PLATFORM, self.speaker.user_id, self.speaker.name, self.reader.language, manager=self.manager)
        return Request(
            f"{self.speaker.user_id}:{event}",
            user,
            ROOM_PLACE,
            message,
            theme=read_theme(self.body),
            side=read_side(self.body),
            ids="chosen",
            on_screen=True,
            pledge=self._client_entropy(),
            board=board,
        )

    def query(self, event: str = "looking", message: str | None = None, board: OpenBoard | None = None) -> BoardQuery:
        """Return the question about a board; a request that only reads needs no unique event id."""
        return BoardQuery(self.request(event, message, board), self.reader, self.speaker.person, self.body)

    def _client_entropy(self) -> ClientEntropy | None:
        """Return the browser's entropy for chance events; malformed hashes and game codes are ignored."""
        given = self.body.get("chance")
        if not isinstance(given, dict):
            return None
        chain, link = (
            value if isinstance(value, str) and _HASH_PATTERN.fullmatch(value) else None
            for value in (given.get("chain"), given.get("link"))
        )
        game = given.get("game")
        if (given.get("link") is None) != (link is None):
            return None  # a malformed link must not count as a lost chain
        return ClientEntropy(chain, game if is_code(game) else None, link)


MAX_NOTE_LENGTH: Final = 200
"""Maximum length of an answer shown below a board; longer ones are shown in the conversation."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The `board` open before the reader, None for none, and the `message` that shows it, if any."""

    board: OpenBoard | None = None
    message: RoomMessage | None = None

    def place_of(self, reply: Reply, *, typed_move: bool) -> RoomMessage | None:
        """Return the message that a reply replaces or is attached to; None if there is none.

        `typed_move`: the typed text was a move for the board.
        """
        card, board = reply.card, self.board
        if self.message is None or board is None or card is None or not reply.private:
            return None
        carried = list(card_presses(card_to_json(card)))
        if board.kind != "game":
            return self.message if reply.update and private_board(carried) == board else None
        games = {game for each in carried if (game := game_of_press(each)) is not None}
        length = sum(len(span.text) for span in card.text)
        about = games == {board.code} and (card.picture is not None or length <= MAX_NOTE_LENGTH)
        return self.message if not reply.apart and (typed_move or about) else None


async def read_opened(room: ChatRoom, said: PageRequest) -> Opened:
    """Return the board that a request says is open: a private one by message, a game by code.

    Anything else, and boards that this reader may not see, count as none.
    """
    opened = said.body.get("open")
    if not isinstance(opened, dict):
        return Opened()
    message = await room.message(said.speaker, opened.get("message"))
    if message is not None and message.recipient == said.speaker.person and message.card is not None:
        board = private_board(card_presses(message.card))
        if board is not None:
            return Opened(board, message)
    code = opened.get("game")
    if not is_code(code):
        return Opened()
    standing = next((number for number, table in room.tables().items() if table["code"] == code), None)
    return Opened(OpenBoard("game", code), await room.message(said.speaker, standing))
