"""What people give to the chance of a game"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    # Games that are there already go on as they began: NULL, their draws take nothing from anybody.
    op.add_column("games", sa.Column("chance", sa.JSON(none_as_null=True), nullable=True))
