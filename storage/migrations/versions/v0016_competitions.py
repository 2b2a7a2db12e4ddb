"""Competitions: their events, entrants, games and places"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "competitions",
        sa.Column("id", sa.String(length=6), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("seed_hash", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('open', 'running', 'over')", name=op.f("ck_competitions_status")),
        sa.ForeignKeyConstraint(["maker"], ["people.id"], name=op.f("fk_competitions_maker_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_competitions_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_competitions")),
    )
    op.create_index(
        "ix_competitions_due",
        "competitions",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("due_at IS NOT NULL"),
        sqlite_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_competitions_maker"), "competitions", ["maker"], unique=False)
    op.create_index(op.f("ix_competitions_place"), "competitions", ["place"], unique=False)

    op.create_table(
        "competition_events",
        sa.Column("competition", sa.String(length=6), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_competition_events_competition_competitions")
        ),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_competition_events_person_people")),
        sa.PrimaryKeyConstraint("competition", "number", name=op.f("pk_competition_events")),
    )
    op.create_index(op.f("ix_competition_events_person"), "competition_events", ["person"], unique=False)

    op.create_table(
        "competition_games",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("competition", sa.String(length=6), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_competition_games_competition_competitions")
        ),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_competition_games_game_games")),
        sa.PrimaryKeyConstraint("game", name=op.f("pk_competition_games")),
        sa.UniqueConstraint("competition", "slot", name=op.f("uq_competition_games_competition_slot")),
    )
    op.create_table(
        "competition_places",
        sa.Column("competition", sa.String(length=6), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("shown_revision", sa.Integer(), nullable=True),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_competition_places_competition_competitions")
        ),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_competition_places_place_places")),
        sa.PrimaryKeyConstraint("competition", "place", name=op.f("pk_competition_places")),
    )
    op.create_index(
        "ix_competition_places_due",
        "competition_places",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("due_at IS NOT NULL"),
        sqlite_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_competition_places_place"), "competition_places", ["place"], unique=False)

    op.create_table(
        "entrants",
        sa.Column("competition", sa.String(length=6), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("joined_by", sa.Text(), nullable=False),
        sa.Column("inside", sa.Boolean(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_entrants_competition_competitions")
        ),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_entrants_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_entrants_place_places")),
        sa.PrimaryKeyConstraint("competition", "number", name=op.f("pk_entrants")),
        sa.UniqueConstraint("competition", "person", name=op.f("uq_entrants_competition_person")),
    )
    op.create_index(op.f("ix_entrants_place"), "entrants", ["place"], unique=False)
    op.create_index(op.f("ix_entrants_person_rank"), "entrants", ["person", "rank"], unique=False)
