"""Views of a game for one reader: with their side, theme and language, and their question on the board."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from random import Random
from typing import Final

from bot.boards.lessons import learn_buttons
from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.cards import Button, Buttons, Card, Picture, Row, Style, filter_buttons, row_buttons
from bot.kernel.choices import NoSuchChoice, Question, without_cell_answers
from bot.kernel.context import Context
from bot.kernel.pictures import BoardView, choose_theme
from bot.kernel.presses import TEAM_MENU, press, read_press
from bot.kernel.question_cards import QuestionView, game_button
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import GameView, ListedTurn, Reply
from bot.kernel.table import Table, list_asked_people
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.words.describe import captured_cells, line_words, moves_text, turn_number, turn_words
from bot.lobby.cards import lobby_card, read_lobby_context, with_next_game
from bot.lobby.teams.cards import read_board_extra
from bot.people.history.commands import try_buttons
from bot.table.card_parts import guess_buttons, headline, offer_rows, reader_view
from bot.table.cards import board_card, is_taught, question_view, question_words, rules_button
from bot.table.commands import with_words_if_wanted
from bot.table.game_lookup import check_may_see, next_game
from bot.table.offers import check_may_claim, list_more, passes, view_clocks
from bot.table.replaying import line_after_turns, shown_turns_of
from engine import CHANCE, Turn, games

SAMPLE_TURN: Final = 9
"""Number of turns after which the sample picture shows a game."""


async def view_game(
    context: Context,
    requester: RequestContext,
    game: str,
    *,
    path: Sequence[str] = (),
    turn: int | None = None,
) -> GameView | Reply:
    """Return a game as the requester sees it, after some of their answers or after a turn.

    The reply is empty if the answers settle an action, or if the requester has no question. Raises Refused if there is
    no such game or the requester may not see it.
    """
    table = await context.table(game)
    await check_may_see(context, requester, table)
    if table.line is None:
        if path:
            return Reply()
        card = lobby_card(table, requester.speaker, await read_lobby_context(context, table.row))
        return GameView(replace(card, headline=headline(table)))
    # For people who have chosen none, the theme of the place comes before that of their screen.
    theme = choose_theme(requester.place.effective)
    view = reader_view(table, requester.person, theme=theme, side=requester.request.side)
    if turn is not None:
        return await _past_view(context, requester, table, turn, replace(view, choices=None))
    asked = _current_question(table, requester, path)
    if path and asked is None:
        return Reply()
    if path and asked is not None:
        view = replace(view, choices=asked.marks(pressed=True))
    extra = await read_board_extra(context, table, requester.place, requester.speaker)
    view = view if extra.hint is None else replace(view, hint=extra.hint)
    picture = await context.artist.picture(table, requester.speaker, view)
    card = extra.added_to(_view_card(table, requester, asked, path, pressed=picture is not None))
    card = _with_absence(context, requester, table, card)
    if table.row.is_over and (again := await next_game(context, table)) is not None:
        card = with_next_game(card, table, again, requester.speaker, requester.id)
    line = replace(headline(table), votes=extra.stamp)
    card = replace(with_words_if_wanted(requester, table, card), picture=picture, headline=line)
    tools = [each for row in card.rows for each in row_buttons(row) if read_press(each.press).deed in _TOOLS]
    card = replace(card, rows=filter_buttons(card.rows, lambda button: button not in tools))
    tools += await _list_actions(context, requester, table)
    steps, turns, begun = _turn_steps(table.line.shown_turn), table.line.finished_turn_count, table.line.begun
    rolls = [action for action in begun.actions if action.verb in table.game.facts.rolls] if begun is not None else []
    dice = tuple(tuple(roll.value) for roll in rolls)
    # Last, since drawing is slow.
    clocks = view_clocks(context, requester, table)
    return GameView(card, steps, turns, question=asked is not None, dice=dice, tools=tuple(tools), clocks=clocks)


async def view_thumbnail(context: Context, game: str, theme: str) -> Picture | None:
    """Return a picture of a fixed sample position of a game."""
    state, rng = games[game].start(games[game].seats[0]), Random(3)
    while state.outcome is None and state.turn < SAMPLE_TURN:
        state = state.play(state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng))
    names = [f"{number + 1}" for number in range(state.seats)]
    return await context.artist.scene(
        state, None, context.speaker(None).of(game), BoardView(viewer=0, theme=theme), names
    )


async def view_puzzle(context: Context, day: date, theme: str) -> Picture | None:
    """Return a picture of the puzzle of a date, without names."""
    puzzle = puzzle_on(day)
    voice = context.speaker(None).of(puzzle.game)
    view = BoardView(viewer=puzzle.seat, theme=theme, goals_of=puzzle.seat)
    names = [f"{number + 1}" for number in range(puzzle.seats)]
    return await context.artist.scene(puzzle.state(), None, voice, view, names)


async def list_turns(context: Context, requester: RequestContext, game: str) -> list[ListedTurn]:
    """Return the turns of a game, each in short notation and in a few words."""
    table = await context.table(game)
    await check_may_see(context, requester, table)
    if table.line is None:
        return []
    voice = table.words_for(requester.speaker)
    spoken = table.in_language(voice)
    names = [_short_name(spoken, seat, voice) for seat in range(table.row.seat_count)]
    found = []
    for each in await shown_turns_of(context, table):
        said = _describe_turn(voice, each, names) if each.own else strip_styles(turn_words(voice, each, names))
        short = moves_text(voice, each.own).text if each.own else said
        found.append(ListedTurn(None if each.seat == CHANCE else each.seat, short, said))
    return found


_TOOLS: Final = frozenset({"rules", "learn", "share", "leaders", "fair"})
"""Presses that are always available, shown as tools of a board; its lesson is primary for a newcomer."""


async def _list_actions(context: Context, requester: RequestContext, table: Table) -> Buttons:
    """Return the buttons of the requester's actions in a running game, except moves."""
    seat = table.seat_of(requester.id)
    if table.row.is_over:
        return ()
    if seat is not None:
        return await list_more(context, requester, table, seat) if table.playing.state.is_playing(seat) else ()
    if table.row.terms.team is None:
        return ()
    return (Button(requester.speaker.line("button.team-menu"), press(TEAM_MENU, table.id, table.row.revision)),)


def _short_name(table: Table, seat: int, voice: Speaker) -> Span:
    """Return a player's name for a list of turns; a computer's without its level, to keep the lines short."""
    entry = next((each for each in table.row.seats if each.seat == seat), None)
    if entry is None or entry.computer is None:
        return table.name_span(seat)
    number = table.computer_number(entry)
    return Span(voice.line("computer.short") if number is None else voice.line("computer.short.one-of", number=number))


def _describe_turn(voice: Speaker, turn: Turn, names: Sequence[Span]) -> str:
    """Return a turn in words: who made it, the moves, the captures they do not name, and from whom."""
    what = moves = strip_styles((line_words(voice, turn.own),))
    for seat, cells in captured_cells(turn).items():
        if not all(re.search(rf"\b{cell}\b", moves) for cell in cells):
            what = voice.line("list.captured", what=what, cells=", ".join(cells), who=names[seat])
        elif turn.before.seats > 2:
            what = voice.line("list.captured.named", what=what, who=names[seat])
    return voice.line("list.turn", who=names[turn.seat], what=what)


async def _past_view(
    context: Context, requester: RequestContext, table: Table, number: int, view: BoardView
) -> GameView:
    """Return a game after a turn, without actions."""
    turns = await shown_turns_of(context, table)
    at = max(0, min(number, len(turns)))
    then = replace(table, line=line_after_turns(table.playing, turns, at))
    voice = table.words_for(requester.speaker)
    spoken = table.in_language(voice)
    names = spoken.name_spans
    which = turn_number(voice, table.game, at)
    name = voice.game_name()
    title = requester.speaker.say("replay.title", game=name, code=table.id, turn=which, last=len(turns))
    said = turn_words(voice, turns[at - 1], names) if at else voice.say("replay.start")
    picture = await context.artist.picture(then, requester.speaker, view, turn=at)
    steps = _turn_steps(turns[at - 1]) if at else ()
    tries = try_buttons(requester.speaker, table, at)
    card = Card(join([title, said]), picture, rows=(tries,) if tries else (), headline=headline(table))
    return GameView(card, steps, len(turns), at)


def _current_question(table: Table, requester: RequestContext, path: Sequence[str]) -> Question | None:
    """Return the requester's question, None if there is none."""
    if table.mover is None or table.seat_of(requester.id) != table.mover:
        return None
    try:
        asked = table.playing.ask(path)
    except NoSuchChoice:
        return None
    return asked if isinstance(asked, Question) else None


def _view_card(
    table: Table, requester: RequestContext, asked: Question | None, path: Sequence[str], *, pressed: bool
) -> Card:
    """Return the text and buttons of a board: the choices first, then other actions.

    `pressed`: True if choices on the picture need no button.
    """
    seat = table.seat_of(requester.id)
    shown = replace(board_card(table, requester.speaker, seat, drawn=True), mention=None, cells=())
    mine = table.entry_of(requester.id) is not None
    voice = table.words_for(requester.speaker)
    if table.row.is_over:
        shown = replace(shown, text=join([shown.text, pin_text(_explain_rating(table, voice))]))
        if mine or table.row.terms.team is not None:
            return shown
        # A rematch is for the players only.
        return replace(shown, rows=filter_buttons(shown.rows, lambda each: read_press(each.press).deed != "rematch"))
    rows: list[Row] = []
    presses: Mapping[str, str] = {}
    text = shown.text
    if asked is not None:
        asking = question_view(table, voice, private=False)
        rows += asking.rows(without_cell_answers(asked) if pressed else asked)
        presses = {**_undo_choice_rows(table, asking, asked), **asking.presses(asked)}
        if path:
            text = question_words(table, voice, asked)
    for offer in table.row.offers.pending:
        if requester.id in list_asked_people(table, offer):
            rows += offer_rows(table, voice, offer)
    last = [] if mine else [*guess_buttons(table, voice)]
    style: Style = "primary" if seat is not None and is_taught(table, seat) else "plain"
    lesson = [replace(each, style=style) for each in learn_buttons(voice, table.row.game)]
    last += [rules_button(table.row, voice), *lesson, game_button(voice, table.row, "share")]
    return replace(shown, text=text, rows=(*rows, tuple(last)), presses=presses)


def _with_absence(context: Context, requester: RequestContext, table: Table, card: Card) -> Card:
    """Return the card of a live game with the absent players, or with the button to claim a draw."""
    voice, mine = table.words_for(requester.speaker), table.seat_of(requester.id)
    if not table.row.terms.is_live or not table.row.is_playing:
        return card
    if passes(check_may_claim, context, table, mine):
        claim = game_button(voice, table.row, "claim")
        said = voice.say("away.claim", who=table.name_span(table.mover))
        return replace(card, text=join([card.text, pin_text(said)]), rows=((claim,), *card.rows))
    seats = [seat for seat in range(table.row.seat_count) if seat != mine and table.playing.state.is_playing(seat)]
    absent = [seat for seat in seats if context.presence.absence(table.person_at(seat))]
    if not absent:
        return card
    who = voice.listing([table.name_span(seat) for seat in absent])
    return replace(card, text=join([card.text, voice.say("away", who=who, n=len(absent))]))


def _explain_rating(table: Table, voice: Speaker) -> Text:
    """Return why ratings changed by this amount after a game, or did not change; empty if the card says so already."""
    progress = table.row.progress
    if progress.points:
        return voice.say("rating.amount")
    ended = "places" in (table.row.outcome or {})
    return voice.say("rating.none") if ended and progress.uncounted is None else ()


def _undo_choice_rows(table: Table, asking: QuestionView, asked: Question) -> Mapping[str, str]:
    """Return the presses by cell that undo a choice: another piece is chosen, the same one is put down."""
    if not asked.path or asked.piece is None:
        return {}
    before = table.playing.ask(asked.path[:-1])
    if not isinstance(before, Question):
        return {}
    others = asking.presses(before) if before.piece is None else {}
    return {**others, asked.piece: asking.press(*asked.path[:-1])}


def _turn_steps(turn: Turn | None) -> tuple[tuple[str, str], ...]:
    """Return the source and target of each move in a turn."""
    if turn is None:
        return ()
    ways = [(action.source, action.target) for action in turn.actions]
    return tuple((source, target) for source, target in ways if source is not None and target is not None)
