"""What a query may ask of where it runs."""

from __future__ import annotations

import getpass

from app.plan import types as t
from app.plan.functions.entry import Function
from app.plan.functions.signature import scalar

_TEXT = t.StringType()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "nobody"


def _constant(name: str, value: str, *aliases: str) -> Function:
    quoted = "'" + value.replace("'", "''").replace("{", "{{").replace("}", "}}") + "'"
    # DuckDB sorts by no literal.
    return scalar(name, (), _TEXT, f"CAST({quoted} AS VARCHAR)", nullable=False, aliases=aliases)


FUNCTIONS: tuple[Function, ...] = (
    _constant("current_catalog", "spark_catalog"),
    _constant("current_database", "default", "current_schema"),
    _constant("current_path", "system.builtin,system.session,spark_catalog.default"),
    _constant("current_user", _user(), "user", "session_user"),
    _constant("version", "4.2.0 watertable"),
    # What Spark gives where no file is read; where one is, check_chance refuses them.
    scalar("input_file_name", (), _TEXT, "CAST('' AS VARCHAR)", nullable=False, deterministic=False),
    scalar("input_file_block_start", (), t.LongType(), "CAST(-1 AS BIGINT)", nullable=False, deterministic=False),
    scalar("input_file_block_length", (), t.LongType(), "CAST(-1 AS BIGINT)", nullable=False, deterministic=False),
    scalar("spark_partition_id", (), t.IntegerType(), "0", nullable=False),
)
