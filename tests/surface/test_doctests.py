"""The examples in the docstrings of the surface and of the plan are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import app.plan
import app.sql


def names() -> list[str]:
    found = []
    for package in (app.sql, app.plan):
        found += [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return found


@pytest.mark.parametrize("name", names())
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [t for name in names() for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(examples) > 10
