"""tools/oracle: small classes are worked out anew as they were, packed, and read back."""

import json
import subprocess
from pathlib import Path

import pytest

from engine.games.annuvin.game import WON_AT_ONCE
from tools.oracle import make

pytestmark = pytest.mark.compiler


def test_small_classes_are_reproduced_and_readable(tmp_path: Path) -> None:
    solver, filler = [make.compile_program(name, tmp_path) for name in ("solve", "fill")]
    classes = make.run_programs(solver, tmp_path, {"hexagon": 2, "square": 2})
    assert len(classes) == 4 + 25
    assert make.find_differences(classes, json.loads(make.COUNTS.read_text(encoding="utf-8"))) == []
    file = tmp_path / "codes.bin"
    file.write_bytes(make.write_file(*make.pack_file(tmp_path, filler, classes)))
    assert make.count_misread(file, tmp_path, classes) == 0
    # What differs is seen.
    classes[0]["codes"] = {}
    assert make.find_differences(classes, json.loads(make.COUNTS.read_text(encoding="utf-8")))
    spoilt = make.raw_codes(tmp_path, classes[3])
    spoilt.write_bytes(bytes(2 if code == 0 else code for code in spoilt.read_bytes()))
    assert make.count_misread(file, tmp_path, classes) > 0


def test_loose_codes_are_filled_from_their_neighbours(tmp_path: Path) -> None:
    filler = make.compile_program("fill", tmp_path)

    def filled(*codes: int) -> list[int]:
        return list(subprocess.run([filler], input=bytes(codes), stdout=subprocess.PIPE, check=True).stdout)

    free, loose = WON_AT_ONCE, make.LOOSE_CODE
    assert filled(free, free, 5, free, 5, loose, 5) == [5] * 7
    assert filled(free, loose, free, free) == [0] * 4
    assert filled(6, free, loose, free, 5, 6) == [6, 6, 5, 5, 5, 6]
    assert filled(0, loose, 9, free, 0) == [0, 0, 9, 9, 0]
