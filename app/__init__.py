"""Watertable: tables kept up to date from streams, one PostgreSQL transaction per trigger."""

__version__ = "0.1.0"
