"""What people do on the fake Discord: type commands with completion, press buttons, choose from menus."""

from dataclasses import dataclass
from typing import Any

from tests.fakes.discord.answering import COMMAND, COMPLETION, COMPONENT, MODAL
from tests.fakes.discord.schema import Json
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Account, Channel, Guild, Interaction, Message
from tests.support.present import present

STRING, INTEGER, USER = 3, 4, 6
USER_MENU, MESSAGE_MENU = 2, 3
TEXT_INPUT, USER_SELECT, LABEL, RADIO_GROUP, CHECKBOX = 4, 5, 18, 21, 23
"""Parts of windows (page Component Reference, Component Types)."""
IN_GUILD, IN_BOT_DM, ELSEWHERE = 0, 1, 2


@dataclass(eq=False)
class Person:
    """Somebody at their screen; `here` is the channel that they look at."""

    discord: FakeDiscord
    account: Account
    here: Channel

    @property
    def id(self) -> str:
        return self.account.id

    @property
    def private(self) -> list[Message]:
        """What they alone see, the oldest first."""
        return self.discord.private(self.account)

    @property
    def newest_private(self) -> Message:
        """The newest of what they alone see."""
        return self.private[-1]

    async def command(self, name: str, /, **options: Any) -> Interaction:
        """Type a command; return when it was answered the first time."""
        return await self._answered(await self.send_command(name, **options), name)

    async def send_command(self, name: str, /, **options: Any) -> Interaction:
        """Type a command without waiting for an answer."""
        described = self._described(name)
        data = {"id": described["id"], "name": name, "type": 1, "options": self._options(described, options)}
        people = {each.id: each for each in options.values() if isinstance(each, Account)}
        if people:
            data["resolved"] = self._resolved(people)
        return await self.send(COMMAND, data)

    async def menu(self, name: str, target: Account | Message) -> Interaction:
        """Choose what is offered for a person or a message; return when it was answered the first time."""
        described, target_id = self._described(name), target.id
        data: Json = {"id": described["id"], "name": name, "type": described["type"], "target_id": target_id}
        if isinstance(target, Account):
            assert described["type"] == USER_MENU
            data["resolved"] = self._resolved({target_id: target})
        else:
            assert described["type"] == MESSAGE_MENU
            data["resolved"] = {"messages": {target_id: target.to_json()}}
        return await self._answered(await self.send(COMMAND, data), name)

    async def complete(self, name: str, focused: str, **options: Any) -> list[Json]:
        """Type a part of an option of a command; return what is suggested."""
        sent = await self.send_completion(name, focused, **options)
        interaction = await self._answered(sent, f"the completion of {name} {options}")
        return present(interaction.choices)

    async def send_completion(self, name: str, focused: str, **options: Any) -> Interaction:
        """Type a part of an option of a command without waiting for suggestions."""
        described = self._described(name)
        listed = self._options(described, options, checked=False)
        for option in listed:
            if option["name"] == focused:
                option["focused"] = True
        known = {option["name"]: option for option in described["options"]}
        assert known[focused].get("autocomplete"), f"/{name} {focused} has no completion"
        data = {"id": described["id"], "name": name, "type": 1, "options": listed}
        return await self.send(COMPLETION, data)

    async def press(self, message: Message, label: str) -> Interaction:
        """Press the button, or choose the option of a menu, that has this label (or the one that ends with it)."""
        assert not message.deleted, "that message is gone"
        assert message.reader in (None, self.account), "that message is somebody else's"
        parts = message.pressable
        found = [part for part in parts if part["label"] == label] or [
            part for part in parts if part["label"].endswith(label)
        ]
        assert len(found) == 1, f"{label!r} is not among {message.labels}"
        assert not found[0].get("disabled"), f"{label!r} is disabled"
        return await self.press_part(message, found[0])

    async def press_part(self, message: Message, part: Json, seen: Json | None = None) -> Interaction:
        """Press a part of a message; return when that was answered the first time."""
        return await self._answered(await self.send_press(message, part, seen), f"a press of {part['custom_id']}")

    async def send_press(self, message: Message, part: Json, seen: Json | None = None) -> Interaction:
        """Press a part of a message without waiting for an answer.

        `seen` is the message as it was when they looked, if it has changed since.
        """
        data = {"custom_id": part["custom_id"], "component_type": part["type"], "id": part.get("id", 1)}
        if part["type"] == 3:
            data["values"] = [part["value"]]
        return await self.send(COMPONENT, data, message, seen)

    async def submit(self, opened: Interaction, **given: Any) -> Interaction:
        """Fill in the window that an interaction has opened, by the ids of its parts; return when it was answered.

        What is not given stays as it was. The names of the types are those of the page Component Reference.
        """
        return await self._answered(await self.send_window(opened, **given), "a window")

    async def send_window(self, opened: Interaction, **given: Any) -> Interaction:
        """Fill in a window without waiting for an answer."""
        window, people = opened.window, dict[str, Account]()
        assert window is not None, "no window was opened"
        parts, left = [], dict(given)
        for number, label in enumerate(window["components"]):
            part = label["component"]
            chosen = left.pop(part["custom_id"], None)
            if part["type"] == USER_SELECT and chosen is not None:
                people |= {each.id: each for each in chosen}
            filled = {"type": part["type"], "id": number + 1, "custom_id": part["custom_id"], **_filled(part, chosen)}
            parts.append({"type": LABEL, "id": number + 20, "component": filled})
        assert not left, f"{left} is not among {[each['component']['custom_id'] for each in window['components']]}"
        data: Json = {"custom_id": window["custom_id"], "components": parts}
        if people:
            data["resolved"] = self._resolved(people)
        return await self.send(MODAL, data, opened.message)

    def _member(self, guild: Guild, person: Account) -> Json:
        return guild.member_json(person) | {"permissions": str(guild.permissions_of(person))}

    def _resolved(self, people: dict[str, Account]) -> Json:
        resolved: Json = {"users": {user: each.to_json() for user, each in people.items()}}
        if self.here.guild is not None:
            resolved["members"] = {user: self._member(self.here.guild, each) for user, each in people.items()}
            for member in resolved["members"].values():
                del member["user"]
        return resolved

    def _described(self, name: str) -> Json:
        described = self.discord.commands[name]
        mine, context = self.here.has_bot, context_of(self.here)
        if mine:
            assert 0 in described["integration_types"], f"/{name} is not for servers"
        else:
            assert 1 in described["integration_types"], f"/{name} is not for user installs"
            assert self.account.installed, f"{self.account.name} is offered no commands here"
        assert context in described["contexts"], f"/{name} is not offered here"
        needed, guild = described.get("default_member_permissions"), self.here.guild
        if needed is not None and guild is not None and mine:
            # The command is not offered to people who lack them (page Application Commands, Permissions).
            assert guild.permissions_of(self.account) & int(needed) == int(needed), f"/{name} is hidden from them"
        return described

    def _options(self, described: Json, values: dict[str, Any], *, checked: bool = True) -> list[Json]:
        known = {option["name"]: option for option in described["options"]}
        if checked:
            missing = [name for name, option in known.items() if option.get("required") and name not in values]
            assert not missing, f"missing: {missing}"
        return [self._option(known[name], value, checked=checked) for name, value in values.items()]

    def _option(self, option: Json, value: Any, *, checked: bool) -> Json:
        kind = option["type"]
        if kind == USER:
            assert isinstance(value, Account)
            value = value.id
        elif kind == INTEGER:
            if checked:
                assert option.get("min_value", value) <= value <= option.get("max_value", value)
        else:
            assert kind == STRING
            assert isinstance(value, str)
            if checked and option.get("choices"):
                assert value in [choice["value"] for choice in option["choices"]]
            assert len(value) <= option.get("max_length", 6000)
        return {"name": option["name"], "type": kind, "value": value}

    async def _answered(self, interaction: Interaction, what: str) -> Interaction:
        await self.discord.until(lambda: interaction.answer is not None, f"an answer to {what}")
        return interaction

    async def send(
        self, kind: int, data: Json, message: Message | None = None, seen: Json | None = None
    ) -> Interaction:
        """Send an interaction without waiting for an answer."""
        discord, channel = self.discord, self.here if message is None else message.channel
        number = discord.ids.new()
        interaction = Interaction(number, f"token{number}", kind, self.account, channel, discord.clock.now, message)
        interaction.member = channel.has_bot
        interaction.owners = self._owners(channel, message)
        discord.interactions[interaction.token] = interaction
        payload = self._payload(interaction, data)
        if message is not None:
            payload["message"] = seen or message.to_json()
        await discord.gateway.dispatch("INTERACTION_CREATE", payload)
        return interaction

    def _payload(self, interaction: Interaction, data: Json) -> Json:
        channel, guild = interaction.channel, interaction.channel.guild
        payload: Json = {
            "id": interaction.id,
            "application_id": self.discord.application_id,
            "type": interaction.kind,
            "data": data,
            "token": interaction.token,
            "version": 1,
            "locale": self.account.locale,
            "channel": self._channel(channel),
            "channel_id": channel.id,
            "app_permissions": str(channel.app_permissions),
            "entitlements": [],
            "attachment_size_limit": 10 * 1024 * 1024,
            "context": context_of(channel),
            "authorizing_integration_owners": interaction.owners,
        }
        if guild is None:
            payload["user"] = self.account.to_json()
        else:
            payload |= {"guild_id": guild.id, "guild_locale": guild.locale, "member": self._member(guild, self.account)}
            payload["guild"] = {"id": guild.id, "locale": guild.locale, "features": []}
        return payload

    def _owners(self, channel: Channel, message: Message | None) -> Json:
        """Return whose installation counts: of a button that of the interaction which brought its message."""
        if message is not None and message.owners is not None:
            return message.owners
        if not channel.has_bot:
            return {"1": self.id}
        return {"0": channel.guild.id if channel.guild is not None else "0"}

    def _channel(self, channel: Channel) -> Json:
        data = channel.to_json()
        data.pop("permission_overwrites", None)
        if channel.guild is not None:
            data["permissions"] = str(channel.guild.permissions_of(self.account))
        return data


def context_of(channel: Channel) -> int:
    """Return the context of interactions in a channel."""
    if channel.guild is not None:
        return IN_GUILD
    return IN_BOT_DM if channel.has_bot else ELSEWHERE


async def invite_bot(discord: FakeDiscord, guild: Guild) -> None:
    """Let the bot into a server."""
    guild.has_bot = True
    await discord.gateway.dispatch("GUILD_CREATE", guild.to_json() | {"unavailable": None})


def _filled(part: Json, chosen: Any) -> Json:
    """Return what a part of a window sends back: what was chosen, or what it began with."""
    kind, options = part["type"], part.get("options", [])
    begun = [each["value"] for each in options if each.get("default")]
    if kind in (RADIO_GROUP, CHECKBOX, TEXT_INPUT):
        value = chosen if chosen is not None else {TEXT_INPUT: part.get("value", "")}.get(kind, part.get("default"))
        value = begun[0] if kind == RADIO_GROUP and chosen is None and begun else value
        assert kind != RADIO_GROUP or value in [each["value"] for each in options] or not part.get("required", True)
        assert kind != TEXT_INPUT or len(str(value)) <= part.get("max_length", 4000)
        return {"value": value if kind != CHECKBOX else bool(value)}
    if kind == USER_SELECT:
        values = (
            [each.id for each in chosen]
            if chosen is not None
            else [each["id"] for each in part.get("default_values", [])]
        )
    else:
        values = list(chosen) if chosen is not None else begun
        assert set(values) <= {each["value"] for each in options}
    assert part.get("min_values", 1) <= len(values) <= part.get("max_values", 1)
    return {"values": values}
