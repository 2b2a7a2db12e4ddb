"""Names are found by their plain form: the keys of names with typographic signs, or quotes, are made anew"""

from typing import Final

import sqlalchemy as sa
from alembic import op

from storage.people import name_key

revision = "0028"
down_revision = "0027"

BATCH_SIZE: Final = 1000


def upgrade() -> None:
    connection, identities = (
        op.get_bind(),
        sa.table("identities", *(sa.column(name, sa.Text()) for name in ("platform", "user_id", "name", "name_key"))),
    )
    last: tuple[str, str] = ("", "")
    columns = (identities.c.platform, identities.c.user_id)
    while True:
        query = sa.select(identities).where(sa.tuple_(*columns) > sa.tuple_(*map(sa.literal, last)))
        found = connection.execute(query.order_by(*columns).limit(BATCH_SIZE)).all()
        changed = [
            {"of": row.platform, "known": row.user_id, "key": name_key(row.name)}
            for row in found
            if name_key(row.name) != row.name_key
        ]
        if changed:
            where = (columns[0] == sa.bindparam("of"), columns[1] == sa.bindparam("known"))
            connection.execute(sa.update(identities).where(*where).values(name_key=sa.bindparam("key")), changed)
        if len(found) < BATCH_SIZE:
            return
        last = (found[-1].platform, found[-1].user_id)
