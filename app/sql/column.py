"""`Column`: an expression with Spark's operators. It computes nothing; every operator makes a plan value.

Operators have the catalogue's names: `+ - * / % == < <= > >= <=> and or not & | ^ negative`, `in`, `like`,
`ilike`, `rlike`, `isnull`, `isnotnull`, `isnan`, `startswith`, `endswith`, `contains`, `substr`, `getitem`,
`power`. `a != b` is `not (a == b)` and `between` is two comparisons, as Spark's parser has it; `1 + a` is `a + 1`, and
so with `*`, `&` and `|`, as in PySpark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from app.errors import ArgumentError, ArgumentTypeError
from app.plan.ddl import parse_type
from app.plan.expressions import Alias, Attribute, Call, Case, Cast, Expr, Outer, SortKey, Subquery
from app.plan.parse.tables import changed
from app.plan.types import DataType
from app.sql.arguments import wrong_type
from app.sql.expression_text import expression_text
from app.sql.literals import column_by_name, literal, split_name


def to_expr(value: Any) -> Expr:
    """The expression of a Column; any other value becomes a literal.

    Raises: ArgumentTypeError, ArgumentError."""
    if isinstance(value, Column):
        return value._expr
    return value if isinstance(value, Expr) else literal(value)


def to_column_expr(col: Any) -> Expr:
    """The expression of a Column, or the column a name refers to. Raises: ArgumentTypeError, ParseError."""
    if isinstance(col, str):
        return column_by_name(col)
    if isinstance(col, (Column, Expr)):
        return to_expr(col)
    raise ArgumentTypeError(
        f"A Column or a column name is needed here, not {col!r} ({type(col).__name__}); write lit({col!r}) "
        "for a constant.",
        code="NOT_COLUMN_OR_STR",
        arg_type=type(col).__name__,
    )


class Column:
    """A column of a DataFrame, or anything computed from columns.

    >>> from app.plan.expressions import Attribute
    >>> Column(Attribute(("a",)))._expr
    Attribute(parts=('a',))
    """

    __slots__ = ("_expr",)
    _expr: Expr

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def _call(self, name: str, *args: Any) -> Column:
        return Column(Call(name, (self._expr, *map(to_expr, args))))

    def _swapped(self, name: str, other: Any) -> Column:
        return Column(Call(name, (to_expr(other), self._expr)))

    # Arithmetic

    def __add__(self, other: Any) -> Column:
        return self._call("+", other)

    def __sub__(self, other: Any) -> Column:
        return self._call("-", other)

    def __mul__(self, other: Any) -> Column:
        return self._call("*", other)

    def __truediv__(self, other: Any) -> Column:
        return self._call("/", other)

    def __mod__(self, other: Any) -> Column:
        return self._call("%", other)

    def __pow__(self, other: Any) -> Column:
        return self._call("power", other)

    def __radd__(self, other: Any) -> Column:
        return self._call("+", other)

    def __rsub__(self, other: Any) -> Column:
        return self._swapped("-", other)

    def __rmul__(self, other: Any) -> Column:
        return self._call("*", other)

    def __rtruediv__(self, other: Any) -> Column:
        return self._swapped("/", other)

    def __rmod__(self, other: Any) -> Column:
        return self._swapped("%", other)

    def __rpow__(self, other: Any) -> Column:
        return self._swapped("power", other)

    def __neg__(self) -> Column:
        return self._call("negative")

    # Comparison

    def __eq__(self, other: Any) -> Column:  # type: ignore[override]
        return self._call("==", other)

    def __ne__(self, other: Any) -> Column:  # type: ignore[override]
        return Column(Call("not", (Call("==", (self._expr, to_expr(other))),)))

    def __lt__(self, other: Any) -> Column:
        return self._call("<", other)

    def __le__(self, other: Any) -> Column:
        return self._call("<=", other)

    def __gt__(self, other: Any) -> Column:
        return self._call(">", other)

    def __ge__(self, other: Any) -> Column:
        return self._call(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def eqNullSafe(self, other: Any) -> Column:
        """Equality in which null equals null and nothing is null."""
        return self._call("<=>", other)

    def between(self, lowerBound: Any, upperBound: Any) -> Column:
        """Both bounds belong to the range."""
        return self._call(">=", lowerBound)._call("and", self._call("<=", upperBound))

    def isin(self, *cols: Any) -> Column:
        """True where the value is one of those given, singly, as one list or set, or as the rows of a DataFrame. A
        `struct` of columns is looked for among rows of as many."""
        if len(cols) == 1 and hasattr(cols[0], "_node"):
            several = isinstance(self._expr, Call) and self._expr.name == "struct"
            sought = self._expr.args if several and isinstance(self._expr, Call) else (self._expr,)
            return Column(Subquery("in", cols[0]._node, sought))
        values = cols[0] if len(cols) == 1 and isinstance(cols[0], (list, tuple, set)) else cols
        return self._call("in", *values)

    def outer(self) -> Column:
        """The same, with columns of the DataFrame around the one whose expression it is part of."""
        return Column(changed(self._expr, lambda part: Outer(part) if isinstance(part, Attribute) else part))

    def isNull(self) -> Column:
        return self._call("isnull")

    def isNotNull(self) -> Column:
        return self._call("isnotnull")

    def isNaN(self) -> Column:
        return self._call("isnan")

    # Logic and bits

    def __and__(self, other: Any) -> Column:
        return self._call("and", other)

    def __or__(self, other: Any) -> Column:
        return self._call("or", other)

    def __rand__(self, other: Any) -> Column:
        return self._call("and", other)

    def __ror__(self, other: Any) -> Column:
        return self._call("or", other)

    def __invert__(self) -> Column:
        return self._call("not")

    def bitwiseAND(self, other: Any) -> Column:
        return self._call("&", other)

    def bitwiseOR(self, other: Any) -> Column:
        return self._call("|", other)

    def bitwiseXOR(self, other: Any) -> Column:
        return self._call("^", other)

    # Text

    def like(self, other: Any) -> Column:
        """SQL LIKE: `%` any text, `_` any character, `\\` takes the next one as it is."""
        return self._call("like", other)

    def ilike(self, other: Any) -> Column:
        """`like` without regard to case."""
        return self._call("ilike", other)

    def rlike(self, other: Any) -> Column:
        """True where the regular expression is found anywhere in the text."""
        return self._call("rlike", other)

    def startswith(self, other: Any) -> Column:
        return self._call("startswith", other)

    def endswith(self, other: Any) -> Column:
        return self._call("endswith", other)

    def contains(self, other: Any) -> Column:
        return self._call("contains", other)

    def substr(self, startPos: Any, length: Any) -> Column:
        """`length` characters from position `startPos` (1 is the first).

        Raises: ArgumentTypeError unless both are numbers or both Columns."""
        if isinstance(startPos, Column) != isinstance(length, Column):
            raise ArgumentTypeError(
                "startPos and length of substr have to be of the same kind: two numbers or two Columns.",
                code="NOT_SAME_TYPE",
            )
        return self._call("substr", startPos, length)

    # Types, names and order

    def cast(self, dataType: DataType | str) -> Column:
        """The value as another type; a value that does not fit ends the query (ANSI). Raises: ParseError."""
        return Column(Cast(self._expr, _data_type(dataType)))

    def try_cast(self, dataType: DataType | str) -> Column:
        """`cast`, with null for a value that does not fit."""
        return Column(Cast(self._expr, _data_type(dataType), safe=True))

    astype = cast

    def alias(self, *alias: str, **kwargs: Any) -> Column:
        """The column under another name; several names where a generator gives several columns.
        `metadata` is for the one column. Raises: ArgumentError, also for another keyword."""
        metadata = kwargs.pop("metadata", None)
        if kwargs or not alias:
            raise ArgumentError("alias() takes one or more names and, if wanted, metadata=.", code="WRONG_NUM_ARGS")
        if metadata is not None and len(alias) > 1:
            raise ArgumentError(
                "Argument `metadata` can only be provided for a single column.", code="ONLY_ALLOWED_FOR_SINGLE_COLUMN"
            )
        return Column(Alias(self._expr, alias, metadata))

    name = alias

    def asc(self) -> Column:
        return self._sort(True, None)

    def asc_nulls_first(self) -> Column:
        return self._sort(True, True)

    def asc_nulls_last(self) -> Column:
        return self._sort(True, False)

    def desc(self) -> Column:
        return self._sort(False, None)

    def desc_nulls_first(self) -> Column:
        return self._sort(False, True)

    def desc_nulls_last(self) -> Column:
        return self._sort(False, False)

    def _sort(self, ascending: bool, nulls_first: bool | None) -> Column:
        return Column(SortKey(self._expr, ascending, nulls_first))

    # CASE

    def when(self, condition: Column, value: Any) -> Column:
        """One more branch after `functions.when`. Raises: ArgumentError, ArgumentTypeError."""
        if not isinstance(condition, Column):
            raise wrong_type("condition", "Column", condition)
        case = self._open_case("when")
        return Column(Case((*case.branches, (condition._expr, to_expr(value)))))

    def otherwise(self, value: Any) -> Column:
        """The value where no branch applies (null without it). Raises: ArgumentError."""
        return Column(Case(self._open_case("otherwise").branches, to_expr(value)))

    def _open_case(self, method: str) -> Case:
        if not isinstance(self._expr, Case) or self._expr.otherwise is not None:
            raise ArgumentError(
                f"{method}() needs a Column made by functions.when() that has no otherwise() yet.",
                code="INVALID_WHEN_USAGE",
            )
        return self._expr

    # Parts of nested values

    def getItem(self, key: Any) -> Column:
        """The item at a position of an array (0 is the first) or under a key of a map."""
        return self._call("getitem", key)

    def getField(self, name: Any) -> Column:
        """One field of a struct."""
        return self._call("getitem", name)

    def withField(self, fieldName: str, col: Column) -> Column:
        """The struct with a field more, or with another value in it: `fieldName` may lead into structs, by dots.

        Raises: ArgumentTypeError."""
        if not isinstance(fieldName, str):
            raise wrong_type("fieldName", "str", fieldName)
        if not isinstance(col, Column):
            raise wrong_type("col", "Column", col)
        return Column(_at_field(self._expr, split_name(fieldName), (col._expr,), "update field"))

    def dropFields(self, *fieldNames: str) -> Column:
        """The struct without some fields; names may lead into structs, by dots."""
        found = self._expr
        for name in fieldNames:
            found = _at_field(found, split_name(name), (), "drop field")
        return Column(found)

    def transform(self, f: Callable[[Column], Column]) -> Column:
        """`f(self)`, for chains."""
        return f(self)

    def __getitem__(self, k: Any) -> Column:
        if isinstance(k, slice):
            if k.step is not None:
                raise ArgumentError("A slice of a Column takes no step.", code="SLICE_WITH_STEP")
            return self.substr(k.start, k.stop)
        return self._call("getitem", k)

    def __getattr__(self, item: str) -> Column:
        if item.startswith("__"):
            raise AttributeError(item)
        return self[item]

    def over(self, window: Any) -> Column:
        """The call of a function over a window (`pyspark.sql.window`). Raises: ArgumentTypeError."""
        from app.sql.window import over

        return over(self._expr, window)

    # What a Column cannot do

    def __contains__(self, item: Any) -> NoReturn:
        raise ArgumentError(
            "`in` cannot be used on a Column; use contains() for text or array_contains() for arrays.",
            code="CANNOT_APPLY_IN_FOR_COLUMN",
        )

    def __iter__(self) -> NoReturn:
        raise ArgumentTypeError("A Column cannot be iterated over.", code="NOT_ITERABLE")

    def __bool__(self) -> NoReturn:
        raise ArgumentError(
            "A Column has no truth value: use & for and, | for or, ~ for not between conditions, with "
            "parentheses around each comparison.",
            code="CANNOT_CONVERT_COLUMN_INTO_BOOL",
        )

    def __repr__(self) -> str:
        return f"Column<'{expression_text(self._expr)}'>"


def _at_field(struct: Expr, parts: tuple[str, ...], args: tuple[Expr, ...], change: str) -> Expr:
    """The struct with one of its fields changed, or one of a struct in it."""
    name = to_expr(parts[0])
    if len(parts) == 1:
        return Call(change, (struct, name, *args))
    return Call("update field", (struct, name, _at_field(Call("getitem", (struct, name)), parts[1:], args, change)))


def _data_type(value: Any) -> DataType:
    if isinstance(value, DataType):
        return value
    if isinstance(value, str):
        return parse_type(value)
    raise wrong_type("dataType", "DataType or str", value)
