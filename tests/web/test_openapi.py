"""The OpenAPI document is valid, and true to what the server does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.plan import types as t
from tests.web.fakes import TOKEN, Client, FakeEngine, FakeQuery, counts, make_table, serving

WIDE = """`a,b` int, t timestamp, n timestamp_ntz, d decimal(10,2), e decimal(3,3), x double, f float, b boolean,
    day date, xs array<int>, raw binary, `tick``ed` tinyint"""


def make_engine() -> FakeEngine:
    rows: list[dict[str, Any]] = [{"a,b": n, "t": n, "d": n, "x": n / 2, "b": n % 2 == 0, "xs": [n]} for n in range(5)]
    return FakeEngine(
        counts(),
        FakeQuery(name="wide/ü", id="wide-id", table=make_table(WIDE, rows)),
        FakeQuery(name=None, id="nameless", last_progress=None),
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving(make_engine()) as client:
        yield client


@pytest.fixture(scope="module")
def document(client: Client) -> dict[str, Any]:
    read: dict[str, Any] = client.ask("/openapi.json").json()
    return read


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()] == []
    assert document["openapi"].startswith("3.1")


def test_with_a_token_the_document_is_valid_and_asks_for_it() -> None:
    with serving(make_engine(), http_token=TOKEN) as client:
        document = client.ask("/openapi.json", Authorization=f"Bearer {TOKEN}").json()
    assert [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()] == []
    for path, item in document["paths"].items():
        assert ("401" in item["get"]["responses"]) == (path not in ("/", "/livez", "/readyz"))


def test_each_address_of_the_server_is_in_the_document_and_no_other(client: Client, document: dict[str, Any]) -> None:
    for path in document["paths"]:
        assert client.ask(path.replace("{name}", "counts")).status == 200
    assert {path for path in document["paths"] if re.fullmatch(r"/[^/]*|/queries/\{.*", path)} == {
        "/", "/livez", "/readyz", "/metrics", "/openapi.json", "/queries", "/queries/{name}", "/queries/{name}/result",
    }  # fmt: skip


def test_each_address_takes_the_parameters_of_the_document(client: Client, document: dict[str, Any]) -> None:
    for path, item in document["paths"].items():
        known = client.ask(path.replace("{name}", "counts") + "?no-such=1").json()["known"]
        listed = {_resolve(document, p)["name"] for p in item["get"].get("parameters", [])}
        if path == "/queries/{name}/result":
            assert listed == set(known) - {"columns", "order", "where.<column>"}
        else:
            assert {"where.<column>" if n.startswith("where.") else n for n in listed} == set(known)


def test_a_result_table_is_listed_with_what_it_can_be_asked_for(document: dict[str, Any]) -> None:
    operation = document["paths"]["/queries/counts/result"]["get"]
    parameters = {p["name"]: p["schema"] for p in (_resolve(document, p) for p in operation["parameters"])}
    assert parameters["columns"]["items"]["enum"] == ["word", "count"]
    assert parameters["order"]["items"]["enum"] == ["word", "-word", "count", "-count"]
    assert parameters["where.count"] == {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
    assert "where.word" in parameters


def test_the_limits_of_the_document_are_those_of_the_server(client: Client, document: dict[str, Any]) -> None:
    for name in ("limit", "offset"):
        highest = document["components"]["parameters"][name.title()]["schema"]["maximum"]
        assert client.ask(f"/queries/counts/result?{name}={highest}").status == 200
        assert client.ask(f"/queries/counts/result?{name}={highest + 1}").status == 400


def test_every_type_has_a_decision_about_filters() -> None:
    from app.web.filters import value_schema

    without = {kind for kind in _atomic_types() if value_schema(kind()) is None}
    assert without == {t.BinaryType, t.DayTimeIntervalType, t.YearMonthIntervalType, t.VariantType}


@pytest.mark.parametrize(("token", "phases"), [(None, "examples,coverage,fuzzing,stateful"), (TOKEN, "coverage")])
def test_schemathesis_finds_nothing(token: str | None, phases: str, tmp_path: Path) -> None:
    with serving(make_engine() if token is None else FakeEngine(counts()), http_token=token) as client:
        program = Path(sys.executable).with_name("schemathesis")
        options = ["--max-examples=8", "--seed=1", "--no-color", f"--phases={phases}"]
        options += ["--header", f"Authorization: Bearer {token}"] if token else []
        run = subprocess.run(
            [program, "run", f"{client.url}/openapi.json", *options],
            cwd=tmp_path,
            env={**os.environ, "NO_PROXY": "127.0.0.1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert run.returncode == 0, run.stdout + run.stderr


def _resolve(document: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    reference = parameter.get("$ref", "")
    return document["components"]["parameters"][reference.rsplit("/", 1)[-1]] if reference else parameter


def _atomic_types() -> set[type[t.DataType]]:
    found: set[type[t.DataType]] = set()
    waiting: list[type[t.DataType]] = [t.AtomicType]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not kind.__subclasses__():
            found.add(kind)
    return found
