"""Whatever Discord answers to a launch against its own description, the launch is refused or right."""

from typing import Final

import discord.http
import pytest

from bot.platforms.apps.launches import DiscordLauncher, LaunchRefused
from storage import Store, utc_now
from tests.fakes.discord.activity import ActivityApi
from tests.fakes.distortion import Distortion
from tests.support.quiet_logs import without_tracebacks

INSTANCE: Final = "i-1"
STATUSES: Final = (201, 204, 400, 401, 403, 404, 418, 500, 599)


@pytest.mark.parametrize("seed", range(3))
async def test_distorted_answers_refuse_a_launch_and_the_next_one_is_right(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    async with ActivityApi("70", "bot-token", "client-secret") as api:
        monkeypatch.setattr(discord.http.Route, "BASE", api.url)
        api.people["5"] = {"username": "anna"}
        api.channels["8"] = {"id": "8", "type": 0, "guild_id": "9", "name": "games"}
        api.join(INSTANCE, "5", "8")
        refused = 0
        with without_tracebacks(caplog):
            for number in range(60):
                launcher = DiscordLauncher("bot-token", "client-secret", store, utc_now)
                api.distortion = Distortion(1000 * seed + number, 0.3, STATUSES, [(429, {"retry_after": 1})])
                try:
                    await launcher.describe()
                    await launcher.read({"code": api.code_for("5"), "instance": INSTANCE})
                except LaunchRefused:
                    refused += 1
                api.distortion = None
                launch = await launcher.read({"code": api.code_for("5"), "instance": INSTANCE})
                assert (launch.session.user, launch.session.channel, launch.session.group) == ("5", "8", "9")
        assert refused > 20
