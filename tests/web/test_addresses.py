"""What each address answers."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest

from app.errors import DatabaseUnavailable, QueryFailed
from tests.web.fakes import TOKEN, Client, FakeEngine, FakeQuery, counts, make_table, serving


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    odd = FakeQuery(name="a/b ü?", id="odd", table=make_table("v int", [{"v": 1}]))
    silent = FakeQuery(name="silent", id="silent-id", last_progress=None)
    with serving(FakeEngine(counts(), odd, silent)) as client:
        yield client


def test_the_process_is_alive(client: Client) -> None:
    assert client.ask("/livez").json() == {"live": True}


def test_ready_when_the_database_answers_and_no_query_failed(client: Client) -> None:
    reply = client.ask("/readyz")
    assert (reply.status, reply.json()["ready"]) == (200, True)
    assert [check["name"] for check in reply.json()["checks"]] == [
        "database", "query counts", "query a/b ü?", "query silent",
    ]  # fmt: skip


async def _read_only() -> None:
    raise DatabaseUnavailable("The database takes no writes: it is a standby.")


def test_not_ready_while_the_database_takes_no_writes() -> None:
    with serving(FakeEngine(counts(), ping=_read_only)) as client:
        reply = client.ask("/readyz")
        assert reply.status == 503
        assert reply.json()["checks"][0] == {
            "name": "database", "ok": False, "text": "The database takes no writes: it is a standby.",
        }  # fmt: skip
        assert client.ask("/livez").status == 200


def test_a_database_that_never_answers_is_waited_for_with_a_bound() -> None:
    with serving(FakeEngine(ping=anyio.sleep_forever)) as client:
        reply = client.ask("/readyz")
        assert reply.status == 503
        assert reply.json()["checks"][0]["text"] == "The database did not answer within 2 s."


def test_not_ready_with_a_failed_query() -> None:
    failed = FakeQuery(is_active=False, exception=QueryFailed("Query counts ended: overflow.", code="OVERFLOW"))
    stopped = FakeQuery(name="once", id="2", is_active=False)
    with serving(FakeEngine(failed, stopped)) as client:
        reply = client.ask("/readyz")
        assert reply.status == 503
        assert [(c["ok"], c["text"]) for c in reply.json()["checks"]][1:] == [
            (False, "[OVERFLOW] Query counts ended: overflow."),
            (True, "has stopped"),
        ]
        first, second = client.ask("/queries").json()["queries"]
        assert (first["state"], first["error"]["code"]) == ("failed", "OVERFLOW")
        assert (second["state"], second["error"]) == ("stopped", None)


def test_not_ready_while_the_program_around_the_engine_has_a_problem() -> None:
    with serving(FakeEngine(), {"a.py": None, "b.py": "Pipeline b.py failed: no such file."}) as client:
        reply = client.ask("/readyz")
        assert reply.status == 503
        assert [(c["name"], c["ok"]) for c in reply.json()["checks"]] == [
            ("database", True), ("pipeline a.py", True), ("pipeline b.py", False),
        ]  # fmt: skip
        assert client.ask("/queries").json()["pipelines"] == [
            {"file": "a.py", "error": None}, {"file": "b.py", "error": "Pipeline b.py failed: no such file."},
        ]  # fmt: skip


def test_readiness_tells_no_details_without_the_token() -> None:
    with serving(FakeEngine(counts(), ping=_read_only), http_token=TOKEN) as client:
        assert client.ask("/readyz").json() == {"ready": False}
        assert client.ask("/readyz", Authorization="Bearer wrong").json() == {"ready": False}
        assert "checks" in client.ask("/readyz", Authorization=f"Bearer {TOKEN}").json()


def test_a_query_is_found_by_name_and_by_id(client: Client) -> None:
    by_name, by_id = client.ask("/queries/counts").json(), client.ask(f"/queries/{counts().id}").json()
    assert by_name == by_id
    assert by_name["totals"]["inputRows"] == 1000
    assert by_name["plan"].startswith("Aggregate")
    assert by_name["lastProgress"]["batchId"] == 7
    assert by_name["result"] == "/queries/counts/result"


def test_any_name_can_be_asked_for_by_the_path_the_list_gives(client: Client) -> None:
    paths = {query["name"]: query["result"] for query in client.ask("/queries").json()["queries"]}
    assert paths["a/b ü?"] == "/queries/a%2Fb%20%C3%BC%3F/result"
    assert client.ask(paths["a/b ü?"]).json()["rows"] == [{"v": 1}]


def test_a_query_before_its_first_epoch_has_no_progress(client: Client) -> None:
    query = client.ask("/queries/silent").json()
    assert (query["lastProgress"], query["lastEpoch"], query["result"]) == (None, None, None)


def test_an_unknown_query_is_answered_with_the_nearest_names(client: Client) -> None:
    reply = client.ask("/queries/count")
    assert (reply.status, reply.json()["code"], reply.json()["nearest"]) == (404, "UNKNOWN_QUERY", ["counts"])
    assert reply.headers["content-type"] == "application/problem+json"


def test_a_query_without_a_result_table_says_so(client: Client) -> None:
    reply = client.ask("/queries/silent/result")
    assert (reply.status, reply.json()["code"]) == (404, "NO_RESULT_TABLE")


def test_an_unknown_address_is_a_problem_document_with_the_nearest_one(client: Client) -> None:
    reply = client.ask("/metric")
    assert reply.status == 404
    assert reply.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "code": "UNKNOWN_PATH",
        "detail": "There is nothing at this address. Did you mean /metrics or /queries?",
    }


@pytest.mark.parametrize("path", ["/", "/livez", "/readyz", "/metrics", "/queries", "/queries/counts/result"])
def test_everything_is_read_only(client: Client, path: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"):
        reply = client.ask(path, method)
        assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")
        assert reply.json()["code"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize(
    "path", ["/livez", "/queries", "/queries/counts/result?format=csv", "/openapi.json", "/nothing"]
)
def test_head_gives_the_headers_of_get_and_no_body(client: Client, path: str) -> None:
    get, head = client.ask(path), client.ask(path, "HEAD")
    assert head.body == b""
    for name in ("content-type", "content-length", "cache-control"):
        assert (head.status, head.headers[name]) == (get.status, get.headers[name])


def test_a_body_is_not_taken_for_the_next_request(client: Client) -> None:
    reply = client.ask("/livez", body=b"GET /queries HTTP/1.1\r\n\r\n")
    assert (reply.status, reply.headers["connection"]) == (200, "close")


def test_a_request_without_end_is_refused(client: Client) -> None:
    assert client.ask("/livez?" + "a" * 20_000).status == 400
    assert client.ask("/livez", X_Long="a" * 20_000).status == 400


def test_only_what_the_client_accepts_is_sent(client: Client) -> None:
    reply = client.ask("/queries", Accept="text/csv")
    assert (reply.status, reply.json()["offered"]) == (406, ["application/json"])
    assert client.ask("/queries", Accept="text/html, */*;q=0.1").status == 200
    assert client.ask("/queries", Accept="application/json;q=0, */*").status == 406
