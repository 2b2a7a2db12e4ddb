"""Boards on Discord: sent with the bot's own token, edited, retired, moved to threads."""

import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, cast
from weakref import WeakValueDictionary

import discord
import structlog
from cachetools import FIFOCache

from bot.kernel.cards import Card, Picture
from bot.kernel.context import Context
from bot.kernel.operations.tasks import WorkCounter
from bot.kernel.preferences import read_called_users
from bot.kernel.requests import (
    CONNECT_WAIT_SECONDS,
    Adapter,
    GameLink,
    Membership,
    Place,
    TryLater,
    Undeliverable,
    UndeliverableReason,
)
from bot.kernel.texts import Span, Speaker, Text
from bot.platforms.discord.activity import with_open_button
from bot.platforms.discord.commands import without_unsupported, works_as_guest
from bot.platforms.discord.decode import PLATFORM, REQUIRED_PERMISSIONS
from bot.platforms.discord.errors import (
    ARCHIVED_THREAD_CODE,
    INVALID_TOKEN,
    NO_FOLLOWUP_LEFT,
    THREAD_EXISTS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    edit_until_shown,
    is_described,
    is_invalid_request,
    translate_discord_errors,
)
from bot.platforms.discord.layout import (
    Mentions,
    MessageLook,
    MessageParts,
    lacks_files,
    message_parts,
    presses_of,
    read_look,
    shows,
)
from storage import InteractionPass, Json

ORIGINAL_MESSAGE: Final = cast("int", "@original")
"""Placeholder for the id of the message that was pressed, or of its first response."""
ANSWER_TIMEOUT: Final = timedelta(seconds=60)
"""Time after which an unanswered press counts as abandoned: the process that handled it has died."""

log = structlog.get_logger(__name__)


class GuestWriter:
    """Writes with interaction tokens; `client` returns the client that is logged in."""

    def __init__(self, context: Context, client: Callable[[], discord.Client]) -> None:
        self._passes = context.store.passes
        self._client = client
        self._clock = context.clock
        self._presses: WeakValueDictionary[tuple[str, str | None], WorkCounter] = WeakValueDictionary()
        """The presses that are being answered, by channel and thread."""

    def hold_boards(self, place: Place) -> AbstractContextManager[None]:
        """Hold back boards while a press in a place is being answered: the first message would replace the reply."""
        return self._presses_in(place).working()

    def _presses_in(self, place: Place) -> WorkCounter:
        return self._presses.setdefault((place.channel, place.thread), WorkCounter())

    async def send(
        self, place: Place, made: MessageParts, allowed: discord.AllowedMentions, quiet: MessageParts
    ) -> discord.Message:
        """Send a new message with the newest token that allows one; Undeliverable if there is none.

        If Discord makes it visible only to the person who pressed, it is replaced by `quiet`, which says why.
        """

        async with self._newest_token(place, lambda token: token.can_send, "forbidden") as token:
            webhook = self._webhook(token)
            if not token.answered and token.message is None:
                # The "thinking" message left by a process that died would swallow the first message.
                try:
                    await webhook.delete_message(ORIGINAL_MESSAGE)
                except discord.NotFound as error:
                    if error.code != UNKNOWN_MESSAGE:
                        raise
            sent = await webhook.send(
                view=made.view, files=made.files, allowed_mentions=allowed, wait=True, suppress_embeds=True
            )
            await self._passes.record_sent(token.id, str(sent.id))
            if sent.flags.ephemeral:
                # The server allows external apps only private replies, but its permissions did not show that.
                log.info("answer-made-private", channel=place.channel)
                await webhook.edit_message(sent.id, view=quiet.view, attachments=[])
                raise Undeliverable("forbidden")
            return sent

    @asynccontextmanager
    async def open_message(self, place: Place, message: str) -> AsyncIterator[tuple[discord.Webhook, int]]:
        """Yield what changes a message, and its id for that; Undeliverable if no token allows it.

        The token is that of a press on it, or the one it was sent with.
        """
        async with self._newest_token(place, lambda token: token.can_edit(message)) as token:
            yield self._webhook(token), ORIGINAL_MESSAGE if message == token.message else int(message)

    @asynccontextmanager
    async def _newest_token(
        self, place: Place, good: Callable[[InteractionPass], bool], without: UndeliverableReason = "message-gone"
    ) -> AsyncIterator[InteractionPass]:
        """Yield the newest token for which `good` is true; Undeliverable if there is none, TryLater."""
        await self._presses_in(place).wait_until_idle()
        now, held = self._clock(), None
        for token in await self._passes.list_usable(place.platform, place.channel, place.thread, now):
            if not good(token):
                continue
            if not token.answered and now - token.made_at < ANSWER_TIMEOUT:
                held = token.made_at + ANSWER_TIMEOUT - now
                continue
            try:
                yield token
            except discord.HTTPException as error:
                if error.code not in (INVALID_TOKEN, UNKNOWN_WEBHOOK, NO_FOLLOWUP_LEFT):
                    raise
                log.info("interaction-token-expired", channel=place.channel, code=error.code)
                if error.code == NO_FOLLOWUP_LEFT:
                    await self._passes.record_spent(token.id)
                else:
                    await self._passes.delete(token.id)
                # The files of a request can be sent only once: the retry creates them again for the next token.
                raise TryLater(0.0) from error
            return
        if held is not None:
            raise TryLater(held.total_seconds())
        raise Undeliverable(without)

    def _webhook(self, token: InteractionPass) -> discord.Webhook:
        client = self._client()
        data: Any = {"id": client.application_id, "type": 3, "token": token.secret}
        return discord.Webhook.from_state(data, client._connection)  # noqa: SLF001 - as discord.py's own follow-ups


MAX_NONCE_LENGTH: Final = 25
UNKNOWN_MEMBER: Final = 10007
UNKNOWN_USER: Final = 10013
MAX_TITLE_LENGTH: Final = 100
MESSAGE_CACHE_SIZE: Final = 1000
MAX_MESSAGES_READ: Final = 5000
"""Maximum number of messages searched for one of ours, starting from the oldest candidate."""


class DiscordAdapter(Adapter):
    """The adapter of Discord; `client` returns the client that is logged in, None if there is none yet."""

    platform = PLATFORM
    shows_small_pictures = True
    has_threads = True
    has_message_links = True
    sends_silently = True
    knows_members = True

    def __init__(self, context: Context, client: Callable[[], discord.Client | None]) -> None:
        self.context = context
        self._client = client
        self._content_cache: FIFOCache[int, MessageLook] = FIFOCache(MESSAGE_CACHE_SIZE)
        self.guests = GuestWriter(context, self._require_client)
        self.opens_activity = False
        """True if boards have a button that opens them in the Activity."""
        self.commands: Mapping[str, int] = {}
        """The ids of our commands, used to mention them in texts."""

    def opens_boards(self, place: Place) -> bool:
        """Return True if boards have a button that opens them in the Activity."""
        return self.opens_activity

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message and return its id.

        If the same key is sent again soon, no second message is created: Discord returns the first one.
        """
        # Discord recognises a repeated message by this nonce.
        nonce = base64.b32encode(hashlib.sha256(key.encode()).digest()).decode()[:MAX_NONCE_LENGTH]

        async def send(make: Callable[[], MessageParts], mentions: Mentions) -> discord.Message:
            # discord.py mentions exactly these people, no one if the list is empty.
            users = [discord.Object(user) for user in mentions.people.values()]
            allowed = discord.AllowedMentions(everyone=False, users=users, roles=False, replied_user=False)
            made = make()
            if place.guest:
                quiet = message_parts(Card(self.answer_only_notice(self._speaker(place))))
                return await self.guests.send(place, made, allowed, quiet)
            message = await self._target(place).send(
                view=made.view,
                files=made.files,
                allowed_mentions=allowed,
                nonce=nonce,
                suppress_embeds=True,
                silent=place.quiet,
            )
            if shows(message, made):
                return message
            # It was sent before a crash, and the game has changed since then.
            return await edit_until_shown(lambda new: message.edit(view=new.view, attachments=new.attachments), make)

        with translate_discord_errors():
            return str((await self._show(place, card, send)).id)

    async def _show(
        self,
        place: Place,
        card: Card,
        attempt: Callable[[Callable[[], MessageParts], Mentions], Awaitable[discord.Message]],
    ) -> discord.Message:
        """Show a card in a message, and remember that; in words if only pictures are not permitted.

        It has only the buttons that work in the place.
        """
        if place.guest:
            card = without_unsupported(card, works_as_guest)
        elif self.opens_activity:
            card = with_open_button(card, self._speaker(place))
        mentions = Mentions(await read_called_users(self.context.store, card, PLATFORM), self.commands)
        make = partial(message_parts, card, mentions)
        try:
            message = await attempt(make, mentions)
        except discord.Forbidden as error:
            if card.picture is None or not is_described(error):
                raise
            speaker = self._speaker(place)
            if place.guest:
                note = speaker.say("guest.no-files", link=self._attach_files(speaker))
            else:
                note = speaker.say("missing.attach")
            message = await attempt(partial(make, picture=False, note=note), mentions)
        self._remember(message)
        return message

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        """Replace a message's content by a card; edits mention no one."""

        async def edit(make: Callable[[], MessageParts], _: Mentions) -> discord.Message:
            return await edit_until_shown(partial(self._edit, place, message), make)

        with translate_discord_errors():
            try:
                await self._show(place, card, edit)
            except discord.HTTPException as error:
                if error.code == ARCHIVED_THREAD_CODE:
                    # A new message reopens an archived thread; an edit cannot.
                    raise Undeliverable("message-gone") from error
                if is_invalid_request(error) and (card.picture is not None or card.file is not None):
                    # A new message may include files that an edit may not.
                    log.warning("edit-refused", code=error.code, reason=error.text)
                    raise Undeliverable("message-gone") from error
                raise

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or delete the whole message.

        Its pictures and files stay. Raises Undeliverable with the reason picture-lost if they get lost or Discord
        rejects the references to them; the caller should then call `redraw`.
        """
        number = int(message)
        with translate_discord_errors():
            if remove:
                await self._delete(place, message)
                return
            look = await self._fetch_look(place, message)

            async def lose_buttons() -> bool:
                made = look.message_parts()
                return lacks_files(await self._edit(place, message, made), made)

            try:
                lost = await lose_buttons()
            except discord.HTTPException as error:
                if error.code == ARCHIVED_THREAD_CODE:
                    # The bot may not do this in a locked thread.
                    thread = int(place.thread or place.channel)
                    await self._require_client().http.edit_channel(thread, archived=False)
                    lost = await lose_buttons()
                elif look.media and is_invalid_request(error):
                    log.info("picture-refused", message=number, code=error.code, reason=error.text)
                    lost = True
                else:
                    raise
            if lost:
                # Keep the content: a retry must know what was lost.
                self._content_cache[number] = look
                raise Undeliverable("picture-lost")
        self._content_cache.pop(number, None)

    async def redraw(self, place: Place, message: str, picture: Picture) -> None:
        """Show a picture in an old board that has lost its own; its text stays, without buttons."""
        with translate_discord_errors():
            look = await self._fetch_look(place, message)
            try:
                after = await edit_until_shown(partial(self._edit, place, message), lambda: look.with_picture(picture))
            except discord.HTTPException as error:
                if not is_invalid_request(error):
                    raise
                raise Undeliverable("picture-lost") from error
        self._content_cache.pop(int(message), None)
        if not read_look(after).pictures:
            raise Undeliverable("picture-lost")

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id; None where there can be none.

        Starting it again returns the same thread: a thread that starts from a message has the message's id.
        """
        if place.kind == "private" or place.thread is not None or place.guest:
            return None
        http = self._require_client().http
        try:
            with translate_discord_errors():
                try:
                    await http.start_thread_with_message(
                        int(place.channel), int(message), name=title[:MAX_TITLE_LENGTH], auto_archive_duration=10080
                    )
                except discord.HTTPException as error:
                    if error.code != THREAD_EXISTS:
                        raise
        except Undeliverable as error:
            log.info("thread-not-created", channel=place.channel, reason=error.reason)
            return None
        return message

    async def find_sent(self, place: Place, presses: Collection[str], since: datetime) -> str | None:
        """Return the id of our message that has all these presses and was sent since a time; None if there is none.

        Where the bot may not read the history, Discord returns no messages.
        """
        if place.guest:
            return None
        application, history = (
            self._require_client().application_id,
            self._target(place).history(limit=MAX_MESSAGES_READ, after=since),
        )
        with translate_discord_errors():
            async for message in history:
                if message.author.id == application and presses_of(message).issuperset(presses):
                    return str(message.id)
        return None

    async def private_chat(self, user: str) -> Place:
        """Return the private chat with a user, opened if necessary."""
        with translate_discord_errors():
            chat = await self._require_client().create_dm(discord.Object(int(user)))
        return Place(PLATFORM, str(chat.id), kind="private")

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        """Return a person's current membership in a server, None if they cannot read the channel (any more).

        A private thread can be read by its members and by people who manage threads. A process that does not serve the
        server also fetches its roles and the channel, which the gateway has not sent.
        """
        client, server, channel = self._require_client(), int(place.group or 0), int(place.channel)
        guild = client.get_guild(server)
        with translate_discord_errors():
            served = guild is not None and guild.get_channel(channel) is not None
            if guild is None or not served:
                guild = await client.fetch_guild(server, with_counts=False)
            try:
                member = await guild.fetch_member(int(user))
            except discord.NotFound as error:
                if error.code in (UNKNOWN_MEMBER, UNKNOWN_USER):
                    return None
                raise
            here = guild.get_channel(channel) or await guild.fetch_channel(channel)
            permissions = here.permissions_for(member)
            reads = permissions.view_channel and (
                place.thread is None
                or permissions.manage_threads
                or await _reads_thread(guild, int(place.thread), member.id)
            )
        if not reads:
            return None
        return Membership(frozenset(role.name.lower() for role in member.roles), permissions.manage_guild)

    def game_link(self, code: str) -> GameLink | None:
        """Return the link by which a user installs the app for themselves; after that, they can type the code."""
        application = self._application_id
        if application is None:
            return None
        # The default would be an installation for a server (page Application, Installation Context).
        address = discord.utils.oauth_url(application, scopes=("applications.commands",))
        return GameLink(f"{address}&integration_type=1", typed=True)

    def address(self, place: Place, message: str) -> str:
        """Return the link that jumps to a message."""
        return f"https://discord.com/channels/{place.group or '@me'}/{place.thread or place.channel}/{message}"

    async def _edit(self, place: Place, message: str, made: MessageParts) -> discord.Message:
        """Edit a message to show the given parts, without mentioning anyone."""
        change: Json = {
            "view": made.view,
            "attachments": made.attachments,
            "allowed_mentions": discord.AllowedMentions.none(),
        }
        if place.guest:
            async with self.guests.open_message(place, message) as (webhook, number):
                return await webhook.edit_message(number, **change)
        return await self._message(place, message).edit(**change)

    async def _fetch_look(self, place: Place, message: str) -> MessageLook:
        """Return the content of a message as it is cached, or as Discord has it."""
        known = self._content_cache.get(int(message))
        if known is not None:
            return known
        if place.guest:
            async with self.guests.open_message(place, message) as (webhook, number):
                return read_look(await webhook.fetch_message(number))
        return read_look(await self._message(place, message).fetch())

    async def _delete(self, place: Place, message: str) -> None:
        self._content_cache.pop(int(message), None)
        if place.guest:
            async with self.guests.open_message(place, message) as (webhook, number):
                await webhook.delete_message(number)
        else:
            await self._message(place, message).delete()

    def _remember(self, message: discord.Message) -> None:
        """Cache a board's content, unless other processes may also change it."""
        if not self.context.store.is_shared:
            self._content_cache[message.id] = read_look(message)

    def _require_client(self) -> discord.Client:
        client = self._client()
        if client is None or client.is_closed():
            raise TryLater(CONNECT_WAIT_SECONDS)
        return client

    @property
    def invitation(self) -> str:
        """Link that adds the bot to a server, empty while it is not logged in."""
        application = self._application_id
        if application is None:
            return ""
        # The bot scope includes the scope for commands.
        return discord.utils.oauth_url(application, permissions=REQUIRED_PERMISSIONS, scopes=("bot",))

    @property
    def _application_id(self) -> int | None:
        client = self._client()
        return client.application_id if client is not None else None

    def _target(self, place: Place) -> discord.PartialMessageable:
        return self._require_client().get_partial_messageable(int(place.thread or place.channel))

    def _message(self, place: Place, message: str) -> discord.PartialMessage:
        return self._target(place).get_partial_message(int(message))

    def answer_only_notice(self, speaker: Speaker) -> Text:
        """Return the notice that says why a reply is private, and how to change that."""
        return speaker.say("guest.hushed", link=self._attach_files(speaker))

    def _attach_files(self, speaker: Speaker) -> Span:
        return Span(speaker.line("guest.add"), link=self.invitation)

    def _speaker(self, place: Place) -> Speaker:
        return self.context.speaker(place.language, PLATFORM)


async def _reads_thread(guild: discord.Guild, thread: int, user: int) -> bool:
    """Return True if a person who reads a channel can read one of its threads: they are in it, or it is public.

    Source: https://docs.discord.com/developers/topics/threads#private-threads. No one can read a deleted thread.
    """
    try:
        found = guild.get_thread(thread) or await guild.fetch_channel(thread)
        if not isinstance(found, discord.Thread) or not found.is_private():
            return True
        await found.fetch_member(user)
    except discord.NotFound as error:
        if error.code in (UNKNOWN_MEMBER, UNKNOWN_USER, UNKNOWN_CHANNEL):
            return False
        raise
    return True
