"""Arguments and output of the subcommands, in the reader's language: results go to stdout, problems to stderr."""

import codecs
import io
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import combining, normalize

from bot.kernel.operations.settings import Settings
from bot.kernel.refusals import engine_words
from bot.kernel.texts import Speaker, Texts, strip_styles
from engine import EngineError, games
from engine.core import Json

OK, PROBLEM, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130


class CommandFailed(Exception):
    """A subcommand cannot continue: the key of one clear sentence, and the exit code."""

    def __init__(self, key: str, code: int = PROBLEM, /, **params: Any) -> None:
        super().__init__(key, code, params)
        self.key = key
        self.code = code
        self.params = params


class Console:
    """The output of a subcommand, in the reader's language; and the settings, with those of the command line."""

    def __init__(self, texts: Texts, language: str, settings: Settings) -> None:
        self.texts = texts
        self.language = language
        self.settings = settings
        self.speaker: Speaker = texts.speaker(language)
        self.words = self.speaker.of("cli")

    def line(self, key: str, /, **params: Any) -> str:
        """Return the words for a key of the catalogue `cli`."""
        return self.words.line(key, **params)

    def say(self, key: str, /, **params: Any) -> None:
        """Print the words for a key."""
        self.put(self.line(key, **params))

    def put(self, text: str = "") -> None:
        """Print text unchanged, and flush."""
        print(text, flush=True)

    def complain(self, key: str, /, **params: Any) -> None:
        """Print the words for a key to stderr."""
        print(self.line(key, **params), file=sys.stderr, flush=True)

    def explain(self, error: EngineError, game: str) -> str:
        """Return the sentence for an engine error, in the words of its game, without mentioning buttons."""
        own = f"explain.{error.code}"
        if self.words.has(own):
            return self.line(own, **error.params)
        return strip_styles(engine_words(self.speaker, game, error))


Argument = Callable[[ArgumentParser, Console], None]
"""Adds an argument to the parser of a subcommand."""


def argument(names: str, read: Callable[[str], object] = str, *, about: str = "", **more: Any) -> Argument:
    """Return an argument of a subcommand; its description has the key `arg.<about>`, by default with its last name.

    `read` converts the typed text into the value, or raises CommandFailed with the key of a sentence about it. `more`
    are further parameters for argparse.
    """
    known = names.split()

    def add_to(parser: ArgumentParser, console: Console) -> None:
        def read_or_explain(text: str) -> object:
            try:
                return read(text)
            except CommandFailed as failure:
                raise ArgumentTypeError(console.line(failure.key, text=text, **failure.params)) from None

        reading: Json = {} if more.get("action") == "store_true" else {"type": read_or_explain}
        words = console.line(f"arg.{about or known[-1].lstrip('-')}", games=", ".join(games))
        parser.add_argument(*known, help=words, **reading, **more)

    return add_to


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A subcommand of `tavoliere`: its function, which returns the exit code, and its arguments."""

    run: Callable[[Namespace, Console], int | Coroutine[Any, Any, int]]
    arguments: Sequence[Argument] = ()


def machine_language() -> str | None:
    """Return the language of the machine, from the environment variables."""
    return os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")


_ERRORS: Final = "tavoliere.plain"
"""The name of our codec error handler."""
_PLAIN_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚‹›", "'"),
        **dict.fromkeys("–—−‐‑", "-"),
        "…": "...",
        "×": "x",
        "·": ".",
        "•": "-",
        "●": "*",
        "○": "o",
        "◀": "<",
        "▶": ">",
        "→": "->",
        "←": "<-",
    }
)
"""ASCII replacements for the signs of our texts and boards; different pieces stay different."""


def make_plain(text: str) -> str:
    """Return a text in ASCII: letters without accents, and `?` for characters without a plain form."""
    signs = (sign for sign in normalize("NFKD", text.translate(_PLAIN_SIGNS)) if not combining(sign))
    return "".join(signs).encode("ascii", "replace").decode("ascii")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return make_plain(error.object[error.start : error.end]), error.end


def adapt_streams() -> None:
    """Let stdout and stderr accept every text, and stdin decode any bytes."""
    codecs.register_error(_ERRORS, _replace)
    for stream, errors in ((sys.stdout, _ERRORS), (sys.stderr, _ERRORS), (sys.stdin, "replace")):
        # A program that runs this one may have replaced the stream.
        if isinstance(stream, io.TextIOWrapper) and stream.errors != errors:
            stream.reconfigure(errors=errors)
