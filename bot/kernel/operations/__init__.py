"""Operation of the running program: settings, logs, metrics, health, limits, error reports."""

from typing import Final

NOT_LISTENING: Final = "not-listening"
"""The reason for failed health if a reachable platform is not listened to."""
CONTESTED: Final = "token-in-use"
"""The reason for failed health if another process receives a platform's updates with the same token."""
COMMANDS_REFUSED: Final = "commands-refused"
"""The reason for failed health if a platform does not take our commands: no one can give any there."""
PLATFORM_REASONS: Final = (NOT_LISTENING, CONTESTED, COMMANDS_REFUSED)
"""The reasons that are about a platform, the worst first."""
