from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.errors import describe, exit_code, report
from app.cli.pipeline import execute, exit_status
from app.errors import (
    ArgumentError,
    DatabaseUnavailable,
    EngineError,
    PlanError,
    QueryFailed,
    SettingsError,
    SourceBroken,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingsError("x"), 3),
        (DatabaseUnavailable("x"), 3),
        (PlanError("x"), 2),
        (ArgumentError("x"), 2),
        (QueryFailed("x"), 1),
        (SourceBroken("x"), 1),
        (ZeroDivisionError("x"), 1),
    ],
)
def test_the_exit_code_says_who_has_to_act(error: Exception, code: int) -> None:
    assert exit_code(error) == code


def test_a_group_of_one_error_counts_as_that_error() -> None:
    group = ExceptionGroup("tasks", [ExceptionGroup("inner", [SettingsError("No port.", code="PORT_IN_USE")])])
    assert exit_code(group) == 3
    assert describe(group) == "[PORT_IN_USE] No port."


def test_the_deepest_line_of_the_pipeline_is_named(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("def half(x):\n    return x / 0\n\nhalf(1)\n")
    assert describe(_raised(file), file) == f"{file}:2: ZeroDivisionError: division by zero"


def test_a_file_that_does_not_parse_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("x = 1\ny = (\n")
    assert describe(_raised(file), file).startswith(f"{file}:2: SyntaxError: ")


def test_an_error_is_one_line_whatever_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(EngineError("First.\n   Second.\n")) == 1
    assert capsys.readouterr().err == "watertable: [ENGINE_ERROR] First. Second.\n"


def test_the_first_cause_of_a_failed_query_is_told_once() -> None:
    error = QueryFailed("Query 'q' failed.")
    error.__cause__ = SourceBroken("The peer sends no lines.")
    assert describe(error).endswith("Query 'q' failed. Cause: [SOURCE_BROKEN] The peer sends no lines.")
    whole = QueryFailed("Query 'q' failed: [SOURCE_BROKEN] The peer sends no lines.")
    whole.__cause__ = error.__cause__
    assert describe(whole).count("The peer sends no lines.") == 1
    of_its_class = QueryFailed("Query 'q' ended: The peer sends no lines.", code="SOURCE_BROKEN")
    of_its_class.__cause__ = error.__cause__
    assert describe(of_its_class) == "[SOURCE_BROKEN] Query 'q' ended: The peer sends no lines."


def test_the_traceback_comes_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report(PlanError("x"))
    assert "Traceback" not in capsys.readouterr().err
    report(_raise_and_catch(), stack=True)
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("given", "status"), [(None, 0), (0, 0), (3, 3), (-1, 255), ("no", 1)])
def test_sys_exit_in_a_pipeline_gives_the_exit_code(given: object, status: int) -> None:
    assert exit_status(SystemExit(given)) == status


def _raised(file: Path) -> BaseException:
    try:
        execute(file)
    except Exception as error:
        return error
    raise AssertionError(f"{file} raised nothing")


def _raise_and_catch() -> Exception:
    try:
        raise PlanError("x")
    except PlanError as error:
        return error
