"""The checks of `make check` find what is wrong, where it stands, and nothing else; here it says so itself."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tools import check_mechanisms, check_modules, check_paths, check_translations, check_words


def write(folder: Path, name: str, text: str = "") -> Path:
    """Write a file into a folder, with the folders on the way to it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# One of each.

LOOP = """
async def run(self):
    while True:
        await self.store.alarms.list_due(self.clock())
        await self.wanted.wait()
"""
SEND = """
async def show(context, adapter, place):
    await adapter.send(place, card)
    await context.adapters[place.platform].edit(place, "7", card)
"""


@pytest.mark.parametrize(
    ("name", "source", "lines"),
    [
        ("bot/table/alarms.py", LOOP, [3]),
        ("bot/kernel/alarms.py", LOOP, []),
        ("bot/outbox/other.py", LOOP, [3]),
        ("bot/table/showing.py", SEND, [3, 4]),
        ("bot/outbox/showing.py", SEND, []),
        ("bot/table/sockets.py", "async def f(socket):\n    await socket.send(1)\n", []),
    ],
)
def test_a_second_way_is_found(tmp_path: Path, name: str, source: str, lines: list[int]) -> None:
    write(tmp_path, name, source)
    assert [found.split(":")[:2] for found in check_mechanisms.find_problems(tmp_path)] == [
        [name, str(line)] for line in lines
    ]


# Sizes.


@pytest.mark.parametrize("name", ["bot/all.py", "tools/all.py", "tests/bot/test_all.py"])
def test_a_long_module_is_found(tmp_path: Path, name: str) -> None:
    most = check_modules.MAX_LINES
    for lines, problems in ((most, []), (most + 1, [f"{name}: {most + 1} lines, more than {most}"])):
        write(tmp_path, name, "x = 1\n" * lines)
        assert list(check_modules.find_problems(tmp_path)) == problems


# Paths.


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    pages = {
        "README.md": "# All of it\n\n## What it's *for*\n\n## `make` it, twice\n\n## Again\n\n## Again\n",
        "docs/rules/hex.md": "# Hex\n\n```\n# Not a heading\n```\n",
        "docs/boards.png": "",
        "bot/kernel/words/hex.py": "",
        "tests/games/hex/perft.json": "",
    }
    for name, text in pages.items():
        write(tmp_path, name, text)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "[all](../README.md) and [why](../README.md#what-its-for), [how](../README.md#make-it-twice)",
        "[once](../README.md#again) and [twice](../README.md#again-1), [here](#a-page)",
        '![boards](boards.png "The boards") and <img src="boards.png">',
        "[a site](https://example.org/docs/none.md), [a letter](mailto:anna@example.org), https://example.org/bot/none.py",
        "the folder [rules](rules/) has `docs/rules/hex.md`, `rules/hex.md` beside `bot/kernel/words/hex`",
        "[nothing]: boards.png",
        "`docs/rules/<key>.md`, `tests/games/KEY/perft.json`, `bot/kernel/words/*.py`, and `.it.md` of each",
        "and/or, `[a](none.png)` in code",
    ],
)
def test_what_leads_somewhere_is_no_problem(root: Path, line: str) -> None:
    write(root, "docs/page.md", f"# A page\n\n{line}\n\n```\n[a](none.png)\n```\n")
    assert list(check_paths.find_problems(root)) == []


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("see [that](none.md)", "none.md"),
        ("![boards](../boards.png)", "../boards.png"),
        ("[gone]: rules/gone.md", "rules/gone.md"),
        ("in `docs/rules/gone.md`", "docs/rules/gone.md"),
        ("in `tests/games/KEY/golden.json`", "tests/games/KEY/golden.json"),
        ("in bot/kernel/words/<key>.txt", "bot/kernel/words/<key>.txt"),
        ("by `engine/gone.py`.", "engine/gone.py"),
    ],
)
def test_a_page_that_points_nowhere_is_found(root: Path, line: str, named: str) -> None:
    write(root, "docs/page.md", f"# A page\n\n{line}\n")
    assert list(check_paths.find_problems(root)) == [f"docs/page.md:3: {named} leads nowhere"]


@pytest.mark.parametrize("anchor", ["none", "not-a-heading", "What-its-for"])
def test_an_anchor_without_a_heading_is_found(root: Path, anchor: str) -> None:
    write(root, "docs/page.md", f"[a](../README.md#{anchor})\n[b](rules/hex.md#hex)\n[c](#none)\n")
    assert list(check_paths.find_problems(root)) == [
        f"docs/page.md:1: ../README.md#{anchor}: the page has no such heading",
        "docs/page.md:3: #none: the page has no such heading",
    ]


def test_comments_and_docstrings_that_point_nowhere_are_found(root: Path) -> None:
    write(
        root,
        "bot/module.py",
        '"""What it does (rules/hex.md,\ndocs/rules/hex.md, End)."""\n'
        "x = 'tests/none.py'  # in bot/none.py\n"
        '"""As docs/none.md says."""\n\n\n'
        "def y() -> None:\n"
        '    """See engine/none/."""\n'
        "    # See bot/kernel/words/hex.py\n",
    )
    assert sorted(check_paths.find_problems(root)) == [
        "bot/module.py:1: rules/hex.md leads nowhere",
        "bot/module.py:3: bot/none.py leads nowhere",
        "bot/module.py:4: docs/none.md leads nowhere",
        "bot/module.py:8: engine/none/ leads nowhere",
    ]


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "compose.yaml", ".github/workflows/check.yml", "Makefile", ".env.example"]
)
def test_comments_of_settings_are_followed(root: Path, name: str) -> None:
    write(root, name, "a: b  # as docs/rules/hex.md says\n# not docs/none.md\n")
    assert list(check_paths.find_problems(root)) == [f"{name}:2: docs/none.md leads nowhere"]


# Translations.

HEAD = r"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

"""
ENGLISH = 'msgid "hello"\nmsgstr "Hello, {name}"\n'
ITALIAN = 'msgid "hello"\nmsgstr "Ciao, {name}"\n'
PLURAL = 'msgid "hello"\nmsgid_plural "hello"\nmsgstr[0] "Ciao, {name}"\nmsgstr[1] "Ciao, {name}"\n'


@pytest.mark.parametrize(
    ("italian", "said"),
    [
        ("", "it/club.po: hello: missing"),
        ('msgid "hello"\nmsgstr "Ciao"\n', "it/club.po: hello: {} instead of {name}"),
        ('msgid "hello"\nmsgstr ""\n', "it/club.po: hello: empty"),
        (f'{ITALIAN}\nmsgid "hello"\nmsgstr "Salve, {{name}}"\n', "it/club.po: hello: twice"),
        (f"#, fuzzy\n{ITALIAN}", "it/club.po: hello: fuzzy"),
        ('msgid "hello"\nmsgstr "Ciao, *{name}"\n', "it/club.po: hello: an odd number of *"),
        (PLURAL, "it/club.po: hello: a plural in one language only"),
        (f'{ITALIAN}\nmsgid "more"\nmsgstr "Altro"\n', "en/club.po: more: missing"),
    ],
)
def test_incomplete_translations_are_reported(tmp_path: Path, italian: str, said: str) -> None:
    write(tmp_path, "en/club.po", HEAD + ENGLISH)
    write(tmp_path, "it/club.po", HEAD + italian)
    assert said in list(check_translations.find_problems(tmp_path))


def test_a_missing_catalogue_is_found_and_a_complete_pair_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path, "en/club.po", HEAD + ENGLISH)
    (tmp_path / "it").mkdir()
    assert list(check_translations.find_problems(tmp_path)) == ["it/club.po: missing"]
    write(tmp_path, "it/club.po", HEAD + ITALIAN)
    assert list(check_translations.find_problems(tmp_path)) == []


# Words.


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bot/a.py", "patience = 3\n", ["patience"]),
        ("engine/a.py", "def _told(whoever: int) -> None:\n    self.kept = whoever\n", ["_told", "whoever", "kept"]),
        ("storage/a.py", "class Company: ...\n", ["Company"]),
        ("render/a.py", "MOST_ROWS = 3\n_GRACE: Final = 2\nADS_AN_HOUR = 9\n", ["MOST_ROWS", "_GRACE", "ADS_AN_HOUR"]),
        ("tools/a.py", '"""Whoever asks."""\n# Nothing but words.\n', ["Whoever", "Nothing but"]),
        (
            "bot/a.js",
            "// Whoever waits.\nconst SOON = 9;\nfunction told(crowd) {}\n  /** Nothing but that. */\n",
            ["Whoever", "SOON", "told", "Nothing but"],
        ),
        ("docs/a.md", "# A page\n\nWhoever is told that it sees to it.\n", ["Whoever", "is told that", "sees to"]),
    ],
)
def test_a_replaced_word_is_found_with_what_to_say(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    write(tmp_path, name, text)
    found = list(check_words.find_problems(tmp_path, [name]))
    assert sorted(line.split("“")[1].split("”")[0] for line in found) == sorted(words)
    assert all(line.startswith(f"{name}:") and ": say " in line for line in found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bot/a.py", 'MAX_ROWS = 3\nTIMEOUT_SECONDS = 1.0\nLABEL = "whoever is told what"\nkept_files = timeout = 1\n'),
        ("bot/a.txt", "whoever\n"),
        ("bot/a.js", 'const label = "whoever is told what";\nlog.kept(told);\n'),
        ("bot/platforms/apps/static/discord-sdk.js", "// Whoever.\n"),
        ("docs/rules/a.md", "Whoever begins.\n"),
        ("CHANGELOG.md", "whoever\n"),
    ],
)
def test_texts_for_players_and_lists_of_old_words_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, name, text)
    assert list(check_words.find_problems(tmp_path, [name])) == []


ROOT = Path(__file__).resolve().parents[2]
INTERFACE = {ROOT / "bot" / "platforms" / "public" / "models.py"}
"""What other programs read is called there by its name here."""


def test_no_two_public_classes_share_a_name() -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for package in ("bot", "engine", "render", "storage"):
        for path in sorted({*(ROOT / package).rglob("*.py")} - INTERFACE):
            for name in re.findall(r"^class ([^_]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
                found[name].append(str(path.relative_to(ROOT)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
