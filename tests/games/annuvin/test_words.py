"""The words of Annuvin: its short rules."""

import pytest

from bot.language.texts import Texts


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_short_rules_are_short(language: str) -> None:
    assert 500 < len(Texts().speaker(language).of("annuvin").line("rules.short")) < 2000
