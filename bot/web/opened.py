"""The board open in a page, resolved from the request as far as its reader may see it."""

import re
from dataclasses import dataclass
from typing import Final

from bot.interface.presses import game_of_press, private_board
from bot.interface.requests import OpenBoard, Reply
from bot.web.page_request import PageRequest
from bot.web.present import card_to_json
from bot.web.room import ChatRoom
from bot.web.room_index import card_presses
from storage import RoomMessage

MAX_NOTE_LENGTH: Final = 200
"""Maximum length of an answer shown below a board; longer ones stand in the conversation."""

_CODE: Final = re.compile(r"[0-9A-Z]{6}")


@dataclass(frozen=True, slots=True)
class Opened:
    """The `board` open before the reader, None for none, and the `message` that shows it, if any."""

    board: OpenBoard | None = None
    message: RoomMessage | None = None

    def place_of(self, reply: Reply, *, typed_move: bool = False) -> RoomMessage | None:
        """Return the message that a reply replaces or is attached to; None for neither.

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

    Anything else, or what this reader may not see, counts as none.
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
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        return Opened()
    standing = next((number for number, table in room.tables() if table["code"] == code), None)
    return Opened(OpenBoard("game", code), await room.message(said.speaker, standing))
