"""Who is kept out of a place, or may not speak there"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "bars",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_bars_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_bars_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bars")),
    )
    op.create_index(op.f("ix_bars_person"), "bars", ["person"], unique=False)
    op.create_index(op.f("ix_bars_place"), "bars", ["place"], unique=False)
    ends = sa.text("until IS NOT NULL")
    op.create_index("ix_bars_until", "bars", ["until"], unique=False, postgresql_where=ends, sqlite_where=ends)
