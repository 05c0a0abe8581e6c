"""The modules of app/, read once for all tests of this folder."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """`name` is dotted (`app.plan.types`)."""

    path: Path
    name: str

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def part(self) -> str:
        """The folder or top-level module of app/ it belongs to (`plan`, `errors`)."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 else "app"

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))


@cache
def modules(folder: str = "app") -> tuple[Module, ...]:
    """Every Python file below a folder of the project."""
    return tuple(_module(path) for path in sorted((ROOT / folder).rglob("*.py")))


def imports(module: Module) -> list[tuple[str, int]]:
    """(dotted name, line) of what a module imports; `from a import b` gives `a.b`."""
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = module.name.split(".") if module.is_package else module.name.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found += [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return found


def _module(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return Module(path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts))
