"""`tavoliere arena`: let the levels of the computer play each other, and print the confidence of the result."""

import multiprocessing
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.files import add_game_arguments, parse_options, whole_number
from bot.thinking.thinkers import search_path
from engine import InvalidOption, games
from engine.search import LEVELS
from engine.search.contest import RANDOM_LEVEL, Bout, Played, list_bouts, play, score_interval

_WORKER_NICENESS = 10


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    add_game_arguments(parser, console)
    level = whole_number(RANDOM_LEVEL, LEVELS[-1], console)
    parser.add_argument("--level", type=level, metavar="N", help=console.line("arg.level"))
    parser.add_argument("--against", type=level, metavar="N", help=console.line("arg.against"))
    parser.add_argument(
        "--games", type=whole_number(1, 100_000, console), default=20, metavar="N", help=console.line("arg.games")
    )
    parser.add_argument("--effort", type=_share(console), default=1.0, metavar="SHARE", help=console.line("arg.effort"))
    parser.add_argument(
        "--opening", type=whole_number(0, 50, console), default=4, metavar="N", help=console.line("arg.opening")
    )
    parser.add_argument(
        "--processes",
        type=whole_number(1, 256, console),
        default=max(1, (os.cpu_count() or 2) - 1),
        metavar="N",
        help=console.line("arg.processes"),
    )
    parser.add_argument(
        "--seed", type=whole_number(0, 999_999_999, console), default=1, metavar="N", help=console.line("arg.seed")
    )


def run(options: Namespace, console: Console) -> int:
    """Play the games of each pair of levels and print every result as it comes."""
    game = games[options.game]
    chosen = parse_options(game, options.option)
    try:
        game.start(options.seats, chosen)
    except InvalidOption as error:
        raise CommandFailed("bad-option", USAGE, reason=console.explain(error, game.key)) from None
    path = search_path() if game.key in games.ours else []
    with _workers(options.processes, path) as results_of:
        for level, against in _pairs(options):
            more = {"effort": options.effort, "opening": options.opening, "seed": options.seed}
            todo = list_bouts(game.key, chosen, options.seats, level, against, options.games, **more)
            _report(results_of(todo), level, against, console)
    return OK


def _pairs(options: Namespace) -> list[tuple[int, int]]:
    """Return the two requested levels, or all neighbours."""
    if options.level is None and options.against is None:
        return [(level, level - 1) for level in LEVELS[1:]]
    if options.level is None:
        return [(min(options.against + 1, LEVELS[-1]), options.against)]
    against = options.against
    return [(options.level, max(options.level - 1, RANDOM_LEVEL) if against is None else against)]


def _report(results: Iterable[Played], level: int, against: int, console: Console) -> None:
    total, count = 0.0, 0
    for played in results:
        total += played.value
        count += 1
        console.say(
            "arena.game",
            number=count,
            level=level,
            against=against,
            seat=played.bout.seat + 1,
            value=f"{played.value:.2f}",
            reason=played.reason,
            turns=played.turns,
            score=f"{100 * total / count:.0f}",
        )
    low, high = score_interval(total / count, count)
    console.say(
        "arena.result",
        level=level,
        against=against,
        score=f"{100 * total / count:.1f}",
        low=f"{100 * low:.0f}",
        high=f"{100 * high:.0f}",
        count=count,
    )


@contextmanager
def _workers(count: int, path: list[str]) -> Iterator[Any]:
    """Yield a function that plays bouts, in `count` processes of low priority, or in this one.

    Other processes get their path from this one, with the compiled engine first if `path` names it.
    """
    if count == 1 and not path:
        yield lambda todo: map(play, todo)
        return
    context = multiprocessing.get_context("spawn")
    sys.path[:0] = path
    try:
        with context.Pool(count, initializer=_lower_priority) as pool:

            def results(todo: list[Bout]) -> Iterator[Played]:
                return pool.imap_unordered(play, todo)

            yield results
    finally:
        del sys.path[: len(path)]


def _lower_priority() -> None:
    os.nice(_WORKER_NICENESS)


def _share(console: Console) -> Any:
    """Return an argparse type for a positive number."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0.001 <= value <= 1000:
            raise ArgumentTypeError(console.line("not-a-share", text=text))
        return value

    return read
