"""Cards of a puzzle board: its goal, comments on the turns played, and the result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Final

from bot.core.question_cards import QuestionView, button_rows
from bot.entry.choices import Question
from bot.explanations import explain_oversight, explain_turn
from bot.interface.cards import Button, Card, Row, Style
from bot.interface.presses import OPEN_PUZZLE, PUZZLE_ANSWER, PUZZLE_CONTROL, TODAY_PRESS, press
from bot.language.texts import Parameter, Span, Speaker, Text, join, pin_text, strip_styles
from bot.play.card_parts import MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH
from bot.puzzles.puzzle import Goal, Puzzle
from bot.puzzles.service import PuzzleBoard
from bot.puzzles.solving import Judgement, PuzzleSentence, find_solution, goal_sentence, read_actions
from bot.words.describe import fit_or_shorten, full_words, position_words, turn_number
from bot.words.lines import line_words
from engine import Turn, games
from storage import PuzzleMark
from storage.puzzle_schema import GIVEN_UP

GO: Final = "go"
HINT: Final = "hint"
GIVE_UP: Final = "give"
GIVE_UP_YES: Final = "giveyes"
BACK: Final = "back"
WORDS: Final = "words"
SHARE: Final = "share"
RETRY: Final = "again"
SOLUTION_TURN: Final = "see"
"""The controls of a puzzle besides its choices."""
TODAY: Final = "today"
YESTERDAY: Final = "yesterday"
NEXT: Final = "next"
HERE: Final = "here"
"""Which puzzle may be asked for: one from games played here."""
"""Which puzzle may be asked for."""
PUZZLE_SCOPE: Final = "PUZZLES"
"""Placeholder for a game in buttons that open a puzzle, so that the message is not taken for one about the channel."""

MARK_GLYPHS: Final[Mapping[PuzzleMark, str]] = {"clean": "★", "errors": "☆", "hinted": "◇"}
UNSOLVED_GLYPH: Final = "✕"
"""The result of an attempt as one spoiler-free symbol."""


def attempt_code(attempt: int) -> str:
    """Return the code of an attempt in buttons; it is longer than any game's code."""
    return f"P{attempt:07}"


def read_attempt_code(code: str | None) -> int | None:
    """Return the number of a button's attempt, None if it has none."""
    number = (code or "")[1:]
    return int(number) if (code or "").startswith("P") and number.isdecimal() and len(number) < 10 else None


def open_puzzle_press(puzzle: str) -> str:
    """Return the payload of a button that opens a puzzle: by id, today's, yesterday's or the next one."""
    return press(OPEN_PUZZLE, PUZZLE_SCOPE, 0, puzzle)


def current_question(board: PuzzleBoard) -> Question | None:
    """Return the question to the solver, None if there is none."""
    if not board.asks:
        return None
    asked = board.line.ask()
    return asked if isinstance(asked, Question) else None


def goal_words(speaker: Speaker, puzzle: Puzzle, goal: Goal) -> Text:
    """Return the goal, or the rest of it, as a sentence."""
    return sentence_words(speaker.of(puzzle.game), goal_sentence(replace(puzzle, goal=goal)))


def puzzle_title(speaker: Speaker, puzzle: Puzzle, day: date | None) -> Text:
    """Return the title of a puzzle: its game, and its date if it is a current daily puzzle."""
    name = speaker.of(puzzle.game).line("name")
    if day is None:
        return speaker.say("puzzle.title", game=name)
    return speaker.say("puzzle.title.day", game=name, day=day_words(speaker, day))


def board_title(board: PuzzleBoard, speaker: Speaker) -> Text:
    """Return the text above a puzzle board."""
    if board.played:
        return speaker.say("puzzle.title.played", game=speaker.of(board.puzzle.game).line("name"))
    if board.own is None:
        return puzzle_title(speaker, board.puzzle, board.day)
    voice, choice = speaker.of(board.puzzle.game), board.own.choice
    turn = turn_number(voice, games[board.puzzle.game], choice.turn)
    at, count = board.own.at + 1, board.own.count
    return voice.say("own.title", game=voice.line("name"), turn=turn, code=board.own.game, at=at, count=count)


def day_words(speaker: Speaker, day: date) -> str:
    """Return a calendar date, independent of the reader's time zone."""
    return speaker.day(datetime.combine(day, time(12), UTC)).text


def puzzle_card(
    board: PuzzleBoard,
    speaker: Speaker,
    names: Sequence[str],
    *,
    said: Sequence[Text] = (),
    asked: Question | None = None,
    in_words: bool = False,
    at: int = 0,
    result: Sequence[Text] | None = None,
    ways: Sequence[Button] | None = None,
) -> Card:
    """Return the card of a board, without its picture; `said` comes after the goal, `asked` is what is being chosen.

    `at` is how many turns of the solution the board shows to somebody who has given up. `result` and `ways` stand in
    place of the words and buttons of a run that is over.
    """
    voice = speaker.of(board.puzzle.game)
    parts = [board_title(board, speaker)]
    if board.asks:
        parts.append(pin_text(goal_words(speaker, board.puzzle, board.solving.goal)))
    else:
        parts += result_words(board, speaker, names) if result is None else result
    parts += said
    rows: tuple[Row, ...] = ()
    presses = {}
    if asked is not None:
        code, revision = attempt_code(board.attempt.id), board.attempt.revision
        asking = QuestionView(voice, code, revision, private=True, deed=PUZZLE_ANSWER, state=board.line.state)
        parts.append(pin_text(asking.question(asked)))
        rows, presses = asking.rows(asked), dict(asking.presses(asked))
    text = join(parts)
    if in_words:
        room = MAX_CAPTION_LENGTH - len(strip_styles(text)) - 1
        state = board.line.state
        whole, brief = (position_words(voice, state, names, brief=each) for each in (False, True))
        words = fit_or_shorten(voice, whole, brief, room)
        text = join([text, (Span(words),)]) if words else text
    if asked is None or not asked.path:
        rows = (*rows, *(_ways(board, speaker, at) if ways is None else button_rows(ways)))
    return Card(text, rows=rows, presses=presses)


def overlooked_card(board: PuzzleBoard, speaker: Speaker, said: Sequence[Text]) -> Card:
    """Return the card of a wrong turn, without its picture, with the button back to the puzzle."""
    ways = [control_button(board, speaker, "button.puzzle.retry", GO, "primary")]
    ways.append(control_button(board, speaker, "button.puzzle.hint", HINT))
    ways.append(control_button(board, speaker, "button.puzzle.give-up", GIVE_UP))
    return Card(join([board_title(board, speaker), *said]), rows=button_rows(ways))


def confirm_card(board: PuzzleBoard, speaker: Speaker) -> Card:
    """Return the question whether to show the solution."""
    yes = control_button(board, speaker, "button.puzzle.give-up.yes", GIVE_UP_YES, "danger")
    words = speaker.say("puzzle.give-up.sure")
    return Card(
        join([board_title(board, speaker), pin_text(words)]),
        rows=((yes, control_button(board, speaker, "button.puzzle.give-up.no", GO)),),
    )


def words_card(board: PuzzleBoard, speaker: Speaker, names: Sequence[str]) -> Card:
    """Return a card without a picture that describes the position in words."""
    voice, line = speaker.of(board.puzzle.game), board.line
    whole, brief = (full_words(voice, line.state, line.shown_turn, names, brief=each) for each in (False, True))
    words = fit_or_shorten(voice, whole, brief, MAX_TEXT_LENGTH - 300)
    goal = goal_words(speaker, board.puzzle, board.solving.goal)
    parts = [board_title(board, speaker), goal, (Span(words),)]
    return Card(join(parts), rows=((control_button(board, speaker, "button.back", GO),),))


def judgement_words(board: PuzzleBoard, speaker: Speaker, judged: Judgement) -> list[Text]:
    """Return the comment on a right turn; empty for an incomplete one."""
    voice = speaker.of(board.puzzle.game)
    if judged.verdict == "right":
        move, reply = line_words(voice, judged.turn), line_words(voice, judged.reply)
        return [voice.say("puzzle.right", move=move, reply=reply)]
    return []


def overlooked_words(board: PuzzleBoard, speaker: Speaker, judged: Judgement, names: Sequence[str]) -> list[Text]:
    """Return what a wrong turn overlooks, and the effect of the reply."""
    voice = speaker.of(board.puzzle.game)
    parts = [voice.say("puzzle.wrong", move=line_words(voice, judged.turn))]
    if judged.overlooked is not None:
        parts.append(sentence_words(voice, PuzzleSentence(judged.overlooked.key, judged.overlooked.parameters)))
        before = judged.solving.line.state
        played = tuple(read_actions(before, judged.turn))
        reply = judged.overlooked.line[0] if judged.overlooked.line else ()
        answer = tuple(read_actions(Turn(0, board.puzzle.seat, played, before).after, reply))
        parts.append(explain_oversight(voice, before, played, answer, names))
    return [join([part for part in parts if part], " "), speaker.say("puzzle.wrong.back")]


def sentence_words(voice: Speaker, sentence: PuzzleSentence) -> Text:
    """Return a sentence about a puzzle; the speaker knows its game."""
    parameters: dict[str, Parameter] = dict(sentence.parameters)
    for name, value in sentence.parameters.items():
        if isinstance(value, tuple):
            parameters[name] = line_words(voice, [str(action) for action in value])
        elif isinstance(value, int) and name != "n":
            parameters[name] = voice.number(value)
    return voice.say(sentence.key, **parameters)


def solution_words(speaker: Speaker, puzzle: Puzzle, names: Sequence[str]) -> list[Text]:
    """Return how a puzzle is solved: its line, why its first turn is right, and what that turn does on the board."""
    voice, solution = speaker.of(puzzle.game), find_solution(puzzle)
    line = join([(line_words(voice, turn),) for turn in solution.turns], " · ")
    state = puzzle.state()
    why = explain_turn(voice, state, tuple(read_actions(state, solution.turns[0])), names)
    reason = join([each for each in (sentence_words(voice, solution.reason), why) if each], " ")
    return [voice.say("puzzle.solution", line=line), reason]


def result_words(board: PuzzleBoard, speaker: Speaker, names: Sequence[str]) -> list[Text]:
    """Return the result of an attempt, what it counts for, and the solution."""
    attempt = board.attempt
    parts = [mark_words(speaker, board.mark)]
    if board.streak:
        parts.append(speaker.say("puzzle.streak", n=board.streak))
    if board.first and attempt.rated is False:
        parts.append(speaker.say("puzzle.not-rated.hinted" if attempt.hints else "puzzle.not-rated.public"))
    if not board.first and not board.streak:
        parts.append(speaker.say("puzzle.known"))
    return [join(parts, " "), *solution_words(speaker, board.puzzle, names)]


def mark_words(speaker: Speaker, mark: PuzzleMark | None) -> Text:
    """Return the symbol of a result, with its meaning."""
    if mark is None:
        return speaker.say("puzzle.mark.unsolved", glyph=UNSOLVED_GLYPH)
    return speaker.say(f"puzzle.mark.{mark}", glyph=MARK_GLYPHS[mark])


def share_card(board: PuzzleBoard, speaker: Speaker) -> Card:
    """Return a result as a spoiler-free line of text for sharing."""
    mark = board.mark if board.first else board.attempt.mark
    name, result = speaker.of(board.puzzle.game).line("name"), strip_styles(mark_words(speaker, mark))
    if board.day is None:
        line = speaker.line("puzzle.share.line", game=name, result=result)
    else:
        line = speaker.line("puzzle.share.line.day", game=name, day=day_words(speaker, board.day), result=result)
    back = control_button(board, speaker, "button.back", GO)
    return Card(join([speaker.say("puzzle.share"), (Span(line, code=True),)]), rows=((back,),))


def open_button(speaker: Speaker, puzzle: str) -> Button:
    """Return the button that opens a puzzle by its id: *Try it* below a channel's message."""
    return Button(speaker.line("button.puzzle.try"), open_puzzle_press(puzzle), "primary")


def today_button(speaker: Speaker) -> Button:
    """Return the button that opens the puzzle of the day."""
    return Button(speaker.line("button.puzzle.today"), TODAY_PRESS)


def _ways(board: PuzzleBoard, speaker: Speaker, at: int) -> tuple[Row, ...]:
    """Return the buttons beside those that play."""
    if board.asks:
        ways = [control_button(board, speaker, "button.puzzle.back", BACK)] if board.solving.begun else []
        ways.append(control_button(board, speaker, "button.puzzle.hint", HINT))
        ways.append(control_button(board, speaker, "button.puzzle.give-up", GIVE_UP))
        ways.append(control_button(board, speaker, "button.words", WORDS))
        # Today's puzzle may be of a game that somebody has never seen.
        rules = press("rules", None, 0, board.puzzle.game)
        ways.append(Button(speaker.of(board.puzzle.game).line("button.rules"), rules))
        return button_rows(ways)
    further = HERE if board.played else NEXT
    following = press(OPEN_PUZZLE, PUZZLE_SCOPE, 0, further, board.puzzle.game)
    ways = _solution_ways(board, speaker, at) if board.over == GIVEN_UP else []
    ways.append(Button(speaker.line("button.puzzle.next"), following, "primary"))
    ways.append(control_button(board, speaker, "button.puzzle.share", SHARE))
    ways.append(control_button(board, speaker, "button.puzzle.again", RETRY))
    ways.append(control_button(board, speaker, "button.words", WORDS))
    return button_rows(ways)


def _solution_ways(board: PuzzleBoard, speaker: Speaker, at: int) -> list[Button]:
    """Return the buttons that play the solution on the board, forwards and backwards."""
    ways = [control_button(board, speaker, "button.try.back", f"{SOLUTION_TURN}{at - 1}")] if at else []
    if at < len(board.solving.solution().turns):
        ways.append(control_button(board, speaker, "button.try.on", f"{SOLUTION_TURN}{at + 1}"))
    return ways


def read_solution_turn(board: PuzzleBoard, text: str) -> int | None:
    """Return the number of solution turns in a button's payload; None for other buttons."""
    number = text.removeprefix(SOLUTION_TURN)
    known = (str(at) for at in range(len(board.solving.solution().turns) + 1))
    return int(number) if text.startswith(SOLUTION_TURN) and number in known else None


def control_button(board: PuzzleBoard, speaker: Speaker, key: str, deed: str, style: Style = "plain") -> Button:
    carried = press(PUZZLE_CONTROL, attempt_code(board.attempt.id), board.attempt.revision, deed)
    return Button(speaker.line(key), carried, style)
