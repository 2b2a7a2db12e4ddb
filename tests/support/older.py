"""Databases as older versions of the program left them: what takes the newest steps back, one by one."""

from collections.abc import Iterator


def _old_pictures(*, postgresql: bool) -> str:
    """Return the table of the room's pictures up to version 0011: each message its own."""
    return (
        "CREATE TABLE room_pictures (message INTEGER NOT NULL REFERENCES room_messages (id), "
        f"png {'BYTEA' if postgresql else 'BLOB'} NOT NULL, CONSTRAINT pk_room_pictures PRIMARY KEY (message))"
    )


OLD_NAMES = (
    "ALTER TABLE key_values RENAME TO notes",
    "ALTER TABLE processed_events RENAME TO handled_events",
    "ALTER TABLE bans RENAME TO bars",
    "ALTER TABLE people RENAME COLUMN merged_into TO same_as",
    "ALTER TABLE identities RENAME COLUMN previous_person TO was",
    "ALTER TABLE identities RENAME COLUMN can_dm TO writable",
    "ALTER TABLE notices RENAME COLUMN route TO way",
    "ALTER TABLE notices RENAME COLUMN delivered_at TO told_at",
    "ALTER TABLE notice_choices RENAME COLUMN route TO way",
    "ALTER TABLE surfaces RENAME COLUMN extra_messages TO beside",
    "ALTER TABLE surfaces RENAME COLUMN stale_messages TO retiring",
    "ALTER TABLE competition_places RENAME COLUMN announced_rounds TO told",
    "DROP INDEX ix_people_merged_into",
    "CREATE INDEX ix_people_same_as ON people (same_as)",
    "DROP INDEX ix_processed_events_at",
    "CREATE INDEX ix_handled_events_at ON handled_events (at)",
    *(f"DROP INDEX ix_bans_{column}" for column in ("place", "person", "until")),
    "CREATE INDEX ix_bars_place ON bars (place)",
    "CREATE INDEX ix_bars_person ON bars (person)",
    "CREATE INDEX ix_bars_until ON bars (until) WHERE until IS NOT NULL",
    *(f"DROP INDEX ix_analysis_boards_{what}" for what in ("touched_at", "planned")),
    "DROP INDEX ix_interaction_tokens_until",
)


def _old_names(*, postgresql: bool) -> Iterator[str]:
    """Yield what gives tables and columns the names that they had up to version 0022."""
    yield from OLD_NAMES
    if postgresql:
        yield "ALTER TABLE analysis_boards RENAME TO tries"
        yield "ALTER TABLE tries RENAME CONSTRAINT uq_analysis_boards_person_game TO uq_tries_person_game"
        yield "ALTER TABLE interaction_tokens RENAME TO passes"
        yield "ALTER TABLE passes RENAME CONSTRAINT uq_interaction_tokens_place_secret TO uq_passes_place_secret"
    else:
        yield (
            "CREATE TABLE tries (id INTEGER NOT NULL, person INTEGER NOT NULL REFERENCES people (id), "
            "game VARCHAR(6) NOT NULL REFERENCES games (id), revision INTEGER NOT NULL, tree JSON NOT NULL, "
            "planned BOOLEAN DEFAULT 0 NOT NULL, touched_at DATETIME NOT NULL, CONSTRAINT pk_tries PRIMARY KEY (id), "
            "CONSTRAINT uq_tries_person_game UNIQUE (person, game))"
        )
        yield (
            "CREATE TABLE passes (id INTEGER NOT NULL, place INTEGER NOT NULL REFERENCES places (id), "
            "secret TEXT NOT NULL, message TEXT, sent JSON NOT NULL, until DATETIME, spare INTEGER, "
            "answered BOOLEAN DEFAULT 0 NOT NULL, made_at DATETIME NOT NULL, CONSTRAINT pk_passes PRIMARY KEY (id), "
            "CONSTRAINT uq_passes_place_secret UNIQUE (place, secret))"
        )
        for old, new in (("tries", "analysis_boards"), ("passes", "interaction_tokens")):
            yield f"INSERT INTO {old} SELECT * FROM {new}"  # noqa: S608 - names of our own
            yield f"DROP TABLE {new}"
    yield "CREATE INDEX ix_tries_touched_at ON tries (touched_at)"
    yield "CREATE INDEX ix_tries_planned ON tries (game) WHERE planned"
    yield "CREATE INDEX ix_passes_until ON passes (until) WHERE until IS NOT NULL"


def _drop(*tables: str) -> tuple[str, ...]:
    return tuple(f"DROP TABLE {table}" for table in tables)


def _former_messages(*, postgresql: bool) -> Iterator[str]:
    """Yield what makes the four tables of messages of version 0030 of the posts."""
    number = "SERIAL" if postgresql else "INTEGER"
    time = "TIMESTAMP WITH TIME ZONE" if postgresql else "DATETIME"
    place = "place INTEGER NOT NULL REFERENCES places (id)"
    yield (
        f"CREATE TABLE surfaces (id {number} NOT NULL, game VARCHAR(6) NOT NULL REFERENCES games (id), {place}, "
        f"message TEXT, shown_revision INTEGER, announced_turn INTEGER, stale_messages JSON NOT NULL, "
        f"extra_messages JSON NOT NULL, due_at {time}, attempts INTEGER NOT NULL, gone BOOLEAN NOT NULL, "
        "waiting BOOLEAN NOT NULL, CONSTRAINT pk_surfaces PRIMARY KEY (id), "
        "CONSTRAINT uq_surfaces_game_place UNIQUE (game, place))"
    )
    yield (
        "INSERT INTO surfaces SELECT id, game, place, message, shown_revision, announced, stale_messages, '{}', "
        "due_at, attempts, gone, waiting FROM posts WHERE kind = 'board'"
    )
    yield "CREATE INDEX ix_surfaces_due ON surfaces (due_at) WHERE due_at IS NOT NULL"
    yield "CREATE INDEX ix_surfaces_waiting ON surfaces (place) WHERE waiting"
    yield "CREATE INDEX ix_surfaces_place_message ON surfaces (place, message)"
    yield (
        "CREATE TABLE competition_places (competition VARCHAR(6) NOT NULL REFERENCES competitions (id), "
        f"{place}, message TEXT, shown_revision INTEGER, due_at {time}, announced_rounds INTEGER NOT NULL, "
        "attempts INTEGER NOT NULL, gone BOOLEAN NOT NULL, "
        "CONSTRAINT pk_competition_places PRIMARY KEY (competition, place))"
    )
    yield (
        "INSERT INTO competition_places SELECT competition, place, message, shown_revision, due_at, 0, attempts, gone "
        "FROM posts WHERE subject = competition"
    )
    yield "CREATE INDEX ix_competition_places_place ON competition_places (place)"
    yield "CREATE INDEX ix_competition_places_due ON competition_places (due_at) WHERE due_at IS NOT NULL"
    yield (
        f"CREATE TABLE daily_messages (id {number} NOT NULL, {place}, date VARCHAR(10) NOT NULL, puzzle TEXT NOT NULL, "
        f"message TEXT, shown TEXT, posted_at {time}, shown_at {time}, due_at {time}, attempts INTEGER NOT NULL, "
        "waiting BOOLEAN NOT NULL, closed BOOLEAN NOT NULL, CONSTRAINT pk_daily_messages PRIMARY KEY (id), "
        "CONSTRAINT uq_daily_messages_place_date UNIQUE (place, date))"
    )
    yield (
        "INSERT INTO daily_messages SELECT id, place, substr(subject, 1, 10), substr(subject, 12), message, content, "
        "made_at, shown_at, due_at, attempts, waiting, gone FROM posts WHERE kind = 'daily'"
    )
    yield "CREATE INDEX ix_daily_messages_puzzle ON daily_messages (puzzle)"
    yield "CREATE INDEX ix_daily_messages_posted_at ON daily_messages (posted_at)"
    yield "CREATE INDEX ix_daily_messages_due ON daily_messages (due_at) WHERE due_at IS NOT NULL"
    yield "CREATE INDEX ix_daily_messages_waiting ON daily_messages (place) WHERE waiting"
    yield (
        f"CREATE TABLE monthly_messages ({place}, month VARCHAR(7) NOT NULL, message TEXT, "
        f"promised_at {time} NOT NULL, due_at {time}, attempts INTEGER NOT NULL, "
        "CONSTRAINT pk_monthly_messages PRIMARY KEY (place, month))"
    )
    yield (
        "INSERT INTO monthly_messages SELECT place, subject, message, made_at, due_at, attempts FROM posts "
        "WHERE kind = 'month'"
    )
    yield "CREATE INDEX ix_monthly_messages_due ON monthly_messages (due_at) WHERE due_at IS NOT NULL"
    yield "DROP TABLE posts"


def _ratings_without_pace(*, postgresql: bool) -> Iterator[str]:
    """Yield what gives people one rating for each game and pool again, as up to version 0031: the slow one."""
    columns, key = "person, game_key, pool, mu, sigma, wins, draws, losses", "PRIMARY KEY (person, game_key, pool)"
    yield "DROP INDEX ix_ratings_game_key_pool_pace"
    yield "DELETE FROM ratings WHERE pace <> 'slow'"
    if postgresql:
        yield "ALTER TABLE ratings DROP COLUMN pace"
        yield f"ALTER TABLE ratings ADD CONSTRAINT pk_ratings {key}"
    else:
        yield (
            "CREATE TABLE former_ratings (person INTEGER NOT NULL, game_key TEXT NOT NULL, pool TEXT NOT NULL, "
            "mu FLOAT NOT NULL, sigma FLOAT NOT NULL, wins INTEGER NOT NULL, draws INTEGER NOT NULL, "
            f"losses INTEGER NOT NULL, CONSTRAINT pk_ratings {key}, "
            "CONSTRAINT fk_ratings_person_people FOREIGN KEY(person) REFERENCES people (id))"
        )
        yield f"INSERT INTO former_ratings SELECT {columns} FROM ratings"  # noqa: S608 - names of our own
        yield "DROP TABLE ratings"
        yield "ALTER TABLE former_ratings RENAME TO ratings"
    yield "CREATE INDEX ix_ratings_game_key_pool ON ratings (game_key, pool)"
    yield "ALTER TABLE results DROP COLUMN pace"


def back_to(version: str, *, postgresql: bool) -> Iterator[str]:
    """Yield the statements that make a database of an older version, from 0008 on, of one of today's."""
    undone = {
        "0032": tuple(_ratings_without_pace(postgresql=postgresql)),
        "0031": tuple(_former_messages(postgresql=postgresql)),
        "0030": _drop("form_drafts"),
        "0029": _drop("team_invitations"),
        "0027": ("DROP TABLE clock_moves", "ALTER TABLE competition_events DROP COLUMN moves"),
        "0026": _drop("played_puzzles", "puzzle_sources"),
        "0025": _drop("guesses", "guess_consents"),
        "0024": ("DROP TABLE monthly_messages", "DROP INDEX ix_results_ended_at"),
        "0023": tuple(_old_names(postgresql=postgresql)),
        "0022": _drop("team_votes", "team_proposals", "team_voters", "team_sides", "teams"),
        "0021": ("DROP TABLE titles", "ALTER TABLE competitions DROP COLUMN kind"),
        "0020": (
            *_drop("webhook_cursors", "webhooks", "public_pages"),
            *("DROP INDEX ix_places_public", "ALTER TABLE places DROP COLUMN public"),
        ),
        "0019": _drop("own_moments"),
        "0018": ("ALTER TABLE identities DROP COLUMN writable",),
        "0017": ("DROP TABLE passes", "ALTER TABLE places DROP COLUMN guest"),
        "0016": _drop("competition_places", "competition_games", "entrants", "competition_events", "competitions"),
        "0015": _drop("dailies", "daily_messages"),
        "0014": _drop("puzzle_places", "puzzle_attempts", "puzzle_days", "puzzle_ratings", "puzzles"),
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
