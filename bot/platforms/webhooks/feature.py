"""The webhooks' command, press and job."""

from typing import Final

from bot.kernel.features import PRIVATE, Command, Feature, PressRule
from bot.kernel.permissions import Right
from bot.platforms.webhooks.commands import FORM, REMOVE_PRESS, press_remove, webhook_command
from bot.platforms.webhooks.job import WEBHOOK, WebhookDeliveries, WebhookEnd

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
        ),
    ),
    presses={REMOVE_PRESS: PressRule(press_remove, PRIVATE, right=Right.DEPENDS)},
    job=WebhookDeliveries,
    posts={WEBHOOK: WebhookEnd},
)
