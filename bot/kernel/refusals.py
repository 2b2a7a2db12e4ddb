"""User errors as data; the reply formats them in the reader's language."""

from bot.kernel.cards import Rows
from bot.kernel.texts import Parameter, Span, Speaker, Text
from engine import EngineError

_MAX_CHOICES_LISTED = 8
_CHOICE_PARAMETERS = frozenset({"allowed", "free"})
"""Parameters of errors that list alternatives, joined by "or"."""


class CommandName(str):
    """A command's internal name, shown as its name in the reader's language."""

    __slots__ = ()


class ParameterName(str):
    """A parameter's internal name, shown as its name in the reader's language."""

    __slots__ = ()


class Refused(Exception):
    """A request that is not carried out, but answered with a friendly sentence.

    `key` is the sentence's key, looked up in the words of `game` first; `rows` are helpful buttons.
    """

    def __init__(self, key: str, /, *, game: str | None = None, rows: Rows = (), **parameters: Parameter) -> None:
        super().__init__(key, parameters)
        self.key = key
        self.game = game
        self.rows = rows
        self.parameters = parameters


class OutOfStep(Refused):
    """A refusal because the row of a game has changed without an event, such as by its clock: a retry succeeds."""


def refusal_words(speaker: Speaker, refused: Refused) -> Text:
    """Return the sentence for a refusal."""
    voice = speaker.of(refused.game) if refused.game else speaker
    return voice.say(refused.key, **{name: _localise_names(voice, value) for name, value in refused.parameters.items()})


def _localise_names(voice: Speaker, value: Parameter) -> Parameter:
    """Return a parameter of a sentence, with commands and parameters by their names in the speaker's language."""
    if isinstance(value, CommandName):
        return "/" + voice.typed_name(f"typed.{value}", value)
    if isinstance(value, ParameterName):
        return voice.typed_name(f"called.{value}", value)
    if isinstance(value, tuple) and all(isinstance(item, ParameterName) for item in value):
        return tuple(voice.typed_name(f"called.{item}", str(item)) for item in value)
    return value


def engine_words(speaker: Speaker, game: str, error: EngineError) -> Text:
    """Return the sentence for an error of the rules: the game's own words for its code, or the general ones."""
    voice = speaker.of(game)
    parameters = {name: _describe_parameter(voice, name, value) for name, value in error.params.items()}
    if listed := listed_options(error):
        options = [Span(option, code=True) for option in listed[:_MAX_CHOICES_LISTED]]
        parameters["options"] = voice.listing(options, style="or")
    key = f"refusal.{error.code}"
    if error.code == "seats" and error.params.get("least") == error.params.get("most"):
        key = "refusal.seats-only"
    return voice.say(key, **parameters) if voice.has(key) else voice.say("refusal.not-allowed")


def listed_options(error: EngineError) -> list[str]:
    """Return the possible meanings or continuations of a typed text that an error of the rules lists, if any."""
    options = error.params.get("options")
    return [str(option) for option in options] if isinstance(options, list) else []


def _describe_parameter(voice: Speaker, name: str, value: object) -> Parameter:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        return voice.word("word", value)
    if isinstance(value, list | tuple | set | frozenset):
        return voice.listing([str(item) for item in value], "or" if name in _CHOICE_PARAMETERS else "standard")
    return str(value)
