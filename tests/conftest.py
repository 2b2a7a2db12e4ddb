"""Fixtures for all tests, how property tests choose their examples, and the tests of one game alone.

By default the same examples in every run, so that a failure is always somebody's change;
`--hypothesis-profile=long` (as `make full` runs it) looks for new ones. The codes and seeds of games are the same in
every run, too, because lots and dice follow from them.

`--game KEY` runs what concerns one game: its kit, and the cases of all other tests whose id names it. `--kit DIR` is
the kit of a game that another package brings (tests/support/kits.py).
"""

import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from engine import games
from tests.support import kits
from tests.support.examples import LONG_EXAMPLES, QUICK_EXAMPLES

pytest_plugins = [
    "tests.support.abilities",
    "tests.support.browsers",
    "tests.support.compiled",
    "tests.support.connections",
    "tests.support.logs",
    "tests.support.postgres",
    "tests.support.stores",
]

# The first example of a game plays it through, and machines differ.
_CALM = [HealthCheck.too_slow]

settings.register_profile(
    "steady", max_examples=QUICK_EXAMPLES, derandomize=True, deadline=None, database=None, suppress_health_check=_CALM
)
settings.register_profile("long", max_examples=LONG_EXAMPLES, deadline=None, suppress_health_check=_CALM)
if settings.get_current_profile_name() != "long":
    settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tavoliere")
    group.addoption("--game", metavar="KEY", help="run only what concerns the game with this key")
    group.addoption("--kit", metavar="DIR", help="the test kit of the game that an installed package brings")


def pytest_configure(config: pytest.Config) -> None:
    folder, key = config.getoption("kit"), config.getoption("game")
    if folder:
        if not Path(folder).is_dir():
            raise pytest.UsageError(f"--kit: there is no folder {folder}")
        kits.give(Path(folder))
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            config.args.append(folder)
    if key and key not in games:
        raise pytest.UsageError(f"--game: there is no game {key}; there are {', '.join(games)}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the kits of other games alone where one game is asked for."""
    key = config.getoption("game")
    if key and collection_path.parent == kits.FOLDER and collection_path.is_dir():
        return True if collection_path.name in {kits.name_of(other) for other in games if other != key} else None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    key = config.getoption("game")
    if not key:
        return
    folder = kits.kit(key)
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        callspec = getattr(item, "callspec", None)
        named = callspec is not None and key in kits.named(callspec.id)
        own = folder is not None and item.path.is_relative_to(folder)
        (kept if named or own else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


@pytest.fixture(autouse=True)
def the_same_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have games get the same codes and seeds whenever a test is run, and others in other tests."""
    chance = random.Random(request.node.nodeid)
    monkeypatch.setattr("storage.codes.secrets", SimpleNamespace(choice=chance.choice))
    if "bot.app" in sys.modules:
        monkeypatch.setattr("bot.app.secrets", SimpleNamespace(token_bytes=chance.randbytes))
