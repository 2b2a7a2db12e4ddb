"""The steps by which a database becomes what the program expects (Alembic)."""
