"""Parts of commands and buttons that all competitions share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from bot.core.context import Context
from bot.core.form_cards import games_card
from bot.core.forms import Form
from bot.core.permissions import Right
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, refusal_words
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text, join
from bot.matches.cards import sure_card
from bot.matches.export import export_competition
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState
from bot.matches.stored import check_may_run

MAX_LISTED: Final = 8
_MAX_NUMBER_DIGITS: Final = 6
_RUNNING_VERBS: Final = frozenset({"run", "start", "pause", "resume", "end", "end!", "out", "out!"})
"""Buttons for those who run a competition."""

C = TypeVar("C", bound=CompetitionWithState[Any])


@dataclass(frozen=True, slots=True)
class PressedButton:
    """The payload of a competition's button: the action, the code, and the rest."""

    verb: str
    code: str
    rest: tuple[str, ...]

    @property
    def number(self) -> int | None:
        """The rest as a number (of an entrant, a challenge or a page); None if it is none."""
        text = self.rest[0] if self.rest else ""
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_NUMBER_DIGITS else None


def read_button(pressed: Press) -> PressedButton:
    """Return the payload of a competition's button; missing parts are empty."""
    verb, code, *rest = (*pressed.path, "", "") if len(pressed.path) < 2 else pressed.path
    return PressedButton(verb, code, tuple(each for each in rest if each))


def right_to_run(pressed: Press) -> Right | None:
    """Return the right that a competition's button needs: some are for those who run it."""
    return Right.DEPENDS if read_button(pressed).verb in _RUNNING_VERBS else None


async def list_here(
    context: Context,
    asker: RequestContext,
    keeper: CompetitionKeeper[Any, Any, Any, C],
    write_line: Callable[[C, Speaker], Text],
    form: Form,
) -> Reply:
    """Return the list of a place's competitions of a kind, with the form for a new one."""
    kind = keeper.kind
    rows = await context.store.competitions.list_in_place(asker.place.id, MAX_LISTED, kind=kind)
    speaker = asker.mine
    if not rows:
        which = games_card(speaker, form)
        return Reply(replace(which, text=join([speaker.say(f"{kind}.none"), which.text])), private=True)
    parts, buttons = [speaker.say(f"{kind}.here")], []
    for row in rows:
        try:
            found = await keeper.read(context, row)
        except Refused as refused:
            parts.append(refusal_words(speaker, refused))  # the others are still listed
            continue
        voice = speaker.of(row.game_key)
        parts.append(write_line(found, voice))
        buttons.append(Button(f"{voice.line('name')} · {row.id}", press(kind, None, 0, "show", row.id)))
    buttons.append(Button(speaker.line(f"button.{kind}.new"), form.opening_press(), "primary"))
    return Reply(Card(join(parts), rows=button_rows(buttons)), private=True)


async def press_shared(
    context: Context,
    asker: RequestContext,
    button: PressedButton,
    keeper: CompetitionKeeper[Any, Any, Any, C],
    manage_card: Callable[[C, Speaker], Card],
    back: str = "run",
) -> Reply | None:
    """Handle a button that all competitions have; None for the others.

    `back` is what the button beside a confirmation does.
    """
    kind, verb, code, number = keeper.kind, button.verb, button.code, button.number
    if verb in ("leave!", "end!"):
        deed = verb.rstrip("!")
        reply = Reply(Card(asker.mine.say(f"{kind}.done.{deed}")), private=True, update=True)
        await (keeper.leave if deed == "leave" else keeper.end)(context, asker, code, reply)
        return reply
    if verb == "out!" and number is not None:
        reply = Reply(Card(asker.mine.say("cup.done.out")), private=True, update=True)
        await keeper.exclude(context, asker, code, number, reply)
        return reply
    if verb == "join":
        return await enter_by_code(context, asker, code, keeper)
    if verb not in ("export", "json", "show", "run", "end", "out"):
        return None
    found = await keeper.find_for(context, asker, code)
    if verb in ("export", "json"):
        return await export_competition(context, asker, found, programs=verb == "json")
    if verb == "show":
        return await _show_anew(context, asker, found.row.id)
    if found.stands.over:
        raise Refused("refusal.cup-over")
    await check_may_run(context, asker, found.row)
    if verb == "out" and number not in found.stands.present:
        raise Refused("refusal.cup-not-in")
    if verb == "run":
        return Reply(manage_card(found, asker.mine), private=True)
    rest = (str(number),) if verb == "out" else ()
    return Reply(sure_card(found, asker.mine, verb, *rest, back=back), private=True, update=True)


async def enter_by_code(
    context: Context, asker: RequestContext, code: str, keeper: CompetitionKeeper[Any, Any, Any, C]
) -> Reply:
    """Let the asker enter the competition with a code."""
    reply = Reply(Card(asker.mine.say(f"{keeper.kind}.done.join")), private=True)
    await keeper.enter(context, asker, code, reply)
    return reply


async def _show_anew(context: Context, asker: RequestContext, code: str) -> Reply:
    """Post a competition's message again as the newest one; Refused if it is not shown in this place."""
    if asker.place.id not in {each.place.id for each in await context.store.posts.list_of_competition(code)}:
        raise Refused("refusal.cup-elsewhere")
    await context.store.competitions.add_place(code, asker.place.id, context.clock())
    context.signals.wake("competition")
    return Reply(Card(asker.mine.say("cup.done.show")), private=True, update=True)
