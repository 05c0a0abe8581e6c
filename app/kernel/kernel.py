"""One in-memory DuckDB database per running query: SQL in, Arrow in and out.

It blocks and is used by one thread at a time (a query's worker thread). It cannot reach files or the network. What
DuckDB raises becomes a `RowError` with Spark's error class where the fault lies in a value.
"""

from __future__ import annotations

import re
import warnings
from decimal import Decimal
from types import TracebackType

import duckdb
import pyarrow as pa

from app.errors import EngineError, RowError
from app.kernel.arrow import Registered
from app.kernel.macros import MACROS
from app.kernel.overflows import fitting
from app.kernel.values import carried
from app.plan.carriers import kernel_arrow

STATE_FORMAT = f"arrow-3/duckdb-{duckdb.__version__}"
"""Names the engine that wrote a stored state: exported aggregate states are only read back by the same one."""

warnings.filterwarnings("ignore", "Arrow output on a DB-API result makes an extra copy", UserWarning)

_CLASS = re.compile(r"\[([A-Z_][A-Z0-9_.]+)\] (.*)", re.DOTALL)
_NO_DECIMAL = re.compile(r'Could not convert string "\s*([-+.0-9eE]+)\s*" to DECIMAL')
_BAD_PATTERN = re.compile(
    r"Invalid Input Error: (?:invalid (?:character class|escape sequence|repetition size|named capture|perl operator)"
    r"|missing [])]|no argument for repetition|bad repetition operator|trailing \\|unexpected \))"
)
_MOST_DIGITS = 38
_MACRO = re.compile(r"\bwt_\w+(?=\()")
_OURS = re.compile(r"\bw[ta]_\w+(?=\()")
_MACROS = {name: macro for macro in MACROS for name in _MACRO.findall(macro)[:1]}


def _readers(found: frozenset[str]) -> frozenset[str]:
    """The macros in `found` and all that call one of them."""
    more = found | {name for name, macro in _MACROS.items() if not found.isdisjoint(_MACRO.findall(macro))}
    return found if more == found else _readers(more)


_OF_THE_EPOCH = _readers(frozenset(name for name, macro in _MACROS.items() if "getvariable(" in macro))
"""The macros that look at its clock reading."""


def _looks_at_the_clock(sql: str) -> bool:
    return "getvariable(" in sql or not _OF_THE_EPOCH.isdisjoint(_OURS.findall(sql))


class Kernel:
    """A private DuckDB database. Close it, or use it as a context manager."""

    def __init__(self, memory_bytes: int, threads: int) -> None:
        self._db = duckdb.connect(
            ":memory:",
            config={
                "threads": threads,
                "memory_limit": f"{memory_bytes >> 20}MB",
                "enable_external_access": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        self._threads = threads
        self._root = self._db
        self._arrow = Registered()
        self._open()

    def beside(self) -> Kernel:
        """A second way into the same database, for another thread; tables put there are seen only there. It is made
        in a fraction of a millisecond, a database of its own in some tens."""
        other = object.__new__(Kernel)
        other._db = self._db.cursor()
        other._threads = self._threads
        # Functions belong to the connection that made them: to the one that lives as long as the database.
        other._root = self._root
        other._arrow = self._arrow
        other._open()
        return other

    def _open(self) -> None:
        self._db.execute("SET TimeZone = 'UTC'")
        self._epoch_us: int | None = None
        self._made: frozenset[str] = frozenset()

    def _prepare(self, sql: str) -> None:
        """Makes what `sql` needs, where it needs it: macros, and the time of the epoch."""
        self._make_macros(sql)
        if self._epoch_us is not None and _looks_at_the_clock(sql):
            self._db.execute(f"SET VARIABLE epoch_us = {self._epoch_us}::BIGINT")
            self._epoch_us = None

    def _make_macros(self, sql: str) -> None:
        """Creates the macros and vectorised functions that `sql` calls and those that they call, the first time; all
        hundred would cost more than most queries."""
        for name in _OURS.findall(sql):
            if name.startswith("wa_"):
                self._arrow.add(self._root, name)
            elif name not in self._made and name in _MACROS:
                self._made |= {name}
                self._make_macros(_MACROS[name])
                self._db.execute(_MACROS[name].replace("CREATE MACRO", "CREATE TEMP MACRO", 1))

    def execute(self, sql: str) -> None:
        """Runs one statement for its effect. Raises: RowError."""
        try:
            self._prepare(sql)
            self._db.execute(sql)
        except duckdb.Error as error:
            raise row_error(error) from error

    def arrow(self, sql: str) -> pa.Table:
        """The rows of one statement (a query, or DML with RETURNING). Raises: RowError."""
        try:
            self._prepare(sql)
            return self._db.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise row_error(error) from error

    def quick(self, sql: str) -> pa.Table:
        """The same for what is asked in every epoch: planned once, where `arrow` plans twice and copies each row once
        less. Raises: RowError."""
        try:
            self._prepare(sql)
            return self._db.execute(sql).to_arrow_table()
        except duckdb.Error as error:
            raise row_error(error) from error

    def put(self, name: str, table: pa.Table) -> None:
        """Makes `table` readable as `name`, its columns called c0, c1, …; no rows are copied. DuckDB wants a column
        where there is none."""
        if not table.num_columns:
            table = pa.table([pa.nulls(table.num_rows, pa.bool_())], names=["none"])
        columns = [carried(column, kernel_arrow(column.type)) for column in table.columns]
        self.put_named(name, pa.table(columns, names=[f"c{i}" for i in range(table.num_columns)]))

    def put_named(self, name: str, table: pa.Table) -> None:
        """Makes `table` readable as `name` under its own column names."""
        self._db.register(name, table)

    def drop(self, name: str) -> None:
        """Takes back what `put` made readable."""
        self._db.unregister(name)

    def set_epoch(self, clock_us: int) -> None:
        """What `current_timestamp()` gives from now on: the clock reading of the epoch."""
        self._epoch_us = clock_us

    def use_threads(self, threads: int) -> None:
        """How many threads statements may use from now on. For a few rows one is quicker: nobody has to be woken."""
        if threads != self._threads:
            self._db.execute(f"SET threads = {threads}")
            self._threads = threads

    def interrupt(self) -> None:
        """Ends the statement another thread is running here; it raises there."""
        self._db.interrupt()

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Kernel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _by_zero(text: str) -> RowError:
    """The error for a division by zero, of which DuckDB shows the expression: `(a // b)`, deep and with texts in it."""
    depth = 0
    for part in re.findall(r"'(?:[^']|'')*'|[()]| % | // ", text.partition("in expression ")[2]):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth == 1 and part == " % ":
            return RowError(
                "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead.",
                code="REMAINDER_BY_ZERO",
            )
    return RowError(
        "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.", code="DIVIDE_BY_ZERO"
    )


def row_error(error: duckdb.Error) -> EngineError:
    """The error to raise for what DuckDB said, with Spark's error class."""
    text = str(error)
    first = text.split("\n", 1)[0]
    if "Division by zero in expression" in first:
        return _by_zero(first)
    if known := _CLASS.search(text):
        return RowError(known[2].strip(), code=known[1])
    # DuckDB writes 1e+300 for a double, which Spark has another class for.
    number = _NO_DECIMAL.search(first)
    if number and "e+" not in number[1] and Decimal(number[1].strip()).adjusted() >= _MOST_DIGITS:
        return RowError(
            f"The value {number[1]} cannot be interpreted as a numeric since it has more than {_MOST_DIGITS} digits.",
            code="NUMERIC_OUT_OF_SUPPORTED_RANGE",
        )
    if (known_overflow := fitting(first)) is not None:
        return known_overflow
    if "DECIMAL" in first and ("Overflow in " in first or "out of range" in first or "Could not " in first):
        return RowError(first, code="NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION")
    if "More than one row returned by a subquery" in first:
        return RowError(
            "More than one row returned by a subquery used as an expression. Aggregate its rows, or use LIMIT 1.",
            code="SCALAR_SUBQUERY_TOO_MANY_ROWS",
        )
    if "Failure in decode" in first:
        return RowError(
            "Bytes that are no UTF-8 cannot become a text. Keep them binary, or use decode() or make_valid_utf8().",
            code="UNSUPPORTED_FEATURE",
        )
    if _BAD_PATTERN.search(first):
        return RowError(f"A pattern is no regular expression: {first}.", code="INVALID_PARAMETER_VALUE.PATTERN")
    if isinstance(error, duckdb.ConversionException):
        overflow = "out of range" in text.lower() or "Failed to cast decimal value" in text
        return RowError(first, code="CAST_OVERFLOW" if overflow else "CAST_INVALID_INPUT")
    if isinstance(error, duckdb.OutOfRangeException):
        small = "of INT8 " in first or "of INT16 " in first
        return RowError(first, code="BINARY_ARITHMETIC_OVERFLOW" if small else "ARITHMETIC_OVERFLOW")
    if isinstance(error, duckdb.OutOfMemoryException):
        return EngineError(
            f"The query needs more memory than the kernel may use: {first} Raise WATERTABLE_KERNEL_MEMORY_MB.",
            code="KERNEL_OUT_OF_MEMORY",
        )
    return EngineError(f"The kernel refused a statement: {text}", code="KERNEL_ERROR")
