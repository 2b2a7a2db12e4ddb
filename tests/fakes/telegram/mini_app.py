"""Telegram as a Mini App's page sees it: signed launch data, and a client that shows the page and speaks with it.

What is claimed here stands in these pages of Telegram's documents:

- https://core.telegram.org/bots/webapps, Initializing Mini Apps and Validating data received via the Mini App: what
  `initData` holds, and how it is signed;
- https://core.telegram.org/api/bots/webapps, Launch parameters: what stands behind the `#` of the page's address;
- https://core.telegram.org/api/web-events, Event APIs: how a page in a frame, or in a native program, tells its client
  of something (`postMessage` with JSON, `TelegramWebviewProxy.postEvent`), and how the client tells the page.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

Json = dict[str, Any]

LIGHT: Final[Json] = {
    "bg_color": "#ffffff",
    "text_color": "#000000",
    "button_color": "#40a7e3",
    "hint_color": "#999999",
}
DARK: Final[Json] = {"bg_color": "#17212b", "text_color": "#f5f5f5", "button_color": "#5288c1", "hint_color": "#708499"}


def init_data(
    token: str, user: Json, at: datetime, *, start_param: str | None = None, signed_with: str | None = None, **more: str
) -> str:
    """Return the launch data of somebody, as the bot with a token gets it.

    `signed_with` is another bot's token, by which it is then signed.
    """
    fields = {
        "user": json.dumps(user, separators=(",", ":"), ensure_ascii=False),
        "auth_date": str(int(at.timestamp())),
        "chat_instance": "-3788475317572404878",
        "chat_type": "private",
        "signature": "made-with-a-key-that-nobody-here-has",
        **more,
    }
    if start_param is not None:
        fields["start_param"] = start_param
    key = hmac.new(b"WebAppData", (signed_with or token).encode(), hashlib.sha256).digest()
    said = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
    return urlencode({**fields, "hash": hmac.new(key, said.encode(), hashlib.sha256).hexdigest()})


def account(number: int, name: str, language: str = "en") -> Json:
    """Return somebody as `initData` names them."""
    return {"id": number, "first_name": name, "last_name": "", "username": name.lower(), "language_code": language}
