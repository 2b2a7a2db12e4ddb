"""Forms: declared once, as the options of a command; filled in step by step, then submitted to the command."""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, TypeVar

from bot.kernel.cards import MAX_PRESS_BYTES, Button, FieldKind
from bot.kernel.commandline import Parameter
from bot.kernel.context import Context
from bot.kernel.preferences import OFF
from bot.kernel.presses import BACK_STEP, FORM_PRESS, Press, press, read_number
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Speaker, Text
from engine import games
from storage import FormDraft
from storage.addresses import CODE_ALPHABET

Values = Mapping[str, str]
"""Values by the names of fields; empty values are left out."""
NO_VALUES: Final[Values] = {}
DRAFT_LIFETIME: Final = timedelta(days=1)
DRAFT_CODE_LENGTH: Final = 8
YES: Final = "yes"
NO: Final = "no"
"""The choices of a yes-or-no parameter."""
GAME: Final = "game"
OPTION_PREFIX: Final = "option-"
"""Prefix of the name of a game's option that collides with a parameter of the command."""
TOGGLE: Final = "~"
"""Prefix of a value that a button adds to the values of a field, or removes from them."""
PART_MARK: Final = "+"
"""Suffix of the name of a field with too many values for one control; the number of the part follows."""

_DRAFT_KEY: Final = "@"
_PLACE_KEY: Final = "_"
_KEY_SEPARATOR: Final = ":"
_OPTION_KEY: Final = "+"
"""Prefix of the key of a game's option, which is followed by the option's name; no other key begins with it."""
_SAMPLE_STEP: Final = "-" + "x" * 12
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z0-9_,-]*")


T = TypeVar("T")


def get_for(choice: Callable[[Any], T] | T, subject: Any) -> T:
    """Return the attribute of a field, command or press, called with values or the press if it depends on them."""
    return choice(subject) if callable(choice) else choice


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form: a parameter of its command, with a short `key` for buttons that is never reused.

    `offers` are the values to choose from, perhaps depending on the other values; by default these are the
    parameter's choices, or a value is typed. An empty value means that the parameter is left out. `asked`: whether the
    form has the field. If either depends on another field, `needs` is that field's name. `default` applies if nothing
    is chosen. `words` is the prefix of the keys of the values' words, by default the name. A field that only `narrows`
    the values of another one is no parameter of the command. `section` is the key of the part of a long form that it
    belongs to.
    """

    key: str
    parameter: Parameter
    default: str | Callable[[Values], str] = ""
    offers: Sequence[str] | Callable[[Values], Sequence[str]] | None = None
    asked: bool | Callable[[Values], bool] = True
    needs: str = ""
    words: str = ""
    narrows: bool = False
    section: str = ""

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name

    def values(self, chosen: Values) -> tuple[str, ...]:
        """Return the values to choose from; none if the value is typed."""
        return self.parameter.choices if self.offers is None else tuple(get_for(self.offers, chosen))

    def kind(self, chosen: Values) -> FieldKind:
        """Return the kind of control that fills in the field."""
        kind = self.parameter.kind
        if kind in ("several", "people"):
            return "several" if kind == "several" else "people"
        offered = self.values(chosen)
        if offered:
            return "yes-no" if set(offered) == {YES, NO} else "choice"
        return "number" if kind == "number" else "text"

    def default_value(self, chosen: Values) -> str:
        """Return the value if nothing is chosen."""
        return get_for(self.default, chosen)

    def fits(self, value: str, chosen: Values) -> bool:
        """Return True if a value from a button can be chosen."""
        if self.kind(chosen) not in ("choice", "yes-no"):
            return True
        return value in self.values(chosen)


def game_fields(game: str, taken: Sequence[str]) -> tuple[Field, ...]:
    """Return a field for each option of a game; a name that another field has gets a prefix."""
    found = []
    for name, option in games[game].options.items():
        values = tuple(map(str, option.values))
        own = f"{OPTION_PREFIX}{name}" if name in taken else name
        parameter = Parameter(own, "option", choices=values)
        found.append(Field(f"{_OPTION_KEY}{name}", parameter, str(option.default), words=f"option.{name}"))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class FormNotes:
    """The content of a form besides its fields: lines of text, and buttons for other actions.

    `tabs` lead to the same form about other subjects; the current tab has no press.
    """

    lines: Sequence[Text] = ()
    buttons: Sequence[Button] = ()
    tabs: Sequence[Button] = ()


Tell = Callable[[Context, RequestContext, "FormState"], Awaitable[FormNotes]]
Local = Callable[[Context, RequestContext], Awaitable[Values]]
Current = Callable[[Context, RequestContext, str], Awaitable[Values]]


@dataclass(frozen=True, slots=True)
class Form:
    """A form that fills in a command.

    `key` identifies the form, by default the name of its command. `subject` is the field of what the form is about,
    asked first: one of the `games`, or a field with a default. `title` returns the heading, and `tell` describes the
    effect of the values. `submit` is the key of the last button's label, `done` of the sentence used if the command's
    reply is empty. `current`, if given, returns the current values: then only the fields that it returns are asked, and
    each change is stored at once. `options` is the number of fields before the options of the game. `local` returns
    data of the place that the fields may use.
    """

    command: str
    version: int
    fields: tuple[Field, ...]
    title: Callable[[Speaker, Values], Text]
    tell: Tell
    subject: Field | None = None
    submit: str | Callable[[Values], str] = "button.form.save"
    done: str | Callable[[Values], str] = "form.done"
    games: Callable[[], Sequence[str]] | None = None
    which: str = ""
    options: int | None = None
    current: Current | None = None
    local: Local | None = None
    key: str = ""

    @property
    def name(self) -> str:
        """The form's name in its buttons and drafts."""
        return self.key or self.command

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the command: the subject, then the fields."""
        return tuple(each.parameter for each in self.known_fields(NO_VALUES) if not each.narrows)

    def is_asked_for(self, values: Values) -> bool:
        """Return True if a command's values give no more than the subject of the form."""
        about = () if self.subject is None else (self.subject.name,)
        return not set(values).difference(about) and (self.games is None or bool(values))

    def about(self, subject: str) -> dict[str, str]:
        """Return the subject as a value by the name of its field; empty without a subject."""
        return {self.subject.name: subject} if self.subject is not None and subject else {}

    def opening_press(self, subject: str = "", step: str = BACK_STEP) -> str:
        """Return the payload of a button that opens the form about a subject, or asks for the subject."""
        return FormState(self, self.about(subject)).press(step)

    def known_fields(self, chosen: Values) -> tuple[Field, ...]:
        """Return the field of the subject, and the fields about it."""
        own = self.fields_for(chosen)
        return own if self.subject is None else (self.subject, *own)

    def fields_for(self, chosen: Values) -> tuple[Field, ...]:
        """Return the fields about a subject, including those of its game's options."""
        game = chosen.get(GAME, "")
        if self.options is None or game not in games:
            return self.fields
        own = game_fields(game, [each.name for each in self.fields])
        return (*self.fields[: self.options], *own, *self.fields[self.options :])


@dataclass(frozen=True, slots=True)
class FormState:
    """The chosen values of a form; `current` are the values that are stored now.

    `place` is the place it is about, if it is shown in another one. `code` is the code of the stored draft; `unsaved`:
    True if the draft lacks some choices.
    """

    form: Form
    chosen: Values = field(default_factory=dict)
    place: int | None = None
    code: str | None = None
    current: Values | None = None
    unsaved: bool = False
    local: Values = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """The subject of the form; empty if it is not chosen yet, or the form has none."""
        if self.form.subject is None:
            return ""
        return self.chosen.get(self.form.subject.name) or self.form.subject.default_value({})

    @property
    def values(self) -> dict[str, str]:
        """The subject and the values of all asked fields, in order."""
        values = {**self.local, **self.form.about(self.subject)}
        if self.form.subject is not None and not self.subject:
            return values
        for each in self.form.fields_for(values):
            if (self.current is not None and each.name not in self.current) or not get_for(each.asked, values):
                continue
            value = self.chosen.get(each.name)
            if value is None or not each.fits(value, values):
                value = (self.current or {}).get(each.name)
            # If only the narrowed field was chosen, the field that narrows it follows that choice.
            known = {**self.chosen, **values} if each.narrows else values
            values[each.name] = each.default_value(known) if value is None else value
        return values

    @property
    def asked(self) -> tuple[Field, ...]:
        """The fields that are asked; fields with a single possible value are not."""
        values = self.values
        known = (each for each in self.form.fields_for(values) if each.name in values)
        return tuple(each for each in known if len(each.values(values)) != 1)

    @property
    def command_values(self) -> dict[str, str]:
        """The values for the command: all, or those that differ from the current ones."""
        values, current = self.values, self.current
        if current is None:
            left_out = {*self.local, *(each.name for each in self.form.fields if each.narrows)}
            return {name: value for name, value in values.items() if value and name not in left_out}
        changed = {name: value or OFF for name, value in values.items() if value != current.get(name)}
        return {**changed, **self.form.about(self.subject)}

    def about(self, subject: str) -> "FormState":
        """Return the state of the same form about a subject, with nothing chosen."""
        return FormState(self.form, self.form.about(subject), self.place)

    @property
    def plain(self) -> "FormState":
        """The state with nothing chosen if the form has current values, otherwise the same state."""
        return self if self.current is None else replace(self.about(self.subject), current=self.current)

    @property
    def changes(self) -> bool:
        """True if a value differs from the current one; False in a form without current values."""
        return self.current is not None and len(self.command_values) > 1

    def field(self, key: str) -> Field | None:
        """Return the asked field with a key, or None."""
        return next((each for each in self.asked if each.key == key), None)

    def press(self, step: str = BACK_STEP, **changed: str) -> str:
        """Return the payload of a button that goes to a step with some values changed; it may be too long."""
        pairs = {} if self.place is None else {_PLACE_KEY: str(self.place)}
        chosen = {**self.chosen, **changed}
        if self.code is not None:
            pairs, chosen = {_DRAFT_KEY: self.code}, changed
        keys = {each.name: each.key for each in self.form.known_fields(self.values)}
        pairs |= {keys[name]: value for name, value in chosen.items() if name in keys}
        path = (f"{key}{_KEY_SEPARATOR}{value}" for key, value in pairs.items())
        return press(FORM_PRESS, None, 0, self.form.name, str(self.form.version), step, *path)

    @property
    def fits(self) -> bool:
        """True if each button has room for all chosen values, or names the draft."""
        if self.code is not None:
            return not self.unsaved
        if not all(_PLAIN_VALUE.fullmatch(value) for value in self.chosen.values()):
            return False
        values = self.values
        pairs = (f".{each.key}:{value}" for each in self.asked for value in each.values(values))
        return len(self.press(_SAMPLE_STEP).encode()) + max(map(len, pairs), default=0) <= MAX_PRESS_BYTES

    async def store(self, context: Context, requester: RequestContext) -> "FormState":
        """Store the chosen values as a draft, and return the state whose buttons name the draft."""
        code = self.code or "".join(secrets.choice(CODE_ALPHABET) for _ in range(DRAFT_CODE_LENGTH))
        form, until = self.form, context.clock() + DRAFT_LIFETIME
        draft = FormDraft(code, requester.id, form.name, form.version, dict(self.chosen), self.place, until)
        await context.store.drafts.put(draft)
        return replace(self, code=code, unsaved=False)


async def read_state(context: Context, requester: RequestContext, form: Form, pressed: Press) -> FormState:
    """Return the state that a form's button carries; raises Refused if its draft has expired.

    Fields and values that the form does not have any more are left out.
    """
    pairs = dict(each.partition(_KEY_SEPARATOR)[::2] for each in pressed.path[3:])
    place, code, stored = read_number(pairs.pop(_PLACE_KEY, "")), pairs.pop(_DRAFT_KEY, None), NO_VALUES
    if code is not None:
        draft = await context.store.drafts.get(code, requester.id, context.clock())
        if draft is None or draft.form != form.name:
            raise Refused("refusal.form-expired", rows=((again_button(requester.speaker, form),),))
        place, stored = draft.place, draft.chosen
    subject = "" if form.subject is None else pairs.get(form.subject.key, "")
    chosen = {**stored, **form.about(subject)}
    keys = {each.key: each.name for each in form.known_fields(chosen)}
    chosen |= {keys[key]: value for key, value in pairs.items() if key in keys}
    return FormState(form, chosen, place, code, unsaved=bool(pairs))


def again_button(speaker: Speaker, form: Form, subject: str = "") -> Button:
    """Return the button that opens a form again."""
    return Button(speaker.line("button.form.anew"), form.opening_press(subject), "primary")
