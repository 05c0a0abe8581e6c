"""Who may ask: addresses, tokens, other sites."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from app.clock import SystemClock
from app.errors import SettingsError
from app.settings import Settings
from app.web import WebServer
from tests.web.fakes import TOKEN, Client, FakeEngine, counts, serving

EVIL = "https://evil.example"
PATHS = ["/", "/livez", "/readyz", "/metrics", "/queries", "/queries/counts", "/queries/counts/result", "/openapi.json"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving(FakeEngine(counts())) as client:
        yield client


@pytest.fixture(scope="module")
def locked() -> Iterator[Client]:
    with serving(FakeEngine(counts()), http_token=TOKEN) as client:
        yield client


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", "", "127.0.0.1.evil.example"])
def test_an_address_others_can_reach_needs_a_token(host: str) -> None:
    with pytest.raises(SettingsError, match="WATERTABLE_HTTP_TOKEN") as caught:
        WebServer(FakeEngine(), Settings(http_host=host), SystemClock())  # type: ignore[arg-type]
    assert caught.value.code == "HTTP_TOKEN_MISSING"


def test_with_a_token_any_address_is_taken() -> None:
    with serving(FakeEngine(), http_host="0.0.0.0", http_token=TOKEN) as client:
        assert urlsplit(client.url).hostname == "127.0.0.1"
        assert client.ask("/livez", Host="watertable.example").status == 200


@pytest.mark.parametrize("token", ["with space", "ümlaut", "line\nbreak", '"', "="])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(SettingsError, match="Authorization") as caught:
        WebServer(FakeEngine(), Settings(http_token=token), SystemClock())  # type: ignore[arg-type]
    assert repr(token) not in str(caught.value)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_a_loopback_server_answers_to_its_own_names(client: Client, name: str) -> None:
    port = urlsplit(client.url).port
    assert client.ask("/queries", Host=f"{name}:{port}").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example:{port}", "localhost", "localhost:1", "localhost.evil.example:{port}", ""]
)
def test_a_name_bound_to_loopback_by_others_is_refused(client: Client, host: str) -> None:
    for path in PATHS:
        reply = client.ask(path, Host=host.format(port=urlsplit(client.url).port))
        assert (reply.status, reply.json()["code"]) == (421, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("origin", [EVIL, "null", "http://localhost:1"])
def test_pages_of_other_sites_are_refused(client: Client, method: str, origin: str) -> None:
    for path in (*PATHS, "/queries/counts/stop"):
        reply = client.ask(path, method, Origin=origin, Access_Control_Request_Method="POST")
        assert (reply.status, reply.json()["code"]) == (403, "ORIGIN_NOT_ALLOWED")
        assert not any(name.startswith("access-control") for name in reply.headers)


def test_our_own_page_is_not_another_site(client: Client) -> None:
    assert client.ask("/queries", Origin=client.url).status == 200


@pytest.mark.parametrize("path", [*PATHS, "/nothing", "/queries/nothing", "/queries?x=1"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_reply_keeps_other_sites_out(client: Client, path: str, method: str) -> None:
    headers = client.ask(path, method).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["server"] == "watertable"
    assert "access-control-allow-origin" not in headers


def test_with_a_token_everything_asks_for_it_but_health_and_the_bare_page(locked: Client) -> None:
    open_paths = {"/", "/livez", "/readyz"}
    for path in (*PATHS, "/nothing", "/queries/counts/stop"):
        for method in ("GET", "POST", "OPTIONS"):
            reply = locked.ask(path, method)
            if path in open_paths:
                assert reply.status == (200 if method == "GET" else 405)
            else:
                assert (reply.status, reply.json()["code"]) == (401, "UNAUTHORIZED")
                assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header",
    [f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer", "Bearer ", "Bearer ÿ", "Bearer é"],
)
def test_a_wrong_token_opens_nothing(locked: Client, header: str) -> None:
    assert locked.ask("/queries", Authorization=header).status == 401


def test_a_token_in_the_address_opens_nothing(locked: Client) -> None:
    assert locked.ask(f"/queries?token={TOKEN}").status == 401


def test_the_right_token_opens_everything(locked: Client) -> None:
    for path in PATHS:
        assert locked.ask(path, Authorization=f"bearer {TOKEN}").status == 200


def test_no_reply_holds_the_token(locked: Client) -> None:
    for path in PATHS:
        assert TOKEN.encode() not in locked.ask(path, Authorization=f"Bearer {TOKEN}").body
