"""Write the golden pictures: `python tools/make_golden_pictures.py [--scenes] [GAME ...]`.

The positions lie in tests/data/pictures/scenes.json and stay what they are, so that a picture changes only where
drawing has changed; --scenes chooses them anew (after a new game, or a change of the rules). Each is drawn at a third
of the size in one theme, the first variant's of each game in all themes. A test compares them with some tolerance.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import imagequant
from PIL import Image

from engine import games
from render import THEMES, draw
from render.games import pictures
from render.golden import small
from render.samples import Sample, Suggestion, showcase

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "pictures"
SCENES = FOLDER / "scenes.json"
HINTS = FOLDER / "hints"
FIRST = 4


def samples(keys: list[str], anew: bool) -> list[Sample]:
    """Return all kept samples, those of the games named chosen anew if asked for."""
    kept = json.loads(SCENES.read_text(encoding="utf-8")) if SCENES.exists() else []
    result = []
    for key in pictures:
        old = [Sample.from_json(data) for data in kept if data["position"]["game"] == key]
        result += showcase(games[key]) if key in keys and (anew or not old) else old
    return result


def shown(all_samples: list[Sample]) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with each theme that it is kept in."""
    counts: dict[str, int] = {}
    for sample in all_samples:
        number = counts[sample.state.game.key] = counts.get(sample.state.game.key, -1) + 1
        for at, theme in enumerate(THEMES):
            if number < FIRST or number % len(THEMES) == at:
                yield sample, theme


def suggestions() -> list[Suggestion]:
    """Return all kept positions with a suggested turn."""
    return [Suggestion.from_json(data) for data in json.loads((HINTS / "scenes.json").read_text(encoding="utf-8"))]


def _reduced(picture: Image.Image) -> Image.Image:
    """Return a picture in few colours, without the transparency that libimagequant allows for."""
    found = imagequant.quantize_pil_image(picture.convert("RGBA"), dithering_level=0.0, max_colors=160)
    result = Image.frombytes("P", found.size, found.tobytes())
    result.putpalette(found.getpalette("RGB"))
    return result


def main() -> None:
    """Write the pictures of the games named, or of all."""
    keys = [key for key in sys.argv[1:] if not key.startswith("-")] or list(pictures)
    FOLDER.mkdir(parents=True, exist_ok=True)
    every = samples(keys, "--scenes" in sys.argv)
    text = ",\n".join(json.dumps(sample.to_json(), ensure_ascii=False) for sample in every)
    SCENES.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    for key in keys:
        for old in FOLDER.glob(f"{key}*.png"):
            old.unlink()
    size = count = 0
    for sample, theme in shown(every):
        if sample.state.game.key in keys:
            file = FOLDER / f"{sample.name}-{theme}.png"
            _reduced(small(draw(sample.state, **sample.arguments(), theme=theme).png)).save(file, optimize=True)
            size, count = size + file.stat().st_size, count + 1
    for suggestion in suggestions():
        if suggestion.state.game.key in keys:
            file = HINTS / f"{suggestion.name}.png"
            _reduced(small(suggestion.drawn().png)).save(file, optimize=True)
            size, count = size + file.stat().st_size, count + 1
    print(f"{count} pictures, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
