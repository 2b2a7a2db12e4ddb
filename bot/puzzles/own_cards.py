"""Cards of moments in own games: the turn played, why it was worse, and the buttons onward and back to the game."""

from collections.abc import Sequence
from typing import Final

from bot.core.question_cards import button_rows
from bot.explanations import explain_mistake, explain_turn
from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.language.texts import Speaker, Text, join
from bot.puzzles import cards
from bot.puzzles.own_moments import OwnMistake, percent
from bot.puzzles.service import PuzzleBoard
from bot.thinking.own_moments import GoodTurn
from bot.words.describe import turn_number
from bot.words.lines import line_words
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


def result_words(board: PuzzleBoard, own: OwnMistake, speaker: Speaker) -> list[Text]:
    """Return how somebody has done on a moment, what was better and why, and what was wrong with what they played."""
    voice, state, choice = speaker.of(board.puzzle.game), own.state, own.choice
    better, played = own.actions(SHOW_BETTER), own.actions(SHOW_PLAYED)
    parts = [cards.mark_words(speaker, board.mark)]
    found = board.solving.done[0] if board.solving.done else ()
    if found and found != choice.better:
        parts.append(voice.say("own.as-good", move=line_words(voice, found)))
    lines = [
        join(parts, " "),
        voice.say("own.better", better=line_words(voice, choice.better)),
        explain_turn(voice, state, better, own.names),
        voice.say("own.played", played=line_words(voice, choice.played), **_figures(own, voice)),
        explain_mistake(voice, state, played, better, own.names),
    ]
    return [line for line in lines if line]


def ways_on(board: PuzzleBoard, own: OwnMistake, speaker: Speaker) -> list[Button]:
    """Return the buttons below a moment that is done with: the next one, the two turns, and the way back."""
    ways = []
    if own.at + 1 < own.count:
        following = press(MOMENTS_PRESS, own.game, 0, str(own.at + 1))
        ways.append(Button(speaker.line("button.own.next"), following, "primary"))
    ways.append(cards.control_button(board, speaker, "button.own.better", SHOW_BETTER))
    ways.append(cards.control_button(board, speaker, "button.own.played", SHOW_PLAYED))
    ways.append(cards.control_button(board, speaker, "button.puzzle.again", cards.RETRY))
    ways.append(back_button(speaker, own.game, primary=own.at + 1 == own.count))
    return ways


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


def _figures(own: OwnMistake, voice: Speaker) -> dict[str, str]:
    """Return the expected values of both turns, in words if proven."""
    choice = own.choice
    if not choice.proven:
        before, after = (voice.line("own.percent", n=percent(value)) for value in (choice.before, choice.after))
        return {"before": before, "after": after}
    words: Sequence[str] = [
        voice.line(f"own.proven.{'win' if value == 1.0 else 'loss' if value == 0.0 else 'draw'}")
        for value in (choice.before, choice.after)
    ]
    return {"before": words[0], "after": words[1]}
