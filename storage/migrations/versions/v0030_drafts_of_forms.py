"""Drafts of forms"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "form_drafts",
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("chosen", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_form_drafts_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_form_drafts_place_places")),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_form_drafts")),
    )
    for column in ("person", "place", "expires_at"):
        op.create_index(op.f(f"ix_form_drafts_{column}"), "form_drafts", [column], unique=False)
