"""Databases as older versions of the program left them: what takes the newest steps back, one by one."""

from __future__ import annotations

from collections.abc import Iterator


def _old_pictures(*, postgresql: bool) -> str:
    """Return the table of the room's pictures up to version 0011: each message its own."""
    return (
        "CREATE TABLE room_pictures (message INTEGER NOT NULL REFERENCES room_messages (id), "
        f"png {'BYTEA' if postgresql else 'BLOB'} NOT NULL, CONSTRAINT pk_room_pictures PRIMARY KEY (message))"
    )


def back_to(version: str, *, postgresql: bool) -> Iterator[str]:
    """Yield the statements that make a database of an older version, from 0008 on, of one of today's."""
    undone = {
        "0022": tuple(
            f"DROP TABLE {table}" for table in ("team_votes", "team_proposals", "team_voters", "team_sides", "teams")
        ),
        "0021": ("DROP TABLE titles", "ALTER TABLE competitions DROP COLUMN kind"),
        "0020": (
            *(f"DROP TABLE {table}" for table in ("webhook_cursors", "webhooks", "public_pages")),
            "DROP INDEX ix_places_public",
            "ALTER TABLE places DROP COLUMN public",
        ),
        "0019": ("DROP TABLE own_moments",),
        "0018": ("ALTER TABLE identities DROP COLUMN writable",),
        "0017": ("DROP TABLE passes", "ALTER TABLE places DROP COLUMN guest"),
        "0016": (
            "DROP TABLE competition_places",
            "DROP TABLE competition_games",
            "DROP TABLE entrants",
            "DROP TABLE competition_events",
            "DROP TABLE competitions",
        ),
        "0015": ("DROP TABLE dailies", "DROP TABLE daily_messages"),
        "0014": (
            *(f"DROP TABLE {table}" for table in ("puzzle_places", "puzzle_attempts", "puzzle_days")),
            *(f"DROP TABLE {table}" for table in ("puzzle_ratings", "puzzles")),
        ),
        "0013": ("DROP TABLE tries", "DROP INDEX ix_events_planned"),
        "0012": ("DROP TABLE room_pictures", "DROP TABLE room_drawings", _old_pictures(postgresql=postgresql)),
        "0011": ("ALTER TABLE games DROP COLUMN chance",),
        "0010": ("DROP TABLE bars",),
        "0009": ("DROP TABLE notices", "DROP TABLE notice_choices", "ALTER TABLE surfaces DROP COLUMN beside"),
    }
    for step, statements in undone.items():
        if step > version:
            yield from statements
    yield f"UPDATE alembic_version SET version_num = '{version}'"  # noqa: S608
