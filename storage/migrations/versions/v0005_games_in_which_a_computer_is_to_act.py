"""Games in which a computer is to act"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.add_column(sa.Column("thinking", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.create_index(
            "ix_games_thinking",
            ["waiting_since"],
            unique=False,
            postgresql_where=sa.text("thinking"),
            sqlite_where=sa.text("thinking = 1"),
        )
