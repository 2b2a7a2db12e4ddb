"""Surfaces that may not be written to wait"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    with op.batch_alter_table("surfaces", schema=None) as batch_op:
        batch_op.add_column(sa.Column("waiting", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.create_index(
            "ix_surfaces_waiting",
            ["place"],
            unique=False,
            postgresql_where=sa.text("waiting"),
            sqlite_where=sa.text("waiting"),
        )
