"""Telegram: commands, inline keyboards and pictures, by python-telegram-bot."""

import os

# python-telegram-bot is about to say lengths of time as `timedelta`, and warns those who do not ask for it yet.
os.environ.setdefault("PTB_TIMEDELTA", "true")
