"""Messages that come to a place when a month is over"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "monthly_messages",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("promised_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_monthly_messages_place_places")),
        sa.PrimaryKeyConstraint("place", "month", name=op.f("pk_monthly_messages")),
    )
    is_due = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_monthly_messages_due", "monthly_messages", ["due_at"], postgresql_where=is_due, sqlite_where=is_due
    )
    op.create_index(op.f("ix_results_ended_at"), "results", ["ended_at"])
