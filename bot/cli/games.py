"""The subcommands about games: `games`, `perft`, `oracle` and `arena`."""

import multiprocessing
import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from bot.cli.console import OK, USAGE, CommandFailed, Console, Subcommand, argument
from bot.cli.files import GAME_ARGUMENTS, load_position, parse_options, read_text, start_game, whole_number
from bot.cli.installed_games import game_origin, list_languages, list_parts, set_aside_reason
from bot.thinking.thinkers import search_path
from engine import CHANCE, games
from engine.oracle import Verdict
from engine.perft import perft
from engine.search import LEVELS
from engine.search.contest import RANDOM_LEVEL, Bout, Played, list_bouts, play, score_interval
from engine.search.result import list_known_actions

_WORKER_NICENESS: Final = 10


def _list_games(_options: Namespace, console: Console) -> int:
    """Print every game in display order, with its origin and its missing parts; then the games that are set aside."""
    for key in games:
        _print_game(key, console)
    if games.set_aside:
        console.put()
        console.say("games.set-aside", n=len(games.set_aside))
        for aside in games.set_aside:
            reason = set_aside_reason(aside, console.speaker)
            console.say("games.aside", key=aside.source.key, package=game_origin(aside.source), reason=reason)
    return OK


def _print_game(key: str, console: Console) -> None:
    game, source = games[key], games.source(key)
    ours = source.package is None
    where = console.line("games.ours") if ours else console.line("games.package", package=game_origin(source))
    least, most = game.seats[0], game.seats[-1]
    seats = console.line("games.seats-only" if least == most else "games.seats", n=most, least=least)
    name = console.speaker.game_name(key)
    console.say("games.game", key=key, name=name, where=where, version=game.rules_version, seats=seats)
    there, missing = list[str](), list[str]()
    for part, has in list_parts(key).items():
        (there if has else missing).append(console.line(f"games.part.{part}"))
    console.say("games.there", parts=", ".join(there), languages=", ".join(list_languages(key)))
    if missing:
        console.say("games.missing", parts=", ".join(missing))


def _count_turns(options: Namespace, console: Console) -> int:
    """Print the number of turn sequences at every depth up to a maximum, to compare rules with other programs."""
    name = options.position
    state = (
        start_game(options, console)
        if name is None
        else load_position(name, read_text(name), console, games[options.game])
    )
    if state.to_move == CHANCE:
        console.complain("perft.chance")
        return USAGE
    for depth in range(1, options.depth + 1):
        started = time.perf_counter()
        count = perft(state, depth)
        console.say("perft.row", depth=depth, count=count, seconds=f"{time.perf_counter() - started:.2f}")
    return OK


def _ask_oracle(options: Namespace, console: Console) -> int:
    """Print the proven value of a position, then of every action in it, best first."""
    state = load_position(options.position, read_text(options.position), console)
    oracle, seat = state.game.oracle, state.to_move or 0
    if oracle is None:
        raise CommandFailed("oracle.none", USAGE, game=state.game.key)
    verdict = None if state.to_move is None else oracle.probe(state)
    if verdict is None:
        why = "over" if state.to_move is None else "history" if oracle.covers(state) else "not-covered"
        raise CommandFailed("oracle.unknown", why=console.line(f"oracle.{why}"))
    console.say("oracle.to-move", seat=seat + 1, value=_value_text(verdict, seat, console))
    judged = list_known_actions(state)
    width = max((len(each.action.text) for each in judged), default=0)
    for each in judged:
        value = _value_text(Verdict(each.values, each.turns), seat, console)
        console.say("oracle.row", action=each.action.text.ljust(width), value=value)
    return OK


def _value_text(verdict: Verdict, seat: int, console: Console) -> str:
    value = verdict.values[seat]
    if verdict.turns is None:
        return console.line("oracle.draw" if value == 0.5 else "oracle.win" if value > 0.5 else "oracle.loss")
    return console.line("oracle.win-within" if value > 0.5 else "oracle.loss-within", n=verdict.turns)


def _play_arena(options: Namespace, console: Console) -> int:
    """Let levels of the computer play each other; print every result, and the score with its confidence interval."""
    start_game(options, console)
    key, chosen = options.game, parse_options(games[options.game], options.option)
    with _workers(options.processes, search_path() if key in games.ours else []) as play_all:
        for level, against in _pairs(options):
            more = {"effort": options.effort, "opening": options.opening, "seed": options.seed}
            todo = list_bouts(key, chosen, options.seats, level, against, options.games, **more)
            _report(play_all(todo), level, against, console)
    return OK


def _pairs(options: Namespace) -> list[tuple[int, int]]:
    """Return the requested pair of levels, or all pairs of adjacent levels."""
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
def _workers(count: int, path: list[str]) -> Iterator[Callable[[Sequence[Bout]], Iterable[Played]]]:
    """Yield a function that plays bouts, in `count` processes of low priority, or in this process.

    The processes inherit `sys.path`, with `path`, the location of the compiled engine, first.
    """
    if count == 1 and not path:
        yield lambda todo: map(play, todo)
        return
    context = multiprocessing.get_context("spawn")
    sys.path[:0] = path
    try:
        with context.Pool(count, initializer=os.nice, initargs=(_WORKER_NICENESS,)) as pool:
            yield lambda todo: pool.imap_unordered(play, todo)
    finally:
        del sys.path[: len(path)]


def _read_share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.001 <= value <= 1000:
        raise CommandFailed("not-a-share")
    return value


_LEVEL: Final = whole_number(RANDOM_LEVEL, LEVELS[-1])
SUBCOMMANDS: Final = {
    "games": Subcommand(_list_games),
    "perft": Subcommand(
        _count_turns,
        (
            *GAME_ARGUMENTS,
            argument("--depth", whole_number(1, 20), default=1, metavar="N"),
            argument("--position", metavar="FILE"),
        ),
    ),
    "oracle": Subcommand(_ask_oracle, (argument("position", about="oracle-position", metavar="POSITION"),)),
    "arena": Subcommand(
        _play_arena,
        (
            *GAME_ARGUMENTS,
            argument("--level", _LEVEL, metavar="N"),
            argument("--against", _LEVEL, metavar="N"),
            argument("--games", whole_number(1, 100_000), default=20, metavar="N"),
            argument("--effort", _read_share, default=1.0, metavar="SHARE"),
            argument("--opening", whole_number(0, 50), default=4, metavar="N"),
            argument("--processes", whole_number(1, 256), default=max(1, (os.cpu_count() or 2) - 1), metavar="N"),
            argument("--seed", whole_number(0, 999_999_999), default=1, metavar="N"),
        ),
    ),
}
