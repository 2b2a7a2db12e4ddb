"""The pages of the apps: static files, the origins that may embed them, and the check of requests."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.kernel.app_sessions import AppSigner
from bot.kernel.texts import Texts
from bot.platforms.app import Tavoliere
from bot.platforms.apps.api import AppApi, platform_of
from bot.platforms.apps.launches import Launcher
from bot.platforms.public.answers import StaticFile
from bot.platforms.web.assets import join_styles, read_assets
from bot.platforms.web.request_guard import Mount, Rejected

APPS_PREFIX: Final = "/app/"
_PATH: Final = f"{APPS_PREFIX}{{platform:telegram|discord}}/"
_STYLES: Final = ("page", "messages", "stage", "clocks", "app")
"""The style sheets of an app's page, in the order in which they apply."""
_FIRST_MODULE: Final = "app-begin.js"
_MAIN_MODULE: Final = "app.js"
_IMPORT_PATTERN: Final = re.compile(r'^import [^;]*? from "\./([a-z0-9-]+\.js)";$', re.MULTILINE)
_HOST_PATTERN: Final = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_NO_FRAMES: Final = "'none'"


class _Files:
    """The static files of the page and of the apps, by their paths below the app's."""

    def __init__(self) -> None:
        self._files = read_assets("bot.platforms.web", "bot.platforms.apps")
        self._files["/static/all.css"] = join_styles(self._files, _STYLES)
        html = files("bot.platforms.apps").joinpath("static", "app.html").read_text("utf-8")
        self._pages = {
            platform: StaticFile(
                html.replace("{platform}", platform).replace("{preloads}", self._list_preloads(platform)).encode(),
                "html",
            )
            for platform in ("telegram", "discord")
        }

    def _list_preloads(self, platform: str) -> str:
        """Return the tags that load every module of a platform's page at once.

        Modules that exchange the launch for a session have high priority; those that show the board have low priority.
        """
        found: dict[str, str] = {}
        for first, priority in ((_FIRST_MODULE, "high"), (f"app-{platform}.js", "high"), (_MAIN_MODULE, "low")):
            waiting = [first]
            for name in waiting:
                if name not in found:
                    found[name] = f'<link rel="modulepreload" fetchpriority="{priority}" href="static/{name}">'
                    waiting += _IMPORT_PATTERN.findall(self._files[f"/static/{name}"].data.decode())
        return "\n".join(found.values())

    async def page(self, request: web.Request) -> web.Response:
        """Answer with an app's page."""
        return self._pages[platform_of(request)].answer(request)

    async def file(self, request: web.Request) -> web.Response:
        """Answer with one of its files."""
        found = self._files.get(f"/{request.match_info['folder']}/{request.match_info['name']}")
        if found is None:
            raise web.HTTPNotFound
        return found.answer(request)


def make_apps(front: Tavoliere, texts: Texts, signer: AppSigner, launchers: Sequence[Launcher]) -> Mount:
    """Return the apps of some platforms as a mount for the page's server."""
    by_platform: Mapping[str, Launcher] = {launcher.platform: launcher for launcher in launchers}
    api, pages = AppApi(front, texts, signer, by_platform), _Files()

    async def page(request: web.Request) -> web.StreamResponse:
        if platform_of(request) not in by_platform:
            raise Rejected(404, "no-app")
        if platform_of(request) == "telegram" and not request.path.endswith("/"):
            # The page's links are relative to its path. (Behind Discord's proxy the page is always at the root.)
            raise web.HTTPPermanentRedirect(f"{request.path}/?{request.query_string}".rstrip("?"))
        return await pages.page(request)

    def check(request: web.Request) -> None:
        """Raise Rejected unless a request comes from the app's own page, at the public address or through a proxy.

        There are no cookies here, so another site could not act in a person's name; it is refused all the same.
        """
        origin, host = request.headers.get("Origin"), request.headers.get("Host", "")
        launcher = by_platform.get(platform_of(request))
        own = origin is not None and origin.lower() in (f"https://{host}".lower(), f"http://{host}".lower())
        if origin is not None and not own and (launcher is None or not launcher.is_own_origin(origin)):
            raise Rejected(403, "cross-site")
        live = request.headers.get("Upgrade", "").lower() == "websocket"
        if origin is None and (live or request.method not in _SAFE_METHODS):
            raise Rejected(403, "cross-site")

    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        launcher = by_platform.get(platform_of(request))
        host = request.headers.get("Host", "")
        ancestors = launcher.ancestors if launcher is not None else _NO_FRAMES
        known = host if _HOST_PATTERN.fullmatch(host) else ""
        sockets = f" ws://{known} wss://{known} wss://*.discordsays.com" if known else ""
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            f"connect-src 'self'{sockets}; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        )
        response.headers["Server"] = "Tavoliere"
        response.headers["X-Content-Type-Options"] = "nosniff"
        # Send only the origin: the page's address may contain a launch, but Discord's SDK needs the referrer's origin.
        response.headers["Referrer-Policy"] = "strict-origin"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=(), payment=()"
        response.headers.setdefault("Cache-Control", "no-store")

    routes = [
        web.get(_PATH, page),
        web.get(_PATH.rstrip("/"), page),
        web.get(f"{_PATH}{{folder:static|fonts}}/{{name}}", pages.file),
        *api.routes(_PATH),
    ]
    return Mount(APPS_PREFIX, routes, check, add_headers, api.client_of, api.streams.close)
