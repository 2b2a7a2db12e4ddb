"""What people try out: one tree of lines a person and game"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "tries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("tree", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("planned", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_tries_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_tries_person_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tries")),
        sa.UniqueConstraint("person", "game", name=op.f("uq_tries_person_game")),
    )
    op.create_index(
        "ix_tries_planned",
        "tries",
        ["game"],
        unique=False,
        postgresql_where=sa.text("planned"),
        sqlite_where=sa.text("planned = 1"),
    )
    op.create_index(op.f("ix_tries_touched_at"), "tries", ["touched_at"], unique=False)
    planned = sa.text("cause LIKE 'plan:%'")
    op.create_index(
        "ix_events_planned", "events", ["game", "cause"], unique=True, postgresql_where=planned, sqlite_where=planned
    )
