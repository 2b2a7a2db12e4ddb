"""Competitions as files, with the records of their games."""

import hmac
from collections.abc import Callable
from datetime import timedelta
from functools import cache

from bot.competitions.file import CupFile
from engine.fair import hash_seed
from engine.games import games
from engine.record import Joining, Record
from tests.competitions.playing import BEGAN, GAME, SEED, Played, make_terms


def record_of(name: str, places: tuple[int, ...], code: str = "ABCDEF", slot: str = "1.0.0") -> str:
    """Return the record of a game in which all but the winner left, or all agreed on a draw."""
    drawn = places.count(1) > 1
    actions = (
        () if drawn else tuple(f"drop {seat}" for seat in sorted(range(len(places)), key=lambda at: -places[at])[:-1])
    )
    seed = hmac.digest(bytes.fromhex(SEED), f"{code} game {slot}".encode(), "sha256").hex()
    joined = tuple(Joining(f"web:{name}-{seat}", seat) for seat in range(len(places)))
    return Record(
        game=GAME,
        game_id=name,
        rules_version=games[GAME].rules_version,
        options={option: each.default for option, each in games[GAME].options.items()},
        names=tuple(f"Player {seat}" for seat in range(len(places))),
        actions=actions,
        joined=joined,
        seed_hash=hash_seed(seed),
        seed=seed,
        result="agreement" if drawn else None,
        cup=code,
    ).to_text()


def file_of(played: Played, names: Callable[[int], str] = "Entrant {}".format) -> CupFile:
    """Return a competition as a file, each event an hour after the one before it, with the records of all its games."""
    over = played.state.stage == "over"
    records = {
        game.id: record_of(game.id, game.places, slot=f"{number}.{board}.{at}")
        for number, board, at, game in played.state.games()
        if game.id and game.places
    }
    events = tuple((BEGAN + timedelta(hours=at), event) for at, event in enumerate(played.events))
    entrants = sorted(played.state.entrants)
    return CupFile({number: names(number) for number in entrants}, events, SEED if over else None, records)


@cache
def play_whole_cup(form: str) -> CupFile:
    """Return a competition of six, with a draw in its first round, played to its end."""
    played = Played.begun(make_terms(form, 6), 6, {0: 1200, 3: 1300})
    played.go_on()
    played.end(played.waiting()[0], (1, 1))
    played.win_by()
    return file_of(played)


FORMS = ("all", "twice", "swiss", "knockout")
