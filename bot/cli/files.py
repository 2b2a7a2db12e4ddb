"""Reading and writing files, and argument types, for the command line."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from bot.cli.console import CommandFailed, Console
from bot.kernel.operations.settings import check_host, check_web_url, split_url
from engine import EngineError, Game, InvalidPosition, State, games

MAX_INPUT_BYTES = 4_000_000

Read = TypeVar("Read")


def read_text(name: str, most: int = MAX_INPUT_BYTES) -> str:
    """Return the text of a file, or of stdin for `-`; CommandFailed with one clear sentence."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            refuse_special_file(name)
            with Path(name).open("rb") as file:
                data = file.read(most + 1)
    except OSError as error:
        raise CommandFailed("file.unreadable", file=name, reason=error.strerror or str(error)) from None
    if len(data) > most:
        raise CommandFailed("file.too-large", file=name, most=most // 1_000_000)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandFailed("file.not-text", file=name) from None


def refuse_special_file(name: str) -> None:
    """Raise CommandFailed for a pipe, a socket or a device, at which a command would wait or do harm."""
    # Here and below: commands that read no file start in a third of the time without the storage.
    from storage.addresses import SpecialFile, refuse_special_files

    try:
        refuse_special_files(Path(name))
    except SpecialFile:
        raise CommandFailed("storage.special-file", path=name) from None


def read_json(name: str) -> Any:
    """Return the JSON in a file; CommandFailed with one clear sentence."""
    return parse_json(name, read_text(name))


def parse_json(name: str, text: str) -> Any:
    """Return the JSON in a text from a file; CommandFailed with one clear sentence."""
    try:
        return read_typed(text, json.loads)
    except (ValueError, RecursionError):
        raise CommandFailed("file.not-json", file=name) from None


def read_typed(text: str, read: Callable[[str], Read]) -> Read:
    """Return what a function reads in a text, or in the same text made plain where it cannot read that.

    A mail or a phone may have put other signs in place of those of a file.
    """
    from storage.addresses import make_plain

    plain = make_plain(text)
    if plain == text:
        return read(text)
    try:
        return read(text)
    except (EngineError, ValueError):
        return read(plain)


def load_position(name: str, position: Any, console: Console, game: Game | None = None) -> State:
    """Return the state of a position's JSON; CommandFailed with one clear sentence."""
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
    try:
        if name == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            refuse_special_file(name)
            Path(name).write_bytes(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandFailed("file.unwritable", file=name, reason=error.strerror or str(error)) from None


def see_that_it_can_be_written(name: str) -> None:
    """Check that a file, or stdout for `-`, can be written later, and leave it as it is; CommandFailed."""
    path = Path(name)
    if name == "-":
        return
    refuse_special_file(name)
    try:
        new = not path.exists()
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise CommandFailed("file.unwritable", file=name, reason=error.strerror or str(error)) from None


def whole_number(least: int, most: int, console: Console) -> Any:
    """Return an argparse type for a whole number between bounds."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text[:9]) <= most:
            raise ArgumentTypeError(console.line("not-a-number", text=text, least=least, most=most))
        return int(text)

    return read


def host_name(console: Console) -> Any:
    """Return an argparse type for the name or the address of a host."""

    def read(text: str) -> str:
        try:
            return check_host(text)
        except ValueError:
            raise ArgumentTypeError(console.line("not-a-host", text=text)) from None

    return read


def web_address(console: Console) -> Any:
    """Return an argparse type for the address of a page, which has no path."""

    def read(text: str) -> str:
        try:
            parts = split_url(check_web_url(text))
        except ValueError:
            parts = None
        if parts is None or parts.path not in ("", "/") or "?" in text or "#" in text:
            raise ArgumentTypeError(console.line("not-an-address", text=text))
        return text

    return read


def see_that_there_is_a_seat(name: str, seat: int | None, seats: int) -> None:
    """Check that the viewer, if there is one, has a seat at a file's table; CommandFailed."""
    if seat is not None and seat >= seats:
        raise CommandFailed("file.no-seat", file=name, seat=seat, last=seats - 1)


def option_pair(console: Console) -> Any:
    """Return an argparse type for `name=value`."""

    def read(text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise ArgumentTypeError(console.line("not-an-option", text=text))
        return name, value

    return read


def parse_options(game: Game, pairs: list[tuple[str, str]]) -> dict[str, str | int]:
    """Return options with the types of the game's values (unknown ones stay texts)."""
    result: dict[str, str | int] = {}
    for name, value in pairs:
        option = game.options.get(name)
        number = option is not None and isinstance(option.default, int) and value.isdecimal()
        result[name] = int(value) if number else value
    return result


def add_game_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the game, its number of seats and its options."""
    every = ", ".join(games)
    parser.add_argument("game", choices=sorted(games), metavar="GAME", help=console.line("arg.game", games=every))
    parser.add_argument(
        "--seats", type=whole_number(2, 5, console), default=2, metavar="N", help=console.line("arg.seats")
    )
    parser.add_argument(
        "--option",
        action="append",
        type=option_pair(console),
        default=[],
        metavar="NAME=VALUE",
        help=console.line("arg.option"),
    )
