"""Numbers: arithmetic, rounding, logarithms, angles, bits and random values."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe, too_few, value


def sqrt(col: ColumnOrName) -> Column:
    """The square root; NaN for a negative number."""
    return call("sqrt", col)


def cbrt(col: ColumnOrName) -> Column:
    """The cube root."""
    return call("cbrt", col)


def abs(col: ColumnOrName) -> Column:
    """The value without its sign."""
    return call("abs", col)


def try_add(left: ColumnOrName, right: ColumnOrName) -> Column:
    """`left + right`, null where that overflows."""
    return call("try_add", left, right)


def try_subtract(left: ColumnOrName, right: ColumnOrName) -> Column:
    """`left - right`, null where that overflows."""
    return call("try_subtract", left, right)


def try_multiply(left: ColumnOrName, right: ColumnOrName) -> Column:
    """`left * right`, null where that overflows."""
    return call("try_multiply", left, right)


def try_divide(left: ColumnOrName, right: ColumnOrName) -> Column:
    """`left / right`, null where `right` is 0."""
    return call("try_divide", left, right)


def try_mod(left: ColumnOrName, right: ColumnOrName) -> Column:
    """The remainder of `left / right`, null where `right` is 0."""
    return call("try_mod", left, right)


def acos(col: ColumnOrName) -> Column:
    """The angle in radians whose cosine is `col`."""
    return call("acos", col)


def asin(col: ColumnOrName) -> Column:
    """The angle in radians whose sine is `col`."""
    return call("asin", col)


def atan(col: ColumnOrName) -> Column:
    """The angle in radians whose tangent is `col`."""
    return call("atan", col)


def atan2(col1: ColumnOrName | float, col2: ColumnOrName | float) -> Column:
    """The angle in radians between the x axis and the point (`col2`, `col1`)."""
    return call("atan2", value(col1), value(col2))


def ceil(col: ColumnOrName, scale: Column | int | None = None) -> Column:
    """The smallest number of `scale` decimal places (0 if not given) that is not below `col`."""
    return call("ceil", col, maybe(scale))


def ceiling(col: ColumnOrName, scale: Column | int | None = None) -> Column:
    """The smallest number of `scale` decimal places (0 if not given) that is not below `col`."""
    return call("ceiling", col, maybe(scale))


def floor(col: ColumnOrName, scale: Column | int | None = None) -> Column:
    """The largest number of `scale` decimal places (0 if not given) that is not above `col`."""
    return call("floor", col, maybe(scale))


def cos(col: ColumnOrName) -> Column:
    """The cosine of an angle in radians."""
    return call("cos", col)


def cosh(col: ColumnOrName) -> Column:
    """The hyperbolic cosine."""
    return call("cosh", col)


def cot(col: ColumnOrName) -> Column:
    """The cotangent of an angle in radians."""
    return call("cot", col)


def csc(col: ColumnOrName) -> Column:
    """The cosecant of an angle in radians."""
    return call("csc", col)


def sec(col: ColumnOrName) -> Column:
    """The secant of an angle in radians."""
    return call("sec", col)


def sin(col: ColumnOrName) -> Column:
    """The sine of an angle in radians."""
    return call("sin", col)


def sinh(col: ColumnOrName) -> Column:
    """The hyperbolic sine."""
    return call("sinh", col)


def tan(col: ColumnOrName) -> Column:
    """The tangent of an angle in radians."""
    return call("tan", col)


def tanh(col: ColumnOrName) -> Column:
    """The hyperbolic tangent."""
    return call("tanh", col)


def acosh(col: ColumnOrName) -> Column:
    """The inverse hyperbolic cosine."""
    return call("acosh", col)


def asinh(col: ColumnOrName) -> Column:
    """The inverse hyperbolic sine."""
    return call("asinh", col)


def atanh(col: ColumnOrName) -> Column:
    """The inverse hyperbolic tangent."""
    return call("atanh", col)


def bit_count(col: ColumnOrName) -> Column:
    """The number of bits that are set."""
    return call("bit_count", col)


def shiftleft(col: ColumnOrName, numBits: int) -> Column:
    """The number shifted left by so many bits."""
    return call("shiftleft", col, lit(numBits))


def shiftright(col: ColumnOrName, numBits: int) -> Column:
    """The number shifted right by so many bits."""
    return call("shiftright", col, lit(numBits))


def degrees(col: ColumnOrName) -> Column:
    """An angle given in radians, in degrees."""
    return call("degrees", col)


def radians(col: ColumnOrName) -> Column:
    """An angle given in degrees, in radians."""
    return call("radians", col)


def e() -> Column:
    """Euler's number."""
    return call("e")


def pi() -> Column:
    """The number pi."""
    return call("pi")


def exp(col: ColumnOrName) -> Column:
    """e to the power of `col`."""
    return call("exp", col)


def expm1(col: ColumnOrName) -> Column:
    """e to the power of `col`, minus one, exact for small values."""
    return call("expm1", col)


def log10(col: ColumnOrName) -> Column:
    """The logarithm to base 10."""
    return call("log10", col)


def log1p(col: ColumnOrName) -> Column:
    """The natural logarithm of `col` plus one, exact for small values."""
    return call("log1p", col)


def log2(col: ColumnOrName) -> Column:
    """The logarithm to base 2."""
    return call("log2", col)


def ln(col: ColumnOrName) -> Column:
    """The natural logarithm."""
    return call("ln", col)


def log(arg1: ColumnOrName | float, arg2: ColumnOrName | None = None) -> Column:
    """The natural logarithm of `arg1`, or with two arguments the logarithm of `arg2` to base `arg1`."""
    return call("ln", value(arg1)) if arg2 is None else call("log", value(arg1), arg2)


def negative(col: ColumnOrName) -> Column:
    """The value with the other sign."""
    return call("negative", col)


negate = negative


def positive(col: ColumnOrName) -> Column:
    """The value as it is."""
    return call("positive", col)


def rint(col: ColumnOrName) -> Column:
    """The nearest whole number as a double; halves go to the even one."""
    return call("rint", col)


def round(col: ColumnOrName, scale: Column | int | None = None) -> Column:
    """Rounded to `scale` decimal places (0 if not given), halves away from zero."""
    return call("round", col, maybe(scale))


def bround(col: ColumnOrName, scale: Column | int | None = None) -> Column:
    """Rounded to `scale` decimal places (0 if not given), halves to the even digit."""
    return call("bround", col, maybe(scale))


def signum(col: ColumnOrName) -> Column:
    """-1, 0 or 1 by the sign."""
    return call("signum", col)


def sign(col: ColumnOrName) -> Column:
    """-1, 0 or 1 by the sign."""
    return call("sign", col)


def hypot(col1: ColumnOrName | float, col2: ColumnOrName | float) -> Column:
    """The length of the hypotenuse over two sides, without overflow on the way."""
    return call("hypot", value(col1), value(col2))


def pow(col1: ColumnOrName | float, col2: ColumnOrName | float) -> Column:
    """`col1` to the power of `col2`."""
    return call("power", value(col1), value(col2))


power = pow


def pmod(dividend: ColumnOrName | float, divisor: ColumnOrName | float) -> Column:
    """The remainder of the division, never negative for a positive divisor."""
    return call("pmod", value(dividend), value(divisor))


def factorial(col: ColumnOrName) -> Column:
    """The factorial of a whole number from 0 to 20, null outside."""
    return call("factorial", col)


def bin(col: ColumnOrName) -> Column:
    """A whole number in binary digits."""
    return call("bin", col)


def hex(col: ColumnOrName) -> Column:
    """A whole number, text or binary in hexadecimal digits."""
    return call("hex", col)


def unhex(col: ColumnOrName) -> Column:
    """The binary that hexadecimal digits stand for."""
    return call("unhex", col)


def bitwise_not(col: ColumnOrName) -> Column:
    """The value with every bit turned."""
    return call("~", col)


def greatest(*cols: ColumnOrName) -> Column:
    """The largest of two or more values; nulls are passed over.

    Raises: ArgumentError for fewer than two columns.
    """
    if len(cols) < 2:
        raise too_few("greatest", 2, len(cols))
    return call("greatest", *cols)


def least(*cols: ColumnOrName) -> Column:
    """The smallest of two or more values; nulls are passed over.

    Raises: ArgumentError for fewer than two columns.
    """
    if len(cols) < 2:
        raise too_few("least", 2, len(cols))
    return call("least", *cols)


def nanvl(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """`col1`, or `col2` where `col1` is NaN."""
    return call("nanvl", col1, col2)


def isnan(col: ColumnOrName) -> Column:
    """True where the value is NaN."""
    return call("isnan", col)


def rand(seed: int | None = None) -> Column:
    """A random double from 0 up to 1; not the same when an epoch is computed again."""
    return call("rand", maybe(seed))


random = rand
