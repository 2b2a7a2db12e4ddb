"""Responses to interactions: the program's reply itself, or an acknowledgement, and the reply after it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

import discord
import structlog
from cachetools import FIFOCache
from discord import InteractionType
from discord.app_commands import Choice

from bot.kernel.advice import SearchFollower
from bot.kernel.cards import Card
from bot.kernel.commandline import MAX_COMPLETION_LENGTH
from bot.kernel.features import load_commands
from bot.kernel.form_presses import opens_form
from bot.kernel.operations.tasks import WorkCounter
from bot.kernel.presses import find_press, press
from bot.kernel.requests import Reply, Request, TryLater, Undeliverable, UndeliverableReason
from bot.kernel.texts import Speaker, Text, join
from bot.platforms.app import Tavoliere
from bot.platforms.discord.activity import OPEN_DEED, launch_activity
from bot.platforms.discord.adapter import ORIGINAL_MESSAGE, DiscordAdapter
from bot.platforms.discord.commands import (
    MESSAGE_MENU,
    form_modal,
    read_command,
    read_completion,
    read_modal,
    with_pages,
    without_unsupported,
    works_here,
)
from bot.platforms.discord.decode import (
    PLATFORM,
    Interaction,
    is_guest,
    is_member,
    may_attach,
    missing_permission,
    press_of,
    request_of,
)
from bot.platforms.discord.errors import (
    UNKNOWN_MESSAGE,
    acknowledge,
    edit_until_shown,
    is_invalid_request,
    is_settled,
    show_answer,
)
from bot.platforms.discord.layout import Mentions, MessageParts, message_parts

SHOW_PRESS: Final = press("show")
PLAY_COMMANDS: Final = frozenset({"play", "join", "rematch"})
"""Commands that people may expect to start a game with others."""
COMPLETION_TIMEOUT_SECONDS: Final = 0.8
"""Maximum seconds for completions; after that, none are shown."""
ANSWER_TIMEOUT_SECONDS: Final = 1.5
"""Seconds from a press until it is acknowledged if its answer is not ready; Discord waits for three.

See page Receiving and Responding, Interaction Callback.
"""
NOTE_CACHE_SIZE: Final = 1000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EphemeralNote:
    """A private message for one person; `address` is its id, or the placeholder for it in requests with its token."""

    webhook: discord.Webhook
    message: int
    address: int


class DiscordDispatcher:
    """Passes interactions to the program and shows its replies."""

    def __init__(
        self,
        front: Tavoliere,
        adapter: DiscordAdapter,
        searches: SearchFollower,
        *,
        reopened: Callable[[str], Awaitable[None]],
    ) -> None:
        """Create the dispatcher; `reopened` retries the blocked boards of a server."""
        self._front = front
        self._searches = searches
        self._reopened = reopened
        self._reopening: dict[str, asyncio.Task[None]] = {}
        self._adapter = adapter
        self._notes: FIFOCache[tuple[int, str], EphemeralNote] = FIFOCache(NOTE_CACHE_SIZE)
        self._work = WorkCounter()
        self.wait_until_idle = self._work.wait_until_idle

    def on_permissions_changed(self, guild: str) -> None:
        """Retry the boards of a server that were blocked by a missing permission."""
        if guild not in self._reopening:
            self._reopening[guild] = asyncio.create_task(self._reopen(guild), name="discord reopening")

    async def on_closed(self, reason: UndeliverableReason, **there: str) -> None:
        """Close or suspend the boards in a channel, a thread or a server."""
        with self._work.working():
            await self._front.is_closed(PLATFORM, reason, **there)

    async def _reopen(self, guild: str) -> None:
        with self._work.working():
            # Events that arrive from now on start another retry.
            await asyncio.sleep(0)
            del self._reopening[guild]
            await self._reopened(guild)

    async def handle(self, interaction: Interaction) -> None:
        """Handle a command, a completion, a press of a button, the choice of an option, or a submitted form."""
        with self._work.working():
            if interaction.type is InteractionType.autocomplete:
                await self._complete(interaction)
            elif interaction.type is InteractionType.component and (press := press_of(interaction)) is not None:
                await self._press(interaction, press)
            elif interaction.type is InteractionType.modal_submit:
                press, values = read_modal(interaction)
                fill = partial(self._front.fill, press=press, values=values)
                await self._respond(interaction, fill, self._show_press_reply)
            elif interaction.type is InteractionType.application_command:
                await self._run_command(interaction)

    async def _run_command(self, interaction: Interaction) -> None:
        """Run a command, or show the board of a message's game privately."""
        data: Any = interaction.data
        if data["type"] == MESSAGE_MENU:

            async def show(request: Request) -> Reply:
                return await self._front.press(replace(request, message=str(data["target_id"])), SHOW_PRESS)

            await self._respond(interaction, show, self._show_command_reply, waits=False)
            return
        name, values, problem = read_command(interaction)
        opens = problem is None and load_commands()[name].opens_form(values)

        async def answer(request: Request) -> Reply:
            if problem is not None:
                reply = Reply(Card(self._speaker(interaction).say(problem)))
            else:
                reply = await self._front.command(request, name, values)
            if name in PLAY_COMMANDS and request.nonmember and not is_guest(interaction):
                # The server allows external apps only private replies.
                note = self._adapter.answer_only_notice(self._speaker(interaction))
                reply = replace(reply, card=_with_note(reply.card, note))
            return reply

        await self._respond(interaction, answer, self._show_command_reply, opens=opens, waits=opens)

    async def _press(self, interaction: Interaction, press: str) -> None:
        """Handle a press."""
        pressed = find_press(press)
        if pressed is not None and pressed.deed == OPEN_DEED and pressed.game:
            await self._launch(interaction, pressed.game)
            return

        async def answer(request: Request) -> Reply:
            if works_here(interaction, press):
                return await self._front.press(request, press)
            return Reply(Card(self._speaker(interaction).say("elsewhere")))

        game = pressed.game if pressed is not None else None
        show = partial(self._show_press_reply, game=game)
        await self._respond(interaction, answer, show, opens=opens_form(pressed))

    async def _respond(
        self,
        interaction: Interaction,
        answer: Callable[[Request], Coroutine[Any, Any, Reply]],
        show: Callable[[Interaction, Request, Reply], Awaitable[None]],
        *,
        opens: bool = False,
        waits: bool = True,
    ) -> None:
        """Answer an interaction and show the reply.

        `opens`: True if it opens a form's window. `waits`: False to acknowledge it before it is carried out.
        """
        with self._front.context.arrivals.arriving():
            request = request_of(interaction, self._front.context.clock())
            if opens:
                # A window has to be the first answer, and shows no board that a token would be needed for.
                request = replace(request, brings=None)
            seconds = self._seconds_to_answer(interaction, request) if waits else 0.0
            if not seconds and not await acknowledge(interaction):
                return
            with self._adapter.guests.hold_boards(request.place):
                replying = asyncio.create_task(answer(request), name="discord reply")
                try:
                    if not (await asyncio.wait({replying}, timeout=seconds))[0]:
                        await acknowledge(interaction)
                    reply = await replying
                except Exception:
                    log.exception("interaction-failed", interaction=interaction.id)
                    reply = Reply(Card(self._speaker(interaction).say("refusal.unexpected")))
                finally:
                    # If this is cancelled while waiting, the work is cancelled, too.
                    replying.cancel()
                if not opens or not await self._open_window(interaction, reply):
                    await show_answer(interaction, show(interaction, request, reply))
                await self._front.press_answered(request)

    async def _open_window(self, interaction: Interaction, reply: Reply) -> bool:
        """Open the window of a form; False if there is no form, or the interaction is already answered."""
        form = reply.card.form if reply.card is not None else None
        if form is None or interaction.response.is_done():
            return False
        await show_answer(interaction, interaction.response.send_modal(form_modal(form)))
        return True

    def _seconds_to_answer(self, interaction: Interaction, request: Request) -> float:
        """Return the seconds that a press may wait for its answer before it is acknowledged, 0 to acknowledge it first.

        A late press is acknowledged first: if it has expired, it must not be carried out. (If our clock is ahead of
        Discord's, all presses count as late.) A press with a token is acknowledged first, too: its token shows boards,
        even after a crash, but only if the press was answered.
        """
        if request.brings is not None:
            return 0.0
        age = (self._front.context.clock() - interaction.created_at).total_seconds()
        return max(0.0, ANSWER_TIMEOUT_SECONDS - max(0.0, age))

    async def _launch(self, interaction: Interaction, game: str) -> None:
        """Open a game in the Activity, or say why that is not possible."""
        problem = await launch_activity(interaction, game, self._front.context)
        if problem is not None and not interaction.response.is_done():
            shown = message_parts(Card(self._speaker(interaction).say(problem)), self._commands)
            await show_answer(interaction, interaction.response.send_message(view=shown.view, ephemeral=True))

    async def _complete(self, interaction: Interaction) -> None:
        """Show completions while a user types."""
        try:
            async with asyncio.timeout(COMPLETION_TIMEOUT_SECONDS):
                request = request_of(interaction, self._front.context.clock())
                found = await self._front.complete(request, *read_completion(interaction))
        except TimeoutError:
            found = []
        fitting = [each for each in found if 0 < len(each.value) <= MAX_COMPLETION_LENGTH]
        choices = [Choice(name=each.label, value=each.value) for each in fitting]
        # The user has often typed on meanwhile.
        await is_settled(interaction, interaction.response.autocomplete(choices), "completions-not-shown")

    async def _show_command_reply(self, interaction: Interaction, request: Request, reply: Reply) -> None:
        """Show the reply to a command in place of the bot's "thinking" message."""
        if not await acknowledge(interaction):
            return
        card = self._with_permission_note(interaction, reply)
        if (
            card is not None
            and not reply.private
            and is_member(interaction)
            and await self._answer_publicly(request, card)
        ):
            card = None
        if card is None:
            await interaction.delete_original_response()
            return
        shown = await self._edit_response(interaction, card)
        self._follow_search(interaction, request, card, shown.id)

    async def _show_press_reply(
        self, interaction: Interaction, request: Request, reply: Reply, game: str | None = None
    ) -> None:
        """Show the reply to a press: in place of the private message that was pressed, or privately below.

        There is one private reply at a time for each `game`, and one for all other presses in a channel.
        """
        message = interaction.message
        card = self._with_permission_note(interaction, reply)
        hanging = message is not None and message.flags.ephemeral
        # A window opened by a command belongs to no message.
        if message is not None and reply.update:
            self._searches.stop(message.id)
            if (hanging or not reply.private) and await self._update_pressed(interaction, card, hanging=hanging):
                if hanging:
                    self._follow_search(interaction, request, card, message.id)
                return
        public = not reply.private and is_member(interaction)
        if (card is None or public) and not await acknowledge(interaction):
            return
        if card is None or (public and await self._answer_publicly(request, card)):
            return
        note = await self._send_privately(interaction, card)
        if message is not None and not hanging:
            await self._replace_note(interaction, game or request.place.channel, note)
        self._follow_search(interaction, request, card, note.message, note.address)

    async def _send_privately(self, interaction: Interaction, card: Card) -> EphemeralNote:
        """Send a card to one person, as the response or after it; return the message."""
        made = message_parts(
            self._without_dead_buttons(interaction, card), self._commands, picture=may_attach(interaction)
        )
        if interaction.response.is_done():
            sent = await interaction.followup.send(
                view=made.view, files=made.files, ephemeral=True, wait=True, suppress_embeds=True
            )
            return EphemeralNote(interaction.followup, sent.id, sent.id)
        answer = await interaction.response.send_message(
            view=made.view, files=made.files, ephemeral=True, suppress_embeds=True
        )
        return EphemeralNote(interaction.followup, cast("int", answer.message_id), ORIGINAL_MESSAGE)

    async def _update_pressed(self, interaction: Interaction, card: Card | None, *, hanging: bool) -> bool:
        """Show a card in place of the pressed message; False if that message is gone."""
        try:
            if card is not None and hanging:
                await self._edit_response(interaction, card, private=True)
            # A response that edits a message without listing its files removes them (discord-api-docs issue 6277).
            elif not await acknowledge(interaction):
                return True
            elif card is not None:
                await self._edit_response(interaction, card)
            elif hanging:
                await interaction.delete_original_response()
        except discord.NotFound as error:
            return error.code != UNKNOWN_MESSAGE
        return True

    def _follow_search(
        self,
        interaction: Interaction,
        request: Request,
        card: Card | None,
        where: int,
        address: int = ORIGINAL_MESSAGE,
    ) -> None:
        """Show the result of a search in place of the reply that waits for it, while Discord allows edits."""

        async def show(found: Card) -> None:
            with self._work.working():
                await show_answer(interaction, self._edit_response(interaction, found, private=True, address=address))

        if card is not None:
            self._searches.follow(where, request, card, show)

    async def _edit_response(
        self,
        interaction: Interaction,
        card: Card,
        *,
        private: bool = False,
        address: int = ORIGINAL_MESSAGE,
    ) -> discord.Message:
        """Show a card in place of an answer, or of an interaction's message; without files if Discord rejects them.

        If that is a `private` reply, the files of the previous one are removed.
        """
        fits, drawn = self._without_dead_buttons(interaction, card), may_attach(interaction)

        async def change(made: MessageParts) -> discord.Message:
            attachments = made.attachments if made.files or not private else []
            if not interaction.response.is_done():
                shown = await interaction.response.edit_message(view=made.view, attachments=attachments)
                return cast("discord.InteractionMessage", shown and shown.resource)
            return await interaction.followup.edit_message(address, view=made.view, attachments=attachments)

        try:
            return await edit_until_shown(change, lambda: message_parts(fits, self._commands, picture=drawn))
        except discord.HTTPException as error:
            if not is_invalid_request(error) or (card.picture is None and card.file is None):
                raise
            log.warning("answer-without-files", interaction=interaction.id, code=error.code, reason=error.text)
            return await change(message_parts(fits, self._commands, picture=False))

    async def _answer_publicly(self, request: Request, card: Card) -> bool:
        """Show a reply publicly; return False if that fails: then it should be shown only to the requester."""
        try:
            await self._adapter.answer(request.place, card, f"reply-{request.event}")
        except (Undeliverable, TryLater) as error:
            log.info("answer-not-public", reason=str(error))
            return False
        return True

    async def _replace_note(self, interaction: Interaction, about: str, note: EphemeralNote) -> None:
        """Remember a private message and delete the previous one, so that they do not pile up."""
        key = (interaction.user.id, about)
        old = self._notes.pop(key, None)
        self._notes[key] = note
        if old is not None:
            self._searches.stop(old.message)
            try:
                await old.webhook.delete_message(old.address)
            except discord.HTTPException as error:
                # Its reader has dismissed it, or its token has expired.
                log.debug("private-answer-already-gone", code=error.code)
            except RuntimeError as error:
                # The client that showed it has closed since then.
                log.debug("private-answer-not-deleted", reason=str(error))

    def _with_permission_note(self, interaction: Interaction, reply: Reply) -> Card | None:
        """Return the card of a reply, with a note if a missing permission prevents boards."""
        lacking = missing_permission(interaction) if is_member(interaction) else None
        if lacking is None:
            return reply.card
        return _with_note(reply.card, self._speaker(interaction).say(lacking))

    def _without_dead_buttons(self, interaction: Interaction, card: Card) -> Card:
        """Return a card without the buttons that cannot work here; a form with a button for each page."""
        return without_unsupported(with_pages(card), partial(works_here, interaction))

    @property
    def _commands(self) -> Mentions:
        """Mentions in a private reply: commands only, no people."""
        return Mentions(commands=self._adapter.commands)

    def _speaker(self, interaction: Interaction) -> Speaker:
        return self._front.context.speaker(str(interaction.locale), PLATFORM)


def _with_note(card: Card | None, note: Text) -> Card:
    return Card(note) if card is None else replace(card, text=join([card.text, note], "\n\n"))
