"""The catalogues are complete, and the check sees what is not."""

from pathlib import Path

import pytest

from tools.check_translations import find_problems

HEAD = r"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

"""


def write(folder: Path, language: str, body: str, domain: str = "club.po") -> None:
    (folder / language).mkdir(exist_ok=True)
    (folder / language / domain).write_text(HEAD + body, encoding="utf-8")


def test_our_catalogues_are_complete() -> None:
    assert list(find_problems()) == []


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
    write(tmp_path, "en", ENGLISH)
    write(tmp_path, "it", italian)
    assert said in list(find_problems(tmp_path))


def test_a_missing_catalogue_is_found_and_a_complete_pair_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path, "en", ENGLISH)
    (tmp_path / "it").mkdir()
    assert list(find_problems(tmp_path)) == ["it/club.po: missing"]
    write(tmp_path, "it", ITALIAN)
    assert list(find_problems(tmp_path)) == []
