"""Tells Alembic how to write migrations down; the stores run what it writes with their own connections."""

from alembic import context

context.configure(
    dialect_name=context.config.get_main_option("dialect"), literal_binds=True, transactional_ddl=False
)
context.run_migrations()
