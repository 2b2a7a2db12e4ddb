"""Operation of the running program: settings, logs, metrics, health, limits and error reports."""

from typing import Final

NOT_LISTENING: Final = "not-listening"
"""The reason for failed health if the program does not listen to a reachable platform."""
CONTESTED: Final = "token-in-use"
"""The reason for failed health if another process receives a platform's updates with the same token."""
COMMANDS_REFUSED: Final = "commands-refused"
"""The reason for failed health if a platform refuses our list of commands: people cannot run any there."""
PLATFORM_REASONS: Final = (NOT_LISTENING, CONTESTED, COMMANDS_REFUSED)
"""The reasons that concern a platform, the worst first."""
