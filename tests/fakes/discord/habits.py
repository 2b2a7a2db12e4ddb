"""What Discord takes, but this program must not send, since pictures get lost by it, at once or later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.fakes.discord.parts import UPLOADED, media, walk
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import COMPONENTS_V2


def lapses(body: Json, files: Mapping[int, tuple[str, bytes]], *, new: bool) -> list[str]:
    """Return what is wrong about the files of a new message, or of the edit of one."""
    return list(_lapses(body, files, new=new))


def _lapses(body: Json, files: Mapping[int, tuple[str, bytes]], *, new: bool) -> Iterator[str]:
    components = body.get("components") or []
    addresses = [item["media"]["url"] for part in walk(components) for item in media(part)]
    listed = body.get("attachments")
    for address in addresses:
        if not address.startswith(UPLOADED):
            # It is signed, and expires (page Reference, Signed Attachment CDN URLs).
            yield f"components: {address!r} will lead nowhere"
    if components and not (body.get("flags") or 0) & COMPONENTS_V2:
        yield "flags: components without the flag of V2"
    for index, (name, _) in files.items():
        names = [entry.get("filename") for entry in listed or [] if str(entry["id"]) == str(index)]
        if UPLOADED + ((names and names[0]) or name) not in addresses:
            yield f"attachments: nobody sees {name!r}"
    if new or listed is None:
        return
    if not listed:
        # What is not listed is removed (page Reference, Editing Message Attachments).
        yield "attachments: an empty list, which removes all"
    for entry in listed:
        if not (str(entry["id"]).isdecimal() and int(entry["id"]) in files) and set(entry) != {"id"}:
            yield f"attachments: more than the id of {entry['id']}, which is there already"
