"""Lessons: a coached first game, one kind of move at a time; first with scripted replies, then against a computer."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import structlog

from bot.boards.board import BoardScene, BoardStep, NoSuchBoard, PrivateBoard, open_board
from bot.kernel.cards import Button, Buttons, Card, Rows, Style
from bot.kernel.choices import Question, path_to
from bot.kernel.context import Context
from bot.kernel.explanations import explain_turn
from bot.kernel.forms import Values
from bot.kernel.line import Draws, Line, play_line, read_actions, read_line
from bot.kernel.names import name_seats
from bot.kernel.pictures import BoardView
from bot.kernel.presses import LESSON, LESSON_ANSWER, MENU_PRESS, TODAY_PRESS, Press, press, read_number
from bot.kernel.question_cards import button_rows, make_button, picking_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.rulebook.lessons import LessonPlan, LessonStep, lesson_of
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.words.describe import captured_cells, line_words, moves_text, turn_words
from bot.table.game_lookup import check_game_installed, resolve_game_key
from bot.thinking.thinkers import TURN_SECONDS, ThinkingFailed
from engine import Action, Turn, fair, games
from engine.core import EngineError
from engine.search import players
from storage import Json, Lesson, ProcessedEvent

LESSON_SCOPE: Final = "LESSON"
"""Placeholder for a game in buttons that open a lesson, so that its message does not count as one about the channel."""


def learn_button(speaker: Speaker, game: str) -> Button:
    """Return the button that opens the lesson of a game."""
    return make_button(speaker, "button.learn", "learn", LESSON_SCOPE, 0, game)


def learn_buttons(speaker: Speaker, game: str) -> Buttons:
    """Return the button that opens the lesson of a game; empty for a game without a lesson."""
    return (learn_button(speaker, game),) if lesson_of(game) is not None else ()


def lessons_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game to learn, with a page of those that have a lesson."""
    rows = picking_rows(
        speaker,
        [key for key in games if lesson_of(key) is not None],
        page,
        lambda key: make_button(speaker.of(key), "name", "learn", LESSON_SCOPE, 0, key),
        lambda other: press("learn", LESSON_SCOPE, 0, other),
    )
    return Card(speaker.say("learn.which"), rows=rows)


def welcome_card(speaker: Speaker, domain: str) -> Card:
    """Return the card for people who have just added the bot: how to start a first game.

    `domain` is that of the platform's catalogue.
    """
    voice = speaker.of(domain)
    names = voice.listing([speaker.game_name(key) for key in games])
    return Card(voice.say("welcome", games=names), rows=newcomer_rows(speaker))


def newcomer_rows(speaker: Speaker) -> Rows:
    """Return the buttons for the four first steps of a newcomer."""
    return button_rows(
        [
            make_button(speaker, "menu.play", "choose", style="primary"),
            make_button(speaker, "menu.learn", "learn", LESSON_SCOPE),
            Button(speaker.line("menu.puzzle"), TODAY_PRESS),
            make_button(speaker, "menu.menu", MENU_PRESS),
        ],
        2,
    )


OPPONENT_LEVEL: Final = 1
"""Level of the computer against which a learner plays out a game."""
HINT_LEVEL: Final = 3
"""Level of the computer that makes suggestions."""
_STORED_FIELDS: Final = ("at", "done", "tries", "turns")
"""The fields of a lesson's board that are stored unchanged."""
_WORD_PATTERN: Final = re.compile(r"\w+")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LessonBoard(PrivateBoard):
    """A person's progress in a lesson: the step, the number of its finished tasks, whether all are done, and the board.

    `tries` counts the restarts, `turns` the learner's turns in the game that is played out.
    """

    stored: Lesson
    plan: LessonPlan
    number: int
    line: Line
    at: int = 0
    done: bool = False
    tries: int = 0
    turns: int = 0

    kind = "lesson"
    answers = LESSON_ANSWER
    controls = LESSON
    separator = "\n\n"
    is_secret = False

    @property
    def code(self) -> str:
        """The lesson's number."""
        return str(self.stored.id)

    @property
    def game(self) -> str:
        """The key of the lesson's game."""
        return self.plan.game

    @property
    def step(self) -> LessonStep:
        """The current step."""
        return self.plan.steps[self.number]

    @property
    def seat(self) -> int:
        """The learner's seat: the one to move at the start of the step."""
        begun = next(step.position for step in self.plan.steps[self.number :: -1] if step.position is not None)
        return int(begun["to_move"])

    @property
    def asks(self) -> bool:
        """True if the learner has a task on the board."""
        return not self.done and self.line.state.to_move == self.seat

    @property
    def is_over(self) -> bool:
        """True once the last step is done."""
        return self.done and self.number + 1 == len(self.plan.steps)

    @property
    def rests(self) -> bool:
        """True if a step is done and the next one has not begun."""
        return self.done and not self.is_over

    @property
    def lesson_voice(self) -> Speaker:
        """The speaker for the words of the lesson."""
        return self.speaker.of(f"lesson-{self.game}")

    @classmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> Self:
        """Return the requester's lesson with a number; NoSuchBoard."""
        number = read_number(code)
        lesson = await context.store.lessons.get(number) if number is not None else None
        if lesson is None:
            raise NoSuchBoard("refusal.stale")
        if lesson.person != requester.id:
            button = learn_button(requester.speaker, lesson.game_key)
            raise NoSuchBoard("refusal.not-your-lesson", rows=((button,),))
        return cls.read(context, requester, lesson)

    @classmethod
    def read(cls, context: Context, requester: RequestContext, lesson: Lesson) -> Self:
        """Return a lesson's board; at its start if the lesson has changed. Refused without a plan."""
        plan = lesson_of(lesson.game_key)
        if lesson.game_key not in games:
            raise Refused("refusal.lesson-not-installed", name=lesson.game_key)
        if plan is None:
            raise Refused("refusal.no-lesson", game=lesson.game_key)
        number, state = plan.number(lesson.step), lesson.state
        start = cls(context, requester, lesson, plan, 0, plan.first_line(0))
        if lesson.step != plan.steps[number].name:
            return start
        try:
            line = read_line(games[lesson.game_key], state["position"], state["last_turn"])
        except (EngineError, KeyError):
            return start
        return replace(start, number=number, line=line, **{name: state[name] for name in _STORED_FIELDS})

    async def prepare(self) -> Self:
        """Return the lesson with its row."""
        state: Json = {"position": self.line.state.to_json(), "last_turn": self.line.to_json()}
        state |= {name: getattr(self, name) for name in _STORED_FIELDS}
        finished = self.context.clock() if self.is_over else self.stored.finished_at
        place = self.requester.place.id
        row = replace(self.stored, step=self.step.name, state=state, place=place, finished_at=finished)
        return replace(self, stored=row)

    async def write(self, processed: ProcessedEvent) -> None:
        """Store the lesson; Conflict."""
        await self.context.store.lessons.update(self.stored, self.context.clock(), processed)

    async def play(self, actions: Sequence[Action]) -> BoardStep:
        """Play actions of the learner that the step asks for, and the replies.

        If the step does not ask for one of them, play nothing, and return the comment on it.
        """
        if self.step.free:
            return await self._play_until_learner(actions)
        name, asks, voice = self.step.name, self.step.asks, self.lesson_voice
        state, at, said = self.line.state, self.at, list[Text]()
        acted = self.line.has_acted
        for action in actions:
            # In the middle of a turn, a single legal action is automatic, so there is no task for it.
            if at < len(asks) and not (acted and len(state.legal_actions()) == 1):
                ask = asks[at]
                if not ask.is_met(state, action):
                    answer = ask.answer(state, action)
                    key = f"{name}.other.{ask.number}" + (f".{answer}" if answer else "")
                    comment = voice.say(key) if voice.has(key) else self.speaker.say("learn.other")
                    return BoardStep(self, [comment], changed=False)
                at += 1
                key = f"{name}.well.{ask.number}"
                said = [voice.say(key)] if voice.has(key) else []
            state, acted = state.play(action), True
        line = play_line(self.line, actions, self._draws)[0]
        if at < len(asks):
            return BoardStep(replace(self, line=line, at=at), said)
        for text in self.step.reply:
            line = play_line(line, [line.state.read(text)], self._draws)[0]
        after = replace(self, line=line, at=at, done=True)
        if after.rests and self.plan.steps[self.number + 1].position is None:
            key = f"{name}.done"
            return BoardStep(after.next_step(), [voice.say(key)] if voice.has(key) else [])
        return BoardStep(after)

    async def press(self, path: Sequence[str]) -> BoardStep | Reply | None:
        """Show a suggestion, or go to another step."""
        match path:
            case ["hint"]:
                return await self.suggest()
            case ["next"] if self.done:
                return BoardStep(self.next_step())
            case ["skip"] if not self.done:
                return BoardStep(self.skip_step())
            case ["replay"] if self.done:
                return BoardStep(self.restarted(self.number))
            case ["start"]:
                return BoardStep(self.restarted())
        return None

    async def suggest(self) -> BoardStep | None:
        """Show a suggestion, with all of its choices except the last one already made."""
        if not self.asks:
            return None
        action = await self.find_suggestion()
        asked = self.line.ask(path_to(self.line.state, self.line.legal_actions, action)[:-1])
        shown = asked if isinstance(asked, Question) else None
        return BoardStep(self, [self._suggestion_words(action)], changed=False, asked=shown, suggested=True)

    def next_step(self) -> Self:
        """Return the start of the next step; after the last step, its end."""
        if self.number + 1 == len(self.plan.steps):
            return replace(self, done=True)
        number = self.number + 1
        return replace(self, number=number, line=self.plan.first_line(number, self.line), at=0, done=False)

    def skip_step(self) -> Self:
        """Return the start of the next step that does not depend on this one."""
        later = self.next_step()
        while later.step.position is None and not later.done:
            later = later.next_step()
        return later

    def restarted(self, number: int = 0) -> Self:
        """Return the start of a step of the lesson, with other dice."""
        line = self.plan.first_line(number)
        return replace(self, number=number, line=line, at=0, done=False, tries=self.tries + 1, turns=0)

    async def find_suggestion(self) -> Action:
        """Return a suggestion for the current position."""
        state = self.line.state
        if not self.step.free:
            return self.step.asks[self.at].suggested(state)
        try:
            iterations = players[self.game].level(HINT_LEVEL).iterations
            judged = await self.context.thinkers.analyse(
                state.to_json(), iterations, TURN_SECONDS, whose=self.stored.person, about=self._search_subject
            )
            return judged[0].action
        except ThinkingFailed as error:
            log.warning("lesson-suggestion-failed", lesson=self.stored.id, code=error.code)
            return state.random_action(self._draws(self.line.draws + 1))

    async def _play_until_learner(self, actions: Sequence[Action]) -> BoardStep:
        """Play the learner's actions and then the computer's, until the learner is to move or the game is over."""
        line, turns, count = self.line, list[Turn](), self.turns
        while True:
            before, line = line, play_line(line, actions, self._draws)[0]
            if line.finished is not None and line.finished is not before.finished:
                turns.append(line.finished)
            if before is self.line:
                count += len(turns)
            if line.state.to_move in (None, self.seat):
                break
            actions = await self._find_reply(line)
        over = line.state.to_move is None or count >= self.step.turns
        after = replace(self, line=line, turns=count, done=over and not line.has_acted)
        return BoardStep(after, [self.describe_turn(turn) for turn in turns if turn.own])

    async def _find_reply(self, line: Line) -> Sequence[Action]:
        """Return the computer's turn."""
        state, person = line.state, self.stored.person
        number = self.stored.id * 1000 + self.tries * 100 + self.turns
        try:
            texts = await self.context.thinkers.turn(
                state.to_json(), OPPONENT_LEVEL, number, whose=person, about=self._search_subject
            )
        except ThinkingFailed as error:
            # If the search fails, a random legal reply is better than none.
            log.warning("lesson-reply-failed", lesson=self.stored.id, code=error.code)
            return [state.random_action(self._draws(line.draws + 1))]
        return read_actions(state, texts)

    @property
    def _draws(self) -> Draws:
        seed = hashlib.sha256(f"lesson {self.stored.id} {self.stored.person}".encode()).hexdigest()
        return lambda number: fair.Draw(seed, f"{self.number} {self.tries}\n", number)

    @property
    def _search_subject(self) -> str:
        return f"lesson {self.stored.id}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names by seat: the learner, and the computer in all other seats."""
        learner, computer = self.requester.person.name, self.speaker.line("learn.computer")
        return name_seats(self.line.state.seats, self.seat, learner, computer)

    @property
    def scene(self) -> BoardScene:
        """The board from the learner's side."""
        return BoardScene(self.line, BoardView(viewer=self.seat))

    @property
    def resting_words(self) -> Text:
        """The words that say how to go on after a finished step."""
        return self.speaker.say("learn.go-on", next=self.speaker.line("button.lesson.next"))

    def words(self, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the words of the lesson for this step with its task; explanations are only shown once."""
        count, number = len(self.plan.steps), self.number + 1
        title = self.speaker.say("learn.title", game=self.voice.game_name(), number=number, count=count)
        taught = step.is_choosing or (bool(step.said) and not step.changed)
        asked = question if step.is_choosing else ()
        return [title, *step.said, *self._lesson_words(taught=taught), *asked]

    def _lesson_words(self, *, taught: bool) -> list[Text]:
        speaker, lesson, step = self.speaker, self.lesson_voice, self.step
        if self.done:
            done = lesson.say(f"{step.name}.done")
            return [self._ending, done, pin_text(speaker.say("learn.finished"))] if step.free else [pin_text(done)]
        taught = taught or bool(self.turns if step.free else self.at) or (step.free and self.line.has_acted)
        teach = () if taught else lesson.say(f"{step.name}.teach")
        number = 1 if step.free else step.asks[self.at].number
        task = pin_text(speaker.say("learn.task", task=lesson.say(f"{step.name}.task.{number}")))
        begun = self.line.begun if step.free and not self.line.has_acted else None
        dice = turn_words(self.voice, begun, self.names, reader=self.seat) if begun else ()
        return [teach, join([dice, task], " ")]

    def _suggestion_words(self, action: Action) -> Text:
        """Return a suggestion and its reason."""
        speaker, state = self.speaker, self.line.state
        in_words, typed = line_words(self.voice, [action]), moves_text(self.voice, [action])
        if action.verb in state.game.facts.picks:
            shown = speaker.say("learn.hint", move=in_words)
        elif in_words.text == typed.text:
            shown = speaker.say("learn.hint", move=typed)
        else:
            shown = speaker.say("learn.hint.typed", move=in_words, typed=typed)
        if self.step.free:
            return join([shown, explain_turn(speaker, state, [action], [Span(name) for name in self.names])], " ")
        hint = f"{self.step.name}.hint.{self.step.asks[self.at].number}"
        return join([self.lesson_voice.say(hint), shown], " ")

    @property
    def _ending(self) -> Text:
        """The words about the end of the game that was played out."""
        outcome = self.line.state.outcome
        if outcome is None:
            return self.speaker.say("learn.open") if self.turns else ()
        key = "learn.drawn" if outcome.winner is None else "learn.won" if outcome.winner == self.seat else "learn.lost"
        reason = f"reason.{outcome.reason}"
        return join([self.speaker.say(key), self.voice.say(reason) if self.voice.has(reason) else ()], " ")

    def describe_turn(self, turn: Turn) -> Text:
        """Return a turn of the game that is played out as text: the turn and its reason."""
        who = [Span(name, bold=True) for name in self.names]
        # A turn is judged after its dice.
        first = turn.actions.index(turn.own[0])
        begun = replace(turn, actions=turn.actions[:first]).after
        reason = explain_turn(self.speaker, begun, turn.actions[first:], who)
        # The words for the turn need not name captures that the reason names already.
        captured = {cell for cells in captured_cells(turn).values() for cell in cells}
        taking = not captured or not captured.issubset(_WORD_PATTERN.findall(strip_styles(reason)))
        return join([turn_words(self.voice, turn, who, reader=self.seat, taking=taking), reason], " ")

    def rows(self, step: BoardStep) -> Rows:
        """Return the buttons that lead through the lesson."""

        def button(action: str, style: Style = "plain") -> Button:
            return self.button(f"button.lesson.{action}", action, style=style)

        if self.is_over:
            computer = ("solo", None, 0, self.game, f"level:{OPPONENT_LEVEL}")
            further = (
                make_button(self.speaker, "button.lesson.computer", *computer, style="primary"),
                make_button(self.speaker, "button.lesson.friend", "new", None, 0, self.game),
            )
            return (further, (button("replay"), button("start")))
        if self.done:
            return ((button("next", "primary"), button("start")),)
        return (tuple(button(action) for action in ("hint", "skip", *(["start"] if self.number else []))),)


async def learn(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Begin or continue the lesson of a game; without a game, ask which."""
    if not values.get("game"):
        return Reply(lessons_card(requester.speaker))
    return await open_lesson(context, requester, await resolve_game_key(context, values["game"]))


async def press_learn(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that opens the lesson of a game; without one, ask which."""
    page = read_number(pressed.rest or "0")
    if page is not None:
        return Reply(lessons_card(requester.speaker, page), update=bool(pressed.rest))
    return await open_lesson(context, requester, pressed.rest)


async def open_lesson(context: Context, requester: RequestContext, game: str) -> Reply:
    """Begin or continue a lesson; a finished one begins again."""
    if game not in games:
        await check_game_installed(context, game)
    if lesson_of(game) is None:
        raise Refused("refusal.no-lesson", game=game)
    lesson = await context.store.lessons.begin(requester.id, game, context.clock())
    board = LessonBoard.read(context, requester, lesson)
    return await open_board(board.restarted() if board.is_over else board)


async def offer_lesson(context: Context, requester: RequestContext, game: str) -> Reply | None:
    """Return the offer of a lesson to a person who has never played a game; None for all others."""
    if lesson_of(game) is None or not await context.store.lessons.is_new_to(requester.id, game):
        return None
    speaker = requester.speaker
    words = speaker.say("learn.offer", game=speaker.of(game).game_span, key=game)
    return Reply(Card(words, rows=((learn_button(speaker, game),),)), private=True, update=True)
