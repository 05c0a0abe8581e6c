"""The names `pyspark.errors` has for what goes wrong, on the engine's own errors.

Code that catches Spark's exceptions by these names catches ours. Every error has `getCondition()` with Spark's
error class; `str(error)` begins with it.
"""

from __future__ import annotations

from enum import Enum

from app.errors import (
    ArgumentError,
    ArgumentTypeError,
    EngineError,
    IndexNotThere,
    KeyNotThere,
    ParseError,
    PlanError,
    QueryFailed,
    RowError,
)


class AttributeMissing(PlanError, AttributeError):
    """An attribute a DataFrame or an object given to `foreach` does not have (Spark: PySparkAttributeError)."""

    code = "ATTRIBUTE_NOT_SUPPORTED"


class ImportMissing(PlanError, ImportError):
    """A name of PySpark that a program imports and that is not here."""

    code = "NOT_IMPLEMENTED"


class NotSupported(PlanError, NotImplementedError):
    """Something Spark has and this program does not (Spark: PySparkNotImplementedError)."""

    code = "NOT_IMPLEMENTED"


class QueryContextType(Enum):
    """What a query context is of."""

    SQL = 0
    DataFrame = 1


class QueryContext:
    """Where in a query an error lies, in Spark's words. No error has one here: its sentence shows the place."""


PySparkException = EngineError
PySparkImportError = ImportMissing
PySparkPicklingError = EngineError
PythonException = EngineError
SparkUpgradeException = RowError
UnknownException = EngineError
SessionNotSameException = PlanError
PickleException = EngineError
StreamingPythonRunnerInitializationException = EngineError
AnalysisException = PlanError
ParseException = ParseError
IllegalArgumentException = ArgumentError
PySparkValueError = ArgumentError
PySparkTypeError = ArgumentTypeError
PySparkKeyError = KeyNotThere
PySparkIndexError = IndexNotThere
PySparkAttributeError = AttributeMissing
PySparkNotImplementedError = NotSupported
PySparkRuntimeError = EngineError
PySparkAssertionError = EngineError
SparkRuntimeException = RowError
ArithmeticException = RowError
DateTimeException = RowError
NumberFormatException = RowError
ArrayIndexOutOfBoundsException = RowError
SparkNoSuchElementException = PlanError
TempTableAlreadyExistsException = PlanError
UnsupportedOperationException = PlanError
QueryExecutionException = EngineError
StreamingQueryException = QueryFailed
