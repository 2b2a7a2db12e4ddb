"""Commands and presses of lessons: a coached first game, one kind of move at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.context import Context
from bot.core.game_pages import read_page
from bot.core.request_context import RequestContext
from bot.entry.beginnings import parse_typed
from bot.entry.choices import NoSuchChoice, Question, path_to
from bot.entry.talk import is_talk_beside_board, names_cells
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.texts import Text
from bot.learn import cards
from bot.learn import service as lessons
from bot.learn.service import Progress
from bot.lessons import lesson_of
from bot.pictures.artist import BoardView, choose_theme
from bot.play.card_parts import wants_text
from bot.play.game_lookup import check_game_installed, resolve_game_key
from bot.tables.table import with_current_turn
from engine import Action, EngineError, games
from storage import GameBrief, WaitingGame


async def learn(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Begin or continue the lesson of a game; without a game, ask which."""
    if not values.get("game"):
        return Reply(cards.lessons_card(asker.mine), private=True)
    return await open_lesson(context, asker, await resolve_game_key(context, values["game"]))


async def press_learn(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that opens the lesson of a game; without one, ask which."""
    page = read_page(pressed.rest or "0")
    if page is not None:
        return Reply(cards.lessons_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return await open_lesson(context, asker, pressed.rest)


async def open_lesson(context: Context, asker: RequestContext, game: str) -> Reply:
    """Begin or continue a lesson; a finished one begins again."""
    if game not in games:
        await check_game_installed(context, game)
    if lesson_of(game) is None:
        raise Refused("refusal.no-lesson", game=game)
    progress = lessons.load_lesson(await context.store.lessons.begin(asker.person.id, game, context.clock()))
    if progress.is_over:
        progress = lessons.restart(progress)
    return replace(await _store_and_show(context, asker, progress), update=False, apart=True)


async def press_lesson(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a button that leads through a lesson."""
    progress = await _load_own_lesson(context, asker, pressed)
    if progress.lesson.revision != pressed.revision:
        return await _lesson_reply(context, asker, progress)
    if pressed.rest == cards.HINT and progress.asks:
        return await show_hint(context, asker, progress)
    if pressed.rest == cards.NEXT and progress.done:
        return await _store_and_show(context, asker, lessons.next_step(progress))
    if pressed.rest == cards.SKIP and not progress.done:
        return await _store_and_show(context, asker, lessons.skip_step(progress))
    if pressed.rest == cards.REPLAY and progress.done:
        return await _store_and_show(context, asker, lessons.restart(progress, progress.number))
    if pressed.rest == cards.START:
        return await _store_and_show(context, asker, lessons.restart(progress))
    raise Refused("refusal.stale")


async def press_answer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle an answer in the tree of choices of a lesson."""
    progress = await _load_own_lesson(context, asker, pressed)
    if progress.lesson.revision != pressed.revision or not progress.asks:
        return await _lesson_reply(context, asker, progress)
    try:
        asked = progress.line.ask(pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await _lesson_reply(context, asker, progress, asked=asked)
    return await _play(context, asker, progress, [asked])


async def play_typed_line_in_lesson(
    context: Context,
    asker: RequestContext,
    text: str,
    waiting: Sequence[GameBrief | WaitingGame],
    *,
    talk: bool,
    only: bool = False,
) -> Reply | None:
    """Play a text as a line in the lesson that is open here; None if it is not meant for a lesson.

    `waiting` are the games that it may be meant for instead; `only`: True if none of them accepts it; `talk`: True if
    it may be just talk.
    """
    known = await context.store.lessons.list_for_person(asker.person.id)
    progress = lessons.find_lesson_among(known, asker, waiting)
    if progress is None:
        resting = None if waiting else lessons.find_resting_lesson(known, asker)
        return None if resting is None else await answer_between_steps(context, asker, resting, text, talk=talk)
    return await play_typed_line(context, asker, progress, text, elsewhere=bool(waiting) and not only, talk=talk)


async def play_typed_line(
    context: Context, asker: RequestContext, progress: Progress, text: str, *, elsewhere: bool, talk: bool
) -> Reply | None:
    """Play a text as a line in a lesson that asks for one; None if it is not meant for it.

    `elsewhere`: True if an unplayable text may be meant for a game instead; `talk`: True if it may be just talk.
    """
    try:
        actions = parse_typed(progress.line.state, text)
    except EngineError as error:
        if elsewhere or (talk and is_talk_beside_board(progress.line.state, text)):
            return None
        said = engine_words(asker.mine, progress.plan.game, error)
        return await _lesson_reply(context, asker, progress, [said])
    return await _play(context, asker, progress, actions)


async def answer_between_steps(
    context: Context, asker: RequestContext, progress: Progress, text: str, *, talk: bool
) -> Reply | None:
    """Say how a lesson goes on whose step is done; None if a text is not meant for it.

    `talk`: True if it may be just talk.
    """
    if talk and not names_cells(text):
        return None
    said = asker.mine.say("learn.go-on", next=asker.mine.line("button.lesson.next"))
    return await _lesson_reply(context, asker, progress, [said])


async def find_open_lesson(context: Context, asker: RequestContext, code: str) -> Progress | None:
    """Return the asker's lesson by the code in its buttons; None if there is none, or it is over."""
    lesson = await context.store.lessons.get(int(code)) if code.isdecimal() and len(code) < 10 else None
    if lesson is None or lesson.person != asker.person.id or lesson_of(lesson.game_key) is None:
        return None
    progress = lessons.load_lesson(lesson)
    return None if progress.is_over else progress


async def find_own_lesson(context: Context, asker: RequestContext, code: str) -> Progress | None:
    """Return the asker's lesson by the code in its buttons; None if there is none, or it asks for nothing."""
    progress = await find_open_lesson(context, asker, code)
    return progress if progress is not None and progress.asks else None


async def offer_lesson(context: Context, asker: RequestContext, game: str) -> Reply | None:
    """Return the offer of a lesson to a person who has never played a game; None for all others."""
    if lesson_of(game) is None or not await context.store.lessons.is_new_to(asker.person.id, game):
        return None
    return Reply(cards.offer_card(asker.mine, game), private=True, update=True)


async def _load_own_lesson(context: Context, asker: RequestContext, pressed: Press) -> Progress:
    """Return the lesson of a press; Refused if it is another person's."""
    number = pressed.game or ""
    lesson = await context.store.lessons.get(int(number)) if number.isdecimal() and len(number) < 10 else None
    if lesson is None:
        raise Refused("refusal.stale")
    if lesson.person != asker.person.id:
        button = cards.learn_button(asker.mine, lesson.game_key)
        raise Refused("refusal.not-your-lesson", rows=((button,),))
    return lessons.load_lesson(lesson)


async def _play(context: Context, asker: RequestContext, progress: Progress, actions: Sequence[Action]) -> Reply:
    after, said = await lessons.play(context, progress, actions)
    names = _seat_names(asker, progress)
    words = [comment for each in said if (comment := cards.comment_words(progress, each, asker.mine, names))]
    if after is progress:
        return await _lesson_reply(context, asker, progress, words)
    return await _store_and_show(context, asker, after, words)


async def show_hint(context: Context, asker: RequestContext, progress: Progress) -> Reply:
    """Show a suggestion, with the choices before its last one already made."""
    action = await lessons.suggest(context, progress)
    path = path_to(progress.line.state, progress.line.legal_actions, action)
    said = cards.suggestion_words(progress, asker.mine, action, _seat_names(asker, progress))
    return await _lesson_reply(context, asker, progress, [said], cards.find_question(progress, path[:-1]))


async def _store_and_show(
    context: Context, asker: RequestContext, progress: Progress, said: Sequence[Text] = ()
) -> Reply:
    """Store the lesson's progress and show it; if it has changed meanwhile, show the stored state."""

    def answer(after: Progress) -> Reply:
        return Reply(_lesson_card(asker, after, said, cards.find_question(after)), private=True, update=True)

    finished = progress.is_over
    try:
        after, reply = await lessons.store_lesson(context, asker, progress, answer, finished=finished)
    except Refused:
        lesson = await context.store.lessons.get(progress.lesson.id)
        if lesson is None:
            raise
        return await _lesson_reply(context, asker, lessons.load_lesson(lesson))
    return await _with_picture(context, asker, after, reply, cards.find_question(after))


async def _lesson_reply(
    context: Context,
    asker: RequestContext,
    progress: Progress,
    said: Sequence[Text] = (),
    asked: Question | None = None,
) -> Reply:
    """Show a lesson as it is."""
    asked = asked or cards.find_question(progress)
    reply = Reply(_lesson_card(asker, progress, said, asked, taught=bool(said)), private=True, update=True)
    return await _with_picture(context, asker, progress, reply, asked)


def _lesson_card(
    asker: RequestContext, progress: Progress, said: Sequence[Text], asked: Question | None, *, taught: bool = False
) -> Card:
    wanted = wants_text(asker.person.settings, asker.place.effective)
    names = _seat_names(asker, progress)
    return cards.lesson_card(progress, asker.mine, names, said=said, asked=asked, in_words=wanted, taught=taught)


async def _with_picture(
    context: Context, asker: RequestContext, progress: Progress, reply: Reply, asked: Question | None
) -> Reply:
    if reply.card is None:
        return reply
    theme = choose_theme(asker.person.settings, asker.place.effective)
    pressed = context.draws_for_readers(asker.place.platform)
    view = BoardView(
        viewer=progress.seat,
        choices=asked.marks(pressed=pressed) if asked else None,
        theme=theme,
        wide=context.shows_small_pictures(asker.place.platform),
    )
    voice, line = asker.mine.of(progress.plan.game), progress.line
    earlier = with_current_turn(line, line.turns_since(progress.seat))[:-1]
    picture = await context.artist.scene(
        line.state, line.shown_turn, voice, view, _seat_names(asker, progress), earlier
    )
    return replace(reply, card=replace(reply.card, picture=picture))


def _seat_names(asker: RequestContext, progress: Progress) -> tuple[str, ...]:
    """Return the names by seat: the learner, and the computer in all others."""
    seats = range(progress.line.state.seats)
    others = iter(range(1, len(seats)))
    computer = asker.mine.line("learn.computer")
    names = []
    for seat in seats:
        number = next(others) if seat != progress.seat else 0
        many = len(seats) > 2
        names.append(asker.person.name if seat == progress.seat else f"{computer} {number}" if many else computer)
    return tuple(names)
