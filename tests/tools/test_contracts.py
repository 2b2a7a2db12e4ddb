"""Imports point one way: the contracts in pyproject.toml hold, and each of them sees what would break it."""

import ast
import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter import configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

from tools.contracts import StandardLibraryOnly

ROOT = Path(__file__).resolve().parents[2]
KINDS: dict[str, Any] = {
    "layers": LayersContract, "forbidden": ForbiddenContract, "standard_library_only": StandardLibraryOnly,
}  # fmt: skip
MAX_PACKAGES = 36
ROOMS = "The rooms of the chat: each imports from those below it"
PLATFORMS = "The platforms stand on the application and do not know each other"
WRITTEN: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]


configuration.configure()  # as its own entry does, or it has nobody to print for it


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*WRITTEN["root_packages"], include_external_packages=True, cache_dir=None)


def options_of(written: dict[str, Any], *without: str) -> dict[str, Any]:
    """Return options as import-linter reads them: truth is a word there."""
    remaining = {name: value for name, value in written.items() if name not in without}
    return {name: str(value) if isinstance(value, bool) else value for name, value in remaining.items()}


def broken(graph: grimp.ImportGraph) -> list[str]:
    """Return the names of the contracts that a graph of imports breaks."""
    session = options_of(WRITTEN, "contracts")
    found = []
    for written in WRITTEN["contracts"]:
        contract = KINDS[written["type"]](written["name"], session, options_of(written, "name", "type"))
        if not contract.check(deepcopy(graph), verbose=False).kept:
            found.append(written["name"])
    return found


def test_all_contracts_are_kept() -> None:
    assert broken(imports()) == []


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("engine.core", "aiohttp", "The rules need nothing but Python"),
        ("engine.core", "render.scene", "The chat stands on storage and pictures, pictures on the rules"),
        ("render.pool", "storage.store", "The chat stands on storage and pictures, pictures on the rules"),
        ("render.pool", "bot.platforms.app", "The chat stands on storage and pictures, pictures on the rules"),
        ("storage.store", "engine.core", "The storage knows no rules"),
        ("bot.table.service", "sqlalchemy", "Only the storage knows its database library"),
        ("bot.platforms.app", "tests", "The program does without its tests and tools"),
        ("bot.table.service", "bot.lobby.commands", ROOMS),
        ("bot.kernel.line", "bot.lobby.service", ROOMS),
        ("bot.table.service", "bot.outbox.job", ROOMS),
        ("bot.platforms.telegram.adapter", "bot.platforms.discord.adapter", PLATFORMS),
    ],
)
def test_an_import_against_the_grain_is_found(importer: str, imported: str, contract: str) -> None:
    graph = deepcopy(imports())
    if imported not in graph.modules:
        graph.add_module(imported, is_squashed=True)
    graph.add_import(importer=importer, imported=imported)
    assert contract in broken(graph)


def test_a_package_that_is_not_entered_is_found() -> None:
    graph = deepcopy(imports())
    graph.add_module("bot.somewhere")
    assert broken(graph) == [ROOMS]


def test_the_architecture_page_describes_every_room_once_in_their_order() -> None:
    layers = next(written for written in WRITTEN["contracts"] if written["name"] == ROOMS)["layers"]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## The ten rooms of `bot/`")[1]
    table = [line.split("|")[1] for line in page.split("\n## ")[0].splitlines() if line.startswith("| `")]
    listed = [" : ".join(part.strip(" `/").removesuffix(".py") for part in row.split(",")) for row in table]
    assert listed == layers


def test_every_package_says_in_a_sentence_what_it_is() -> None:
    files = [path for path in (ROOT / "bot").rglob("__init__.py") if path.parent != ROOT / "bot"]
    silent = [str(path) for path in files if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert (silent, len(files) <= MAX_PACKAGES) == ([], True)
