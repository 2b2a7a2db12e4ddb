"""Write out/gallery/index.html: every kept position in all themes, as a phone shows it and as other eyes see it.

`python -m tools.make_gallery [FOLDER]`; the positions are those of the games' kits.
"""

from __future__ import annotations

import html
import io
import sys
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from render import THEMES, draw
from tests.support import kits
from tests.support.colour_vision import EYES, shown
from tests.support.samples import Sample

ROOT = Path(__file__).resolve().parent.parent
STYLE = """
body { font: 16px/1.4 system-ui, sans-serif; margin: 2rem; background: #8a8580; color: #111 }
h1, h2 { margin: 2rem 0 .5rem } p { max-width: 60rem }
.row { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 24px }
figure { margin: 0 } figcaption { font-size: 13px } img { width: 400px; height: auto; display: block }
#full:checked ~ .row img { width: 900px } #small:checked ~ .row img { width: 200px }
"""


def eyes_of(png: bytes, eyes: str) -> bytes:
    """Return a picture as somebody with such eyes sees it: only its palette changes."""
    with Image.open(io.BytesIO(png)) as image:
        values = image.getpalette("RGB") or []
        colours = [shown((values[at], values[at + 1], values[at + 2]), eyes) for at in range(0, len(values), 3)]
        image.putpalette([part for colour in colours for part in colour])
        file = io.BytesIO()
        image.save(file, "PNG")
    return file.getvalue()


def kept() -> list[Sample]:
    """Return the kept positions of all games."""
    return [Sample.from_json(data) for key in kits.with_kit() for data in kits.entries(key, "pictures.json")]


def write(folder: Path, samples: Iterable[Sample]) -> int:
    """Draw everything, write the page into the folder and return the number of pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        "<!doctype html><meta charset=utf-8><title>Tavoliere: gallery</title>",
        f"<style>{STYLE}</style><h1>Tavoliere: gallery</h1>",
        "<input type=radio name=size id=small><label for=small>thumbnails</label>",
        "<input type=radio name=size id=phone checked><label for=phone>as on a phone, 400 px</label>",
        "<input type=radio name=size id=full><label for=full>as sent, 900 px</label>",
    ]
    count = 0
    before = ""
    for sample in samples:
        key = sample.state.game.key
        if key != before:
            parts.append(f"<h2>{html.escape(key)}</h2>")
        pictures = {theme: draw(sample.state, **sample.arguments(), theme=theme).png for theme in THEMES}
        if key != before or sample.name.endswith("-turn"):
            pictures |= {eyes: eyes_of(pictures["light"], eyes) for eyes in EYES}
        before = key
        parts.append("<div class=row>")
        for title, png in pictures.items():
            name = f"{sample.name}-{title}.png"
            (folder / name).write_bytes(png)
            caption = html.escape(f"{sample.name}, {title}, {len(png) / 1000:.0f} kB")
            parts.append(f"<figure><a href='{name}'><img loading=lazy src='{name}' alt='{caption}'></a>")
            parts.append(f"<figcaption>{caption}</figcaption></figure>")
            count += 1
        parts.append("</div>")
    (folder / "index.html").write_text("\n".join(parts), encoding="utf-8")
    return count


def main() -> None:
    """Write the gallery and say where it is."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "gallery"
    print(f"{write(folder, kept())} pictures: {folder / 'index.html'}")


if __name__ == "__main__":
    main()
