"""Handling of forms: opened by a command or a press, filled in, and submitted to their command."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Final

from bot.kernel.cards import (
    ANSWER,
    MAX_FORM_TEXT_LENGTH,
    MAX_OPTIONS,
    MAX_PAGE_FIELDS,
    VALUE_SEPARATOR,
    Button,
    Buttons,
    Card,
    FormField,
    FormOption,
    FormView,
    PageContent,
)
from bot.kernel.commandline import NOTHING, read_people
from bot.kernel.context import Context
from bot.kernel.features import (
    PRIVATE,
    Command,
    PressRule,
    check_value,
    load_commands,
    load_forms,
    load_presses,
)
from bot.kernel.forms import (
    GAME,
    NO,
    NO_VALUES,
    PART_MARK,
    TOGGLE,
    YES,
    Field,
    Form,
    FormNotes,
    FormState,
    Values,
    again_button,
    get_for,
    read_state,
)
from bot.kernel.permissions import Right, check_right, is_here, may_manage
from bot.kernel.preferences import place_of
from bot.kernel.presses import BACK_STEP, FORM_PRESS, RUN_PRESS, SUBMIT_STEP, Press, press, read_number
from bot.kernel.question_cards import button_rows, picking_rows
from bot.kernel.refusals import Refused, engine_words, refusal_words
from bot.kernel.request_context import RequestContext, make_request_context, throttle
from bot.kernel.requests import Reply
from bot.kernel.texts import Span, Speaker, Text, join, shorten, strip_styles
from engine import EngineError, games

PAGE_STEP: Final = "~"
"""The step that shows another page of the list of games; its number follows."""
MAX_LABEL_LENGTH: Final = 80
_CHOSEN_MARK: Final = "● "
_MARKS: Final = {True: "✓ ", False: "✗ "}


async def form_card(
    context: Context,
    requester: RequestContext,
    state: FormState,
    *,
    page: int,
    errors: Values,
    note: Text,
) -> Card:
    """Return the card of a form: a preview of its effect, a button for each field, and the form itself.

    A reader who may not change anything sees no fields. `errors` are keyed by the names of fields.
    """
    form, speaker = state.form, requester.speaker
    if form.subject is not None and not state.subject:
        return games_card(speaker, form)
    if not state.fits:
        state = await state.store(context, requester)
    values, asked = state.values, state.asked
    voice = speaker.of(values[GAME]) if GAME in values else speaker
    title = form.title(voice, values)
    notes, problem = FormNotes(), Text()
    try:
        notes = await form.tell(context, requester, state)
    except Refused as refused:
        problem = refusal_words(voice, refused)
    except EngineError as error:
        problem = engine_words(speaker, values.get(GAME, ""), error)
    whole = [_field(voice, form, each, values, errors.get(each.name, "")) for each in asked]
    wrong = [(Span(f"{each.label}: {each.error}"),) for each in whole if each.error]
    on_page = context.draws_for_readers(requester.place.platform)
    buttons = [*(each for each in notes.tabs if each.press and not on_page), *notes.buttons]
    tabs = (tuple(notes.tabs),) if on_page and len(notes.tabs) > 1 else ()
    if not await _may_change(context, requester, state):
        set_now = changed_words(voice, state.plain, [each.name for each in state.plain.asked])
        words = join([set_now, *notes.lines, note])
        return Card(words, rows=button_rows(buttons), page=PageContent(words, tabs=tabs) if tabs else None)
    label = voice.line(get_for(form.submit, values))
    submit = Button(label, state.press(SUBMIT_STEP), "primary")
    # Leave out refused values: the next change must not be refused for them again.
    rows = [(_field_button(state.plain, each, shown),) for each, shown in zip(asked, whole, strict=True)]
    fields = _lay_out(whole, asked)
    again = Button(voice.line("button.form.again"), state.press("0")) if any(each.leads for each in whole) else None
    below = button_rows([*([submit] if state.current is None else []), *buttons])
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
    words = join([title, *notes.lines, problem, *wrong, note])
    return Card(words, rows=(*rows, *below), form=view, page=PageContent(words, tabs=tabs) if tabs else None)


def ask_card(requester: RequestContext, state: FormState, asked: Field, error: str = "") -> Card:
    """Return the card that asks for one field: its values as buttons, or a request to type one."""
    form, values = state.form, state.values
    voice = requester.speaker.of(values[GAME]) if GAME in values else requester.speaker
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
    """Return the card that asks which game a form is about."""

    def button(key: str) -> Button:
        return Button(speaker.game_name(key), form.opening_press(key))

    keys = list(form.games()) if form.games is not None else []
    turned = FormState(form)
    rows = picking_rows(speaker, keys, page, button, lambda other: turned.press(PAGE_STEP + other))
    return Card(speaker.say(form.which), rows=rows)


def changed_words(speaker: Speaker, state: FormState, names: Collection[str]) -> Text:
    """Return the current values of some fields, one per line."""
    fields = [_field(speaker, state.form, each, state.values, "") for each in state.asked if each.name in names]
    return join([state.form.title(speaker, state.values), *((Span(f"{each.label}: {each.words}"),) for each in fields)])


async def _may_change(context: Context, requester: RequestContext, state: FormState) -> bool:
    """Return True if the requester may store the choices; for something new, the command checks the right itself."""
    values = state.current
    if not values:
        return values is None
    changed = {**dict.fromkeys(values, NOTHING), **state.form.about(state.subject)}
    right = get_for(load_commands()[state.form.command].right, changed)
    return right is not Right.MANAGER or await may_manage(context, requester)


def _page_buttons(voice: Speaker, state: FormState, fields: Sequence[FormField]) -> Buttons:
    """Return the buttons that open the pages of a form."""
    named = [", ".join(each.label for each in page) for _, page in groupby(fields, lambda each: each.page)]
    key = "button.form.page" if len(named) > 1 else "button.form.open"
    labels = (shorten(voice.line(key, fields=names), MAX_LABEL_LENGTH) for names in named)
    return tuple(Button(label, state.press(str(page))) for page, label in enumerate(labels))


def _field_button(state: FormState, asked: Field, shown: FormField) -> Button:
    """Return the button of a field: it asks for the value, or toggles yes and no."""
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
        about=_about(voice, form, asked, value),
        value=value,
        words=value_words(voice, asked, value),
        options=tuple(options),
        least=parameter.least,
        most=MAX_FORM_TEXT_LENGTH if kind == "text" else parameter.most,
        error=error,
        leads=any(each.needs == asked.name for each in form.fields_for(values)),
        section=voice.line(f"section.{asked.section}") if asked.section else "",
    )


def _lay_out(fields: Sequence[FormField], asked: Sequence[Field]) -> list[FormField]:
    """Return fields with their pages: a field is on a later page than the one it depends on.

    A field with more values than a control takes is split into parts.
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
        return voice.game_name(value)
    if voice.has(f"{prefix}.{value}"):
        return voice.line(f"{prefix}.{value}")
    if value.isdecimal() and voice.has(f"{prefix}.n"):
        return voice.line(f"{prefix}.n", n=int(value))
    return voice.line(f"form.{value}") if value in (YES, NO) else value


def _about(voice: Speaker, form: Form, asked: Field, value: str) -> str:
    """Return one sentence about a field; for an option of a game, about its value."""
    if asked.parameter.kind != "option":
        return load_commands()[form.command].parameter_description(voice, asked.parameter)
    about = f"{asked.words}.{value}.about"
    return voice.line(about if voice.has(about) else asked.words)


async def open_form(context: Context, requester: RequestContext, form: Form, chosen: Values = NO_VALUES) -> Reply:
    """Return the reply that opens a form for one person."""
    return await _show(context, requester, await _with_current(context, requester, FormState(form, dict(chosen))))


async def press_form(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle a button of a form: show the form, ask for a field, choose a value, or submit it to the command."""
    form, step = _find_form(pressed)
    if step.startswith(PAGE_STEP):
        return Reply(games_card(requester.speaker, form, read_number(step.removeprefix(PAGE_STEP)) or 0), update=True)
    requester, state = await _read(context, requester, form, pressed)
    state = _toggle(state)
    if pressed.path[1] != str(form.version):
        return await _show(context, requester, state, note=requester.speaker.say("form.older"))
    field = state.field(step)
    if field is None and step == SUBMIT_STEP:
        return await _submit(context, requester, state)
    if field is None:
        return await _show(context, requester, state, page=int(step) if step.isdecimal() else 0)
    if state.changes:
        requester, state = await _store_changes(context, requester, state)
    state = state if state.fits else await state.store(context, requester)
    return Reply(ask_card(requester, state, field), update=True)


async def fill_form(context: Context, requester: RequestContext, pressed: Press, given: Values) -> Reply:
    """Handle a form, or a page of it, that was filled in; an invalid value is reported next to its field.

    A press that submits runs the command with all values; a form of current settings is submitted by any page.
    """
    form, step = _find_form(pressed)
    requester, state = await _read(context, requester, form, pressed)
    field = state.field(step)
    if field is not None:
        given = {field.name: given.get(ANSWER, "")}
    state, errors = _fill(requester, state, given)
    if field is not None and errors:
        return Reply(ask_card(requester, state.plain, field, *errors.values()), update=True)
    if errors or not (step == SUBMIT_STEP or state.changes):
        return await _show(context, requester, state, errors=errors)
    try:
        return await _submit(context, requester, state, note=requester.speaker.say("form.saved"))
    except Refused as refused:
        said, at = refusal_words(requester.speaker, refused), str(refused.parameters.get("field", ""))
        if field is not None:
            return Reply(ask_card(requester, state.plain, field, strip_styles(said)), update=True)
        if at in state.values:
            return await _show(context, requester, state, errors={at: strip_styles(said)})
    except EngineError as error:
        said = engine_words(requester.speaker, state.subject if state.subject in games else "", error)
    return await _show(context, requester, state, note=said)


async def _show(
    context: Context,
    requester: RequestContext,
    state: FormState,
    *,
    page: int = 0,
    errors: Values = NO_VALUES,
    note: Text = (),
) -> Reply:
    """Return the reply that shows a form to one person.

    Where everybody in a group could read it, it is shown in the person's own chat, and keeps the place it is about.
    """
    moves = (
        requester.request.place.kind == "group"
        and not context.is_private_place(requester.place)
        and state.place is None
    )
    if moves:
        state = replace(state, place=requester.place.id)
    card = await form_card(context, requester, state, page=page, errors=errors, note=note)
    return Reply(card, update=not moves, apart=moves, link=state.press() if moves else "")


def older_presses(form: Form, *deeds: str) -> dict[str, PressRule]:
    """Return the press rules for a form's buttons from version 0.2.0: these refer to lists that have changed."""

    async def handle(_context: Context, requester: RequestContext, pressed: Press) -> Reply:
        subject = (*pressed.path, "")[0]
        known = form.games() if form.games is not None else form.subject.parameter.choices if form.subject else ()
        again = again_button(requester.speaker, form, subject if subject in known else "")
        return Reply(Card(requester.speaker.say("form.older"), rows=((again,),)), update=True)

    return {deed: PressRule(handle, PRIVATE) for deed in deeds}


def _find_form(pressed: Press) -> tuple[Form, str]:
    """Return the form of a button, and the step that the button leads to."""
    path, forms = pressed.path, load_forms()
    if len(path) < 3 or path[0] not in forms:
        raise Refused("refusal.stale")
    return forms[path[0]], path[2]


async def confirm_change(
    context: Context, requester: RequestContext, form: Form, subject: str, changed: Collection[str]
) -> Reply:
    """Return a reply with the current values of some fields that a typed command has changed."""
    requester = await reload_requester(context, requester)
    state = await _with_current(context, requester, FormState(form).about(subject))
    return Reply(Card(changed_words(requester.speaker, state, changed)))


async def reload_requester(context: Context, requester: RequestContext) -> RequestContext:
    """Return the requester with their person and place read from the store again."""
    people = await context.store.people.get_many([requester.id])
    place = await context.store.places.get(requester.place.id) or requester.place
    person = people.get(requester.id, requester.person)
    return await make_request_context(context, requester.request, person, place, is_cached=True)


async def _read(
    context: Context, requester: RequestContext, form: Form, pressed: Press
) -> tuple[RequestContext, FormState]:
    """Return the requester in the place that a form is about, and the form's state."""
    state = await read_state(context, requester, form, pressed)
    if state.place is not None and state.place != requester.place.id:
        requester = await _ask_from(context, requester, state.place)
    if form.games is not None and state.subject and state.subject not in form.games():
        raise Refused("refusal.form-no-game", rows=((again_button(requester.speaker, form),),))
    return requester, await _with_current(context, requester, state)


async def _with_current(context: Context, requester: RequestContext, state: FormState) -> FormState:
    """Return the state with the form's local data and, if the form changes settings, their current values."""
    if state.form.local is not None:
        state = replace(state, local=await state.form.local(context, requester))
    if state.form.current is None:
        return state
    return replace(state, current=await state.form.current(context, requester, state.subject))


async def _ask_from(context: Context, requester: RequestContext, place: int) -> RequestContext:
    """Return the requester as in another place; raises Refused if they are not there, or MembershipUnknown."""
    row = await context.store.places.get(place)
    if row is None:
        raise Refused("refusal.stale")
    # The event's data on the user is about the place where the form is shown.
    user = replace(requester.request.user, manager=None, roles=frozenset(), anonymous=False)
    if not await is_here(context, requester, row):
        raise Refused("refusal.left-chat")
    adapter = context.adapters.get(row.platform)
    here = replace(place_of(row, context.place_language(row)), threads=adapter is not None and adapter.has_threads)
    return replace(
        requester,
        request=replace(requester.request, place=here, user=user),
        place=row,
        place_speaker=context.place_speaker(row),
    )


def _toggle(state: FormState) -> FormState:
    """Return the state with each toggled value added to its field's values, or removed from them."""
    chosen = dict(state.chosen)
    for each in state.form.fields_for(state.values):
        value = chosen.get(each.name, "")
        if each.parameter.kind == "several" and value.startswith(TOGGLE):
            del chosen[each.name]
            before = replace(state, chosen=chosen).values.get(each.name, "")
            chosen[each.name] = _join(each, {*before.split(VALUE_SEPARATOR)} ^ {value.removeprefix(TOGGLE)})
    return replace(state, chosen=chosen, unsaved=chosen != state.chosen or state.unsaved)


def _join(field: Field, values: set[str]) -> str:
    return VALUE_SEPARATOR.join(each for each in field.parameter.choices if each in values) or NOTHING


def _fill(requester: RequestContext, state: FormState, given: Values) -> tuple[FormState, dict[str, str]]:
    """Return the state with the given values, and the errors of the invalid ones."""
    chosen, errors = dict(state.chosen), dict[str, str]()
    for each in state.asked:
        parts = [name for name in given if name.partition(PART_MARK)[0] == each.name]
        if not parts:
            continue
        value = given[parts[0]]
        if each.parameter.kind == "several":
            value = _join(each, {one for name in parts for one in given[name].split(VALUE_SEPARATOR)})
        try:
            chosen[each.name] = check_value(each.parameter, value)
        except Refused as refused:
            chosen[each.name] = value
            errors[each.name] = strip_styles(refusal_words(requester.speaker, refused))
    return replace(state, chosen=chosen, unsaved=True), errors


async def _submit(context: Context, requester: RequestContext, state: FormState, *, note: Text = ()) -> Reply:
    """Run the command with the chosen values; return its reply in the form's place, or the form with current values."""
    if state.current is not None:
        return await _show(context, *await _store_changes(context, requester, state), note=note)
    reply = await _run(context, requester, state)
    if reply.card is None:
        voice = requester.speaker.of(state.subject) if state.form.games is not None else requester.speaker
        named = {"game": voice.game_name()} if state.form.games is not None else {}
        reply = replace(reply, card=Card(voice.say(get_for(state.form.done, state.values), **named)))
    return replace(reply, update=True, apart=False)


async def _store_changes(
    context: Context, requester: RequestContext, state: FormState
) -> tuple[RequestContext, FormState]:
    """Store the values that differ from the current ones; return the requester and the form's state afterwards."""
    await _run(context, requester, state)
    requester = await reload_requester(context, requester)
    return requester, await _with_current(context, requester, state.about(state.subject))


async def _run(context: Context, requester: RequestContext, state: FormState) -> Reply:
    """Run the command of a form with the chosen values; it is counted as if it were typed."""
    command = load_commands()[state.form.command]
    chosen, values = state.command_values, dict[str, str]()
    for each in state.form.known_fields(chosen):
        if each.name in chosen and (value := check_value(each.parameter, chosen[each.name])):
            values[each.name] = value
    await check_right(context, requester, get_for(command.right, values))
    work = partial(command.handler, context, requester, values)
    return await throttle(context, requester, get_for(command.public, values), work)


_SEPARATOR: Final = ":"
_SUBJECT_KINDS: Final = ("game", "mygame", "code")
"""Kinds of parameters that name the object to look at."""


def run_press(name: str, values: Values | None = None) -> str:
    """Return the payload of a button that runs a command; it may be too long."""
    return press(RUN_PRESS, None, 0, name, *(f"{each}{_SEPARATOR}{value}" for each, value in (values or {}).items()))


def find_rule(pressed: Press | None) -> tuple[Command | PressRule | None, Any]:
    """Return what handles a press, and its subject: the rule and the press, or a button's command and its values."""
    if pressed is None:
        return None, None
    if pressed.deed != RUN_PRESS:
        return load_presses().get(pressed.deed), pressed
    name, *pairs = pressed.path or ("",)
    return load_commands().get(name), dict(each.partition(_SEPARATOR)[::2] for each in pairs)


def opens_form(pressed: Press | None) -> bool:
    """Return True if a press shows a form, or a page of one; a form has to be the first response."""
    rule, subject = find_rule(pressed)
    if isinstance(rule, Command):
        return rule.opens_form(subject)
    path = pressed.path if pressed is not None and pressed.deed == FORM_PRESS else ()
    return len(path) > 2 and path[2].isdecimal()


def only_looks(pressed: Press) -> bool:
    """Return True if a button runs a command that only shows something personal: its values only name the subject."""
    command, values = find_rule(pressed)
    if not isinstance(command, Command) or not get_for(command.personal, values):
        return False
    return set(values) <= _subject_names(command)


def link_of(command: Command, values: Values) -> str:
    """Return the press that runs a command with only the values that name its subject."""
    subject = _subject_names(command)
    return run_press(command.name, {name: each for name, each in values.items() if name in subject})


def _subject_names(command: Command) -> set[str]:
    return {parameter.name for parameter in command.parameters if parameter.kind in _SUBJECT_KINDS}
