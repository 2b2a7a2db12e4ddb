"""Make render/fonts: `python tools/make_fonts.py JOST_DIRECTORY NOTO_DIRECTORY NOTO_CJK_FILE`.

Needs fontTools and brotli, which are no dependencies. Jost's directory is `fonts/static` of the package `opinionated`
on PyPI; the Noto fonts are those of Debian's fonts-noto-core and fonts-noto-cjk. Licence files are not written: all are
under the SIL Open Font License 1.1, whose texts lie in render/fonts.

Jost is taken as it is, and packed for browsers. The others are cut down to the characters that names may need; but for
Noto Sans, which sets whole words, to those that the fonts before them lack.
"""

import sys
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

FONTS_FOLDER = Path(__file__).parent.parent / "render" / "fonts"
SCRIPTS = (
    "Arabic Armenian Bengali CanadianAboriginal Cherokee Devanagari Ethiopic Georgian Gujarati Gurmukhi "
    "Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai"
)
JOINERS = {0x200C, 0x200D, 0x25CC}
"""What keeps letters apart or together, and the circle that stands for a missing letter under its mark."""


def cut_font(font: Any, wanted: set[int], name: str, *, shaped: bool = True) -> set[int]:
    """Write the part of a font that draws the wanted characters and return which those are.

    How its letters join and where its marks stand is kept, unless it is not `shaped`.
    """
    options = Options(hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 4, 5, 6, 13, 14])
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "DSIG", "STAT"]
    if not shaped:
        options.drop_tables += ["GSUB", "GPOS", "GDEF"]
    cutter = Subsetter(options)
    found = wanted & set(font.getBestCmap())
    cutter.populate(unicodes=found | JOINERS & set(font.getBestCmap()) if shaped else found)
    cutter.subset(font)
    font.save(FONTS_FOLDER / name)
    return found


def common_east_asian() -> set[int]:
    """Return the characters of the everyday standards of China, Taiwan, Japan and Korea, with all of Hangul."""
    result = set(range(0x3000, 0x3200)) | set(range(0xAC00, 0xD7A4))
    for code in range(0x4E00, 0xA000):
        for name in ("gb2312", "shift_jis", "euc_kr", "big5"):
            try:
                encoded = chr(code).encode(name)
            except UnicodeEncodeError:
                continue
            # The rare half of Big5 starts at C940; of Shift-JIS and KS X 1001 all is taken.
            if name != "big5" or encoded < b"\xc9\x40":
                result.add(code)
                break
    return result


def main(jost_at: Path, noto_at: Path, cjk: Path) -> None:
    """Write all fonts."""
    for weight in ("Bold", "SemiBold"):
        (FONTS_FOLDER / f"Jost-{weight}.ttf").write_bytes((jost_at / f"Jost-{weight}.ttf").read_bytes())
    packed = TTFont(FONTS_FOLDER / "Jost-Bold.ttf")
    packed.flavor = "woff2"
    packed.save(FONTS_FOLDER / "Jost-Bold.woff2")
    have = set(TTFont(FONTS_FOLDER / "Jost-Bold.ttf").getBestCmap())
    everything = set(range(0x20, 0x10000))
    have |= cut_font(TTFont(noto_at / "NotoSans-Bold.ttf"), everything, "NotoSans-Bold.ttf")
    for script in SCRIPTS.split():
        name = f"NotoSans{script}-Bold.ttf"
        have |= cut_font(TTFont(noto_at / name), everything - have, name)
    font = next(font for font in TTCollection(cjk).fonts if font["name"].getDebugName(4) == "Noto Sans CJK JP Bold")
    have |= cut_font(font, common_east_asian() - have, "NotoSansCJKjp-Bold.otf", shaped=False)
    print(f"{len(have)} characters")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
