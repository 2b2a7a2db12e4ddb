"""Discovering games and their parts by key alone, without a list in any file.

A game of this project has its rules in `engine/games/<name>`, where the name is the key with `_` for `-`; its other
parts have the same name in their own folders. A game of another installed package is found by an entry point of the
group `tavoliere.games`, whose name is the key and whose value is the package; its parts are modules of that package.
CONTRIBUTING.md has the whole table.

A broken package is set aside with a reason, and the others run. Callers put the reason into words.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import distributions
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pkgutil import iter_modules
from threading import RLock
from typing import Any, Final, Generic, TypeVar, cast

from engine import core
from engine.core import Game, Option, State

ENTRY_POINT_GROUP: Final = "tavoliere.games"
"""The entry point group by which other packages bring games."""
MAX_KEY_LENGTH: Final = 24
"""Keys are part of button data, which is at most 64 bytes long."""

_KEY_PATTERN: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_PACKAGE_PATTERN: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_LESSON: Final = "lesson-"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a game: an importable package of a distribution; without one, this project."""

    key: str
    package: str | None = None
    distribution: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """The name of a game's modules in this project."""
        return self.key.replace("-", "_")


@dataclass(frozen=True, slots=True)
class SetAside:
    """A game of another package that cannot be played: `reason` is a code, `detail` the cause."""

    source: Source
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The location of a part of a game that is a module.

    For games of this project it is a module `within` one of our packages, in a game's own package the module `beside`
    the others; `attribute` is the object in it.
    """

    within: str
    beside: str
    attribute: str

    def module(self, source: Source) -> str:
        """Return the name of the module."""
        return f"{self.within}.{source.name}" if source.package is None else f"{source.package}.{self.beside}"

    def exists(self, source: Source) -> bool:
        """Return whether the module exists, without importing it."""
        try:
            return find_spec(self.module(source)) is not None
        except (ImportError, ValueError):
            return False

    def load(self, source: Source) -> Any:
        """Return the object in the module; Unusable, for a game of this project ImportError or AttributeError."""
        name = self.module(source)
        if source.package is None:
            return getattr(import_module(name), self.attribute)
        try:
            module = import_module(name)
        except (Exception, SystemExit) as error:  # whatever another author's module does when it is imported
            raise Unusable("import", f"{name}: {type(error).__name__}: {error}") from error
        try:
            return getattr(module, self.attribute)
        except AttributeError:
            raise Unusable("attribute", f"{name}.{self.attribute}") from None


RULES: Final = Part("engine.games", "rules", "GAME")


class Unusable(Exception):
    """A part of another package's game cannot be used: a reason code and the cause."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclass
class _Found:
    games: dict[str, Game] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    aside: list[SetAside] = field(default_factory=list)


class Games(Mapping[str, Game]):
    """All games by key, in the order for people; discovered when first used."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._found: _Found | None = None
        self._complete: _Found | None = None
        """What was found, once all of it is known."""

    def __getitem__(self, key: str) -> Game:
        return (self._complete or self._all()).games[key]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._all().games))

    def __len__(self) -> int:
        return len(self._all().games)

    def __repr__(self) -> str:
        return f"<Games {', '.join(self)}>"

    def source(self, key: str) -> Source:
        """Return the source of a game; KeyError for an unknown one."""
        return self._all().sources[key]

    @property
    def ours(self) -> tuple[str, ...]:
        """The keys of this project's own games."""
        return tuple(key for key in self if self.source(key).package is None)

    @property
    def set_aside(self) -> tuple[SetAside, ...]:
        """The games of other packages that cannot be played, with the reasons."""
        return tuple(self._all().aside)

    def put_aside(self, key: str, reason: str, detail: str = "") -> None:
        """Set a game of another package aside for good; KeyError for an unknown key."""
        found = self._all()
        found.aside.append(SetAside(found.sources.pop(key), reason, detail))
        del found.games[key]

    def _all(self) -> _Found:
        with self._lock:
            if self._found is None:
                # What a game asks for while it is being found are those that were found before it.
                self._found = _Found()
                try:
                    _find(self._found)
                except BaseException:
                    self._found = None
                    raise
                self._complete = self._found
            return self._found


class Parts(Mapping[str, T], Generic[T]):
    """One part of every game that has it, by key and in order; each is imported on first use."""

    def __init__(self, games: Games, part: Part, make: Callable[[Any], T] = lambda part: cast("T", part)) -> None:
        """Create the mapping; `make` converts the object found in the module."""
        self.part = part
        self._games = games
        self._make = make
        self._loaded: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        """Return the part; KeyError for a game without it, or of another package where it cannot be used."""
        if key not in self._loaded:
            source = self._games.source(key)
            if not self.part.exists(source):
                raise KeyError(key)
            try:
                self._loaded[key] = self._make(self.part.load(source))
            except Unusable as error:
                raise KeyError(key) from error
        return self._loaded[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._games and self.part.exists(self._games.source(key))

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._games if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def file_of(source: Source, within: str, path: str, beside: str) -> Traversable | None:
    """Return a file that belongs to a game, None if it has none.

    It is at `path` in one of our packages, or at `beside` in the game's own.
    """
    package, *steps = (within, *path.split("/")) if source.package is None else (source.package, *beside.split("/"))
    found = files(package).joinpath(*steps)
    return found if found.is_file() else None


def is_key(text: str) -> bool:
    """Return whether a text has the form of a game key."""
    return bool(_KEY_PATTERN.fullmatch(text)) and len(text) <= MAX_KEY_LENGTH and not text.startswith(_LESSON)


def _find(found: _Found) -> None:
    ours: list[tuple[Source, Game]] = []
    package = import_module(RULES.within)
    for module in iter_modules(package.__path__):
        if not module.name.startswith("_"):
            source = Source(module.name.replace("_", "-"))
            game = RULES.load(source)
            if game.key != source.key:
                raise ValueError(f"the game of {RULES.module(source)} has the key {game.key!r}")
            ours.append((source, game))
    _add(found, ours)
    # The compiled engine has no room for classes that are not compiled with it.
    if (core.__file__ or "").endswith(".py"):
        _add(found, list(_iterate_package_games(found)))


def _add(found: _Found, games: list[tuple[Source, Game]]) -> None:
    for source, game in sorted(games, key=lambda each: (each[1].order, each[0].key)):
        found.games[source.key], found.sources[source.key] = game, source


def _iterate_package_games(found: _Found) -> Iterator[tuple[Source, Game]]:
    """Yield the games of other packages, recording those that cannot be used."""
    taken = dict.fromkeys(found.games, "tavoliere")
    for source in _announced():
        try:
            game = _usable(source, taken)
        except Unusable as error:
            found.aside.append(SetAside(source, error.reason, error.detail))
        else:
            taken[source.key] = f"{source.distribution} {source.version}"
            yield source, game


def _announced() -> list[Source]:
    """Return the games announced by other packages, in an order independent of where they are installed."""
    announced: list[Source] = []
    seen: set[str] = set()
    for distribution in distributions():
        try:
            points = [each for each in distribution.entry_points if each.group == ENTRY_POINT_GROUP]
            if not points:
                continue
            name, version = str(distribution.name), str(distribution.version)
        except Exception:  # noqa: BLE001, S112 (the metadata of packages that are not ours may hold anything)
            continue
        # The same one may be found again further back on the path, where nothing can be imported from.
        project = re.sub(r"[-_.]+", "-", name).lower()
        if project not in seen:
            seen.add(project)
            announced += [Source(point.name, point.value.strip(), name, version) for point in points]
    return sorted(announced, key=lambda each: (each.key, each.distribution))


def _usable(source: Source, taken: Mapping[str, str]) -> Game:
    """Return the game of a package; Unusable."""
    key = source.key
    if not is_key(key):
        raise Unusable("key")
    if key in taken:
        raise Unusable("taken", taken[key])
    if not _PACKAGE_PATTERN.fullmatch(source.package or ""):
        raise Unusable("package", source.package or "")
    game = RULES.load(source)
    if not isinstance(game, Game):
        raise Unusable("attribute", f"{RULES.module(source)}.{RULES.attribute}")
    try:
        lack = "; ".join(_lacking(game, key))
    except Exception as error:  # noqa: BLE001 (whatever another author's rules do when a game begins)
        lack = f"{type(error).__name__}: {error}"
    if lack:
        raise Unusable("contract", lack)
    return game


def _lacking(game: Game, key: str) -> Iterator[str]:
    """Yield the parts of the contract of `engine.core` that a game violates, as far as its first state shows."""
    if getattr(game, "key", None) != key:
        yield f"key: {getattr(game, 'key', None)!r}"
    version, order = getattr(game, "rules_version", None), getattr(game, "order", None)
    if type(version) is not int or version < 1:
        yield f"rules_version: {version!r}"
    if type(order) is not int:
        yield f"order: {order!r}"
    options = getattr(game, "options", None)
    if not isinstance(options, Mapping) or not all(isinstance(each, Option) for each in options.values()):
        yield f"options: {options!r}"
    seats = getattr(game, "seats", None)
    if not isinstance(seats, range) or not seats or seats.step != 1 or seats.start < 2:
        yield f"seats: {seats!r}"
        return
    for number in (seats[0], seats[-1]):
        state = game.start(number)
        if not isinstance(state, State) or state.game is not game or state.to_json().get("game") != key:
            yield f"start({number})"
        elif game.load(state.to_json()) != state:
            yield f"load(start({number}))"
