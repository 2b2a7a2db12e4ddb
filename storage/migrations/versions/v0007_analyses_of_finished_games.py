"""Analyses of finished games"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("found", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_analyses_game_games")),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_analyses")),
    )
