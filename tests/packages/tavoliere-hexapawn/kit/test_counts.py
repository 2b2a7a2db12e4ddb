"""The counts that the engine is compared with are those that the counting script works out."""

import json
import runpy
from pathlib import Path

HERE = Path(__file__).parent


def test_the_counts_are_those_of_the_script() -> None:
    script = runpy.run_path(str(HERE / "counting.py"))
    perft = json.loads((HERE / "perft.json").read_text(encoding="utf-8"))
    assert perft == [script["entry"](*case) for case in script["CASES"]]
