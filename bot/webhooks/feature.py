"""The webhooks' command, press and job."""

from typing import Final

from bot.core.commands import PRIVATE, Command, PressRule
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.webhooks.commands import FORM, REMOVE_PRESS, press_remove, webhook_command
from bot.webhooks.job import WebhookDeliveries
from bot.webhooks.posts import WEBHOOK, WebhookEnd

FEATURE: Final = Feature(
    commands=(
        Command(
            "webhook",
            webhook_command,
            FORM.parameters,
            rank=320,
            public=PRIVATE,
            right=Right.MANAGER,
            forms=(FORM,),
            opens=True,
        ),
    ),
    presses={REMOVE_PRESS: PressRule(press_remove, PRIVATE, right=Right.DEPENDS)},
    job=WebhookDeliveries,
    posts={WEBHOOK: WebhookEnd},
)
