"""The tables of a registry and every step by which they came about, as Alembic knows them."""
