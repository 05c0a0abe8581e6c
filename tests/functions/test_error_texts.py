"""What is wrong with a value is said in Spark's words, not in DuckDB's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.contracts import Connectors
from app.engine.static import collect
from app.errors import EngineError
from app.kernel.kernel import Kernel
from app.plan.parse import parse_query
from app.plan.resolve import resolve

_RECORDED = json.loads((Path(__file__).parent / "golden_errors.json").read_text(encoding="utf-8"))
_LITERALS = [text for text, found in _RECORDED["literals"].items() if "error" in found]
_DUCKDB = re.compile(r"\b(Conversion|Out of Range|Invalid Input|Not implemented|Binder) Error:|INT\d+\b")
_BYPASS = 'If necessary set "spark.sql.ansi.enabled" to "false" to bypass this error'

SAID = {
    "2147483647 + 1": f"[ARITHMETIC_OVERFLOW] overflow. Use 'try_add' to tolerate overflow and return NULL instead. "
    f"{_BYPASS}.",
    "cast(300 as tinyint)": '[CAST_OVERFLOW] The value 300 of the type "INT" cannot be cast to "TINYINT" due to an '
    "overflow. Use `try_cast` to tolerate overflow and return NULL instead.",
    "127Y + 1Y": "[BINARY_ARITHMETIC_OVERFLOW] 127S + 1S caused overflow. Use `try_add` to ignore overflow problem and "
    "return NULL.",
    "cast(1e10 as int)": '[CAST_OVERFLOW] The value 1.0E10D of the type "DOUBLE" cannot be cast to "INT" due to '
    "an overflow. Use `try_cast` to tolerate overflow and return NULL instead.",
    "cast(double('nan') as int)": '[CAST_OVERFLOW] The value NaN of the type "DOUBLE" cannot be cast to "INT" due to '
    "an overflow. Use `try_cast` to tolerate overflow and return NULL instead.",
    "interval '106751991' day + interval '1' day": "[INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION] Integer overflow "
    "while operating with intervals. Use `try_add` to tolerate overflow and return NULL instead.",
    "map('b', 0, 'a', 1, 'a', 2)": "[DUPLICATED_MAP_KEY] Duplicate map key a was found, please check the input data.",
    "map(array(1), 'a', array(1), 'b')": "[DUPLICATED_MAP_KEY] Duplicate map key [1] was found, please check the input "
    "data.",
    "cast('300' as tinyint)": "[CAST_INVALID_INPUT] The value '300' of the type \"STRING\" cannot be cast to "
    '"TINYINT" because it is malformed. Correct the value as per the syntax, or change its target type. Use '
    "`try_cast` to tolerate malformed input and return NULL instead.",
    "cast(123.456 as decimal(4,2))": "[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] 123.456 cannot be represented as "
    f"Decimal(4, 2). {_BYPASS}, and return NULL instead.",
    "(-9223372036854775807L - 1) div -1": "[ARITHMETIC_OVERFLOW] Overflow in integral divide. Use 'try_divide' to "
    f"tolerate overflow and return NULL instead. {_BYPASS}.",
}


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


def _said(kernel: Kernel, text: str) -> str:
    with pytest.raises(EngineError) as caught:
        collect(resolve(parse_query(f"SELECT {text}", lambda _: None)), Connectors({}, {}), kernel, 0)
    return str(caught.value)


@pytest.mark.parametrize("text", _LITERALS)
def test_no_error_has_words_of_duckdb(kernel: Kernel, text: str) -> None:
    assert not _DUCKDB.search(_said(kernel, text))


@pytest.mark.parametrize("text", list(SAID))
def test_an_overflow_is_told_as_by_spark(kernel: Kernel, text: str) -> None:
    assert _said(kernel, text) == SAID[text]
