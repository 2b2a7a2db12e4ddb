"""Names as people have them: every script, control characters, far too long."""

import unicodedata

import pytest
from hypothesis import given, settings, strategies as st

from engine import games
from render import draw, text
from render.games import pictures
from render.scene import Scene
from render.text import shape_text, split_clusters, split_directions
from tests.render.pixels import KEYS, board_of, changed_mask, sample_states
from tests.support.examples import scaled

NAMES = [
    *("Ünal Çağrı", "Ærøskøbing", "Łukasz Żółć", "Perché È Così", "Ёлка Щукина", "Αλέξανδρος", "Đặng Thị Hương"),
    *("שלום", "محمد علي", "नित्या", "தமிழ்", "สมชาย", "ქართველი", "Հայկ", "田中さくら", "김민준", "王伟", "ሰላም", "ᏣᎳᎩ"),
    *("𝓐𝓷𝓷𝓪", "ＡＢＣ"),
]


@pytest.mark.parametrize("name", NAMES)
def test_every_script_is_drawn_with_letters_not_boxes(name: str) -> None:
    cleaned = text.clean(name)
    assert cleaned
    boxes = text.text_mask("\U000e0fff" * len(cleaned), 40, "bold")[0]
    letters = text.text_mask(cleaned, 40, "bold")[0]
    assert letters.getbbox() is not None
    assert letters.tobytes() != boxes.tobytes()
    assert text.is_drawable(cleaned)


def test_missing_glyphs_become_boxes_and_pictographs_are_removed() -> None:
    assert text.clean("Anna \N{GAME DIE}") == "Anna"
    assert not text.is_drawable(text.clean("\N{RUNIC LETTER FEHU FEOH FE F}"))
    assert text.clean("\N{GRINNING FACE}") != ""


def test_control_characters_and_turned_directions_have_no_effect() -> None:
    assert text.clean("An\u202ena\u202c\x00\x1b[31m\u200b") == "Anna[31m"
    assert (text.clean(" a\n\tb\u2028c "), text.clean("\u202e\u2066")) == ("a b c", "\N{WHITE SQUARE}")
    assert text.clean("") == ""


def test_a_tower_of_marks_is_cut() -> None:
    assert sum(unicodedata.category(c) == "Mn" for c in text.clean("Z" + "\u0337" * 40 + "o")) <= 2


def test_endless_names_end() -> None:
    assert len(text.clean("a" * 100_000)) <= 80
    words, size = text.fit_text("Anna Maria Piergiovannini", 120, 40, 27)
    assert words.endswith("…")
    assert size == 27
    assert text.text_width(words, size) <= 120
    assert text.fit_text("Anna", 200, 40, 27) == ("Anna", 40)
    words, size = text.fit_text("Piergiovanni", 210, 40, 27)
    assert words == "Piergiovanni"
    assert 27 < size < 40


def test_letters_move_together_as_the_font_says() -> None:
    assert text.text_width("AV", 100) < text.text_width("A", 100) + text.text_width("V", 100) - 5


def test_hebrew_runs_from_right_to_left_with_its_numbers_and_brackets() -> None:
    assert [part for _, part in split_directions("Anna שלום Bob")] == ["Anna ", "שלום", " Bob"]
    assert [part for _, part in split_directions("שלום 12 (אב)")] == [" (אב)", "12", "שלום "]
    line = shape_text("שלום", "bold")
    alone = [shape_text(letter, "bold").glyphs[0].number for letter in "שלום"]
    assert [glyph.number for glyph in line.glyphs] == alone[::-1]


@pytest.mark.parametrize(
    ("joined", "apart"),
    [
        ("محمد", "م ح م د"),  # letters have the forms that their neighbours ask for
        ("لا", "ل ا"),  # lam and alef are one
        ("क्ष", "क ष"),  # a conjunct
        ("त्र", "त र"),
        ("AV", "A V"),
    ],
)
def test_letters_that_stand_together_are_shaped_together(joined: str, apart: str) -> None:
    def forms(words: str) -> list[tuple[int, float]]:
        return sorted((glyph.number, 0) for glyph in shape_text(words, "bold").glyphs)

    space = shape_text(" ", "bold").width
    assert forms(joined) != [each for each in forms(apart) if each[0] != shape_text(" ", "bold").glyphs[0].number] or (
        shape_text(joined, "bold").width < shape_text(apart, "bold").width - apart.count(" ") * space - 0.01
    )


def test_prebase_vowel_signs_are_placed_before_their_consonant() -> None:
    """Devanagari's short i stands before the consonant; a mark above has no width of its own."""
    consonant, both = shape_text("न", "bold"), shape_text("नि", "bold")
    assert [glyph.number for glyph in both.glyphs][-1] == consonant.glyphs[0].number
    assert shape_text("กี่", "bold").width == pytest.approx(shape_text("ก", "bold").width, abs=0.02)


def test_names_are_cut_between_letters_and_not_within() -> None:
    """A Thai vowel keeps its letter, a mark its own, a conjunct all of its parts; joiners stay where they join."""
    assert (split_clusters("ใหม่"), split_clusters("क्षत्रि")) == (["ให", "ม่"], ["क्ष", "त्रि"])
    assert text.fit_name("ใหม่ สมบูรณ์", 90, 40, 27)[0] == "ใหม่…"
    assert "." not in text.fit_name("ใหม่ สมบูรณ์", 30, 40, 27)[0]
    assert (text.clean("می\u200cخواهم"), text.clean("A\u200dB\u200c")) == ("می\u200cخواهم", "AB")


def test_a_middle_name_stays_where_there_is_room() -> None:
    name = "محمد عبد الرحمن الشريف"
    assert text.fit_name(name, text.text_width("محمد عبد الرحمن…", 27) + 1, 40, 27)[0] == "محمد عبد الرحمن…"
    assert text.fit_name(name, text.text_width("محمد…", 27) + 1, 40, 27)[0] == "محمد…"
    assert text.fit_name("Anna Maria Rossi", text.text_width("Anna Maria R.", 27) + 1, 40, 27)[0] == "Anna Maria R."
    assert text.fit_name("Anna Maria Rossi", text.text_width("Anna R.", 27) + 1, 40, 27)[0] == "Anna R."


@pytest.mark.parametrize("key", KEYS)
def test_a_name_changes_nothing_but_the_players_places(key: str) -> None:
    state, turn = sample_states(key)[5]
    plain = draw(state, last_turn=turn)
    long = ["W" * 60, "\u202eشلال" * 20, "田" * 60, "i", "Q"][: state.seats]
    difference = changed_mask(plain, draw(state, last_turn=turn, names=long))
    assert difference.getbbox() is not None
    assert difference.crop(board_of(plain)).getbbox() is None


SCRIPTS = st.sampled_from([0x20, 0x41, 0x300, 0x590, 0x620, 0x640, 0x900, 0xB80, 0x1000, 0x1780, 0x4E00, 0x1F600])
CHARACTERS = SCRIPTS.flatmap(lambda start: st.integers(start, start + 0x5F)).map(chr)


@settings(max_examples=scaled(40), deadline=None)
@given(st.one_of(st.text(max_size=120), st.text(CHARACTERS, max_size=30)))
def test_no_name_breaks_a_picture(name: str) -> None:
    game = next(iter(games.values()))
    scene = Scene.of(game.start(game.seats[0]), names=[name, name[::-1]])
    canvas, _ = pictures[game.key].paint(scene)
    # It is packed as any other: that knows nothing of names.
    canvas.patches()


FIVE = tuple(f"Computer {number} (livello 2)" for number in range(1, 6))


@pytest.mark.parametrize(
    ("room", "start", "end"),
    [(330, "Computer ", " (livello 2)"), (190, "Computer ", ""), (96, "Comp. ", ""), (50, "C. ", "")],
)
def test_computers_are_told_apart_however_narrow_their_places(room: int, start: str, end: str) -> None:
    shown = [text.fit_name(name, room, 40, 22, FIVE)[0] for name in FIVE]
    assert shown == [f"{start}{number}{end}" for number in range(1, 6)]


def test_a_computer_alone_has_no_number() -> None:
    assert text.fit_name("Computer (livello 2)", 190, 40, 22)[0] == "Computer"
    assert text.fit_name("Computer (livello 2)", 80, 40, 22)[0] == "Comp."


def test_a_name_that_was_cut_says_so() -> None:
    for name in ("Anna Maria Rossi", "Anna (from Milan)", "Bartholomew", "\u201cComputer (level 3)\u201d", "Anna (2)"):
        for room in range(60, 400, 20):
            shown = text.fit_name(name, room, 40, 22)[0]
            assert shown == name or "…" in shown or "." in shown, shown


def test_the_number_of_somebody_who_looks_like_another_stays() -> None:
    assert text.fit_name("Bartholomew Rossi (2)", 220, 40, 22)[0] == "Bartholomew R. (2)"
    assert text.fit_name("Bartholomew Rossi (2)", 90, 40, 22)[0].endswith("… (2)")


@settings(max_examples=scaled(200), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["Anna Bianchi", "Anna Brown", "Anna", "Anna B.", "Annabella", "Anna (2)", "Bo", "\U0001f388", "\U0001f338"]
        ),
        min_size=2,
        max_size=5,
    ),
    st.integers(70, 300),
)
def test_no_two_names_of_a_picture_are_the_same(typed: list[str], room: int) -> None:
    names = text.clean_names(tuple(typed))
    shown = [text.fit_name(name, room, 40, 22, names)[0] for name in names]
    assert len(set(shown)) == len(shown), shown


def test_who_has_the_same_initial_has_more_letters() -> None:
    names = ("Anna Bianchi", "Anna Brown", "Bruno")
    assert [text.fit_name(name, 105, 40, 22, names)[0] for name in names] == ["Anna Bi.", "Anna Br.", "Bruno"]


def test_names_of_which_nothing_can_be_drawn_are_told_apart() -> None:
    assert text.clean_names(("\U0001f388", "", "\U0001f338")) == ("\u25a1", "", "\u25a1 (2)")
    assert text.clean_names(("Anna \U0001f388", "Anna \U0001f338", "+\U0001f388")) == ("Anna", "Anna (2)", "+")
