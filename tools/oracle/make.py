"""Work Annuvin out from its end, compare with what was found before, and pack it for the engine.

Usage: `make oracle`, or `python -m tools.oracle.make [--verify] [--raw DIR]`. Needs a C compiler, some minutes of one
processor, and 600 MB each of memory and of space in out/oracle. The checksums and counts of every class stand in
tools/oracle/counts.json: what comes out differently is told, and then nothing is written unless `--anyway`.
"""

import argparse
import hashlib
import json
import lzma
import shutil
import subprocess
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from engine.games.annuvin.codes import FILE, FILTERS, MAGIC, Codes, Kind
from engine.games.annuvin.game import DRAW, WON_AT_ONCE

FOLDER: Final = Path(__file__).resolve().parent
ROOT: Final = FOLDER.parent.parent
COUNTS: Final = FOLDER / "counts.json"
MAX_PIECES: Final = {"hexagon": 4, "square": 4}
"""Up to how many pieces a side are worked out."""
LARGE_CLASS_PIECES: Final = 7
"""Classes of so many pieces are packed as small as they get: a probe has to follow captures there."""
BLOCK_EXACT: Final = 4 << 10
BLOCK_BYTES: Final = 16 << 10
LOOSE_CODE: Final = 254
"""A draw that a capture brings as well, in the files of solve.c."""
_CFLAGS: Final = ("-O2", "-std=c11", "-Wall", "-Wextra")


def compile_program(name: str, place: Path) -> Path:
    """Compile one of the programs beside this one; FileNotFoundError without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise FileNotFoundError("cc")
    program = place / name
    subprocess.run([compiler, *_CFLAGS, "-o", program, FOLDER / f"{name}.c"], check=True)
    return program


def run_programs(program: Path, raw: Path, most: dict[str, int]) -> list[dict[str, Any]]:
    """Have everything worked out; return for each class what was counted and the checksum of its codes."""
    found = []
    for board, pieces in most.items():
        ran = subprocess.run([program, board, str(pieces), raw], check=True, stdout=subprocess.PIPE, text=True)
        for line in ran.stdout.splitlines():
            counted = json.loads(line)
            counted["sha256"] = hashlib.sha256(raw_codes(raw, counted).read_bytes()).hexdigest()
            found.append(counted)
    return found


def raw_codes(raw: Path, counted: dict[str, Any]) -> Path:
    """Return the file in which solve.c has left the codes of a class."""
    own, other, *reserves = kind_of(counted)
    name = f"{counted['board']}-{own}{other}"
    return raw / (f"{name}-{reserves[0]}{reserves[1]}.raw" if counted["board"] == "square" else f"{name}.raw")


def kind_of(counted: dict[str, Any]) -> Kind:
    """Return the pieces and reserves of a class."""
    return counted["own"], counted["other"], counted["own_reserve"], counted["other_reserve"]


def is_exact(counted: dict[str, Any]) -> bool:
    """Say whether every code of a class is to be true by itself."""
    own, other, *_ = kind_of(counted)
    return counted["board"] == "square" or own + other < LARGE_CLASS_PIECES


def pack_blocks(codes: bytes, length: int) -> Iterator[bytes]:
    """Yield the packed blocks of a class's codes; one byte for a block of equal codes."""
    for start in range(0, len(codes), length):
        block = codes[start : start + length]
        if block.count(block[0]) == len(block):
            yield block[:1]
        else:
            yield lzma.compress(block, lzma.FORMAT_RAW, filters=FILTERS)


def pack_file(raw: Path, filler: Path, classes: Sequence[dict[str, Any]]) -> tuple[bytes, bytes]:
    """Return the head and the rest of the file."""
    boards: dict[str, Any] = {}
    rest = bytearray()

    def put(data: bytes) -> list[int]:
        rest.extend(data)
        return [len(rest) - len(data), len(data)]

    for board in dict.fromkeys(each["board"] for each in classes):
        tables, body, ends = [], bytearray(), array("I", [0])
        for counted in (each for each in classes if each["board"] == board):
            codes = raw_codes(raw, counted).read_bytes()
            exact = is_exact(counted)
            if exact:
                codes = codes.replace(bytes([LOOSE_CODE]), bytes([DRAW]))
            else:
                codes = subprocess.run([filler], input=codes, stdout=subprocess.PIPE, check=True).stdout
            length = BLOCK_EXACT if exact else BLOCK_BYTES
            kind = kind_of(counted)
            tables.append(
                {"kind": kind, "columns": counted["columns"], "block": length, "first": len(ends) - 1, "exact": exact}
            )
            before = len(body)
            for block in pack_blocks(codes, length):
                body += block
                ends.append(len(body))
            print(f"{board} {kind}: {len(codes):,} codes, {len(body) - before:,} bytes", file=sys.stderr, flush=True)
        if sys.byteorder == "big":
            ends.byteswap()
        sizes = sorted({each["own"] for each in classes if each["board"] == board})
        rows = {pieces: put(lzma.compress((raw / f"{board}-rows-{pieces}.raw").read_bytes())) for pieces in sizes}
        boards[board] = {
            "tables": tables,
            "rows": rows,
            "ends": put(lzma.compress(ends.tobytes())),
            "body": put(bytes(body)),
        }
    return json.dumps({"boards": boards}, separators=(",", ":")).encode(), bytes(rest)


def write_file(head: bytes, rest: bytes) -> bytes:
    """Return the file; it ends with its checksum."""
    lengths = len(head).to_bytes(8, "little") + len(rest).to_bytes(8, "little")
    file = MAGIC + lengths + head + rest
    return file + hashlib.sha256(file).digest()


def find_differences(classes: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]]) -> list[str]:
    """Return what differs from what was found before."""
    known = {(each["board"], kind_of(each)): each for each in before}
    return [
        f"{each['board']} {kind_of(each)}: {'differs' if known.get((each['board'], kind_of(each))) else 'is new'}"
        for each in classes
        if known.get((each["board"], kind_of(each))) != each
    ]


def count_misread(file: Path, raw: Path, classes: Sequence[dict[str, Any]]) -> int:
    """Return how many codes of a file say something else than they were worked out to be."""
    wrong = 0
    for board in dict.fromkeys(each["board"] for each in classes):
        codes = Codes(board, file)
        for counted in (each for each in classes if each["board"] == board):
            kind, exact = kind_of(counted), is_exact(counted)
            meant = raw_codes(raw, counted).read_bytes()
            for number, start in enumerate(range(0, len(meant), codes.length(kind))):
                block = meant[start : start + codes.length(kind)]
                read = codes.block(kind, number)
                read *= 1 if len(read) > 1 else len(block)
                wrong += read != block and sum(not _fits(*pair, exact) for pair in zip(block, read, strict=True))
    return wrong


def _fits(meant: int, read: int, exact: bool) -> bool:
    if exact or meant == read:
        return meant in (read, LOOSE_CODE if read == DRAW else read)
    return meant == WON_AT_ONCE or (meant == LOOSE_CODE and (read == DRAW or read % 2 == 1))


def main() -> int:
    """Work out, compare, pack and read again; return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--place", type=Path, default=ROOT / "out" / "oracle", help="where the programs work (out/oracle)"
    )
    parser.add_argument("--keep", action="store_true", help="take the codes that were worked out there before")
    parser.add_argument("--verify", action="store_true", help="look at every position again (takes about as long)")
    parser.add_argument("--anyway", action="store_true", help="write the file although something differs")
    parser.add_argument("--file", type=Path, default=FILE, help="what to write")
    arguments = parser.parse_args()
    raw = arguments.place / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    try:
        solver, filler = [compile_program(name, arguments.place) for name in ("solve", "fill")]
    except FileNotFoundError:
        print("This needs a C compiler (cc).", file=sys.stderr)
        return 1
    counts = arguments.place / "counts.json"
    if not (arguments.keep and counts.exists()):
        classes = run_programs(solver, raw, MAX_PIECES)
        counts.write_text(format_counts(classes), encoding="utf-8")
    classes = json.loads(counts.read_text(encoding="utf-8"))
    if arguments.verify:
        for board, pieces in MAX_PIECES.items():
            if subprocess.run([solver, "--verify", board, str(pieces), raw], check=False).returncode:
                return 1
    before = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else []
    found = find_differences(classes, before)
    print("\n".join(found) or f"all {len(classes)} classes have the checksums of {COUNTS.relative_to(ROOT)}")
    if found and not arguments.anyway:
        return 1
    arguments.file.write_bytes(write_file(*pack_file(raw, filler, classes)))
    wrong = count_misread(arguments.file, raw, classes)
    print(f"written: {arguments.file}, {arguments.file.stat().st_size:,} bytes; codes read wrongly: {wrong}")
    if found:
        COUNTS.write_text(format_counts(classes), encoding="utf-8")
    return int(wrong > 0)


def format_counts(classes: Sequence[dict[str, Any]]) -> str:
    """Return the text of counts.json, one class a line."""
    return "[\n" + ",\n".join(json.dumps(each) for each in classes) + "\n]\n"


if __name__ == "__main__":
    sys.exit(main())
