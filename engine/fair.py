"""Chance that players can check: a secret fixed and shown as a hash before players join (docs/fair-chance.md).

The numbers of draw n come from HMAC-SHA256 with the seed's 32 bytes as key and the UTF-8 bytes of `public` + n
as message, n in decimal digits. `public` is the game's id and the id of every joining event in the order of
joining, each followed by a line feed; no one who fixed the seed could know the latter. The digest is cut into
eight big-endian numbers below 2**32; when they are used up, the SHA-256 of the digest gives the next eight, and
so on. `randrange(n)` takes the next number below the greatest multiple of n that is at most 2**32, modulo n.

Draw 0 is the lot for the seats, draw k the k-th chance action of the line of play: taking moves back never buys
another roll.

Records of version 2 take more into a draw: after n come a line feed and the ids that people at the table had given
when it was drawn first, each with a line feed. An id is a platform's for what a person did, or the link of a chain:
`chain:` and 64 hexadecimal digits, whose bytes have as SHA-256 those of the link that was given before.
"""

import hashlib
import hmac
import re
import struct
from collections.abc import Collection, Iterator, Sequence
from typing import Final

CHAIN_PREFIX: Final = "chain:"
"""The prefix of ids that are links of a hash chain."""
UNKNOWN_ID: Final = "-"
"""Replaces the id of a joining event that the joining person could have chosen."""
MAX_CHAIN_LENGTH: Final = 4096
"""Maximum number of links of a chain."""
MAX_CHAINS: Final = 100
"""Maximum number of chains begun later in one game."""
_DRAW_RANGE: Final = 1 << 32
_HEX_PATTERN: Final = re.compile(r"[0-9a-f]{64}")


def hash_seed(seed: str) -> str:
    """Return the SHA-256 of the seed's bytes, shown before the game; ValueError for an invalid seed."""
    return hashlib.sha256(_seed_bytes(seed)).hexdigest()


def is_hex(text: object) -> bool:
    """Return whether a value is a seed or a SHA-256 in our form: 64 hexadecimal digits in lower case."""
    return isinstance(text, str) and _HEX_PATTERN.fullmatch(text) is not None


def public_text(game_id: str, joined: Sequence[str]) -> str:
    """Return `public`: the game's id and the ids of the joining events, each with a line feed.

    ValueError if one of them has an unprintable character, above all a line feed.
    """
    for text in (game_id, *joined):
        if not text.isprintable():
            raise ValueError(f"an id must be printable: {text!r}")
    return "".join(f"{text}\n" for text in (game_id, *joined))


next_hash: Final = hash_seed
"""Returns the link before a link of a chain, which is hashed like a seed; ValueError for an invalid link."""


def leads_to(link: str, known: Collection[str], most: int = MAX_CHAIN_LENGTH) -> tuple[str, int] | None:
    """Return the known link or commitment to which a link leads, and the number of steps; None if not within `most`."""
    if not is_hex(link):
        return None
    for steps in range(1, most + 1):
        link = next_hash(link)
        if link in known:
            return link, steps
    return None


class Draw:
    """The random numbers of one draw (`engine.core.Random`)."""

    def __init__(self, seed: str, public: str, number: int, ids: Sequence[str] | None = None) -> None:
        """Prepare draw `number`; `ids` are the ids mixed in, None in records of version 1.

        ValueError for an invalid seed, or if an id has an unprintable character.
        """
        message = f"{public}{number}" if ids is None else f"{public}{public_text(str(number), ids)}"
        self._numbers = _numbers(_seed_bytes(seed), message.encode())

    def randrange(self, n: int, /) -> int:
        """Return the next whole number from 0 to n - 1; ValueError unless n is from 1 to 2**32."""
        if not 1 <= n <= _DRAW_RANGE:
            raise ValueError(n)
        least_rejected = _DRAW_RANGE - _DRAW_RANGE % n
        return next(number for number in self._numbers if number < least_rejected) % n


def draw_seats(seed: str, public: str, seats: int, ids: Sequence[str] | None = None) -> tuple[int, ...]:
    """Return the seat of each player in the order of joining (draw 0), with some ids mixed in.

    Each player in turn gets the seat at the drawn index of those left.
    """
    draw = Draw(seed, public, 0, ids)
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
