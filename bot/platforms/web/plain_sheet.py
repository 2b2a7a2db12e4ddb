"""A person's sheet as a page without scripts: their newest private answer, or the menu."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import parse_qs, quote

from aiohttp import web

from bot.platforms.app import Tavoliere
from bot.platforms.web.assets import PageWords
from bot.platforms.web.form_html import Element, draw_form, read_fields, write_html
from bot.platforms.web.new_games import PageRequest, read_text, read_values
from bot.platforms.web.present import Json, apply_page
from bot.platforms.web.request_guard import Rejected, check_carried_out, read_body_as
from bot.platforms.web.room import ChatRoom
from storage import Identity

SHEET_PATH: Final = "/sheet"
_MENU: Final = "menu"
_OWN_FIELDS: Final = ("as", "event", "press")
_STYLES: Final = ("page", "messages", "panels")


class PlainSheet:
    """The handlers; `names` returns the names of a browser, `manages` returns True if it manages the room."""

    def __init__(
        self,
        front: Tavoliere,
        room: ChatRoom,
        words: PageWords,
        names: Callable[[web.Request], Awaitable[list[Identity]]],
        manages: Callable[[web.Request], bool],
    ) -> None:
        self._front = front
        self._room = room
        self._words = words
        self._names = names
        self._manages = manages

    def routes(self) -> list[web.RouteDef]:
        """Return the routes and their handlers."""
        return [web.get(SHEET_PATH, self.show), web.post(SHEET_PATH, self.submit)]

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the newest private answer of a name of this browser; with the menu if there is none.

        A browser without a name is led to the page, which asks for one.
        """
        if not await self._names(request):
            raise web.HTTPSeeOther("/")
        said = await self._read(request, request.query.get("as", ""), {})
        message = await self._room.find_sheet(said.speaker)
        if message is None:
            event = secrets.token_hex(12)
            reply = check_carried_out(await self._front.command(said.request(event), _MENU, {}))
            await self._room.reply(said.speaker, event, reply)
            message = await self._room.find_sheet(said.speaker)
        card: Json = {"text": [], "rows": []} if message is None or message.card is None else apply_page(message.card)
        page = _draw_page(card, said, self._words.for_language(said.reader.language))
        return web.Response(text=f"<!doctype html>{write_html(page)}", content_type="text/html")

    async def submit(self, request: web.Request) -> web.Response:
        """Handle a form or a button of the page, and answer with the resulting page."""
        body = await read_body_as(request, "application/x-www-form-urlencoded", _read_sent)
        values = {name: value for name, value in body.items() if name not in _OWN_FIELDS}
        said = await self._read(request, body.get("as", ""), {**body, "values": values})
        event, press = said.event, read_text(body, "press", 64)
        message = await self._room.find_sheet(said.speaker)
        asking = said.request(event, None if message is None else str(message.id))
        doing = self._front.fill(asking, press, read_values(said.body)) if values else self._front.press(asking, press)
        await self._room.reply(said.speaker, event, check_carried_out(await doing), to=message)
        raise web.HTTPSeeOther(f"{SHEET_PATH}?as={quote(said.speaker.user_id)}")

    async def _read(self, request: web.Request, user: str, body: Json) -> PageRequest:
        names = await self._names(request)
        speaker = next((each for each in reversed(names) if user in ("", each.user_id)), None)
        if speaker is None:
            raise Rejected(403, "not-yours")
        wanted = request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0]
        return PageRequest(speaker, self._words.speaker(wanted), body, self._manages(request))


def _read_sent(text: str) -> Json:
    return read_fields(parse_qs(text, keep_blank_values=True))


def _draw_page(card: Json, said: PageRequest, words: Json) -> Element:
    hidden = [_hidden("as", said.speaker.user_id), _hidden("event", secrets.token_hex(12))]
    parts: list[Element] = [["div", {"class": "words"}, *map(_draw_span, card["text"])]]
    if card.get("form") is not None:
        name, attributes, *children = draw_form(card["form"])
        parts.append([name, attributes, *hidden, *children])
    listed = [*([card["actions"]] if card.get("actions") else []), *card["rows"]]
    rows = [row["options"] if isinstance(row, dict) else row for row in listed]
    buttons = [["div", {"class": "row"}, *map(_draw_button, row)] for row in rows]
    buttons += [_draw_panel(panel) for panel in card.get("panels", ())]
    if buttons:
        parts.append(["form", {"class": "rows", "method": "post"}, *hidden, *buttons])
    head = ["p", {"class": "secret-head"}, f"{words['private.label']}: {said.speaker.name}"]
    styles = [["link", {"rel": "stylesheet", "href": f"/static/{each}.css"}] for each in _STYLES]
    viewport = ["meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}]
    main = ["main", {"class": "secret"}, head, *parts]
    return [
        "html",
        {"lang": said.reader.language},
        ["head", {}, ["meta", {"charset": "utf-8"}], viewport, ["title", {}, "Tavoliere"], *styles],
        ["body", {"class": "scriptless"}, ["h1", {"class": "unseen"}, "Tavoliere"], main],
    ]


def _draw_span(span: Json) -> Element:
    name = "strong" if span.get("bold") or span.get("person") is not None else "code" if span.get("code") else "span"
    return [name, {}, span["text"]]


def _draw_panel(panel: Json) -> Element:
    return ["section", {"class": "panel"}, ["h2", {}, panel["title"]], ["ul", {}, *map(_draw_tile, panel["tiles"])]]


def _draw_tile(tile: Json) -> Element:
    lead = [["span", {"class": "lead"}, tile["lead"]]] if tile["lead"] else []
    words: list[Element] = [*lead, ["strong", {}, tile["label"]], ["span", {"class": "note"}, tile["note"]]]
    if not tile["press"]:
        return ["li", {}, ["div", {"class": "panel-tile"}, *words]]
    pressed = {"class": "panel-tile", "name": "press", "value": tile["press"]}
    return ["li", {}, ["button", pressed, *words]]


def _draw_button(button: Json) -> Element:
    shown = {"class": f"key {button['style']}", "name": "press", "value": button["press"]}
    return ["button", {**shown, **({"disabled": ""} if button["disabled"] else {})}, button["label"]]


def _hidden(name: str, value: str) -> Element:
    return ["input", {"type": "hidden", "name": name, "value": value}]
