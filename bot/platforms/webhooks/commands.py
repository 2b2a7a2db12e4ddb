"""The command for managers of a place to add and remove webhooks."""

from dataclasses import replace
from typing import Final

from bot.kernel.cards import Button, Card
from bot.kernel.commandline import Parameter
from bot.kernel.context import Context
from bot.kernel.form_presses import open_form
from bot.kernel.forms import Field, Form, FormNotes, FormState, Values
from bot.kernel.permissions import check_may_manage
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply, TryLater, Undeliverable
from bot.kernel.texts import Span, join
from bot.platforms.webhooks.job import NOT_MANAGED, shown_host
from bot.platforms.webhooks.sender import InvalidAddress, Sender, new_secret
from storage import StoredWebhook

MAX_WEBHOOKS_PER_PLACE: Final = 5
REMOVE_PRESS: Final = "unhook"
SENDER: Final = Sender()
ADDRESS: Final = "address"


async def webhook_command(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Add a webhook, or list those of the place; Refused."""
    if not context.web_address:
        raise Refused("refusal.no-public-address")
    if not values.get("address"):
        return await open_form(context, requester, FORM)
    if requester.request.user.anonymous:
        # The secret is for one person, who must remain a manager of the place.
        raise Refused("refusal.anonymous")
    try:
        address = await SENDER.check(values["address"])
    except InvalidAddress as error:
        raise Refused(f"refusal.webhook-{error.code}", field=ADDRESS) from None
    secret = new_secret()
    store, place = context.store.webhooks, requester.place.id
    hook = await store.create(place, address, secret, requester.id, context.clock(), MAX_WEBHOOKS_PER_PLACE)
    if hook is None:
        raise Refused("refusal.webhooks-full", most=MAX_WEBHOOKS_PER_PLACE)
    speaker = requester.speaker
    card = Card(
        join(
            [
                speaker.say("webhook.added", host=shown_host(address)),
                speaker.say("webhook.secret", secret=Span(secret, code=True)),
            ]
        ),
        rows=button_rows([_remove_button(requester, hook)]),
    )
    if not context.is_private_place(requester.place):
        await _send_in_private(context, requester, hook, card)
        return Reply(Card(speaker.say("webhook.added-private", host=shown_host(address))))
    return Reply(card)


async def press_remove(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that removes a webhook."""
    hook = None if pressed.number is None else await context.store.webhooks.get(pressed.number)
    here = requester.place.id
    if hook is None or (hook.place != here and hook.person != requester.id):
        raise Refused("refusal.stale")
    if hook.place == here:
        await check_may_manage(context, requester)
    await context.store.webhooks.remove(hook.id)
    return replace(await open_form(context, requester, FORM), update=True)


async def _tell(context: Context, requester: RequestContext, _state: FormState) -> FormNotes:
    speaker = requester.speaker
    hooks = await context.store.webhooks.list_in_place(requester.place.id)
    lines = [
        speaker.say(_state_key(hook), host=shown_host(hook.address), reason=hook.stopped or str(hook.attempts))
        for hook in hooks
    ]
    return FormNotes(lines or [speaker.say("webhook.none")], [_remove_button(requester, hook) for hook in hooks])


def _state_key(hook: StoredWebhook) -> str:
    """Return the key of the line with a webhook's state."""
    if hook.stopped:
        return "webhook.unmanaged" if hook.stopped == NOT_MANAGED else "webhook.stopped"
    if hook.attempts:
        return "webhook.failing"
    return "webhook.working" if hook.due_at is None else "webhook.waiting"


def _remove_button(requester: RequestContext, hook: StoredWebhook) -> Button:
    label = requester.speaker.line("button.webhook.remove", host=shown_host(hook.address))
    return Button(label[:80], press(REMOVE_PRESS, None, 0, str(hook.id)), "danger")


async def _send_in_private(context: Context, requester: RequestContext, hook: StoredWebhook, card: Card) -> None:
    """Send the secret as a private message; if that fails, remove the webhook and raise Refused."""
    adapter = context.adapters.get(requester.place.platform)
    try:
        if adapter is None:
            raise Undeliverable("forbidden")
        await adapter.answer(await adapter.private_chat(requester.request.user.id), card, f"webhook-{hook.id}-secret")
    except (Undeliverable, TryLater):
        await context.store.webhooks.remove(hook.id)
        raise Refused("refusal.webhook-private") from None


FORM: Final = Form(
    command="webhook",
    version=1,
    fields=(Field("a", Parameter(ADDRESS, "text")),),
    title=lambda voice, _: voice.say("webhook.title", most=MAX_WEBHOOKS_PER_PLACE),
    tell=_tell,
    submit="button.webhook.add",
)
