"""Fixtures for all tests, how property tests choose their examples, and the tests of one game alone.

By default the same examples in every run, so that a failure is always somebody's change;
`--hypothesis-profile=long` (as `make full` runs it) looks for new ones. The codes and seeds of games are the same in
every run, too, because lots and dice follow from them.

`--game KEY` runs what concerns one game: its kit, and the cases of all other tests whose id names it. `--kit DIR` is
the kit of a game that another package brings (tests/support/kits.py).
"""

import gc
import os
import random
import shutil
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
    "tests.support.connections",
    "tests.support.game_report",
    "tests.support.in_loop",
    "tests.support.indexes",
    "tests.support.logs",
    "tests.support.postgres",
    "tests.support.statements",
    "tests.support.stores",
]

RAM_DISK = Path("/dev/shm")  # noqa: S108 - pytest makes its own folder there
RAM_DISK_MIN_BYTES = 4 * 1024**3
TEMPORARY_ROOT = "PYTEST_DEBUG_TEMPROOT"
"""Where pytest makes its temporary folders, unless --basetemp says otherwise."""

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


def use_ram_disk(config: pytest.Config) -> None:
    """Have temporary folders in memory where there is room: a commit waits for the disk longer than for all else.

    What is tested is that commits survive the end of the program, not a power cut.
    """
    given = config.getoption("basetemp") is not None or TEMPORARY_ROOT in os.environ
    if not given and os.access(RAM_DISK, os.W_OK) and shutil.disk_usage(RAM_DISK).free >= RAM_DISK_MIN_BYTES:
        os.environ[TEMPORARY_ROOT] = str(RAM_DISK)


def pytest_configure(config: pytest.Config) -> None:
    use_ram_disk(config)
    folder, key = config.getoption("kit"), config.getoption("game")
    if folder:
        if not Path(folder).is_dir():
            raise pytest.UsageError(f"--kit: there is no folder {folder}")
        kits.give(Path(folder))
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            config.args.append(folder)
    if key and key not in games:
        raise pytest.UsageError(f"--game: there is no game {key}; there are {', '.join(games)}")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have the garbage collector wait until all is collected; who only gives tests to workers collects nothing."""
    if not session.config.pluginmanager.has_plugin("dsession"):
        gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the kits of other games alone where one game is asked for."""
    key = config.getoption("game")
    if key and collection_path.parent == kits.FOLDER and collection_path.is_dir():
        return True if collection_path.name in {kits.name_of(other) for other in games if other != key} else None
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use half as many workers again as there are cores: many tests wait for a process, a browser or a database."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) * 3 // 2


def pytest_collection_finish() -> None:
    """Leave what has been imported and collected alone: the collector would go through it again and again.

    That includes what is garbage by now, so that it need not be gone through even once.
    """
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    key = config.getoption("game")
    if not key:
        return
    folder = kits.kit(key)
    selected, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        callspec = getattr(item, "callspec", None)
        named = callspec is not None and key in kits.named(callspec.id)
        own = folder is not None and item.path.is_relative_to(folder)
        (selected if named or own else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = selected


@pytest.fixture(autouse=True)
def the_same_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have games get the same codes and seeds whenever a test is run, and others in other tests."""
    chance = random.Random(request.node.nodeid)
    monkeypatch.setattr("storage.addresses.secrets", SimpleNamespace(choice=chance.choice))
    if "bot.kernel.context" in sys.modules:
        monkeypatch.setattr("bot.kernel.context.secrets", SimpleNamespace(token_bytes=chance.randbytes))
