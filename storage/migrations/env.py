"""Alembic's environment: run the migrations on the connection of `storage.migrate`, in its transaction."""

from typing import Any, Literal

from alembic import context

from storage.columns import Count, Figure, PlainText, Utc
from storage.schema import metadata


def _render(kind: str, item: object, _: Any) -> str | Literal[False]:
    """Render our column types as plain database types: a migration must not change when the program does."""
    plain = {Utc: "sa.DateTime(timezone=True)", PlainText: "sa.Text()", Count: "sa.Integer()", Figure: "sa.Float()"}
    return plain.get(type(item), False) if kind == "type" else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite cannot make most changes to a table: it is copied instead.
    render_as_batch=True,
    transactional_ddl=True,
    render_item=_render,
)
with context.begin_transaction():
    context.run_migrations()
