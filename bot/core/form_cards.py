"""Forms as cards: the form for platforms that have controls for it, and all of it in buttons for the others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Final

from bot.core.context import Context
from bot.core.features import load_commands
from bot.core.forms import GAME, NO, PART_MARK, TOGGLE, YES, Field, Form, FormNotes, FormState, Values
from bot.core.game_pages import picking_rows
from bot.core.permissions import Right, may_manage
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.entry.commandline import NOTHING, read_people
from bot.interface.cards import MAX_OPTIONS, Button, Card
from bot.interface.forms import (
    MAX_FORM_TEXT_LENGTH,
    MAX_PAGE_FIELDS,
    VALUE_SEPARATOR,
    FormField,
    FormOption,
    FormView,
)
from bot.interface.presses import BACK_STEP, SUBMIT_STEP
from bot.interface.refusals import Refused, engine_words, refusal_words
from bot.language.texts import Span, Speaker, Text, join, strip_styles
from bot.words.describe import shorten
from engine import EngineError, games

PAGE_STEP: Final = "~"
"""The step that shows another page of the games to choose from; its number follows."""
MAX_LABEL_LENGTH: Final = 80
_CHOSEN_MARK: Final = "● "
_MARKS: Final = {True: "✓ ", False: "✗ "}

Errors = Mapping[str, str]
NO_ERRORS: Final[Errors] = MappingProxyType({})


async def form_card(
    context: Context,
    asker: RequestContext,
    state: FormState,
    *,
    page: int = 0,
    errors: Errors = NO_ERRORS,
    note: Text = (),
) -> Card:
    """Return the card of a form: what would come of it, a button for each field, and the form itself.

    What those who may not change it see has no fields. `errors` are by the names of fields.
    """
    form, speaker = state.form, asker.mine
    if form.subject is not None and not state.subject:
        return games_card(speaker, form)
    if not state.fits:
        state = await state.store(context, asker)
    values, asked = state.values, state.asked
    voice = speaker.of(values[GAME]) if GAME in values else speaker
    title = form.title(voice, values)
    notes, problem = FormNotes(), Text()
    try:
        notes = await form.tell(context, asker, state)
    except Refused as refused:
        problem = refusal_words(voice, refused)
    except EngineError as error:
        problem = engine_words(speaker, values.get(GAME, ""), error)
    whole = [_field(voice, form, each, values, errors.get(each.name, "")) for each in asked]
    wrong = [(Span(f"{each.label}: {each.error}"),) for each in whole if each.error]
    if not await _may_change(context, asker, state):
        set_now = changed_words(voice, state.plain, [each.name for each in state.plain.asked])
        return Card(join([set_now, *notes.lines, note]), rows=button_rows(notes.buttons))
    label = voice.line(form.submit(values))
    submit = Button(label, state.press(SUBMIT_STEP), "primary")
    # What was refused must not be refused with the next change again.
    rows = [(_field_button(state.plain, each, shown),) for each, shown in zip(asked, whole, strict=True)]
    fields = _lay_out(whole, asked)
    again = Button(voice.line("button.form.again"), state.press("0")) if any(each.leads for each in whole) else None
    below = button_rows([*([submit] if state.current is None else []), *notes.buttons])
    view = FormView(
        title=strip_styles(title),
        submit=label,
        press=submit.press,
        fields=tuple(fields),
        pages=_page_buttons(voice, state, fields),
        rows=below,
        page=page,
        again=again,
    )
    return Card(join([title, *notes.lines, problem, *wrong, note]), rows=(*rows, *below), form=view)


def ask_card(asker: RequestContext, state: FormState, asked: Field, error: str = "") -> Card:
    """Return the card that asks for one field: its values as buttons, or for an answer to be typed."""
    form, values = state.form, state.values
    voice = asker.mine.of(values[GAME]) if GAME in values else asker.mine
    shown = _field(voice, form, asked, values, error)
    parts: list[Text] = [(Span(shown.label, bold=True),), (Span(shown.about),)]
    step = SUBMIT_STEP if state.current is not None else BACK_STEP
    buttons = []
    several = shown.kind == "several"
    for option in shown.options:
        chosen = option.value in shown.chosen
        mark = _MARKS[chosen] if several else _CHOSEN_MARK if chosen else ""
        to, value = (asked.key, TOGGLE + option.value) if several else (step, option.value)
        buttons.append(Button(mark + option.label, state.press(to, **{asked.name: value})))
    if not shown.options:
        parts += [voice.say("form.chosen", value=shown.words), voice.say("form.answer")]
        if shown.value:
            buttons.append(Button(voice.line("button.form.empty"), state.press(step, **{asked.name: ""})))
    if error:
        parts.append((Span(error),))
    back = Button(voice.line("button.back"), state.press(BACK_STEP + asked.key))
    return Card(join(parts), rows=(*button_rows(buttons), (back,)))


def games_card(speaker: Speaker, form: Form, page: int = 0) -> Card:
    """Return the question of which game a form is about."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), form.opening_press(key))

    keys = list(form.games()) if form.games is not None else []
    turned = FormState(form)
    rows = picking_rows(speaker, keys, page, button, lambda other: turned.press(PAGE_STEP + other))
    return Card(speaker.say(form.which), rows=rows)


def changed_words(speaker: Speaker, state: FormState, names: Collection[str]) -> Text:
    """Return the current values of some fields, each in a line."""
    fields = [_field(speaker, state.form, each, state.values, "") for each in state.asked if each.name in names]
    return join([state.form.title(speaker, state.values), *((Span(f"{each.label}: {each.words}"),) for each in fields)])


async def _may_change(context: Context, asker: RequestContext, state: FormState) -> bool:
    """Return True if the asker may store what is chosen; of what is made anew, the command itself asks."""
    values = state.current
    if not values:
        return values is None
    changed = {**dict.fromkeys(values, NOTHING), **state.form.about(state.subject)}
    right = load_commands()[state.form.command].right_for(changed)
    return right is not Right.MANAGER or await may_manage(context, asker)


def _page_buttons(voice: Speaker, state: FormState, fields: Sequence[FormField]) -> tuple[Button, ...]:
    """Return the buttons that open the pages of a form."""
    named = [", ".join(each.label for each in page) for _, page in groupby(fields, lambda each: each.page)]
    key = "button.form.page" if len(named) > 1 else "button.form.open"
    labels = (shorten(voice.line(key, fields=names), MAX_LABEL_LENGTH) for names in named)
    return tuple(Button(label, state.press(str(page))) for page, label in enumerate(labels))


def _field_button(state: FormState, asked: Field, shown: FormField) -> Button:
    """Return the button of a field: one that asks for it, or turns yes into no."""
    if shown.kind == "yes-no":
        step = SUBMIT_STEP if state.current is not None else BACK_STEP
        changed = {asked.name: NO if shown.value == YES else YES}
        return Button(_MARKS[shown.value == YES] + shown.label, state.press(step, **changed))
    return Button(f"{shown.label}: {shown.words}", state.press(asked.key))


def _field(voice: Speaker, form: Form, asked: Field, values: Values, error: str) -> FormField:
    value, parameter, kind = values[asked.name], asked.parameter, asked.kind(values)
    options = [FormOption(each, value_words(voice, asked, each)) for each in asked.values(values)]
    if kind == "choice" and value not in [each.value for each in options]:
        options.append(FormOption(value, value_words(voice, asked, value)))
    return FormField(
        name=asked.name,
        kind=kind,
        label=field_label(voice, form, asked),
        about=_about(voice, form, asked, value, values.get(GAME, "")),
        value=value,
        words=value_words(voice, asked, value),
        options=tuple(options),
        least=parameter.least,
        most=MAX_FORM_TEXT_LENGTH if kind == "text" else parameter.most,
        error=error,
        leads=any(each.needs == asked.name for each in form.fields_for(values)),
    )


def _lay_out(fields: Sequence[FormField], asked: Sequence[Field]) -> list[FormField]:
    """Return fields with their pages: what depends on another field is on a later page than that.

    One with more values than a control takes is in parts.
    """
    laid, on_page, page = list[FormField](), list[str](), 0
    for shown, declared in zip(fields, asked, strict=True):
        cut = range(0, len(shown.options), MAX_OPTIONS)
        parts = [shown.options[at : at + MAX_OPTIONS] for at in cut] if len(cut) > 1 else [shown.options]
        for number, options in enumerate(parts):
            if len(on_page) == MAX_PAGE_FIELDS or (declared.needs and declared.needs in on_page):
                on_page, page = [], page + 1
            on_page.append(shown.name)
            name = f"{shown.name}{PART_MARK}{number}" if number else shown.name
            some = f"{shown.label} ({number + 1})" if len(parts) > 1 else shown.label
            laid.append(replace(shown, name=name, label=some, options=options, page=page))
    return laid


def field_label(voice: Speaker, form: Form, asked: Field) -> str:
    """Return the name of a field, in a word or two."""
    if asked.parameter.kind == "option":
        return voice.line(asked.words)
    if voice.has(f"field.{form.command}.{asked.name}"):
        return voice.line(f"field.{form.command}.{asked.name}")
    return voice.line(f"field.{asked.name}")


def value_words(voice: Speaker, asked: Field, value: str) -> str:
    """Return a value of a field in words."""
    prefix, kind = asked.words or asked.name, asked.parameter.kind
    if not value or (value == NOTHING and kind == "several"):
        return voice.line(f"{prefix}.unset" if voice.has(f"{prefix}.unset") else "form.unset")
    if kind == "people":
        return strip_styles(voice.listing([each.name for each in read_people(value)]))
    values = value.split(VALUE_SEPARATOR) if kind == "several" else [value]
    return strip_styles(voice.listing([_one_value_words(voice, prefix, each) for each in values]))


def _one_value_words(voice: Speaker, prefix: str, value: str) -> str:
    if prefix == GAME and value in games:
        return voice.of(value).line("name")
    if voice.has(f"{prefix}.{value}"):
        return voice.line(f"{prefix}.{value}")
    if value.isdecimal() and voice.has(f"{prefix}.n"):
        return voice.line(f"{prefix}.n", n=int(value))
    return voice.line(f"form.{value}") if value in (YES, NO) else value


def _about(voice: Speaker, form: Form, asked: Field, value: str, game: str) -> str:
    """Return one sentence about a field; about an option of a game, what its value means."""
    if asked.parameter.kind != "option":
        return load_commands()[form.command].parameter_description(voice, asked.parameter, game)
    about = f"{asked.words}.{value}.about"
    return voice.line(about if voice.has(about) else asked.words)
