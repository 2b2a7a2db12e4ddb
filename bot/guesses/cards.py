"""Cards for guesses: the offer to the players, a spectator's own guess, and the tables of points."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.question_cards import button_rows
from bot.guesses.service import OFFER
from bot.interface.cards import Button, Card
from bot.interface.presses import GUESS, press
from bot.language.names import tell_apart
from bot.language.texts import Span, Speaker, Text, join
from bot.play.ratings import number_places
from bot.tables.table import Table
from bot.words.lines import line_words
from storage import GuessCounts, StoredGuess
from storage.guesses import GOOD_POINTS, HIT_POINTS

AGREE: Final = "guessyes"
WITHDRAW: Final = "guessno"
TABLE: Final = "guesstable"
MAX_ROWS: Final = 10
"""Maximum number of rows in a table."""


def offer_card(table: Table, speaker: Speaker, who: str) -> Card:
    """Return the public offer: players agree or decline, everybody else guesses.

    It says nothing of who has agreed: it stays there as it is.
    """
    voice, code = speaker.of(table.row.game), table.row.id
    said = [voice.say("guess.offer", who=Span(who, bold=True), game=voice.line("name"), code=code)]
    said.append(voice.say("guess.offer.begins"))
    said.append(voice.say("guess.how", hit=HIT_POINTS, good=GOOD_POINTS))
    agree = Button(voice.line("button.guess.agree"), press(AGREE, code), "primary")
    withdraw = Button(voice.line("button.guess.withdraw"), press(WITHDRAW, code))
    return Card(join(said), rows=((agree, withdraw, _guess_button(voice, code)),))


def player_card(table: Table, speaker: Speaker, missing: Text, *, agreed: bool) -> Card:
    """Return a player's card about guesses at their game, with the button to agree or to withdraw."""
    voice, code = speaker.of(table.row.game), table.row.id
    said = [voice.say("guess.player", game=voice.line("name"), code=code)]
    said.append(voice.say("guess.player.agreed" if agreed else "guess.player.open"))
    said.append(voice.say("guess.offer.missing", who=missing) if missing else voice.say("guess.offer.all"))
    deed, key = (WITHDRAW, "button.guess.withdraw") if agreed else (AGREE, "button.guess.agree")
    buttons = [Button(voice.line(key), press(deed, code), "plain" if agreed else "primary")]
    if missing:
        buttons.append(Button(voice.line("button.guess.offer"), press(OFFER, code)))
    return Card(join(said), rows=button_rows(buttons))


def guessed_card(table: Table, speaker: Speaker, actions: Sequence[str]) -> Card:
    """Return the confirmation of a guess."""
    voice, code = speaker.of(table.row.game), table.row.id
    mover = table.mover
    who = Span(table.in_language(speaker).name(mover) if mover is not None else "?", bold=True)
    said = voice.say("guess.made", move=line_words(voice, actions), who=who, code=code)
    another = Button(voice.line("button.guess.other"), press(GUESS, code))
    return Card(said, rows=((another, Button(voice.line("button.guess.table"), press(TABLE, code))),))


def board_words(table: Table, speaker: Speaker, mine: Sequence[StoredGuess], now: int) -> list[Text]:
    """Return the text above a guessing board: what to do, the current guess, and the result of the last one."""
    voice = speaker.of(table.row.game)
    said = [voice.say("guess.board", who=table.in_language(voice).name_span(table.mover or 0))]
    last = next((each for each in reversed(mine) if each.revision != now and each.hit is not None), None)
    if last is not None:
        key = "guess.last.hit" if last.hit else "guess.last.miss"
        said.insert(0, voice.say(key, move=line_words(voice, last.actions), n=HIT_POINTS))
    current = next((each for each in mine if each.revision == now), None)
    if current is not None:
        said.append(voice.say("guess.current", move=line_words(voice, current.actions)))
    return said


def game_table_card(table: Table, speaker: Speaker, counts: Sequence[GuessCounts]) -> Card:
    """Return the table of a game."""
    voice, code = speaker.of(table.row.game), table.row.id
    said = [voice.say("guess.table", game=voice.line("name"), code=code), *_lines(speaker, counts)]
    if not counts:
        said.append(speaker.say("guess.table.none"))
    elif table.row.status != "over":
        said.append(speaker.say("guess.table.later", n=GOOD_POINTS))
    rows = ((_guess_button(voice, code),),) if table.row.status == "playing" else ()
    return Card(join(said), rows=rows)


def month_card(speaker: Speaker, month: str, counts: Mapping[str, Sequence[GuessCounts]]) -> Card:
    """Return the table of a month, by kind of game, for the games that began in a place."""
    said = [speaker.say("guess.month", month=month)]
    for key, people in counts.items():
        if people:
            said += [(Span(speaker.of(key).line("name"), bold=True),), *_lines(speaker, people)]
    if len(said) == 1:
        said.append(speaker.say("guess.month.none"))
    return Card(join(said))


def profile_words(speaker: Speaker, counts: GuessCounts) -> list[Text]:
    """Return the line about guesses for a person's own profile; empty without guesses."""
    if not counts.guesses:
        return []
    figures = {"hits": counts.hits, "good": counts.good, "points": counts.points}
    return [speaker.say("profile.guesses", n=counts.guesses, **figures)]


def _lines(speaker: Speaker, counts: Sequence[GuessCounts]) -> list[Text]:
    lines: list[Text] = []
    names = tell_apart(tuple(each.name for each in counts))
    places = number_places([each.points for each in counts])
    for place, name, each in zip(places, names, counts[:MAX_ROWS], strict=False):
        words = speaker.say("guess.table.points", n=each.points)
        hits = speaker.say("guess.table.hits", n=each.guesses, hits=each.hits, good=each.good)
        lines.append(speaker.say("guess.table.row", place=place, who=Span(name, bold=True), points=words, hits=hits))
    if len(counts) > MAX_ROWS:
        lines.append(speaker.say("guess.table.more", n=len(counts) - MAX_ROWS))
    return lines


def _guess_button(voice: Speaker, code: str) -> Button:
    return Button(voice.line("button.guess"), press(GUESS, code), "primary")
