"""Every live stream gives signs of life."""

import re
from pathlib import Path

import bot

_MADE = re.compile(r"\b(?:web\.)?(?:WebSocketResponse|StreamResponse)\(|\.open_socket\(")
_WITHOUT_NEWS = {Path("platforms/web/api.py")}
"""Modules that open a stream and have another one send."""


def test_every_module_that_opens_a_stream_sends_heartbeats() -> None:
    folder = Path(bot.__file__).parent
    sources = {path.relative_to(folder): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    opening = {path for path, text in sources.items() if _MADE.search(text)}
    assert opening == _WITHOUT_NEWS | {
        Path("kernel/operations/listening.py"),
        Path("platforms/apps/streams.py"),
        Path("platforms/public/streams.py"),
    }
    assert [path for path in opening - _WITHOUT_NEWS if "wait_for_news(" not in sources[path]] == []
