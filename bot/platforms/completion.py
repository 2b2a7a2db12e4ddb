"""Completions for the parameters of commands."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from bot.boards.open_boards import find_current, find_open
from bot.boards.puzzles.daily import TIMEZONE_SETTING
from bot.kernel.commandline import MAX_COMPLETION_LENGTH, MAX_COMPLETIONS, Parameter, complete_moves
from bot.kernel.context import Context
from bot.kernel.features import Command
from bot.kernel.forms import Values
from bot.kernel.names import fold_text
from bot.kernel.permissions import may_manage
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Completion
from bot.kernel.texts import shorten
from bot.kernel.time_zones import list_time_zones, load_time_zone, read_time_zone
from bot.lobby.cards import clock_name
from bot.lobby.form import CLOCK
from bot.lobby.teams.commands import takes_text
from bot.table.clocks import parse_time_control
from bot.table.game_lookup import game_label, resolve_my_table
from engine import State, games
from storage import GameBrief

MOVE_COMMAND: Final = "move"
"""The command for moves in games, lessons and puzzles."""


async def complete(
    context: Context, requester: RequestContext, command: Command, parameter: str, values: Values
) -> list[Completion]:
    """Return at most 25 completions for a parameter; KeyError if the command has no such parameter."""
    known = {known.name: known for known in command.parameters}[parameter]
    if command.managed and not await may_manage(context, requester):
        return []
    found = await _list_completions(context, requester, command, known, values)
    return [Completion(shorten(each.label, MAX_COMPLETION_LENGTH), each.value) for each in found[:MAX_COMPLETIONS]]


async def _list_completions(
    context: Context, requester: RequestContext, command: Command, known: Parameter, values: Values
) -> list[Completion]:
    """Return the completions that match the typed text, the best first."""
    typed = values.get(known.name, "")
    if known.kind == "game":
        return _filter_matching([Completion(requester.speaker.game_name(key), key) for key in games], typed)
    if known.kind == "option":
        return _complete_option(context, requester, known.name, values.get("game", ""), typed)
    if known.kind == "mygame":
        return _filter_matching(await _complete_my_games(context, requester), typed)
    if known.name == TIMEZONE_SETTING:
        return _complete_time_zones(context, requester, typed)
    if known.kind == "text" and not known.choices:
        return _filter_matching(await _complete_codes(context, requester, command.name), typed)
    if known.kind == "move":
        # Other commands try moves on a separate board.
        is_move = command.name == MOVE_COMMAND
        state = await _load_position(context, requester, values.get("game")) if is_move else None
        return [] if state is None else complete_moves(state, typed)
    if known.name == CLOCK:
        return _complete_clocks(requester, typed, known.choices)
    return [Completion(choice, choice) for choice in known.choices if choice.startswith(typed.lower())]


def _complete_clocks(requester: RequestContext, typed: str, names: Sequence[str]) -> list[Completion]:
    """Return the clocks that match the typed text, after the typed clock itself if it is not among them."""
    known = [parse_time_control(name) for name in names]
    found = _filter_matching([Completion(clock_name(requester.speaker, each), each.name) for each in known], typed)
    with suppress(Refused):
        own = parse_time_control(typed)
        if typed.strip() and own not in known:
            found.insert(0, Completion(clock_name(requester.speaker, own), own.name))
    return found


async def _load_position(context: Context, requester: RequestContext, code: str | None) -> State | None:
    """Return the position in which a typed move would be played; None if it is not the requester's turn."""
    board = requester.request.board
    if not code and board is not None and board.kind != "game":
        # Beside lines that are tried out there are no completions: finding the position there takes long.
        opened = await find_open(context, requester) if board.kind != "try" else None
        return opened.line.state if opened is not None and opened.asks else None
    if not code and board is None:
        briefs = await context.store.games.list_for_person(requester.id)
        used = await find_current(context, requester, [each for each in briefs if each.is_playing and each.waiting])
        if used is not None and used.asks:
            return used.line.state
    table = await resolve_my_table(context, requester, code, MOVE_COMMAND, waiting=True, voting=True)
    seat = table.seat_of(requester.id)
    may_move = takes_text(table, requester) if seat is None else seat == table.mover
    return table.playing.state if may_move else None


def _complete_option(context: Context, requester: RequestContext, name: str, game: str, typed: str) -> list[Completion]:
    """Return the values of an option that match the typed text, each with its meaning."""
    wanted = fold_text(typed)
    meant = context.game_names.find(game) or tuple(games)
    found: dict[str, dict[str, list[str]]] = {}
    for key in meant:
        option = games[key].options.get(name)
        voice = requester.speaker.of(key)
        for value in option.values if option else ():
            word, about = voice.word(f"option.{name}", value), f"option.{name}.{value}.about"
            if wanted not in fold_text(word) and wanted not in fold_text(str(value)):
                continue
            meaning = f": {voice.line(about)}" if voice.has(about) else ""
            found.setdefault(str(value), {}).setdefault(word + meaning, []).append(voice.game_name())
    return [Completion(_describe_value(requester, said), value) for value, said in found.items()]


def _describe_value(requester: RequestContext, said: Mapping[str, Sequence[str]]) -> str:
    """Return the meaning of a value, with the names of the games where the meanings differ."""
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(
        requester.speaker.line("parameter.option", option=meaning, games=requester.speaker.listing(names))
        for meaning, names in said.items()
    )


async def _complete_my_games(context: Context, requester: RequestContext) -> list[Completion]:
    games_of_store = context.store.games
    briefs = [brief for brief in await games_of_store.list_for_person(requester.id) if brief.is_playing]
    here = {brief.id for brief in await games_of_store.list_in_place(requester.place.id)}
    return await _complete_games(context, requester, sorted(briefs, key=lambda brief: brief.id not in here))


async def _complete_games(context: Context, requester: RequestContext, briefs: Sequence[GameBrief]) -> list[Completion]:
    """Return games as completions, each with its people."""
    listed = await context.people_of_games(briefs[:MAX_COMPLETIONS])
    return [Completion(game_label(requester, each), each.brief.id) for each in listed]


async def _complete_codes(context: Context, requester: RequestContext, command: str) -> list[Completion]:
    """Return the games whose codes a command accepts: lobbies to join, or running and finished games to see."""
    if command == "join":
        lobbies = await context.store.games.list_in_place(requester.place.id, status="lobby")
        return await _complete_games(context, requester, lobbies)
    if command not in ("replay", "export"):
        return []
    found = {item.value: item for item in await _complete_my_games(context, requester)}
    for result in reversed(await context.store.ratings.results_of_person(requester.id, limit=MAX_COMPLETIONS)):
        name = requester.speaker.game_name(result.game_key)
        found.setdefault(result.game, Completion(f"{name} · {result.game}", result.game))
    return list(found.values())


def _complete_time_zones(context: Context, requester: RequestContext, typed: str) -> list[Completion]:
    """Return the time zones that match the typed text, with the time there; the one that it names comes first."""
    wanted, meant = fold_text(typed), read_time_zone(typed)
    zones = dict(list_time_zones(requester.speaker.language))
    begun = [name for name, city in zones.items() if fold_text(city).startswith(wanted)]
    others = [name for name, city in zones.items() if wanted in fold_text(city) or wanted in fold_text(name)]
    names = dict.fromkeys([*([meant] if meant else []), *(begun if wanted else ()), *others])
    now = context.clock()
    return [
        Completion(f"{zones.get(name, name)} – {name} – {now.astimezone(load_time_zone(name)):%H:%M}", name)
        for name in [*names][:MAX_COMPLETIONS]
    ]


def _filter_matching(offered: Sequence[Completion], typed: str) -> list[Completion]:
    wanted = fold_text(typed)
    return [item for item in offered if wanted in fold_text(item.label) or wanted in fold_text(item.value)]
