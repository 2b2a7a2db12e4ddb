"""Make the palettes that the pictures share: `python -m tools.make_palettes [GAME ...]` writes render/palettes.

Those of a game of another installed package are made if it is named, and go into that package.

Every named colour of the game and theme is taken as it is; the rest, up to a total for each game, are the tones of
smoothed edges, found by libimagequant (a development dependency) in some twenty pictures of the game.
"""

import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import imagequant
from PIL import Image

from engine import Game, games
from render.games import pictures
from render.scene import GamePicture, Scene
from render.theme import MARKS, RGB, THEMES, Palette, list_inks
from tests.support.samples import NAMES, choices_of, list_variants, random_playout


def list_scenes(game: Game, theme: str, most: int = 24) -> list[Scene]:
    """Return some scenes that show the whole range of a game: all variants, stages, last turns and choices."""
    result = []
    each = list_variants(game)
    rounds = max(1, most // len(each))
    for number, (seats, options) in enumerate(each):
        line = list(random_playout(game, number, seats, options))
        for part in range(rounds):
            at = (len(line) - 1) * (part + 1) // rounds if number % 2 else len(line) * part // rounds
            state, turn = line[at]
            choices = choices_of(state, part) if part % 2 else None
            result.append(Scene.of(state, turn, (number + part) % seats, choices, NAMES[:seats], theme))
    return result


def share_bucket(a: RGB, b: RGB) -> bool:
    """Return whether Pillow's look-up cannot distinguish two colours."""
    return all(x >> 2 == y >> 2 for x, y in zip(a, b, strict=True))


def list_named_colours(picture: GamePicture, theme: str) -> list[RGB]:
    """Return the colours that must be met exactly."""
    return list(dict.fromkeys([*list_inks(THEMES[theme]), *MARKS, *picture.colours(THEMES[theme])]))


def make(picture: GamePicture, theme: str) -> list[RGB]:
    """Return the palette of a game in a theme: the named colours first, then edge tones by how common they are."""
    exact, most = list_named_colours(picture, theme), picture.most_colours
    counts: Counter[RGB] = Counter()
    for scene in list_scenes(games[picture.key], theme):
        image = picture.paint(scene)[0].picture()
        for count, colour in image.getcolors(image.width * image.height) or []:
            if isinstance(colour, tuple):
                counts[colour[0], colour[1], colour[2]] += count
    rest = {colour: count for colour, count in counts.items() if not any(share_bucket(colour, e) for e in exact)}
    # Weights are dampened: a tone that is rare still lies on an edge that is looked at.
    pixels = [colour for colour, count in sorted(rest.items()) for _ in range(min(64, 1 + int(count**0.5)))]
    side = 512
    strip = Image.new("RGBA", (side, -(-len(pixels) // side)), (*exact[0], 255))
    strip.putdata([(*colour, 255) for colour in pixels])
    tones = imagequant.quantize_pil_image(strip, dithering_level=0.0, max_colors=most - len(exact))
    values = tones.getpalette("RGB") or []
    found = [(values[at], values[at + 1], values[at + 2]) for at in range(0, len(values), 3)]
    colours = (exact + [tone for tone in dict.fromkeys(found) if tone not in exact])[:most]
    while True:
        palette = Palette(colours)
        rivals = {palette.colours[palette.index(colour)] for colour in exact} - set(exact)
        if not rivals:
            return colours
        # A tone so close to a named colour that the look-up takes it for that one.
        colours = [colour for colour in colours if colour not in rivals]


def main() -> None:
    """Write the palettes of the games named on the command line, or of all."""
    for key in sys.argv[1:] or games.ours:
        folder = Path(str(files(games.source(key).package or "render"))) / "palettes"
        folder.mkdir(exist_ok=True)
        for theme in THEMES:
            colours = make(pictures[key], theme)
            data = bytes(value for colour in colours for value in colour)
            (folder / f"{key}-{theme}.bin").write_bytes(data)
            print(
                f"{key} {theme}: {len(colours)} colours, {len(list_named_colours(pictures[key], theme))} of them exact"
            )


if __name__ == "__main__":
    main()
