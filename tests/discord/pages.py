"""The pages of Discord's documents that say what its fake keeps, and the mark of tests that meet it."""

from typing import Final

import pytest

DOCS: Final = "https://docs.discord.com/developers"
ANSWERING: Final = f"{DOCS}/interactions/receiving-and-responding"
COMMANDS: Final = f"{DOCS}/interactions/application-commands"
COMPONENTS: Final = f"{DOCS}/components/reference"
MESSAGES: Final = f"{DOCS}/resources/message"
REFERENCE: Final = f"{DOCS}/reference"
CHANNELS: Final = f"{DOCS}/resources/channel"
GATEWAY: Final = f"{DOCS}/events/gateway"
LIMITS: Final = f"{DOCS}/topics/rate-limits"
PERMISSIONS: Final = f"{DOCS}/topics/permissions"
STATUS: Final = f"{DOCS}/topics/opcodes-and-status-codes"

documented = pytest.mark.documented
