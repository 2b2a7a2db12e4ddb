"""Chance that players can check: a secret fixed and shown as a hash before anybody joins (docs/fair-chance.md).

The numbers of draw n come from HMAC-SHA256 with the seed's 32 bytes as key and the UTF-8 bytes of `public` + n
as message, n in decimal digits. `public` is the game's id and the id of every joining event in the order of
joining, each followed by a line feed; nobody who fixed the seed could know the latter. The digest is cut into
eight big-endian numbers below 2**32; when they are used up, the SHA-256 of the digest gives the next eight, and
so on. `randrange(n)` takes the next number below the greatest multiple of n that is at most 2**32, modulo n.

Draw 0 is the lot for the seats, draw k the k-th chance action of the line of play: taking moves back never buys
another roll.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
from collections.abc import Iterator, Sequence
from typing import Final

SEED_BYTES: Final = 32
_SPAN: Final = 1 << 32
_HEX: Final = re.compile(r"[0-9a-f]{64}")


def commitment(seed: str) -> str:
    """Return the SHA-256 of the seed's bytes, shown before the game; ValueError if the seed is none."""
    return hashlib.sha256(_seed_bytes(seed)).hexdigest()


def is_hex(text: object) -> bool:
    """Say whether the value is a seed or a SHA-256 as we write them: 64 hexadecimal digits in lower case."""
    return isinstance(text, str) and _HEX.fullmatch(text) is not None


def public_text(game_id: str, joined: Sequence[str]) -> str:
    """Return `public`: the game's id and the ids of the joining events, each with a line feed.

    ValueError if one of them has a character that does not print, a line feed above all.
    """
    for text in (game_id, *joined):
        if not text.isprintable():
            raise ValueError(f"an id must be printable: {text!r}")
    return "".join(f"{text}\n" for text in (game_id, *joined))


class Draw:
    """The numbers of one draw, as the engine's source of chance (`engine.core.Random`)."""

    def __init__(self, seed: str, public: str, number: int) -> None:
        """Prepare draw `number`; ValueError if the seed is none."""
        self._numbers = _numbers(_seed_bytes(seed), f"{public}{number}".encode())

    def randrange(self, n: int, /) -> int:
        """Return the next whole number from 0 to n - 1; ValueError unless n is from 1 to 2**32."""
        if not 1 <= n <= _SPAN:
            raise ValueError(n)
        least_rejected = _SPAN - _SPAN % n
        return next(number for number in self._numbers if number < least_rejected) % n


def lot(seed: str, public: str, seats: int) -> tuple[int, ...]:
    """Return the seat of each player in the order of joining (draw 0).

    From the seats in order, each player in turn is given the one at the drawn place of those left.
    """
    draw = Draw(seed, public, 0)
    left = list(range(seats))
    return tuple(left.pop(draw.randrange(len(left))) for _ in range(seats))


def _seed_bytes(seed: str) -> bytes:
    if not is_hex(seed):
        raise ValueError("a seed has 64 hexadecimal digits")
    return bytes.fromhex(seed)


def _numbers(seed: bytes, message: bytes) -> Iterator[int]:
    digest = hmac.digest(seed, message, "sha256")
    while True:
        yield from struct.unpack(">8I", digest)
        digest = hashlib.sha256(digest).digest()
