"""The first tables: the log, namespaces, servers, versions, capabilities, and what people decided."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create everything."""
    _log()
    _namespaces()
    _servers()
    _capabilities()
    _people()
    if op.get_context().dialect.name == "sqlite":
        _words_in_sqlite()
    else:
        _words_in_postgresql()


def _log() -> None:
    # One row, which whoever writes holds: sizes and the last numbers given out.
    op.create_table(
        "registry_log",
        sa.Column("one", sa.SmallInteger, primary_key=True),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("verifier", sa.Text, nullable=False),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("size", "last_ms", "versions", "servers", "capabilities", "namespaces")
        ),
        sa.CheckConstraint("one = 1", name="one_row"),
    )
    op.create_table(
        "log_entries",
        sa.Column("number", _Id, primary_key=True, autoincrement=False),
        sa.Column("entry", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "log_nodes",
        sa.Column("place", _Id, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "log_checkpoints",
        sa.Column("size", _Id, primary_key=True, autoincrement=False),
        sa.Column("root", sa.LargeBinary, nullable=False),
        sa.Column("note", sa.LargeBinary, nullable=False),
    )
    # The newest size that each witness has signed; the signatures themselves are in the notes.
    op.create_table(
        "witnesses",
        sa.Column("witness", sa.Text, primary_key=True),
        sa.Column("size", sa.BigInteger, nullable=False),
    )


def _namespaces() -> None:
    op.create_table(
        "namespaces",
        sa.Column("id", _Id, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("claimed_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "namespace_keys",
        sa.Column("namespace_id", sa.BigInteger, primary_key=True),
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("raw", sa.LargeBinary, nullable=False),
        sa.Column("added_ms", sa.BigInteger, nullable=False),
        sa.Column("revoked_ms", sa.BigInteger),
        sqlite_with_rowid=False,
    )


def _servers() -> None:
    op.create_table(
        "servers",
        sa.Column("id", _Id, primary_key=True, autoincrement=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        # Not unique: PostgreSQL checks row by row, and two rows of one statement never meet anyway.
        sa.Column("latest_id", sa.BigInteger, nullable=False),
        sa.Column("versions", sa.BigInteger, nullable=False),
        sa.Column("first_ms", sa.BigInteger, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("needs_secret", sa.SmallInteger, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
    )
    op.create_index("servers_by_change", "servers", ["latest_id"])
    op.create_index("servers_by_namespace", "servers", ["namespace_id", "latest_id"])
    numbers = (
        "tools",
        "prompts",
        "resources",
        "templates",
        "low",
        "medium",
        "high",
        "declared",
        "parameters",
    )
    needs = ("required", "secrets", "required_secrets")
    drift = ("highest", "info", "safe", "moderate", "critical")
    op.create_table(
        "versions",
        sa.Column("id", _Id, primary_key=True, autoincrement=False),
        sa.Column("server_id", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("published_ms", sa.BigInteger, nullable=False),
        sa.Column("log_index", sa.BigInteger, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("predecessor", sa.Text),
        *(sa.Column(name, sa.Integer, nullable=False) for name in (*numbers, *needs, *drift)),
        sa.UniqueConstraint("server_id", "version", name="one_of_each_version"),
        sa.UniqueConstraint("server_id", "sequence", name="versions_in_order"),
    )
    op.create_index("versions_by_digest", "versions", ["digest", "server_id", "sequence"])
    op.create_index("versions_by_severity", "versions", ["highest", "id"])
    op.create_table(
        "version_documents",
        sa.Column("version_id", _Id, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("signatures", sa.LargeBinary, nullable=False),
        sa.Column("drift", sa.LargeBinary, nullable=False),
    )


def _capabilities() -> None:
    op.create_table(
        "capabilities",
        sa.Column("id", _Id, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("risk", sa.SmallInteger, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        # How many servers offer it in their newest version; nothing is found by what nobody offers.
        sa.Column("servers", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("digest", "kind", name="one_of_each_capability"),
    )
    op.create_index("capabilities_by_name", "capabilities", ["name", "id"])
    op.create_index("capabilities_by_risk", "capabilities", ["risk", "id"])
    op.create_index("capabilities_by_kind", "capabilities", ["kind", "id"])
    op.create_table(
        "definitions",
        sa.Column("capability_id", _Id, primary_key=True, autoincrement=False),
        sa.Column("definition", sa.LargeBinary, nullable=False),
    )
    for table, value in (("arguments", "type"), ("annotations", "value")):
        op.create_table(
            table,
            sa.Column("name", sa.Text, primary_key=True),
            sa.Column(value, sa.Text, primary_key=True),
            sa.Column("capability_id", sa.BigInteger, primary_key=True),
            sqlite_with_rowid=False,
        )
    op.create_table(
        "offers",
        sa.Column("capability_id", sa.BigInteger, primary_key=True),
        sa.Column("server_id", sa.BigInteger, primary_key=True),
        sa.Column("since", sa.BigInteger, primary_key=True),
        # The last version that has it; 0 when that is the newest.
        sa.Column("until", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("offers_by_server", "offers", ["server_id", "until", "capability_id"])


def _people() -> None:
    op.create_table(
        "approvals",
        sa.Column("log_index", _Id, primary_key=True, autoincrement=False),
        sa.Column("server_id", sa.BigInteger, nullable=False),
        sa.Column("version_id", sa.BigInteger, nullable=False),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("needed", sa.SmallInteger, nullable=False),
    )
    op.create_index("approvals_by_version", "approvals", ["version_id", "environment"])
    op.create_index("approvals_by_server", "approvals", ["server_id", "log_index"])
    op.create_index("approvals_by_environment", "approvals", ["environment", "state", "log_index"])
    # What the decisions about a version come to; a version that nobody has decided about has no row.
    op.create_table(
        "standings",
        sa.Column("version_id", sa.BigInteger, primary_key=True),
        sa.Column("environment", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("standings_by_state", "standings", ["environment", "state", "version_id"])
    op.create_table(
        "environments",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("needed", sa.SmallInteger, nullable=False),
        _seal(),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("hashed", sa.LargeBinary, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("revoked_ms", sa.BigInteger),
        _seal(),
    )
    op.create_table(
        "watches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        _seal(),
    )
    op.create_index("watches_by_person", "watches", ["person", "created_ms"])
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("targets", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_ms", sa.BigInteger, nullable=False),
        sa.Column("leased_ms", sa.BigInteger, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
        _seal(),
    )
    op.create_table(
        "table_seals",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("seal", sa.LargeBinary, nullable=False),
    )


def _seal() -> sa.Column[bytes]:
    """Over the other columns, by the key of the log; a row gets it right after it was written."""
    return sa.Column("seal", sa.LargeBinary, nullable=False, server_default="")


def _words_in_sqlite() -> None:
    # The texts are cut into words before they come here: nothing is left to do but to look them up.
    for table in ("capability_words", "server_words"):
        op.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5(words, content='', detail='none', columnsize=0, "
            "tokenize='ascii')"
        )


def _words_in_postgresql() -> None:
    for table in ("capability_words", "server_words"):
        op.create_table(
            table,
            sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
            sa.Column("words", sa.dialects.postgresql.TSVECTOR, nullable=False),
        )
        # A short list of what is still to be sorted in: every search has to read it.
        op.execute(
            f"CREATE INDEX {table}_by_word ON {table} USING gin (words) WITH (gin_pending_list_limit = 256)"
        )
