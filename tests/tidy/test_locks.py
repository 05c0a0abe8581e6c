"""The lock files: every package pinned and hashed, none with an address, and in step with pyproject.toml."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.tidy.source_tree import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(
    r"^([a-z0-9.-]+)(?:\[[a-z0-9,-]+\])?==(\S+)(?: ; (.+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M
)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_is_a_pin_with_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()
    rest = "\n".join(line for line in PIN.sub("", text).splitlines() if line and not line.startswith("#"))
    assert not rest
    assert "://" not in text


@pytest.mark.parametrize("lock", LOCKS)
def test_what_the_project_asks_for_is_locked(lock: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = list(project["project"]["dependencies"])
    if lock == "requirements-dev.lock":
        wanted += project["dependency-groups"]["dev"]
    names = {re.split(r"[\[<>=!~; ]", line)[0] for line in wanted}
    assert names <= _pins(lock).keys()


def test_development_and_service_run_the_same_versions() -> None:
    service, development = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert {name: development.get(name) for name in service} == service


def _pins(lock: str) -> dict[str, set[str]]:
    pins: dict[str, set[str]] = {}
    for match in PIN.finditer((ROOT / lock).read_text()):
        pins.setdefault(match[1], set()).add(match[2])
    return pins
