"""Who may change what holds for all in a place."""

from __future__ import annotations

from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused


def may_manage(asker: RequestContext) -> bool:
    """Say whether somebody may change what holds for all in a place."""
    return asker.request.user.manager or asker.request.place.kind == "private"


def check_may_manage(asker: RequestContext) -> None:
    """Raise Refused unless somebody may change what holds for all; it says how they could, where there is a way."""
    if may_manage(asker):
        return
    key = "refusal.not-manager"
    here = f"{key}.{asker.request.place.platform}"
    raise Refused(here if asker.mine.has(here) else key)
