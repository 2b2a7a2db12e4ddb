"""Check code and documents for words that we have replaced, and say what to write instead.

Names are looked for where they are defined: functions, classes, parameters, variables, attributes; in scripts
functions, classes and variables. Sentences are docstrings, comments and documents. CONTRIBUTING.md ("How we name and
write") explains the rules behind the lists.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

NAMES: Final = {
    "anothers": "peer",
    "asker": "requester",
    "away": "unreachable, offline, disconnected",
    "came_of": "result, outcome",
    "company": "people",
    "crowd": "peers, players",
    "era": "generation, version",
    "farewell": "shutdown_timeout",
    "handled_events": "processed_events",
    "heard": "received, on_change",
    "hushed": "muted",
    "kept": "cached, stored, remaining",
    "leisure": "low_priority",
    "lenience": "tolerance",
    "moment": "delay, debounce_seconds",
    "patience": "timeout, max_attempts",
    "same_as": "merged_into",
    "stands": "state",
    "soon": "retry_seconds",
    "told": "notified, shown, sent",
    "told_at": "delivered_at",
    "whoever": "person, user",
    "writable": "can_dm",
}
"""Words that are no name, alone or with underscores around them, and what says it."""

CONSTANTS: Final = {
    r"_?(?:MOST|LONGEST|FURTHEST)(?:_\w+)?": "MAX_ with what is limited and its unit",
    r"\w+_AN?_(?:SECOND|MINUTE|HOUR|DAY|TURN|GAME)": "_PER_ with the period",
    r"_?(?:AGAIN|BEAT|GATHERED|GRACE|HELD|IDLE|LATER|LEFT|LOW|REST|TIDY|TOGETHER|WHILE|YOUNG)": "a noun with its unit",
}
"""Constants that do not say what they are, and what does."""

SENTENCES: Final = {
    r"\bwhoever\b": "the person who, anyone who",
    r"\bis told (?:of|what|that|by)\b": "learns, is notified, is shown",
    r"\bhas (?:heard|said) (?:of|what|that)\b": "knows, has received",
    r"\bso (?:many|much|long) as\b": "at most, while",
    r"\bat leisure\b": "with low priority",
    r"\bnothing but\b": "only",
    r"\bsees to\b": "ensures, handles",
    r"\ba matter of course\b": "automatic, forced",
    r"\bwherever somebody\b": "where a person",
}
"""Turns of phrase that a newcomer stumbles over, and plainer ones."""

PACKAGE_SENTENCES: Final = {r"(?<![-`\w])somebody\b(?![-`])": "a person", r"(?<![-`\w])nobody\b(?![-`])": "no one"}
"""The same in the four packages, where a name in backticks or a code may hold such a word."""

PACKAGES: Final = ("bot", "engine", "render", "storage")
CODE: Final = (*PACKAGES, "tools", "tests", "bench")
LEFT_OUT: Final = (
    "tools/check_words.py", "docs/rules/", "CHANGELOG.md", "CONTRIBUTING.md", "bot/platforms/apps/static/discord-sdk.js"
)  # fmt: skip
"""Where the words may stand: here, in the rules as they were decided, in lists of what was replaced, in a library."""

_SCRIPT_NAME: Final = re.compile(r"\b(?:const|let|class|function\*?) +(\w+)")
_SCRIPT_COMMENT: Final = re.compile(r"^\s*(?://|/?\*)(.*)")


def main() -> int:
    """Print what was found; return 1 if anything was."""
    root = Path(__file__).resolve().parents[1]
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True)
    found = list(find_problems(root, listed.stdout.splitlines()))
    print("\n".join(found) if found else "words: plain")
    return 1 if found else 0


def find_problems(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield a line for every replaced word in the named files below `root`."""
    for name in names:
        path = root / name
        if name.startswith(LEFT_OUT) or not path.is_file():
            continue
        if name.endswith(".py") and name.startswith(CODE):
            source = path.read_text(encoding="utf-8")
            phrases = SENTENCES | PACKAGE_SENTENCES if name.startswith(PACKAGES) else SENTENCES
            found = [*check_names(source), *check_sentences(sentences_in_code(source), phrases)]
        elif name.endswith(".js") and name.startswith(CODE):
            lines = path.read_text(encoding="utf-8").splitlines()
            comments = (
                (number, match[1]) for number, line in enumerate(lines, 1) if (match := _SCRIPT_COMMENT.match(line))
            )
            found = [*check_script_names(lines), *check_sentences(comments)]
        elif name.endswith(".md"):
            found = list(check_sentences(enumerate(path.read_text(encoding="utf-8").splitlines(), 1)))
        else:
            continue
        for line, word, instead in found:
            yield f"{name}:{line}: “{word}”: say {instead}"


def check_names(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the word and its replacement for every definition of a name that we have replaced."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        name = _defined_name(node)
        instead = NAMES.get(name.strip("_").lower()) if name is not None else None
        if instead is not None:
            yield node.lineno, str(name), instead  # type: ignore[attr-defined]
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            for pattern, instead in CONSTANTS.items():
                if isinstance(target, ast.Name) and re.fullmatch(pattern, target.id):
                    yield target.lineno, target.id, instead


def check_script_names(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the same for the functions, classes and variables of a script."""
    for number, line in enumerate(lines, 1):
        for match in _SCRIPT_NAME.finditer(line):
            name = match[1]
            constants = (instead for pattern, instead in CONSTANTS.items() if re.fullmatch(pattern, name))
            instead = NAMES.get(name.lower()) or next(constants, None)
            if instead is not None:
                yield number, name, instead


def check_sentences(
    lines: Iterable[tuple[int, str]], phrases: Mapping[str, str] = SENTENCES
) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the phrase and its replacement for every phrase that we have replaced."""
    for number, text in lines:
        for pattern, instead in phrases.items():
            for match in re.finditer(pattern, text, re.IGNORECASE):
                yield number, match.group(), instead


def sentences_in_code(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a module's comments and docstrings with their numbers."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_text = token.type == tokenize.STRING and token.string.startswith('"""')
        if token.type == tokenize.COMMENT or is_text:
            for offset, text in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, text


def _defined_name(node: ast.AST) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case _:
            return None


if __name__ == "__main__":
    sys.exit(main())
