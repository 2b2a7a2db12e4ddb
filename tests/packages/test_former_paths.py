"""What packages made for 0.2 import is still where they look for it."""

from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["words.teller", "explanations.candidate"])
def test_a_former_path_leads_to_the_same_module(module: str) -> None:
    assert import_module(f"bot.{module}") is import_module(f"bot.kernel.{module}")
