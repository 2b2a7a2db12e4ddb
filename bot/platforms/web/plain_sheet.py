"""A person's sheet as a page without scripts: their newest private answer, or the menu."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import parse_qs, quote

from aiohttp import web

from bot.kernel.cards import VALUE_SEPARATOR
from bot.platforms.app import Tavoliere
from bot.platforms.public.answers import choose_language
from bot.platforms.public.pages import environment
from bot.platforms.web.assets import PageWords
from bot.platforms.web.form_html import Element, draw_form, write_html
from bot.platforms.web.new_games import PageRequest
from bot.platforms.web.present import apply_page
from bot.platforms.web.request_guard import check_carried_out, read_body_as
from bot.platforms.web.room import ChatRoom
from storage import Identity, Json

SHEET_PATH: Final = "/sheet"
_MENU: Final = "menu"
_OWN_FIELDS: Final = ("as", "event", "press")
_STYLES: Final = ("page", "messages", "panels")


class PlainSheet:
    """The handlers; `names` returns the names of a browser, `parse` its request with what was sent."""

    def __init__(
        self,
        front: Tavoliere,
        room: ChatRoom,
        words: PageWords,
        names: Callable[[web.Request], Awaitable[list[Identity]]],
        parse: Callable[[web.Request, Json], Awaitable[PageRequest]],
    ) -> None:
        self._front = front
        self._room = room
        self._words = words
        self._names = names
        self._parse = parse

    def routes(self) -> list[web.RouteDef]:
        """Return the routes and their handlers."""
        return [web.get(SHEET_PATH, self.show), web.post(SHEET_PATH, self.submit)]

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the newest private answer of a name of this browser; with the menu if there is none.

        A browser without a name is led to the page, which asks for one.
        """
        if not await self._names(request):
            raise web.HTTPSeeOther("/")
        said = await self._read(request, {"as": request.query.get("as")})
        message = await self._room.find_sheet(said.speaker)
        if message is None:
            event = secrets.token_hex(12)
            reply = check_carried_out(await self._front.command(said.request(event), _MENU, {}))
            await self._room.reply(said.speaker, event, reply)
            message = await self._room.find_sheet(said.speaker)
        card: Json = {"text": [], "rows": []} if message is None or message.card is None else apply_page(message.card)
        return web.Response(text=self._draw_page(card, said), content_type="text/html")

    async def submit(self, request: web.Request) -> web.Response:
        """Handle a form or a button of the page, and answer with the resulting page."""
        body = await read_body_as(request, "application/x-www-form-urlencoded", _read_sent)
        values = {name: value for name, value in body.items() if name not in _OWN_FIELDS}
        said = await self._read(request, {**body, "values": values})
        event, press = said.event, said.press
        message = await self._room.find_sheet(said.speaker)
        asking = said.request(event, None if message is None else str(message.id))
        doing = self._front.fill(asking, press, said.values) if values else self._front.press(asking, press)
        await self._room.reply(said.speaker, event, check_carried_out(await doing), to=message)
        raise web.HTTPSeeOther(f"{SHEET_PATH}?as={quote(said.speaker.user_id)}")

    async def _read(self, request: web.Request, sent: Json) -> PageRequest:
        """Return the request of the name in what was sent, or else of the newest name, in the browser's language."""
        speaker = sent.get("as") or next((name.user_id for name in reversed(await self._names(request))), None)
        language = choose_language(request, self._front.context.texts, "en")
        return await self._parse(request, {**sent, "as": speaker, "language": language})

    def _draw_page(self, card: Json, said: PageRequest) -> str:
        sent = {"as": said.speaker.user_id, "event": secrets.token_hex(12)}
        hidden: list[Element] = [["input", {"type": "hidden", "name": key, "value": sent[key]}] for key in sent]
        form = ""
        if card.get("form") is not None:
            name, attributes, *children = draw_form(card["form"])
            form = write_html([name, attributes, *hidden, *children])
        listed = [*([card["actions"]] if card.get("actions") else []), *card["rows"]]
        return (
            environment("bot.platforms.web")
            .get_template("sheet.html")
            .render(
                language=said.reader.language,
                styles=_STYLES,
                label=self._words.for_language(said.reader.language)["private.label"],
                name=said.speaker.name,
                card=card,
                form=form,
                hidden="".join(map(write_html, hidden)),
                rows=[row["options"] if isinstance(row, dict) else row for row in listed],
                panels=card.get("panels", ()),
            )
        )


def _read_sent(text: str) -> Json:
    """Return the values that a browser sends; several values of a field are joined, without the hidden default."""
    sent = parse_qs(text, keep_blank_values=True)
    return {name: VALUE_SEPARATOR.join(values[1:] or values) for name, values in sent.items()}
