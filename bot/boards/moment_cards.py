"""Cards about moments of one's own games besides their boards, and the buttons to them and back to the game."""

from typing import Final

from bot.kernel.cards import Button, Card
from bot.kernel.presses import press
from bot.kernel.question_cards import button_rows
from bot.kernel.texts import Speaker, Text, join
from bot.kernel.words.describe import line_words, turn_number
from bot.thinking.analyst import GoodTurn
from engine import games
from storage import MomentCounts

MOMENTS_PRESS: Final = "moments"
OWN: Final = "mine"
"""Which puzzle may be asked for: the moment of one's own games that is due."""
SHOW_PLAYED: Final = "played"
SHOW_BETTER: Final = "better"


def moments_button(speaker: Speaker, game: str) -> Button:
    """Return the button that opens a player's moments in a game."""
    return Button(speaker.line("button.own.moments"), press(MOMENTS_PRESS, game), "primary")


def back_button(speaker: Speaker, game: str, *, primary: bool = False) -> Button:
    """Return the button that leads back to the end of the game and its analysis."""
    return Button(speaker.line("button.own.game"), press("analysed", game), "primary" if primary else "plain")


def searching_card(speaker: Speaker, game: str, progress: tuple[int, int]) -> Card:
    """Return the card shown while a game is searched for moments."""
    done, total = progress
    look = Button(speaker.line("button.look"), press(MOMENTS_PRESS, game), "primary")
    return Card(speaker.say("own.searching", done=done, total=total), rows=button_rows([look]))


def nothing_found_card(speaker: Speaker, key: str, game: str, good: GoodTurn | None) -> Card:
    """Return the card for a game without moments, with what was well played."""
    voice = speaker.of(key)
    parts = [voice.say("own.none", game=voice.line("name"), code=game)]
    if good is not None:
        turn = turn_number(voice, games[key], good.turn)
        parts.append(voice.say("own.none.good", turn=turn, move=line_words(voice, good.played)))
    else:
        parts.append(voice.say("own.none.even"))
    return Card(join(parts), rows=button_rows([back_button(speaker, game, primary=True)]))


def none_due_card(speaker: Speaker, counts: MomentCounts, day: Text) -> Card:
    """Return the card shown if no moment is due: when the next one is, or how to get moments."""
    if not counts.total:
        return Card(speaker.say("own.no-moments"))
    return Card(speaker.say("own.none-due", n=counts.total, solved=counts.solved, day=day))


def profile_words(speaker: Speaker, counts: MomentCounts) -> list[Text]:
    """Return the line below one's own profile; nothing without moments."""
    if not counts.total:
        return []
    return [speaker.say("profile.own", n=counts.total, solved=counts.solved, due=counts.due)]
