"""Every registered game is whole: picture, words, rules pages, counts, golden playthrough."""

import json
from pathlib import Path

import pytest

from bot.rulebook import examples, shown
from bot.texts import Texts
from bot.why import explained
from bot.words import words
from engine import games
from engine.search import players
from render.games import pictures

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("en", "it")


def test_the_five_games_are_registered_in_the_order_of_the_rules() -> None:
    assert list(games) == ["annuvin", "real-queen", "fagocitare", "vedova-nera", "uomo-nero"]


@pytest.mark.parametrize("key", games)
def test_it_has_its_key(key: str) -> None:
    assert games[key].key == key


@pytest.mark.parametrize("key", games)
def test_it_has_a_picture(key: str) -> None:
    assert key in pictures


@pytest.mark.parametrize("key", games)
def test_its_positions_can_be_told_in_words(key: str) -> None:
    assert key in words


@pytest.mark.parametrize("key", games)
def test_computers_can_play_it(key: str) -> None:
    assert key in players


@pytest.mark.parametrize("key", games)
def test_its_turns_can_be_explained(key: str) -> None:
    assert key in explained


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_it_has_words(key: str, language: str) -> None:
    speaker = Texts().speaker(language).of(key)
    options = [f"option.{name}" for name in games[key].options]
    values = [f"option.{name}.{value}" for name, option in games[key].options.items() for value in option.values]
    abouts = [f"{value}.about" for value in values]
    illustrated = [f"example.{example.name}" for example in shown(key)]
    assert len(illustrated) > 2
    needed = ["name", "tagline", "rules.short", *options, *values, *abouts, *illustrated]
    assert [word for word in needed if not speaker.has(word)] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_it_has_a_rules_page_whose_pictures_exist(key: str, language: str) -> None:
    folder = ROOT / "docs" / "games"
    page = (folder / f"{key}.{language}.md").read_text(encoding="utf-8")
    listed = {example.file for example in examples(key)}
    shown = {part.split(")")[0] for part in page.split("](pictures/")[1:]}
    assert shown
    assert shown <= listed
    assert [name for name in listed if not (folder / "pictures" / name).exists()] == []


@pytest.mark.parametrize("key", games)
def test_it_has_counts(key: str) -> None:
    entries = json.loads((ROOT / "tests" / "data" / "perft.json").read_text(encoding="utf-8"))
    assert any(entry["position"]["game"] == key and entry["turns"] for entry in entries)


@pytest.mark.parametrize("key", games)
def test_it_has_a_golden_playthrough(key: str) -> None:
    assert list((ROOT / "tests" / "data" / "golden").glob(f"{key}-*.txt"))
