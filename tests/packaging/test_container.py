"""What the container and its compose file may not do."""

from __future__ import annotations

import re

from tests.cli.command import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()


def test_the_service_does_not_run_as_root_and_hears_signals() -> None:
    last_stage = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!0\b|root\b)", last_stage, re.M)
    assert re.search(r'^ENTRYPOINT \["watertable"\]$', last_stage, re.M), "a shell in between would keep SIGTERM"
    assert re.search(r"^HEALTHCHECK ", last_stage, re.M)


def test_the_base_image_can_be_chosen() -> None:
    assert DOCKERFILE.index("ARG BASE=") < DOCKERFILE.index("FROM ${BASE}")
    assert not re.search(r"^FROM (?!\$\{BASE\})", DOCKERFILE, re.M)


def test_no_secret_has_a_default() -> None:
    for secret in ("POSTGRES_PASSWORD", "WATERTABLE_HTTP_TOKEN"):
        given = re.findall(rf"\$\{{{secret}(.*?)\}}", COMPOSE)
        assert given
        assert all(form.startswith(":?") for form in given), f"{secret} must be given, and not be empty"


def test_only_http_is_published_and_only_to_this_machine() -> None:
    published = re.findall(r"^    ports:\n((?:      - .*\n)+)", COMPOSE, re.M)
    assert published == ["      - 127.0.0.1:8080:8080\n"]
