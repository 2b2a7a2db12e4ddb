"""The cards of the computer analysis of a finished game: the course of the chances, and turns that cost much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bot.boards.puzzles.own_moments import MOMENTS_PRESS, percent
from bot.kernel.advice import analysis_search
from bot.kernel.cards import Button, Card, Rows
from bot.kernel.context import Context
from bot.kernel.explanations import capitalise, explain_mistake, explain_turn
from bot.kernel.line import read_actions
from bot.kernel.pictures import choose_theme, hint_marks
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, make_button, with_alt_prefix
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import GamePeople, Table
from bot.kernel.texts import Speaker, Text, join, strip_styles
from bot.kernel.words.describe import line_words, turn_count, turn_number
from bot.lobby.teams.rounds import passed_over_words, proposed_alternatives, read_past_votes
from bot.table.card_parts import private_view
from bot.table.game_lookup import last_played_table, load_table_by_code, open_table
from bot.table.replaying import line_of_play, turns_of
from bot.thinking.analysis import (
    Alternative,
    Analysis,
    CostlyChoice,
    Figures,
    Place,
    Swing,
    position_of_choice,
    positions_in_order,
    read_analysis,
)
from engine import State, Turn
from engine.core import Values
from render.chances import Mark, SeatPieces, draw_chances, pieces_of
from render.games import pictures

MAX_CAPTION_LENGTH: Final = 950
"""Maximum length of a text that every platform shows below a picture."""
_DRAW_VALUE: Final = 0.5
_MAX_TURNS_IN_ALT_TEXT: Final = 8
"""Number of turns for which the picture's alt text lists the chances."""


def analysis_card(
    game_people: GamePeople,
    found: Analysis,
    turns: Sequence[Turn],
    speaker: Speaker,
    reader: int | None,
    closing: Text,
) -> Card:
    """Return the card of an analysis for a person, without its picture; `closing` is never cut."""
    voice = game_people.words_for(speaker)
    parts = [voice.say("analysis.title", game=voice.game_name(), code=game_people.brief.id)]
    lines = [(choice.turn, _costly_choice(game_people, choice, voice)) for choice in found.moments]
    lines += [(swing.turn, _describe_swing(game_people, swing, voice)) for swing in found.swings]
    for number, turn in enumerate(turns, 1):
        for seat in (action.value for action in turn.actions if action.is_drop):
            when, who = _turn(game_people, number, voice), game_people.name_span(seat)
            value = percent(found.points[number - 1][seat])
            lines.append((number, voice.say("analysis.left", turn=when, who=who, value=value)))
    parts += [words for _, words in sorted(lines, key=lambda each: each[0])]
    if not lines:
        parts.append(voice.say("analysis.steady"))
    while len(strip_styles(join([*parts, closing]))) > MAX_CAPTION_LENGTH:
        parts.pop()
    parts += [closing] if closing else []
    parts.append(voice.say("analysis.estimates"))
    order = sorted(number for number, _ in lines)
    for choice in reversed(found.moments):
        state, _ = position_of_choice(turns, choice)
        reason = explain_turn(
            voice, state, read_actions(state, choice.better), game_people.name_spans, telling_move=True
        )
        where = 1 + order.index(choice.turn)
        longer = [
            *parts[:where],
            *(join([each, reason], " ") for each in parts[where : where + 1]),
            *parts[where + 1 :],
        ]
        if reason and len(strip_styles(join(longer))) <= MAX_CAPTION_LENGTH:
            parts = longer
    return Card(join(parts), rows=moment_rows(game_people, found, speaker, reader=reader))


def moment_rows(
    game_people: GamePeople, found: Analysis, speaker: Speaker, shown: int | None = None, *, reader: int | None = None
) -> Rows:
    """Return a button for every decisive turn (disabled for the shown one) and the buttons to other views.

    A `reader` who played gets a button for their own moments.
    """
    code = game_people.brief.id
    buttons = [
        Button(
            strip_styles(_turn(game_people, choice.turn, speaker)),
            press("better", code, 0, str(at)),
            disabled=at == shown,
        )
        for at, choice in enumerate(found.moments)
    ]
    is_player = any(seat.person == reader and not seat.computer for seat in game_people.brief.seats)
    own = make_button(speaker, "button.own.moments", MOMENTS_PRESS, code, style="primary")
    if shown is None:
        last = [make_button(speaker, "button.turns", "replay", code, 0, "0"), own if is_player else None]
    else:
        before = str(found.moments[shown].turn - 1)
        last = [
            make_button(speaker, "button.chances", "analysed", code),
            make_button(speaker, "button.try", "try", code, 0, before),
        ]
    return button_rows([*buttons, *last])


def moment_card(game_people: GamePeople, found: Analysis, at: int, turns: Sequence[Turn], speaker: Speaker) -> Card:
    """Return the card of one decisive turn, without its picture."""
    choice, voice = found.moments[at], game_people.words_for(speaker)
    state, _ = position_of_choice(turns, choice)
    better, played = read_actions(state, choice.better), read_actions(state, choice.played)
    names = game_people.name_spans
    parts = [
        _costly_choice(game_people, choice, voice),
        explain_turn(voice, state, better, names, telling_move=True),
        explain_mistake(voice, state, played, better, names),
    ]
    return Card(join(parts), rows=moment_rows(game_people, found, speaker, at))


def chances_alt(game_people: GamePeople, points: Sequence[Sequence[float]], speaker: Speaker) -> str:
    """Return the alt text of the chart of the chances."""
    last = len(points) - 1
    chosen = sorted({round(last * number / (_MAX_TURNS_IN_ALT_TEXT - 1)) for number in range(_MAX_TURNS_IN_ALT_TEXT)})
    voice, game = game_people.words_for(speaker), game_people.game
    said = [speaker.line("analysis.alt", game=voice.game_name(), turns=turn_count(voice, game, last))]
    for seat, name in enumerate(game_people.names):
        values = [
            speaker.line("analysis.alt.at", turn=turn_number(voice, game, at + 1), value=percent(points[at][seat]))
            for at in chosen[:-1]
        ]
        values.append(speaker.line("analysis.alt.end", value=percent(points[last][seat])))
        said.append(speaker.line("analysis.alt.seat", who=name, values=", ".join(values)))
    return " ".join(said)


def _costly_choice(game_people: GamePeople, choice: CostlyChoice, voice: Speaker) -> Text:
    said = partial(
        voice.say,
        "analysis.proven" if choice.proven else "analysis.expected" if choice.expected else "analysis.moment",
        turn=_turn(game_people, choice.turn, voice),
        who=game_people.name_span(choice.seat),
        played=line_words(voice, choice.played),
        better=line_words(voice, choice.better),
    )
    if not choice.proven:
        return said(before=percent(choice.before), after=percent(choice.after))
    if choice.before == _DRAW_VALUE:
        before = voice.line("analysis.draws")
    elif choice.within is not None:
        before = voice.line("analysis.wins-own", n=choice.within)
    elif choice.turns is None:
        before = voice.line("analysis.wins")
    else:
        before = voice.line("analysis.wins-within", n=choice.turns)
    return said(before=before, after=voice.line("analysis.draws" if choice.after == _DRAW_VALUE else "analysis.loses"))


def _describe_swing(game_people: GamePeople, swing: Swing, voice: Speaker) -> Text:
    key = "analysis.lucky" if swing.after > swing.before else "analysis.unlucky"
    before, after = percent(swing.before), percent(swing.after)
    turn, who = _turn(game_people, swing.turn, voice), game_people.name_span(swing.seat)
    return voice.say(key, turn=turn, who=who, dice=swing.dice, before=before, after=after)


def _turn(game_people: GamePeople, number: int, speaker: Speaker) -> Text:
    return capitalise(turn_number(game_people.words_for(speaker), game_people.game, number))


@dataclass(frozen=True, slots=True)
class ChancesCourse:
    """The points of the chart: the position on the axis of turns, the chances, and the pieces of the seats."""

    turns: tuple[float, ...]
    points: tuple[Values, ...]
    seat_pieces: tuple[SeatPieces, ...]
    marks: tuple[Mark, ...]


def chances_course(found: Analysis, turns: Sequence[Turn]) -> ChancesCourse:
    """Return the points of the chart of an analysis: one for every position with a settled figure."""
    starts = Figures(turns).starts
    values = {**dict(zip(starts, found.points, strict=True)), **found.settled}
    places = list(positions_in_order(starts, found.settled))
    where = {place: at for at, place in places}
    marks = [Mark(choice.turn, choice.seat, at=where.get((choice.turn, choice.begun))) for choice in found.moments]
    marks += [Mark(swing.turn, swing.seat, dice=True) for swing in found.swings]
    is_drawn = bool(turns) and turns[0].before.game.key in pictures
    return ChancesCourse(
        tuple(at for at, _ in places),
        tuple(values[place] for _, place in places),
        tuple(pieces_of(_state_at(turns, place)) for _, place in places) if is_drawn else (),
        tuple(marks),
    )


def _state_at(turns: Sequence[Turn], place: Place) -> State:
    number, done = place
    if number > len(turns):
        return turns[-1].after
    turn = turns[number - 1]
    return replace(turn, actions=turn.actions[:done]).after


async def analyse(context: Context, requester: RequestContext, values: Mapping[str, str]) -> Reply:
    """Show the analysis of a finished game. Without a code: the last one here, else the requester's last."""
    return await show_analysis(context, requester, await _resolve_table(context, requester, values.get("code")))


async def press_analysed(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button that checks whether an analysis is done, or leads back to it."""
    return replace(await show_analysis(context, requester, table), update=True)


async def press_better(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a decisive turn: show the board with the better move marked."""
    table = await context.table(pressed.game)
    found = read_analysis(await context.store.analyses.get(table.id))
    at = pressed.number
    if found is None or at is None or at >= len(found.moments):
        raise Refused("refusal.stale")
    turns = await turns_of(context, table)
    choice = found.moments[at]
    table = table.in_language(requester.speaker)
    state, shown = position_of_choice(turns, choice)
    card = moment_card(table, found, at, turns, requester.speaker)
    hint = hint_marks(state, read_actions(state, choice.better))
    view = await private_view(context, requester, table, hint=hint, still=True)
    # Spectators see the goals of the seat that moved.
    view = view if view.reader is not None else replace(view, goals_of=choice.seat)
    picture = await context.artist.scene(state, shown, table.words_for(requester.speaker), view, table.names)
    return Reply(replace(card, picture=with_alt_prefix(picture, card.text)), update=True)


async def show_analysis(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Show the analysis of a finished game and start it if there is none; Refused if the game is not over."""
    if not table.row.is_over:
        raise Refused("refusal.not-over-yet")
    async with context.person_queue.turn(requester.id):
        row, speaker = table.row, requester.speaker
        turns = await turns_of(context, table) if table.line is not None else []
        if not turns:
            raise Refused("refusal.nothing-to-analyse")
        found, past = read_analysis(await context.store.analyses.get(row.id)), await read_past_votes(context, table)
        if found is None:
            store, alternatives = partial(_store_analysis, context, row.id), list[Alternative]()
            if past.rounds:
                played = line_of_play(await context.store.games.events(row.id))
                alternatives = proposed_alternatives(past, turns, played)
            found = await context.advice.analysis(row.id, turns, requester.id, store, alternatives)
        if found is None:
            search = analysis_search(row.id)
            done, total = context.advice.progress(search)
            look = make_button(speaker, "button.look", "analysed", row.id, style="primary")
            words = speaker.say("analysis.thinking", done=done, total=total)
            return Reply(Card(words, rows=((look,),), search=search))
        closing = passed_over_words(past, speaker.of(row.game), table, found.best_alternative)
        return Reply(await _card_with_chances(context, requester, table, found, turns, closing))


async def _store_analysis(context: Context, game: str, found: Analysis) -> None:
    await context.store.analyses.store(game, found.to_json(), context.clock())
    context.signals.wake("analysis")


async def _card_with_chances(
    context: Context, requester: RequestContext, table: Table, found: Analysis, turns: list[Turn], closing: Text
) -> Card:
    speaker, table = requester.speaker, table.in_language(requester.speaker)
    course = chances_course(found, turns)
    title = speaker.line("analysis.picture", game=speaker.game_name(table.row.game))
    theme = choose_theme(requester.person.settings, requester.place.effective)
    drawing = partial(draw_chances, title, table.names, course.points, course.marks, theme, table.row.game)
    picture = await context.artist.chart(
        partial(drawing, course.seat_pieces, course.turns),
        chances_alt(table, found.points, speaker),
        f"{table.row.game}-{table.id}-chances.png",
    )
    return replace(analysis_card(table, found, turns, speaker, requester.id, closing), picture=picture)


async def _resolve_table(context: Context, requester: RequestContext, code: str | None) -> Table:
    if code:
        return await load_table_by_code(context, requester, code)
    opened = await open_table(context, requester)
    if opened is not None and opened.row.is_over:
        return opened
    last = await context.store.games.last_finished_in(requester.place.id)
    return await last_played_table(context, requester) if last is None else await context.table(last)
