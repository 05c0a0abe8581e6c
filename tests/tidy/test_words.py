"""What may not be written, in code, tests and documents."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache

import pytest

from tests.tidy.source_tree import ROOT, Module, modules

TIME_READERS = {
    ("time", name) for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
}
SLEEPERS = {("time", "sleep"), ("asyncio", "sleep"), ("anyio", "sleep"), ("anyio", "sleep_until")}
TODAY = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
SERIALIZERS = {"pick" + "le", "cloud" + "pick" + "le", "di" + "ll", "mar" + "shal", "shel" + "ve"}

FORBIDDEN = {
    "a package index (locks and documents name packages, not hosts)": re.compile(
        r"py" r"pi\.org|python" r"hosted|\bindex" r"-url[ =]+http|extra" r"-index-url", re.I
    ),
    "a path of one machine": re.compile(r"(?<![\w.-])/(?:wor" r"k|home/\w+|User" r"s/\w+)/(?=\w)|/roo" r"t/"),
    "an unfinished place": re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"),
    "a merge conflict": re.compile(r"^(?:<{7}|>{7}) ", re.M),
    "the number of an issue": re.compile(r"\b(?:issue|ticket|bug)s? #?\d+\b|\bPR ?#\d+", re.I),
}


@pytest.mark.parametrize("module", modules(), ids=str)
def test_the_clock_is_the_only_reader_of_time(module: Module) -> None:
    if module.name == "app.clock":
        return
    wrong = _calls(module, TIME_READERS | SLEEPERS | TODAY)
    assert not wrong, f"{module} reads the time or sleeps by itself: {wrong}"


@pytest.mark.parametrize("module", modules("tests"), ids=str)
def test_tests_never_sleep(module: Module) -> None:
    wrong = _calls(module, SLEEPERS)
    assert not wrong, f"{module} sleeps; wait on the condition instead: {wrong}"


@pytest.mark.parametrize("module", (*modules("app"), *modules("tests"), *modules("migrations")), ids=str)
def test_nothing_is_stored_as_code(module: Module) -> None:
    names = [node.name for node in ast.walk(module.tree) if isinstance(node, ast.alias)]
    names += [node.module or "" for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom)]
    assert not SERIALIZERS & {name.split(".")[0] for name in names}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_tree_is_free_of(what: str) -> None:
    found = [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for path, text in _texts().items()
        for match in FORBIDDEN[what].finditer(text)
    ]
    assert not found, f"{what}: {found}"


def _calls(module: Module, names: set[tuple[str, str]]) -> list[str]:
    return [
        f"line {node.lineno}: {node.value.id}.{node.attr}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in names
    ] + [
        f"line {node.lineno}: from {node.module} import {alias.name}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in names
    ]


@cache
def _texts() -> dict[str, str]:
    """Every text file that git knows or would take, without the licence, which is not ours to word."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    texts = {}
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and name != "LICENSE":
            data = path.read_bytes()
            if b"\0" not in data:
                texts[name] = data.decode("utf-8")
    return texts
