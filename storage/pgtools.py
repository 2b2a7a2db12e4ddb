"""Running PostgreSQL's command-line tools, with their errors reduced to one line."""

import asyncio
import os
import re
from typing import Final

from sqlalchemy import URL

from storage.errors import StorageError

_MAX_ERROR_LINES: Final = 4
_PREFIX_PATTERN: Final = re.compile(r"^\w+:(?:\S+:\d+:)? (?:(?:error|fatal|detail|hint|warning): +)?", re.IGNORECASE)


class MissingTool(StorageError):
    """A command-line tool of PostgreSQL is not installed; `tool`."""

    default = "missing-tool"


class ToolFailed(StorageError):
    """A command-line tool of PostgreSQL failed; `tool`, `reason`."""

    default = "tool-failed"


async def run_tool(tool: str, url: URL | None, *arguments: str) -> str:
    """Run a tool of PostgreSQL and return its output; the password is passed by the environment only.

    Raises MissingTool and ToolFailed.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            tool,
            *arguments,
            env=os.environ | (_build_environment(url) if url is not None else {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (FileNotFoundError, PermissionError) as error:
        raise MissingTool(tool=tool) from error
    out, complaint = await process.communicate()
    if process.returncode:
        reason = _extract_reason(complaint.decode("utf-8", "replace")) or str(process.returncode)
        raise ToolFailed(tool=tool, reason=reason)
    return out.decode("utf-8", "replace")


def _extract_reason(complaint: str) -> str:
    """Return a tool's error in one line; of a version mismatch, the second line, which names both versions."""
    # The failed statement follows, which may be as long as a table.
    message = complaint.partition("Command was:")[0]
    lines = [_PREFIX_PATTERN.sub("", line.strip()).rstrip(".") for line in message.splitlines() if line.strip()]
    return "; ".join(lines[:_MAX_ERROR_LINES])


def _build_environment(url: URL) -> dict[str, str]:
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
