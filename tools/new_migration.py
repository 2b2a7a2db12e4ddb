"""Write a migration: what storage/schema.py has and the migrations have not built yet.

Usage: python tools/new_migration.py "what it does"
"""

import sys

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from storage.migrate import alembic_config


def main() -> None:
    """Compare the tables with those of an empty database brought to the newest step, and write the next step."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    config = alembic_config()
    with create_engine("sqlite://").connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        newest = ScriptDirectory.from_config(config).get_current_head()
        command.revision(config, sys.argv[1], autogenerate=True, rev_id=f"{int(newest or 0) + 1:04}")


if __name__ == "__main__":
    main()
