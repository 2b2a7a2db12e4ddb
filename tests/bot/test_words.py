"""Words, names, presses, receipts: the small parts that everything is said with."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from bot.kernel.cards import Button, Card, Menu
from bot.kernel.names import clean_name, compute_skeleton, name_player, tell_apart
from bot.kernel.presses import BrokenPress, press, read_press
from bot.kernel.request_context import reply_from_json, reply_to_json
from bot.kernel.requests import Reply
from bot.kernel.table import computer_level
from bot.kernel.texts import Span, Texts, Timestamp, command, fill, join, strip_styles
from engine.record import FORGOTTEN_NAME, MAX_NAME_LENGTH

TEXTS = Texts()
CATALOGUE = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "hello"
msgstr "Hello *{who}*, type `{what}`!"

msgid "apples"
msgid_plural "apples"
msgstr[0] "one apple"
msgstr[1] "{n} apples"

msgid "number"
msgstr "number {n}"
"""


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    """Small catalogues: general words in one language, and those of a game."""
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "tavoliere.po").write_text(CATALOGUE, encoding="utf-8")
    game = CATALOGUE.replace("Hello", "Hail").split('\nmsgid "apples"')[0]
    (folder / "chess.po").write_text(game, encoding="utf-8")
    return Texts(tmp_path)


def test_stars_are_bold_and_backticks_code(texts: Texts) -> None:
    said = texts.speaker("en").say("hello", who="Anna", what="/help")
    assert said == (Span("Hello "), Span("Anna", bold=True), Span(", type "), Span("/help", code=True), Span("!"))


def test_parameters_are_never_markup(texts: Texts) -> None:
    assert texts.speaker("en").line("hello", who="*{what}*`", what="{who}") == "Hello *{what}*`, type {who}!"


def test_people_in_parameters_stay_people(texts: Texts) -> None:
    said = texts.speaker("en").say("hello", who=Span("Anna", person=7), what="x")
    assert Span("Anna", bold=True, person=7) in said


def test_plurals_follow_n_and_a_plain_text_may_have_an_n(texts: Texts) -> None:
    speaker = texts.speaker("en")
    assert [speaker.line("apples", n=n) for n in (0, 1, 2)] == ["0 apples", "one apple", "2 apples"]
    assert speaker.line("number", n=3) == "number 3"


def test_a_game_s_words_come_first_and_the_general_ones_after(texts: Texts) -> None:
    voice = texts.speaker("en").of("chess")
    assert voice.line("hello", who="a", what="b").startswith("Hail")
    assert voice.line("apples", n=1) == "one apple"


def test_a_missing_word_stops_nothing(texts: Texts) -> None:
    assert texts.speaker("en").line("no.such.key") == "no.such.key"
    assert texts.speaker("en").game_name("chess") == "chess"


@pytest.mark.parametrize(
    ("code", "language"),
    [("it", "it"), ("it-IT", "it"), ("IT_it", "it"), ("en-GB", "en"), ("fr", None), ("", None), (None, None)],
)
def test_platform_codes_are_understood(code: str | None, language: str | None) -> None:
    assert TEXTS.supported(code) == language


def test_lists_and_times_are_said_as_the_language_does() -> None:
    english, italian = TEXTS.speaker("en"), TEXTS.speaker("it")
    assert strip_styles(english.listing(["a", "b", "c"])) == "a, b, and c"
    assert strip_styles(italian.listing(["a", "b", "c"])) == "a, b e c"
    assert strip_styles(english.listing(["a", "b"], style="or")) == "a or b"
    assert (strip_styles(english.listing([])), english.duration(7200)) == ("", "2 hours")
    assert italian.duration(3 * 86400) == "3 giorni"


@given(st.text(), st.text())
def test_filling_in_never_fails_and_loses_nothing(a: str, b: str) -> None:
    assert strip_styles(fill("{a}|{b}", {"a": a, "b": b})) == f"{a}|{b}"


def test_join_skips_empty_parts() -> None:
    assert strip_styles(join([(Span("a"),), (), (Span("b"),)], ", ")) == "a, b"


@given(st.text())
def test_a_clean_name_is_safe(raw: str) -> None:
    name = clean_name(raw)
    assert 1 <= len(name) <= MAX_NAME_LENGTH
    assert name == name.strip()
    assert all(character.isprintable() or character in "\u200c\u200d" for character in name)
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "names",
    [
        ("Anna", "ANNA", "\u0410nna", "\uff41nna", "An\u200bna", "anna\u034f", "\U0001d400nna"),
        ("Ilaria", "ilaria", "llaria", "1laria", "|laria", "\u0406laria"),
        ("Maria", "MARIA", "rnaria"),
        ("O", "0", "\u041e", "\u03bf"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(names: tuple[str, ...]) -> None:
    assert len({compute_skeleton(name) for name in names}) == 1


def test_names_that_look_different_have_their_own() -> None:
    names = ("Anna", "\u00c1nna", "Hanna", "\u5b89\u5a1c", "\u0645\u0631\u064a\u0645", "Nino", "Vino", "An na")
    assert len({compute_skeleton(name) for name in names}) == len(names)


@example("%")
@given(st.text(max_size=40))
def test_a_skeleton_is_its_own(name: str) -> None:
    assert compute_skeleton(compute_skeleton(name)) == compute_skeleton(name)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Anna", "Anna"),
        ("  Anna \n Maria ", "Anna Maria"),
        ("\u202eevil\u202c", "evil"),
        ("a\u200bb\u2066c", "abc"),
        ("\x00\x07", "?"),
        ("\u200d\u200d", "?"),
        ("\u3164", "?"),
        ("\u115f\u1160 \u2800\uffa0", "?"),
        ("Anna\u3164\u3164Maria", "Anna Maria"),
        ("An\u200cna\u034f\ufe0f\U000e0101", "Anna"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("", "?"),
        ("Z" + "\u0301" * 50, "Ź\u0301\u0301"),
        ("x" * 100, "x" * (MAX_NAME_LENGTH - 1) + "…"),
        ("名前 ☕", "名前 ☕"),
        ("*bold* _it_ `code`", "*bold* _it_ `code`"),
    ],
)
def test_clean_name_keeps_visible_and_removes_deceptive_characters(raw: str, name: str) -> None:
    assert clean_name(raw) == name


@pytest.mark.parametrize(
    "name",
    [
        "Computer",
        "COMPUTER 3",
        "computer (level 4)",
        "Computer 1 (livello 5)",
        "Comp. 3",
        "\u0421omputer",
        "Computer (…",
    ],
)
def test_a_name_like_that_of_a_computer_is_in_quotes(name: str) -> None:
    assert name_player(name) == f"\u201c{name}\u201d"
    assert name_player(name_player(name)) == name_player(name)
    assert computer_level(name_player(name)) is None


@pytest.mark.parametrize("name", ["Compton", "Computer Ada", "Computers", "Anna (level 4)"])
def test_other_names_are_in_none(name: str) -> None:
    assert name_player(name) == name


def test_a_long_name_in_quotes_is_no_longer_than_others() -> None:
    assert len(name_player(f"Computer ({'x' * 60}")) == MAX_NAME_LENGTH


def test_names_that_look_alike_are_told_apart() -> None:
    assert tell_apart(("Anna", "Bob", "\u0410nna", "anna")) == ("Anna", "Bob", "\u0410nna (2)", "anna (3)")
    assert tell_apart(("\U0001f388", "\U0001f338")) == ("\U0001f388", "\U0001f338")
    assert tell_apart(("Computer", "Computer 2")) == ("\u201cComputer\u201d", "\u201cComputer 2\u201d")
    assert tell_apart((FORGOTTEN_NAME, FORGOTTEN_NAME)) == (FORGOTTEN_NAME, FORGOTTEN_NAME)


@given(st.lists(st.sampled_from(["Anna", "ANNA", "Anna (2)", "?", "Bob"]), max_size=5))
def test_no_two_names_look_alike_once_they_are_told_apart(names: list[str]) -> None:
    assert len({compute_skeleton(name) for name in tell_apart(tuple(names))}) == len(names)


@pytest.mark.parametrize(
    "text",
    ["c:K7QF3D:12=d5.c4", "p:K7QF3D:12", "choose", "set=me.language.it", "resign!:K7QF3D:3", "text:K7QF3D:3=a b"],
)
def test_presses_read_back(text: str) -> None:
    assert str(read_press(text)) == text


@given(st.text(max_size=80))
def test_any_text_is_a_press_or_is_none(text: str) -> None:
    with suppress(BrokenPress):
        pressed = read_press(text)
        assert read_press(str(pressed)) == pressed


def test_a_press_has_its_path() -> None:
    for path in (("move", "d5"), ()):
        pressed = read_press(press("c", "K7QF3D", 12, *path))
        assert (pressed.deed, pressed.game, pressed.revision, pressed.path) == ("c", "K7QF3D", 12, path)


def test_receipts_read_back_without_the_picture() -> None:
    when = Span("now", timestamp=Timestamp(datetime(2026, 11, 22, 20, 30, tzinfo=UTC), "time"))
    card = Card(
        (Span("a", bold=True), Span("b", person=3), Span("@c", handle=True), command("play"), when),
        rows=((Button("x", "keep", "danger", True),), Menu("pick", (Button("y", "c:QQQQQQ:1=a1"),))),
        presses={"a1": "c:QQQQQQ:1=a1"},
    )
    for reply in (Reply(card, private=False, update=True), Reply()):
        assert reply_from_json(reply_to_json(reply)) == reply
    assert reply_from_json(None) == Reply()
