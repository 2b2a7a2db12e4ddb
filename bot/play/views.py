"""How a board is looked at, decided in one place: from whose side, whose goals stand out, in which theme.

What all see keeps one orientation for the whole game, seat 0 at the bottom. Where only one of the players is, computers
not counted, it is that player's side all the time. A setting turns boards to the player to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.core.context import Context
from bot.core.preferences import ORIENTATION, ORIENTATION_MOVER
from bot.core.request_context import RequestContext
from bot.entry.choices import Question, next_question
from bot.pictures.artist import BoardView, choose_theme
from bot.tables.table import Table
from render.marks import Choices, Hint
from storage import Person, PlaceRow


async def shared_view(context: Context, table: Table, place: PlaceRow) -> BoardView:
    """Return how all in a place look at a board, with what can be chosen where it asks somebody."""
    wide = context.shows_small_pictures(place.platform)
    view = BoardView(theme=choose_theme(place.effective), wide=wide, choices=_first_choices(table))
    return _orient_view(view, table, await _only_player(context, table, place), turns=_turns(place))


async def private_view(
    context: Context,
    asker: RequestContext,
    table: Table,
    *,
    choices: Choices | None = None,
    hint: Hint | None = None,
    still: bool = False,
) -> BoardView:
    """Return how somebody looks at a board that is shown to them alone: turned as the board of the place is.

    Where everybody is drawn their own board (`Context.draws_for_readers`), that is from their own side.
    `still`: it turns with nobody, since it is not (only) the position as it is.
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
    seen = _orient_view(view, table, await _only_player(context, table, place), turns=_turns(place) and not still)
    return seen if seat is None else replace(seen, goals_of=seat)


def reader_view(table: Table, person: Person | None, *, wide: bool = False, theme: str = "") -> BoardView:
    """Return how one reader looks at a board that is drawn for them: from their own side, in their theme.

    None is somebody whom nobody knows, or a choice of theme for somebody who has none. Their last turn decides what
    is marked as new, and is to be given to `board_card` as well (`View.reader`).
    """
    settings: Mapping[str, Any] = person.settings if person is not None else {}
    seat = table.seat_of(person.id) if person is not None else None
    shown = choose_theme(settings, {"theme": theme})
    view = BoardView(theme=shown, wide=wide, reader=seat)
    if seat is not None and seat == table.mover:
        view = replace(view, choices=_first_choices(table))
    return _orient_view(view, table, seat, turns=settings.get(ORIENTATION) == ORIENTATION_MOVER)


def _orient_view(view: BoardView, table: Table, only: int | None, *, turns: bool) -> BoardView:
    """Return a view from the side that it has where only one of the players is, or several are."""
    mover = _mover(table)
    if turns:
        return replace(view, viewer=mover, goals_of=mover)
    if only is not None:
        return replace(view, viewer=only, goals_of=only)
    return replace(view, viewer=0, goals_of=mover)


def _mover(table: Table) -> int:
    """Return the seat to move; at the end that of the last turn, so that nothing turns once more."""
    if table.mover is not None:
        return table.mover
    shown = table.playing.shown_turn
    return max(0, shown.seat) if shown is not None else 0


def _turns(place: PlaceRow) -> bool:
    """Say whether boards turn with the mover in a place: as is set there, in private else as its person has chosen."""
    chosen = place.effective.get(ORIENTATION) or place.settings.get(f"own_{ORIENTATION}")
    return bool(chosen == ORIENTATION_MOVER)


async def _only_player(context: Context, table: Table, place: PlaceRow) -> int | None:
    """Return the seat of the only one of a game's players who is in a place, None where several are, or none."""
    seats = {
        entry.person: entry.seat for entry in table.row.seats if entry.person is not None and entry.seat is not None
    }
    here = set(seats) if len(seats) < 2 else await context.store.places.filter_seen(place.id, seats)
    here |= {team.id for team in table.teams if team.team_place == place.id}
    return seats[next(iter(here))] if len(here) == 1 else None


def _first_choices(table: Table) -> Choices | None:
    """Return what can be chosen first by the person to move, None where nobody is asked."""
    if table.mover is None or table.level_at(table.mover) is not None or table.team_at(table.mover) is not None:
        return None
    state = table.playing.state
    asked = next_question(state.game.facts, state.legal_actions())
    return asked.selectable_cells if isinstance(asked, Question) else None
