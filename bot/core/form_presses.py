"""Forms at work: opened by a command or a press, filled in, and given to their command."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from bot.core.commands import PRIVATE, PressRule, check_value
from bot.core.context import Context, Public
from bot.core.features import load_commands, load_forms
from bot.core.form_cards import NO_ERRORS, PAGE_STEP, Errors, ask_card, changed_words, form_card, games_card
from bot.core.forms import (
    NO_VALUES,
    PART_MARK,
    TOGGLE,
    Field,
    Form,
    FormState,
    Values,
    anew_button,
    read_state,
    read_subject,
)
from bot.core.game_pages import read_page
from bot.core.permissions import check_right, is_here
from bot.core.places import place_of
from bot.core.request_context import RequestContext, throttle
from bot.entry.commandline import NOTHING
from bot.interface.cards import Card
from bot.interface.forms import ANSWER, VALUE_SEPARATOR
from bot.interface.presses import SUBMIT_STEP, Press
from bot.interface.refusals import Refused, engine_words, refusal_words
from bot.interface.requests import Reply
from bot.language.texts import Text, strip_styles
from engine import EngineError, games


async def open_form(
    context: Context, asker: RequestContext, form: Form, chosen: Values = NO_VALUES, *, note: Text = ()
) -> Reply:
    """Return the reply that opens a form for one person."""
    state = await _with_current(context, asker, FormState(form, dict(chosen)))
    return await _show(context, asker, state, note=note)


async def press_form(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a button of a form: show it, ask for a field, choose a value, or give everything to the command."""
    form, step = _find_form(pressed), _step_of(pressed)
    if step.startswith(PAGE_STEP):
        card = games_card(asker.mine, form, read_page(step.removeprefix(PAGE_STEP)) or 0)
        return Reply(card, private=True, update=True)
    asker, state = await _read(context, asker, form, pressed)
    state = _toggle(state)
    if pressed.path[1] != str(form.version):
        return await _show(context, asker, state, note=asker.mine.say("form.older"))
    field = state.field(step)
    if field is None and step == SUBMIT_STEP:
        return await _submit(context, asker, state, counted=True)
    if field is None:
        return await _show(context, asker, state, page=int(step) if step.isdecimal() else 0)
    if state.changes:
        asker, state = await _store_changes(context, asker, state)
    state = state if state.fits else await state.store(context, asker)
    return Reply(ask_card(asker, state, field), private=True, update=True)


async def fill_form(context: Context, asker: RequestContext, pressed: Press, given: Mapping[str, str]) -> Reply:
    """Handle a form, or a page of it, that was filled in; what cannot be used is said beside its field.

    A press that submits gives everything to the command; where what is set now is changed, any page does.
    """
    form, step = _find_form(pressed), _step_of(pressed)
    asker, state = await _read(context, asker, form, pressed)
    field = state.field(step)
    if field is not None:
        given = {field.name: given.get(ANSWER, "")}
    state, errors = _fill(asker, state, given)
    if field is not None and errors:
        return Reply(ask_card(asker, state.plain, field, *errors.values()), private=True, update=True)
    if errors or not (step == SUBMIT_STEP or state.changes):
        return await _show(context, asker, state, errors=errors)
    try:
        return await _submit(context, asker, state, note=asker.mine.say("form.saved"))
    except Refused as refused:
        said, at = refusal_words(asker.mine, refused), str(refused.parameters.get("field", ""))
        if field is not None:
            return Reply(ask_card(asker, state.plain, field, strip_styles(said)), private=True, update=True)
        if at in state.values:
            return await _show(context, asker, state, errors={at: strip_styles(said)})
    except EngineError as error:
        said = engine_words(asker.mine, state.subject if state.subject in games else "", error)
    return await _show(context, asker, state, note=said)


async def _show(
    context: Context,
    asker: RequestContext,
    state: FormState,
    *,
    page: int = 0,
    errors: Errors = NO_ERRORS,
    note: Text = (),
) -> Reply:
    """Return the reply that shows a form to one person.

    Where everybody in a group could read it, it is shown in their own chat, and knows which group it is about.
    """
    moves = asker.request.place.kind == "group" and not context.is_private_place(asker.place) and state.place is None
    if moves:
        state = replace(state, place=asker.place.id)
    card = await form_card(context, asker, state, page=page, errors=errors, note=note)
    return Reply(card, private=True, update=not moves, apart=moves, link=state.press() if moves else "")


def older_presses(form: Form, *deeds: str) -> dict[str, PressRule]:
    """Return what answers the buttons of a form as version 0.2.0 made them, with places in lists that have changed."""

    async def handle(_context: Context, asker: RequestContext, pressed: Press) -> Reply:
        subject = (*pressed.path, "")[0]
        known = form.games() if form.games is not None else form.subject.parameter.choices if form.subject else ()
        anew = anew_button(asker.mine, form, subject if subject in known else "")
        return Reply(Card(asker.mine.say("form.older"), rows=((anew,),)), private=True, update=True)

    return {deed: PressRule(handle, PRIVATE) for deed in deeds}


def _find_form(pressed: Press) -> Form:
    form = load_forms().get((*pressed.path, "")[0])
    if form is None:
        raise Refused("refusal.stale")
    return form


def _step_of(pressed: Press) -> str:
    if len(pressed.path) < 3:
        raise Refused("refusal.stale")
    return pressed.path[2]


async def confirm_change(
    context: Context, asker: RequestContext, form: Form, subject: str, changed: Collection[str]
) -> Reply:
    """Return what holds now of some fields that a typed command has changed."""
    asker = await reload_asker(context, asker)
    state = await _with_current(context, asker, FormState(form).about(subject))
    return Reply(Card(changed_words(asker.mine, state, changed)), private=True)


async def reload_asker(context: Context, asker: RequestContext) -> RequestContext:
    """Return the asker with what is stored of them and their place now."""
    people = await context.store.people.get_many([asker.person.id])
    place = await context.store.places.get(asker.place.id) or asker.place
    person, ours = people.get(asker.person.id, asker.person), context.place_speaker(place)
    mine = context.speaker(context.person_language(person) or ours.language, asker.request.user.platform)
    return replace(asker, person=person, place=place, mine=mine, ours=ours)


async def _read(
    context: Context, asker: RequestContext, form: Form, pressed: Press
) -> tuple[RequestContext, FormState]:
    """Return the asker, in the place that a form is about, and what has been chosen in it."""
    state = await read_state(context, asker, form, pressed)
    if state.place is not None and state.place != asker.place.id:
        asker = await _ask_from(context, asker, state.place)
    if form.games is not None and state.subject and state.subject not in form.games():
        raise Refused("refusal.form-no-game", rows=((anew_button(asker.mine, form),),))
    return asker, await _with_current(context, asker, state)


async def _with_current(context: Context, asker: RequestContext, state: FormState) -> FormState:
    """Return the state with what depends on the place, and with what is set now if the form changes that."""
    if state.form.local is not None:
        state = replace(state, local=await state.form.local(context, asker))
    if state.form.current is None:
        return state
    return replace(state, current=await state.form.current(context, asker, state.subject))


async def _ask_from(context: Context, asker: RequestContext, place: int) -> RequestContext:
    """Return the asker as if they asked from a place that they are in; Refused if they are not, MembershipUnknown."""
    row = await context.store.places.get(place)
    if row is None:
        raise Refused("refusal.stale")
    # What the event brought was about the place where the form is shown.
    user = replace(asker.request.user, manager=None, roles=frozenset(), anonymous=False)
    if not await is_here(context, asker, row):
        raise Refused("refusal.left-chat")
    adapter = context.adapters.get(row.platform)
    here = replace(place_of(row, context.place_language(row)), threads=adapter is not None and adapter.has_threads)
    return replace(
        asker, request=replace(asker.request, place=here, user=user), place=row, ours=context.place_speaker(row)
    )


def _toggle(state: FormState) -> FormState:
    """Return the state with each toggled value added to its field's, or removed from them."""
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


def _fill(asker: RequestContext, state: FormState, given: Mapping[str, str]) -> tuple[FormState, dict[str, str]]:
    """Return the state with the given values that can be used, and why the others cannot."""
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
            errors[each.name] = strip_styles(refusal_words(asker.mine, refused))
    return replace(state, chosen=chosen, unsaved=True), errors


def opens_page(pressed: Press) -> bool:
    """Return True if a form's button opens a page of it."""
    return len(pressed.path) > 2 and pressed.path[2].isdecimal()


def form_kind(pressed: Press) -> Public | None:
    """Return what a form's button makes public: that which submits it, what its command does."""
    path = pressed.path
    form = load_forms().get((*path, "")[0])
    if form is None or path[2:3] != (SUBMIT_STEP,):
        return None
    return load_commands()[form.command].kind(read_subject(form, pressed))


async def _submit(
    context: Context, asker: RequestContext, state: FormState, *, counted: bool = False, note: Text = ()
) -> Reply:
    """Give what is chosen to the command; return its reply in place of the form, or the form with what is set now.

    `counted`: True if the press has been counted as a public action.
    """
    if state.current is not None:
        return await _show(context, *await _store_changes(context, asker, state, counted=counted), note=note)
    reply = await _run(context, asker, state, counted=counted)
    if reply.card is None:
        voice = asker.mine.of(state.subject) if state.form.games is not None else asker.mine
        named = {"game": voice.line("name")} if state.form.games is not None else {}
        reply = replace(reply, card=Card(voice.say(state.form.done(state.values), **named)))
    return replace(reply, update=True, apart=False)


async def _store_changes(
    context: Context, asker: RequestContext, state: FormState, *, counted: bool = False
) -> tuple[RequestContext, FormState]:
    """Store what differs from what is set now; return the asker and the form as they are then."""
    await _run(context, asker, state, counted=counted)
    asker = await reload_asker(context, asker)
    return asker, await _with_current(context, asker, state.about(state.subject))


async def _run(context: Context, asker: RequestContext, state: FormState, *, counted: bool) -> Reply:
    """Run the command of a form with what is chosen."""
    command = load_commands()[state.form.command]
    chosen, values = state.command_values, dict[str, str]()
    for each in state.form.known_fields(chosen):
        if each.name in chosen and (value := check_value(each.parameter, chosen[each.name])):
            values[each.name] = value
    await check_right(context, asker, command.right_for(values))
    kind = None if counted else command.kind(values)
    return await throttle(context, asker, kind, lambda: command.handler(context, asker, values))
