"""Check games from other packages before anybody plays; scan the database for damage."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import structlog

from bot.boards.puzzles.puzzle import puzzles_of
from bot.kernel.cards import MAX_OPTIONS
from bot.kernel.commandline import PLAY_PARAMETERS
from bot.kernel.explanations import REASONS
from bot.kernel.explanations.candidate import GameReasons
from bot.kernel.operations.metrics import DAMAGED_VALUES
from bot.kernel.rulebook import examples, read_entries
from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.texts import DEFAULT_LANGUAGE, LOCALES_FOLDER, Catalogue, Speaker, Texts, catalogue_file
from bot.kernel.words import WORDS, GameWords
from engine.discovery import MAX_KEY_LENGTH, RULES, Part, SetAside, Source, Unusable, file_of
from engine.games import games
from engine.search.player import LEVELS
from engine.search.policies import POLICY
from engine.search.policy import Policy
from render.games import PICTURE
from render.scene import GamePicture
from render.theme import THEMES, load
from storage import Store

GAME_MODULES: Final[Mapping[str, tuple[Part, type]]] = {
    "policy": (POLICY, Policy),
    "picture": (PICTURE, GamePicture),
    "words": (WORDS, GameWords),
    "reasons": (REASONS, GameReasons),
}
"""The parts of a game that are modules, besides its rules, with their types."""

_OPTION_PATTERN: Final = re.compile(r"[a-z]{1,20}")
_VALUE_PATTERN: Final = re.compile(r"[a-z0-9-]{1,20}")

log = structlog.get_logger(__name__)


def examine_games() -> None:
    """Set aside incomplete games of other packages, so that no one starts a game that cannot be shown or described."""
    for key in games:
        source = games.source(key)
        if source.package is None:
            continue
        try:
            _examine_game(source)
        except Unusable as error:
            games.put_aside(key, error.reason, error.detail)


def log_set_aside_games(texts: Texts) -> None:
    """Log the games that are set aside, with the reasons."""
    for aside in games.set_aside:
        log.error(
            "game-set-aside",
            game=aside.source.key,
            package=game_origin(aside.source),
            reason=set_aside_reason(aside, texts.speaker(DEFAULT_LANGUAGE)),
        )


async def log_waiting_games(store: Store) -> None:
    """Log the kinds of unfinished games that are not installed."""
    for kind, number in (await store.games.count_live("game")).items():
        if kind not in games:
            log.warning("game-package-missing", kind=kind, games=number, reason="this game is not installed here")


def game_origin(source: Source) -> str:
    """Return the name and version of a game's package."""
    return f"{source.distribution} {source.version}"


def set_aside_reason(aside: SetAside, speaker: Speaker) -> str:
    """Return a sentence with the reason why a game is set aside."""
    words = speaker.of("cli")
    return words.line(f"games.aside.{aside.reason}", key=aside.source.key, detail=aside.detail, most=MAX_KEY_LENGTH)


def list_parts(key: str) -> dict[str, bool]:
    """Return whether a game has each possible part, by the part's key in `games.part.…`."""
    source = games.source(key)
    found = {"rules": RULES.exists(source)} | {name: part.exists(source) for name, (part, _) in GAME_MODULES.items()}
    found["palettes"] = all(_palette(source, theme) is not None for theme in THEMES)
    found |= {"sheet": bool(read_entries(key)), "lesson": lesson_of(key) is not None}
    return found


def list_languages(key: str) -> list[str]:
    """Return the languages in which a game has words."""
    return [language for language in _own_languages() if catalogue_file(key, language, key) is not None]


def _examine_game(source: Source) -> None:
    """Raise Unusable if a game of another package lacks a required part, or a part cannot be used."""
    key = source.key
    if (LOCALES_FOLDER / DEFAULT_LANGUAGE / f"{key}.po").exists():
        raise Unusable("key")
    lacking = [f"{part.module(source)}" for part, _ in GAME_MODULES.values() if not part.exists(source)]
    lacking += [f"palettes/{key}-{theme}.bin" for theme in THEMES if _palette(source, theme) is None]
    lacking += (
        [] if catalogue_file(key, DEFAULT_LANGUAGE, key) is not None else [f"locales/{DEFAULT_LANGUAGE}/{key}.po"]
    )
    if lacking:
        raise Unusable("parts", ", ".join(lacking))
    loaded = {}
    for name, (part, kind) in GAME_MODULES.items():
        loaded[name] = part.load(source)
        if not isinstance(loaded[name], kind):
            raise Unusable("attribute", f"{part.module(source)}.{part.attribute}")
    faults = "; ".join(_list_faults(key, loaded["policy"], loaded["picture"]))
    if faults:
        raise Unusable("contract", faults)
    for what, look in _list_files(source):
        try:
            look()
        except Exception as error:  # foreign files may cause any error
            raise Unusable("file", f"{what}: {type(error).__name__}: {error}") from error


def _list_faults(key: str, policy: Policy[Any], picture: GamePicture) -> Iterator[str]:
    """Yield what contradicts a game in its parts, and its options that cannot be typed, or chosen from a menu."""
    if (policy.key, picture.key) != (key, key):
        yield f"POLICY.key: {policy.key!r}, PICTURE.key: {picture.key!r}"
    if len(policy.levels) != len(LEVELS):
        yield f"POLICY.levels: {len(policy.levels)}"

    for name, option in games[key].options.items():
        values = [str(value) for value in option.values]
        if not _OPTION_PATTERN.fullmatch(name) or name in PLAY_PARAMETERS:
            yield f"option {name!r}"
        elif option.default not in option.values or not 1 <= len(values) <= MAX_OPTIONS:
            yield f"option {name}: {option.default!r} of {len(values)}"
        else:
            yield from (f"option {name}: {value!r}" for value in values if not _VALUE_PATTERN.fullmatch(value))


def _list_files(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield the files of a game, each with a function that raises an error if the file cannot be used."""
    key = source.key
    for theme in THEMES:
        yield f"palettes/{key}-{theme}.bin", lambda theme=theme: load(key, theme)
    for language in _own_languages():
        for domain in (key, f"lesson-{key}"):
            file = catalogue_file(key, language, domain)
            if file is not None:
                yield f"locales/{language}/{domain}.po", lambda file=file: Catalogue(file)
    yield "rulebook.json", lambda: examples(key)
    yield "lesson.json", lambda: lesson_of(key)
    yield "puzzles.json", lambda: puzzles_of(key)


def _palette(source: Source, theme: str) -> object:
    name = f"palettes/{source.key}-{theme}.bin"
    return file_of(source, "render", name, name)


def _own_languages() -> list[str]:
    """Return the languages of the program."""
    return sorted(folder.name for folder in LOCALES_FOLDER.iterdir() if folder.is_dir())


MIN_SCAN_INTERVAL_SECONDS: Final = 3600.0
"""Minimum seconds between two scans of the whole database."""
MAX_VALUES_LOGGED: Final = 20
"""Maximum number of damaged values that are logged, one per line."""


class DamageWatch:
    """Scans the database after a value was unreadable, because readers skip such values."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        """Create the watch; `clock` returns monotonic seconds."""
        self._store = store
        self._clock = clock
        self._known = store.decode_error_count
        self._looked: float | None = None
        self._removed: list[str] = []

    async def scan(self) -> None:
        """Log and count unreadable values if there may be new ones; check that the database's files exist."""
        await self._check_files_exist()
        now, misread = self._clock(), self._store.decode_error_count
        if misread == self._known or (self._looked is not None and now - self._looked < MIN_SCAN_INTERVAL_SECONDS):
            return
        self._known, self._looked = misread, now
        found = await self._store.find_damage()
        DAMAGED_VALUES.set(len(found))
        for damage in found[:MAX_VALUES_LOGGED]:
            log.error("damaged-row", table=damage.table, key=damage.key, column=damage.column)
        if found:
            log.error("database-damaged", values=len(found), help="tavoliere check --repair")

    async def _check_files_exist(self) -> None:
        """If a file in use was deleted, write a checkpoint, so that less is lost with this process, and log it."""
        removed = self._store.removed_files()
        if removed:
            await self._store.checkpoint()
        if removed and removed != self._removed:
            log.error("database-file-removed", files=removed, help="stop the program and start it again")
        self._removed = removed
