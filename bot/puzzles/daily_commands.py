"""Whether today's puzzle comes to a channel by itself, and at which hour; for those who manage it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.core.context import Context
from bot.core.permissions import check_may_manage
from bot.core.preferences import OFF, ON
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import join
from bot.puzzles.daily import HOUR_SETTING, switch_off, switch_on, zone_of

DAILY_PARAMETER: Final = "daily"
SWITCHES: Final = (ON, OFF)
LAST_HOUR: Final = 23


def is_about_daily(values: Mapping[str, str]) -> bool:
    """Say whether a command is meant to switch it on or off, or to change its hour."""
    return bool(values.get(DAILY_PARAMETER) or values.get(HOUR_SETTING))


async def switch_daily(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Switch it on or off, or have it come at another hour; Refused for those who may not."""
    check_may_manage(asker)
    if asker.request.nonmember:
        raise Refused("refusal.no-daily-here")
    if values.get(DAILY_PARAMETER) == OFF:
        await switch_off(context, asker.place)
        return Reply(Card(asker.mine.say("daily.switched-off")), private=True)
    hour = values.get(HOUR_SETTING)
    if hour and int(hour) > LAST_HOUR:
        raise Refused("refusal.no-hour", value=hour)
    daily = await switch_on(context, asker.place, int(hour) if hour else None)
    zone = zone_of(asker.place)
    said = [asker.mine.say("daily.switched-on", hour=f"{daily.hour}:00", zone=zone)]
    said.append(asker.mine.say("daily.switched-on.zone"))
    return Reply(Card(join(said)), private=True)
