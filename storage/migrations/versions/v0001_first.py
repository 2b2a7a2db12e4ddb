"""What there was from the beginning: people, places, games, where they are shown, and the room."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "handled_events",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("reply", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("platform", "event", name=op.f("pk_handled_events")),
    )
    with op.batch_alter_table("handled_events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_handled_events_at"), ["at"], unique=False)

    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    op.create_table(
        "places",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("group_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_places")),
        sa.UniqueConstraint("platform", "channel", "thread", name=op.f("uq_places_platform_channel_thread")),
    )
    op.create_table(
        "rooms",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("change", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rooms")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(length=6), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("starter", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("seat_count", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("seed_hash", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("position", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("last_turn", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("to_move", sa.Integer(), nullable=True),
        sa.Column("waiting_since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('lobby', 'playing', 'over')", name=op.f("ck_games_status")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_games_place_places")),
        sa.ForeignKeyConstraint(["starter"], ["people.id"], name=op.f("fk_games_starter_people")),
        sa.ForeignKeyConstraint(["to_move"], ["people.id"], name=op.f("fk_games_to_move_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
    )
    op.create_table(
        "identities",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_identities_person_people")),
        sa.PrimaryKeyConstraint("platform", "user_id", name=op.f("pk_identities")),
    )
    with op.batch_alter_table("identities", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_identities_name_key"), ["name_key"], unique=False)
        batch_op.create_index(batch_op.f("ix_identities_person"), ["person"], unique=False)

    op.create_table(
        "members",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_members_person_people")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_members_place_places")),
        sa.PrimaryKeyConstraint("place", "person", name=op.f("pk_members")),
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_members_place_seen_at"), ["place", "seen_at"], unique=False)

    op.create_table(
        "room_messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("room", sa.Text(), nullable=False),
        sa.Column("change", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("author", sa.Integer(), nullable=True),
        sa.Column("recipient", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("card", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("picture", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["author"], ["people.id"], name=op.f("fk_room_messages_author_people")),
        sa.ForeignKeyConstraint(["recipient"], ["people.id"], name=op.f("fk_room_messages_recipient_people")),
        sa.ForeignKeyConstraint(["room"], ["rooms.name"], name=op.f("fk_room_messages_room_rooms")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room_messages")),
        sa.UniqueConstraint("room", "change", name=op.f("uq_room_messages_room_change")),
        sa.UniqueConstraint("room", "key", name=op.f("uq_room_messages_room_key")),
    )
    with op.batch_alter_table("room_messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_room_messages_room_id"), ["room", "id"], unique=False)

    op.create_table(
        "events",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_events_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_events_person_people")),
        sa.PrimaryKeyConstraint("game", "number", name=op.f("pk_events")),
    )
    op.create_table(
        "game_places",
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_game_places_game_games")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_game_places_place_places")),
        sa.PrimaryKeyConstraint("place", "game", name=op.f("pk_game_places")),
    )
    with op.batch_alter_table("game_places", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_places_game"), ["game"], unique=False)
        batch_op.create_index(
            "ix_game_places_live",
            ["place"],
            unique=False,
            postgresql_where=sa.text("live"),
            sqlite_where=sa.text("live = 1"),
        )

    op.create_table(
        "results",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("game_key", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("place_number", sa.Integer(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_results_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_results_person_people")),
        sa.PrimaryKeyConstraint("game", "seat", name=op.f("pk_results")),
    )
    op.create_table(
        "room_pictures",
        sa.Column("message", sa.Integer(), nullable=False),
        sa.Column("png", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["message"], ["room_messages.id"], name=op.f("fk_room_pictures_message_room_messages")),
        sa.PrimaryKeyConstraint("message", name=op.f("pk_room_pictures")),
    )
    op.create_table(
        "seats",
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("computer", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("joined_by", sa.Text(), nullable=True),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_seats_game_games")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_seats_person_people")),
        sa.PrimaryKeyConstraint("game", "number", name=op.f("pk_seats")),
        sa.UniqueConstraint("game", "person", name=op.f("uq_seats_game_person")),
        sa.UniqueConstraint("game", "seat", name=op.f("uq_seats_game_seat")),
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index(
            "ix_seats_live",
            ["person"],
            unique=False,
            postgresql_where=sa.text("live"),
            sqlite_where=sa.text("live = 1"),
        )

    op.create_table(
        "surfaces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=6), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("shown_revision", sa.Integer(), nullable=True),
        sa.Column("announced_turn", sa.Integer(), nullable=True),
        sa.Column("retiring", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name=op.f("fk_surfaces_game_games")),
        sa.ForeignKeyConstraint(["place"], ["places.id"], name=op.f("fk_surfaces_place_places")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_surfaces")),
        sa.UniqueConstraint("game", "place", name=op.f("uq_surfaces_game_place")),
    )
    with op.batch_alter_table("surfaces", schema=None) as batch_op:
        batch_op.create_index(
            "ix_surfaces_due",
            ["due_at"],
            unique=False,
            postgresql_where=sa.text("due_at IS NOT NULL"),
            sqlite_where=sa.text("due_at IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_surfaces_place_message"), ["place", "message"], unique=False)
