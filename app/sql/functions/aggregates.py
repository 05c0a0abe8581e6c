"""Aggregate functions."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, Fractions, call, ignoring, lit, maybe, unless


def max(col: ColumnOrName) -> Column:
    """The largest value."""
    return call("max", col)


def min(col: ColumnOrName) -> Column:
    """The smallest value."""
    return call("min", col)


def max_by(col: ColumnOrName, ord: ColumnOrName, k: int | None = None) -> Column:
    """The value of `col` where `ord` is largest."""
    return call("max_by", col, ord, maybe(k))


def min_by(col: ColumnOrName, ord: ColumnOrName, k: int | None = None) -> Column:
    """The value of `col` where `ord` is smallest."""
    return call("min_by", col, ord, maybe(k))


def sum(col: ColumnOrName) -> Column:
    """The sum; null without values."""
    return call("sum", col)


def try_sum(col: ColumnOrName) -> Column:
    """The sum, null where it overflows."""
    return call("try_sum", col)


def avg(col: ColumnOrName) -> Column:
    """The mean."""
    return call("avg", col)


def try_avg(col: ColumnOrName) -> Column:
    """The mean, null where it overflows."""
    return call("try_avg", col)


def mean(col: ColumnOrName) -> Column:
    """The mean."""
    return call("avg", col)


def median(col: ColumnOrName) -> Column:
    """The median."""
    return call("median", col)


def mode(col: ColumnOrName, deterministic: bool = False) -> Column:
    """The most frequent value."""
    return call("mode", col, unless(False, deterministic))


def product(col: ColumnOrName) -> Column:
    """The product of the values."""
    return call("product", col)


def stddev(col: ColumnOrName) -> Column:
    """The sample standard deviation."""
    return call("stddev", col)


def std(col: ColumnOrName) -> Column:
    """The sample standard deviation."""
    return call("std", col)


def stddev_samp(col: ColumnOrName) -> Column:
    """The sample standard deviation."""
    return call("stddev_samp", col)


def stddev_pop(col: ColumnOrName) -> Column:
    """The population standard deviation."""
    return call("stddev_pop", col)


def variance(col: ColumnOrName) -> Column:
    """The sample variance."""
    return call("variance", col)


def var_samp(col: ColumnOrName) -> Column:
    """The sample variance."""
    return call("var_samp", col)


def var_pop(col: ColumnOrName) -> Column:
    """The population variance."""
    return call("var_pop", col)


def skewness(col: ColumnOrName) -> Column:
    """How far the values lean to one side; null where they are all the same."""
    return call("skewness", col)


def kurtosis(col: ColumnOrName) -> Column:
    """How heavy the tails are, beyond those of a normal distribution; null where the values are all the same."""
    return call("kurtosis", col)


def corr(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The Pearson correlation of two columns."""
    return call("corr", col1, col2)


def covar_pop(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The population covariance of two columns."""
    return call("covar_pop", col1, col2)


def covar_samp(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The sample covariance of two columns."""
    return call("covar_samp", col1, col2)


def regr_intercept(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The intercept of the regression line of `y` on `x`."""
    return call("regr_intercept", y, x)


def regr_slope(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The slope of the regression line of `y` on `x`."""
    return call("regr_slope", y, x)


def regr_avgx(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The mean of `x` over the rows that have both."""
    return call("regr_avgx", y, x)


def regr_avgy(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The mean of `y` over the rows that have both."""
    return call("regr_avgy", y, x)


def regr_count(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The number of rows that have both."""
    return call("regr_count", y, x)


def regr_r2(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The share of the variance of `y` that the regression line explains."""
    return call("regr_r2", y, x)


def regr_sxx(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The sum of the squares of `x` about its mean, over the rows that have both."""
    return call("regr_sxx", y, x)


def regr_sxy(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The sum of the products of `x` and `y` about their means."""
    return call("regr_sxy", y, x)


def regr_syy(y: ColumnOrName, x: ColumnOrName) -> Column:
    """The sum of the squares of `y` about its mean, over the rows that have both."""
    return call("regr_syy", y, x)


def every(col: ColumnOrName) -> Column:
    """True if the value is true in every row."""
    return call("every", col)


def bool_and(col: ColumnOrName) -> Column:
    """True if the value is true in every row."""
    return call("bool_and", col)


def some(col: ColumnOrName) -> Column:
    """True if the value is true in a row."""
    return call("some", col)


def bool_or(col: ColumnOrName) -> Column:
    """True if the value is true in a row."""
    return call("bool_or", col)


def bit_and(col: ColumnOrName) -> Column:
    """The bits set in every value."""
    return call("bit_and", col)


def bit_or(col: ColumnOrName) -> Column:
    """The bits set in a value."""
    return call("bit_or", col)


def bit_xor(col: ColumnOrName) -> Column:
    """The bits set in an odd number of values."""
    return call("bit_xor", col)


def collect_list(col: ColumnOrName) -> Column:
    """The values as an array, nulls left out; the order is that of arrival."""
    return call("collect_list", col)


def array_agg(col: ColumnOrName) -> Column:
    """The values as an array, nulls left out; the order is that of arrival."""
    return call("array_agg", col)


def collect_set(col: ColumnOrName) -> Column:
    """The distinct values as an array, nulls left out."""
    return call("collect_set", col)


def approx_count_distinct(col: ColumnOrName, rsd: float | None = None) -> Column:
    """About how many distinct values there are; `rsd` is the error allowed."""
    return call("approx_count_distinct", col, maybe(rsd))


def any_value(col: ColumnOrName, ignoreNulls: bool | Column | None = None) -> Column:
    """The value of some row."""
    return ignoring("any_value", col, ignoreNulls)


def first_value(col: ColumnOrName, ignoreNulls: bool | Column | None = None) -> Column:
    """The value of the first row."""
    return ignoring("first_value", col, ignoreNulls)


def last_value(col: ColumnOrName, ignoreNulls: bool | Column | None = None) -> Column:
    """The value of the last row."""
    return ignoring("last_value", col, ignoreNulls)


def count_if(col: ColumnOrName) -> Column:
    """In how many rows the condition is true."""
    return call("count_if", col)


def percentile(col: ColumnOrName, percentage: Fractions, frequency: Column | int = 1) -> Column:
    """The exact percentile, interpolated; an array of them for several percentages."""
    return call("percentile", col, lit(percentage), unless(1, frequency))


def percentile_approx(col: ColumnOrName, percentage: Fractions, accuracy: Column | int = 10000) -> Column:
    """A value that about this share of the values does not exceed."""
    return call("percentile_approx", col, lit(percentage), unless(10000, accuracy))


def approx_percentile(col: ColumnOrName, percentage: Fractions, accuracy: Column | int = 10000) -> Column:
    """A value that about this share of the values does not exceed."""
    return call("approx_percentile", col, lit(percentage), unless(10000, accuracy))


def histogram_numeric(col: ColumnOrName, nBins: Column) -> Column:
    """The values in at most so many bins, each with its middle and how many values it has."""
    return call("histogram_numeric", col, nBins)


def listagg(col: ColumnOrName, delimiter: Column | str | bytes | None = None) -> Column:
    """The texts put one behind the other with `delimiter` between."""
    return call("listagg", col, maybe(delimiter))


def string_agg(col: ColumnOrName, delimiter: Column | str | bytes | None = None) -> Column:
    """The texts put one behind the other with `delimiter` between."""
    return call("string_agg", col, maybe(delimiter))


def listagg_distinct(col: ColumnOrName, delimiter: Column | str | bytes | None = None) -> Column:
    """The distinct texts put one behind the other with `delimiter` between."""
    return call("listagg", col, maybe(delimiter), distinct=True)


def string_agg_distinct(col: ColumnOrName, delimiter: Column | str | bytes | None = None) -> Column:
    """The distinct texts put one behind the other with `delimiter` between."""
    return call("string_agg", col, maybe(delimiter), distinct=True)
