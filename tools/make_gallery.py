"""Write out/gallery/index.html: every stored position in all themes, as a phone shows it and as other eyes see it.

`python -m tools.make_gallery [FOLDER] [--beside MOCKUPS]`; the positions are those of the games' kits. Pictures from a
folder of mock-ups are shown at the head of the game whose key their name begins with. Games with a wide shape are shown
in it, too, as high as places show pictures that show them low. Below each game stand its hints, names of all the world,
a chart, a film and the board without a picture (tools/gallery_cases.py).
"""

import html
import io
import shutil
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from PIL import Image

from render import THEMES, draw
from render.games import pictures as games_pictures
from tests.support import kits
from tests.support.colour_vision import EYES, simulate_colour
from tests.support.samples import Sample
from tools.gallery_cases import list_cases, list_charts, texts_of

ROOT = Path(__file__).resolve().parent.parent
STYLE = """
body { font: 16px/1.4 system-ui, sans-serif; margin: 2rem; background: #8a8580; color: #111 }
h1, h2 { margin: 2rem 0 .5rem } p { max-width: 60rem }
.row { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 24px }
figure { margin: 0 } figcaption { font-size: 13px } img { width: 400px; height: auto; display: block }
pre { font-size: 13px; max-width: 46rem; white-space: pre-wrap; background: #fff; padding: 12px; margin: 0 }
img.low { width: auto; height: 350px }
#full:checked ~ .row img { width: 900px } #small:checked ~ .row img { width: 200px }
#less:checked ~ .row img { width: 360px } #low:checked ~ .row img { width: auto; height: 350px }
"""


def eyes_of(png: bytes, eyes: str) -> bytes:
    """Return a picture as somebody with such eyes sees it: only its palette changes."""
    with Image.open(io.BytesIO(png)) as image:
        values = image.getpalette("RGB") or []
        colours = [
            simulate_colour((values[at], values[at + 1], values[at + 2]), eyes) for at in range(0, len(values), 3)
        ]
        image.putpalette([part for colour in colours for part in colour])
        file = io.BytesIO()
        image.save(file, "PNG")
    return file.getvalue()


def load_samples() -> list[Sample]:
    """Return the stored positions of all games."""
    return [Sample.from_json(data) for key in kits.with_kit() for data in kits.entries(key, "pictures.json")]


def write(folder: Path, samples: Iterable[Sample], beside: Path | None = None) -> int:
    """Draw everything, write the page into the folder and return the number of pictures.

    `beside` is a folder of mock-ups, which need not be there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = _Page(folder)
    for key, group in groupby(samples, lambda sample: sample.state.game.key):
        page.head(key)
        page.parts += copy_mockups(folder, key, beside)
        own = list(group)
        for number, sample in enumerate(own):
            page.row(_pictures(sample, seen=not number or sample.name.endswith("-turn")))
        last = max(
            (each for each in own if each.name.endswith("-turn")), key=lambda each: each.state.seats, default=own[0]
        )
        page.row(list_cases(last))
        page.texts(texts_of(last))
    page.head("charts")
    page.row(list_charts())
    (folder / "index.html").write_text("\n".join(page.parts), encoding="utf-8")
    return page.count


class _Page:
    """The page while it is written, and the pictures beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.parts = [
            "<!doctype html><meta charset=utf-8><title>Tavoliere: gallery</title>",
            f"<style>{STYLE}</style><h1>Tavoliere: gallery</h1>",
            "<input type=radio name=size id=small><label for=small>thumbnails</label>",
            "<input type=radio name=size id=phone checked><label for=phone>as on a phone, 400 px</label>",
            "<input type=radio name=size id=less><label for=less>360 px</label>",
            "<input type=radio name=size id=low><label for=low>350 px high</label>",
            "<input type=radio name=size id=full><label for=full>as sent, 900 px</label>",
        ]

    def head(self, title: str) -> None:
        self.parts.append(f"<h2>{html.escape(title)}</h2>")

    def row(self, pictures: Iterable[tuple[str, bytes]]) -> None:
        """Write pictures, each by its file's name, and show them side by side."""
        self.parts.append("<div class=row>")
        for name, data in pictures:
            (self.folder / name).write_bytes(data)
            caption = html.escape(f"{name.rpartition('.')[0]}, {len(data) / 1000:.0f} kB")
            low = " class=low" if name.endswith("-wide.png") else ""
            self.parts.append(f"<figure><a href='{name}'><img{low} loading=lazy src='{name}' alt='{caption}'></a>")
            self.parts.append(f"<figcaption>{caption}</figcaption></figure>")
            self.count += 1
        self.parts.append("</div>")

    def texts(self, texts: Iterable[str]) -> None:
        """Show texts side by side, line by line as they are."""
        self.parts += ["<div class=row>", *(f"<pre>{html.escape(text)}</pre>" for text in texts), "</div>"]


def _pictures(sample: Sample, *, seen: bool) -> Iterator[tuple[str, bytes]]:
    """Yield a position in every theme, to other eyes where it is to be `seen` by them, and wide where that is drawn."""
    pictures = {theme: draw(sample.state, **sample.arguments(), theme=theme).png for theme in THEMES}
    if seen:
        pictures |= {eyes: eyes_of(pictures["light"], eyes) for eyes in EYES}
    if sample.state.seats > 2 and games_pictures[sample.state.game.key].paint_wide:
        pictures["wide"] = draw(sample.state, **sample.arguments(), wide=True).png
    for title, png in pictures.items():
        yield f"{sample.name}-{title}.png", png


def copy_mockups(folder: Path, key: str, beside: Path | None) -> list[str]:
    """Copy a game's mock-ups into the gallery's folder and return the row that shows them; nothing without any."""
    found = sorted(beside.glob(f"{key}*.png")) if beside is not None else []
    for each in found:
        shutil.copyfile(each, folder / f"mockup-{each.name}")
    names = [html.escape(f"mockup-{each.name}") for each in found]
    figures = [f"<figure><a href='{name}'><img src='{name}' alt='{name}'></a></figure>" for name in names]
    return ["<div class=row>", *figures, "</div>"] if figures else []


def main() -> None:
    """Write the gallery and say where it is."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "out" / "gallery")
    parser.add_argument("--beside", type=Path, metavar="MOCKUPS")
    asked = parser.parse_args()
    print(f"{write(asked.folder, load_samples(), asked.beside)} pictures: {asked.folder / 'index.html'}")


if __name__ == "__main__":
    main()
