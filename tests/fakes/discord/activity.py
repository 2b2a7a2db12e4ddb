"""Discord as an Activity sees it: the client that shows its page in a frame, the proxy in between, and the API.

What is claimed here stands in these pages of Discord's documents:

- Activities, How Activities Work: the page stands in a frame at `<application>.discordsays.com`, gets `frame_id`,
  `instance_id` and `platform` in its address, and all that it asks goes through Discord's proxy by the mapped paths.
  Since 2025-07-30 a path means the same with the prefix `/.proxy` and without it (the change log of that day, and
  https://github.com/discord/discord-api-docs/pull/7723); the page asks without it, by relative paths. The SDK's
  `patchUrlMappings` is for addresses of other hosts, of which the page has none;
- Developer Tools, Embedded App SDK Reference: HANDSHAKE, READY, AUTHORIZE, AUTHENTICATE, SUBSCRIBE, and the event
  ACTIVITY_LAYOUT_MODE_UPDATE;
- OAuth2, Authorization Code Grant: a code is good once, with the application's id and secret;
- Application, Get Application Activity Instance: who takes part in an instance, and where it is.

The client's side of the messages is as the SDK (`@discord/embedded-app-sdk`, output/Discord.mjs) reads them.
"""

import itertools
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final, Self
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler
from playwright.async_api import Frame, Page, Route

from tests.fakes.discord.schema import USER_AGENT
from tests.fakes.distortion import Distortion
from tests.fakes.platform import refuse_if, required
from tests.support.ports import listening
from tests.support.present import present

Json = dict[str, Any]

CLIENT_ORIGIN: Final = "https://discord.com"
CLIENT_ADDRESS: Final = f"{CLIENT_ORIGIN}/channels/1/2"

_CLIENT_PAGE: Final = """<!doctype html><title>Discord</title>
<style>html, body { height: 100%; margin: 0 } iframe { border: 0; width: 100%; height: 100% }</style>
<iframe></iframe>
<script>
window.calls = [];
window.subscribed = [];
const given = { code: null, user: null };
const frame = () => document.querySelector("iframe").contentWindow;
const origin = () => new URL(document.querySelector("iframe").src).origin;
const send = (payload) => frame().postMessage([1, payload], origin());
window.show = (url, code, user) => {
  Object.assign(given, { code, user });
  document.querySelector("iframe").src = url;
};
window.dispatch = (evt, data) => window.subscribed.includes(evt) && send({ cmd: "DISPATCH", evt, data, nonce: null });
window.addEventListener("message", (event) => {
  if (event.source !== frame() || event.origin !== origin()) return;
  const [opcode, payload] = event.data;
  if (opcode === 0) {
    const config = { cdn_host: "cdn.discordapp.com", api_endpoint: "//discord.com/api", environment: "production" };
    window.calls.push(["HANDSHAKE", payload]);
    return send({ cmd: "DISPATCH", evt: "READY", data: { v: 1, config }, nonce: null });
  }
  const { cmd, args, evt, nonce } = payload;
  window.calls.push([cmd, args ?? evt]);
  if (cmd === "AUTHORIZE") {
    if (given.code === null) {
      return send({ cmd, evt: "ERROR", nonce, data: { code: 5000, message: "User declined" } });
    }
    return send({ cmd, evt: null, nonce, data: { code: given.code } });
  }
  if (cmd === "AUTHENTICATE") {
    const application = { id: "1", description: "", icon: null, rpc_origins: [], name: "Tavoliere" };
    const user = { ...given.user, discriminator: "0", public_flags: 0, avatar: null };
    const data = { access_token: args.access_token, user, scopes: ["identify"], expires: "2030-01-01", application };
    return send({ cmd, evt: null, nonce, data });
  }
  if (cmd === "SUBSCRIBE") {
    window.subscribed.push(evt);
    return send({ cmd, evt: null, nonce, data: { evt } });
  }
  send({ cmd, evt: "ERROR", nonce, data: { code: 4000, message: "unknown here" } });
});
</script>"""


@dataclass
class ActivityApi:
    """The routes of Discord's API that a launch needs; `url` stands in the place of `discord.http.Route.BASE`."""

    application: str
    token: str
    secret: str
    people: dict[str, Json] = field(default_factory=dict)
    instances: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Json] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    url: str = ""
    broken: bool = False
    distortion: Distortion | None = None
    _access: dict[str, str] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._distort])
        app.add_routes(
            [
                web.post("/oauth2/token", self._exchange),
                web.get("/oauth2/applications/@me", self._me),
                web.get("/users/@me", self._user),
                web.get("/applications/{application}/activity-instances/{instance}", self._instance),
                web.get("/channels/{channel}", self._channel),
            ]
        )
        self.url = f"http://127.0.0.1:{await self._stack.enter_async_context(listening(app))}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def code_for(self, user: str) -> str:
        """Return a code as AUTHORIZE gives it for somebody."""
        code = f"code{next(self._numbers)}"
        self.codes[code] = user
        return code

    def join(self, instance: str, user: str, channel: str, guild: str | None = "9") -> None:
        """Have somebody take part in an instance in a channel."""
        location = {"id": f"gc-{guild}-{channel}", "kind": "gc" if guild else "pc", "channel_id": channel}
        location |= {"guild_id": guild} if guild else {}
        self.instances.setdefault(instance, {"location": location, "users": []})["users"].append(user)

    @web.middleware
    async def _distort(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        answer = await handler(request)
        if self.distortion is None or not self.distortion.choose(request.path):
            return answer
        assert isinstance(answer, web.Response)
        assert isinstance(answer.body, bytes)
        return self.distortion.distort(json.loads(answer.body)).response()

    def _check(self, request: web.Request) -> None:
        refuse_if(self.broken, web.HTTPBadGateway())
        refuse_if(not USER_AGENT.match(request.headers.get("User-Agent", "")), web.HTTPForbidden())
        bots = request.path.startswith(("/applications", "/channels", "/oauth2/applications"))
        refuse_if(bots and request.headers.get("Authorization") != f"Bot {self.token}", web.HTTPUnauthorized())

    async def _exchange(self, request: web.Request) -> web.Response:
        self._check(request)
        form = await request.post()
        user = self.codes.pop(str(form.get("code")), None)
        right = (form.get("client_id"), form.get("client_secret")) == (self.application, self.secret)
        if user is None or not right or form.get("grant_type") != "authorization_code":
            return web.json_response({"error": "invalid_grant"}, status=400)
        access = f"access{next(self._numbers)}"
        self._access[access] = user
        return web.json_response({"access_token": access, "token_type": "Bearer", "scope": "identify"})

    async def _me(self, request: web.Request) -> web.Response:
        self._check(request)
        return web.json_response({"id": self.application, "name": "Tavoliere"})

    async def _user(self, request: web.Request) -> web.Response:
        self._check(request)
        access = request.headers.get("Authorization", "").removeprefix("Bearer ")
        user = required(self._access.get(access), web.HTTPUnauthorized())
        return web.json_response({"id": user, **self.people[user]})

    async def _instance(self, request: web.Request) -> web.Response:
        self._check(request)
        refuse_if(request.match_info["application"] != self.application, web.HTTPNotFound())
        found = required(self.instances.get(request.match_info["instance"]), web.HTTPNotFound())
        return web.json_response({"application_id": self.application, **found})

    async def _channel(self, request: web.Request) -> web.Response:
        self._check(request)
        return web.json_response(required(self.channels.get(request.match_info["channel"]), web.HTTPForbidden()))


@dataclass
class DiscordClient:
    """A client that shows an Activity in a frame of another origin."""

    page: Page
    application: str

    @property
    def origin(self) -> str:
        """Where the Activity's page stands: at Discord's proxy."""
        return f"https://{self.application}.discordsays.com"

    async def open(self, instance: str, channel: str, code: str | None, user: Json) -> Frame:
        """Show the Activity; without a `code` its user declines to say who they are. Returns its frame."""

        async def show(route: Route) -> None:
            await route.fulfill(content_type="text/html", body=_CLIENT_PAGE)

        await self.page.route(CLIENT_ADDRESS, show)
        await self.page.goto(CLIENT_ADDRESS)
        query = {"instance_id": instance, "frame_id": "frame-1", "platform": "desktop", "channel_id": channel}
        url = f"{self.origin}/?{urlencode(query)}"
        await self.page.evaluate("([url, code, user]) => window.show(url, code, user)", [url, code, user])
        return present(await present(await self.page.wait_for_selector("iframe")).content_frame())

    async def calls(self) -> list[tuple[str, Any]]:
        """Return what the page has asked its client for."""
        found: list[tuple[str, Any]] = json.loads(await self.page.evaluate("JSON.stringify(window.calls)"))
        return found

    async def dispatch(self, event: str, data: Json) -> None:
        """Tell the page of something, if it wants to be told."""
        await self.page.evaluate("([event, data]) => window.dispatch(event, data)", [event, data])
