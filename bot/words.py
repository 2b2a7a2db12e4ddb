"""The former name of `bot.kernel.words`, for packages of games made for 0.2."""

import sys

from bot.kernel.words import teller

sys.modules[f"{__name__}.teller"] = teller
