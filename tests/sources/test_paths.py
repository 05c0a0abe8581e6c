"""Which files a path means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.errors import PlanError
from app.sources.paths import check_path, find_files


def touch(folder: Path, *names: str) -> None:
    for age, name in enumerate(names):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
        os.utime(folder / name, (1_000_000 + age, 1_000_000 + age))


def names(path: Path | str) -> list[str]:
    return [os.path.basename(file.path) for file in find_files(str(path))]


def test_files_come_by_modification_time_then_name(tmp_path: Path) -> None:
    touch(tmp_path, "b", "a")
    (tmp_path / "c").write_text("")
    os.utime(tmp_path / "c", (1_000_000, 1_000_000))
    assert names(tmp_path) == ["b", "c", "a"]


def test_names_of_any_kind_are_found_once(tmp_path: Path) -> None:
    odd = ["a b.csv", "data[1].csv", "naïve-文.csv", "100%.csv", "x{y}.csv"]
    touch(tmp_path, *odd)
    assert names(tmp_path / "*.csv") == odd
    for name in odd:
        assert names(tmp_path / name) == [name]


def test_hidden_names_and_subfolders_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "_tmp.csv", ".part.csv", "a.csv", "sub/b.csv", "a.csv.tmp")
    assert names(tmp_path) == ["a.csv", "a.csv.tmp"]
    assert names(tmp_path / "*.csv") == ["a.csv"]


def test_globs_know_braces_and_folders(tmp_path: Path) -> None:
    touch(tmp_path, "a.csv", "b.json", "c.txt", "sub1/x", "sub2/y")
    assert names(tmp_path / "*.{csv,json}") == ["a.csv", "b.json"]
    assert names(tmp_path / "sub[12]") == ["x", "y"]
    assert names(f"file://{tmp_path}/sub1") == ["x"]


def test_a_missing_path_is_an_error_and_a_missing_glob_is_not(tmp_path: Path) -> None:
    check_path(str(tmp_path / "*.csv"))
    assert find_files(str(tmp_path / "*.csv")) == []
    with pytest.raises(PlanError) as caught:
        check_path(str(tmp_path / "gone"))
    assert caught.value.code == "PATH_NOT_FOUND"


def test_a_link_to_nowhere_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    assert names(tmp_path) == []


def test_other_file_systems_and_partitions_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="s3a://"):
        find_files("s3a://bucket/x")
    touch(tmp_path, "k=1/a.csv")
    with pytest.raises(PlanError, match="k=1"):
        find_files(str(tmp_path))
