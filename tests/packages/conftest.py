"""A game in a package of its own: built, and unpacked into a folder that other processes have on their path."""

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.packages import run_python
from tests.support.shared_folders import make_shared_folder

HERE = Path(__file__).parent
SOURCE = HERE / "tavoliere-hexapawn"
TIMEOUT_SECONDS = 240


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests of a package alone unless they are asked for: without it nothing of its game is there."""
    given = config.getoption("kit")
    inside = collection_path.parent == HERE and (collection_path / "pyproject.toml").exists()
    return True if inside and not (given and Path(given).resolve().is_relative_to(collection_path)) else None


@pytest.fixture(scope="session")
def hexapawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the package is installed: what its wheel holds, and nothing else."""
    return make_shared_folder(tmp_path_factory, "hexapawn", install) / "site"


def install(folder: Path) -> None:
    """Build the wheel of the package, and unpack it into `site`."""
    # From a copy, so that nothing is left beside the source; by what `pip install` calls.
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    build = "from setuptools import build_meta; build_meta.build_wheel('..')"
    built = run_python("-c", build, cwd=folder / "source", timeout=TIMEOUT_SECONDS)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
