"""What people do on puzzles: attempts, the places and days they count for, and ratings of both"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "puzzles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=True),
        sa.Column("sigma", sa.Float(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("public_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzles")),
    )
    op.create_table(
        "puzzle_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("puzzle", sa.Text(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("motif", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("presses", sa.Integer(), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=True),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_puzzle_attempts_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_puzzle_attempts_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzle_attempts")),
        sa.UniqueConstraint("person", "puzzle", name=op.f("uq_puzzle_attempts_person_puzzle")),
    )
    op.create_index(op.f("ix_puzzle_attempts_puzzle"), "puzzle_attempts", ["puzzle"], unique=False)
    op.create_table(
        "puzzle_places",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["puzzle_attempts.id"], name=op.f("fk_puzzle_places_attempt_puzzle_attempts")
        ),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_puzzle_places_place_places")),
        sa.PrimaryKeyConstraint("place", "attempt", name=op.f("pk_puzzle_places")),
    )
    op.create_index(op.f("ix_puzzle_places_attempt"), "puzzle_places", ["attempt"], unique=False)
    op.create_table(
        "puzzle_days",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("puzzle", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_puzzle_days_person_people")),
        sa.PrimaryKeyConstraint("person", "day", name=op.f("pk_puzzle_days")),
    )
    op.create_table(
        "puzzle_ratings",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_puzzle_ratings_person_people")),
        sa.PrimaryKeyConstraint("person", "game_key", name=op.f("pk_puzzle_ratings")),
    )
