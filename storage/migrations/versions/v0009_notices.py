"""Notices: who is to be told what, and messages that stand beside a board"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "notice_choices",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_notice_choices_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_notice_choices_place_places")),
        sa.PrimaryKeyConstraint("place", "person", name=op.f("pk_notice_choices")),
    )
    op.create_index(op.f("ix_notice_choices_person"), "notice_choices", ["person"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=True),
        sa.Column("way", sa.Text(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_notices_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_notices_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_notices_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sa.UniqueConstraint("person", "kind", "subject", name=op.f("uq_notices_person_kind_subject")),
    )
    due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_notices_due", "notices", ["due_at"], unique=False, postgresql_where=due, sqlite_where=due)
    op.create_index(op.f("ix_notices_game"), "notices", ["game"], unique=False)
    op.create_index(op.f("ix_notices_made_at"), "notices", ["made_at"], unique=False)
    op.add_column(
        "surfaces",
        sa.Column("beside", sa.JSON(none_as_null=True), server_default=sa.text("'{}'"), nullable=False),
    )
    # Boards that were not delivered yet still notify the same people.
    undelivered = "EXISTS (SELECT 1 FROM surfaces WHERE surfaces.game = games.id AND surfaces.due_at IS NOT NULL)"
    op.execute(
        "INSERT INTO notices (person, kind, subject, game, attempts, made_at) "  # noqa: S608
        "SELECT to_move, 'turn', id || ':' || revision, id, 0, waiting_since FROM games "
        f"WHERE status = 'playing' AND to_move IS NOT NULL AND {undelivered}"
    )
    op.execute(
        "INSERT INTO notices (person, kind, subject, game, attempts, made_at) "  # noqa: S608
        "SELECT seats.person, 'challenge', games.id, games.id, 0, games.waiting_since FROM games "
        "JOIN seats ON seats.game = games.id WHERE games.status = 'lobby' AND seats.state = 'invited' "
        f"AND seats.person IS NOT NULL AND {undelivered}"
    )
