"""The commands and presses of leaderboards and profiles."""

from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import GAME_PARAMETER, PRIVATE, Command, Feature, PressRule
from bot.people.standings import commands
from bot.people.standings.month_posts import MonthlyWorker, MonthPost
from bot.people.standings.service import PERIODS
from storage.message_schema import MONTH
from storage.schema import PACES

FEATURE: Final = Feature(
    commands=(
        Command(
            "leaderboard",
            commands.leaderboard_command,
            (
                GAME_PARAMETER,
                Parameter("where", "choice", choices=commands.WHERE),
                Parameter("period", "choice", choices=PERIODS),
                Parameter("speed", "choice", choices=PACES),
                Parameter("least", "number", least=1, most=commands.MAX_MIN_GAMES),
            ),
            rank=170,
            listed=True,
            public=Public.CHANGE,
        ),
        Command(
            "profile",
            commands.profile_command,
            (Parameter("who", "people", most=1),),
            rank=180,
            listed=True,
            public=PRIVATE,
            personal=lambda values: not values,
        ),
    ),
    presses={
        "leaders": PressRule(commands.press_leaders, Public.CHANGE),
        commands.OWN_LEADERS: PressRule(commands.press_leaders, PRIVATE),
        "profile": PressRule(commands.press_profile, PRIVATE),
    },
    job=MonthlyWorker,
    posts={MONTH: MonthPost},
)
