"""What makes a message acceptable beyond its fields' types: components, files, mentions."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from tests.fakes.discord.parts import FILE, UPLOADED, Attachment, media, walk
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import COMPONENTS_V2, EPHEMERAL, Account, Message, Snowflakes
from tests.fakes.platform import refuse_if

MAX_COMPONENTS: Final = 40
MAX_TEXT_CHARACTERS: Final = 4000
LARGEST_FILE: Final = 10 * 1024 * 1024
ONLY_V2: Final = frozenset({9, 10, 11, 12, 13, 14, 17})
_MENTION: Final = re.compile(r"<@!?(\d+)>")


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, code: int, message: str, problems: list[str] | None = None) -> None:
        super().__init__(status, code, message, problems)
        self.status = status
        self.code = code
        self.message = message
        self.problems = problems or []

    def to_json(self) -> Json:
        """Return the body of the answer."""
        body: Json = {"code": self.code, "message": self.message}
        if self.problems:
            body["errors"] = {"_errors": [{"code": "INVALID", "message": problem} for problem in self.problems]}
        return body


def invalid(*problems: str) -> ApiError:
    """Return the error for a body that cannot be."""
    return ApiError(400, 50035, "Invalid Form Body", list(problems))


def existing(message: Message | None) -> Message:
    """Return a message that is there; ApiError for one that is not, or not any more."""
    if message is None or message.deleted:
        raise ApiError(404, 10008, "Unknown Message")
    return message


def apply(message: Message, body: Json, files: Mapping[int, tuple[str, bytes]], ids: Snowflakes, *, new: bool) -> None:
    """Write a body into a message; ApiError if the message cannot be like that, and then it stays as it was."""
    flags = message.flags
    if body.get("flags") is not None:
        flags = (message.flags & ~COMPONENTS_V2) | (body["flags"] & ~EPHEMERAL)
        refuse_if(
            not new and message.flags & COMPONENTS_V2 and not flags & COMPONENTS_V2,
            invalid("flags: a message with components V2 stays one"),
        )
    content = message.content if "content" not in body else body["content"] or ""
    components = message.components if "components" not in body else body["components"] or []
    attachments = _attachments(message, body, files, ids, new=new)
    _check_components(components, flags, content, body)
    _check_files(components, attachments)
    refuse_if(
        not content and not components and not attachments and not body.get("embeds"),
        ApiError(400, 50006, "Cannot send an empty message"),
    )
    message.flags, message.content, message.components, message.attachments = flags, content, components, attachments


def mentioned(message: Message, body: Json, people: Mapping[str, Account]) -> list[Account]:
    """Return whom a message may call: those whom its text names and `allowed_mentions` allows."""
    allowed = body.get("allowed_mentions")
    names = [people[user] for user in dict.fromkeys(_MENTION.findall(message.text)) if user in people]
    if allowed is None:
        return names
    parse, users = allowed.get("parse") or [], allowed.get("users") or []
    refuse_if("users" in parse and users, invalid("allowed_mentions: users both listed and parsed"))
    if "users" in parse:
        return names
    return [person for person in names if person.id in map(str, users)]


def _attachments(
    message: Message, body: Json, files: Mapping[int, tuple[str, bytes]], ids: Snowflakes, *, new: bool
) -> list[Attachment]:
    """Return the files that a message has afterwards.

    All stay where `attachments` is left out; else only those that it lists do, none if it is empty (page Reference,
    Editing Message Attachments).
    """
    for name, content in files.values():
        refuse_if(len(content) > LARGEST_FILE, ApiError(413, 40005, "Request entity too large"))
        refuse_if(not content, invalid(f"{name}: empty"))
    if "attachments" not in body:
        refuse_if(files and not new, invalid("attachments: an edit that brings files must list all that it keeps"))
        if files:
            return [Attachment(ids.new(), name, content, None) for name, content in files.values()]
        return message.attachments
    old = {attachment.id: attachment for attachment in message.attachments}
    used: set[int] = set()
    listed = []
    for entry in body["attachments"] or []:
        known = old.get(str(entry["id"]))
        if known is not None:
            listed.append(known)
            continue
        index = int(entry["id"])
        refuse_if(index not in files, invalid(f"attachments: {entry['id']} is neither kept nor brought"))
        used.add(index)
        name, content = files[index]
        listed.append(Attachment(ids.new(), entry.get("filename") or name, content, entry.get("description")))
    refuse_if(set(files) - used, invalid("attachments: a file that is not listed"))
    return listed


def _check_components(components: list[Json], flags: int, content: str, body: Json) -> None:
    parts = list(walk(components))
    is_v2 = flags & COMPONENTS_V2
    others = content or body.get("embeds") or body.get("poll") or body.get("sticker_ids")
    text = sum(len(part["content"]) for part in parts if part["type"] == 10)
    ids = Counter(part["custom_id"] for part in parts if part.get("custom_id") is not None)
    wrong = {
        "flags: components V2 with content, embeds, a poll or stickers": is_v2 and others,
        "components: V2 without the flag": not is_v2 and any(part["type"] in ONLY_V2 for part in parts),
        "components: more than 5 rows": not is_v2 and len(components) > 5,
        f"components: {len(parts)} in all": len(parts) > MAX_COMPONENTS,
        f"components: {text} characters of text": text > MAX_TEXT_CHARACTERS,
        **{f"components: custom_id {name!r} twice": count > 1 for name, count in ids.items()},
        **{problem: True for part in parts for problem in _check_part(part)},
    }
    found = [problem for problem, is_so in wrong.items() if is_so]
    if found:
        raise invalid(*found)


def _check_part(part: Json) -> list[str]:
    found: list[str] = []
    if part["type"] == 1:
        kinds = [inner["type"] for inner in part["components"]]
        if kinds != [2] * len(kinds) and len(kinds) > 1:
            found.append("components: a menu beside something else in a row")
    elif part["type"] == 2:
        if not part.get("label") and not part.get("emoji"):
            found.append("components: a button without a label")
        if (part["style"] == 5) != bool(part.get("url")) or (part["style"] < 5) != bool(part.get("custom_id")):
            found.append("components: a button's style does not fit what it does")
    elif part["type"] == 3:
        values = Counter(option["value"] for option in part["options"])
        found += [f"components: value {value!r} twice in a menu" for value, count in values.items() if count > 1]
        if sum(bool(option.get("default")) for option in part["options"]) > (part.get("max_values") or 1):
            found.append("components: more options chosen beforehand than can be chosen")
    elif part["type"] == 10 and not part["content"].strip():
        found.append("components: empty text")
    return found


def _check_files(components: list[Json], attachments: list[Attachment]) -> None:
    names = Counter(attachment.filename for attachment in attachments)
    found = [f"attachments: {name!r} twice" for name, count in names.items() if count > 1]
    shown = set()
    for part in walk(components):
        for address in [item["media"]["url"] for item in media(part)]:
            if address.startswith(UPLOADED):
                shown.add(address.removeprefix(UPLOADED))
            elif part["type"] == FILE:
                found.append(f"components: a file cannot be at {address!r}")
            elif not address.startswith(("https://", "http://")):
                found.append(f"components: {address!r} is no address")
    found += [f"components: attachment {name!r} is not there" for name in sorted(shown - set(names))]
    if found:
        raise invalid(*found)
