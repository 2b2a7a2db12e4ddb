"""Errors about texts, actions, positions and options, as codes and parameters without words."""

from typing import Any


class EngineError(Exception):
    """The base of the engine's errors: a `code` with `params`, which the code that shows it puts into words."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code = code
        self.params: dict[str, Any] = params

    def __str__(self) -> str:
        details = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.code}({details})" if details else self.code


class InvalidOption(EngineError):
    """An option, or a number of seats, that the game does not have."""


class InvalidPosition(EngineError):
    """A dictionary that describes no position of the game."""


class InvalidAction(EngineError):
    """A text that cannot be understood as an action of the game."""


class IllegalAction(EngineError):
    """A well-formed action that a rule forbids; `code` names the rule, `params` the numbers."""


class AmbiguousAction(EngineError):
    """A text that fits several legal lines of play; `params["options"]` lists them."""


class GameOver(EngineError):
    """An action after the end of the game."""

    def __init__(self) -> None:
        super().__init__("game-over")


def shorten_value(value: object) -> str:
    """Return a value as a text of at most 40 characters, for an error's params."""
    if isinstance(value, int) and value.bit_length() > 200:
        return "…"  # Python refuses to write out thousands of digits
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        return "…"
    return text if len(text) <= 40 else text[:39] + "…"
