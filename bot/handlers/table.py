"""Moving, looking at the board, resigning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.choices import NoSuchChoice, Question, question
from bot.entry.talk import is_talk
from bot.handlers import alone, nonmember
from bot.handlers.finding import answered_table, my_table, open_table
from bot.interface.cards import Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.texts import join
from bot.presenters.asking import PRIVATE
from bot.presenters.board import board_card, choosing_card, fair_card, played_card, resign_card, sure_card
from bot.presenters.headline import headline
from bot.presenters.in_words import text_wanted, with_words, words_card
from bot.presenters.views import view_for
from bot.services import play
from bot.services.counting import is_early, is_rated
from bot.tables.changes import moved_at
from bot.tables.table import Table
from engine import Action, EngineError, games
from storage import GameBrief, Unavailable, WaitingGame

YES: Final = "true"
NO: Final = "false"
"""What can be said of `text`: whether a board is to be told in words."""


async def move(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Play a typed line in the game that waits for the person."""
    text = values.get("move", "").strip()
    if not values.get("game"):
        on_open = await alone.typed_on_open(context, asker, text, talk=False)
        if on_open is not None:
            return on_open
        opened = await open_table(context, asker)
        if opened is not None and opened.row.status == "playing":
            return await play_text(context, asker, opened, text)
        waiting, touched_at = await context.store.waiting_here(asker.person.id, asker.place.id)
        if len(waiting) == 1 and waiting[0].game in games and not _is_used_since(touched_at, waiting):
            # As a rule: whatever else they play, this is what they mean.
            return await play_text(context, asker, await context.table(waiting[0].id), text)
        mine = [brief for brief in await context.store.games_of(asker.person.id) if brief.status == "playing"]
        taught = await alone.typed_here(context, asker, text, [brief for brief in mine if brief.waiting], talk=False)
        if taught is not None:
            return taught

    def again(brief: GameBrief) -> str:
        typed = Press("text", brief.id, brief.revision, text)
        return str(typed) if typed.fits else press("show", brief.id, brief.revision)

    table = await my_table(context, asker, values.get("game"), again, waiting=True)
    return await play_text(context, asker, table, text)


async def typed(context: Context, asker: Asker, text: str) -> Reply:
    """Take a text that answers a board, or is said where one is open, or one game waits, as a line of play."""
    answered = await answered_table(context, asker)
    if answered is not None:
        return await play_text(context, asker, answered, text)
    on_open = await alone.typed_on_open(context, asker, text, talk=asker.request.message is None)
    if on_open is not None:
        return on_open
    opened = await open_table(context, asker)
    if opened is not None and _plays(opened, asker):
        if is_talk(opened.playing.state, text):
            return Reply(talk=True)
        return await play_text(context, asker, opened, text)
    waiting, touched_at = await context.store.waiting_here(asker.person.id, asker.place.id)
    # A board of somebody's own is meant unless a game has begun to wait since.
    if _is_used_since(touched_at, waiting):
        taught = await alone.typed_here(context, asker, text, waiting, talk=True)
        if taught is not None:
            return taught
    tables = [await context.table(brief.id) for brief in waiting if brief.game in games]
    meant = [table for table in tables if not is_talk(table.playing.state, text)]
    if not meant:
        # No game here understands it: it may be a slip in the lesson, or in the puzzle.
        slip = await alone.typed_here(context, asker, text, waiting, talk=True, only=True) if waiting else None
        return slip or Reply(talk=True)
    if len(meant) == 1:
        return await play_text(context, asker, meant[0], text)
    return await move(context, asker, {"move": text})


def _is_used_since(touched_at: datetime | None, waiting: Sequence[WaitingGame]) -> bool:
    """Say whether somebody has used a board of their own since the games began to wait for them."""
    return touched_at is not None and all(each.waiting_since <= touched_at for each in waiting)


def _plays(table: Table, asker: Asker) -> bool:
    """Say whether somebody plays in a game that goes on."""
    seat = table.seat_of(asker.person.id)
    return table.row.status == "playing" and seat is not None and table.playing.state.is_playing(seat)


async def play_text(context: Context, asker: Asker, table: Table, text: str) -> Reply:
    """Play a typed line; the answer to one that cannot be played says which rule is in the way."""
    play.moving_seat(table, asker)
    try:
        actions = table.playing.state.parse(text)
    except EngineError as error:
        return Reply(Card(engine_words(asker.mine, table.row.game, error)), private=True)
    reply = await act(context, asker, table, actions, update=False)
    if reply.card is None and await nonmember.is_unseen(context, asker, table.row.id):
        return await nonmember.board(context, asker, table.row.id)
    return await asked_on(context, asker, table.row.id, reply)


async def press_choice(context: Context, asker: Asker, pressed: Press) -> Reply:
    """An answer in the tree of choices: the next question, privately, or the action that it settles."""
    private = pressed.deed == PRIVATE
    table = await current(context, pressed)
    play.moving_seat(table, asker)
    try:
        asked = question(table.playing.state.game.facts, table.playing.state.legal_actions(), pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        reply = Reply(choosing_card(table, asker.mine, asked), private=True, update=private)
        below = asker.request.undrawn and pressed.revision == table.row.revision
        return await with_picture(context, asker, table, reply, asked, drawn=not below)
    if not private and table.game.facts.is_weighty(asked):
        return await _asked_first(context, asker, table, asked, pressed)
    reply = await act(context, asker, table, [asked], update=private)
    return await asked_on(context, asker, table.row.id, reply)


async def _asked_first(context: Context, asker: Asker, table: Table, action: Action, pressed: Press) -> Reply:
    """Ask whether somebody means what a single press on the open board would do, where a slip would cost much."""
    facts, path = table.game.facts, pressed.path
    asked = question(facts, table.playing.state.legal_actions(), path[:-1])
    if not isinstance(asked, Question):
        raise Refused("refusal.stale")
    reply = Reply(sure_card(table, asker.mine, action, path), private=True)
    chosen = tuple(replace(entry, number=0) for entry in asked.entries if entry.leaf == action)
    below = asker.request.undrawn and pressed.revision == table.row.revision
    return await with_picture(context, asker, table, reply, replace(asked, entries=chosen), drawn=not below)


async def act(context: Context, asker: Asker, table: Table, actions: Sequence[Action], *, update: bool) -> Reply:
    """Play actions; the mover is asked on while the turn goes on, else told that it is done."""

    def answer(after: Table) -> Reply:
        goes_on = after.mover == table.mover and after.playing.acted
        if goes_on and after.playing.state.turn == table.playing.state.turn:
            asked = question(after.playing.state.game.facts, after.playing.state.legal_actions())
            if isinstance(asked, Question):
                return Reply(choosing_card(after, asker.mine, asked), private=True, update=update)
        return Reply(played_card(after, asker.mine, tuple(actions)), private=True, update=True) if update else Reply()

    return await play.act(context, asker, table, actions, answer)


async def press_text(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A typed line whose game was asked for."""
    return await play_text(context, asker, await current(context, pressed), pressed.rest)


async def board(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Show a game's board anew where it is played, or to a player wherever they are; to others privately.

    With `text` it is told in words, privately.
    """
    deed = "words" if values.get("text") == YES else "board"
    table = await my_table(
        context, asker, values.get("game"), lambda brief: press(deed, brief.id, brief.revision), seated=False
    )
    return show_words(asker, table) if deed == "words" else await show_board(context, asker, table)


async def press_words(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A game to be told in words."""
    return show_words(asker, await context.table(pressed.game or ""))


def show_words(asker: Asker, table: Table) -> Reply:
    """Tell privately all that the picture of a board shows."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    return Reply(words_card(table, asker.mine, table.seat_of(asker.person.id)), private=True)


async def press_board(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A game chosen to be shown anew."""
    return await show_board(context, asker, await context.table(pressed.game or ""))


async def show_board(context: Context, asker: Asker, table: Table) -> Reply:
    """Put a board up as a new message for those who play; those who watch see it privately, since it calls somebody."""
    if table.entry_of(asker.person.id) is None:
        return await show(context, asker, table)
    if nonmember.answers(asker, table.row) and table.line is not None:
        return await nonmember.board(context, asker, table.row.id)
    stays = context.draws_for_readers(asker.place.platform) or context.edits_alone(asker.place)
    known = await context.store.surfaces(table.row.id) if stays else []
    if any(each.place.id == asker.place.id and each.message is not None for each in known):
        # It stands there for good: the asker's own is opened.
        return await show(context, asker, table)
    await context.store.add_surface(table.row.id, asker.place.id, context.clock())
    return show_words(asker, table) if table.line is not None and asker.person.settings.get("text") else Reply()


async def press_show(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A game chosen to be looked at privately; it is said if nobody else can see it."""
    table = await context.table(pressed.game) if pressed.game else await _shown_by_message(context, asker)
    reply = await show(context, asker, table)
    if reply.card is None or table.row.status != "playing" or await context.store.surfaces(table.row.id):
        return reply
    text = join([reply.card.text, asker.mine.say("games.unshown")], "\n\n")
    return replace(reply, card=replace(reply.card, text=text))


async def _shown_by_message(context: Context, asker: Asker) -> Table:
    """Return the game that a message shows; where it shows none (any more), the one that somebody can mean here."""
    place, message = asker.request.place, asker.request.message
    surface = await context.store.find_surface(place.platform, place.channel, message) if message else None
    if surface is not None:
        return await context.table(surface.game)
    return await my_table(
        context, asker, None, lambda brief: press("show", brief.id, brief.revision), waiting=True, seated=False
    )


async def show(context: Context, asker: Asker, table: Table) -> Reply:
    """Show a board privately, with what can be done if it is the person's move."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    seat = table.seat_of(asker.person.id)
    if seat is not None and seat == table.mover:
        asked = question(table.playing.state.game.facts, table.playing.state.legal_actions())
        if isinstance(asked, Question):
            reply = Reply(choosing_card(table, asker.mine, asked), private=True)
            return await with_picture(context, asker, table, reply, asked)
    whole = board_card(table, asker.mine, seat)
    card = told(asker, table, replace(whole, mention=None, rows=(), presses={}, cells=()))
    picture = await context.artist.picture(table, asker.mine, await view_for(context, asker, table))
    return Reply(replace(card, picture=picture, headline=headline(table)), private=True)


async def resign(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Ask whether somebody really wants to resign."""
    table = await my_table(context, asker, values.get("game"), lambda brief: press("resign", brief.id, brief.revision))
    return await _asked_to_resign(context, asker, table)


async def press_resign(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Resign: the question, privately."""
    return await _asked_to_resign(context, asker, await context.table(pressed.game or ""))


async def _asked_to_resign(context: Context, asker: Asker, table: Table) -> Reply:
    play.playing_seat(table, asker)
    early = is_rated(table.row) and await is_early(context, table)
    return Reply(resign_card(table, asker.mine, early=early), private=True)


async def press_resign_yes(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The answer yes."""
    table = await current(context, pressed)
    seat = play.playing_seat(table, asker)
    said = asker.mine.say("resign.done.many")
    if table.row.seat_count == 2:
        said = asker.mine.say("resign.done", who=table.spoken(asker.mine).span(1 - seat))
    reply = Reply(Card(said), private=True, update=True)
    await play.drop(context, table, seat, "resigned", asker.receipt(reply), asker.request)
    return reply


async def press_fair(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Fair chance of a game that is over: its seed, and how to check what was drawn with it."""
    table = await context.table(pressed.game or "")
    if table.row.status != "over" or table.line is None or not table.row.seed:
        raise Refused("refusal.not-over-yet")
    return Reply(fair_card(table, asker.mine), private=True)


async def press_keep(_context: Context, asker: Asker, _pressed: Press) -> Reply:
    """The answer no."""
    return Reply(Card(asker.mine.say("resign.kept")), private=True, update=True)


async def current(context: Context, pressed: Press) -> Table:
    """Return the game of a press; Refused if it has moved on since the button was shown."""
    table = await context.table(pressed.game or "")
    if pressed.revision > table.row.revision:
        # The button knows more than we do: another process has gone on with the game.
        context.store.forget_table(table.row.id)
        table = await context.table(table.row.id)
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    if not moved_at(table.row) <= pressed.revision <= table.row.revision:
        raise Refused("refusal.moved-on")
    return table


async def with_picture(
    context: Context, asker: Asker, table: Table, reply: Reply, asked: Question, *, drawn: bool = True
) -> Reply:
    """Return a reply that asks a question of a table's mover with the picture of it, unless it is shown without."""
    if reply.card is None:
        return reply
    card = told(asker, table, reply.card)
    if drawn:
        view = await view_for(context, asker, table, choices=asked.marks)
        picture = await context.artist.picture(table, asker.mine, view)
        if picture is not None:
            card = replace(card, picture=picture, rows=choosing_card(table, asker.mine, asked, picture.spots).rows)
    return replace(reply, card=card)


async def asked_on(context: Context, asker: Asker, game: str, reply: Reply) -> Reply:
    """Return a reply to an action; where it asks on, with the picture of the question."""
    if reply.card is None or not reply.card.rows:
        return reply
    try:
        table = await context.table(game)
    except Unavailable:
        return reply  # what was played is stored: that it could not be done would not be true
    if table.line is None or table.mover is None or table.seat_of(asker.person.id) != table.mover:
        return reply
    asked = question(table.line.state.game.facts, table.line.state.legal_actions())
    return await with_picture(context, asker, table, reply, asked) if isinstance(asked, Question) else reply


def told(asker: Asker, table: Table, card: Card) -> Card:
    """Return a card for somebody alone, with the board in words if they want that."""
    wanted = text_wanted(asker.person.settings, asker.place.effective)
    return with_words(card, table, asker.mine) if wanted else card
