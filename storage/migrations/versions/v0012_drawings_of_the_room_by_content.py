"""Drawings of the room by content, each once: what is more than the store holds goes, the oldest first"""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

MAX_BYTES = 32 * 1024 * 1024


def upgrade() -> None:
    op.rename_table("room_pictures", "room_pictures_before")
    op.create_table(
        "room_drawings",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("change", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_room_drawings")),
    )
    op.create_index(op.f("ix_room_drawings_change_size"), "room_drawings", ["change", "size"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        # Names of constraints are of the whole schema there.
        op.execute("ALTER TABLE room_pictures_before RENAME CONSTRAINT pk_room_pictures TO pk_room_pictures_before")
    op.create_table(
        "room_pictures",
        sa.Column("message", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"], ["room_drawings.digest"], name=op.f("fk_room_pictures_digest_room_drawings")
        ),
        sa.ForeignKeyConstraint(["message"], ["room_messages.id"], name=op.f("fk_room_pictures_message_room_messages")),
        sa.PrimaryKeyConstraint("message", name=op.f("pk_room_pictures")),
    )
    op.create_index(op.f("ix_room_pictures_digest"), "room_pictures", ["digest"], unique=False)
    _move()
    op.drop_table("room_pictures_before")


def _move() -> None:
    connection, total_bytes, known = op.get_bind(), 0, set[str]()
    newest = "SELECT id, change FROM room_messages WHERE picture IS NOT NULL ORDER BY id DESC"
    for message, change in connection.execute(sa.text(newest)).all():
        one = sa.text("SELECT png FROM room_pictures_before WHERE message = :message")
        png = connection.execute(one, {"message": message}).scalar_one_or_none()
        if png is None or total_bytes + len(png) > MAX_BYTES:
            gone = sa.text("UPDATE room_messages SET picture = NULL WHERE id = :message")
            connection.execute(gone, {"message": message})
            continue
        digest = hashlib.sha256(png).hexdigest()
        if digest not in known:
            known.add(digest)
            total_bytes += len(png)
            put = sa.text(
                "INSERT INTO room_drawings (digest, size, change, content) VALUES (:digest, :size, :at, :png)"
            )
            connection.execute(put, {"digest": digest, "size": len(png), "at": change, "png": png})
        shown = sa.text("INSERT INTO room_pictures (message, digest) VALUES (:message, :digest)")
        connection.execute(shown, {"message": message, "digest": digest})
