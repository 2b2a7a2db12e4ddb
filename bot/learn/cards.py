"""Cards of a lesson: what it teaches, what it asks for, and comments on what was played."""

import re
from collections.abc import Sequence
from typing import Final

from bot.core.game_pages import picking_rows
from bot.core.question_cards import LESSON_CHOICE, QuestionView, button_pairs
from bot.entry.choices import Question
from bot.explanations import explain_turn
from bot.interface.cards import Button, Card, Row, Style
from bot.interface.presses import MENU_PRESS, TODAY_PRESS, press
from bot.language.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.learn.service import OPPONENT_LEVEL, Feedback, Progress
from bot.lessons import lesson_of
from bot.play.card_parts import MAX_CAPTION_LENGTH
from bot.words import words
from bot.words.describe import fit_or_shorten, moves_text, position_words, turn_words
from bot.words.lines import line_words
from engine import Action, Turn, games

NEXT: Final = "next"
HINT: Final = "hint"
SKIP: Final = "skip"
REPLAY: Final = "replay"
START: Final = "start"
"""Actions in a lesson besides playing."""

_WORD_PATTERN: Final = re.compile(r"\w+")

LESSON_SCOPE: Final = "LESSON"
"""Placeholder for a game in buttons that open a lesson, so that its message does not count as one about the channel."""


def find_question(progress: Progress, path: Sequence[str] = ()) -> Question | None:
    """Return the question to the learner after some answers, None if there is none; NoSuchChoice."""
    if not progress.asks:
        return None
    asked = progress.line.ask(path)
    return asked if isinstance(asked, Question) else None


def lesson_card(
    progress: Progress,
    speaker: Speaker,
    names: Sequence[str],
    *,
    said: Sequence[Text] = (),
    asked: Question | None = None,
    in_words: bool = False,
    taught: bool = False,
) -> Card:
    """Return the card of a lesson, without its picture; `said` comes first, `asked` is the current question.

    `taught`: True if the step has been explained already, so that only its task is shown.
    """
    voice = speaker.of(progress.plan.game)
    count, number = len(progress.plan.steps), progress.number + 1
    title = speaker.say("learn.title", game=voice.line("name"), number=number, count=count)
    parts = [title, *said, *_words(progress, speaker, names, taught or bool(asked and asked.path))]
    rows: tuple[Row, ...] = ()
    presses = {}
    if asked is not None:
        asking = QuestionView(
            voice,
            str(progress.lesson.id),
            progress.lesson.revision,
            private=True,
            deed=LESSON_CHOICE,
            state=progress.line.state,
        )
        if asked.path:
            parts.append(pin_text(asking.question(asked)))
        rows, presses = asking.rows(asked), dict(asking.presses(asked))
    text = join(parts, "\n\n")
    if in_words:
        room = MAX_CAPTION_LENGTH - len("".join(span.text for span in text)) - 2
        state = progress.line.state
        whole, brief = (position_words(voice, state, names, brief=each) for each in (False, True))
        words = fit_or_shorten(voice, whole, brief, room)
        text = join([text, (Span(words),)], "\n\n") if words else text
    return Card(text, rows=(*rows, *_rows(progress, speaker)), presses=presses)


def comment_words(progress: Progress, said: Feedback, speaker: Speaker, names: Sequence[str]) -> Text:
    """Return a comment in words; empty if the lesson has none for it."""
    voice = speaker.of(progress.plan.game)
    if said.turn is not None:
        who = [Span(name, bold=True) for name in names]
        reason = _reason(speaker, said.turn, who)
        turn_text = turn_words(
            voice, said.turn, who, reader=progress.seat, taking=not _names_all_captures(reason, said.turn)
        )
        return join([turn_text, reason], " ")
    lesson = lesson_speaker(progress, speaker)
    if lesson.has(said.key):
        return lesson.say(said.key)
    return speaker.say("learn.other") if ".other." in said.key else ()


def suggestion_words(progress: Progress, speaker: Speaker, action: Action, names: Sequence[str]) -> Text:
    """Return a suggestion, and what it is good for."""
    voice = speaker.of(progress.plan.game)
    in_words, typed = line_words(voice, [action]), moves_text(voice, [action])
    if action.verb in progress.line.state.game.facts.picks:
        shown = speaker.say("learn.hint", move=in_words)
    elif in_words.text == typed.text:
        shown = speaker.say("learn.hint", move=typed)
    else:
        shown = speaker.say("learn.hint.typed", move=in_words, typed=typed)
    if progress.step.free:
        return join([shown, explain_turn(speaker, progress.line.state, [action], [Span(name) for name in names])], " ")
    hint = f"{progress.step.name}.hint.{progress.step.asks[progress.at].number}"
    return join([lesson_speaker(progress, speaker).say(hint), shown], " ")


def lesson_speaker(progress: Progress, speaker: Speaker) -> Speaker:
    """Return the speaker of a lesson's words."""
    return speaker.of(f"lesson-{progress.plan.game}")


def offer_card(speaker: Speaker, game: str) -> Card:
    """Return the offer of a lesson to a person who has never played a game."""
    name = speaker.of(game).line("name")
    return Card(
        speaker.say("learn.offer", game=Span(name, bold=True), key=game), rows=((learn_button(speaker, game),),)
    )


def learn_button(speaker: Speaker, game: str) -> Button:
    """Return the button that opens the lesson of a game."""
    return Button(speaker.line("button.learn"), press("learn", LESSON_SCOPE, 0, game))


def learn_buttons(speaker: Speaker, game: str) -> tuple[Button, ...]:
    """Return the button that opens the lesson of a game, none for a game without one."""
    return (learn_button(speaker, game),) if lesson_of(game) is not None else ()


def lessons_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game to learn, with a page of those that have a lesson."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), press("learn", LESSON_SCOPE, 0, key))

    taught = [key for key in games if lesson_of(key) is not None]
    rows = picking_rows(speaker, taught, page, button, lambda other: press("learn", LESSON_SCOPE, 0, other))
    return Card(speaker.say("learn.which"), rows=rows)


def _reason(speaker: Speaker, turn: Turn, names: Sequence[Span]) -> Text:
    """Return what a turn was good for, judged after its dice."""
    state, actions = turn.before, list(turn.actions)
    while actions and not state.game.facts.by_player(actions[0]):
        state = state.play(actions.pop(0))
    return explain_turn(speaker, state, actions, names) if actions else ()


def _names_all_captures(reason: Text, turn: Turn) -> bool:
    """Return True if the reason names everything that the turn captured."""
    cells = [cell for taken in words[turn.before.game.key].captured(turn).values() for cell in taken]
    named = set(_WORD_PATTERN.findall(strip_styles(reason)))
    return bool(cells) and named.issuperset(cells)


def _words(progress: Progress, speaker: Speaker, names: Sequence[str], taught: bool) -> list[Text]:
    """Return the lesson's own text at this point."""
    lesson_voice, step = lesson_speaker(progress, speaker), progress.step
    if step.free:
        if progress.done:
            return [
                _ending(progress, speaker),
                lesson_voice.say(f"{step.name}.done"),
                pin_text(speaker.say("learn.finished")),
            ]
        begun = progress.line.begun
        voice, seat = speaker.of(progress.plan.game), progress.seat
        dice = turn_words(voice, begun, names, reader=seat) if begun and not progress.line.has_acted else ()
        teach = () if taught or progress.turns or progress.line.has_acted else lesson_voice.say(f"{step.name}.teach")
        return [teach, join([dice, _task(speaker, lesson_voice.say(f"{step.name}.task.1"))], " ")]
    if progress.done:
        return [pin_text(lesson_voice.say(f"{step.name}.done"))]
    ask = step.asks[progress.at]
    teach = () if taught or progress.at else lesson_voice.say(f"{step.name}.teach")
    return [teach, _task(speaker, lesson_voice.say(f"{step.name}.task.{ask.number}"))]


def _task(speaker: Speaker, words: Text) -> Text:
    return pin_text(speaker.say("learn.task", task=words))


def _ending(progress: Progress, speaker: Speaker) -> Text:
    """Return how the game that was played out has ended."""
    outcome = progress.line.state.outcome
    if outcome is None:
        return speaker.say("learn.open") if progress.turns else ()
    key = "learn.won" if progress.won else "learn.drawn" if outcome.winner is None else "learn.lost"
    voice = speaker.of(progress.plan.game)
    reason = voice.say(f"reason.{outcome.reason}") if voice.has(f"reason.{outcome.reason}") else ()
    return join([speaker.say(key), reason], " ")


def _rows(progress: Progress, speaker: Speaker) -> tuple[Row, ...]:
    """Return the buttons that lead through a lesson."""

    def button(key: str, deed: str, style: Style = "plain") -> Button:
        carried = press("lesson", str(progress.lesson.id), progress.lesson.revision, deed)
        return Button(speaker.line(key), carried, style)

    if progress.done and progress.number + 1 == len(progress.plan.steps):
        game = progress.plan.game
        computer = press("solo", None, 0, game, f"level:{OPPONENT_LEVEL}")
        return (
            (
                Button(speaker.line("button.lesson.computer"), computer, "primary"),
                Button(speaker.line("button.lesson.friend"), press("new", None, 0, game)),
            ),
            (button("button.lesson.replay", REPLAY), button("button.lesson.start", START)),
        )
    if progress.done:
        return ((button("button.lesson.next", NEXT, "primary"), button("button.lesson.start", START)),)
    buttons = [button("button.lesson.hint", HINT)]
    buttons.append(button("button.lesson.skip", SKIP))
    if progress.number:
        buttons.append(button("button.lesson.start", START))
    return (tuple(buttons),)


def welcome_card(speaker: Speaker, domain: str) -> Card:
    """Return the card for people who have just added the bot: how to start a first game.

    `domain` is that of the platform's catalogue.
    """
    voice = speaker.of(domain)
    names = voice.listing([speaker.of(key).line("name") for key in games])
    return Card(voice.say("welcome", games=names), rows=newcomer_rows(speaker))


def newcomer_rows(speaker: Speaker) -> tuple[Row, ...]:
    """Return the four things to begin with."""
    return button_pairs(
        [
            Button(speaker.line("menu.play"), press("choose"), "primary"),
            Button(speaker.line("menu.learn"), press("learn", LESSON_SCOPE)),
            Button(speaker.line("menu.puzzle"), TODAY_PRESS),
            Button(speaker.line("menu.menu"), press(MENU_PRESS)),
        ]
    )
