"""The life of an interaction: three seconds for the first answer, which fixes much; 15 minutes for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tests.fakes.discord.habits import find_emptied_files, left_behind
from tests.fakes.discord.messages import ApiError, apply, existing, invalid, mentioned
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import EPHEMERAL, LOADING, Interaction, Message, Permission
from tests.fakes.platform import refuse_if, required

if TYPE_CHECKING:
    from tests.fakes.discord.server import FakeDiscord

ANSWER_TIMEOUT_SECONDS: Final = 3.0
LIFE: Final = 15 * 60.0
MAX_FOLLOWUPS: Final = 5
"""Where the bot is not a member."""

COMMAND, COMPONENT, COMPLETION, MODAL = 2, 3, 4, 5
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, WINDOW, LAUNCH = 4, 5, 6, 7, 8, 9, 12
ALLOWED: Final = {
    COMMAND: {MESSAGE, DEFERRED, WINDOW, LAUNCH},
    COMPONENT: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, WINDOW, LAUNCH},
    COMPLETION: {CHOICES},
    MODAL: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE},
}

MAX_WINDOW_PARTS: Final = 5
"""“Between 1 and 5 (inclusive) components that make up the modal” (page Receiving and Responding, Modal)."""

Files = Mapping[int, tuple[str, bytes]]


class Answering:
    """Takes answers to interactions and what follows them."""

    def __init__(self, discord: FakeDiscord) -> None:
        self._discord = discord
        self.timeout_seconds = ANSWER_TIMEOUT_SECONDS

    def first(self, interaction: Interaction | None, body: Json, files: Files) -> Json:
        """Take the first answer to an interaction."""
        interaction = required(interaction, ApiError(404, 10062, "Unknown interaction"))
        refuse_if(interaction.answer is not None, ApiError(400, 40060, "Interaction has already been acknowledged."))
        refuse_if(
            self._discord.clock.now - interaction.created > self.timeout_seconds,
            ApiError(404, 10062, "Unknown interaction"),
        )
        kind = body["type"]
        refuse_if(kind not in ALLOWED[interaction.kind], invalid(f"type: {kind} does not answer this"))
        # “Only available for apps with Activities enabled” (page Receiving and Responding, Callback Type).
        refuse_if(kind == LAUNCH and not self._discord.has_activity, invalid("type: the application has no Activity"))
        data = body.get("data") or {}
        if kind == CHOICES:
            interaction.choices = data.get("choices") or []
        elif kind == WINDOW:
            interaction.window = _checked_window(data)
        elif kind in (MESSAGE, DEFERRED):
            interaction.original = self._answer(interaction, data, files, kind)
        elif kind in (DEFERRED_UPDATE, UPDATE):
            interaction.original = interaction.message
            if kind == UPDATE and interaction.message is not None:
                if "attachments" not in data and interaction.message.attachments:
                    # They have been removed then, other than by an edit (discord-api-docs issue 6277).
                    self._discord.lapses.append("attachments: a response that names none may remove all")
                self.edit(interaction, interaction.message, data, files)
        interaction.answer = kind
        said: Json = {"id": interaction.id, "type": interaction.kind}
        if kind == LAUNCH:
            instance = f"i-{interaction.id}-gc-{interaction.channel.id}"
            self._discord.launched.append((instance, interaction.person.id))
            resource = {"type": LAUNCH, "activity_instance": {"id": instance}}
            return {"interaction": said | {"activity_instance_id": instance}, "resource": resource}
        if interaction.original is not None:
            said |= {"response_message_id": interaction.original.id}
            said |= {"response_message_loading": interaction.original.loading}
            said |= {"response_message_ephemeral": interaction.original.private}
        return {"interaction": said}

    def original(self, interaction: Interaction) -> Message:
        """Return the message that the first answer made or was about."""
        return existing(interaction.original)

    def follow(self, interaction: Interaction, body: Json, files: Files) -> Message:
        """Send one more message; after a defer the first one takes the place of the bot's thinking."""
        if interaction.original is not None and interaction.original.loading and not interaction.original.deleted:
            return self.edit(interaction, interaction.original, body, files)
        refuse_if(
            not interaction.member and len(interaction.followups) >= MAX_FOLLOWUPS,
            ApiError(400, 40094, "This interaction has reached the maximum number of follow up messages"),
        )
        message = self._new(interaction, body, files, body.get("flags") or 0)
        apply(message, body, files, self._discord.ids, new=True)
        interaction.followups.append(message)
        return self.publish(message, body)

    def alive(self, interaction: Interaction | None) -> Interaction:
        """Return an interaction whose token can still be used; ApiError."""
        if interaction is None or interaction.answer is None:
            raise ApiError(404, 10015, "Unknown Webhook")
        refuse_if(self._discord.clock.now - interaction.created > LIFE, ApiError(401, 50027, "Invalid Webhook Token"))
        return interaction

    def _answer(self, interaction: Interaction, data: Json, files: Files, kind: int) -> Message:
        message = self._new(interaction, data, files, data.get("flags") or 0)
        if kind == DEFERRED:
            message.flags |= LOADING
            return self._discord.put(message)
        apply(message, data, files, self._discord.ids, new=True)
        return self.publish(message, data)

    def _new(self, interaction: Interaction, body: Json, files: Files, flags: int) -> Message:
        discord = self._discord
        message = Message(discord.ids.new(), interaction.channel, discord.bot, discord.clock.now)
        message.owners = interaction.owners
        self._check_files(interaction, files)
        if flags & EPHEMERAL or (not interaction.member and interaction.channel.is_muted):
            message.flags |= EPHEMERAL
            message.reader = interaction.person
        return message

    def edit(self, interaction: Interaction, message: Message, body: Json, files: Files) -> Message:
        """Change a message of an interaction; whether it is private was fixed before."""
        self._check_files(interaction, files)
        thinking = message.loading
        self._discord.lapses += find_emptied_files(message, body)
        apply(message, body, files, self._discord.ids, new=False)
        self._discord.lapses += left_behind(message)
        message.mentions = mentioned(message, body, self._discord.people)
        if thinking:
            message.flags &= ~LOADING
            message.pings = tuple(message.mentions)
        else:
            message.edits += 1
        return message

    def _check_files(self, interaction: Interaction, files: Files) -> None:
        refuse_if(
            files and not interaction.member and not interaction.channel.app_permissions & Permission.ATTACH_FILES,
            ApiError(403, 50013, "Missing Permissions"),
        )

    def publish(self, message: Message, body: Json) -> Message:
        """Put a new message where it is seen; those whom it mentions are notified."""
        message.mentions = mentioned(message, body, self._discord.people)
        message.pings = tuple(message.mentions)
        return self._discord.put(message)


def _checked_window(data: Json) -> Json:
    """Return a modal; its description in the API allows more parts than its page."""
    parts = data["components"]
    refuse_if(not 1 <= len(parts) <= MAX_WINDOW_PARTS, invalid(f"data.components: {len(parts)}"))
    ids = [part["component"]["custom_id"] for part in parts]
    refuse_if(len(set(ids)) < len(ids), invalid("data.components: the same custom_id twice"))
    return data
