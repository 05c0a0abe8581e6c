"""Installed as a wheel, away from the source tree, everything that a user starts is there and works."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import ROOT, environment

WAIT_S = 300


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network: its build backend is one of the packages of the checks."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(
        sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT, cwd=folder
    )
    return next(folder.glob("watertable-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    target = ("--python", folder / "bin" / "python")
    _run(sys.executable, "-m", "pip", *target, "install", "-q", "--no-deps", "--no-index", wheel, cwd=folder)
    return folder / "bin"


def test_the_wheel_holds_what_a_user_starts_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("app/__main__.py", "app/demo/word_count.py", "app/_migrations/env.py", "app/web/page.html"):
        assert needed in names
    migrations = {path.name for path in (ROOT / "migrations" / "versions").glob("*.py")}
    assert migrations == {Path(name).name for name in names if name.startswith("app/_migrations/versions/")}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {"app", next(n for n in names if "dist-info" in n).split("/")[0]}


def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("one two  two\nthree three three\n")
    demo = ("demo", "--once", "--port", "0", "--file", "text.txt", "--counts", "counts.txt")
    _run(installed / "watertable", *demo, cwd=tmp_path)
    assert (tmp_path / "counts.txt").read_text() == "      1 one\n      3 three\n      2 two\n"


def test_the_program_is_the_one_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    where = _run(installed / "python", "-c", "import app; print(app.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert _run(installed / "watertable", "--version", cwd=tmp_path).startswith("watertable ")


def _run(*command: str | os.PathLike[str], cwd: Path) -> str:
    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [os.fspath(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=WAIT_S
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
