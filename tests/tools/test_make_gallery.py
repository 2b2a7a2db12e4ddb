"""The gallery shows every stored position in every theme and to other eyes."""

import re
from pathlib import Path

import pytest

from render import THEMES
from tests.support import kits
from tests.support.colour_vision import EYES
from tools.make_gallery import load_samples, write


@pytest.mark.parametrize("key", kits.with_kit())
def test_positions_are_shown_in_every_theme_with_all_that_is_no_position(key: str, tmp_path: Path) -> None:
    # One is enough here: that every stored position can be drawn is seen with the golden pictures.
    own = [sample for sample in load_samples() if sample.state.game.key == key]
    samples = [next(sample for sample in own if sample.name.endswith("-turn"))]
    count = write(tmp_path, samples)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"src='([^']+)'", page)
    assert len(shown) == len(set(shown)) == count == len(list(tmp_path.glob("*.png"))) + 1  # and a film
    for sample in samples:
        for theme in THEMES:
            assert f"{sample.name}-{theme}.png" in shown
    for eyes in EYES:
        assert any(name.endswith(f"-turn-{eyes}.png") for name in shown)
    assert all(
        (tmp_path / name).read_bytes()[:4] == (b"GIF8" if name.endswith(".gif") else b"\x89PNG") for name in shown
    )
    # What is no position: hints, names of all the world, charts, and the board without a picture.
    for case in ("^hint-", "-world-dark", "-chances-contrast", "-film", "^leaderboard-", "^course-"):
        assert any(re.search(case, name) for name in shown), case
    texts = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert len(texts) == 3
    assert all("Anna" in text for text in texts[1:])
