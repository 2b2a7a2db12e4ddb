"""One name, one thing: a public class shares its name with no other."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTERFACE = {ROOT / "bot" / "platforms" / "public" / "models.py"}
"""What other programs read is called there by its name here."""


def test_no_two_public_classes_share_a_name() -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for package in ("bot", "engine", "render", "storage"):
        for path in sorted({*(ROOT / package).rglob("*.py")} - INTERFACE):
            for name in re.findall(r"^class ([^_]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
                found[name].append(str(path.relative_to(ROOT)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
