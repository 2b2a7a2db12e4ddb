"""`tavoliere games`: all games, where each comes from, what it lacks, and which are set aside."""

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, Console
from engine.games import games


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments: none."""


def run(_options: Namespace, console: Console) -> int:
    """Print every game in display order, then those that are set aside."""
    for key in games:
        _print_game(key, console)
    if games.set_aside:
        from bot.cli.installed_games import game_origin, set_aside_reason

        console.put()
        console.say("games.set-aside", n=len(games.set_aside))
        for aside in games.set_aside:
            reason = set_aside_reason(aside, console.texts, console.language)
            console.say("games.aside", key=aside.source.key, package=game_origin(aside.source), reason=reason)
    return OK


def _print_game(key: str, console: Console) -> None:
    # Imported here, so that the other subcommands start quickly.
    from bot.cli.installed_games import game_origin, list_languages, list_parts

    game, source = games[key], games.source(key)
    voice = console.texts.speaker(console.language)
    ours = source.package is None
    where = console.line("games.ours") if ours else console.line("games.package", package=game_origin(source))
    least, most = game.seats[0], game.seats[-1]
    seats = console.line("games.seats-only" if least == most else "games.seats", n=most, least=least)
    name = voice.of(key).line("name")
    console.say("games.game", key=key, name=name, where=where, version=game.rules_version, seats=seats)
    there, missing = list[str](), list[str]()
    for part, has in list_parts(key).items():
        (there if has else missing).append(console.line(f"games.part.{part}"))
    console.say("games.there", parts=", ".join(there), languages=", ".join(list_languages(key)))
    if missing:
        console.say("games.missing", parts=", ".join(missing))
