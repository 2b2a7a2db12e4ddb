"""Presentation of a board, decided in one place: from which side, whose goals are highlighted, in which theme.

What everybody sees keeps one orientation for the whole game, seat 0 at the bottom. If only one of the players is in the
place, not counting computers, it is that player's side all the time. A setting turns boards to the player to move.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.core.context import Context
from bot.core.preferences import ORIENTATION, ORIENTATION_MOVER
from bot.core.request_context import RequestContext
from bot.entry.choices import Question
from bot.pictures.artist import BoardView, choose_theme
from bot.tables.table import Table
from render.marks import Choices, Hint
from storage import Person, PlaceRow, PlayersHere


async def shared_view(context: Context, table: Table, place: PlaceRow, here: PlayersHere | None = None) -> BoardView:
    """Return the view of a board for everybody in a place, with the choices of its question.

    `here` are the players who were ever seen there, if that was read with the place.
    """
    wide = context.shows_small_pictures(place.platform)
    view = BoardView(theme=choose_theme(place.effective), wide=wide, choices=_first_choices(table))
    only = await _only_player(context, table, place, here)
    return _orient_view(view, table, only, turns=_turns_with_mover(place))


async def private_view(
    context: Context,
    asker: RequestContext,
    table: Table,
    *,
    choices: Choices | None = None,
    hint: Hint | None = None,
    still: bool = False,
) -> BoardView:
    """Return the view of a board shown to one person only: turned like the board of the place.

    Where everybody gets their own drawing (`Context.draws_for_readers`), it is from their own side. `still`: True to
    ignore the mover, since it is not (only) the current position.
    """
    place, seat = asker.place, table.seat_of(asker.person.id)
    view = BoardView(
        choices=choices,
        hint=hint,
        theme=choose_theme(asker.person.settings, place.effective),
        wide=context.shows_small_pictures(place.platform),
        reader=seat,
    )
    if context.draws_for_readers(place.platform):
        turns = asker.person.settings.get(ORIENTATION) == ORIENTATION_MOVER and not still
        return _orient_view(view, table, seat, turns=turns)
    seen = _orient_view(
        view, table, await _only_player(context, table, place), turns=_turns_with_mover(place) and not still
    )
    return seen if seat is None else replace(seen, goals_of=seat)


def reader_view(
    table: Table, person: Person | None, *, wide: bool = False, theme: str = "", side: int | None = None
) -> BoardView:
    """Return the view of a board drawn for one reader: from their own side, in their theme.

    `person` is None for an unknown reader; `theme` is for a reader without a chosen theme. `side` is the seat to whose
    side they have turned the board. Their last turn decides what
    is marked as new, and must be passed to `board_card` as well (`BoardView.reader`).
    """
    settings: Mapping[str, Any] = person.settings if person is not None else {}
    seat = table.seat_of(person.id) if person is not None else None
    shown = choose_theme(settings, {"theme": theme})
    view = BoardView(theme=shown, wide=wide, reader=seat)
    if seat is not None and seat == table.mover:
        view = replace(view, choices=_first_choices(table))
    if side is not None and side < table.row.seat_count:
        return replace(view, viewer=side, goals_of=_mover_or_last(table) if seat is None else seat)
    return _orient_view(view, table, seat, turns=settings.get(ORIENTATION) == ORIENTATION_MOVER)


def _orient_view(view: BoardView, table: Table, only: int | None, *, turns: bool) -> BoardView:
    """Return a view turned to the only player in the place, or as if several are."""
    mover = _mover_or_last(table)
    if turns:
        return replace(view, viewer=mover, goals_of=mover)
    if only is not None:
        return replace(view, viewer=only, goals_of=only)
    return replace(view, viewer=0, goals_of=mover)


def _mover_or_last(table: Table) -> int:
    """Return the seat to move; at the end that of the last turn, so that the board does not turn again."""
    if table.mover is not None:
        return table.mover
    shown = table.playing.shown_turn
    return max(0, shown.seat) if shown is not None else 0


def _turns_with_mover(place: PlaceRow) -> bool:
    """Return True if boards turn with the mover in a place: by its setting, in private otherwise by its person's."""
    chosen = place.effective.get(ORIENTATION) or place.settings.get(f"own_{ORIENTATION}")
    return bool(chosen == ORIENTATION_MOVER)


async def _only_player(context: Context, table: Table, place: PlaceRow, known: PlayersHere | None = None) -> int | None:
    """Return the seat of the only player of a game who is in a place, None if several are, or none."""
    seats = {
        entry.person: entry.seat for entry in table.row.seats if entry.person is not None and entry.seat is not None
    }
    if known is not None and known.number > 1:
        return None
    if len(seats) < 2:
        here = set(seats)
    elif known is not None:
        here = {known.one} if known.one in seats else set()
    else:
        here = await context.store.places.filter_seen(place.id, seats)
    here |= {team.id for team in table.teams if team.team_place == place.id}
    return seats[next(iter(here))] if len(here) == 1 else None


def _first_choices(table: Table) -> Choices | None:
    """Return the first choices of the person to move, None if nobody is asked."""
    if table.mover is None or table.level_at(table.mover) is not None or table.team_at(table.mover) is not None:
        return None
    asked = table.playing.ask()
    return asked.selectable_cells if isinstance(asked, Question) else None
