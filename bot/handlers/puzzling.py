"""Puzzles: today's, yesterday's, one of a game, or the next at one's level, on a board of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.choices import NoSuchChoice, Question, question
from bot.entry.talk import is_talk
from bot.handlers.finding import game_key
from bot.handlers.trying import told_alone
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.rich_text import Text
from bot.language.texts import join
from bot.pictures.artist import View, theme_of
from bot.pictures.hint_marks import marks
from bot.presenters import puzzles as cards
from bot.presenters.analysis import described
from bot.presenters.daily import seated
from bot.presenters.in_words import text_wanted
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.puzzle import Puzzle, puzzle_by_id, puzzles_of
from bot.services import puzzles
from bot.services.puzzle_picks import next_puzzle
from bot.services.puzzles import PuzzleBoard
from bot.tables.line import Line
from bot.tables.told import with_begun
from engine import Action, EngineError, games
from render.marks import Choices
from storage import GameBrief, WaitingGame
from storage.puzzles import GIVEN_UP


@dataclass(frozen=True, slots=True)
class PuzzleScene:
    """What the picture shows in place of the question: a line, a turn that is marked, cells that a hint names."""

    line: Line
    marked: Sequence[Action] = ()
    cells: tuple[str, ...] = ()
    told: Text = ()
    """What is said of it, for those who do not see the marks."""


WHICH: Final = (cards.TODAY, cards.YESTERDAY, cards.NEXT)


async def puzzle(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Open today's puzzle, yesterday's, one of a game at one's level, or the next one at one's level."""
    game = await game_key(context, values["game"]) if values.get("game") else None
    which = values.get("which") or (cards.NEXT if game else cards.TODAY)
    return await _open(context, asker, await _meant(context, asker, which, game))


async def press_puzzle(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that opens a puzzle, by its id or as the command would."""
    which, *rest = pressed.path or (cards.TODAY,)
    if which in WHICH:
        game = await game_key(context, rest[0]) if rest else None
        return await _open(context, asker, await _meant(context, asker, which, game))
    meant = puzzle_by_id(pressed.rest)
    if meant is None:
        raise Refused("refusal.puzzle-gone")
    return await _open(context, asker, meant)


async def press_answer(context: Context, asker: Asker, pressed: Press) -> Reply:
    """An answer in the tree of choices on such a board."""
    board = await _mine(context, asker, pressed)
    if board.attempt.revision != pressed.revision or not board.asks:
        return await _shown(context, asker, board)
    try:
        asked = question(games[board.puzzle.game].facts, board.line.state.legal_actions(), pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await _shown(context, asker, board, asked=asked)
    return await _played(context, asker, board, [asked])


async def press_way(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A button beside those that play: a hint, giving up, the result as text, another run."""
    board = await _mine(context, asker, pressed)
    if board.attempt.revision != pressed.revision or pressed.rest == cards.GO:
        return await _shown(context, asker, board)
    if pressed.rest == cards.WORDS:
        return told_alone(cards.words_card(board, asker.mine, names(asker, board)))
    if board.asks:
        if pressed.rest == cards.HINT:
            return await _hint(context, asker, board)
        if pressed.rest == cards.GIVE_UP:
            # Asked below the board, so that whoever says no goes on where they were.
            return await _with_picture(context, asker, board, told_alone(cards.sure_card(board, asker.mine)), None)
        if pressed.rest == cards.GIVE_UP_YES:
            return await _kept(context, asker, puzzles.given_up(board))
        if pressed.rest == cards.BACK:
            return await _kept(context, asker, puzzles.taken_back(board))
    elif pressed.rest == cards.SHARE:
        return told_alone(cards.share_card(board, asker.mine))
    elif pressed.rest == cards.AGAIN:
        return await _kept(context, asker, puzzles.once_more(board))
    elif board.over == GIVEN_UP and (at := cards.read_solution_turn(board, pressed.rest)) is not None:
        return await _solution(context, asker, board, at)
    raise Refused("refusal.stale")


async def own_board(context: Context, asker: Asker, code: str) -> PuzzleBoard | None:
    """Return the puzzle of somebody that buttons name by a code; None where there is none, or it asks nothing."""
    number = cards.read_attempt_code(code)
    attempt = await context.store.attempt_by_id(number) if number is not None else None
    if attempt is None or attempt.person != asker.person.id:
        return None
    board = puzzles.read(context, attempt)
    return board if board.asks else None


async def board_here(context: Context, asker: Asker, waiting: Sequence[GameBrief | WaitingGame]) -> PuzzleBoard | None:
    """Return the puzzle that something typed here is for: the last one, unless a game has begun to wait since."""
    attempt = await context.store.last_attempt(asker.person.id)
    return puzzles.board_among(context, attempt, asker, waiting)


async def typed_on(
    context: Context,
    asker: Asker,
    board: PuzzleBoard,
    text: str,
    *,
    elsewhere: bool,
    talk: bool,
) -> Reply | None:
    """Take a text as a line of play on a board; None if it is not for it.

    `elsewhere`: what cannot be played there may be for a game instead; `talk`: it may be just talk.
    """
    try:
        actions = board.line.state.parse(text)
    except EngineError as error:
        if elsewhere or (talk and is_talk(board.line.state, text)):
            return None
        return await _shown(context, asker, board, [engine_words(asker.mine, board.puzzle.game, error)])
    return await _played(context, asker, board, actions)


async def hint_on(context: Context, asker: Asker, board: PuzzleBoard) -> Reply:
    """Give a hint on a board."""
    return await _hint(context, asker, board)


async def _meant(context: Context, asker: Asker, which: str, game: str | None) -> Puzzle:
    """Return the puzzle that is asked for; Refused where there is none."""
    if game is not None and not puzzles_of(game):
        raise Refused("refusal.no-puzzles")
    if which == cards.NEXT:
        found = await next_puzzle(context, asker.person.id, game)
        if found is None:
            raise Refused("refusal.no-puzzle-left")
        return found
    day = puzzles.today(context, asker) - timedelta(days=which == cards.YESTERDAY)
    return puzzle_on(day)


async def _open(context: Context, asker: Asker, meant: Puzzle) -> Reply:
    board = await puzzles.opened(context, asker, meant)
    return replace(await _shown(context, asker, board), update=False)


async def _mine(context: Context, asker: Asker, pressed: Press) -> PuzzleBoard:
    """Return the board of a press; Refused if it is somebody else's."""
    number = cards.read_attempt_code(pressed.game)
    attempt = await context.store.attempt_by_id(number) if number is not None else None
    if attempt is None:
        raise Refused("refusal.stale")
    if attempt.person != asker.person.id:
        raise Refused("refusal.not-your-puzzle", rows=((cards.open_button(asker.mine, attempt.puzzle),),))
    return puzzles.read(context, attempt)


async def _played(context: Context, asker: Asker, board: PuzzleBoard, actions: Sequence[Action]) -> Reply:
    after, judged = await puzzles.acted(board, actions)
    if judged.verdict != "wrong":
        return await _kept(context, asker, after, cards.judged_words(after, asker.mine, judged))
    said = cards.overlooked_words(board, asker.mine, judged)
    line, answer = puzzles.refuted(board, judged)

    def overlooked(later: PuzzleBoard) -> Reply:
        return told_alone(cards.overlooked_card(later, asker.mine, said))

    return await _stored(context, asker, after, overlooked, PuzzleScene(line, answer, told=join(said, " ")))


async def _hint(context: Context, asker: Asker, board: PuzzleBoard) -> Reply:
    after = puzzles.helped(board)
    hint = after.solving.hint(after.hinted)
    state, turn = after.line.state, list[Action]()
    for text in hint.turn:
        turn.append(state.read(text))
        state = state.advance(turn[-1])
    said = cards.hint_words(after, asker.mine, hint)
    return await _kept(context, asker, after, [said], PuzzleScene(after.line, turn, hint.cells, said))


async def _kept(
    context: Context, asker: Asker, board: PuzzleBoard, said: Sequence[Text] = (), scene: PuzzleScene | None = None
) -> Reply:
    """Keep a board as it is now and show it."""

    def answer(after: PuzzleBoard) -> Reply:
        return told_alone(_card(asker, after, said, cards.asked_now(after)))

    return await _stored(context, asker, board, answer, scene)


async def _stored(
    context: Context,
    asker: Asker,
    board: PuzzleBoard,
    answer: Callable[[PuzzleBoard], Reply],
    scene: PuzzleScene | None = None,
) -> Reply:
    """Keep a board as it is now and answer; where somebody was faster, show what they have left."""
    try:
        after, reply = await puzzles.keep(context, asker, board, answer)
    except Refused:
        attempt = await context.store.attempt_by_id(board.attempt.id)
        if attempt is None:
            raise
        return await _shown(context, asker, puzzles.read(context, attempt))
    return await _with_picture(context, asker, after, reply, cards.asked_now(after), scene)


async def _shown(
    context: Context, asker: Asker, board: PuzzleBoard, said: Sequence[Text] = (), asked: Question | None = None
) -> Reply:
    """Show a board as it is."""
    asked = asked or cards.asked_now(board)
    return await _with_picture(context, asker, board, told_alone(_card(asker, board, said, asked)), asked)


async def _solution(context: Context, asker: Asker, board: PuzzleBoard, at: int) -> Reply:
    """Show a board after so many turns of the solution, with the next one marked."""
    reply = told_alone(_card(asker, board, (), None, at))
    return await _with_picture(context, asker, board, reply, None, PuzzleScene(*puzzles.solution(board, at)))


def _card(asker: Asker, board: PuzzleBoard, said: Sequence[Text], asked: Question | None, at: int = 0) -> Card:
    wanted = text_wanted(asker.person.settings, asker.place.effective)
    return cards.puzzle_card(board, asker.mine, names(asker, board), said=said, asked=asked, in_words=wanted, at=at)


async def _with_picture(
    context: Context,
    asker: Asker,
    board: PuzzleBoard,
    reply: Reply,
    asked: Question | None,
    scene: PuzzleScene | None = None,
) -> Reply:
    """Return a reply with the picture of its board, or of what there is to see besides."""
    if reply.card is None:
        return reply
    if scene is None:
        scene = PuzzleScene(*puzzles.solution(board)) if board.over == GIVEN_UP else PuzzleScene(board.line)
    line, voice = scene.line, asker.mine.of(board.puzzle.game)
    view = View(
        viewer=board.puzzle.seat,
        choices=_choices(scene, asked),
        theme=theme_of(asker.person.settings, asker.place.effective),
        hint=marks(games[board.puzzle.game].facts, scene.marked) if scene.marked else None,
        wide=context.shows_low(asker.place.platform),
    )
    earlier = with_begun(line, line.since(board.puzzle.seat))[:-1]
    drawn = seated(board.puzzle, asker.mine, asker.mine.line("daily.you"))
    picture = await context.artist.scene(line.state, line.shown, voice, view, drawn, earlier, names(asker, board))
    told = described(picture, scene.told) if scene.told else picture
    return replace(reply, card=replace(reply.card, picture=told))


def _choices(scene: PuzzleScene, asked: Question | None) -> Choices | None:
    """Return what a picture marks to choose from: the cells of a hint, or all that is asked."""
    if scene.marked:
        return None
    if scene.cells:
        return Choices(movable=scene.cells)
    return asked.marks if asked is not None else None


def names(asker: Asker, board: PuzzleBoard) -> tuple[str, ...]:
    """Return the names by seat: the solver, and the opponent everywhere else."""
    return seated(board.puzzle, asker.mine, asker.person.name)
