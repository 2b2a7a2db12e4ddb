"""Write the golden pictures: `python -m tools.make_golden_pictures [--scenes] [--kit DIR] [GAME ...]`.

The positions lie in the pictures.json of each game's kit and stay what they are, so that a picture changes only where
drawing has changed; --scenes chooses them anew (after a change of the rules). Each is drawn at a third of the size in
one theme, the first variant's of each game in all themes; and so are the suggested turns of hints.json, in theirs. A
test compares them with some tolerance, and their digests (of charts, films and previews, too) without any.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import imagequant
from PIL import Image

from engine import games
from render import THEMES, draw
from tests.support import exact, kits
from tests.support.comparing import shrink_picture
from tests.support.samples import Sample, Suggestion
from tools.showcase import list_showcase

FIRST_SAMPLES = 4


def choose_samples(key: str, anew: bool) -> list[Sample]:
    """Return the kept samples of a game, chosen anew if asked for or if there are none."""
    stored = [] if anew else kits.entries(key, "pictures.json")
    return [Sample.from_json(data) for data in stored] or list_showcase(games[key])


def list_pictures(stored: list[Sample]) -> Iterator[tuple[Sample, str]]:
    """Yield each sample of a game with each theme that it is kept in."""
    for number, sample in enumerate(stored):
        for at, theme in enumerate(THEMES):
            if number < FIRST_SAMPLES or number % len(THEMES) == at:
                yield sample, theme


def _reduced(picture: Image.Image) -> Image.Image:
    """Return a picture in few colours, without the transparency that libimagequant allows for."""
    found = imagequant.quantize_pil_image(picture.convert("RGBA"), dithering_level=0.0, max_colors=160)
    result = Image.frombytes("P", found.size, found.tobytes())
    result.putpalette(found.getpalette("RGB"))
    return result


def write(key: str, anew: bool) -> dict[Path, bytes]:
    """Write the scenes and the pictures of a game into its kit, leaving none of an earlier set behind.

    Return the pictures as they were drawn, by the files with their reduced form.
    """
    folder = kits.home(key, "pictures")
    chosen = choose_samples(key, anew)
    text = ",\n".join(json.dumps(sample.to_json(), ensure_ascii=False) for sample in chosen)
    (kits.home(key) / "pictures.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    for old in folder.rglob("*.png"):
        old.unlink()
    made = {
        folder / f"{sample.name}-{theme}.png": draw(sample.state, **sample.arguments(), theme=theme).png
        for sample, theme in list_pictures(chosen)
    }
    for data in kits.entries(key, "hints.json"):
        suggestion = Suggestion.from_json(data)
        made[kits.home(key, "pictures", "hints") / f"{suggestion.name}.png"] = suggestion.drawn().png
    for file, png in made.items():
        _reduced(shrink_picture(png)).save(file, optimize=True)
    return made


def main() -> None:
    """Write the pictures of the games asked for."""
    keys, asked = kits.arguments(__doc__, scenes="choose the scenes anew")
    made = {file: png for key in keys for file, png in write(key, asked.scenes).items()}
    exact.keep(
        {**{file.stem: png for file, png in made.items()}, **{k: draw() for k, draw in exact.other_pictures().items()}}
    )
    print(f"{len(made)} pictures, {sum(file.stat().st_size for file in made) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
