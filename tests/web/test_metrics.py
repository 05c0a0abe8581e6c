"""The metrics, read back with Prometheus' own parsers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from app import __version__
from app.errors import QueryFailed
from app.web.metrics import QueryCollector
from tests.web.fakes import FakeEngine, FakeQuery, FakeTotals, counts, progress, serving

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str, openmetrics: bool = False) -> Samples:
    families = list((parse_openmetrics if openmetrics else parse_text)(text))
    found = [((s.name, tuple(sorted(s.labels.items()))), s.value) for f in families for s in f.samples]
    assert len(found) == len(dict(found)), "a series comes twice"
    return dict(found)


def scrape(*queries: FakeQuery) -> Samples:
    registry = CollectorRegistry()
    registry.register(QueryCollector(lambda: queries))  # type: ignore[arg-type,return-value]
    return samples(generate_latest(registry).decode())


def test_each_query_has_its_totals_and_its_last_epoch() -> None:
    found = scrape(counts())
    label = (("query", "counts"),)
    expected = {
        "watertable_query_epochs_total": 8,
        "watertable_query_input_rows_total": 1000,
        "watertable_query_output_rows_total": 30,
        "watertable_query_dead_letters_total": 2,
        "watertable_query_restarts_total": 0,
        "watertable_query_state_rows": 10,
        "watertable_query_state_bytes": 480,
        "watertable_query_active": 1,
        "watertable_query_failed": 0,
        "watertable_query_last_epoch": 7,
        "watertable_query_last_epoch_duration_seconds": 0.012,
        "watertable_query_last_epoch_timestamp_seconds": 1767323045.678,
        "watertable_query_input_rows_per_second": 5,
        "watertable_query_processed_rows_per_second": 250.5,
    }
    assert {name: found[name, label] for name in expected} == expected
    assert {name for name, labels in found if labels == label} == set(expected)


def test_queries_are_counted_by_state() -> None:
    failed = FakeQuery(name="f", id="2", is_active=False, exception=QueryFailed("It ended."))
    found = scrape(counts(), FakeQuery(name=None, id="1"), failed)
    assert [found["watertable_queries", (("state", s),)] for s in ("active", "failed", "stopped")] == [2, 1, 0]


def test_without_queries_there_is_still_the_program() -> None:
    found = scrape()
    assert found["watertable_queries", (("state", "active"),)] == 0
    assert any(dict(labels).get("version") == __version__ for name, labels in found if name == "watertable_build_info")


def test_a_pipeline_that_does_not_run_is_counted() -> None:
    registry = CollectorRegistry()
    registry.register(QueryCollector(tuple, lambda: {"a.py": None, "b.py": "Pipeline b.py failed."}))
    found = samples(generate_latest(registry).decode())
    assert [found["watertable_pipeline_failed", (("pipeline", f),)] for f in ("a.py", "b.py")] == [0, 1]


def test_a_query_before_its_first_epoch_has_totals_only() -> None:
    found = scrape(FakeQuery(last_progress=None, totals=FakeTotals(epochs=0)))
    assert ("watertable_query_epochs_total", (("query", "counts"),)) in found
    assert ("watertable_query_last_epoch", (("query", "counts"),)) not in found


def test_of_two_queries_with_one_name_the_running_one_is_shown() -> None:
    old = FakeQuery(is_active=False, last_progress=progress(1))
    for queries in ((old, counts()), (counts(), old)):
        assert scrape(*queries)["watertable_query_last_epoch", (("query", "counts"),)] == 7


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1))
def test_any_name_is_a_label(name: str) -> None:
    assert scrape(FakeQuery(name=name))["watertable_query_active", (("query", name),)] == 1


def test_prometheus_chooses_the_format() -> None:
    with serving(FakeEngine(counts(), FakeQuery(name='q"\\\n', id="2"))) as client:
        plain = client.ask("/metrics")
        assert plain.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
        newer = client.ask("/metrics", Accept=accept)
        assert newer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
        assert samples(plain.body.decode()) == samples(newer.body.decode(), openmetrics=True)
        assert client.ask("/metrics", Accept="application/openmetrics-text;version=abc").status == 200
