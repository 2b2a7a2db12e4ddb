"""HTML from templates, with escaped text."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.language.texts import Speaker, Text

LANGUAGE_NAMES: Final = (("en", "English"), ("it", "Italiano"))
_CONTENT_TYPES: Final = {"css": "text/css", "js": "text/javascript"}


def to_markup(text: Text) -> Markup:
    """Return rich text as HTML."""
    parts = []
    for span in text:
        words = escape(span.text)
        if span.code:
            words = Markup("<code>{}</code>").format(words)
        if span.bold:
            words = Markup("<b>{}</b>").format(words)
        parts.append(words)
    return Markup("").join(parts)


@cache
def environment() -> Environment:
    """Return the template environment."""
    return Environment(
        loader=PackageLoader("bot.public"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def static_files() -> dict[str, tuple[bytes, str, str]]:
    """Return the pages' static files by name: contents, content type, ETag."""
    found = {}
    for file in sorted(files("bot.public").joinpath("static").iterdir(), key=lambda each: each.name):
        data = file.read_bytes()
        kind = _CONTENT_TYPES[file.name.rpartition(".")[2]]
        found[file.name] = data, kind, hashlib.sha256(data).hexdigest()[:16]
    return found


@cache
def static_version() -> str:
    """Return a version that changes with any static file."""
    return hashlib.sha256("".join(tag for _, _, tag in static_files().values()).encode()).hexdigest()[:12]


def render(template: str, speaker: Speaker, **values: Any) -> bytes:
    """Render a template in the speaker's language."""

    def say(key: str, **parameters: Any) -> Markup:
        return to_markup(speaker.say(key, **parameters))

    shared = {"language": speaker.language, "languages": LANGUAGE_NAMES, "say": say, "version": static_version()}
    return environment().get_template(template).render(shared | values).encode()
