"""A hint for the player to move."""

from dataclasses import replace

from bot.boards.open_boards import show_hint_on_open_board, show_private_hint
from bot.kernel.advice import are_hints_allowed, hint_search
from bot.kernel.cards import Button, Card
from bot.kernel.context import Context
from bot.kernel.explanations import explain_turn
from bot.kernel.forms import Values
from bot.kernel.pictures import hint_marks
from bot.kernel.presses import Press
from bot.kernel.question_cards import make_button, with_alt_prefix
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table
from bot.kernel.texts import Span, join
from bot.kernel.words.describe import line_words
from bot.table import service as play
from bot.table.card_parts import private_view
from bot.table.commands import load_current_table, with_words_if_wanted
from bot.table.game_lookup import game_label, open_table, resolve_my_table


async def hint(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Suggest a move privately, in the game that waits for the person, or in their lesson or puzzle."""
    private: Reply | Button | None = None
    if not values.get("game"):
        on_open = await show_hint_on_open_board(context, requester)
        if on_open is not None:
            return on_open
        if await open_table(context, requester) is None:
            private = await show_private_hint(context, requester)
    if isinstance(private, Reply):
        return private
    table = await resolve_my_table(context, requester, values.get("game"), "hint", waiting=True)
    if private is None:
        return await show_hint(context, requester, table)
    # The request may mean several boards: use the newest one, name it in the answer, and add a button for the other.
    which, rows = Span(game_label(requester, table), bold=True), ((private,),)
    try:
        card = await _hint_card(context, requester, table)
    except Refused as refused:
        if refused.key != "refusal.not-your-turn":
            raise
        raise Refused("refusal.hint-waits", which=which, who=refused.parameters["who"], rows=rows) from refused
    words = join([requester.speaker.say("hint.which", which=which), card.text])
    return Reply(replace(card, text=words, rows=(*card.rows, *rows)), secret=True)


async def press_hint(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Hint."""
    return await show_hint(context, requester, await load_current_table(context, pressed))


async def press_hint_again(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that checks whether the computer has found a move."""
    return replace(await press_hint(context, requester, pressed), update=True)


async def show_hint(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Suggest a move to the seat to move; Refused for others, and if the game is played without hints."""
    return Reply(await _hint_card(context, requester, table), secret=True)


async def _hint_card(context: Context, requester: RequestContext, table: Table) -> Card:
    """Return the card of a suggestion: the move, why it is good, and the board with its marks."""
    play.require_moving_seat(table, requester)
    if not are_hints_allowed(table):
        raise Refused("refusal.no-hints" if table.row.terms.hints is None else "refusal.hints-off")
    found = await context.advice.hint(table, requester.id)
    if found is None:
        again = make_button(requester.speaker, "button.look", "hinted", table.id, table.row.revision, style="primary")
        return Card(requester.speaker.say("hint.thinking"), rows=((again,),), search=hint_search(table.id))
    voice, table = table.words_for(requester.speaker), table.in_language(requester.speaker)
    names = table.name_spans
    move = voice.say("hint.move", move=line_words(voice, found.actions))
    reasons = explain_turn(voice, found.before, found.actions, names, found.judged)
    code, revision = table.id, table.row.revision
    typed = Press("text", code, revision, " ".join(action.text for action in found.actions))
    rows = ((Button(voice.line("button.play-it"), str(typed), "primary"),),) if typed.fits else ()
    words = join([move, reasons], " ")
    card = with_words_if_wanted(requester, table, Card(words, rows=rows))
    hinted = hint_marks(table.playing.state, found.actions)
    view = await private_view(context, requester, table, hint=hinted)
    picture = await context.artist.picture(table, requester.speaker, view)
    return replace(card, picture=with_alt_prefix(picture, words))
