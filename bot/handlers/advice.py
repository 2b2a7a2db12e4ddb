"""A hint for whoever is on the move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.context.asker import Asker
from bot.context.context import Context
from bot.explanations import why
from bot.handlers import alone
from bot.handlers.finding import my_table, open_table
from bot.handlers.table import current
from bot.interface.cards import Button, Card, Picture
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.rich_text import Text, plain
from bot.language.texts import join
from bot.pictures.hint_marks import marks
from bot.presenters.in_words import text_wanted, with_words
from bot.presenters.views import view_for
from bot.services import play
from bot.tables.table import Table
from bot.thinking.advice import Suggestion, hints_allowed
from bot.words.describe import LONGEST_ALT, shortened
from bot.words.lines import line_words


async def hint(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Suggest a move in the game that waits for the person, or in their lesson or puzzle, privately."""
    if not values.get("game"):
        taught = await alone.hint_on_open(context, asker)
        if taught is None and await open_table(context, asker) is None:
            taught = await alone.hint_here(context, asker)
        if taught is not None:
            return taught
    table = await my_table(
        context, asker, values.get("game"), lambda brief: press("hint", brief.id, brief.revision), waiting=True
    )
    return await suggest(context, asker, table)


async def press_hint(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Hint."""
    return await suggest(context, asker, await current(context, pressed))


async def press_hint_again(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that looks whether the computer has found something."""
    return replace(await press_hint(context, asker, pressed), update=True)


async def suggest(context: Context, asker: Asker, table: Table) -> Reply:
    """Suggest a move to the seat on the move; Refused for others, and where the game is played without hints."""
    play.moving_seat(table, asker)
    if not hints_allowed(table):
        raise Refused("refusal.no-hints" if table.row.terms.hints is None else "refusal.hints-off")
    found = await context.advice.hint(table, asker.person.id)
    if found is None:
        again = Button(asker.mine.line("button.look"), press("hinted", table.row.id, table.row.revision), "primary")
        return Reply(Card(asker.mine.say("hint.thinking"), rows=((again,),)), private=True, secret=True)
    return Reply(await hint_card(context, asker, table, found), private=True, secret=True)


async def hint_card(context: Context, asker: Asker, table: Table, found: Suggestion) -> Card:
    """Return a suggestion: the move, why it is good, and the board with its marks."""
    voice, table = asker.mine.of(table.row.game), table.spoken(asker.mine)
    names = [table.span(seat) for seat in range(table.row.seat_count)]
    move = voice.say("hint.move", move=line_words(voice, found.actions))
    reasons = why(voice, found.before, found.actions, names, found.judged)
    code, revision = table.row.id, table.row.revision
    typed = Press("text", code, revision, " ".join(action.text for action in found.actions))
    rows = ((Button(voice.line("button.play-it"), str(typed), "primary"),),) if typed.fits else ()
    words = join([move, reasons], " ")
    card = Card(words, rows=rows)
    if text_wanted(asker.person.settings, asker.place.effective):
        card = with_words(card, table, asker.mine)
    hinted = marks(table.playing.state.game.facts, found.actions)
    view = await view_for(context, asker, table, hint=hinted)
    picture = await context.artist.picture(table, asker.mine, view)
    return replace(card, picture=picture and _described(picture, words))


def _described(picture: Picture, words: Text) -> Picture:
    """Return a picture whose description begins with what is suggested."""
    return replace(picture, alt=shortened(f"{plain(words)} {picture.alt}", LONGEST_ALT))
