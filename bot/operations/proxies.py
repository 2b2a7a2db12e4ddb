"""The proxy for outgoing connections: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which also serve under small letters."""

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.request import getproxies, proxy_bypass

from bot.operations.urls import check_web_url, split_url

_HTTP_SCHEMES: Final = {"wss": "https", "ws": "http"}
"""The schemes of web sockets, which go where those of HTTP go."""


class InvalidProxy(ValueError):
    """A setting that names no http or https proxy: `name`. Its text may contain a password."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def use_proxies(settings: Mapping[str, str | None]) -> None:
    """Have all outgoing connections use these proxies, by the names of their settings; InvalidProxy.

    What the settings file says counts like the environment's, and for everything that the program starts.
    """
    for name, value in settings.items():
        if value:
            os.environ[name.lower()] = value if name == "NO_PROXY" else _read_proxy(name, value)
    find_proxy.cache_clear()


@lru_cache(maxsize=1000)
def find_proxy(address: str) -> str | None:
    """Return the proxy through which the origin of an address is reached, None if directly; InvalidProxy.

    Cached, because on some systems files are read for it.
    """
    parts = split_url(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    scheme = _HTTP_SCHEMES.get(parts.scheme, parts.scheme)
    found = getproxies().get(scheme)
    return _read_proxy(f"{scheme.upper()}_PROXY", found) if found else None


def _read_proxy(name: str, text: str) -> str:
    address = text if "://" in text else f"http://{text}"
    try:
        return check_web_url(address)
    except ValueError:
        raise InvalidProxy(name) from None
