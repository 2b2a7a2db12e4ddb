"""Commands and presses of puzzles, including the puzzle of the day."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.core.context import Context
from bot.core.question_cards import with_alt_prefix
from bot.core.request_context import RequestContext
from bot.entry.beginnings import parse_typed
from bot.entry.choices import NoSuchChoice, Question
from bot.entry.talk import is_talk_beside_board
from bot.explore.commands import reply_privately
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.texts import Text, join
from bot.pictures.artist import BoardView, choose_theme
from bot.pictures.hint_marks import hint_marks
from bot.play.card_parts import wants_text
from bot.play.game_lookup import resolve_game_key
from bot.puzzles import cards, own_cards, own_commands
from bot.puzzles import service as puzzles
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.daily import is_about_daily, switch_daily
from bot.puzzles.daily_cards import seat_names
from bot.puzzles.own_moments import OwnMistake
from bot.puzzles.played_games import find_played_puzzle, next_played_puzzle
from bot.puzzles.puzzle import Puzzle, puzzle_by_id, puzzles_of
from bot.puzzles.service import PuzzleBoard, next_puzzle
from bot.tables.line import Line
from bot.tables.table import with_current_turn
from engine import Action, EngineError
from render.marks import Choices
from storage import GameBrief, WaitingGame
from storage.puzzle_schema import GIVEN_UP


@dataclass(frozen=True, slots=True)
class PuzzleScene:
    """What the picture shows instead of the question: a line, a marked turn, or the cells of a hint."""

    line: Line
    marked: Sequence[Action] = ()
    cells: tuple[str, ...] = ()
    description: Text = ()
    """A description of the marks for the alternative text."""


MAX_MARKED_CELLS: Final = 12
"""Maximum number of selectable cells marked in a puzzle's picture."""

WHICH: Final = (cards.TODAY, cards.YESTERDAY, cards.NEXT, cards.HERE, own_cards.OWN)


async def puzzle(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Open today's puzzle, yesterday's, one of a game at one's level, or the next one at one's level."""
    if is_about_daily(values):
        return await switch_daily(context, asker, values)
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    which = values.get("which") or (cards.NEXT if game else cards.TODAY)
    if which == own_cards.OWN:
        return await _open_own(context, asker, await own_commands.find_due(context, asker, game))
    return await _open_which(context, asker, which, game)


async def press_puzzle(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Open a puzzle by its id, or as the command does."""
    which, *rest = pressed.path or (cards.TODAY,)
    if which in WHICH:
        game = await resolve_game_key(context, rest[0]) if rest else None
        if which == own_cards.OWN:
            return await _open_own(context, asker, await own_commands.find_due(context, asker, game))
        return await _open_which(context, asker, which, game)
    if (meant := puzzle_by_id(pressed.rest)) is not None:
        return await _open_board(context, asker, meant)
    meant = await find_played_puzzle(context, asker.person.id, pressed.rest)
    if meant is None:
        raise Refused("refusal.puzzle-gone")
    return await _open_board(context, asker, meant, played=True)


async def press_moments(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Open a moment of an own game: the first unsolved one, or one by its number."""
    reply = await _open_own(context, asker, await own_commands.find_moment(context, asker, pressed))
    return replace(reply, update=True)


async def press_answer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a choice on a puzzle board."""
    board = await _load_own_board(context, asker, pressed)
    if board.attempt.revision != pressed.revision or not board.asks:
        return await _board_reply(context, asker, board)
    try:
        asked = board.line.ask(pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await _board_reply(context, asker, board, asked=asked)
    return await _play(context, asker, board, [asked])


async def press_control(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a control: a hint, giving up, sharing the result, or another run."""
    board = await _load_own_board(context, asker, pressed)
    if board.attempt.revision != pressed.revision or pressed.rest == cards.GO:
        return await _board_reply(context, asker, board)
    if pressed.rest == cards.WORDS:
        return reply_privately(cards.words_card(board, asker.mine, board_names(asker, board)))
    if board.asks:
        if pressed.rest == cards.HINT:
            return await _hint_reply(context, asker, board)
        if pressed.rest == cards.GIVE_UP:
            # Asked below the board, so that a "no" goes on where they were.
            return await _with_picture(
                context, asker, board, reply_privately(cards.confirm_card(board, asker.mine)), None
            )
        if pressed.rest == cards.GIVE_UP_YES:
            return await _store_and_show(context, asker, puzzles.give_up(board))
        if pressed.rest == cards.BACK:
            return await _store_and_show(context, asker, puzzles.take_back(board))
    elif board.own is not None and pressed.rest in (own_cards.SHOW_PLAYED, own_cards.SHOW_BETTER):
        return await _own_turn(context, asker, board, pressed.rest)
    elif pressed.rest == cards.SHARE and board.own is None:
        return reply_privately(cards.share_card(board, asker.mine))
    elif pressed.rest == cards.RETRY:
        return await _store_and_show(context, asker, puzzles.restart(board))
    elif board.over == GIVEN_UP and (at := cards.read_solution_turn(board, pressed.rest)) is not None:
        return await _solution(context, asker, board, at)
    raise Refused("refusal.stale")


async def own_board(context: Context, asker: RequestContext, code: str) -> PuzzleBoard | None:
    """Return the puzzle of somebody that buttons name by a code; None where there is none, or it asks nothing."""
    number = cards.read_attempt_code(code)
    attempt = await context.store.puzzles.get_attempt(number) if number is not None else None
    if attempt is None or attempt.person != asker.person.id:
        return None
    board = puzzles.read_board(context, attempt)
    return board if board.asks else None


async def find_current_board(
    context: Context, asker: RequestContext, waiting: Sequence[GameBrief | WaitingGame]
) -> PuzzleBoard | None:
    """Return the puzzle that something typed here is for: the last one, unless a game has begun to wait since."""
    attempt = await context.store.puzzles.get_last_attempt(asker.person.id)
    return puzzles.board_among(context, attempt, asker, waiting)


async def play_typed_line(
    context: Context, asker: RequestContext, board: PuzzleBoard, text: str, *, elsewhere: bool, talk: bool
) -> Reply | None:
    """Handle a typed line as moves on a puzzle board; None if it is not meant for it.

    `elsewhere`: what cannot be played there may be for a game instead; `talk`: it may be just talk.
    """
    try:
        actions = parse_typed(board.line.state, text)
    except EngineError as error:
        if elsewhere or (talk and is_talk_beside_board(board.line.state, text)):
            return None
        return await _board_reply(context, asker, board, [engine_words(asker.mine, board.puzzle.game, error)])
    return await _play(context, asker, board, actions)


async def show_hint(context: Context, asker: RequestContext, board: PuzzleBoard) -> Reply:
    """Show a hint."""
    return await _hint_reply(context, asker, board)


async def _resolve_puzzle(context: Context, asker: RequestContext, which: str, game: str | None) -> Puzzle:
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


async def _open_which(context: Context, asker: RequestContext, which: str, game: str | None) -> Reply:
    """Open today's puzzle, yesterday's, or one that somebody has not tried; Refused where there is none."""
    if which != cards.HERE:
        return await _open_board(context, asker, await _resolve_puzzle(context, asker, which, game))
    found = await next_played_puzzle(context, asker.person.id, game)
    if found is None:
        raise Refused("refusal.no-played-puzzle")
    return await _open_board(context, asker, found, played=True)


async def _open_board(context: Context, asker: RequestContext, meant: Puzzle, *, played: bool = False) -> Reply:
    board = await puzzles.open_puzzle(context, asker, meant, played=played)
    return replace(await _board_reply(context, asker, board), update=False)


async def _load_own_board(context: Context, asker: RequestContext, pressed: Press) -> PuzzleBoard:
    """Return the board of a press; Refused if it is somebody else's."""
    number = cards.read_attempt_code(pressed.game)
    attempt = await context.store.puzzles.get_attempt(number) if number is not None else None
    if attempt is None:
        raise Refused("refusal.stale")
    if attempt.person != asker.person.id:
        raise Refused("refusal.not-your-puzzle", rows=((cards.open_button(asker.mine, attempt.puzzle),),))
    return puzzles.read_board(context, attempt)


async def _play(context: Context, asker: RequestContext, board: PuzzleBoard, actions: Sequence[Action]) -> Reply:
    after, judged = await puzzles.play_actions(context, board, actions)
    if judged.verdict != "wrong":
        return await _store_and_show(context, asker, after, cards.judgement_words(after, asker.mine, judged))
    said = cards.overlooked_words(board, asker.mine, judged, board_names(asker, board))
    line, answer = puzzles.record_refutation(board, judged)

    def overlooked(later: PuzzleBoard) -> Reply:
        return reply_privately(cards.overlooked_card(later, asker.mine, said))

    return await _store_and_reply(
        context, asker, after, overlooked, PuzzleScene(line, answer, description=join(said, " "))
    )


async def _hint_reply(context: Context, asker: RequestContext, board: PuzzleBoard) -> Reply:
    after = puzzles.give_hint(board)
    hint = after.solving.hint(after.hinted)
    state, turn = after.line.state, list[Action]()
    for text in hint.turn:
        turn.append(state.read(text))
        state = state.advance(turn[-1])
    said = cards.sentence_words(asker.mine.of(after.puzzle.game), hint.sentence)
    return await _store_and_show(context, asker, after, [said], PuzzleScene(after.line, turn, hint.cells, said))


async def _store_and_show(
    context: Context,
    asker: RequestContext,
    board: PuzzleBoard,
    said: Sequence[Text] = (),
    scene: PuzzleScene | None = None,
) -> Reply:
    """Store a board and show it."""

    def answer(after: PuzzleBoard) -> Reply:
        return reply_privately(_board_card(asker, after, said, cards.current_question(after)))

    return await _store_and_reply(context, asker, board, answer, scene)


async def _store_and_reply(
    context: Context,
    asker: RequestContext,
    board: PuzzleBoard,
    answer: Callable[[PuzzleBoard], Reply],
    scene: PuzzleScene | None = None,
) -> Reply:
    """Store a board and reply; after a conflict show the stored board."""
    try:
        after, reply = await puzzles.store_board(context, asker, board, answer)
    except Refused:
        attempt = await context.store.puzzles.get_attempt(board.attempt.id)
        if attempt is None:
            raise
        return await _board_reply(context, asker, puzzles.read_board(context, attempt))
    return await _with_picture(context, asker, after, reply, cards.current_question(after), scene)


async def _board_reply(
    context: Context,
    asker: RequestContext,
    board: PuzzleBoard,
    said: Sequence[Text] = (),
    asked: Question | None = None,
) -> Reply:
    """Show a board."""
    asked = asked or cards.current_question(board)
    return await _with_picture(context, asker, board, reply_privately(_board_card(asker, board, said, asked)), asked)


async def _solution(context: Context, asker: RequestContext, board: PuzzleBoard, at: int) -> Reply:
    """Show a board after a number of solution turns, with the next one marked."""
    reply = reply_privately(_board_card(asker, board, (), None, at))
    return await _with_picture(context, asker, board, reply, None, PuzzleScene(*puzzles.solution(board, at)))


async def _open_own(context: Context, asker: RequestContext, found: OwnMistake | Reply) -> Reply:
    """Show a moment of one's own games, or what was answered in its place."""
    if isinstance(found, Reply):
        return found
    board = await puzzles.open_own_moment(context, asker, found)
    return replace(await _board_reply(context, asker, board), update=False)


async def _own_turn(context: Context, asker: RequestContext, board: PuzzleBoard, which: str) -> Reply:
    """Show a finished moment with the turn that was played or the better one marked."""
    reply = reply_privately(_board_card(asker, board, (), None))
    return await _with_picture(context, asker, board, reply, None, _own_scene(board, which, asker))


def _own_scene(board: PuzzleBoard, which: str, asker: RequestContext) -> PuzzleScene | None:
    if board.own is None:
        return None
    actions = board.own.actions("played" if which == own_cards.SHOW_PLAYED else "better")
    about = asker.mine.say(f"own.alt.{which}")
    return PuzzleScene(Line(board.puzzle.state()), actions, description=about)


def _board_card(
    asker: RequestContext, board: PuzzleBoard, said: Sequence[Text], asked: Question | None, at: int = 0
) -> Card:
    wanted = wants_text(asker.person.settings, asker.place.effective)
    show = partial(
        cards.puzzle_card, board, asker.mine, board_names(asker, board), said=said, asked=asked, in_words=wanted, at=at
    )
    if board.own is None or board.asks:
        return show()
    result = own_cards.result_words(board, board.own, asker.mine)
    return show(result=result, ways=own_cards.ways_on(board, board.own, asker.mine))


async def _with_picture(
    context: Context,
    asker: RequestContext,
    board: PuzzleBoard,
    reply: Reply,
    asked: Question | None,
    scene: PuzzleScene | None = None,
) -> Reply:
    """Return a reply with the picture of its board or scene."""
    if reply.card is None:
        return reply
    if scene is None and board.over and board.own is not None:
        scene = _own_scene(board, own_cards.SHOW_BETTER, asker)
    if scene is None:
        scene = PuzzleScene(*puzzles.solution(board)) if board.over == GIVEN_UP else PuzzleScene(board.line)
    line, voice = scene.line, asker.mine.of(board.puzzle.game)
    view = BoardView(
        viewer=board.puzzle.seat,
        choices=_choices(scene, asked, pressed=context.draws_for_readers(asker.place.platform)),
        theme=choose_theme(asker.person.settings, asker.place.effective),
        hint=hint_marks(line.state, scene.marked) if scene.marked else None,
        wide=context.shows_small_pictures(asker.place.platform),
        caption=asker.mine.line("puzzle.caption" if board.own is None else "own.caption"),
    )
    earlier = with_current_turn(line, line.turns_since(board.puzzle.seat))[:-1]
    names = board_names(asker, board)
    drawn = seat_names(board.puzzle, asker.mine, asker.mine.line("daily.you")) if board.own is None else names
    picture = await context.artist.scene(line.state, line.shown_turn, voice, view, drawn, earlier, names)
    described = with_alt_prefix(picture, scene.description) if scene.description else picture
    return replace(reply, card=replace(reply.card, picture=described))


def _choices(scene: PuzzleScene, asked: Question | None, *, pressed: bool) -> Choices | None:
    """Return what a picture marks to choose from: the cells of a hint, or all that is asked."""
    if scene.marked:
        return None
    if scene.cells:
        return Choices(movable=scene.cells)
    if asked is None:
        return None
    choices = asked.marks(pressed=pressed)
    # A picture full of marks helps nobody: with more cells the column is asked first, and then its cells are marked.
    return choices if len(choices.targets) <= MAX_MARKED_CELLS else replace(choices, targets=())


def board_names(asker: RequestContext, board: PuzzleBoard) -> tuple[str, ...]:
    """Return the names by seat: the solver, and the opponent everywhere else; in own games everybody's own."""
    if board.own is not None:
        return board.own.names
    return seat_names(board.puzzle, asker.mine, asker.person.name)
