"""Tables and columns named as in the code"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

TABLES = {
    "notes": "key_values",
    "handled_events": "processed_events",
    "bars": "bans",
    "tries": "analysis_boards",
    "passes": "interaction_tokens",
}
COLUMNS = (
    ("people", "same_as", "merged_into"),
    ("identities", "was", "previous_person"),
    ("identities", "writable", "can_dm"),
    ("notices", "way", "route"),
    ("notices", "told_at", "delivered_at"),
    ("notice_choices", "way", "route"),
    ("surfaces", "beside", "extra_messages"),
    ("surfaces", "retiring", "stale_messages"),
    ("competition_places", "told", "announced_rounds"),
)
# Neither kind of database renames an index with the table or the column that it is named after.
INDEXES = (
    ("people", "people", ("same_as",), ("merged_into",), None),
    ("handled_events", "processed_events", ("at",), ("at",), None),
    ("bars", "bans", ("place",), ("place",), None),
    ("bars", "bans", ("person",), ("person",), None),
    ("bars", "bans", ("until",), ("until",), "until IS NOT NULL"),
    ("passes", "interaction_tokens", ("until",), ("until",), "until IS NOT NULL"),
    ("tries", "analysis_boards", ("touched_at",), ("touched_at",), None),
)


def upgrade() -> None:
    for old, _, columns, _, _ in INDEXES:
        op.drop_index(f"ix_{old}_{'_'.join(columns)}", table_name=old)
    op.drop_index("ix_tries_planned", table_name="tries")
    for old, new in TABLES.items():
        op.rename_table(old, new)
    for table, before, after in COLUMNS:
        op.execute(sa.text(f"ALTER TABLE {table} RENAME COLUMN {before} TO {after}"))
    for table, old, unique in (
        ("analysis_boards", "tries", ["person", "game"]),
        ("interaction_tokens", "passes", ["place", "secret"]),
    ):
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(f"uq_{old}_{'_'.join(unique)}", type_="unique")
            batch.create_unique_constraint(f"uq_{table}_{'_'.join(unique)}", unique)
    for _, new, _, columns, where in INDEXES:
        condition = None if where is None else sa.text(where)
        name = f"ix_{new}_{'_'.join(columns)}"
        op.create_index(name, new, list(columns), postgresql_where=condition, sqlite_where=condition)
    op.create_index(
        "ix_analysis_boards_planned",
        "analysis_boards",
        ["game"],
        postgresql_where=sa.text("planned"),
        sqlite_where=sa.text("planned = 1"),
    )
