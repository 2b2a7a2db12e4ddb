"""Moments in own games, and when each of them comes again"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "own_moments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("card", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("reviews", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Boolean(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_own_moments_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_own_moments_person_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_own_moments")),
        sa.UniqueConstraint("person", "game", "turn", name=op.f("uq_own_moments_person_game_turn")),
    )
    op.create_index("ix_own_moments_due", "own_moments", ["person", "due_at"], unique=False)
    op.create_index(op.f("ix_own_moments_game"), "own_moments", ["game"], unique=False)
