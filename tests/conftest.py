"""Fixtures for all tests, and how property tests choose their examples.

By default the same examples in every run, so that a failure is always somebody's change;
`--hypothesis-profile=long` (as `make full` runs it) looks for new ones. The codes and seeds of games are the same in
every run, too, because lots and dice follow from them.
"""

import random
import sys
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.connections", "tests.support.logs", "tests.support.postgres", "tests.support.stores"]

# The first example of a game plays it through, and machines differ.
_CALM = [HealthCheck.too_slow]

settings.register_profile("steady", derandomize=True, deadline=None, database=None, suppress_health_check=_CALM)
settings.register_profile("long", max_examples=500, deadline=None, suppress_health_check=_CALM)
if settings.get_current_profile_name() != "long":
    settings.load_profile("steady")


@pytest.fixture(autouse=True)
def the_same_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have games get the same codes and seeds whenever a test is run, and others in other tests."""
    chance = random.Random(request.node.nodeid)
    monkeypatch.setattr("storage.codes.secrets", SimpleNamespace(choice=chance.choice))
    if "bot.app" in sys.modules:
        monkeypatch.setattr("bot.app.secrets", SimpleNamespace(token_bytes=chance.randbytes))
