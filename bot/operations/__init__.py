"""What operators see of the running program: figures, health, and reports of errors."""

from typing import Final

NOT_LISTENING: Final = "not-listening"
"""Why the program is not well where it hears nothing of a platform that could be heard."""
