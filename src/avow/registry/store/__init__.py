"""Where a registry keeps its facts: one interface, and an implementation for SQLite and for PostgreSQL."""
