"""The page has words for everything that it says, and no word that nobody reads."""

import re
from pathlib import Path

import pytest

from bot.kernel.texts import Texts
from bot.platforms.web import server
from bot.platforms.web.assets import PageWords
from storage.places import BAN, KICK, MUTE

STATIC = Path(server.__file__).parent / "static"
APPS = STATIC.parent.parent / "apps"


def named_in_the_page() -> set[str]:
    """Return every key that stands in the page's scripts, or in the code that answers it."""
    scripts = "".join(
        path.read_text(encoding="utf-8") for path in [*STATIC.glob("*.js"), *(APPS / "static").glob("app*.js")]
    )
    keys = set(re.findall(r'"([a-z]+(?:\.[a-z-]+)+)"', scripts))
    python = "".join(path.read_text("utf-8") for folder in (STATIC.parent, APPS) for path in folder.glob("*.py"))
    keys |= {f"error.{code}" for code in re.findall(r'(?:Rejected\(\d+, |LaunchRefused\()"([a-z-]+)"', python)}
    keys |= {f"error.{code}" for code in re.findall(r'new Refusal\({ code: "([a-z-]+)"', scripts)}
    keys |= {f"error.{kind}" for kind in (BAN, KICK, MUTE)}
    memberships = (APPS.parents[1] / "kernel" / "context.py").read_text("utf-8")
    refused = set(re.findall(r'"refusal\.(membership-[a-z-]+)"', memberships))
    told_by_platform = refused & {"membership-not-told"}
    keys |= {f"error.{code}" for code in refused - told_by_platform}
    keys |= {f"error.{code}.{platform}" for code in told_by_platform for platform in ("discord", "telegram")}
    return keys | set(re.findall(r'line\("(complete\.[a-z.]+)"', python))


# A page of ours never hears these: they answer other sites, and requests that no page makes.
UNHEARD = {
    "error.wrong-host", "error.cross-site", "error.not-json", "error.not-yours", "error.unavailable",
    "error.too-slow",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_word_of_the_page_is_there_and_read(texts: Texts, language: str) -> None:
    words = PageWords(texts).for_language(language)
    assert named_in_the_page() - UNHEARD == set(words)


def test_a_text_that_counts_has_two_forms(texts: Texts) -> None:
    words = PageWords(texts).for_language("en")
    assert words["waiting.tab"] == ["game waits for you", "games wait for you"]
    counting = {key for key, text in words.items() if isinstance(text, list)}
    assert counting == {
        "waiting.tab",
        "table.others",
        "newgame.too-many",
        "lobby.players",
        "lobby.wins",
        "people.more",
    }
    assert tuple(PageWords(texts).speaker(wanted).language for wanted in ("it-CH", "fr")) == ("it", "en")
