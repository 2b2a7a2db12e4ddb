"""The REST side: every request is checked, then carried out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from aiohttp import BodyPartReader, web

from tests.fakes.discord.answering import MESSAGE, UPDATE, Files
from tests.fakes.discord.commands import check_commands
from tests.fakes.discord.habits import find_emptied_files, find_lapses
from tests.fakes.discord.messages import ApiError, apply, existing, invalid, mentioned
from tests.fakes.discord.parts import media, walk
from tests.fakes.discord.schema import (
    USER_AGENT,
    Json,
    operation,
    problems,
    query_problems,
    shape_of,
    spec,
    text_problems,
)
from tests.fakes.discord.world import (
    DM,
    EPHEMERAL,
    GROUP_DM,
    PRIVATE_THREAD,
    THREAD,
    Channel,
    Guild,
    Interaction,
    Message,
    Permission,
)
from tests.fakes.platform import refuse_if, required

if TYPE_CHECKING:
    from tests.fakes.discord.server import FakeDiscord


ENTRY_POINT: Final = 4
"""The type of the command by which an Activity is opened (page Application Commands, Entry Point Commands)."""
NONCE_LIFE: Final = 5 * 60.0
"""For how many seconds the nonce of a message is remembered: “the past few minutes” (page Message, Create Message)."""


@dataclass
class Call:
    """A request as it came in."""

    operation: str
    path: Mapping[str, str]
    body: Any
    files: Files
    query: Mapping[str, str] = field(default_factory=dict)


class Rest:
    """Carries out requests."""

    def __init__(self, discord: FakeDiscord) -> None:
        self._discord = discord
        self._doing = {
            "GET /users/@me": self._me,
            "POST /users/@me/channels": self._open_dm,
            "GET /oauth2/applications/@me": self._application,
            "GET /applications/{application_id}/commands": self._commands,
            "PUT /applications/{application_id}/commands": self._put_commands,
            "GET /channels/{channel_id}": self._get_channel,
            "PATCH /channels/{channel_id}": self._patch_channel,
            "GET /channels/{channel_id}/messages": self._get_messages,
            "GET /channels/{channel_id}/messages/{message_id}": self._get_message,
            "POST /channels/{channel_id}/messages": self._post_message,
            "PATCH /channels/{channel_id}/messages/{message_id}": self._patch_message,
            "DELETE /channels/{channel_id}/messages/{message_id}": self._delete_message,
            "POST /channels/{channel_id}/messages/{message_id}/threads": self._post_thread,
            "GET /channels/{channel_id}/thread-members/{user_id}": self._get_thread_member,
            "GET /guilds/{guild_id}/members/{user_id}": self._get_member,
            "GET /guilds/{guild_id}": self._get_guild,
            "GET /guilds/{guild_id}/roles": self._get_roles,
            "POST /interactions/{interaction_id}/{interaction_token}/callback": self._callback,
            "POST /webhooks/{webhook_id}/{webhook_token}": self._follow,
            "GET /webhooks/{webhook_id}/{webhook_token}/messages/@original": self._get_private,
            "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original": self._patch_private,
            "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original": self._delete_private,
            "GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": self._get_private,
            "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": self._patch_private,
            "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": self._delete_private,
        }

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of all operations; whatever else is asked for is refused."""
        listed = []
        for name in spec()["operations"]:
            method, path = name.split(" ")
            listed.append(web.route(method, f"/api/v10{path}", self._handler(name)))
        return [*listed, web.route("*", "/api/{rest:.*}", self._unknown)]

    def _handler(self, name: str) -> Any:
        async def handle(request: web.Request) -> web.Response:
            try:
                return await self._serve(name, request)
            except ApiError as error:
                return self._refuse(name, error)
            finally:
                await self._discord.tell()

        return handle

    def _refuse(self, name: str, error: ApiError) -> web.Response:
        self._discord.refused.append((name, error))
        return _answer(error.to_json(), status=error.status)

    async def _unknown(self, request: web.Request) -> web.Response:
        return self._refuse(f"{request.method} {request.path}", ApiError(404, 0, "404: Not Found"))

    async def _serve(self, name: str, request: web.Request) -> web.Response:
        discord = self._discord
        if not name.split(" ")[1].startswith(("/webhooks", "/interactions")):
            refuse_if(
                not USER_AGENT.match(request.headers.get("User-Agent", "")),
                ApiError(403, 40333, "internal network error"),
            )
            refuse_if(
                request.headers.get("Authorization") != f"Bot {discord.token}", ApiError(401, 0, "401: Unauthorized")
            )
        headers, refusal = discord.limits.take(name, _major(request))
        if refusal is not None:
            return _answer(refusal, status=429, headers=headers)
        call = await self._read(name, request)
        discord.calls.append(call)
        await discord.tell()
        await discord.gate(name)
        if isinstance(call.body, dict):
            said = call.body.get("data") if name.endswith("/callback") else call.body
            edits = name.startswith("PATCH") or call.body.get("type") == UPDATE
            discord.lapses += find_lapses(said or {}, call.files, new=not edits, commands=discord.commands)
        discord.notify_listeners(call, done=False)
        result = self._doing[name](call)
        if asyncio.iscoroutine(result):
            result = await result
        discord.notify_listeners(call, result, done=True)
        distorted = discord.distort(name, result, shape_of(operation(name)["answer"]))
        if distorted is not None:
            return distorted.response()
        if result is None:
            return web.Response(status=204, headers=headers)
        return _answer(result, headers=headers)

    async def _read(self, name: str, request: web.Request) -> Call:
        """Return a request's body and files, checked against the description."""
        described = operation(name)
        files: dict[int, tuple[str, bytes]] = {}
        body: Any = None
        text: str | None = None
        if request.content_type == "multipart/form-data":
            refuse_if(not described["files"], invalid("files where there can be none"))
            async for part in await request.multipart():
                assert isinstance(part, BodyPartReader)
                if part.name == "payload_json":
                    body = json.loads(await part.text())
                elif part.name and part.name.startswith("files[") and part.name.endswith("]"):
                    files[int(part.name[6:-1])] = (part.filename or "file", bytes(await part.read()))
                else:
                    raise invalid(f"a part called {part.name!r}")
        elif request.can_read_body:
            refuse_if(request.content_type != "application/json", invalid(f"content type {request.content_type}"))
            text = await request.text()
            body = json.loads(text)
        found = query_problems(described["query"], request.query)
        for parameter, schema in described["path"].items():
            found += problems(schema, request.match_info.get(parameter, "@original"), f"path.{parameter}")
        if described["body"] is None:
            if body is not None:
                found.append("body: none belongs here")
        else:
            found += problems(described["body"], body) if text is None else text_problems(name, text)
        if found:
            raise invalid(*found)
        return Call(name, dict(request.match_info), body, files, dict(request.query))

    # Who and what.

    def _me(self, call: Call) -> Json:
        return self._discord.bot.to_json() | {"verified": True, "mfa_enabled": False, "flags": 0, "locale": "en-US"}

    def _application(self, call: Call) -> Json:
        discord = self._discord
        data: Json = {"id": discord.application_id, "name": "Tavoliere", "description": "", "icon": None, "flags": 0}
        data |= {"bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64}
        return data | {"owner": discord.people[discord.owner.id].to_json()}

    def _commands(self, call: Call) -> list[Json]:
        return list(self._discord.commands.values())

    def _put_commands(self, call: Call) -> list[Json]:
        discord = self._discord
        check_commands(call.body or [])
        extra = {"application_id": discord.application_id, "version": "1"}
        # One that is there already is overwritten, and keeps its id (page Application Commands, Create and Bulk
        # Overwrite); what is not named is gone.
        entries = {name for name, each in discord.commands.items() if each.get("type") == ENTRY_POINT}
        refuse_if(
            entries - {each["name"] for each in call.body or [] if each.get("type") == ENTRY_POINT},
            ApiError(
                400,
                50240,
                "You cannot remove this app's Entry Point command in a bulk update operation. "
                "Please include the Entry Point command in your update request or delete it separately.",
            ),
        )
        known = {(name, each.get("type", 1)): each["id"] for name, each in discord.commands.items()}
        discord.commands = {}
        for each in call.body or []:
            number = known.get((each["name"], each.get("type", 1))) or discord.ids.new()
            # What is no chat command is told with an empty description.
            discord.commands[each["name"]] = {"description": "", **each, **extra, "id": number}
        return list(discord.commands.values())

    # Channels.

    def _channel(self, call: Call, *needed: int) -> Channel:
        channel = self._discord.channels.get(call.path["channel_id"])
        if channel is None or channel.deleted:
            raise ApiError(404, 10003, "Unknown Channel")
        # Also where it was removed from the server: discord-api-docs issues 1716 and 2709.
        refuse_if(not channel.has_bot, ApiError(403, 50001, "Missing Access"))
        refuse_if(channel.parent is not None and channel.parent.deleted, ApiError(404, 10003, "Unknown Channel"))
        refuse_if(not channel.may(Permission.VIEW_CHANNEL), ApiError(403, 50001, "Missing Access"))
        for permission in needed:
            refuse_if(not channel.may(permission), ApiError(403, 50013, "Missing Permissions"))
        return channel

    def _get_channel(self, call: Call) -> Json:
        return self._channel(call).to_json()

    def _patch_channel(self, call: Call) -> Json:
        channel = self._channel(call)
        if channel.parent is None or channel.locked:
            raise ApiError(403, 50013, "Missing Permissions")
        channel.archived = bool(call.body.get("archived", channel.archived))
        return channel.to_json()

    def _get_member(self, call: Call) -> Json:
        guild = self._guild(call)
        account = required(self._discord.people.get(call.path["user_id"]), ApiError(404, 10013, "Unknown User"))
        refuse_if(account in guild.roles.departed, ApiError(404, 10007, "Unknown Member"))
        return guild.member_json(account)

    def _get_thread_member(self, call: Call) -> Json:
        thread, account = self._channel(call), self._discord.people.get(call.path["user_id"])
        if thread.parent is None or thread.guild is None:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        if account is None or account not in thread.members:
            raise ApiError(404, 10007, "Unknown Member")
        joined = thread.guild.member_json(account)["joined_at"]
        return {"id": thread.id, "user_id": account.id, "join_timestamp": joined, "flags": 0}

    def _get_guild(self, call: Call) -> Json:
        # Without what only the gateway tells (page Guild, Guild Create).
        whole = self._guild(call).to_json()
        return {
            key: value for key, value in whole.items() if key not in ("members", "channels", "threads", "presences")
        }

    def _get_roles(self, call: Call) -> list[Json]:
        guild = self._guild(call)
        return guild.roles.to_json(guild.role_json())

    def _guild(self, call: Call) -> Guild:
        named = next((each for each in self._discord.guilds if each.id == call.path["guild_id"]), None)
        found = required(named, ApiError(404, 10004, "Unknown Guild"))
        refuse_if(not found.has_bot, ApiError(403, 50001, "Missing Access"))
        return found

    def _open_dm(self, call: Call) -> Json:
        person = self._discord.people.get(str(call.body.get("recipient_id")))
        return self._discord.dm(required(person, invalid("recipient_id: nobody"))).to_json()

    # Messages of the bot.

    def _message(self, call: Call, channel: Channel) -> Message:
        message = existing(self._discord.messages.get(call.path["message_id"]))
        refuse_if(message.channel is not channel or message.private, ApiError(404, 10008, "Unknown Message"))
        return message

    def _get_message(self, call: Call) -> Json:
        channel = self._channel(call, Permission.READ_MESSAGE_HISTORY)
        return self._message_to_json(self._message(call, channel))

    def _get_messages(self, call: Call) -> list[Json]:
        """Return what was said in a channel, the newest first, nothing to who may not read that."""
        channel, after = self._channel(call), int(call.query.get("after", 0))
        if not channel.may(Permission.READ_MESSAGE_HISTORY):
            return []
        most, before = int(call.query.get("limit", 50)), int(call.query.get("before", 1 << 63))
        said = [message for message in self._discord.shown(channel) if after < int(message.id) < before]
        oldest_first = "after" in call.query
        some = sorted(said, key=lambda message: int(message.id), reverse=not oldest_first)[:most]
        return [self._message_to_json(each) for each in sorted(some, key=lambda message: -int(message.id))]

    def _message_to_json(self, message: Message) -> Json:
        """Return a message as it is told."""
        data = message.to_json()
        if self._discord.hides_attachment_ids:
            for item in (item for part in walk(data["components"]) for item in media(part)):
                item["media"].pop("attachment_id", None)
        return data

    def _edited(self, call: Call, message: Message) -> Json:
        """Return an edited message as it is told, without its files if they are to be lost."""
        if self._discord.loses_files(call.operation):
            message.lose_files()
        return self._message_to_json(message)

    def _post_message(self, call: Call) -> Json:
        discord, body = self._discord, call.body
        channel = self._channel(call)
        refuse_if(
            not channel.may(
                Permission.SEND_MESSAGES_IN_THREADS
                if channel.kind in (THREAD, PRIVATE_THREAD)
                else Permission.SEND_MESSAGES
            ),
            ApiError(403, 50013, "Missing Permissions"),
        )
        refuse_if(call.files and not channel.may(Permission.ATTACH_FILES), ApiError(403, 50013, "Missing Permissions"))
        refuse_if(
            channel.kind == DM and channel.recipient in discord.closed,
            ApiError(403, 50007, "Cannot send messages to this user"),
        )
        refuse_if(
            channel.kind == DM and channel.recipient is not None and not channel.recipient.within_reach,
            ApiError(403, 50278, "Cannot send messages to this user due to having no mutual guilds"),
        )
        refuse_if(channel.archived and channel.locked, ApiError(400, 50083, "Thread is archived"))
        refuse_if((body.get("flags") or 0) & EPHEMERAL, invalid("flags: ephemeral without an interaction"))
        nonce = (channel.id, str(body.get("nonce")))
        if body.get("enforce_nonce") and nonce in discord.nonces:
            same = discord.messages[discord.nonces[nonce]]
            if discord.clock.now - same.created < NONCE_LIFE:
                return self._message_to_json(same)
        channel.archived = False
        message = Message(discord.ids.new(), channel, discord.bot, discord.clock.now)
        apply(message, body, call.files, discord.ids, new=True)
        discord.answering.publish(message, body)
        if body.get("nonce") is not None:
            discord.nonces[nonce] = message.id
        return self._message_to_json(message)

    def _patch_message(self, call: Call) -> Json:
        channel = self._channel(call)
        message = self._message(call, channel)
        refuse_if(
            message.author is not self._discord.bot,
            ApiError(403, 50005, "Cannot edit a message authored by another user"),
        )
        refuse_if(channel.archived, ApiError(400, 50083, "Thread is archived"))
        refuse_if(call.files and not channel.may(Permission.ATTACH_FILES), ApiError(403, 50013, "Missing Permissions"))
        self._discord.lapses += find_emptied_files(message, call.body)
        apply(message, call.body, call.files, self._discord.ids, new=False)
        message.mentions = mentioned(message, call.body, self._discord.people)
        message.edits += 1
        return self._edited(call, message)

    def _delete_message(self, call: Call) -> None:
        self._message(call, self._channel(call)).deleted = True

    async def _post_thread(self, call: Call) -> Json:
        discord = self._discord
        channel = self._channel(call, Permission.CREATE_PUBLIC_THREADS)
        message = self._message(call, channel)
        refuse_if(
            message.thread is not None, ApiError(400, 160004, "A thread has already been created for this message")
        )
        refuse_if(
            channel.kind in (THREAD, PRIVATE_THREAD, DM, GROUP_DM),
            ApiError(400, 50024, "Cannot execute action on this channel type"),
        )
        # A thread that is started from a message has the message's id.
        thread = Channel(message.id, THREAD, call.body["name"], channel.guild, parent=channel)
        message.thread = thread
        discord.add_channel(thread)
        if discord.gateway.connected:
            await discord.gateway.dispatch("THREAD_CREATE", thread.to_json() | {"newly_created": True})
        return thread.to_json()

    # Interactions.

    def _interaction(self, call: Call) -> Interaction | None:
        token = call.path.get("interaction_token") or call.path.get("webhook_token")
        found = self._discord.interactions.get(token or "")
        if found is not None and call.path.get("interaction_id") not in (None, found.id):
            return None
        return found

    def _callback(self, call: Call) -> Json:
        interaction = self._interaction(call)
        said = self._discord.answering.first(interaction, call.body, call.files)
        shown = interaction.original if interaction is not None and call.body["type"] in (MESSAGE, UPDATE) else None
        if shown is not None and call.query.get("with_response") in ("1", "true"):
            # Only for these two types (page Receiving and Responding, Interaction Callback Resource Object).
            said["resource"] = {"type": call.body["type"], "message": self._edited(call, shown)}
        return said

    def _follow(self, call: Call) -> Json:
        interaction = self._discord.answering.alive(self._interaction(call))
        return self._message_to_json(self._discord.answering.follow(interaction, call.body, call.files))

    def _private(self, call: Call) -> tuple[Interaction, Message]:
        interaction = self._discord.answering.alive(self._interaction(call))
        if "message_id" not in call.path:
            return interaction, self._discord.answering.original(interaction)
        message = existing(self._discord.messages.get(call.path["message_id"]))
        is_mine = message in [*interaction.followups, interaction.original]
        refuse_if(not is_mine, ApiError(404, 10008, "Unknown Message"))
        return interaction, message

    def _get_private(self, call: Call) -> Json:
        return self._message_to_json(self._private(call)[1])

    def _patch_private(self, call: Call) -> Json:
        interaction, message = self._private(call)
        return self._edited(call, self._discord.answering.edit(interaction, message, call.body, call.files))

    def _delete_private(self, call: Call) -> None:
        self._private(call)[1].deleted = True


def _major(request: web.Request) -> str:
    info = request.match_info
    return info.get("channel_id") or info.get("webhook_token") or ""


def _answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    # discord.py reads JSON only where the content type is exactly this, without a character set.
    sent = {**(headers or {}), "Content-Type": "application/json"}
    return web.Response(body=json.dumps(data).encode(), status=status, headers=sent)
