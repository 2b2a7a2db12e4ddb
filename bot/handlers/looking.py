"""A game as one reader sees it: their side, their theme, their language, what they are asked on the board itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.choices import NoSuchChoice, Question, clicks, question
from bot.handlers.finding import next_game
from bot.handlers.history import line_at, try_buttons
from bot.handlers.table import told
from bot.interface.cards import Button, Card, Picture, Row
from bot.interface.presses import press
from bot.interface.requests import ListedTurn, Reply, Sight
from bot.language.rich_text import Span, plain
from bot.language.texts import Speaker, join
from bot.pictures.artist import View, theme_of
from bot.presenters.asking import Asking
from bot.presenters.board import board_card, question_words
from bot.presenters.headline import headline
from bot.presenters.lobby import lobby_card
from bot.presenters.offers import offer_rows
from bot.presenters.rematches import with_next_game
from bot.presenters.sharing import share_button
from bot.presenters.views import view_of_reader
from bot.services.around_lobby import around_lobby
from bot.services.records import turns_of
from bot.tables.consent import asked_people
from bot.tables.table import Table
from bot.words.describe import captured, turn_number, turn_words
from bot.words.lines import line_words
from engine import CHANCE, Turn, games
from render.marks import Choices

GLIMPSED: Final = 9
"""After how many turns a game is shown to those who do not know it."""


async def look(
    context: Context,
    asker: Asker,
    game: str,
    *,
    path: Sequence[str] = (),
    turn: int | None = None,
    theme: str | None = None,
) -> Sight | Reply:
    """Return a game as the asker sees it, after some answers of theirs or as it was after a turn.

    A reply without a card: the answers settle an action, or nobody asks them anything. Refused if there is no game.
    `theme` is for those who have chosen none.
    """
    table = await context.table(game)
    if table.line is None:
        return Reply() if path else Sight(await _lobby(context, asker, table))
    if turn is not None:
        return await _then(context, asker, table, turn, theme)
    asked = _asked(table, asker, path)
    if path and asked is None:
        return Reply()
    view = view_of_reader(table, asker.person, theme=_usual(asker, theme))
    if path and asked is not None:
        view = replace(view, choices=_marks(asked))
    picture = await context.artist.picture(table, asker.mine, view)
    card = _card(table, asker, asked, path, pressed=picture is not None)
    if table.row.status == "over" and (again := await next_game(context, table)) is not None:
        card = with_next_game(card, table, again, asker.mine, asker.person.id)
    card = replace(told(asker, table, card), picture=picture, headline=headline(table))
    return Sight(card, _steps(table.line.shown), table.line.state.turn, question=asked is not None)


async def glimpse(context: Context, speaker: Speaker, game: str, theme: str) -> Picture | None:
    """Return what a game looks like after some turns, always the same ones."""
    state, rng = games[game].start(games[game].seats[0]), Random(3)
    while state.outcome is None and state.turn < GLIMPSED:
        state = state.play(state.sample_chance(rng) if state.to_move == CHANCE else state.random_action(rng))
    names = [f"{number + 1}" for number in range(state.seats)]
    return await context.artist.scene(state, None, speaker.of(game), View(viewer=0, theme=theme), names)


async def moves(context: Context, asker: Asker, game: str) -> list[ListedTurn]:
    """Return the turns of a game in few words each."""
    table = await context.table(game)
    if table.line is None:
        return []
    voice = asker.mine.of(table.row.game)
    found = []
    for each in await turns_of(context, table):
        names = [table.span(seat) for seat in range(table.row.seat_count)]
        said = _listed(voice, each, names) if each.own else plain(turn_words(voice, each, names))
        found.append(ListedTurn(None if each.seat == CHANCE else each.seat, said))
    return found


def _listed(voice: Speaker, turn: Turn, names: Sequence[Span]) -> str:
    """Return who did what in a turn, and what was captured from whom that the moves do not name."""
    what = plain((line_words(voice, turn.own),))
    for seat, cells in captured(turn).items():
        if cells and not all(re.search(rf"\b{cell}\b", what) for cell in cells):
            what = voice.line("list.captured", what=what, cells=", ".join(cells), who=names[seat])
    return voice.line("list.turn", who=names[turn.seat], what=what)


async def _lobby(context: Context, asker: Asker, table: Table) -> Card:
    card = lobby_card(table, table.row, asker.mine, await around_lobby(context, table.row))
    return replace(card, headline=headline(table))


async def _then(context: Context, asker: Asker, table: Table, number: int, theme: str | None) -> Sight:
    """Return a game as it stood after a turn, with nothing to be done on it."""
    turns = await turns_of(context, table)
    at = max(0, min(number, len(turns)))
    then = replace(table, line=line_at(table.playing, turns, at))
    voice = asker.mine.of(table.row.game)
    spoken = table.spoken(voice)
    names = [spoken.span(seat) for seat in range(table.row.seat_count)]
    which = turn_number(voice, table.game, at)
    name = voice.line("name")
    title = asker.mine.say("replay.title", game=name, code=table.row.id, turn=which, last=len(turns))
    said = turn_words(voice, turns[at - 1], names) if at else voice.say("replay.start")
    view = replace(view_of_reader(table, asker.person, theme=_usual(asker, theme)), choices=None)
    picture = await context.artist.picture(then, asker.mine, view, turn=at)
    steps = _steps(turns[at - 1]) if at else ()
    tries = try_buttons(asker.mine, table, at)
    card = Card(join([title, said]), picture, rows=(tries,) if tries else (), headline=headline(table))
    return Sight(card, steps, len(turns), at)


def _asked(table: Table, asker: Asker, path: Sequence[str]) -> Question | None:
    """Return what the asker is to answer, None if nothing."""
    if table.mover is None or table.seat_of(asker.person.id) != table.mover:
        return None
    try:
        asked = question(table.game.facts, table.playing.state.legal_actions(), path)
    except NoSuchChoice:
        return None
    return asked if isinstance(asked, Question) else None


def _card(table: Table, asker: Asker, asked: Question | None, path: Sequence[str], *, pressed: bool) -> Card:
    """Return the words and buttons of a board: what to choose from first, then what else can be done.

    `pressed`: what can be pressed on the picture needs no button.
    """
    shown = replace(board_card(table, asker.mine, table.seat_of(asker.person.id), drawn=True), mention=None, cells=())
    if table.row.status == "over":
        return shown
    voice = asker.mine.of(table.row.game)
    mine = table.entry_of(asker.person.id) is not None
    rows: list[Row] = []
    presses: Mapping[str, str] = {}
    text = shown.text
    if asked is not None:
        asking = Asking(voice, table.row.id, table.row.revision, private=False, state=table.playing.state)
        rows += asking.rows(_beside(asked) if pressed else asked)
        presses = {**_instead(table, asking, asked), **asking.presses(asked)}
        if path:
            text = question_words(table, voice, asked)
    for offer in table.row.offers.pending:
        if asker.person.id in asked_people(table, offer):
            rows += offer_rows(table, voice, offer)
    last = [Button(voice.line("button.rules"), press("rules", None, 0, table.row.game))]
    if mine:
        last.append(Button(voice.line("button.more"), press("more", table.row.id, table.row.revision)))
    last.append(share_button(voice, table.row))
    return replace(shown, text=text, rows=(*rows, tuple(last)), presses=presses)


def _beside(asked: Question) -> Question:
    """Return a question without the answers that a press on a cell of the picture gives."""
    pressed = set(clicks(asked).values())
    entries = (each for each in asked.entries if each.sort != "column" and (*asked.path, each.key) not in pressed)
    return replace(asked, entries=tuple(entries))


def _instead(table: Table, asking: Asking, asked: Question) -> Mapping[str, str]:
    """Return what takes a choice back on the picture: another piece is chosen by it, the same one is put down."""
    if not asked.path or asked.piece is None:
        return {}
    before = question(table.game.facts, table.playing.state.legal_actions(), asked.path[:-1])
    if not isinstance(before, Question):
        return {}
    others = asking.presses(before) if before.piece is None else {}
    return {**others, asked.piece: asking.press(*asked.path[:-1])}


def _usual(asker: Asker, theme: str | None) -> str:
    """Return the theme for somebody who has chosen none: that of the place, if it has one, else of their screen."""
    return theme_of(asker.place.effective, {"theme": theme})


def _marks(asked: Question) -> Choices:
    """Return what is marked for a question whose answers are pressed on the picture: without numbers."""
    marks = asked.marks
    return replace(marks, numbers=(), targets=tuple(replace(target, label="") for target in marks.targets))


def _steps(turn: Turn | None) -> tuple[tuple[str, str], ...]:
    """Return the ways of the pieces in a turn."""
    if turn is None:
        return ()
    ways = [(action.source, action.target) for action in turn.actions]
    return tuple((source, target) for source, target in ways if source is not None and target is not None)
