"""Lessons: a coached first game, one kind of move at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.choices import NoSuchChoice, Question, path_to, question
from bot.entry.talk import is_talk
from bot.handlers.finding import game_key, see_that_it_is_not_gone
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.language.rich_text import Text
from bot.lessons import lesson_of
from bot.pictures.artist import View, theme_of
from bot.presenters import lessons as cards
from bot.presenters.in_words import text_wanted
from bot.presenters.picking import page_in
from bot.services import lessons
from bot.services.lessons import Progress
from bot.tables.told import with_begun
from engine import Action, EngineError, games
from storage import GameBrief, WaitingGame


async def learn(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Begin the lesson of a game, or go on with it; without a game, ask which."""
    if not values.get("game"):
        return Reply(cards.lessons_card(asker.mine), private=True)
    return await open_lesson(context, asker, await game_key(context, values["game"]))


async def press_learn(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that opens the lesson of a game; without one it asks which."""
    page = page_in(pressed.rest or "0")
    if page is not None:
        return Reply(cards.lessons_card(asker.mine, page), private=True, update=bool(pressed.rest))
    return await open_lesson(context, asker, pressed.rest)


async def open_lesson(context: Context, asker: Asker, game: str) -> Reply:
    """Begin a lesson or go on with it; one that is finished begins again."""
    if game not in games:
        await see_that_it_is_not_gone(context, game)
    if lesson_of(game) is None:
        raise Refused("refusal.no-lesson", game=game)
    progress = lessons.read(await context.store.begin_lesson(asker.person.id, game, context.clock()))
    if progress.done and progress.step.free:
        progress = lessons.again(progress)
    return replace(await _kept(context, asker, progress), update=False, apart=True)


async def press_lesson(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A button that leads through a lesson."""
    progress = await _mine(context, asker, pressed)
    if progress.lesson.revision != pressed.revision:
        return await _shown(context, asker, progress)
    if pressed.rest == cards.HINT and progress.asks:
        return await hint_on(context, asker, progress)
    if pressed.rest == cards.NEXT and progress.done:
        return await _kept(context, asker, lessons.next_step(progress))
    if pressed.rest == cards.SKIP and not progress.done:
        return await _kept(context, asker, lessons.skipped(progress))
    if pressed.rest == cards.REPLAY and progress.done:
        return await _kept(context, asker, lessons.again(progress, progress.number))
    if pressed.rest == cards.START:
        return await _kept(context, asker, lessons.again(progress))
    raise Refused("refusal.stale")


async def press_answer(context: Context, asker: Asker, pressed: Press) -> Reply:
    """An answer in the tree of choices of a lesson."""
    progress = await _mine(context, asker, pressed)
    if progress.lesson.revision != pressed.revision or not progress.asks:
        return await _shown(context, asker, progress)
    try:
        asked = question(progress.line.state.game.facts, progress.line.state.legal_actions(), pressed.path)
    except NoSuchChoice as error:
        raise Refused("refusal.stale") from error
    if isinstance(asked, Question):
        return await _shown(context, asker, progress, asked=asked)
    return await _played(context, asker, progress, [asked])


async def typed_here(
    context: Context,
    asker: Asker,
    text: str,
    waiting: Sequence[GameBrief | WaitingGame],
    *,
    talk: bool,
    only: bool = False,
) -> Reply | None:
    """Take a text as a line of play in the lesson that goes on here; None if it is not for a lesson.

    `waiting` are the games that it may be for instead, `only`: none of them takes it; `talk`: it may be just talk.
    """
    progress = await lessons.lesson_here(context, asker, waiting)
    if progress is None:
        return None
    return await typed_on(context, asker, progress, text, elsewhere=bool(waiting) and not only, talk=talk)


async def typed_on(
    context: Context, asker: Asker, progress: Progress, text: str, *, elsewhere: bool, talk: bool
) -> Reply | None:
    """Take a text as a line of play in a lesson that asks for one; None if it is not for it.

    `elsewhere`: what cannot be played there may be for a game instead; `talk`: it may be just talk.
    """
    try:
        actions = progress.line.state.parse(text)
    except EngineError as error:
        if elsewhere or (talk and is_talk(progress.line.state, text)):
            return None
        said = engine_words(asker.mine, progress.plan.game, error)
        return await _shown(context, asker, progress, [said])
    return await _played(context, asker, progress, actions)


async def hint_here(context: Context, asker: Asker) -> Reply | None:
    """Suggest something in the lesson that goes on here; None if there is none, or a game waits since."""
    mine = [brief for brief in await context.store.games_of(asker.person.id) if brief.status == "playing"]
    progress = await lessons.lesson_here(context, asker, [brief for brief in mine if brief.waiting])
    return None if progress is None else await hint_on(context, asker, progress)


async def own_lesson(context: Context, asker: Asker, code: str) -> Progress | None:
    """Return the lesson of somebody that buttons name by a code; None where there is none, or it asks nothing."""
    lesson = await context.store.lesson(int(code)) if code.isdecimal() and len(code) < 10 else None
    if lesson is None or lesson.person != asker.person.id or lesson_of(lesson.game) is None:
        return None
    progress = lessons.read(lesson)
    return progress if progress.asks else None


async def offer(context: Context, asker: Asker, game: str) -> Reply | None:
    """Return the offer of a lesson for somebody who has never played a game; None for all others."""
    if lesson_of(game) is None or not await context.store.is_new_to(asker.person.id, game):
        return None
    return Reply(cards.offer_card(asker.mine, game), private=True, update=True)


async def _mine(context: Context, asker: Asker, pressed: Press) -> Progress:
    """Return the lesson of a press; Refused if it is somebody else's."""
    number = pressed.game or ""
    lesson = await context.store.lesson(int(number)) if number.isdecimal() and len(number) < 10 else None
    if lesson is None:
        raise Refused("refusal.stale")
    if lesson.person != asker.person.id:
        button = cards.learn_button(asker.mine, lesson.game)
        raise Refused("refusal.not-your-lesson", rows=((button,),))
    return lessons.read(lesson)


async def _played(context: Context, asker: Asker, progress: Progress, actions: Sequence[Action]) -> Reply:
    after, said = await lessons.act(context, progress, actions)
    names = _names(asker, progress)
    words = [comment for each in said if (comment := cards.comment(progress, each, asker.mine, names))]
    if after is progress:
        return await _shown(context, asker, progress, words)
    return await _kept(context, asker, after, words)


async def hint_on(context: Context, asker: Asker, progress: Progress) -> Reply:
    """Show what could be played, with the way to it half gone."""
    action = await lessons.suggestion(context, progress)
    path = path_to(progress.line.state.game.facts, progress.line.state.legal_actions(), action)
    said = cards.suggested(progress, asker.mine, action, _names(asker, progress))
    return await _shown(context, asker, progress, [said], cards.asked_now(progress, path[:-1]))


async def _kept(context: Context, asker: Asker, progress: Progress, said: Sequence[Text] = ()) -> Reply:
    """Keep where a lesson is now and show it; where somebody was faster, what they have left."""

    def answer(after: Progress) -> Reply:
        return Reply(_card(asker, after, said, cards.asked_now(after)), private=True, update=True)

    finished = progress.done and progress.step.free
    try:
        after, reply = await lessons.keep(context, asker, progress, answer, finished=finished)
    except Refused:
        lesson = await context.store.lesson(progress.lesson.id)
        if lesson is None:
            raise
        return await _shown(context, asker, lessons.read(lesson))
    return await _with_picture(context, asker, after, reply, cards.asked_now(after))


async def _shown(
    context: Context, asker: Asker, progress: Progress, said: Sequence[Text] = (), asked: Question | None = None
) -> Reply:
    """Show a lesson as it is."""
    asked = asked or cards.asked_now(progress)
    reply = Reply(_card(asker, progress, said, asked, taught=bool(said)), private=True, update=True)
    return await _with_picture(context, asker, progress, reply, asked)


def _card(
    asker: Asker, progress: Progress, said: Sequence[Text], asked: Question | None, *, taught: bool = False
) -> Card:
    wanted = text_wanted(asker.person.settings, asker.place.effective)
    names = _names(asker, progress)
    return cards.lesson_card(progress, asker.mine, names, said=said, asked=asked, in_words=wanted, taught=taught)


async def _with_picture(
    context: Context, asker: Asker, progress: Progress, reply: Reply, asked: Question | None
) -> Reply:
    if reply.card is None:
        return reply
    theme = theme_of(asker.person.settings, asker.place.effective)
    view = View(
        viewer=progress.seat,
        choices=asked.marks if asked else None,
        theme=theme,
        wide=context.shows_low(asker.place.platform),
    )
    voice, line = asker.mine.of(progress.plan.game), progress.line
    earlier = with_begun(line, line.since(progress.seat))[:-1]
    picture = await context.artist.scene(line.state, line.shown, voice, view, _names(asker, progress), earlier)
    return replace(reply, card=replace(reply.card, picture=picture))


def _names(asker: Asker, progress: Progress) -> tuple[str, ...]:
    """Return the names by seat: the learner, and the computer everywhere else."""
    seats = range(progress.line.state.seats)
    others = iter(range(1, len(seats)))
    computer = asker.mine.line("learn.computer")
    names = []
    for seat in seats:
        number = next(others) if seat != progress.seat else 0
        many = len(seats) > 2
        names.append(asker.person.name if seat == progress.seat else f"{computer} {number}" if many else computer)
    return tuple(names)
