"""Places where the bot is a guest: what presses bring, with which it can write there"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "passes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("sent", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("spare", sa.Integer(), nullable=True),
        sa.Column("answered", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_passes_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passes")),
        sa.UniqueConstraint("place", "secret", name=op.f("uq_passes_place_secret")),
    )
    limited = sa.text("until IS NOT NULL")
    op.create_index(
        "ix_passes_until", "passes", ["until"], unique=False, postgresql_where=limited, sqlite_where=limited
    )
    op.add_column("places", sa.Column("guest", sa.Boolean(), server_default=sa.false(), nullable=False))
