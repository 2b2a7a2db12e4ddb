"""Teams that vote on their turns"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "teams",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_teams_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_teams_place_places")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_teams")),
        sa.UniqueConstraint("place", "name", name=op.f("uq_teams_place_name")),
    )
    op.create_table(
        "team_proposals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actions", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_team_proposals_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_team_proposals_person_people")),
        sa.ForeignKeyConstraint(["team"], ["people.id"], name=op.f("fk_team_proposals_team_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_proposals")),
        sa.UniqueConstraint("game", "round", "number", name=op.f("uq_team_proposals_game_round_number")),
    )
    op.create_index(op.f("ix_team_proposals_person"), "team_proposals", ["person"], unique=False)

    op.create_table(
        "team_sides",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("extended", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_team_sides_game_games")),
        sa.ForeignKeyConstraint(["team"], ["people.id"], name=op.f("fk_team_sides_team_people")),
        sa.PrimaryKeyConstraint("game", "team", name=op.f("pk_team_sides")),
    )
    op.create_index(
        "ix_team_sides_changed_at",
        "team_sides",
        ["changed_at"],
        unique=False,
        postgresql_where=sa.text("changed_at IS NOT NULL"),
        sqlite_where=sa.text("changed_at IS NOT NULL"),
    )
    op.create_index(
        "ix_team_sides_closes_at",
        "team_sides",
        ["closes_at"],
        unique=False,
        postgresql_where=sa.text("closes_at IS NOT NULL"),
        sqlite_where=sa.text("closes_at IS NOT NULL"),
    )

    op.create_table(
        "team_voters",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("admitted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("called", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_team_voters_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_team_voters_person_people")),
        sa.ForeignKeyConstraint(["team"], ["people.id"], name=op.f("fk_team_voters_team_people")),
        sa.PrimaryKeyConstraint("game", "person", name=op.f("pk_team_voters")),
    )
    op.create_index(op.f("ix_team_voters_person"), "team_voters", ["person"], unique=False)

    op.create_table(
        "team_votes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("proposal", sa.Integer(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_team_votes_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_team_votes_person_people")),
        sa.ForeignKeyConstraint(["team"], ["people.id"], name=op.f("fk_team_votes_team_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_votes")),
        sa.UniqueConstraint("game", "round", "browser", name=op.f("uq_team_votes_game_round_browser")),
        sa.UniqueConstraint("game", "round", "person", name=op.f("uq_team_votes_game_round_person")),
    )
    op.create_index(op.f("ix_team_votes_person"), "team_votes", ["person"], unique=False)
