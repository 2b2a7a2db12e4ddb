"""Make render/fonts: `python tools/make_fonts.py JOST_DIRECTORY NOTO_DIRECTORY NOTO_CJK_FILE`.

Needs fontTools, which is no dependency. Jost's directory is `fonts/static` of the package `opinionated` on PyPI; the
Noto fonts are those of Debian's fonts-noto-core and fonts-noto-cjk. Licence files are not written: all are under the
SIL Open Font License 1.1, whose texts lie in render/fonts.

Jost is taken as it is; its kerning is written beside it, because Pillow's basic layout (the only one that is the
same on every machine) reads none. The others are cut down to the characters that names may need; but for Noto Sans,
which sets whole words, to those that the fonts before them lack.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

HERE = Path(__file__).parent.parent / "render" / "fonts"
SCRIPTS = (
    "Arabic Armenian Bengali CanadianAboriginal Cherokee Devanagari Ethiopic Georgian Gujarati Gurmukhi "
    "Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai"
)
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026]


def pair_adjustments(font: Any) -> dict[tuple[str, str], int]:
    """Return the horizontal kerning of a font's GPOS table for pairs of the letters we use."""
    names = font.getBestCmap()
    glyphs = [names[code] for code in LETTERS if code in names]
    gpos = font["GPOS"].table
    lookups = {at for f in gpos.FeatureList.FeatureRecord if f.FeatureTag == "kern" for at in f.Feature.LookupListIndex}
    found: dict[tuple[str, str], int] = {}
    for at in sorted(lookups):
        seen: set[tuple[str, str]] = set()
        for table in gpos.LookupList.Lookup[at].SubTable:
            for pair, value in _subtable(getattr(table, "ExtSubTable", table), glyphs):
                # Of the subtables of one lookup, only the first that has the pair counts.
                if pair not in seen:
                    seen.add(pair)
                    found[pair] = found.get(pair, 0) + value
    return {pair: value for pair, value in found.items() if value}


def _subtable(table: Any, glyphs: list[str]) -> Iterator[tuple[tuple[str, str], int]]:
    known, coverage = set(glyphs), set(table.Coverage.glyphs)
    covered = [glyph for glyph in glyphs if glyph in coverage]
    if table.Format == 1:
        order = {glyph: number for number, glyph in enumerate(table.Coverage.glyphs)}
        for glyph in covered:
            for record in table.PairSet[order[glyph]].PairValueRecord:
                if record.SecondGlyph in known:
                    yield (glyph, record.SecondGlyph), _advance(record.Value1)
        return
    first, second = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    for a, b in product(covered, glyphs):
        record = table.Class1Record[first.get(a, 0)].Class2Record[second.get(b, 0)]
        yield (a, b), _advance(record.Value1)


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0)


def jost(source: Path) -> None:
    """Copy a weight of Jost and write its kerning beside it: for each adjustment the pairs, one after the other."""
    font = TTFont(source)
    letters = {name: chr(code) for code, name in font.getBestCmap().items() if code in LETTERS}
    pairs: dict[int, list[str]] = {}
    for (first, second), value in pair_adjustments(font).items():
        pairs.setdefault(value, []).append(letters[first] + letters[second])
    kerning = {str(value): "".join(sorted(pairs[value])) for value in sorted(pairs)}
    (HERE / source.name).write_bytes(source.read_bytes())
    text = json.dumps({"unit": 1 / font["head"].unitsPerEm, "pairs": kerning}, ensure_ascii=False, indent=0)
    (HERE / f"{source.stem}.json").write_text(text + "\n")


def cut(font: Any, wanted: set[int], name: str) -> set[int]:
    """Write the part of a font that draws the wanted characters and return which those are."""
    options = Options(hinting=False, layout_features=[], notdef_outline=True, name_IDs=[0, 1, 2, 4, 5, 6, 13, 14])
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "VORG", "vhea", "vmtx", "DSIG", "STAT"]
    cutter = Subsetter(options)
    found = wanted & set(font.getBestCmap())
    cutter.populate(unicodes=found)
    cutter.subset(font)
    font.save(HERE / name)
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
        jost(jost_at / f"Jost-{weight}.ttf")
    have = set(TTFont(HERE / "Jost-Bold.ttf").getBestCmap())
    everything = set(range(0x20, 0x10000))
    have |= cut(TTFont(noto_at / "NotoSans-Bold.ttf"), everything, "NotoSans-Bold.ttf")
    for script in SCRIPTS.split():
        name = f"NotoSans{script}-Bold.ttf"
        have |= cut(TTFont(noto_at / name), everything - have, name)
    font = next(font for font in TTCollection(cjk).fonts if font["name"].getDebugName(4) == "Noto Sans CJK JP Bold")
    have |= cut(font, common_east_asian() - have, "NotoSansCJKjp-Bold.otf")
    print(f"{len(have)} characters")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
