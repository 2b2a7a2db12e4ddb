"""Linking one person's accounts on several platforms, showing stored data, forgetting it, and blocking others."""

import json
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from bot.boards.puzzles.daily import schedule_edits
from bot.kernel.cards import Attachment, Card
from bot.kernel.commandline import read_people
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.names import mention
from bot.kernel.preferences import OFF
from bot.kernel.presses import Press
from bot.kernel.question_cards import make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame
from bot.kernel.texts import Span, Speaker, Text, join
from bot.lobby.service import MAX_COMMIT_ATTEMPTS, decline, find_person, take_step
from bot.table import service as play
from bot.table.service import store_step
from engine import EngineError
from engine.record import cut_name
from storage import GameBrief, NewEvent, PlayEachOther
from storage.addresses import CODE_ALPHABET

CODE_LENGTH: Final = 8
CODE_LIFETIME: Final = timedelta(minutes=15)


async def link(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Issue a code to type on another platform, redeem one from there, or split a link."""
    code = values.get("code", "").upper()
    if not code:
        return await _issue_link_code(context, requester)
    if code.lower() == OFF:
        apart = await context.store.links.split_identity(requester.request.user.platform, requester.request.user.id)
        return requester.answer("link.apart" if apart else "link.never")
    owner = await context.store.links.redeem_code(code, context.clock())
    if owner is None:
        raise Refused("refusal.no-link-code")
    if owner == requester.id:
        raise Refused("refusal.linked-already")
    try:
        merged = await context.store.links.merge_people(owner, requester.id)
    except PlayEachOther as error:
        raise Refused("refusal.play-each-other", code=str(error.params["game"])) from error
    if merged is None:
        raise Refused("refusal.no-link-code")
    for brief in await context.store.games.list_for_person(merged.id, 1000):
        # Boards that mention the person now mention the merged one.
        await reannounce_game(context, brief.id, "linked")
    context.signals.wake("competition")
    return requester.answer("link.done")


async def privacy(context: Context, requester: RequestContext, _: object) -> Reply:
    """Send all stored data about a person as a file, with a button that leads to forgetting it."""
    export = await context.store.privacy.export_person(requester.id)
    text = json.dumps(export, indent=1, ensure_ascii=False)
    speaker = requester.speaker
    platforms = sorted({identity["platform"] for identity in export["identities"]})
    parts = [
        speaker.say("privacy.title"),
        speaker.say(
            "privacy.kept",
            name=requester.person.name,
            platforms=_list_platforms(speaker, platforms),
            running=speaker.say("privacy.running", n=len(export["running"])),
            finished=speaker.say("privacy.finished", n=len(export["results"])),
            messages=speaker.say("privacy.messages", n=len(export["messages"])),
        ),
    ]
    file = Attachment("tavoliere.json", text.encode())
    button = make_button(speaker, "button.forget", "forget", style="danger")
    return Reply(Card(join(parts), rows=((button,),), file=file))


async def press_forget(_context: Context, requester: RequestContext, _pressed: Press) -> Reply:
    """Handle the button Forget me: ask for confirmation."""
    speaker = requester.speaker
    buttons = (
        make_button(speaker, "button.forget.yes", "forget!", None, 0, str(requester.id), style="danger"),
        make_button(speaker, "button.forget.no", "keepme"),
    )
    return Reply(Card(speaker.say("privacy.sure"), rows=(buttons,)), update=True)


async def press_keep_me(_context: Context, requester: RequestContext, _pressed: Press) -> Reply:
    """Handle the answer no."""
    return requester.answer("privacy.kept-on", update=True)


async def press_forget_yes(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the answer yes: leave the running games, then delete everything that identifies the person."""
    if pressed.rest != str(requester.id):
        raise Refused("refusal.stale")
    reply = requester.answer("privacy.forgotten", update=True)
    names = {identity.name for identity in await context.store.people.identities(requester.id)}
    left = await context.store.games.list_for_person(requester.id, 1000)
    for brief in left:
        with suppress(BrokenGame):  # a broken game stays unchanged, and must not prevent forgetting the person
            await _leave_game(context, requester, brief)
    people = await context.store.privacy.forget_person(requester.id, context.clock())
    for adapter in context.adapters.values():
        await adapter.forget(people, names | {requester.person.name})
    for brief in left:
        await reannounce_game(context, brief.id, "forgotten")
    await schedule_edits(context)
    context.signals.wake("competition")
    context.signals.wake("teams")
    return reply


async def reannounce_game(context: Context, game: str, why: str) -> None:
    """Update the boards of an unfinished game, because its people's names have changed."""
    with suppress(Refused, EngineError):
        table = await context.table(game)
        if table.row.status != "over":
            await store_step(context, table, table.row, [NewEvent(why)])


async def _leave_game(context: Context, requester: RequestContext, brief: GameBrief) -> None:
    """Leave one game; retry if it changes meanwhile."""
    for _ in range(MAX_COMMIT_ATTEMPTS):
        table = await context.table(brief.id)
        seat = table.seat_of(requester.id)
        with suppress(Refused):
            if table.row.status == "lobby":
                await take_step(context, requester, brief.id, decline)
            elif table.mover is not None and seat is not None and table.playing.state.is_playing(seat):
                await play.drop_seat(context, table, seat, "forgotten")
            return


async def _issue_link_code(context: Context, requester: RequestContext) -> Reply:
    code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
    await context.store.links.store_code(code, requester.id, context.clock() + CODE_LIFETIME)
    minutes = int(CODE_LIFETIME.total_seconds() // 60)
    platforms = sorted({identity.platform for identity in await context.store.people.identities(requester.id)})
    speaker = requester.speaker
    known = speaker.say("link.known", platforms=_list_platforms(speaker, platforms)) if len(platforms) > 1 else ()
    words = join([speaker.say("link.code", code=code, minutes=minutes), known])
    # Secret: anyone who reads the code could become this person.
    return Reply(Card(words), secret=True)


def _list_platforms(speaker: Speaker, platforms: Iterable[str]) -> Text:
    """Return the platforms on which a person has an account, as text."""
    return speaker.listing([speaker.word("platform", platform) for platform in platforms])


async def block(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Block people, or unblock those who are blocked; without a name, list the blocked people."""
    chosen = {}
    for mentioned in read_people(values.get("people", "")):
        person = await find_person(context, requester, mentioned)
        if person is None:
            raise Refused("refusal.no-such-person", name=cut_name(mentioned.name, 40))
        if person.id == requester.id:
            raise Refused("refusal.yourself")
        chosen[person.id] = person.name
    if not chosen:
        people = await context.store.people.get_many(requester.person.settings.get("blocked", []))
        names = [mention(person) for person in people.values()]
        key = "block.list" if names else "block.nobody"
        return requester.answer(key, who=requester.speaker.listing(names))

    def toggle(settings: Mapping[str, Any]) -> Mapping[str, Any]:
        blocked = settings.get("blocked", [])
        others = [each for each in blocked if each not in chosen]
        return {"blocked": [*others, *(each for each in chosen if each not in blocked)] or None}

    # Change the stored settings in one step, so that two commands at once do not undo each other.
    changed = await context.store.people.change_settings(requester.id, toggle)
    blocked = changed.settings.get("blocked", []) if changed is not None else []
    said = [
        requester.speaker.say("block.on" if each in blocked else "block.off", who=Span(name, bold=True, person=each))
        for each, name in chosen.items()
    ]
    return Reply(Card(join(said)))
