"""Puzzles from games played here, and the games that were looked through for them"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "puzzle_sources",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_puzzle_sources_game_games")),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_puzzle_sources")),
    )
    op.create_table(
        "played_puzzles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_played_puzzles_game_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_played_puzzles")),
    )
    op.create_index(op.f("ix_played_puzzles_game"), "played_puzzles", ["game"], unique=False)
    op.create_index(op.f("ix_played_puzzles_made_at"), "played_puzzles", ["made_at"], unique=False)
