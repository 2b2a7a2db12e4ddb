"""The post that tells a place that a webhook of its has ended, and why."""

from typing import Final

from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.interface.cards import Card

WEBHOOK: Final = "webhook"
"""The kind of post that tells of a webhook's end; its subject is the webhook's id."""
NOT_MANAGED: Final = "not-managed"
"""Why a webhook was stopped whose maker manages the place no longer."""


class WebhookEnd(PostKind):
    """The end of a webhook, told once."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return why a webhook has ended; None if it was taken away meanwhile."""
        hook = await self._context.store.webhooks.get(int(showing.post.subject))
        if hook is None or not hook.stopped:
            return None
        key = "webhook.ended" if hook.stopped == NOT_MANAGED else "webhook.given-up"
        speaker = self._context.place_speaker(showing.post.place)
        return Rendering(Card(speaker.say(key, host=shown_host(hook.address), reason=hook.stopped)), last=True)


def shown_host(address: str) -> str:
    """Return the host of an address, for people; the path may be a secret. "?" for a damaged address."""
    return (*address.split("/", 3), "", "")[2] or "?"
