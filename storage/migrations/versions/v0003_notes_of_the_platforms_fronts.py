"""Notes of the platforms' fronts"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("platform", "name", name=op.f("pk_notes")),
    )
