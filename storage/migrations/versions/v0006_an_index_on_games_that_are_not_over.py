"""An index on games that are not over"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    live = sa.text("status <> 'over'")
    op.create_index("ix_games_live", "games", ["status"], unique=False, postgresql_where=live, sqlite_where=live)
