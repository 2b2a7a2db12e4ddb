"""HTML from templates, with escaped text."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.language.texts import Speaker, Text
from bot.public.answers import StaticFile, read_static_files

LANGUAGE_NAMES: Final = (("en", "English"), ("it", "Italiano"))


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
def static_files() -> dict[str, StaticFile]:
    """Return the pages' static files by name."""
    return read_static_files(files("bot.public").joinpath("static"))


@cache
def static_version() -> str:
    """Return a version that changes with any static file."""
    return hashlib.sha256("".join(each.tag for each in static_files().values()).encode()).hexdigest()[:12]


def render(template: str, speaker: Speaker, **values: Any) -> bytes:
    """Render a template in the speaker's language."""

    def say(key: str, **parameters: Any) -> Markup:
        return to_markup(speaker.say(key, **parameters))

    shared = {"language": speaker.language, "languages": LANGUAGE_NAMES, "say": say, "version": static_version()}
    return environment().get_template(template).render(shared | values).encode()
