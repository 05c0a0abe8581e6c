"""The OpenAPI document of this process as it runs: the addresses of `openapi.json` beside this file, and one path
for each result table, since which columns can be asked for is known only there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

import orjson

from app import __version__
from app.plan.types import StructType
from app.web.filters import can_order, value_schema
from app.web.request import quoted


def build_document(tables: Mapping[str, StructType], with_token: bool) -> dict[str, Any]:
    """`tables` gives the schema of the result table at each path. With a token, what needs it says so."""
    text = resources.files("app.web").joinpath("openapi.json").read_bytes()
    document: dict[str, Any] = orjson.loads(text)
    document["info"]["version"] = __version__
    paths = document["paths"]
    general = paths["/queries/{name}/result"]["get"]
    for path, schema in tables.items():
        paths[path] = {"get": _table_operation(path, schema, general)}
    if not with_token:
        del document["components"]["securitySchemes"], document["components"]["responses"]["Unauthorized"]
        return document
    document["security"] = [{"token": []}]
    for item in paths.values():
        if "security" not in item["get"]:
            item["get"]["responses"]["401"] = {"$ref": "#/components/responses/Unauthorized"}
    return document


def _table_operation(path: str, schema: StructType, general: dict[str, Any]) -> dict[str, Any]:
    names = {f.name: f.dataType for f in schema.fields}
    orders = [sign + quoted(name) for name, kind in names.items() if can_order(kind) for sign in ("", "-")]
    filters = [(name, value_schema(kind)) for name, kind in names.items()]
    return {
        **general,
        "operationId": "getResult_" + re.sub(r"[^A-Za-z0-9]", lambda m: f"_{ord(m[0]):x}", path.split("/")[2]),
        "summary": f"Rows of {path.split('/')[2]}: {', '.join(f'{n} {k.simpleString()}' for n, k in names.items())}.",
        "description": "A name with a comma or a leading minus stands in backticks.",
        "parameters": [
            *_list("columns", [quoted(name) for name in names], "These columns, in this order."),
            *_list("order", orders, "Sorted by these columns; a minus before the name: descending."),
            *(
                {
                    "name": f"where.{name}",
                    "in": "query",
                    "description": f"Only rows whose {name} equals this.",
                    "schema": value,
                }
                for name, value in filters
                if value is not None
            ),
            *general["parameters"],
        ],
        "responses": dict(general["responses"]),
    }


def _list(name: str, values: list[str], text: str) -> list[dict[str, Any]]:
    """No parameter where there is nothing to choose from."""
    if not values:
        return []
    items = {"type": "string", "enum": values}
    schema = {"type": "array", "items": items, "minItems": 1, "uniqueItems": name == "columns"}
    return [{"name": name, "in": "query", "style": "form", "explode": False, "description": text, "schema": schema}]
