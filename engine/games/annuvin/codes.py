"""The file of codes that `make oracle` writes: proven values of positions, in blocks that are unpacked on demand."""

from __future__ import annotations

# Not compiled: searches come here seldom, and decompressing takes what time it takes.
import json
import lzma
import mmap
import sys
from array import array
from pathlib import Path
from typing import Final

from engine.core import Json

FILE: Final = Path(__file__).with_name("oracle.bin")
MAGIC: Final = b"Annuvin, solved 1\n"
"""The file's first bytes, followed by the lengths of header and data (8 bytes each) and the header as JSON."""

FILTERS: Final[list[Json]] = [
    {"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 0, "lp": 0, "pb": 0, "nice_len": 273, "depth": 1000}
]
_CACHE_BYTES: Final = 5 << 20
"""Maximum bytes of unpacked blocks in the cache."""

Kind = tuple[int, int, int, int]
"""A class of positions: pieces of the mover and of the other, reserves of the mover and of the other."""


class Codes:
    """The codes of one board; the file is mapped, and its blocks are unpacked on demand.

    `rows` maps the smallest image of a set of cells to its table row, by number of pieces. `exact` are the classes
    whose codes are always true: in others they are true only where no capture wins.
    """

    def __init__(self, board: str, file: Path = FILE) -> None:
        """Open the file; OSError if it is missing, ValueError if it has another format."""
        with file.open("rb") as opened:
            self._bytes = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        if self._bytes[: len(MAGIC)] != MAGIC:
            raise ValueError(str(file))
        start = len(MAGIC) + 16
        length = int.from_bytes(self._bytes[len(MAGIC) : len(MAGIC) + 8], "little")
        head = json.loads(self._bytes[start : start + length])["boards"][board]
        self._start = start + length
        self._tables: dict[Kind, tuple[int, int, int, bool]] = {
            tuple(each["kind"]): (each["columns"], each["block"], each["first"], each["exact"])
            for each in head["tables"]
        }
        self.exact = frozenset(kind for kind, table in self._tables.items() if table[3])
        self._ends = _numbers("I", lzma.decompress(self._part(head["ends"])))
        self.rows = {
            int(pieces): {cells: row for row, cells in enumerate(_numbers("Q", lzma.decompress(self._part(place))))}
            for pieces, place in head["rows"].items()
        }
        self._body = self._start + head["body"][0]
        self._blocks: dict[int, bytes] = {}
        self._cached_bytes = 0

    def code(self, kind: Kind, row: int, column: int) -> int:
        """Return the code in a class's table."""
        columns, length, first, _ = self._tables[kind]
        number, place = divmod(row * columns + column, length)
        codes = self._blocks.get(first + number) or self.block(kind, number)
        return codes[place] if len(codes) > 1 else codes[0]

    def length(self, kind: Kind) -> int:
        """Return the number of codes in a block of a class; the last block may have fewer."""
        return self._tables[kind][1]

    def block(self, kind: Kind, number: int) -> bytes:
        """Return the codes of a block of a class, a single one if they are all equal."""
        _, length, first, _ = self._tables[kind]
        begin, end = self._ends[first + number], self._ends[first + number + 1]
        codes = self._bytes[self._body + begin : self._body + end]
        if len(codes) > 1:
            codes = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=FILTERS).decompress(codes, length)
        # The oldest go first.
        self._cached_bytes += len(codes)
        while self._cached_bytes > _CACHE_BYTES:
            self._cached_bytes -= len(self._blocks.pop(next(iter(self._blocks))))
        self._blocks[first + number] = codes
        return codes

    def _part(self, place: list[int]) -> bytes:
        begin, length = place
        return self._bytes[self._start + begin : self._start + begin + length]


def _numbers(kind: str, data: bytes) -> array[int]:
    found = array(kind, data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
