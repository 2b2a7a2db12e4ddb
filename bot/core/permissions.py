"""Permission to change the settings of a place."""

from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused


def may_manage(asker: RequestContext) -> bool:
    """Return True if the asker may change what applies to everybody in a place."""
    return asker.request.user.manager or asker.request.place.kind == "private"


def check_may_manage(asker: RequestContext) -> None:
    """Raise Refused unless the asker may change what applies to everybody; the refusal says how to get there."""
    if may_manage(asker):
        return
    key = "refusal.not-manager"
    here = f"{key}.{asker.request.place.platform}"
    raise Refused(here if asker.mine.has(here) else key)
