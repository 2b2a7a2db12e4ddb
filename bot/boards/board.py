"""A private board: a person, a position, a history and an opponent who answers; and the service of all its kinds.

The service loads a board, asks and plays on it, stores it, and shows it. Each kind only defines its differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Self

from bot.kernel.cards import Button, Card, Picture, Row, Rows, Style, TreeLine
from bot.kernel.choices import NoSuchChoice, Question
from bot.kernel.commandline import is_talk_beside_board, names_cells, parse_typed
from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.pictures import BoardView, choose_theme, hint_marks
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import QuestionView, with_alt_prefix
from bot.kernel.refusals import Refused, engine_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import BoardPost, Reply
from bot.kernel.table import with_current_turn
from bot.kernel.texts import Span, Speaker, Text, join, pin_text
from bot.kernel.words.describe import BoardWords
from bot.table.card_parts import MAX_TEXT_LENGTH, wants_text, with_position
from engine import Action, EngineError
from render.scene import Choices
from storage import Attempt, Conflict, Lesson, ProcessedEvent, StoredTree

MAX_DESCRIPTION_LENGTH: Final = MAX_TEXT_LENGTH - 300
"""Maximum length of a board as text, below its title and its goal."""
TURN_SEPARATOR: Final = ";"
"""Separator of turns typed in one line."""


class NoSuchBoard(Refused):
    """The requester has no such board."""


@dataclass(frozen=True, slots=True)
class BoardScene:
    """The content of a picture: a line in a view, with a marked turn, or the cells of a hint, instead of the choices.

    `words` describe the marks, before the alternative text. `names`, by seat, are only set if the picture has other
    names than the text. In a view of a tried line, only the last turn is marked, for all seats.
    """

    line: Line
    view: BoardView
    marked: Sequence[Action] = ()
    cells: tuple[str, ...] = ()
    words: Text = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardStep:
    """The result of a person's step on a board: the board after it, the words about it, and how to show it.

    `asked` is the question, unless it is the board's first one; `suggested`: a suggestion has answered the earlier
    ones. `card` makes a card that replaces the board's. `changed`: True if the board has to be stored.
    """

    board: PrivateBoard
    said: Sequence[Text] = ()
    changed: bool = True
    asked: Question | None = None
    suggested: bool = False
    scene: BoardScene | None = None
    card: Callable[[PrivateBoard], Card] | None = None

    @property
    def question(self) -> Question | None:
        """The question on the card."""
        return self.asked or self.board.question

    @property
    def is_choosing(self) -> bool:
        """True if a choice has begun."""
        return self.asked is not None and bool(self.asked.path)


@dataclass(frozen=True, slots=True)
class PrivateBoard(ABC):
    """A board of the requester; its kind defines the texts and the answers.

    `kind` is the name of its kind; `answers` and `controls` are the first words of its presses: choices, and everything
    else. `is_secret`: others must never see it. `low_priority`: boards of games go first. The picture marks at most
    `max_marked` targets.
    """

    kind: ClassVar[BoardPost]
    answers: ClassVar[str]
    controls: ClassVar[str]
    separator: ClassVar[str] = "\n"
    is_secret: ClassVar[bool] = True
    low_priority: ClassVar[bool] = False
    max_marked: ClassVar[int] = 1000

    context: Context
    requester: RequestContext
    stored: Lesson | Attempt | StoredTree

    if TYPE_CHECKING:  # some kinds have a field `line`, which a property of the base would shadow

        @property
        def line(self) -> Line:
            """The line of play with the unfinished turn."""

    @property
    @abstractmethod
    def code(self) -> str:
        """The board's code in buttons."""

    @property
    @abstractmethod
    def game(self) -> str:
        """The key of the board's game."""

    @property
    @abstractmethod
    def asks(self) -> bool:
        """True if the person has to choose something."""

    @property
    def rests(self) -> bool:
        """True if the board asks nothing, but goes on with a button."""
        return False

    @property
    def question(self) -> Question | None:
        """The question before anything is chosen, None if there is none."""
        asked = self.line.ask() if self.asks else None
        return asked if isinstance(asked, Question) else None

    @property
    def speaker(self) -> Speaker:
        """The speaker of the requester's language."""
        return self.requester.speaker

    @property
    def voice(self) -> Speaker:
        """The speaker who knows the words of the game."""
        return self.speaker.of(self.game)

    @classmethod
    @abstractmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> Self:
        """Return the requester's board with a code; NoSuchBoard, or Refused if the stored board is unreadable."""

    @abstractmethod
    async def play(self, actions: Sequence[Action]) -> BoardStep:
        """Return the step after legal actions of the person and the answer to them."""

    @abstractmethod
    async def press(self, path: Sequence[str]) -> BoardStep | Reply | None:
        """Return the step or reply of a control, None if it does not exist (any more)."""

    @abstractmethod
    async def suggest(self) -> BoardStep | None:
        """Return a step that shows a hint, None if there is none."""

    @abstractmethod
    async def prepare(self) -> Self:
        """Return the board as it is to be stored, with its row."""

    @abstractmethod
    async def write(self, processed: ProcessedEvent) -> None:
        """Store a prepared board; Conflict if it has changed meanwhile."""

    @abstractmethod
    def words(self, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the text, with the question if there is one."""

    @abstractmethod
    def rows(self, step: BoardStep) -> Sequence[Row]:
        """Return the buttons besides the answers."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names by seat, in sentences."""

    @property
    @abstractmethod
    def scene(self) -> BoardScene:
        """The content of the picture, unless the step has another scene."""

    @property
    def resting_words(self) -> Text:
        """The words for a person who types while the board rests."""
        return ()

    @property
    def tree_lines(self) -> tuple[TreeLine, ...]:
        """The tree that a web page shows next to the board."""
        return ()

    async def enter(self, text: str) -> BoardStep:
        """Return the step after a typed line; EngineError if it cannot be played."""
        return await self.play(parse_typed(self.line.state, text))

    def control(self, *path: str) -> str:
        """Return the payload of a control."""
        return press(self.controls, self.code, self.stored.revision, *path)

    def button(self, key: str, *path: str, style: Style = "plain") -> Button:
        """Return the button of a control."""
        return Button(self.voice.line(key), self.control(*path), style)

    def description_card(self, head: Sequence[Text], *back: str) -> Card:
        """Return a card without a picture that describes the board as text, with a button that leads back to it."""
        words = BoardWords(self.voice, self.line.state, self.line.shown_turn, self.names).fit(MAX_DESCRIPTION_LENGTH)
        return Card(join([*head, (Span(words),)]), rows=((self.button("button.back", *back),),))


async def press_board(kind: type[PrivateBoard], context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle a choice or another button of a board; a press without a path shows the board again."""
    board = await kind.load(context, requester, pressed.game)
    is_choice = pressed.deed == kind.answers
    if board.stored.revision != pressed.revision or not (board.asks if is_choice else pressed.path):
        return await show(board)
    if is_choice:
        try:
            asked = board.line.ask(pressed.path)
        except NoSuchChoice as error:
            raise Refused("refusal.stale") from error
        if isinstance(asked, Question):
            return await show_step(BoardStep(board, changed=False, asked=asked))
        return await show_step(await board.play([asked]))
    done = await board.press(pressed.path)
    if done is None:
        raise Refused("refusal.stale")
    return done if isinstance(done, Reply) else await show_step(done)


async def play_typed(board: PrivateBoard, text: str, *, has_waiting: bool = False, talk: bool) -> Reply | None:
    """Play a typed line on a board; None if it is not meant for this board.

    `has_waiting`: a game waits, so a line that cannot be played here may be meant for that game; `talk`: the line may
    be just talk.
    """
    if not board.asks and board.rests:
        if talk and not names_cells(text):
            return None
        return await show(board, [board.resting_words])
    try:
        step = await board.enter(text)
    except EngineError as error:
        first = text.partition(TURN_SEPARATOR)[0]
        if has_waiting or (talk and is_talk_beside_board(board.line.state, first)):
            return None
        return await show(board, [engine_words(board.speaker, board.game, error)])
    return await show_step(step)


async def show(board: PrivateBoard, said: Sequence[Text] = ()) -> Reply:
    """Show a board as it is."""
    return await show_step(BoardStep(board, said, changed=False))


async def open_board(board: PrivateBoard, said: Sequence[Text] = ()) -> Reply:
    """Store a board and show it in a new message."""
    return replace(await show_step(BoardStep(board, said)), update=False, apart=True)


async def show_step(step: BoardStep) -> Reply:
    """Store the board of a step, if it has changed, and show it; after a conflict, show the stored one."""
    if step.changed:
        board = await step.board.prepare()
        stored = replace(board.stored, revision=board.stored.revision + 1)
        step = replace(step, board=replace(board, stored=stored))
    shown, secret = step.board, step.board.is_secret
    card = _board_card(step) if step.card is None else step.card(shown)
    reply = Reply(card, update=True, apart=secret, secret=secret)
    if step.changed:
        try:
            await board.write(board.requester.receipt(reply))
        except Conflict as error:
            try:
                return await show(await type(board).load(board.context, board.requester, board.code))
            except NoSuchBoard:
                raise Refused("refusal.moved-on") from error
    return replace(reply, card=replace(card, picture=await _draw(step)))


def reply_privately(card: Card) -> Reply:
    """Return a reply with a card for the requester only, which replaces the pressed one."""
    return Reply(card, update=True, apart=True, secret=True)


def _board_card(step: BoardStep) -> Card:
    """Return the card of a board, without its picture."""
    board, asked, presses = step.board, step.question, dict[str, str]()
    question, rows, state = list[Text](), Rows(), board.line.state
    if asked is not None:
        asking = QuestionView(
            board.voice, board.code, board.stored.revision, private=True, deed=board.answers, state=state
        )
        question = [pin_text(asking.question(asked))]
        rows, presses = asking.rows(asked), dict(asking.presses(asked))
        if step.suggested and asked.piece is not None:
            # A suggestion names both cells: both can be pressed.
            presses.setdefault(asked.piece, asking.press(*asked.path))
    text = join(board.words(step, question), board.separator)
    if wants_text(board.requester.person.settings, board.requester.place.effective):
        text = with_position(text, board.voice, state, board.names, board.separator)
    return Card(text, rows=(*rows, *board.rows(step)), presses=presses, tree=board.tree_lines)


async def _draw(step: BoardStep) -> Picture | None:
    """Return the picture of the board or scene of a step."""
    board, context, requester = step.board, step.board.context, step.board.requester
    platform, scene = requester.place.platform, step.scene or board.scene
    line, view, names = scene.line, scene.view, board.names
    hint, choices, asked = None, None, step.question if step.card is None else None
    if scene.marked:
        hint = hint_marks(line.state, scene.marked)
    elif scene.cells:
        choices = Choices(movable=scene.cells)
    elif asked is not None:
        choices = asked.marks(pressed=context.draws_for_readers(platform))
        # Too many marks do not help: then the question is for the column first, and the next picture marks its cells.
        choices = choices if len(choices.targets) <= board.max_marked else replace(choices, targets=())
    view = replace(
        view,
        choices=choices,
        theme=choose_theme(requester.person.settings, requester.place.effective),
        hint=hint,
        wide=context.shows_small_pictures(platform),
    )
    turns = line.newest_turns[-1:] if view.tried else line.turns_since(view.viewer or 0)
    earlier, drawn = with_current_turn(line, turns)[:-1], scene.names or names
    picture = await context.artist.scene(line.state, line.shown_turn, board.voice, view, drawn, earlier, names)
    return with_alt_prefix(picture, scene.words) if scene.words else picture
