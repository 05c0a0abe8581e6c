"""Python functions over rows or batches as columns: what Spark has and this engine does not yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from app.errors import PlanError
from app.plan.types import DataType, StringType


def udf(
    f: Callable[..., Any] | DataType | str | None = None,
    returnType: DataType | str = StringType(),  # noqa: B008 - a frozen value, and PySpark's default
    *,
    useArrow: bool | None = None,
) -> NoReturn:
    """Raises: PlanError, always."""
    raise _refusal("udf")


def pandas_udf(f: Any = None, returnType: DataType | str | None = None, functionType: int | None = None) -> NoReturn:
    """Raises: PlanError, always."""
    raise _refusal("pandas_udf")


def _refusal(name: str) -> PlanError:
    return PlanError(
        f"{name} is not supported yet: Python functions cannot compute columns here. Write the column with "
        "pyspark.sql.functions or expr(…), or compute whole batches in writeStream.foreachBatch.",
        code="UNSUPPORTED_FEATURE",
        what=name,
    )
