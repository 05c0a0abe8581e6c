"""`schema_of_json`: the type of a constant JSON text, found when the query is built."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Const, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.record_options import READING, check_reading, options_of
from app.plan.functions.signature import ANY, STRING, Args, literal_value, scalar
from app.plan.json_inference import Inference
from app.plan.json_reader import OPTIONS, read_json

_TEXT = t.StringType()
_FLAGS = ("infertimestamp", "primitivesasstring", "prefersdecimal", "dropfieldifallnull")
_OPTIONS = (*_FLAGS, *OPTIONS, *READING, "dateformat", "timestampformat", "timestampntzformat")


def _bind(binding: Binding, args: Args) -> Typed:
    bound = _PLAIN.bind(binding, args)
    assert isinstance(bound, Apply)
    text = literal_value("schema_of_json", 0, bound.args[0])
    if text is None:
        raise PlanError(
            "Cannot resolve schema_of_json(NULL): the json must not be null.",
            code="DATATYPE_MISMATCH.UNEXPECTED_NULL",
        )
    options = options_of("schema_of_json", binding, args[1] if len(args) > 1 else None, _OPTIONS)
    check_reading("schema_of_json", options)
    return Const(_TEXT, False, _schema(str(text), Inference.by(options)).sql())


def _schema(text: str, inference: Inference) -> t.DataType:
    if not text.strip(" \t\n\r"):
        return _TEXT
    try:
        return _named(inference.kind(read_json(text, inference.allowed)), inference)
    except ValueError as error:
        raise PlanError(
            f"schema_of_json() was given a text that is no JSON: {error}. Correct it.",
            code="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        ) from error


def _named(kind: t.DataType, inference: Inference) -> t.DataType:
    """Of objects, and lists of them, in which nothing is left the outermost stay."""
    if isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType):
        return t.ArrayType(_named(kind.elementType, inference), True)
    return inference.named(kind) or (t.StructType() if isinstance(kind, t.StructType) else _TEXT)


_PLAIN = scalar("schema_of_json", (STRING, ANY), _TEXT, "{0}", optional=1)
FUNCTIONS: tuple[Function, ...] = (
    Function("schema_of_json", "scalar", _bind, lambda call, args: args[0]),  # type: ignore[arg-type]
)
