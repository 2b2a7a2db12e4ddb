"""What Discord takes, but this program must not send, since pictures get lost by it, at once or later."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tests.fakes.discord.parts import TEXT_DISPLAY, UPLOADED, media, walk
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import COMPONENTS_V2, Message

_COMMAND: Final = re.compile(r"</([^:>]*):([^>]*)>")
_NO_LINKS: Final = re.compile(r"`[^`]*`|(?<!\\)\[[^\]]*\]\(https?://[^)]*\)")
"""Code, and links that were made one."""
_ADDRESS: Final = re.compile(r"\w+://\S+|discord(?:app)?\.(?:gg|com/invite)/\S+", re.IGNORECASE)
_TIMESTAMP: Final = re.compile(r"<t:[^>]*>")
_MOMENT_FORM: Final = re.compile(r"<t:-?\d{1,13}(:[tTdDfFsSR])?>")


def find_lapses(
    body: Json, files: Mapping[int, tuple[str, bytes]], *, new: bool, commands: Mapping[str, Json] | None = None
) -> list[str]:
    """Return what is wrong about the files of a new or edited message, and about what its text mentions."""
    return [*_lapses(body, files, new=new), *_dead_mentions(body, commands or {}), *_live_links(body)]


def _live_links(body: Json) -> Iterator[str]:
    """Yield addresses that become links though nobody has made them one."""
    for part in walk(body.get("components") or []):
        text = _NO_LINKS.sub(" ", part["content"]) if part["type"] == TEXT_DISPLAY else ""
        yield from (f"components: {found!r} becomes a link" for found in _ADDRESS.findall(text))


def find_emptied_files(message: Message, body: Json) -> list[str]:
    """Return what is wrong about an empty list of files, which removes them all: only a private answer may lose them.

    See page Reference, Editing Message Attachments.
    """
    wrong = body.get("attachments") == [] and (not message.private or message.loading)
    return ["attachments: an empty list, which removes all"] if wrong else []


def left_behind(message: Message) -> list[str]:
    """Return what is wrong about the files of a private answer after an edit: those to which nothing in it refers."""
    if not message.private:
        return []
    named = {item["media"]["url"] for part in message.parts for item in media(part)}
    return [
        f"attachments: nothing refers to {each.filename!r} any more"
        for each in message.attachments
        if UPLOADED + each.filename not in named
    ]


def _dead_mentions(body: Json, commands: Mapping[str, Json]) -> Iterator[str]:
    """Yield mentions that would be shown as they are written (page Reference, Message Formatting)."""
    for part in walk(body.get("components") or []):
        text = part["content"] if part["type"] == TEXT_DISPLAY else ""
        for name, number in _COMMAND.findall(text):
            if commands.get(name, {}).get("id") != number:
                yield f"components: there is no command {name!r} with the id {number}"
        for timestamp in _TIMESTAMP.findall(text):
            if not _MOMENT_FORM.fullmatch(timestamp):
                yield f"components: {timestamp!r} is no timestamp"


def _lapses(body: Json, files: Mapping[int, tuple[str, bytes]], *, new: bool) -> Iterator[str]:
    components = body.get("components") or []
    addresses = [item["media"]["url"] for part in walk(components) for item in media(part)]
    listed = body.get("attachments")
    for address in addresses:
        if not address.startswith(UPLOADED):
            # It is signed, and expires (page Reference, Signed Attachment CDN URLs).
            yield f"components: {address!r} will lead nowhere"
    # Windows, which have a title, have no flags.
    if components and "title" not in body and not (body.get("flags") or 0) & COMPONENTS_V2:
        yield "flags: components without the flag of V2"
    for index, (name, _) in files.items():
        names = [entry.get("filename") for entry in listed or [] if str(entry["id"]) == str(index)]
        if UPLOADED + ((names and names[0]) or name) not in addresses:
            yield f"attachments: nobody sees {name!r}"
    if new or listed is None:
        return
    for entry in listed:
        if not (str(entry["id"]).isdecimal() and int(entry["id"]) in files) and set(entry) != {"id"}:
            yield f"attachments: more than the id of {entry['id']}, which is there already"
