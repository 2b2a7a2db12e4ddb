"""Check that every path which a page, a comment or a docstring names leads somewhere, with its anchor in a page."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent

_CODE: Final = re.compile(r"^(```|~~~)")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_LINK: Final = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)|<img\b[^>]*\bsrc=\"([^\"]+)\""
)
_ELSEWHERE: Final = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_PATH: Final = re.compile(
    r"(?<![\w./<>*{}@-])"
    r"((?:bench|bot|docs|engine|render|storage|tests|tools|\.github|\.ci)/[\w./<>*-]*[\w>*/]"
    r"|(?:[\w<*][\w./<>*-]*)?\w\.md)(?![\w{}])"
)
_OPEN: Final = re.compile(r"<[^>]+>")
"""What a path leaves open (`bot/kernel/rulebook/lessons/<key>.json`): something of that form must be there."""
_CAPITALS: Final = re.compile(r"\b(KEY|NAME|GAME|VERSION)\b")


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every path that leads nowhere."""
    anchors: dict[Path, set[str]] = {}
    for file in _files(root):
        for line, named, base, anchor in _named_paths(root, file):
            where = f"{file.relative_to(root)}:{line}: {named}"
            found = [base] if anchor is not None and base.exists() else list(_resolve_path(root, file, named, base))
            if not found:
                yield f"{where} leads nowhere"
            elif anchor:
                if found[0] not in anchors:
                    anchors[found[0]] = set(_anchors(found[0]))
                if found[0].suffix == ".md" and anchor not in anchors[found[0]]:
                    yield f"{where}: the page has no such heading"


def _files(root: Path) -> list[Path]:
    """Return the files of the project: those that git knows or could, else all."""
    listing = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(listing, capture_output=True, check=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(root)) for path in root.rglob("*") if ".venv" not in path.parts]
    return sorted(path for name in names if name and (path := root / name).is_file())


def _named_paths(root: Path, file: Path) -> Iterator[tuple[int, str, Path, str | None]]:
    """Yield every path that a file names: its line, its text, where it points, and its anchor if it is a link."""
    if file.suffix == ".md":
        for number, line, quoted in _lines_of_page(file):
            for target in _links(line) if not quoted else ():
                path, _, anchor = target.partition("#")
                base = (root / path[1:] if path.startswith("/") else file.parent / unquote(path)) if path else file
                yield number, target, base.resolve(), anchor
            yield from ((number, named, root / named, None) for named in _paths(_LINK.sub("]", line)))
    elif file.suffix == ".py":
        for number, text in _comments(file):
            yield from ((number, named, root / named, None) for named in _paths(text))
    elif file.suffix in (".toml", ".yml", ".yaml", ".example") or file.name in (
        "Makefile",
        "Dockerfile",
        ".dockerignore",
    ):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            yield from ((number, named, root / named, None) for named in _paths(line.partition("# ")[2]))


def _lines_of_page(page: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield number and text of every line, and whether it is quoted code."""
    quoted = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if _CODE.match(line.lstrip()):
            quoted = not quoted
        yield number, line, quoted


def _links(line: str) -> list[str]:
    found = [next(filter(None, match.groups())) for match in _LINK.finditer(re.sub(r"`[^`]*`", "", line))]
    return [target for target in found if not _ELSEWHERE.match(target)]


def _comments(module: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and docstrings of a module, line by line."""
    source = module.read_text(encoding="utf-8")
    # Most modules name no path at all: reading them as Python would take most of the time.
    if not _PATH.search(source):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        # Also the strings below an assignment, which say what it is.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from enumerate(node.value.value.splitlines(), node.lineno)


def _paths(text: str) -> list[str]:
    return [match[1].rstrip(".") for match in _PATH.finditer(_ADDRESS.sub("", text))]


def _resolve_path(root: Path, file: Path, named: str, base: Path) -> Iterator[Path]:
    """Yield what a path names, seen from the root or from where it is named; any of a form if it leaves things open."""
    pattern = _CAPITALS.sub("*", _OPEN.sub("*", named))
    places = (root, file.parent)
    if "*" not in pattern:
        yield from (place / named for place in places if (place / named).exists())
        # A module by its name, as in `bot/kernel/words/annuvin`.
        yield from (path for path in [base.with_name(f"{base.name}.py")] if path.exists())
    else:
        yield from (path for place in places for path in place.glob(pattern.rstrip("/")))


def _anchors(page: Path) -> Iterator[str]:
    """Yield the anchors of a page, as GitHub makes them of its headings."""
    seen: Counter[str] = Counter()
    for _, line, quoted in _lines_of_page(page):
        heading = None if quoted else _HEADING.match(line)
        if heading is None:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        yield f"{slug}-{seen[slug]}" if seen[slug] else slug
        seen[slug] += 1


if __name__ == "__main__":
    wrong = list(find_problems())
    print("\n".join(wrong) or "paths: all lead somewhere")
    sys.exit(bool(wrong))
