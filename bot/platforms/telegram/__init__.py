"""The Telegram platform, with python-telegram-bot: commands, inline keyboards and pictures."""

import os

# python-telegram-bot will return durations as `timedelta`, and warns until this is set.
os.environ.setdefault("PTB_TIMEDELTA", "true")
