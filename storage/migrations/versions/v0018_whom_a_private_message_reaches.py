"""Whom a private message reaches"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

# Those who were met where the bot is a member, or wrote to it in private. What a person does by themselves where it is
# no member stands in a place called after them, in which nothing is said of that.
MET = """
    UPDATE identities SET writable = true WHERE EXISTS (
        SELECT 1 FROM members JOIN places ON places.id = members.place
        WHERE members.person = identities.person AND places.platform = identities.platform AND NOT places.guest AND (
            (places.platform = 'discord' AND substr(places.channel, 1, 6) <> 'alone-')
            OR (places.platform = 'telegram' AND places.kind = 'private' AND places.channel = identities.user_id)
        )
    )
"""


def upgrade() -> None:
    op.add_column("identities", sa.Column("writable", sa.Boolean(), nullable=True))
    op.execute(sa.text(MET))
