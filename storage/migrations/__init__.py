"""The Alembic migrations of the program's schema."""
