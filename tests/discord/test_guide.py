"""The operators' guide says what is so."""

import re
from pathlib import Path

from bot.kernel.preferences import PREFERENCES
from bot.platforms.app import COMMANDS
from bot.platforms.discord.decode import REQUIRED_PERMISSIONS

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "discord.md").read_text("utf-8")


def test_invitation_link_requests_the_required_permissions() -> None:
    assert re.findall(r"permissions=(\d+)", GUIDE) == [str(REQUIRED_PERMISSIONS.value)]


def test_every_permission_is_explained() -> None:
    table = GUIDE.split("## 3.")[1].split("## 4.")[0]
    documented = {line.split("|")[1].strip().lower() for line in table.splitlines() if line.startswith("| ")} - {
        "permission"
    }
    names = {name.replace("_", " ") for name, wanted in REQUIRED_PERMISSIONS if wanted}
    # discord.py names this one twice; Discord's own settings say "View Channels".
    assert documented == {name if name not in ("view channel", "read messages") else "view channels" for name in names}


def test_the_settings_of_places_are_there() -> None:
    table = GUIDE.split("## 4.")[1].split("## What")[0]
    documented = set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE))
    assert documented
    assert documented <= {each.name for each in COMMANDS["settings"].parameters}
    assert {name for name, each in PREFERENCES.items() if each.placed and not each.personal} <= documented


def test_it_is_linked() -> None:
    assert "(docs/discord.md)" in (DOCS.parent / "README.md").read_text("utf-8")
    assert "(discord.md)" in (DOCS / "operations.md").read_text("utf-8")
