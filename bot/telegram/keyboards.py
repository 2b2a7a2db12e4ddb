"""Inline keyboards as the Bot API has them in JSON.

A keyboard is larger than all else in a message, and every board has a new one: to make, to send and to read its buttons
as objects of the library takes several times as long.
"""

import json
from collections.abc import Iterator
from typing import Any

KeyboardButton = dict[str, Any]
"""A button: its `text`, and what it does (https://core.telegram.org/bots/api#inlinekeyboardbutton)."""
Keyboard = list[list[KeyboardButton]]
"""The rows of a keyboard."""


def list_presses(keyboard: Keyboard | None) -> Iterator[str]:
    """Yield what the buttons of a keyboard send back, of those that do."""
    for row in keyboard or ():
        for button in row:
            if (data := button.get("callback_data")) is not None:
                yield data


def keyboard_arguments(keyboard: Keyboard | None) -> dict[str, Any]:
    """Return the arguments by which a method of the library puts a keyboard below a message, or none."""
    if keyboard is None:
        return {}
    # Encoded already, it is passed on as it is: the library would encode it twice.
    return {"api_kwargs": {"reply_markup": json.dumps({"inline_keyboard": keyboard})}}
