"""The former name of `bot.kernel.explanations`, for packages of games made for 0.2."""

import sys

from bot.kernel.explanations import candidate

sys.modules[f"{__name__}.candidate"] = candidate
