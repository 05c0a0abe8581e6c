"""What a refused request is told: RFC 9457 problem documents with a stable code and a sentence."""

from __future__ import annotations

from http import HTTPStatus

import orjson
from aiohttp import web

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """Ends the request with this status. `facts` become further members of the document."""

    def __init__(
        self, status: int, code: str, sentence: str, headers: dict[str, str] | None = None, **facts: object
    ) -> None:
        super().__init__(f"[{code}] {sentence}")
        self.status = status
        self.code = code
        self.sentence = sentence
        self.headers = headers or {}
        self.facts = facts

    def response(self) -> web.Response:
        """The reply to send."""
        document = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.sentence,
            **self.facts,
        }
        body = orjson.dumps(document, default=str)
        return web.Response(status=self.status, headers=self.headers, body=body, content_type=MEDIA_TYPE)
