"""What a page shows for some seconds only, which a busy machine may look for too late: it is recorded."""

from typing import Final

from playwright.async_api import Frame, Page

RECORD_PASSING_WORDS: Final = """(() => {
    window.passingWords = [];
    const record = () => {
        for (const { textContent } of document.querySelectorAll("#banner, .word")) {
            if (textContent && window.passingWords.at(-1) !== textContent) window.passingWords.push(textContent);
        }
    };
    new MutationObserver(record).observe(document, { subtree: true, childList: true, characterData: true });
})()"""
"""A script for pages whose banner, or notes at cells, a test reads."""


async def has_said(page: Page | Frame, words: str) -> None:
    """Wait until a page has shown some words in its banner or at a cell, even if they are gone by now."""
    await page.wait_for_function("words => window.passingWords.some((each) => each.includes(words))", arg=words)
