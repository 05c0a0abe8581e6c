"""How long a file and a function may be."""

from __future__ import annotations

import ast

import pytest

from tests.tidy.source_tree import Module, modules

FILE_LINES = 400
FUNCTION_LINES = 70


@pytest.mark.parametrize("module", modules(), ids=str)
def test_files_and_functions_stay_short(module: Module) -> None:
    lines = module.text.count("\n")
    assert lines < FILE_LINES, f"{module} has {lines} lines; cut it where the subject changes"
    long = [
        f"{node.name} has {length} lines"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) >= FUNCTION_LINES
    ]
    assert not long, f"{module}: {long}"
