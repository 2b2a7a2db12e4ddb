"""One table of everything that is shown somewhere and kept true: boards, offers, competitions, days, months"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

_BOARDS = """
INSERT INTO posts (id, kind, subject, game, place, made_at, message, shown_revision, announced, shown_at,
    stale_messages, due_at, attempts, gone, waiting)
SELECT s.id, 'board', s.game, s.game, s.place, games.created_at, s.message, s.shown_revision, s.announced_turn,
    CASE WHEN s.message IS NOT NULL THEN games.updated_at END, s.stale_messages, s.due_at, s.attempts, s.gone, s.waiting
FROM surfaces AS s JOIN games ON games.id = s.game ORDER BY s.id
"""
_COMPETITIONS = """
INSERT INTO posts (kind, subject, competition, place, made_at, message, shown_revision, announced, stale_messages,
    due_at, attempts, gone, waiting)
SELECT competitions.kind, shown.competition, shown.competition, shown.place, competitions.created_at,
    nullif(shown.message, ''), shown.shown_revision, CASE WHEN shown.shown_revision IS NOT NULL THEN 1 END, '[]',
    shown.due_at, shown.attempts, shown.gone, FALSE
FROM competition_places AS shown JOIN competitions ON competitions.id = shown.competition
ORDER BY shown.competition, shown.place <> competitions.place, shown.place
"""
_ROUNDS = """
INSERT INTO posts (kind, subject, competition, place, made_at, shown_revision, announced, stale_messages, attempts,
    gone, waiting)
SELECT competitions.kind || '-news', shown.competition || ':' || shown.announced_rounds, shown.competition, shown.place,
    competitions.created_at, competitions.revision, 1, '[]', 0, TRUE, FALSE
FROM competition_places AS shown JOIN competitions ON competitions.id = shown.competition
WHERE shown.announced_rounds > 0
"""
_DAYS = """
INSERT INTO posts (kind, subject, place, made_at, message, shown_revision, announced, content, shown_at, stale_messages,
    due_at, attempts, gone, waiting)
SELECT 'daily', date || ':' || puzzle, place, coalesce(posted_at, shown_at, due_at, '1970-01-01 00:00:00'), message,
    CASE WHEN message IS NOT NULL AND due_at IS NULL THEN 0 END, CASE WHEN message IS NOT NULL THEN 1 END, shown,
    shown_at, '[]', due_at, attempts, closed, waiting
FROM daily_messages ORDER BY id
"""
_MONTHS = """
INSERT INTO posts (kind, subject, place, made_at, message, shown_revision, announced, stale_messages, due_at, attempts,
    gone, waiting)
SELECT 'month', month, place, promised_at, message, CASE WHEN due_at IS NULL THEN 0 END,
    CASE WHEN due_at IS NULL THEN 1 END, '[]', due_at, attempts, due_at IS NULL, FALSE
FROM monthly_messages ORDER BY place, month
"""
_OFFER = """
INSERT INTO posts (kind, subject, game, place, made_at, message, shown_revision, announced, stale_messages, attempts,
    gone, waiting)
SELECT 'offer', :subject, s.game, s.place, games.created_at, :message, 0, 1, '[]', 0, FALSE, FALSE
FROM surfaces AS s JOIN games ON games.id = s.game WHERE s.id = :surface
"""


def upgrade() -> None:
    op.create_table(
        "posts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=True),
        sa.Column("competition", sa.String(length=6), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("shown_revision", sa.Integer(), nullable=True),
        sa.Column("announced", sa.Integer(), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("shown_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stale_messages", sa.JSON(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("waiting", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.id"], name=op.f("fk_posts_competition_competitions")),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_posts_game_games")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_posts_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
        sa.UniqueConstraint("kind", "subject", "place", name=op.f("uq_posts_kind_subject_place")),
    )
    op.execute(_BOARDS)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT setval(pg_get_serial_sequence('posts', 'id'), coalesce(max(id), 1)) FROM posts")
    for statement in (_COMPETITIONS, _ROUNDS, _DAYS, _MONTHS):
        op.execute(statement)
    _move_offers()
    for table in ("surfaces", "competition_places", "daily_messages", "monthly_messages"):
        op.drop_table(table)
    is_due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_posts_due", "posts", ["due_at"], postgresql_where=is_due, sqlite_where=is_due)
    op.create_index(
        "ix_posts_waiting", "posts", ["place"], postgresql_where=sa.text("waiting"), sqlite_where=sa.text("waiting")
    )
    op.create_index(op.f("ix_posts_game"), "posts", ["game"])
    op.create_index(op.f("ix_posts_competition"), "posts", ["competition"])
    op.create_index(op.f("ix_posts_place_message"), "posts", ["place", "message"])


def _move_offers() -> None:
    """Give the messages beside boards rows of their own; what cannot be read is left out."""
    connection = op.get_bind()
    beside = connection.execute(sa.text("SELECT id, CAST(extra_messages AS TEXT) FROM surfaces WHERE NOT gone")).all()
    for surface, stored in beside:
        try:
            found = dict(json.loads(stored))
        except ValueError:
            continue
        for subject, message in found.items():
            values = {"subject": subject, "message": message, "surface": surface}
            connection.execute(sa.text(_OFFER), values)
