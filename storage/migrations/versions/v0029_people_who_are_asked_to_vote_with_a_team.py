"""People who are asked whether they vote with a team"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "team_invitations",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_team_invitations_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_team_invitations_person_people")),
        sa.ForeignKeyConstraint(["team"], ["people.id"], name=op.f("fk_team_invitations_team_people")),
        sa.PrimaryKeyConstraint("game", "team", "person", name=op.f("pk_team_invitations")),
    )
    op.create_index(op.f("ix_team_invitations_person"), "team_invitations", ["person"], unique=False)
