"""The gallery shows every kept position in every theme and to other eyes."""

import re
from pathlib import Path

import pytest

from render import THEMES
from tests.support import kits
from tests.support.colour_vision import EYES
from tools.make_gallery import kept, write


@pytest.mark.parametrize("key", kits.with_kit())
def test_every_kept_position_is_shown_in_every_theme(key: str, tmp_path: Path) -> None:
    samples = [sample for sample in kept() if sample.state.game.key == key]
    count = write(tmp_path, samples)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"src='([^']+)'", page)
    assert len(shown) == len(set(shown)) == count == len(list(tmp_path.glob("*.png")))
    for sample in samples:
        for theme in THEMES:
            assert f"{sample.name}-{theme}.png" in shown
    for eyes in EYES:
        assert any(name.endswith(f"-turn-{eyes}.png") for name in shown)
    assert all((tmp_path / name).read_bytes()[:4] == b"\x89PNG" for name in shown)
