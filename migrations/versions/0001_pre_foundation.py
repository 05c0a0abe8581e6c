"""The first tables: queries, epochs, ingest log, state, dead letters, late rows.

Migrations are named by when they may run: `pre` before the new program starts (the old one still works with the
result), `post` when no old program runs any more.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP, UUID

revision = "0001"
down_revision = None

SCHEMA = "watertable"


def upgrade() -> None:
    op.create_table(
        "query",
        sa.Column("id", UUID(), primary_key=True),
        sa.Column("key", sa.Text(), comment="null: a temporary query"),
        sa.Column("name", sa.Text()),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), comment="the last committed one"),
        sa.Column("input_rows", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("fingerprint", JSONB(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        _now("created"),
        _now("updated"),
        sa.UniqueConstraint("key", name="query_key"),
        schema=SCHEMA,
        postgresql_with={"fillfactor": "50"},
    )
    op.create_table(
        "epoch",
        _query_id(primary_key=True),
        sa.Column("number", sa.BigInteger(), primary_key=True),
        sa.Column("starts", JSONB(), nullable=False),
        sa.Column("ends", JSONB(), nullable=False),
        sa.Column("watermark_us", sa.BigInteger(), nullable=False),
        sa.Column("clock_us", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False, server_default="0")
            for name in ("input_rows", "output_rows", "dead_rows", "late_rows")
        ),
        sa.Column("committed", TIMESTAMP(timezone=True)),
        schema=SCHEMA,
    )
    op.create_table(
        "ingest",
        _query_id(primary_key=True),
        sa.Column("source", sa.Integer(), primary_key=True),
        sa.Column("first", sa.BigInteger(), primary_key=True),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        schema=SCHEMA,
    )
    op.create_table(
        "state_change",
        _query_id(primary_key=True),
        sa.Column("operator", sa.Integer(), primary_key=True),
        sa.Column("epoch", sa.BigInteger(), primary_key=True),
        sa.Column("kind", sa.Text(collation="C"), primary_key=True, comment="base or change"),
        sa.Column("chunk", sa.Integer(), primary_key=True),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("checksum", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        schema=SCHEMA,
    )
    op.create_table(
        "dead_letter",
        sa.Column("id", UUID(), primary_key=True),
        _query_id(),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), comment="null: refused before it reached the ingest log"),
        sa.Column("position", JSONB(), comment="its place in the source, where it has one"),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        _now("created"),
        schema=SCHEMA,
    )
    op.create_table(
        "late_row",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _query_id(),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("operator", sa.Integer(), nullable=False),
        sa.Column("row", sa.Text(), nullable=False, comment="JSON"),
        _now("created"),
        schema=SCHEMA,
    )
    op.create_index("dead_letter_query", "dead_letter", ["query_id"], schema=SCHEMA)
    op.create_index("late_row_query", "late_row", ["query_id"], schema=SCHEMA)
    for table in ("ingest", "state_change"):
        # The payloads are compressed already.
        op.execute(f"ALTER TABLE {SCHEMA}.{table} ALTER COLUMN payload SET STORAGE EXTERNAL")


def _query_id(*, primary_key: bool = False) -> sa.Column:
    owner = sa.ForeignKey(f"{SCHEMA}.query.id", ondelete="CASCADE")
    return sa.Column("query_id", UUID(), owner, primary_key=primary_key, nullable=False)


def _now(name: str) -> sa.Column:
    return sa.Column(name, TIMESTAMP(timezone=True), nullable=False, server_default=sa.func.now())
