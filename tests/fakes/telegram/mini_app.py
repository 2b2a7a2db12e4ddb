"""Telegram as a Mini App's page sees it: signed launch data, and a client that shows the page and speaks with it.

What is claimed here stands in these pages of Telegram's documents:

- https://core.telegram.org/bots/webapps, Initializing Mini Apps and Validating data received via the Mini App: what
  `initData` holds, and how it is signed;
- https://core.telegram.org/api/bots/webapps, Launch parameters: what stands behind the `#` of the page's address;
- https://core.telegram.org/api/web-events, Event APIs: how a page in a frame, or in a native program, tells its client
  of something (`postMessage` with JSON, `TelegramWebviewProxy.postEvent`), and how the client tells the page; that
  back and main button are shown by `is_visible`, and that the main one can be pressed only if `is_active`.
"""

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from playwright.async_api import Frame, Page, Route

from tests.support.present import present

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


CLIENT_ADDRESS: Final = "https://web.telegram.org/k/"

_CLIENT_PAGE: Final = """<!doctype html><title>Telegram</title>
<style>html, body { height: 100%; margin: 0 } iframe { border: 0; width: 100%; height: 100% }</style>
<iframe allow="clipboard-write"></iframe>
<script>
window.events = [];
window.addEventListener("message", (event) => {
  const frame = document.querySelector("iframe");
  if (event.source !== frame.contentWindow) return;
  if (typeof event.data !== "string") throw new Error("Telegram takes JSON");
  window.events.push({ origin: event.origin, ...JSON.parse(event.data) });
});
window.tell = (eventType, eventData) =>
  document.querySelector("iframe").contentWindow.postMessage(JSON.stringify({ eventType, eventData }), "*");
</script>"""

_NATIVE_PROXY: Final = """
window.events = [];
window.TelegramWebviewProxy = {
  postEvent: (eventType, data) => window.events.push({ eventType, eventData: JSON.parse(data) }),
};
window.tell = (type, data) => window.Telegram.WebView.receiveEvent(type, data);
"""


class TelegramClient:
    """A client that shows Mini Apps: in a frame of its page, or, if `native`, by themselves with a proxy put in."""

    def __init__(self, page: Page, *, native: bool = False) -> None:
        self.page = page
        self.native = native

    async def open(self, address: str, data: str, *, theme: Json = LIGHT, version: str = "8.0") -> Frame:
        """Show an app with its launch parameters behind the `#`, and return its frame."""
        launch = {
            "tgWebAppData": data,
            "tgWebAppVersion": version,
            "tgWebAppPlatform": "ios" if self.native else "web",
            "tgWebAppThemeParams": json.dumps(theme),
        }
        url = f"{address}#{urlencode(launch)}"
        if self.native:
            await self.page.add_init_script(_NATIVE_PROXY)
            await self.page.goto(url)
            return self.page.main_frame

        async def show(route: Route) -> None:
            await route.fulfill(content_type="text/html", body=_CLIENT_PAGE)

        await self.page.route(CLIENT_ADDRESS, show)
        await self.page.goto(CLIENT_ADDRESS)
        await self.page.evaluate("url => { document.querySelector('iframe').src = url }", url)
        return present(await present(await self.page.wait_for_selector("iframe")).content_frame())

    async def events(self, kind: str) -> list[Json]:
        """Return what the page has told its client of one kind."""
        found: list[Json] = await self.page.evaluate(
            "kind => window.events.filter((each) => each.eventType === kind).map((each) => each.eventData)", kind
        )
        return found

    async def until_event(self, kind: str, **data: Any) -> None:
        """Wait until the newest event of a kind has this data: it comes a moment after what caused it is shown."""
        await self.page.wait_for_function(
            "([kind, data]) => window.events.filter((each) => each.eventType === kind).slice(-1).some((each) =>"
            " Object.entries(data).every(([key, value]) => each.eventData[key] === value))",
            arg=[kind, data],
        )

    async def press_back(self) -> None:
        """Press the client's back button, which cannot be pressed while it is hidden."""
        await self._press("back_button", "is_visible")

    async def press_main(self) -> None:
        """Press the client's main button, which cannot be pressed while it is hidden or inactive."""
        await self._press("main_button", "is_visible", "is_active")

    async def _press(self, button: str, *needed: str) -> None:
        state = {"is_visible": False, "is_active": False}
        for each in await self.events(f"web_app_setup_{button}"):
            state |= each
        assert all(state[name] for name in needed), f"the {button} cannot be pressed: {state}"
        # As for taps: see UNHURRIED_TAPS in tests/web/double_taps.py.
        await self.page.evaluate("() => { window.presses += 1; }")
        await self._send(f"{button}_pressed", {})

    async def tell(self, kind: str, data: Json | None = None) -> None:
        """Tell the page of something that is no press."""
        assert not kind.endswith("_button_pressed"), "a button is pressed, where it can be"
        await self._send(kind, data or {})

    async def _send(self, kind: str, data: Json) -> None:
        await self.page.evaluate("([kind, data]) => window.tell(kind, data)", [kind, data])
