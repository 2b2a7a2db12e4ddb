"""Guesses at the next turn of games, and who has agreed to them"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "guess_consents",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("agreed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_guess_consents_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_guess_consents_person_people")),
        sa.PrimaryKeyConstraint("game", "person", name=op.f("pk_guess_consents")),
    )
    op.create_index(op.f("ix_guess_consents_person"), "guess_consents", ["person"], unique=False)
    op.create_table(
        "guesses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("actions", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("browser", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hit", sa.Boolean(), nullable=True),
        sa.Column("good", sa.Boolean(), nullable=True),
        sa.Column("checked", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_guesses_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_guesses_person_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guesses")),
        sa.UniqueConstraint("game", "revision", "person", name=op.f("uq_guesses_game_revision_person")),
    )
    op.create_index(op.f("ix_guesses_made_at"), "guesses", ["made_at"], unique=False)
    op.create_index(op.f("ix_guesses_person"), "guesses", ["person"], unique=False)
