"""Public pages and webhooks"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("places", sa.Column("public", sa.Boolean(), nullable=True))
    op.create_index(
        "ix_places_public",
        "places",
        ["public"],
        unique=False,
        postgresql_where=sa.text("public"),
        sqlite_where=sa.text("public = 1"),
    )
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stopped", sa.Text(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_webhooks_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_webhooks_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index(op.f("ix_webhooks_person"), "webhooks", ["person"], unique=False)
    op.create_index(op.f("ix_webhooks_place"), "webhooks", ["place"], unique=False)

    op.create_table(
        "public_pages",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=True),
        sa.Column("competition", sa.String(length=6), nullable=True),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_public_pages_competition_competitions")
        ),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_public_pages_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_public_pages_person_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_public_pages")),
        sa.UniqueConstraint("competition", name=op.f("uq_public_pages_competition")),
        sa.UniqueConstraint("game", name=op.f("uq_public_pages_game")),
        sa.UniqueConstraint("person", name=op.f("uq_public_pages_person")),
    )
    op.create_table(
        "webhook_cursors",
        sa.Column("webhook", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["webhook"], ["webhooks.id"], name=op.f("fk_webhook_cursors_webhook_webhooks")),
        sa.PrimaryKeyConstraint("webhook", "subject", name=op.f("pk_webhook_cursors")),
    )
