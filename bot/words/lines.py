"""Lines of play in words that are read rather than typed: `c3 takes f2` in place of `c3xf2`."""

import re
from collections.abc import Iterable
from typing import Final

from bot.language.texts import Span, Speaker, strip_styles
from engine import Action
from render.scene import NotationWords

_FORM: Final = re.compile(
    r"(?P<mark>[^\w]|[A-Zxr])?(?P<cell>[a-z]\d+)(?:(?P<way>[-x])(?P<to>[a-z]\d+))?(?P<end>/\d+|!)?"
)
"""An action in notation: what moves or happens, cells, with or without a capture, an amount or a mark."""
_ENDS: Final = {"!": "verb.sprint"}
"""The words for a mark at the end, in the games that have them."""
_STAYING: Final = re.compile(r"stay/(\d+)")


def line_words(speaker: Speaker, actions: Iterable[Action | str]) -> Span:
    """Return actions as part of a sentence, in the words of the speaker's game.

    Several of the same kind in a row are combined. An action without words stays as it is typed.
    """
    said: list[str] = []
    taking: list[str] = []
    key, source = "", ""

    def close() -> None:
        if taking:
            said.append(speaker.line(key, source=source, cells=strip_styles(speaker.listing(taking))))
            taking.clear()

    for action in map(str, actions):
        form = _FORM.fullmatch(action)
        captures = form is not None and form["way"] == "x"
        lists = form is not None and form["to"] is None and form["mark"] is not None
        wanted = "line.captures" if captures else f"line.{form['mark']}" if form is not None and lists else ""
        if form is None or not speaker.has(wanted):
            close()
            said.append(_single_action(speaker, action, form, follows=bool(said)))
        elif taking and not captures and (wanted == key or (wanted == "line.x" and key == "line.captures")):
            taking.append(form["cell"])
        else:
            close()
            key, source = wanted, form["cell"]
            taking.append(form["to"] if captures else form["cell"])
    close()
    return Span(", ".join(said), bold=True)


def typed_form(speaker: Speaker, action: Action | str) -> str:
    """Return an action as it may be typed, with the speaker's words: `resta/4` for `stay/4`, `giallo` for `yellow`."""
    word, slash, amount = str(action).partition("/")
    return f"{speaker.word('word', word)}{slash}{amount}"


def notation_words(speaker: Speaker, actions: Iterable[Action]) -> NotationWords:
    """Return the words of actions' notation that the speaker has others for, for pictures."""
    found = dict.fromkeys(action.text.partition("/")[0] for action in actions)
    return tuple((word, said) for word in found if (said := speaker.word("word", word)) != word)


def cells_taken(actions: Iterable[Action | str]) -> set[str]:
    """Return the cells that `line_words` describes as captured."""
    forms = [form for action in actions if (form := _FORM.fullmatch(str(action))) is not None]
    return {form["to"] or form["cell"] for form in forms if "x" in (form["way"], form["mark"])}


def _single_action(speaker: Speaker, action: str, form: re.Match[str] | None, *, follows: bool) -> str:
    """Return the words for one action by itself; `follows`: others come before it."""
    if form is not None:
        if follows and form[0] == form["cell"]:
            return speaker.line("line.cell", cells=form["cell"])
        move = f"{form['cell']}-{form['to']}" if form["to"] is not None else form["cell"]
        if form["mark"] is not None:
            key = f"line.{form['mark']}"
            move = speaker.line(key, source="", cells=move) if speaker.has(key) else f"{form['mark']}{move}"
        end = form["end"] or ""
        if end.startswith("/"):
            return speaker.line("line.with", move=move, amount=end[1:])
        words = _ENDS.get(end, "")
        return f"{move} ({speaker.line(words)})" if speaker.has(words) else f"{move}{end}"
    if (staying := _STAYING.fullmatch(action)) is not None:
        return speaker.line("line.stay.with", amount=staying[1])
    known = f"line.{action}"
    return speaker.line(known) if speaker.has(known) else speaker.word("word", action)
