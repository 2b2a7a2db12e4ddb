"""Draw mutants of functions that two commits share, or of new ones, and count how many of them the tests kill.

    python -m tools.mutants draw --base COMMIT --each 15 --seed 45 mutants.json
    python -m tools.mutants draw --base COMMIT --each 20 --new storage --new bot/outbox mutants.json
    python -m tools.mutants run mutants.json --side base --tree COPY_OF_BASE --results base.json
    python -m tools.mutants run mutants.json --side head --tree COPY_OF_HEAD --first base.json --results head.json

A mutant changes one operator, constant or condition of one function. `run` changes files of the tree that it is given,
one at a time, so give it a copy. It tries the tests that import the mutated module or are named after it, and stops at
the first failure.
"""

import argparse
import ast
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("engine", "render", "storage", "bot")
MAX_TEST_FILES: Final = 14
TEST_TIMEOUT_SECONDS: Final = 120
TESTS_OF_KITS: Final = ("tests/engine/test_one_rule.py", "tests/engine/test_position_cases.py")
"""Tests of every game that run the data of its kit."""
MIGRATIONS: Final = "/migrations/versions/"
"""Steps of the past that never change are no target."""
ROOT: Final = Path(__file__).resolve().parents[1]

_COMPARISONS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one function, in the files of both commits."""

    package: str
    function: str
    base_path: str
    head_path: str
    original: str
    mutated: str
    what: str
    tests: tuple[str, ...] = ()
    """What to run where the likeliest files take too long: arguments of pytest, put into the file by hand."""


def main() -> int:
    """Draw mutants, or run the tests against them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    verbs = parser.add_subparsers(dest="verb", required=True)
    draw = verbs.add_parser("draw")
    draw.add_argument("--base", required=True)
    draw.add_argument("--each", type=int, default=15)
    draw.add_argument("--seed", type=int, default=45)
    draw.add_argument("--new", action="append", default=[], metavar="PATH", help="draw in what is new there instead")
    run = verbs.add_parser("run")
    run.add_argument("--side", choices=("base", "head"), required=True)
    run.add_argument("--tree", type=Path, required=True)
    run.add_argument("--first", type=Path, help="results of the other side: try the tests that killed there first")
    run.add_argument("--results", type=Path, required=True)
    for each in (draw, run):
        each.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.verb == "draw":
        drawn = list[Mutant]()
        for part in given.new or PACKAGES:
            drawn += _draw(part, given.base, given.each, given.seed, new=bool(given.new))
        given.file.write_text(json.dumps([asdict(mutant) for mutant in drawn], indent=1, ensure_ascii=False) + "\n")
    else:
        mutants = [Mutant(**entry) for entry in json.loads(given.file.read_text())]
        killers = json.loads(given.first.read_text()) if given.first else {}
        _run(mutants, given.side, given.tree.resolve(), killers, given.results)
    return 0


def _draw(part: str, base: str, count: int, seed: int, *, new: bool) -> list[Mutant]:
    """Draw mutants in a file or folder: of functions that `base` has, too, or of those that it does not have."""
    package = part.partition("/")[0]
    old = _functions(_files_of_commit(package, base))
    paths = [ROOT / part] if (ROOT / part).is_file() else (ROOT / part).rglob("*.py")
    here = _functions({str(path.relative_to(ROOT)): path.read_text() for path in paths if MIGRATIONS not in str(path)})
    chance = random.Random(f"{seed} {part}")
    keys = sorted(here.keys() - old.keys() if new else here.keys() & old.keys())
    chance.shuffle(keys)
    drawn = list[Mutant]()
    for key in keys:
        head_path, source = here[key]
        options = list(_mutations(source))
        if options:
            mutated, what = chance.choice(options)
            original, base_path = ast.unparse(ast.parse(source)), old.get(key, here[key])[0]
            drawn.append(Mutant(package, key.partition("\n")[0], base_path, head_path, original, mutated, what))
        if len(drawn) == count:
            break
    return drawn


def _files_of_commit(package: str, commit: str) -> dict[str, str]:
    listed = _git("ls-tree", "-r", "--name-only", commit, package).splitlines()
    return {
        path: _git("show", f"{commit}:{path}") for path in listed if path.endswith(".py") and MIGRATIONS not in path
    }


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _functions(files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return path and source of every function, by its name and what it does; without those that are there twice."""
    found: dict[str, tuple[str, str]] = {}
    repeated = set[str]()
    for path, text in files.items():
        for node in _all_functions(text):
            source = ast.unparse(node)
            key = f"{node.name}\n{source}"
            if key in found:
                repeated.add(key)
            found[key] = (path, source)
    return {key: value for key, value in found.items() if key not in repeated}


def _mutations(source: str) -> Iterator[tuple[str, str]]:
    """Yield the function with one change each, and what was changed."""
    for index in range(len(_nodes(ast.parse(source)))):
        tree = ast.parse(source)
        node = _nodes(tree)[index]
        line = getattr(node, "lineno", 0)
        if what := _change(node):
            yield ast.unparse(tree), f"line {line}: {what}"


def _nodes(tree: ast.Module) -> list[ast.AST]:
    """Return the nodes of a function's body without its annotations, which do nothing."""
    found = list[ast.AST]()
    waiting: list[ast.AST] = [*tree.body[0].body]  # type: ignore[attr-defined]
    while waiting:
        node = waiting.pop(0)
        found.append(node)
        waiting += [
            child
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "returns")
            for child in (value if isinstance(value, list) else [value])
            if isinstance(child, ast.AST)
        ]
    return found


def _change(node: ast.AST) -> str | None:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            node.ops = [_COMPARISONS[type(op)]()]
            return f"{type(op).__name__} to {type(node.ops[0]).__name__}"
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            node.op = _OPERATORS[type(op)]()
            return f"{type(op).__name__} to {type(node.op).__name__}"
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            return f"{type(op).__name__} to {type(node.op).__name__}"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
            return "condition negated"
        case ast.Constant(value=bool() as value):
            node.value = not value
            return f"{value} to {not value}"
        case ast.Constant(value=int() as value):
            node.value = value + 1
            return f"{value} to {value + 1}"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            node.value = ast.Constant(None)
            return "returns None"
    return None


def _run(mutants: list[Mutant], side: str, tree: Path, killers: dict[str, dict[str, str]], results: Path) -> None:
    done: dict[str, dict[str, str]] = json.loads(results.read_text()) if results.exists() else {}
    for number, mutant in enumerate(mutants):
        if str(number) in done:
            continue
        name = mutant.base_path if side == "base" else mutant.head_path
        path = _locate(tree, name, mutant)
        if path is None:
            done[str(number)] = {"mutant": f"{name} {mutant.function}: {mutant.what}", "outcome": "changed", "test": ""}
            continue
        name = str(path.relative_to(tree))
        before = path.read_text()
        path.write_text(_apply(before, mutant))
        try:
            first = killers.get(str(number), {}).get("test", "").partition("::")[0]
            selection = list(mutant.tests) or _select(tree, name, mutant.function)
            if first and first not in selection and (tree / first).exists():
                selection = [first, *(each for each in selection if each != first)]
            outcome = _test(tree, selection)
        finally:
            path.write_text(before)
        done[str(number)] = {"mutant": f"{name} {mutant.function}: {mutant.what}", **outcome}
        results.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n")
        print(number, done[str(number)], flush=True)
    outcomes = [entry["outcome"] for entry in done.values()]
    print(f"{outcomes.count('killed')} of {len(done)} killed, {outcomes.count('timeout')} undecided")


def _locate(tree: Path, name: str, mutant: Mutant) -> Path | None:
    """Return the file that has the function, which may have moved since the mutants were drawn; None if it changed."""
    for path in (tree / name, *sorted((tree / mutant.package).rglob("*.py"))):
        if path.is_file() and any(ast.unparse(node) == mutant.original for node in _all_functions(path.read_text())):
            return path
    return None


def _all_functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def _apply(text: str, mutant: Mutant) -> str:
    for node in _all_functions(text):
        if ast.unparse(node) == mutant.original:
            lines = text.splitlines(keepends=True)
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            indent = " " * node.col_offset
            changed = [f"{indent}{line}\n" for line in mutant.mutated.splitlines()]
            return "".join([*lines[:start], *changed, *lines[node.end_lineno :]])
    raise ValueError(f"{mutant.function} is not there any more")


def _select(tree: Path, path: str, function: str) -> list[str]:
    """Return the test files that are likely to reach a module, the likeliest first."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    words = {word.rstrip("s") for word in re.split(r"[./_]", module) if len(word) > 3} - {"engine", "render", "storage"}
    ranked = list[tuple[int, str]]()
    for file in (tree / "tests").rglob("test_*.py"):
        name = str(file.relative_to(tree))
        text = file.read_text()
        score = 8 * (f"{module} " in text or f"{module}\n" in text) + 4 * bool(re.search(rf"\b{function}\b", text))
        score += 2 * sum(word in name for word in words) + (name.split("/")[1] == module.split(".")[0])
        if "browser" in name or "/durability/" in name:
            score -= 6
        if score > 1:
            ranked.append((-score, name))
    kits = [name for name in TESTS_OF_KITS if "/games/" in path and (tree / name).exists()]
    return [*kits, *(name for _, name in sorted(ranked)[:MAX_TEST_FILES] if name not in kits)]


def _test(tree: Path, selection: list[str]) -> dict[str, str]:
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-n", "0", "-m", "not full", "-p", "no:cacheprovider"]
    try:
        ran = subprocess.run(
            [*command, "-W", "ignore", *selection],
            cwd=tree,
            capture_output=True,
            text=True,
            timeout=TEST_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"outcome": "timeout", "test": ""}
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    if ran.returncode == 0:
        return {"outcome": "survived", "test": ""}
    return {"outcome": "killed", "test": failed.group(1) if failed else "collection"}


if __name__ == "__main__":
    sys.exit(main())
