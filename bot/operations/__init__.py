"""Operation of the running program: settings, logs, metrics, health, limits, error reports."""

from typing import Final

NOT_LISTENING: Final = "not-listening"
"""The reason for failed health if a reachable platform is not listened to."""
