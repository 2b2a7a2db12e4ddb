"""The gallery shows every kept position in every theme and to other eyes."""

import json
import re
from pathlib import Path

from render import THEMES
from render.eyes import EYES
from tools.make_gallery import SCENES, write


def test_every_kept_position_is_shown_in_every_theme(tmp_path: Path) -> None:
    count = write(tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"src='([^']+)'", page)
    assert len(shown) == len(set(shown)) == count == len(list(tmp_path.glob("*.png")))
    for data in json.loads(SCENES.read_text(encoding="utf-8")):
        for theme in THEMES:
            assert f"{data['name']}-{theme}.png" in shown
    for eyes in EYES:
        assert any(name.endswith(f"-turn-{eyes}.png") for name in shown)
    assert all((tmp_path / name).read_bytes()[:4] == b"\x89PNG" for name in shown)
