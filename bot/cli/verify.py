"""`tavoliere verify`: did a recorded game keep the rules, and was its chance fair?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, PROBLEM, Console
from bot.cli.records import read_record, reason
from engine.record import InvalidRecord
from engine.verification import verify


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare what the subcommand takes."""
    parser.add_argument("record", metavar="FILE", help=console.line("arg.record-file"))


def run(options: Namespace, console: Console) -> int:
    """Print what was checked; return 1 where something is not as it should be."""
    record = read_record(options.record, console)
    console.say("verify.rules", n=len(record.actions))
    try:
        checked = verify(record)
    except InvalidRecord as error:
        if error.code == "no-seed":
            console.complain("verify.no-seed")
        else:
            console.complain("verify.unfair", reason=reason(error, console))
        return PROBLEM
    console.say("verify.lot", n=checked.seats)
    console.say("verify.draws", n=checked.draws)
    if record.version == 1:
        console.say("verify.without-ids")
        return OK
    console.say("verify.ids", n=checked.with_ids, all=checked.draws + (checked.seats > 0))
    if checked.nothing_new:
        console.say("verify.nothing-new", seats=", ".join(map(str, checked.nothing_new)))
    for what, n in (("verify.unnamed", checked.unnamed), ("verify.chains", checked.chains)):
        if n:
            console.say(what, n=n)
    return OK
