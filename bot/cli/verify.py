"""`tavoliere verify`: did a recorded game, or a whole competition, keep the rules, and was its chance fair?"""

from argparse import ArgumentParser, Namespace
from typing import Any

from bot.cli.console import OK, PROBLEM, Console
from bot.cli.files import read_text, read_typed
from bot.cli.records import describe_problem, read_record
from bot.competitions.events import InvalidCompetition
from bot.competitions.file import FILE_TYPES, MAX_FILE_LENGTH, CompetitionFile, CupFile, check_file
from engine.record import InvalidRecord, verify
from storage.addresses import make_plain


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("record", metavar="FILE", help=console.line("arg.verify-file"))


def run(options: Namespace, console: Console) -> int:
    """Print what was checked; return 1 if something is wrong."""
    text = read_text(options.record, most=MAX_FILE_LENGTH)
    form = next((each for each in FILE_TYPES.values() if each.matches(text) or each.matches(make_plain(text))), None)
    if form is not None:
        try:
            return _verify_competition(read_typed(text, form.read), console)
        except (InvalidCompetition, InvalidRecord) as error:
            return _print_error(error, console)
    record = read_record(options.record, console, text)
    console.say("verify.rules", n=len(record.actions))
    try:
        checked = verify(record)
    except InvalidRecord as error:
        if error.code == "no-seed":
            console.complain("verify.no-seed")
        else:
            console.complain("verify.unfair", reason=describe_problem(error, console))
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


def _verify_competition(file: CompetitionFile[Any], console: Console) -> int:
    """Print what was checked."""
    checked, cup = check_file(file), file if isinstance(file, CupFile) else None
    if cup is None:
        console.say("verify.season", n=checked.events)
    else:
        console.say("verify.cup", entrants=len(cup.replay.lots), n=len(cup.replay.rounds))
    console.say("verify.cup-games", n=checked.games)
    if checked.unseen:
        console.say("verify.cup-unseen", n=checked.unseen)
    if cup is not None and cup.seed is not None:
        console.say("verify.cup-lots", n=checked.lots)
    elif cup is not None:
        console.say("verify.cup-goes-on")
    return OK


def _print_error(error: InvalidCompetition | InvalidRecord, console: Console) -> int:
    if isinstance(error, InvalidCompetition):
        key = f"cup-file.{error.code}"
        if not console.words.has(key):
            key = "cup-file.impossible"
        said = {name: value if isinstance(value, int) else str(value) for name, value in error.params.items()}
        words = console.line(key, **{"code": error.code, **said})
        if "line" in error.params:
            words = console.line("record.at-line", line=error.params["line"], problem=words)
        console.complain("verify.cup-wrong", reason=words)
        return PROBLEM
    game = str(error.params.pop("record", ""))
    console.complain("verify.cup-game", game=game, reason=describe_problem(error, console))
    return PROBLEM
