"""What comes once a day: where, when, and the message of each date"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "dailies",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_dailies_place_places")),
        sa.PrimaryKeyConstraint("place", name=op.f("pk_dailies")),
    )
    op.create_index(op.f("ix_dailies_due_at"), "dailies", ["due_at"], unique=False)
    op.create_table(
        "daily_messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("date", sa.String(length=10), nullable=False),
        sa.Column("puzzle", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("shown", sa.Text(), nullable=True),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("shown_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("closed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_daily_messages_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_daily_messages")),
        sa.UniqueConstraint("place", "date", name=op.f("uq_daily_messages_place_date")),
    )
    due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_daily_messages_due", "daily_messages", ["due_at"], postgresql_where=due, sqlite_where=due)
    op.create_index(op.f("ix_daily_messages_posted_at"), "daily_messages", ["posted_at"])
    op.create_index(op.f("ix_daily_messages_puzzle"), "daily_messages", ["puzzle"])
    op.create_index(
        "ix_daily_messages_waiting",
        "daily_messages",
        ["place"],
        postgresql_where=sa.text("waiting"),
        sqlite_where=sa.text("waiting = 1"),
    )
