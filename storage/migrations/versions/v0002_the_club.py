"""Terms and offers of a game, alarms, ratings, links, and when the program was last alive"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "pulses",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pulses")),
    )
    op.create_table(
        "link_codes",
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_link_codes_person_people")),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_link_codes")),
    )
    with op.batch_alter_table("link_codes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_link_codes_person"), ["person"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_ratings_person_people")),
        sa.PrimaryKeyConstraint("person", "game_key", "pool", name=op.f("pk_ratings")),
    )
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ratings_game_key_pool"), ["game_key", "pool"], unique=False)

    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.add_column(sa.Column("alarm_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(
            sa.Column("terms", sa.JSON(none_as_null=True), server_default=sa.text("'{}'"), nullable=False)
        )
        batch_op.add_column(
            sa.Column("offers", sa.JSON(none_as_null=True), server_default=sa.text("'{}'"), nullable=False)
        )
        batch_op.create_index(
            "ix_games_alarm_at",
            ["alarm_at"],
            unique=False,
            postgresql_where=sa.text("alarm_at IS NOT NULL"),
            sqlite_where=sa.text("alarm_at IS NOT NULL"),
        )

    with op.batch_alter_table("identities", schema=None) as batch_op:
        batch_op.add_column(sa.Column("was", sa.Integer(), nullable=True))

    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_members_person"), ["person"], unique=False)

    with op.batch_alter_table("people", schema=None) as batch_op:
        batch_op.add_column(sa.Column("same_as", sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f("ix_people_same_as"), ["same_as"], unique=False)

    with op.batch_alter_table("places", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_places_platform_group_id"), ["platform", "group_id"], unique=False)

    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pool", sa.Text(), server_default=sa.text("'people'"), nullable=False))
        batch_op.add_column(sa.Column("mu", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("sigma", sa.Float(), nullable=True))
        batch_op.create_index(
            batch_op.f("ix_results_person_game_key_ended_at"), ["person", "game_key", "ended_at"], unique=False
        )

    with op.batch_alter_table("room_messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_room_messages_author"), ["author"], unique=False)
        batch_op.create_index(batch_op.f("ix_room_messages_recipient"), ["recipient"], unique=False)
