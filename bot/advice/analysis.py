"""Computer analysis of a finished game: how the chances went, and which turns could have been better."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.advice.analysis_cards import (
    analysis_card,
    chances_alt,
    moment_card,
    position_of_moment,
)
from bot.advice.chances import chances_course
from bot.core.context import Context
from bot.core.question_cards import with_alt_prefix
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Text
from bot.pictures.artist import choose_theme
from bot.pictures.hint_marks import hint_marks
from bot.play.game_lookup import last_played_table, load_table_by_code, open_table
from bot.play.records import turns_of
from bot.play.replaying import line_of_play
from bot.play.views import private_view
from bot.tables.line import read_actions
from bot.tables.table import Table
from bot.teams.past_rounds import passed_over_words, proposed_alternatives, read_past_votes
from bot.thinking.advice import analysis_search
from bot.thinking.analysis import Alternative, Analysis, read_analysis
from engine import Turn
from render.chances import draw_chances


async def analyse(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Show how the chances of a finished game went. Without a code: the last one here, else the asker's last."""
    return await show_analysis(context, asker, await _resolve_table(context, asker, values.get("code")))


async def press_analysed(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that checks whether an analysis is done, or leads back to it."""
    return replace(await show_analysis(context, asker, await context.table(pressed.game or "")), update=True)


async def press_better(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a decisive turn: show the board with the better move marked."""
    table = await context.table(pressed.game or "")
    found = read_analysis(await context.store.analyses.get(table.row.id))
    at = int(pressed.rest) if pressed.rest.isdecimal() else -1
    if found is None or not 0 <= at < len(found.moments):
        raise Refused("refusal.stale")
    turns = await turns_of(context, table)
    choice = found.moments[at]
    table = table.in_language(asker.mine)
    state, shown = position_of_moment(turns, choice)
    card = moment_card(table, found, at, turns, asker.mine)
    hint = hint_marks(state, read_actions(state, choice.better))
    view = await private_view(context, asker, table, hint=hint, still=True)
    # Spectators see the goals of the seat that moved.
    view = view if view.reader is not None else replace(view, goals_of=choice.seat)
    picture = await context.artist.scene(state, shown, asker.mine.of(table.row.game), view, table.names)
    return Reply(replace(card, picture=with_alt_prefix(picture, card.text)), private=True, update=True)


async def show_analysis(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Show the analysis of a finished game and start it if there is none; Refused if the game is not over."""
    if table.row.status != "over":
        raise Refused("refusal.not-over-yet")
    async with context.person_queue.turn(asker.person.id):
        return await _analysis_reply(context, asker, table)


async def _analysis_reply(context: Context, asker: RequestContext, table: Table) -> Reply:
    row = table.row
    turns = await turns_of(context, table) if table.line is not None else []
    if not turns:
        raise Refused("refusal.nothing-to-analyse")
    found, past = read_analysis(await context.store.analyses.get(row.id)), await read_past_votes(context, table)
    if found is None:
        store, alternatives = partial(_store_analysis, context, row.id), list[Alternative]()
        if past.rounds:
            played = line_of_play(await context.store.games.events(row.id))
            alternatives = proposed_alternatives(past, turns, played)
        found = await context.advice.analysis(row.id, turns, asker.person.id, store, alternatives)
    if found is None:
        return Reply(_waiting_reply(context, asker, table), private=True)
    closing = passed_over_words(past, asker.mine.of(row.game), table, found.best_alternative)
    return Reply(await _moment_reply(context, asker, table, found, turns, closing), private=True)


async def _store_analysis(context: Context, game: str, found: Analysis) -> None:
    await context.store.analyses.store(game, found.to_json(), context.clock())
    context.signals.wake("analysis")


def _waiting_reply(context: Context, asker: RequestContext, table: Table) -> Card:
    search = analysis_search(table.row.id)
    done, total = context.advice.progress(search)
    words = asker.mine.say("analysis.thinking", done=done, total=total)
    look = Button(asker.mine.line("button.look"), press("analysed", table.row.id), "primary")
    return Card(words, rows=((look,),), search=search)


async def _moment_reply(
    context: Context, asker: RequestContext, table: Table, found: Analysis, turns: list[Turn], closing: Text
) -> Card:
    speaker, table = asker.mine, table.in_language(asker.mine)
    course = chances_course(found, turns)
    title = speaker.line("analysis.picture", game=speaker.of(table.row.game).line("name"))
    theme = choose_theme(asker.person.settings, asker.place.effective)
    drawing = partial(draw_chances, title, table.names, course.points, course.marks, theme, table.row.game)
    picture = await context.artist.chart(
        partial(drawing, course.seat_pieces, course.turns),
        chances_alt(table, found.points, speaker),
        f"{table.row.game}-{table.row.id}-chances.png",
    )
    return replace(analysis_card(table, found, turns, speaker, asker.person.id, closing=closing), picture=picture)


async def _resolve_table(context: Context, asker: RequestContext, code: str | None) -> Table:
    if code:
        return await load_table_by_code(context, asker, code)
    opened = await open_table(context, asker)
    if opened is not None and opened.row.status == "over":
        return opened
    last = await context.store.games.last_finished_in(asker.place.id)
    return await last_played_table(context, asker) if last is None else await context.table(last)
