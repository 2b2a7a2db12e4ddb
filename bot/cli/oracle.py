"""`tavoliere oracle`: print what is proven about a position and about every move in it."""

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.files import load_position, read_json
from engine import State
from engine.oracle import Verdict
from engine.search.result import list_known_actions


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("position", metavar="POSITION", help=console.line("arg.oracle-position"))


def run(options: Namespace, console: Console) -> int:
    """Print the verdict on the position, then on every action, the best first."""
    state = load_position(options.position, read_json(options.position), console)
    oracle, seat = state.game.oracle, state.to_move
    if oracle is None:
        raise CommandFailed("oracle.none", USAGE, game=state.game.key)
    verdict = None if seat is None else oracle.probe(state)
    if verdict is None:
        raise CommandFailed("oracle.unknown", why=_reason_unknown(state, console))
    console.say("oracle.to-move", seat=(seat or 0) + 1, value=_value_text(verdict, seat or 0, console))
    judged = list_known_actions(state)
    width = max((len(each.action.text) for each in judged), default=0)
    for each in judged:
        value = _value_text(Verdict(each.values, each.turns), seat or 0, console)
        console.say("oracle.row", action=each.action.text.ljust(width), value=value)
    return OK


def _value_text(verdict: Verdict, seat: int, console: Console) -> str:
    value = verdict.values[seat]
    if verdict.turns is None:
        return console.line("oracle.draw" if value == 0.5 else "oracle.win" if value > 0.5 else "oracle.loss")
    return console.line("oracle.win-within" if value > 0.5 else "oracle.loss-within", n=verdict.turns)


def _reason_unknown(state: State, console: Console) -> str:
    """Return why nothing is known about the position."""
    oracle = state.game.oracle
    if state.to_move is None:
        return console.line("oracle.over")
    covered = oracle is not None and oracle.covers(state)
    return console.line("oracle.history" if covered else "oracle.not-covered")
