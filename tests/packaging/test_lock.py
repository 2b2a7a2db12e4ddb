"""What is pinned: the versions that the image and `make start` install, those the tests ran with, and all images."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PINNED = re.compile(r"^([\w.-]+)==([^ ;]+)(?: ;.*?)?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", re.MULTILINE)


def plain(name: str) -> str:
    """Return the name of a package as all write it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[>=<;! ]", name)[0]).lower()


def pinned() -> dict[str, tuple[str, int]]:
    """Return the version of every package in the lock, and how many files of it may be installed."""
    return {plain(name): (version, hashes.count("sha256")) for name, version, hashes in PINNED.findall(LOCK)}


def test_lock_file_has_hashes_and_no_index_address() -> None:
    found = pinned()
    assert len(found) == len([line for line in LOCK.splitlines() if re.match(r"[\w.-]+==", line)]) > 30
    assert all(files for _, files in found.values())
    # One for each system and version of Python, where a package is compiled.
    assert found["pillow"][1] > 30
    assert not re.search(r"://|--(extra-)?index|--find-links", LOCK)


def test_the_versions_are_those_that_the_tests_ran_with() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    tested = {plain(line): line.partition("==")[2] for line in lines if "==" in line}
    assert {name: version for name, (version, _) in pinned().items()}.items() <= tested.items()


def test_all_that_the_program_needs_is_there_and_what_builds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extra = project["project"]["optional-dependencies"]["postgresql"]
    wanted = [*project["project"]["dependencies"], *extra, *project["build-system"]["requires"]]
    assert {plain(name) for name in wanted} <= pinned().keys()


@pytest.mark.parametrize("file", ["Dockerfile", "Makefile"])
def test_only_locked_packages_are_installed(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert "--require-hashes --requirement requirements.lock" in text
    assert re.search(r"--no-deps --no-build-isolation (--editable )?\.", text)


NAMED = re.compile(r"[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}")


def test_ours_is_built_on_an_image_that_is_named_by_its_digest() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    stages: set[str] = set()
    for image, name in re.findall(r"^FROM (\S+)(?: AS (\S+))?$", text, re.MULTILINE):
        assert image in stages or NAMED.fullmatch(image), image
        stages.add(name)
    assert "# syntax=" not in text, "an image, too, and named by no digest"


def test_images_of_other_services_are_pinned() -> None:
    for file in sorted(ROOT.glob("compose*.yaml")):
        for name, service in yaml.safe_load(file.read_text("utf-8"))["services"].items():
            assert "build" in service or NAMED.fullmatch(service["image"]), f"{file.name}: {name}"
