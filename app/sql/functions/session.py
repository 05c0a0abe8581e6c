"""Where a query runs: its catalog, its user, its files."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import call


def current_catalog() -> Column:
    """The name of the catalog."""
    return call("current_catalog")


def current_database() -> Column:
    """The name of the database."""
    return call("current_database")


def current_schema() -> Column:
    """The name of the database."""
    return call("current_schema")


def current_path() -> Column:
    """Where names of functions are looked up."""
    return call("current_path")


def current_user() -> Column:
    """The user this process runs as."""
    return call("current_user")


def session_user() -> Column:
    """The user this process runs as."""
    return call("session_user")


def user() -> Column:
    """The user this process runs as."""
    return call("user")


def version() -> Column:
    """The version of Spark whose answers are given."""
    return call("version")


def input_file_name() -> Column:
    """The file a row comes from; empty, for it is not kept."""
    return call("input_file_name")


def input_file_block_start() -> Column:
    """The start of the file's block; -1, for it is not kept."""
    return call("input_file_block_start")


def input_file_block_length() -> Column:
    """The length of the file's block; -1, for it is not kept."""
    return call("input_file_block_length")


def spark_partition_id() -> Column:
    """The number of the partition; 0, for there is one."""
    return call("spark_partition_id")
