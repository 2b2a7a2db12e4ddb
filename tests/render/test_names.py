"""Names as people have them: every script, control characters, far too long."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from render import draw, text
from render.scripts import visual
from tests.render.pixels import KEYS, board_of, changed, lines

NAMES = [
    "Ünal Çağrı",
    "Ærøskøbing",
    "Łukasz Żółć",
    "Perché È Così",
    "Ёлка Щукина",
    "Αλέξανδρος",
    "Đặng Thị Hương",
    "שלום",
    "محمد علي",
    "नित्या",
    "தமிழ்",
    "สมชาย",
    "ქართველი",
    "Հայկ",
    "田中さくら",
    "김민준",
    "王伟",
    "ሰላም",
    "ᏣᎳᎩ",
    "𝓐𝓷𝓷𝓪",
    "ＡＢＣ",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_script_is_drawn_with_letters_not_boxes(name: str) -> None:
    cleaned = text.clean(name)
    assert cleaned
    boxes = text.mask("\U000e0fff" * len(cleaned), 40, "bold")[0]
    letters = text.mask(cleaned, 40, "bold")[0]
    assert letters.getbbox() is not None
    assert letters.tobytes() != boxes.tobytes()
    assert text.drawable(cleaned)


def test_what_no_font_has_becomes_a_box_and_pictographs_go() -> None:
    assert text.clean("Anna \N{GAME DIE}") == "Anna"
    assert not text.drawable(text.clean("\N{RUNIC LETTER FEHU FEOH FE F}"))
    assert text.clean("\N{GRINNING FACE}") != ""


def test_control_characters_and_turned_directions_have_no_effect() -> None:
    assert text.clean("An\u202ena\u202c\x00\x1b[31m\u200b") == "Anna[31m"
    assert text.clean(" a\n\tb\u2028c ") == "a b c"
    assert text.clean("\u202e\u2066") == "\N{WHITE SQUARE}"
    assert text.clean("") == ""


def test_a_tower_of_marks_is_cut() -> None:
    cleaned = text.clean("Z" + "\u0337" * 40 + "o")
    assert sum(unicodedata.category(c) == "Mn" for c in cleaned) <= 2


def test_endless_names_end() -> None:
    assert len(text.clean("a" * 100_000)) <= 80
    words, size = text.fit("Anna Maria Piergiovannini", 120, 40, 27)
    assert words.endswith("…")
    assert size == 27
    assert text.width(words, size) <= 120
    assert text.fit("Anna", 200, 40, 27) == ("Anna", 40)
    words, size = text.fit("Piergiovanni", 210, 40, 27)
    assert words == "Piergiovanni"
    assert 27 < size < 40


def test_letters_move_together_as_the_font_says() -> None:
    assert text.width("AV", 100) < text.width("A", 100) + text.width("V", 100) - 5


def test_hebrew_runs_from_right_to_left_with_its_numbers_and_brackets() -> None:
    assert visual("שלום") == "םולש"
    assert visual("Anna שלום Bob") == "Anna םולש Bob"
    assert visual("שלום 12 (אב)") == "(בא) 12 םולש"


def test_arabic_letters_join() -> None:
    # meem initial, hah medial, meem medial, dal final; seen from the left in the opposite order
    assert visual("محمد") == "\ufeaa\ufee4\ufea4\ufee3"
    assert visual("لا") == "\ufefb"


def test_indic_vowels_stand_before_their_consonants() -> None:
    assert visual("नि") == "\u093f\u0928"
    assert visual("கொ") == "\u0bc6\u0b95\u0bbe"


@pytest.mark.parametrize("key", KEYS)
def test_a_name_changes_nothing_but_the_players_places(key: str) -> None:
    state, turn = lines(key)[5]
    plain = draw(state, last_turn=turn)
    long = ["W" * 60, "\u202eشلال" * 20, "田" * 60, "i", "Q"][: state.seats]
    difference = changed(plain, draw(state, last_turn=turn, names=long))
    assert difference.getbbox() is not None
    assert difference.crop(board_of(plain)).getbbox() is None


SCRIPTS = st.sampled_from([0x20, 0x41, 0x300, 0x590, 0x620, 0x640, 0x900, 0xB80, 0x1000, 0x1780, 0x4E00, 0x1F600])
CHARACTERS = SCRIPTS.flatmap(lambda start: st.integers(start, start + 0x5F)).map(chr)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=120), st.text(CHARACTERS, max_size=30)))
def test_no_name_breaks_a_picture(name: str) -> None:
    game = next(iter(games.values()))
    draw(game.start(game.seats[0]), names=[name, name[::-1]])


def test_a_number_that_tells_two_apart_stays_where_the_rest_goes() -> None:
    shown = {text.fit_name(f"Computer {number} (livello 2)", 190, 40, 22)[0] for number in (1, 2)}
    assert shown == {"Computer 1", "Computer 2"}
    assert text.fit_name("Computer (livello 2)", 190, 40, 22)[0] == "Computer"
