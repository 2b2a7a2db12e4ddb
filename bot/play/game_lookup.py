"""Which game somebody means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Row
from bot.interface.refusals import Refused
from bot.play.ratings import OVERALL_KEY
from bot.tables.table import GamePeople, Table
from engine import games
from storage import GameBrief, read_code

MAX_GAMES_OFFERED = 10

Press = Callable[[GameBrief], str]


async def resolve_game_key(context: Context, text: str) -> str:
    """Return the key of the game that somebody names; Refused if there is none, it is not installed, or several fit."""
    found = context.game_names.find(text)
    if len(found) == 1:
        return found[0]
    await check_game_installed(context, text.strip().lower())
    closest = None if found else context.game_names.closest(text)
    if closest is not None:
        meant = context.speaker(context.language).of(closest).line("name")
        raise Refused("refusal.like-a-game", name=text[:40], closest=meant)
    key = "refusal.which-game-name" if found else "refusal.unknown-game"
    names = [context.speaker(context.language).of(game).line("name") for game in (found or games)]
    raise Refused(key, name=text[:40], games=tuple(names))


async def check_game_installed(context: Context, key: str) -> None:
    """Refuse a game that is known but not installed: its package is gone, or was set aside."""
    aside = {each.source.key for each in games.set_aside} - set(games)
    if key in aside or (key not in (*games, OVERALL_KEY) and await context.store.games.is_kind_known(key)):
        raise not_installed_refusal(context, key)


def not_installed_refusal(context: Context, key: str) -> Refused:
    """Return the refusal of a game that is not installed here now."""
    names = [context.speaker(context.language).of(game).line("name") for game in games]
    return Refused("refusal.kind-not-installed", name=key, games=tuple(names))


async def load_table_by_code(context: Context, code: str, *, joining: bool = False) -> Table:
    """Return the game with a code that somebody typed; Refused if there is none, with what helps to join one or not."""
    read = read_code(code)
    if read is None:
        raise Refused("refusal.no-code.join" if joining else "refusal.no-code", code=code[:40])
    return await context.table(read)


async def open_table(context: Context, asker: RequestContext) -> Table | None:
    """Return the game whose board stands before somebody: open on the page, or answered; None where none does.

    Anybody who knows a game's code may look at it, so the person who has it open may.
    """
    request, board = asker.request, asker.request.board
    if board is not None and board.kind in ("game", "try"):
        code = read_code(board.code)
        if code is not None and await context.store.games.get(code) is not None:
            return await context.table(code)
    return await answered_table(context, asker) if request.message is not None else None


async def answered_table(context: Context, asker: RequestContext) -> Table | None:
    """Return the game that the message shows which somebody answers; None where it shows none."""
    request = asker.request
    if request.message is None:
        return None
    surface = await context.store.surfaces.find_by_message(
        request.place.platform, request.place.channel, request.message
    )
    return None if surface is None else await context.table(surface.game)


async def next_game(context: Context, table: Table) -> Table | None:
    """Return the game in which a finished one is played again; None where there is none, or it is over as well."""
    if not table.row.course.rematch:
        return None
    again = await context.table(table.row.course.rematch)
    return again if again.row.status != "over" else None


async def resolve_my_table(
    context: Context,
    asker: RequestContext,
    code: str | None,
    press: Press,
    *,
    waiting: bool = False,
    seated: bool = True,
) -> Table:
    """Return the game that somebody means: by its code, that before them, or the only one; else Refused, with buttons.

    Games in this place come before others; with `waiting` those that wait for the person come before the rest.
    Where `seated` is False, games here that others play count too. Of a board that is open or answered, the game counts
    while it is played: then what is typed never goes to another one.
    """
    if code:
        return await load_table_by_code(context, code)
    opened = await open_table(context, asker)
    if opened is not None and opened.row.status == "playing":
        return opened
    mine = [brief for brief in await context.store.games.list_for_person(asker.person.id) if brief.status == "playing"]
    if seated:
        # What is not installed nobody can mean as long as there is something else.
        mine = [brief for brief in mine if brief.game in games] or mine
    here = await context.store.games.list_in_place(asker.place.id)
    found = list_candidate_games(mine, here, waiting=waiting, seated=seated, apart=asker.place.thread is not None)
    if len(found) == 1:
        return await context.table(found[0].id)
    if not found:
        raise Refused("refusal.no-game")
    companies = await context.people_of_games(found[:MAX_GAMES_OFFERED])
    raise Refused("refusal.which-game", rows=game_choice_rows(asker, companies, press))


def list_candidate_games(
    mine: Sequence[GameBrief],
    here: Sequence[GameBrief],
    *,
    waiting: bool = False,
    seated: bool = True,
    apart: bool = False,
) -> Sequence[GameBrief]:
    """Return the games that somebody can mean, of those they play and those shown here; see `my_table`.

    `apart`: here is a thread, whose own game is meant whether it waits or not.
    """
    local = {brief.id for brief in here}
    groups: list[Sequence[GameBrief]] = [
        [brief for brief in mine if brief.waiting and brief.id in local],
        [brief for brief in mine if brief.waiting],
        [brief for brief in mine if brief.id in local],
        mine,
        [] if seated else [brief for brief in here if brief.status == "playing"],
    ]
    if not waiting:
        groups = groups[2:]
    elif apart:
        groups[1], groups[2] = groups[2], groups[1]
    return next((group for group in groups if group), [])


def game_choice_rows(asker: RequestContext, game_list: Sequence[GamePeople], press: Press) -> tuple[Row, ...]:
    """Return a button for each of several games."""
    buttons = [Button(game_label(asker, game_people)[:80], press(game_people.brief)) for game_people in game_list]
    return button_rows(buttons)


def game_label(asker: RequestContext, game_people: GamePeople) -> str:
    """Return a game in a few words, for somebody who plays in it."""
    brief, game_people = game_people.brief, game_people.in_language(asker.mine)
    others = [
        game_people.entry_name(entry)
        for entry in brief.seats
        if entry.person != asker.person.id and entry.state in ("joined", "invited")
    ]
    name = asker.mine.of(brief.game).line("name")
    return f"{name} · {', '.join(others)} · {brief.id}" if others else f"{name} · {brief.id}"
