"""Functions that Spark has and that are refused here by name: as Spark itself refuses them, or left out."""

from __future__ import annotations

import re

from app.errors import PlanError

_OF_AVRO = frozenset(("from_avro", "to_avro", "schema_of_avro"))
_FAMILIES = {
    "sketches": r"(kll|theta|tuple|approx_top_k|count_min)_.*",
    "XML": r"xpath(_.*)?|(from|to|schema_of)_xml",
    "geospatial types": r"st_.*",
    "calls into Java": r"reflect|try_reflect|java_method",
    "AES": r"(try_)?aes_.*",
    "Protocol Buffers": r"(from|to)_protobuf",
    "metric views": r"measure",
    "the files behind a row": r"input_file_.*",
}


def refusal(name: str) -> PlanError | None:
    """The error for a function that is known and not here; None for a name that nobody knows."""
    name = name.lower()
    if name in _OF_AVRO:
        return PlanError(
            f"`{name}` cannot be called: Avro is not part of what is installed. Convert the bytes before they come in.",
            code="AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE",
            routine=name,
        )
    for family, pattern in _FAMILIES.items():
        if re.fullmatch(pattern, name):
            return PlanError(
                f"Cannot resolve routine `{name}`: Spark has it; it is left out here with all that is for {family}.",
                code="UNRESOLVED_ROUTINE",
                routine=name,
            )
    return None
