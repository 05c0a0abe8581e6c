"""Who may ask: the address to listen on, the token, and the headers that keep other sites out."""

from __future__ import annotations

import hmac
import ipaddress
import re
from urllib.parse import urlsplit

from aiohttp import web

from app.errors import SettingsError
from app.settings import Settings
from app.web.problem import Problem

OPEN_PATHS = frozenset({"/", "/livez", "/readyz"})
"""Answered without a token. The page holds no data: it asks for the token and fetches with it."""

_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def check_settings(settings: Settings) -> None:
    """Raises: SettingsError for an address other machines can reach without a token, or an unusable token."""
    token = settings.http_token
    if token is None and not is_loopback(settings.http_host):
        raise SettingsError(
            f"HTTP would listen on {settings.http_host!r}, which other machines can reach, without a token. "
            "Set WATERTABLE_HTTP_TOKEN, or leave WATERTABLE_HTTP_HOST at 127.0.0.1.",
            code="HTTP_TOKEN_MISSING",
            host=settings.http_host,
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise SettingsError(
            "WATERTABLE_HTTP_TOKEN has characters that cannot stand in an Authorization header. "
            "Use letters, digits and - . _ ~ + / only.",
            code="HTTP_TOKEN_INVALID",
        )


def is_loopback(host: str) -> bool:
    """True for `localhost` and the loopback addresses; other host names may resolve to anything."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def has_token(request: web.Request, token: str | None) -> bool:
    """Whether the request may see details: no token is asked for, or it carries the right one."""
    if token is None:
        return True
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    # Bytes, since compare_digest refuses text beyond ASCII; its time does not depend on where they differ.
    right = hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), token.encode())
    return scheme.lower() == "bearer" and right


def check_request(request: web.Request, settings: Settings) -> None:
    """Raises: Problem 421 (a name that is not ours: DNS rebinding), 403 (another site's page), 401 (no token)."""
    host = request.headers.get("Host", "")
    if is_loopback(settings.http_host) and host.lower() not in _own_names(request, settings.http_host):
        sentence = f"This server is not {host!r}; ask for it as localhost or by the address it listens on."
        raise Problem(421, "HOST_NOT_ALLOWED", sentence)
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        raise Problem(403, "ORIGIN_NOT_ALLOWED", "Pages of other sites may not ask this server.")
    if request.path not in OPEN_PATHS and not has_token(request, settings.http_token):
        sentence = "Send the token of this server: `Authorization: Bearer <WATERTABLE_HTTP_TOKEN>`."
        raise Problem(401, "UNAUTHORIZED", sentence, {"WWW-Authenticate": 'Bearer realm="watertable"'})


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """For `on_response_prepare`: every reply gets the security headers it does not set itself."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Server"] = "watertable"


def _own_names(request: web.Request, bound: str) -> set[str]:
    transport = request.transport
    port = transport.get_extra_info("sockname")[1] if transport is not None else 0
    names = {"localhost", "127.0.0.1", "[::1]", f"[{bound}]" if ":" in bound else bound}
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())
