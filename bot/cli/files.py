"""Read files and arguments of the command line, and write files."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from bot.cli.console import PROBLEM, USAGE, CommandFailed, Console, argument
from bot.kernel.operations.settings import check_host, check_web_url, split_url
from engine import EngineError, Game, InvalidOption, InvalidPosition, State, games

MAX_INPUT_BYTES = 4_000_000

Read = TypeVar("Read")


@contextmanager
def explain_os_errors(key: str, code: int = PROBLEM, **params: str) -> Iterator[None]:
    """Translate errors of the system into CommandFailed with these arguments, and with the `reason`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandFailed(key, code, reason=error.strerror or str(error), **params) from None


def read_text(name: str, most: int = MAX_INPUT_BYTES) -> str:
    """Return the text of a file, or of stdin for `-`; CommandFailed with one clear sentence."""
    with explain_os_errors("file.unreadable", file=name):
        if name == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            refuse_special_file(name)
            with Path(name).open("rb") as file:
                data = file.read(most + 1)
    if len(data) > most:
        raise CommandFailed("file.too-large", file=name, most=most // 1_000_000)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandFailed("file.not-text", file=name) from None


def refuse_special_file(name: str) -> None:
    """Raise CommandFailed for a pipe, a socket or a device, where a command would block or do harm."""
    # Imported late, here and below: commands that read no file start in a third of the time without the storage.
    from storage.addresses import SpecialFile, refuse_special_files

    try:
        refuse_special_files(Path(name))
    except SpecialFile:
        raise CommandFailed("storage.special-file", path=name) from None


def read_typed(text: str, read: Callable[[str], Read]) -> Read:
    """Read a text with a function; if that fails, read the text made plain.

    Mail programs and phones may have replaced signs of the file by typographic ones.
    """
    from storage.addresses import make_plain

    plain = make_plain(text)
    if plain == text:
        return read(text)
    try:
        return read(text)
    except (EngineError, ValueError):
        return read(plain)


def load_position(name: str, text: str, console: Console, game: Game | None = None) -> State:
    """Return the state of a position, as JSON in the text of a file; CommandFailed with one clear sentence."""
    try:
        position: Any = read_typed(text, json.loads)
    except (ValueError, RecursionError):
        raise CommandFailed("file.not-json", file=name) from None
    if game is None:
        key = position.get("game") if isinstance(position, dict) else None
        if not isinstance(key, str) or key not in games:
            raise CommandFailed("file.no-game", file=name, games=", ".join(games))
        game = games[key]
    try:
        return game.load(position)
    except InvalidPosition as error:
        raise CommandFailed("file.bad-position", file=name, reason=console.explain(error, game.key)) from None


def write_bytes(name: str, data: bytes) -> None:
    """Write a file, or stdout for `-`; CommandFailed with one clear sentence."""
    with explain_os_errors("file.unwritable", file=name):
        if name == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            refuse_special_file(name)
            Path(name).write_bytes(data)


def see_that_it_can_be_written(name: str) -> None:
    """Check that a file, or stdout for `-`, can be written later, without changing it; CommandFailed."""
    path = Path(name)
    if name == "-":
        return
    refuse_special_file(name)
    with explain_os_errors("file.unwritable", file=name):
        new = not path.exists()
        path.open("ab").close()
        if new:
            path.unlink()


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a function that reads an argument as a whole number between bounds."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text[:9]) <= most:
            raise CommandFailed("not-a-number", least=least, most=most)
        return int(text)

    return read


def read_host(text: str) -> str:
    """Check that an argument is the name or the address of a host, and return it; CommandFailed."""
    try:
        return check_host(text)
    except ValueError:
        raise CommandFailed("not-a-host") from None


def read_web_address(text: str) -> str:
    """Check that an argument is the address of a website without a path, and return it; CommandFailed."""
    try:
        path = split_url(check_web_url(text)).path
    except ValueError:
        path = None
    if path not in ("", "/") or "?" in text or "#" in text:
        raise CommandFailed("not-an-address")
    return text


def read_option(text: str) -> tuple[str, str]:
    """Return the name and the value of an argument of the form `name=value`; CommandFailed."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise CommandFailed("not-an-option")
    return name, value


def see_that_there_is_a_seat(name: str, seat: int | None, seats: int) -> None:
    """Check that the viewer's seat, if given, exists in a file's game; CommandFailed."""
    if seat is not None and seat >= seats:
        raise CommandFailed("file.no-seat", file=name, seat=seat, last=seats - 1)


def parse_options(game: Game, pairs: list[tuple[str, str]]) -> dict[str, str | int]:
    """Return options with the types of the game's values; unknown options stay texts."""
    result: dict[str, str | int] = {}
    for name, value in pairs:
        option = game.options.get(name)
        number = option is not None and isinstance(option.default, int) and value.isdecimal()
        result[name] = int(value) if number else value
    return result


def start_game(options: Namespace, console: Console) -> State:
    """Return the start position of the game on the command line; CommandFailed for invalid options."""
    game = games[options.game]
    try:
        return game.start(options.seats, parse_options(game, options.option))
    except InvalidOption as error:
        raise CommandFailed("bad-option", USAGE, reason=console.explain(error, game.key)) from None


GAME_ARGUMENTS: Final = (
    argument("game", choices=sorted(games), metavar="GAME"),
    argument("--seats", whole_number(2, 5), default=2, metavar="N"),
    argument("--option", read_option, action="append", default=[], metavar="NAME=VALUE"),
)
"""The arguments for a game, its number of seats and its options."""
DATA_FOLDER: Final = argument("--data-dir", Path, metavar="FOLDER")
"""The data folder. An argument with the name of a setting replaces that setting."""
