"""Client address and scheme of requests, as far as trusted proxies report them."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from aiohttp import web

from bot.operations.settings import Network
from bot.operations.urls import split_url

_IPV6_PREFIX_BITS: Final = 64
"""Prefix length of an IPv6 address that identifies one household, which owns all its addresses."""


class ClientAddresses:
    """Resolver of client addresses; forwarding headers are trusted only from the proxies in `networks`."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    def address(self, request: web.Request) -> str:
        """Return the client address, for IPv6 the household's network; empty if there is none."""
        address = _read(request.remote or "")
        hops = [hop.strip() for line in request.headers.getall("X-Forwarded-For", []) for hop in line.split(",")]
        while address is not None and self._is_proxy(address) and hops:
            # Each proxy appends its caller; earlier entries may be forged.
            further = _read(hops.pop())
            if further is None:
                break
            address = further
        if isinstance(address, IPv6Address):
            return str(ip_network((address, _IPV6_PREFIX_BITS), strict=False))
        return "" if address is None else str(address)

    def is_trusted_proxy(self, address: str) -> bool:
        """True if an address is that of a trusted proxy."""
        known = _read(address)
        return known is not None and self._is_proxy(known)

    def is_encrypted(self, request: web.Request) -> bool:
        """True if the browser opened the page by https, as a trusted proxy or the browser's Origin or Referer says.

        Only the browser itself sends that address, and it affects only its own cookies.
        """
        if request.secure:
            return True
        remote = _read(request.remote or "")
        if remote is not None and self._is_proxy(remote):
            forwarded = ",".join(request.headers.getall("X-Forwarded-Proto", [])).lower()
            if "https" in [each.strip() for each in forwarded.split(",")]:
                return True
        return any(_is_our_https(request.headers.get(name), request.host) for name in ("Origin", "Referer"))

    def _is_proxy(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._networks)


DIRECT_ADDRESSES: Final = ClientAddresses()
"""Resolver without trusted proxies."""


def _read(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_our_https(address: str | None, host: str) -> bool:
    if not address:
        return False
    try:
        parts = split_url(address)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.netloc.lower() == host.lower()
