"""Moves of stored durations when the clock was set or the program was away"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "clock_moves",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seconds", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_clock_moves")),
    )
    op.add_column("competition_events", sa.Column("moves", sa.Integer(), server_default=sa.text("0"), nullable=False))
