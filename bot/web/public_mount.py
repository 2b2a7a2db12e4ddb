"""Mounts of the public pages on the page's server."""

from aiohttp import web

from bot.core.context import Context
from bot.public.site import PREFIXES, PublicSite
from bot.web.client_addresses import ClientAddresses
from bot.web.mounts import Mount
from bot.web.request_guard import add_security_headers


def public_mounts(context: Context, callers: ClientAddresses) -> tuple[Mount, ...]:
    """Return the mounts of the public pages; none without a public address."""
    if not context.web_address:
        return ()
    site = PublicSite(context, callers.address)
    return tuple(
        Mount(
            prefix,
            site.routes() if prefix == PREFIXES[0] else (),
            check=_check_nothing,
            add_headers=add_security_headers,
            client=_no_client,
            close=site.streams.close,
            has_own_limits=True,
        )
        for prefix in PREFIXES
    )


def _check_nothing(_: web.Request) -> None:
    """Allow every request: the public pages are read-only."""


def _no_client(_: web.Request) -> None:
    return None
