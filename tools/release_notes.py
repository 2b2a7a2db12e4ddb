"""Print what the changelog says of a version: the text of its release. With a tag that is not this version's, fail."""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class NotReleasableError(Exception):
    """What stands in the way of a release, in one sentence."""


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the changelog's section of the version that a tag names; NotReleasableError."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        raise NotReleasableError(
            f"The tag is {tag}, but pyproject.toml says version {version}: it would be v{version}."
        )
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.split(r"^## (.+)$", changelog, flags=re.MULTILINE)[1:]
    found = {
        title.split(" - ")[0]: (title, text.strip()) for title, text in zip(sections[::2], sections[1::2], strict=True)
    }
    title, text = found.get(version, ("", ""))
    if not text:
        raise NotReleasableError(
            f"CHANGELOG.md says nothing of version {version}: it needs a section '## {version} - DATE'."
        )
    if not re.fullmatch(r".+ - \d{4}-\d\d-\d\d", title):
        raise NotReleasableError(f"CHANGELOG.md does not say when version {version} was made: '## {version} - DATE'.")
    return text + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the notes; 1 if there can be no such release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help="such as v0.2.0")
    try:
        print(notes(parser.parse_args(arguments).tag), end="")
    except NotReleasableError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
