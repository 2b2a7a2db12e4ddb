"""What messages are made of: components, and the files that they show."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from tests.fakes.discord.schema import Json

TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE = 10, 11, 12, 13
UPLOADED: Final = "attachment://"
"""How the address of a file begins that comes, or came, with its message (page Components, Unfurled Media Item)."""
CDN: Final = "https://cdn.example/attachments"
_KINDS: Final = {".png": "image/png", ".gif": "image/gif", ".txt": "text/plain; charset=utf-8"}


@dataclass(eq=False)
class Attachment:
    """A file that a message has; whether it is seen is up to the components."""

    id: str
    filename: str
    content: bytes
    description: str | None

    def to_json(self) -> Json:
        """Return the attachment as Discord describes it."""
        data: Json = {"id": self.id, "filename": self.filename, "size": len(self.content), "url": self.address}
        data |= {"proxy_url": self.address, "content_type": self.content_type}
        return data if self.description is None else data | {"description": self.description}

    @property
    def address(self) -> str:
        """Where it lies: signed, and valid for a while only (page Reference, Signed Attachment CDN URLs)."""
        return f"{CDN}/{self.id}/{quote(self.filename)}?ex=6b01&is=6aff&hm=c0ffee&"

    @property
    def content_type(self) -> str:
        return _KINDS.get(PurePath(self.filename).suffix, "application/octet-stream")


def media(part: Json) -> Iterator[Json]:
    """Yield the pictures and files of a component, each with its `media`, and its `description` if it has one."""
    if part["type"] == GALLERY:
        yield from part["items"]
    elif part["type"] == THUMBNAIL:
        yield part
    elif part["type"] == FILE:
        yield {"media": part["file"]}


def walk(components: list[Json]) -> Iterator[Json]:
    """Yield all components, those inside others included."""
    for part in components:
        yield part
        yield from walk(part.get("components", []))
        if "accessory" in part:
            yield part["accessory"]
