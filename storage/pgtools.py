"""The programs that come with PostgreSQL: run, and what they complain of told in one line."""

from __future__ import annotations

import asyncio
import os
import re
from typing import Final

from sqlalchemy import URL

from storage.errors import StorageError

_MAX_ERROR_LINES: Final = 4
_PREFIX_PATTERN: Final = re.compile(r"^\w+:(?:\S+:\d+:)? (?:(?:error|fatal|detail|hint|warning): +)?", re.IGNORECASE)


class MissingTool(StorageError):
    """A program that comes with PostgreSQL is not installed here; `tool`."""

    default = "missing-tool"


class ToolFailed(StorageError):
    """A program that comes with PostgreSQL could not do its work; `tool`, `reason`."""

    default = "tool-failed"


async def run_tool(tool: str, url: URL | None, *arguments: str) -> str:
    """Run a program of PostgreSQL's and return what it printed; the password goes by its environment alone.

    Raises MissingTool and ToolFailed.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            tool,
            *arguments,
            env=os.environ | (_surroundings(url) if url is not None else {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (FileNotFoundError, PermissionError) as error:
        raise MissingTool(tool=tool) from error
    out, complaint = await process.communicate()
    if process.returncode:
        reason = _reason(complaint.decode("utf-8", "replace")) or str(process.returncode)
        raise ToolFailed(tool=tool, reason=reason)
    return out.decode("utf-8", "replace")


def _reason(complaint: str) -> str:
    """Return a complaint in one line: the explanation, as the two versions that do not match, is in its second."""
    # What follows is the statement that failed, as long as a table.
    message = complaint.partition("Command was:")[0]
    lines = [_PREFIX_PATTERN.sub("", line.strip()).rstrip(".") for line in message.splitlines() if line.strip()]
    return "; ".join(lines[:_MAX_ERROR_LINES])


def _surroundings(url: URL) -> dict[str, str]:
    query = {name: value if isinstance(value, str) else value[0] for name, value in url.query.items()}
    known = {
        "PGHOST": url.host or query.get("host"),
        "PGPORT": str(url.port) if url.port else query.get("port"),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        "PGSSLMODE": query.get("ssl"),
    }
    return {name: str(value) for name, value in known.items() if value}
