"""The gallery shows every stored position in every theme and to other eyes."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from render import THEMES
from tests.support import kits
from tests.support.colour_vision import EYES
from tools.make_gallery import load_samples, write

KEYS: Final = sorted(kits.with_kit())[::3]
"""A few of the games: that all can be drawn is seen with the golden pictures."""


@dataclass(frozen=True)
class Gallery:
    """The folder with one position of each game, the number of pictures, and what the page has under each heading."""

    folder: Path
    count: int
    sections: dict[str, str]

    def shown(self, title: str) -> list[str]:
        """Return the files of the pictures under a heading."""
        return re.findall(r"src='([^']+)'", self.sections[title])


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Gallery:
    """The gallery of one position of each of these games."""
    folder = tmp_path_factory.mktemp("gallery")
    turns = [sample for sample in load_samples() if sample.name.endswith("-turn")]
    first = {sample.state.game.key: sample for sample in reversed(turns)}
    count = write(folder, [first[key] for key in KEYS])
    _, *parts = re.split("<h2>(.*?)</h2>", (folder / "index.html").read_text(encoding="utf-8"))
    return Gallery(folder, count, dict(zip(parts[::2], parts[1::2], strict=True)))


def test_every_picture_is_shown_once(gallery: Gallery) -> None:
    shown = [name for title in gallery.sections for name in gallery.shown(title)]
    films = [name for name in shown if name.endswith(".gif")]
    assert len(films) == len(KEYS)
    assert len(shown) == len(set(shown)) == gallery.count == len(list(gallery.folder.glob("*.png"))) + len(films)
    for name in shown:
        assert (gallery.folder / name).read_bytes()[:4] == (b"GIF8" if name in films else b"\x89PNG")


@pytest.mark.parametrize("key", KEYS)
def test_positions_are_shown_in_every_theme_with_all_that_is_no_position(key: str, gallery: Gallery) -> None:
    own, charts = gallery.shown(key), gallery.shown("charts")
    sample = next(each for each in load_samples() if each.state.game.key == key and each.name.endswith("-turn"))
    for theme in THEMES:
        assert f"{sample.name}-{theme}.png" in own
    for eyes in EYES:
        assert any(name.endswith(f"-turn-{eyes}.png") for name in own)
    # What is no position: hints, names of all the world, charts, and the board without a picture.
    for case in ("^hint-", "-world-dark", "-chances-contrast", "-film"):
        assert any(re.search(case, name) for name in own), case
    for case in ("^leaderboard-", "^course-"):
        assert any(re.search(case, name) for name in charts), case
    texts = re.findall(r"<pre>(.*?)</pre>", gallery.sections[key], re.DOTALL)
    assert len(texts) == 3
    assert all("Anna" in text for text in texts[1:])
