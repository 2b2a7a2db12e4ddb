"""What belongs to a game, and what of it is missing: everything at once, by its path, with the place in the guide."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Final

from bot.kernel.explanations import REASONS, explained
from bot.kernel.preferences import LANGUAGES
from bot.kernel.rulebook import examples, rule_examples
from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.texts import Speaker, Texts
from bot.kernel.words import WORDS, words
from engine import CHANCE, games
from engine.discovery import RULES, Part
from engine.search import players
from engine.search.policies import POLICY
from render import THEMES
from render.games import PICTURE, pictures
from tests.engine.codes import own_codes
from tests.engine.playing import playout, settings
from tests.support import kits
from tests.support.kits import ROOT

GUIDE: Final = "CONTRIBUTING.md#add-a-game"
TEXTS: Final = Texts()
FEWEST_EXAMPLES: Final = 3
"""Illustrated examples that `/rules` shows."""

MODULES: Final = (
    # what, where it stands, the games in which it is found
    ("rules", RULES, games),
    ("computer player", POLICY, players),
    ("picture", PICTURE, pictures),
    ("positions in words", WORDS, words),
    ("reasons for turns", REASONS, explained),
)
FILES: Final = (
    ("rule sheet", "{sheets}"),
    ("lesson", "{lessons}"),
    *((f"palette ({theme})", f"{{palettes}}/{{key}}-{theme}.bin") for theme in THEMES),
    *((f"words ({language})", f"{{locales}}/{language}/{{key}}.po") for language in LANGUAGES),
    *((f"words of its lesson ({language})", f"{{locales}}/{language}/lesson-{{key}}.po") for language in LANGUAGES),
    *((f"page ({language})", f"{{pages}}/{{key}}.{language}.md") for language in LANGUAGES),
)
FOLDERS: Final = {
    # in this tree, and in a package
    "sheets": ("bot/kernel/rulebook/{key}.json", "rulebook.json"),
    "lessons": ("bot/kernel/rulebook/lessons/{key}.json", "lesson.json"),
    "palettes": ("render/palettes", "palettes"),
    "locales": ("bot/locales", "locales"),
    "pages": ("docs/games", "docs"),
}
HERE, THERE = ({name: places[at] for name, places in FOLDERS.items()} for at in (0, 1))
KIT: Final = (
    ("golden playthrough", "golden/*.txt", "make golden"),
    ("counts", "perft.json", ""),
    ("refusals", "refusals.json", ""),
    ("positions with a suggested turn", "hints.json", ""),
    ("positions to draw", "pictures.json", "make golden"),
    ("golden pictures", "pictures/*.png", "make golden"),
    ("pictures of suggested turns", "pictures/hints/*.png", "make golden"),
    ("strength positions", "strength.json", "python -m tools.make_strength"),
    ("reader of its words", "reading.py", ""),
    ("tests of its own", "test_*.py", ""),
)
LAID_OUT: Final = "New game: "
"""What stands in every file that tools/new_game.py has laid out, until somebody has filled it."""


def package_of(key: str) -> Path | None:
    """Return the folder of the package that brings a game; None if it is to stand in this tree."""
    found = [] if kits.in_tree(key) else list(entry_points(group="tavoliere.games", name=key))
    spec = find_spec(found[0].value) if found else None
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None


def find_missing(key: str) -> list[str]:
    """Return one line for everything that a game lacks: what, where it belongs, where the guide speaks of it."""
    lines = [f"{key} has no {what} ({GUIDE})" for what in (*_parts(key), *_kit(key))]
    if key not in games:
        return lines
    inside = (*_left(key), *_words(key), *_pages(key), *_rulebook(key), *_kit_files(key))
    return [*lines, *(f"{key}: {what} ({GUIDE})" for what in inside)]


def module_path(part: Part, key: str, package: Path | None) -> Path:
    """Return where a part of a game that is a module stands, without a suffix: in this tree, or in a package."""
    return package / part.beside if package else ROOT.joinpath(*part.within.split("."), kits.name_of(key))


def file_path(place: str, key: str, package: Path | None) -> Path:
    """Return where one of FILES stands, in this tree or in a package."""
    beside = pages(key, package) if "{pages}" in place else package
    return (beside or ROOT) / place.format(**(THERE if package else HERE), key="{key}").format(key=key)


def pages(key: str, package: Path | None) -> Path | None:
    """Return what holds the folder of the pages: where the package has its source, which is where its kit lies."""
    kit = kits.kit(key)
    return package and (package.parent if kit is None else kit.parent)


def _parts(key: str) -> Iterator[str]:
    package = package_of(key)
    for what, part, found in MODULES:
        path = module_path(part, key, package)
        if not (path.with_suffix(".py").exists() or (path / "__init__.py").exists()):
            yield f"{what}: {_shown(path.with_suffix('.py'))}"
        elif key not in found:
            yield f"{what} that is found by its key: {_shown(path)}"
    for what, place in FILES:
        path = file_path(place, key, package)
        if not path.exists():
            yield f"{what}: {_shown(path)}"


def _kit(key: str) -> Iterator[str]:
    folder = kits.kit(key) or kits.FOLDER / kits.name_of(key)
    if package_of(key) and kits.kit(key) is None:
        return  # another package's game, whose kit was not given
    for what, pattern, maker in KIT:
        if not list(folder.glob(pattern)):
            yield f"{what}: {_shown(folder / pattern)}{f' (by {maker})' if maker else ''}"


def _left(key: str) -> Iterator[str]:
    """Yield the files that are still as they were laid out."""
    package, kit = package_of(key), kits.kit(key)
    modules = [module_path(part, key, package).with_suffix(".py") for _, part, _ in MODULES]
    files = [file_path(place, key, package) for _, place in FILES]
    contract = [] if package else [ROOT / "docs" / "rules" / f"{key}.md"]
    own = sorted(kit.glob("*.py")) if kit else []
    for path in (*modules, *files, *contract, *own):
        if path.suffix in (".py", ".po", ".md") and path.is_file() and LAID_OUT in path.read_text(encoding="utf-8"):
            yield f"still as it was laid out: {_shown(path)}"


def _words(key: str) -> Iterator[str]:
    game = games[key]
    options = [f"option.{name}" for name in game.options]
    values = [f"option.{name}.{value}" for name, option in game.options.items() for value in option.values]
    verbs, reasons = _played(key)
    needed = [
        *("name", "tagline", "goal", "rules.short", *options, *values, *(f"{value}.about" for value in values)),
        *(f"example.{example.name}" for example in rule_examples(key)),
        *(f"refusal.{code}" for code in sorted(own_codes(key))),
        *(f"verb.{verb}" for verb in sorted(verbs)),
        *(f"reason.{reason}" for reason in sorted(reasons)),
    ]
    for language in LANGUAGES:
        speaker: Speaker = TEXTS.speaker(language).of(key)
        yield from (f"no word in {language}/{key}.po: {word}" for word in needed if not speaker.has(word))


def _played(key: str) -> tuple[set[str], set[str]]:
    """Return the kinds of action and the reasons of an end that some random games come to."""
    verbs, reasons = set[str](), set[str]()
    for setting in [setting for setting in settings() if setting.key == key][:4]:
        for state, _ in islice(playout(setting, 1), 500):
            if state.to_move != CHANCE:
                verbs |= {state.game.facts.kind_of(action) for action in state.legal_actions() if action.value is None}
            if state.outcome is not None:
                reasons.add(state.outcome.reason)
    return verbs, reasons


def _pages(key: str) -> Iterator[str]:
    package = package_of(key)
    folder = (pages(key, package) or ROOT / "docs") / ("docs" if package else "games")
    listed = {example.file for example in examples(key)}
    for language in LANGUAGES:
        page = folder / f"{key}.{language}.md"
        if not page.exists():
            continue
        pictured = {part.split(")")[0] for part in page.read_text(encoding="utf-8").split("](pictures/")[1:]}
        if not pictured:
            yield f"no picture on its page {_shown(page)}"
        yield from (f"a picture on {_shown(page)} that no example draws: {name}" for name in sorted(pictured - listed))
    for name in sorted(listed):
        if not (folder / "pictures" / name).exists():
            yield f"no picture {_shown(folder / 'pictures' / name)} (by make docs)"


def _rulebook(key: str) -> Iterator[str]:
    if len(rule_examples(key)) < FEWEST_EXAMPLES:
        yield f"fewer than {FEWEST_EXAMPLES} examples in its rule sheet are shown by /rules"
    plan = lesson_of(key)
    if plan is None or not plan.steps:
        yield "no step in its lesson"


def _kit_files(key: str) -> Iterator[str]:
    if package_of(key) and kits.kit(key) is None:
        return
    if not any(entry["turns"] for entry in kits.entries(key, "perft.json")):
        yield "no counts in its perft.json"
    if not kits.entries(key, "hints.json"):
        yield "no position with a suggested turn in its hints.json"
    refusals = kits.data(key, "refusals.json") or {}
    codes = {entry["code"] for entry in refusals.get("refusals", [])} | set(refusals.get("never", {}))
    yield from (f"no position in its refusals.json for {code}" for code in sorted(own_codes(key) - codes))
    scenes = [entry["name"] for entry in kits.entries(key, "pictures.json")]
    for stage in ("start", "turn", "choice", "end"):
        if not any(name.endswith(f"-{stage}") for name in scenes):
            yield f"no scene in its pictures.json whose name ends with -{stage} (by make golden)"


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
