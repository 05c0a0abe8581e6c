"""What a DataFrame tells of its columns: `describe`, `summary`, and `df.stat`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError, ArgumentTypeError, PlanError
from app.plan import types as t
from app.sql import functions as F
from app.sql.arguments import flattened, wrong_type
from app.sql.column import Column

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame

_DESCRIBED = ("count", "mean", "stddev", "min", "max")
_SUMMARISED = ("count", "mean", "stddev", "min", "25%", "50%", "75%", "max")
_PERCENT = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?%")


class Statistics:
    """The part of a DataFrame that sums columns up. Numeric and string columns count; strings as numbers where they
    are numbers."""

    @property
    def stat(self: Any) -> DataFrameStatFunctions:
        return DataFrameStatFunctions(self)

    def describe(self: Any, *cols: Any) -> DataFrame:
        """Count, mean, stddev, min and max of columns, as text, a row each."""
        names = flattened(cols)
        found: DataFrame = (self.select(*names) if names else self).summary(*_DESCRIBED)
        return found

    def summary(self: Any, *statistics: Any) -> DataFrame:
        """`statistics` of all columns, as text, a row each: count, count_distinct, approx_count_distinct, mean, stddev,
        min, max, and percentiles ("25%"). Without any: count, mean, stddev, min, the quartiles, max.

        Raises: ArgumentError."""
        wanted = [str(name) for name in flattened(statistics)] or list(_SUMMARISED)
        fields = [f for f in self.schema if isinstance(f.dataType, (t.NumericType, t.StringType))]
        computed = [
            _statistic(name, self[_quoted(f.name)], f.dataType).cast("string").alias(f"{i}_{at}")
            for i, name in enumerate(wanted)
            for at, f in enumerate(fields)
        ]
        one = self.agg(*(computed or [F.count("*").alias("rows")]))
        rows = [
            F.struct(F.lit(name).alias("summary"), *(F.col(f"{i}_{at}").alias(f.name) for at, f in enumerate(fields)))
            for i, name in enumerate(wanted)
        ]
        found: DataFrame = one.select(F.inline_outer(F.array(*rows)))
        return found

    def corr(self: Any, col1: str, col2: str, method: str | None = None) -> float:
        """Pearson's correlation of two numeric columns; nulls count as 0. Raises: ArgumentError, PlanError."""
        if method not in (None, "pearson"):
            raise ArgumentError(f"Value for `method` must be 'pearson', got {method!r}.", code="VALUE_NOT_PEARSON")
        return _of_pairs(self, F.corr, col1, col2, float("nan"))

    def cov(self: Any, col1: str, col2: str) -> float:
        """The sample covariance of two numeric columns; nulls count as 0. Raises: ArgumentError, PlanError."""
        return _of_pairs(self, F.covar_samp, col1, col2, 0.0)

    def approxQuantile(self: Any, col: Any, probabilities: Any, relativeError: Any) -> Any:
        """The values below which parts of a numeric column lie, exact whatever `relativeError`; nulls and NaN do not
        count. A list of lists for a list of columns. Raises: ArgumentTypeError, ArgumentError, PlanError."""
        names = list(col) if isinstance(col, (list, tuple)) else [col]
        for name in names:
            if not isinstance(name, str):
                raise wrong_type("col", "str or list[str]", name)
        _check_probabilities(probabilities)
        if not isinstance(relativeError, (float, int)) or isinstance(relativeError, bool):
            raise wrong_type("relativeError", "float or int", relativeError)
        if relativeError < 0:
            raise ArgumentError(
                f"Value for `relativeError` must be greater than or equal to 0, got {relativeError}.",
                code="NEGATIVE_VALUE",
            )
        parts = [float(part) for part in probabilities]
        columns = [F.nanvl(_number(self, name), F.lit(None)) for name in names]
        row = self.agg(*(F.percentile_approx(column, parts) for column in columns)).first() if parts else None
        found = [list(values or ()) for values in row] if row is not None else [[] for _ in names]
        return found if isinstance(col, (list, tuple)) else found[0]

    def crosstab(self: Any, col1: str, col2: str) -> DataFrame:
        """How often each value of one column comes with each of the other: a row for each value of `col1`, a column for
        each of `col2`, looked up now. Raises: ArgumentTypeError, PlanError."""
        for name, value in (("col1", col1), ("col2", col2)):
            if not isinstance(value, str):
                raise wrong_type(name, "str", value)
        first, second = _named_null(self[col1]), _named_null(self[col2])
        values = [row[0] for row in self.select(second.alias("value")).distinct().orderBy("value").collect()]
        counts = [F.count_if(F.col("second") == value).alias(value) for value in values]
        name = f"{col1}_{col2}"
        found: DataFrame = self.select(first.alias(name), second.alias("second")).groupBy(_quoted(name)).agg(*counts)
        return found


class DataFrameStatFunctions:
    """What `df.stat` offers: the same as the methods of the DataFrame."""

    def __init__(self, df: DataFrame) -> None:
        self._df = df

    def corr(self, col1: str, col2: str, method: str | None = None) -> float:
        return self._df.corr(col1, col2, method)

    def cov(self, col1: str, col2: str) -> float:
        return self._df.cov(col1, col2)

    def approxQuantile(self, col: Any, probabilities: Any, relativeError: Any) -> Any:
        return self._df.approxQuantile(col, probabilities, relativeError)

    def crosstab(self, col1: str, col2: str) -> DataFrame:
        return self._df.crosstab(col1, col2)

    def sampleBy(self, col: Any, fractions: Any, seed: Any = None) -> DataFrame:
        return self._df.sampleBy(col, fractions, seed)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _statistic(name: str, column: Column, kind: t.DataType) -> Column:
    number = column.try_cast("double") if isinstance(kind, t.StringType) else column
    if name.endswith("%"):
        return F.percentile_approx(
            number.cast("double") if isinstance(kind, t.DecimalType) else number, F.lit(_part(name))
        )
    of_all = {"count": F.count, "count_distinct": F.countDistinct, "approx_count_distinct": F.approx_count_distinct}
    of_values = {"min": F.min, "max": F.max}
    of_numbers = {"mean": F.avg, "stddev": F.stddev}
    if (make := (of_all | of_values).get(name.lower())) is not None:
        return make(column)
    if (make := of_numbers.get(name.lower())) is not None:
        return make(number)
    raise ArgumentError(f"{name} is not a recognised statistic.", code="UNRECOGNIZED_STATISTIC")


def _part(percent: str) -> float:
    part = float(percent[:-1]) / 100 if _PERCENT.fullmatch(percent) else -1.0
    if not 0 <= part <= 1:
        raise ArgumentError(f"Percentiles must be in the range [0, 1]: {percent} is not.", code="INVALID_ARGUMENT")
    return part


def _of_pairs(df: Any, aggregate: Any, col1: Any, col2: Any, none: float) -> float:
    """The aggregate of two columns; `none` where the rows are too few for one."""
    for name, value in (("col1", col1), ("col2", col2)):
        if not isinstance(value, str):
            raise wrong_type(name, "str", value)
    pair = (F.coalesce(_number(df, name).cast("double"), F.lit(0.0)) for name in (col1, col2))
    return float(df.agg(F.coalesce(aggregate(*pair), F.lit(none))).first()[0])


def _number(df: Any, name: str) -> Column:
    column: Column = df[name]
    kind = df.select(column).schema.fields[0].dataType
    if not isinstance(kind, t.NumericType):
        raise PlanError(
            f"`{name}` has the type {kind.simpleString()}, but a numeric column is needed.",
            code="AGGREGATION_FUNCTION_APPLIED_ON_NON_NUMERIC_COLUMN",
        )
    return column.cast("double")


def _check_probabilities(probabilities: Any) -> None:
    if not isinstance(probabilities, (list, tuple)):
        raise wrong_type("probabilities", "list or tuple", probabilities)
    for part in probabilities:
        if not isinstance(part, (float, int)) or not 0 <= part <= 1:
            raise ArgumentTypeError(
                f"Argument `probabilities` should be a list or tuple of numbers from 0 to 1, got {part!r}.",
                code="NOT_EXPECTED_TYPE",
            )


def _named_null(column: Column) -> Column:
    """The values as texts, nulls too."""
    return F.when(column.isNull(), F.lit("null")).otherwise(column.cast("string"))
