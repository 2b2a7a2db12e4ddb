"""Check that a version can be released, build its files, and say what comes next: `make release`.

With `--notes TAG`, only print the text of the release: the changelog's section of that version.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
SECTIONS: Final = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""What a version's changes are sorted into (Keep a Changelog)."""
UNRELEASED: Final = "Unreleased"


class NotReleasableError(Exception):
    """What stands in the way of a release, one line for each problem."""


class Section(NamedTuple):
    """A version in the changelog: its number, its date as it is written, and its text."""

    version: str
    date: str
    text: str


def read_version(root: Path = ROOT) -> str:
    """Return the version that pyproject.toml states."""
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def read_changelog(root: Path = ROOT) -> list[Section]:
    """Return the changelog's sections from the top; the first should be Unreleased, which has no date."""
    parts = re.split(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    titles = [title.partition(" - ") for title in parts[::2]]
    return [Section(version, day, text.strip()) for (version, _, day), text in zip(titles, parts[1::2], strict=True)]


def release_notes(tag: str, root: Path = ROOT) -> str:
    """Return the changelog's section of the version that a tag names; NotReleasableError."""
    version = read_version(root)
    if tag != f"v{version}":
        raise NotReleasableError(
            f"The tag is {tag}, but pyproject.toml says version {version}: it would be v{version}."
        )
    if problems := list(_changelog_problems(version, read_changelog(root))):
        raise NotReleasableError("\n".join(problems))
    return next(each.text for each in read_changelog(root) if each.version == version) + "\n"


def check_release(root: Path = ROOT) -> str:
    """Return the version that can be released from this commit; NotReleasableError names all that is in the way."""
    version, changelog = read_version(root), read_changelog(root)
    problems = [*_changelog_problems(version, changelog), *_order_problems(version, changelog)]
    if changelog and changelog[0].version == UNRELEASED and changelog[0].text:
        problems.append("CHANGELOG.md still has lines under Unreleased: move them to the version's section.")
    problems += _git_problems(version, root)
    if problems:
        raise NotReleasableError("\n".join(problems))
    return version


def _changelog_problems(version: str, changelog: list[Section]) -> Iterator[str]:
    found = next((each for each in changelog if each.version == version), None)
    if found is None or not found.text:
        yield f"CHANGELOG.md says nothing of version {version}: it needs a section '## {version} - DATE'."
        return
    if not _is_date(found.date):
        yield f"CHANGELOG.md does not say when version {version} was made: '## {version} - YEAR-MONTH-DAY'."
    for heading in re.findall(r"^### (.+)$", found.text, flags=re.MULTILINE):
        if heading not in SECTIONS:
            yield f"CHANGELOG.md, version {version}: '{heading}' is none of {', '.join(SECTIONS)}."


def _order_problems(version: str, changelog: list[Section]) -> Iterator[str]:
    if not changelog or changelog[0].version != UNRELEASED:
        yield f"CHANGELOG.md does not begin with '## {UNRELEASED}'."
    numbered = [each for each in changelog if each.version != UNRELEASED]
    if wrong := [each.version for each in numbered if _number(each.version) is None]:
        yield f"CHANGELOG.md has versions that are no three numbers: {', '.join(wrong)}."
        return
    if _number(version) is None:
        yield f"pyproject.toml says version {version}: a version is three numbers, such as 0.2.0."
    elif numbered and numbered[0].version != version:
        yield f"pyproject.toml says version {version}, but CHANGELOG.md's newest is {numbered[0].version}."
    numbers = [_number(each.version) or () for each in numbered]
    if numbers != sorted(set(numbers), reverse=True):
        yield "CHANGELOG.md's versions are not in order, the newest first."
    today = datetime.now(UTC).date()
    for each in numbered:
        if _is_date(each.date) and date.fromisoformat(each.date) > today:
            yield f"CHANGELOG.md dates version {each.version} {each.date}, which is still to come."


def _git_problems(version: str, root: Path) -> Iterator[str]:
    if _git(root, "status", "--porcelain"):
        yield "There are changes that are not committed: git status."
    tag = f"v{version}"
    if _is_tagged(version, root) and _git(root, "rev-list", "--max-count=1", tag) != _git(root, "rev-parse", "HEAD"):
        yield f"The tag {tag} names another commit: a released version is never changed, the next one repairs it."


def _is_tagged(version: str, root: Path) -> bool:
    return bool(_git(root, "tag", "--list", f"v{version}"))


def _number(version: str) -> tuple[int, ...] | None:
    return tuple(map(int, version.split("."))) if re.fullmatch(r"\d+\.\d+\.\d+", version) else None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _git(root: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def build(version: str, root: Path = ROOT) -> list[Path]:
    """Build the source distribution and, from it, the wheel into dist/; return both. NotReleasableError."""
    folder = root / "dist"
    for old in folder.glob("*"):
        old.unlink()
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(root)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    files = sorted(folder.iterdir())
    expected = {f"tavoliere-{version}-py3-none-any.whl", f"tavoliere-{version}.tar.gz"}
    if {file.name for file in files} != expected:
        raise NotReleasableError(f"dist/ holds {', '.join(file.name for file in files)}: not {', '.join(expected)}.")
    return files


def next_steps(version: str, files: list[Path], *, tagged: bool) -> str:
    """Return what a person has to do to publish the version."""
    tag = f'git tag --annotate v{version} --message "Version {version}"'
    steps = [
        "Try the wheel:      pipx run --spec dist/*.whl tavoliere serve",
        f"Tag this commit:    {tag}" if not tagged else f"The tag v{version} is there and names this commit.",
        "Publish it:         git push --follow-tags",
        "The workflow tests the tag and makes the release. Without it: upload the files below, with the text of",
        f"                    python tools/release.py --notes v{version}",
    ]
    built = [f"  {file.name}  {file.stat().st_size / 1e6:.1f} MB" for file in files]
    return "\n".join([f"Version {version} can be released. Built in dist/:", *built, "", *steps])


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Check, build and say what to do; 1 if there can be no such release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", metavar="TAG", help="only print the text of a release: such as v0.2.0")
    tag = parser.parse_args(arguments).notes
    try:
        if tag is not None:
            print(release_notes(tag, root), end="")
            return 0
        version = check_release(root)
        files = build(version, root)
    except NotReleasableError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"This failed: {' '.join(map(str, error.cmd))}\n{error.stderr or ''}", file=sys.stderr)
        return 1
    print(next_steps(version, files, tagged=_is_tagged(version, root)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
