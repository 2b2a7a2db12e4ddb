"""The habits that outsiders meet: workflows, hooks, forms and updates run what a person runs, on what is promised."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.support.present import present

ROOT: Final = Path(__file__).resolve().parents[2]
GITHUB: Final = ROOT / ".github"
WORKFLOWS: Final = sorted((GITHUB / "workflows").glob("*.yml"))
EVERY_WORKFLOW: Final = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def jobs(workflow: Path) -> dict[str, Any]:
    """Return the jobs of a workflow that have steps of their own."""
    return {name: job for name, job in read(workflow)["jobs"].items() if "steps" in job}


def commands(workflow: Path) -> list[str]:
    return [step["run"] for job in jobs(workflow).values() for step in job["steps"] if "run" in step]


def promised() -> list[str]:
    """Return the versions of Python that the package says it is for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in project["classifiers"]]
    return [match[1] for match in found if match]


def test_every_promised_python_is_tested() -> None:
    (job,) = jobs(GITHUB / "workflows/check.yml").values()
    assert job["strategy"]["matrix"]["python"] == promised()
    assert job["strategy"]["fail-fast"] is False
    assert len(promised()) >= 4
    for page in ("README.md", "SECURITY.md"):
        assert f"{promised()[0]} to {promised()[-1]}" in (ROOT / page).read_text("utf-8")


def test_workflows_run_the_same_commands_as_developers() -> None:
    (job,) = jobs(GITHUB / "workflows/check.yml").values()
    assert commands(GITHUB / "workflows/check.yml") == [".ci/browser", "make check", "make test"]
    assert (ROOT / ".ci/run").read_text("utf-8").splitlines()[-3:] == [".ci/browser", "make check", "make test"]
    assert job["env"]["CI"] == "true"


@EVERY_WORKFLOW
def test_commands_of_workflows_exist(workflow: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    for line in commands(workflow):
        for target in re.findall(r"\bmake ([a-z-]+)", line):
            assert target in targets
        for script in re.findall(r"(?:^|\s)((?:tools|\.ci)/[\w./-]+)", line):
            assert (ROOT / script).is_file()
            assert script.endswith(".py") or (ROOT / script).stat().st_mode & 0o100


@EVERY_WORKFLOW
def test_workflows_have_minimal_permissions_and_pinned_actions(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    assert read(workflow)["permissions"] == {"contents": "read"}
    assert "cancel-in-progress" in read(workflow)["concurrency"]
    assert "pull_request_target" not in text
    # An expression within a script would let a name, such as that of a branch, become a command.
    assert not any("${{" in line for line in commands(workflow))
    for name, job in jobs(workflow).items():
        assert 0 < job["timeout-minutes"] <= 60, name
        assert set(job.get("permissions", {})) <= {"contents"}
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        if action.startswith("./"):
            assert (ROOT / action).is_file()
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), "the version that is meant"
    steps = [step for job in jobs(workflow).values() for step in job["steps"]]
    checkouts = [step for step in steps if "actions/checkout" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_what_is_run_as_a_file_needs_no_other_tool() -> None:
    """A script's own folder is where Python looks first: `from tools import ...` works with `-m tools.NAME` alone."""
    said = [ROOT / "Makefile", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *WORKFLOWS]
    named = {name for path in said for name in re.findall(r"python (tools/\w+\.py)", path.read_text("utf-8"))}
    assert named
    for name in sorted(named):
        imports = re.findall(r"^(?:from|import) (\w+)", (ROOT / name).read_text("utf-8"), re.MULTILINE)
        assert not {"tools", "tests", "bench"} & set(imports), name


def test_a_release_is_tested_first() -> None:
    release = read(GITHUB / "workflows/release.yml")["jobs"]
    (tested,) = [name for name, job in release.items() if job.get("uses") == "./.github/workflows/check.yml"]
    assert all(job["needs"] == tested for name, job in release.items() if name != tested)


def test_hooks_run_what_make_check_runs() -> None:
    recipe = present(re.search(r"^check:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE))
    checked = {line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()}
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    hooks = {hook["entry"]: hook for hook in local["hooks"]}
    # Hooks repair what they can and are given the files that changed.
    plain = {re.sub(r" --(fix|force-exclude)\b", "", entry) for entry in hooks}
    assert plain == {re.sub(r"( --check)? \.$", "", line) for line in checked}
    assert {hook["id"] for hook in hooks.values() if hook.get("stages") == ["pre-push"]} == {"types", "figures"}


def test_updates_are_looked_for_wherever_something_is_pinned() -> None:
    updates = {entry["package-ecosystem"]: entry for entry in read(GITHUB / "dependabot.yml")["updates"]}
    assert set(updates) == {"pip", "docker", "docker-compose", "github-actions"}
    assert all(entry["directory"] == "/" and entry["schedule"]["interval"] for entry in updates.values())
    assert all((ROOT / name).is_file() for name in ("constraints.txt", "Dockerfile", "compose.scale.yaml"))


FORMS: Final = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.name)
def test_forms_for_issues_are_whole(form: Path) -> None:
    found = read(form)
    assert found["name"]
    assert found["description"]
    fields = [field for field in found["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) > 0
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_the_public_address_is_said_once() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    home = urls["Homepage"]
    assert re.fullmatch(r"https://[\w.-]+/[\w.-]+/tavoliere", home)
    assert all(address == home or address.startswith(f"{home}/") for address in urls.values())
    searched = ["git", "grep", "--untracked", "-lF", home.removeprefix("https://")]
    found = subprocess.run(searched, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split()
    assert found == ["pyproject.toml"]
