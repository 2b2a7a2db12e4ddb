"""What tests need of the machine beside Python: asked once in a session, and said in one sentence where it is missing.

A test is marked with what it needs (`browser`, `terminal`, `compiler`, `extensions`), or uses a fixture that asks for
it (`postgres`). The first test that needs something tries it out; all workers of pytest-xdist share the answer. What is
missing leaves its tests out, with one line at the end of the session; where `CI` is set these tests are errors.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from filelock import FileLock

CHROMIUM_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM_ARGUMENTS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PROBE_TIMEOUT_SECONDS: Final = 120
PACKAGES: Final = "on Debian and Ubuntu: apt-get install"

_FOLDER: Final = "tavoliere_abilities"
_LIBRARY: Final = re.compile(r"(\S+\.so[.\d]*): cannot open shared object file")
_LIBRARY_PACKAGES: Final = {"libatomic.so.1": "libatomic1", "libstdc++.so.6": "libstdc++6"}
_OPEN_PAGE: Final = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[1], args=sys.argv[2:])
    browser.new_page().set_content("<p>open</p>")
    browser.close()
"""
_C_PROGRAM: Final = '#include <stdio.h>\nint main(void) { return puts("compiled") < 0; }\n'


@dataclass(frozen=True)
class Missing:
    """Why something cannot be used on this machine, and how to come by it."""

    reason: str
    remedy: str


def find_chromium() -> str | None:
    """Return the path of the system's Chromium, or else of the one that Playwright has downloaded; None without any."""
    for name in CHROMIUM_NAMES:
        if path := shutil.which(name):
            return path
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    downloaded = sorted(
        path
        for pattern in ("chromium_headless_shell-*/*/*headless*shell", "chromium-*/*/chrome")
        for path in folder.glob(pattern)
        if os.access(path, os.X_OK)
    )
    return str(downloaded[-1]) if downloaded else None


def probe_browser() -> Missing | None:
    """Open a page in the browser that the tests drive, in the way they do."""
    from playwright._impl._driver import compute_driver_executable, get_driver_env

    node, driver = compute_driver_executable()
    reasons, packages = list[str](), list[str]()
    if failure := _failure([node, driver, "--version"], get_driver_env()):
        reasons.append(f"Playwright does not start ({failure})")
        packages += _packages_with(failure)
    chromium = find_chromium()
    if chromium is None:
        reasons.append("no Chromium was found")
        packages.append("chromium-headless-shell")
    elif not reasons and (failure := _failure([sys.executable, "-c", _OPEN_PAGE, chromium, *CHROMIUM_ARGUMENTS])):
        reasons.append(f"{chromium} does not start ({failure})")
        packages += _packages_with(failure)
    if not reasons:
        return None
    return Missing(" and ".join(reasons), f"{PACKAGES} {' '.join(packages)}" if packages else "")


def probe_terminal() -> Missing | None:
    """Open a pseudo-terminal."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return Missing(f"no pseudo-terminal can be opened ({error})", "as root: mount -t devpts devpts /dev/pts")
    return None


def probe_compiler() -> Missing | None:
    """Compile a program in C and run it."""
    compiler = shutil.which("cc")
    if compiler is None:
        return Missing("no C compiler was found", f"{PACKAGES} gcc libc6-dev")
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "probe.c"), Path(folder, "probe")
        source.write_text(_C_PROGRAM, encoding="utf-8")
        failure = _failure([compiler, str(source), "-o", str(program)]) or _failure([str(program)])
    return Missing(f"{compiler} does not compile ({failure})", f"{PACKAGES} gcc libc6-dev") if failure else None


def probe_extensions() -> Missing | None:
    """Look for what compiles extensions of Python, beside a C compiler."""
    missing = probe_compiler()
    if missing is not None:
        return Missing(missing.reason, f"{missing.remedy} python3-dev")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return Missing("Python's C headers were not found", f"{PACKAGES} python3-dev")
    if find_spec("setuptools") is None:
        return Missing("setuptools is not installed", "make .venv/.dev")
    return None


@dataclass(frozen=True)
class Ability:
    """Something that some tests need of the machine, by its marker; `probe` is None where a fixture tries it out."""

    needs: str
    probe: Callable[[], Missing | None] | None


ABILITIES: Final = {
    "browser": Ability("drive the page in a browser", probe_browser),
    "terminal": Ability("need a terminal", probe_terminal),
    "compiler": Ability("need a C compiler", probe_compiler),
    "extensions": Ability("compile the engine", probe_extensions),
    "postgresql": Ability("need PostgreSQL", None),
}


@dataclass(frozen=True)
class Machine:
    """What is known of this machine in a session; the workers of one session share a folder."""

    folder: Path

    def missing(self, name: str, probe: Callable[[], Missing | None]) -> Missing | None:
        """Return why an ability is missing, None if it is there; only the first who asks tries it out."""
        answer = self.folder / f"{name}.json"
        with FileLock(self.folder / f"{name}.lock"):
            if not answer.exists():
                missing = probe()
                answer.write_text(json.dumps(missing and [missing.reason, missing.remedy]), encoding="utf-8")
        return self._read(answer)

    def known_missing(self) -> Iterator[tuple[str, Missing]]:
        """Yield the abilities that were asked for and are missing."""
        for name in ABILITIES:
            answer = self.folder / f"{name}.json"
            if answer.exists() and (missing := self._read(answer)):
                yield name, missing

    @staticmethod
    def _read(answer: Path) -> Missing | None:
        stored = json.loads(answer.read_text(encoding="utf-8"))
        return Missing(*stored) if stored else None


_machine: pytest.StashKey[Machine] = pytest.StashKey()
_session: list[pytest.Config] = []


def require(name: str, probe: Callable[[], Missing | None] | None = None) -> None:
    """Leave the test out that is running unless the machine has an ability; with `CI` set, fail it."""
    probe = probe or ABILITIES[name].probe
    assert probe is not None
    # A module of the tests may run by itself, too.
    missing = _session[-1].stash[_machine].missing(name, probe) if _session else probe()
    if missing is None:
        return
    if os.environ.get("CI"):
        pytest.fail(_reason(name, missing), pytrace=False)
    pytest.skip(_reason(name, missing))


def pytest_configure(config: pytest.Config) -> None:
    for name in ABILITIES:
        config.addinivalue_line("markers", f"{name}: tests that {ABILITIES[name].needs}")
    shared = getattr(config, "workerinput", {}).get(_FOLDER)
    config.stash[_machine] = Machine(Path(shared or tempfile.mkdtemp(prefix="tavoliere-abilities-")))
    _session.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    with suppress(ValueError):
        _session.remove(config)
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash[_machine].folder, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Have a worker of pytest-xdist share what is known."""
    node.workerinput[_FOLDER] = str(node.config.stash[_machine].folder)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for name, ability in ABILITIES.items():
        if ability.probe is not None and item.get_closest_marker(name) is not None:
            require(name)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say once what was left out, and what to install."""
    ended = [report for how in ("skipped", "error", "failed") for report in terminalreporter.stats.get(how, ())]
    missing = list(config.stash[_machine].known_missing())
    if missing:
        terminalreporter.section("missing on this machine", sep="-")
    for name, why in missing:
        reason = _reason(name, why)
        count = sum(reason in str(report.longrepr) for report in ended)
        tests = "1 test was" if count == 1 else f"{count} tests were"
        how = "an error" if os.environ.get("CI") else "left out"
        terminalreporter.line(f"{tests} {how} ({reason}){f'; {why.remedy}' if why.remedy else ''}.")


def _reason(name: str, missing: Missing) -> str:
    return f"tests that {ABILITIES[name].needs}: {missing.reason}"


def _failure(command: list[str], environment: dict[str, str] | None = None) -> str | None:
    """Run a command; return the line that says why it failed, None if it did not."""
    try:
        ran = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if ran.returncode == 0:
        return None
    lines = [line.strip() for line in f"{ran.stdout}\n{ran.stderr}".splitlines() if line.strip()]
    for line in lines:
        if found := _LIBRARY.search(line):
            return f"{found[1]} is missing"
    return (lines or [f"exit code {ran.returncode}"])[-1][:300]


def _packages_with(failure: str) -> list[str]:
    """Return the package of the library that was not found, nothing where something else failed."""
    name = failure.removesuffix(" is missing")
    return [_LIBRARY_PACKAGES.get(name, f"(the package with {name})")] if name != failure else []
