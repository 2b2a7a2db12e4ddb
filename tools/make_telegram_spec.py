"""Make the table by which the fake Telegram checks requests, out of the published description of the Bot API.

Usage: make_telegram_spec.py API.MIN.JSON. The table holds, without the prose, what the methods that a bot like ours may
use take and are answered, every type that these lead to, and the types of what comes in. A field is a list of its
types, then whether it must be there, then what its length may be, if the description says so: least, most, and of what.
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).resolve().parent.parent / "tests" / "fakes" / "telegram" / "spec.json"

METHODS: Final = (
    "answerCallbackQuery",
    "answerGuestQuery",
    "answerInlineQuery",
    "close",
    "deleteMessage",
    "deleteMyCommands",
    "deleteWebhook",
    "editMessageCaption",
    "editMessageMedia",
    "editMessageReplyMarkup",
    "editMessageText",
    "getChat",
    "getChatAdministrators",
    "getChatMember",
    "getMe",
    "getMyCommands",
    "getUpdates",
    "getWebhookInfo",
    "leaveChat",
    "logOut",
    "sendAnimation",
    "sendDocument",
    "sendMessage",
    "sendPhoto",
    "setChatMenuButton",
    "setMessageReaction",
    "setMyCommands",
    "setMyDescription",
    "setMyShortDescription",
    "setWebhook",
)
INCOMING: Final = (
    "CallbackQuery",
    "Chat",
    "ChatMemberAdministrator",
    "ChatMemberBanned",
    "ChatMemberLeft",
    "ChatMemberMember",
    "ChatMemberOwner",
    "ChatMemberRestricted",
    "ChatMemberUpdated",
    "ChosenInlineResult",
    "ForumTopicCreated",
    "InlineQuery",
    "Message",
    "MessageEntity",
    "PhotoSize",
    "Document",
    "SentGuestMessage",
    "Update",
    "User",
)
BASIC: Final = frozenset({"Integer", "String", "Boolean", "Float", "InputFile"})
_LENGTH: Final = re.compile(r"\b(\d+)-(\d+) (characters|bytes)\b")


def strip_field(described: dict[str, Any]) -> list[Any]:
    """Return a field without its prose."""
    made: list[Any] = [described["types"], described["required"]]
    found = _LENGTH.search(described["description"])
    if found is not None and described["types"] == ["String"]:
        made += [[int(found[1]), int(found[2]), found[3]]]
    return made


def list_fields(described: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a method or a type."""
    return {each["name"]: strip_field(each) for each in described.get("fields", ())}


def find_type_names(types: Iterable[str]) -> set[str]:
    """Return the names of the types that are not basic ones."""
    return {each.removeprefix("Array of ").removeprefix("Array of ") for each in types} - BASIC


def build_table(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the table; KeyError if the description lacks something."""
    methods = {name: list_fields(spec["methods"][name]) for name in METHODS}
    types: dict[str, Any] = {}
    answers = {name: spec["methods"][name]["returns"] for name in METHODS}
    wanted = set().union(*(find_type_names(each[0]) for method in methods.values() for each in method.values()))
    wanted |= set().union(*map(find_type_names, answers.values()))
    while wanted:
        name = wanted.pop()
        described = spec["types"][name]
        if described.get("subtypes"):
            types[name] = sorted(described["subtypes"])
            wanted |= find_type_names(types[name]) - set(types)
        else:
            types[name] = list_fields(described)
            wanted |= set().union(*(find_type_names(each[0]) for each in types[name].values())) - set(types)
    for name in INCOMING:
        types.setdefault(name, list_fields(spec["types"][name]))
    return {"version": spec["version"], "methods": methods, "answers": answers, "types": dict(sorted(types.items()))}


def format_table(made: dict[str, Any]) -> str:
    """Return the table as JSON with one method or type a line, so that changes are easy to see."""
    parts = [f'"version": {json.dumps(made["version"])}']
    for part in ("methods", "answers", "types"):
        lines = [f"{json.dumps(name)}: {json.dumps(each, separators=(',', ':'))}" for name, each in made[part].items()]
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write the table made from the description whose path is given."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    made = build_table(json.loads(Path(arguments[0]).read_text("utf-8")))
    TARGET.write_text(format_table(made), "utf-8")
    print(f"{made['version']}: {len(made['methods'])} methods, {len(made['types'])} types")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
