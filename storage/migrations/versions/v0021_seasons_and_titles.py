"""Leagues and ladders beside cups, and the titles that people win in seasons"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("competitions", sa.Column("kind", sa.Text(), server_default="cup", nullable=False))
    op.create_table(
        "titles",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("original", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("earned_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["original"], ["people.id"], name=op.f("fk_titles_original_people")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_titles_person_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_titles")),
        sa.UniqueConstraint(
            "person", "kind", "game_key", "source", "period", name=op.f("uq_titles_person_kind_game_key_source_period")
        ),
    )
    op.create_index(op.f("ix_titles_original"), "titles", ["original"], unique=False)
