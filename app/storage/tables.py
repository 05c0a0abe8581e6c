"""The tables of the schema `watertable`, as SQLAlchemy Core sees them; `migrations/` makes them.

    query          one row a query: its identity, who may write (fence), its last committed epoch
    epoch          what epoch n reads, its watermark and clock; `committed` null: planned only
    ingest         what arrived from sources that cannot replay
    state_change   the operators' state tables, as changes since the last base
    dead_letter    input that could not become a row
    late_row       rows behind the watermark

All but `query` go with their query.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP, UUID

SCHEMA = "watertable"
REVISION = "0001"
"""The newest migration: what a database must be at for this program."""

metadata = MetaData(schema=SCHEMA)


def _query_id(*, primary_key: bool = False) -> Column[str]:
    owner = ForeignKey(f"{SCHEMA}.query.id", ondelete="CASCADE")
    return Column("query_id", UUID(as_uuid=False), owner, primary_key=primary_key, nullable=False)


query = Table(
    "query",
    metadata,
    Column("id", UUID(as_uuid=False), primary_key=True),
    Column("key", Text, comment="null: a temporary query"),
    Column("name", Text),
    Column("fence", BigInteger, nullable=False),
    Column("epoch", BigInteger, comment="the last committed one"),
    Column("input_rows", BigInteger, nullable=False, server_default="0"),
    Column("fingerprint", JSONB, nullable=False),
    Column("plan", Text, nullable=False),
    Column("created", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    Column("updated", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    UniqueConstraint("key", name="query_key"),
    # Every commit updates its row in place: room for the new version on the same page.
    postgresql_with={"fillfactor": "50"},
)

epoch = Table(
    "epoch",
    metadata,
    _query_id(primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("starts", JSONB, nullable=False),
    Column("ends", JSONB, nullable=False),
    Column("watermark_us", BigInteger, nullable=False),
    Column("clock_us", BigInteger, nullable=False),
    Column("input_rows", BigInteger, nullable=False, server_default="0"),
    Column("output_rows", BigInteger, nullable=False, server_default="0"),
    Column("dead_rows", BigInteger, nullable=False, server_default="0"),
    Column("late_rows", BigInteger, nullable=False, server_default="0"),
    Column("committed", TIMESTAMP(timezone=True)),
)

ingest = Table(
    "ingest",
    metadata,
    _query_id(primary_key=True),
    Column("source", Integer, primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("rows", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)

state_change = Table(
    "state_change",
    metadata,
    _query_id(primary_key=True),
    Column("operator", Integer, primary_key=True),
    Column("epoch", BigInteger, primary_key=True),
    Column("kind", Text(collation="C"), primary_key=True, comment="base or change"),
    Column("chunk", Integer, primary_key=True),
    Column("format", Text, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)

dead_letter = Table(
    "dead_letter",
    metadata,
    Column("id", UUID(as_uuid=False), primary_key=True),
    _query_id(),
    Column("source", Integer, nullable=False),
    Column("epoch", BigInteger, comment="null: refused before it reached the ingest log"),
    Column("position", JSONB, comment="its place in the source, where it has one"),
    Column("reason", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("created", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    Index("dead_letter_query", "query_id"),
)

late_row = Table(
    "late_row",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    _query_id(),
    Column("epoch", BigInteger, nullable=False),
    Column("operator", Integer, nullable=False),
    Column("row", Text, nullable=False, comment="JSON"),
    Column("created", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    Index("late_row_query", "query_id"),
)
