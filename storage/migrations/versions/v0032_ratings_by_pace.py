"""Ratings and results by pace: those of before are the slow ones"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def _pace() -> sa.Column[str]:
    return sa.Column("pace", sa.Text(), server_default=sa.text("'slow'"), nullable=False)


def upgrade() -> None:
    op.add_column("results", _pace())
    op.drop_index("ix_ratings_game_key_pool", table_name="ratings")
    with op.batch_alter_table("ratings") as batch:
        batch.add_column(_pace())
        batch.drop_constraint("pk_ratings", type_="primary")
        batch.create_primary_key("pk_ratings", ["person", "game_key", "pool", "pace"])
    op.create_index("ix_ratings_game_key_pool_pace", "ratings", ["game_key", "pool", "pace"])
