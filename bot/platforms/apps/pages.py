"""The pages of the apps: static files, the origins that may embed them, and the check of requests."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.kernel.app_sessions import AppSigner
from bot.platforms.app import Tavoliere
from bot.platforms.apps.api import AppApi, platform_of
from bot.platforms.apps.launches import Launcher
from bot.platforms.public.answers import StaticFile
from bot.platforms.web.assets import Assets
from bot.platforms.web.request_guard import HOST_PATTERN, Mount, Rejected, check_origin

APPS_PREFIX: Final = "/app/"
_PATH: Final = f"{APPS_PREFIX}{{platform:telegram|discord}}/"
_STYLES: Final = ("page", "messages", "stage", "clocks", "app")
"""The style sheets of an app's page, in the order in which they apply."""
_FIRST_MODULE: Final = "app-begin.js"
_MAIN_MODULE: Final = "app.js"
_NO_FRAMES: Final = "'none'"


def _make_page(assets: Assets, platform: str) -> StaticFile:
    """Return the page of a platform's app.

    Modules that exchange the launch for a session have high priority; those that show the board have low priority.
    """
    html = files("bot.platforms.apps").joinpath("static", "app.html").read_text("utf-8").replace("{platform}", platform)
    first = {_FIRST_MODULE: "high", f"app-{platform}.js": "high", _MAIN_MODULE: "low"}
    return assets.make_page(html, "", first)


def make_apps(front: Tavoliere, signer: AppSigner, launchers: Sequence[Launcher]) -> Mount:
    """Return the apps of some platforms as a mount for the page's server."""
    by_platform: Mapping[str, Launcher] = {launcher.platform: launcher for launcher in launchers}
    api, assets = (
        AppApi(front, signer, by_platform),
        Assets(["bot.platforms.web", "bot.platforms.apps"], _STYLES),
    )
    pages = {platform: _make_page(assets, platform) for platform in by_platform}

    async def page(request: web.Request) -> web.StreamResponse:
        found = pages.get(platform_of(request))
        if found is None:
            raise Rejected(404, "no-app")
        if platform_of(request) == "telegram" and not request.path.endswith("/"):
            # The page's links are relative to its path. (Behind Discord's proxy the page is always at the root.)
            raise web.HTTPPermanentRedirect(f"{request.path}/?{request.query_string}".rstrip("?"))
        return found.answer(request)

    def check(request: web.Request) -> None:
        """Raise Rejected unless a request comes from the app's own page, at the public address or through a proxy.

        There are no cookies here, so another site could not act in a person's name; it is refused all the same.
        """
        launcher = by_platform.get(platform_of(request))
        check_origin(request.method, request.headers, *([] if launcher is None else [launcher.is_own_origin]))

    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        launcher = by_platform.get(platform_of(request))
        host = request.headers.get("Host", "")
        ancestors = launcher.ancestors if launcher is not None else _NO_FRAMES
        known = host if HOST_PATTERN.fullmatch(host) else ""
        sockets = f" ws://{known} wss://{known} wss://*.discordsays.com" if known else ""
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            f"connect-src 'self'{sockets}; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        )
        response.headers.update(
            {
                "Server": "Tavoliere",
                "X-Content-Type-Options": "nosniff",
                # Only the origin: the page's address may contain a launch, but Discord's SDK needs the origin.
                "Referrer-Policy": "strict-origin",
                "Cross-Origin-Resource-Policy": "cross-origin",
                "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
            }
        )
        response.headers.setdefault("Cache-Control", "no-store")

    routes = [
        web.get(_PATH, page),
        web.get(_PATH.rstrip("/"), page),
        *assets.routes(_PATH),
        *api.routes(_PATH),
    ]
    return Mount((APPS_PREFIX,), routes, api.streams.close, check, add_headers, api.client_of)
