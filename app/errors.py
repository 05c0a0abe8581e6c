"""Every error the engine raises on purpose.

An error says who has to act. `PlanError` is the user's and comes before any row is read. `SourceError` and
`SinkError` are the world's: `Unavailable` is worth another try (in one place, with a bound), `Broken` is not.
`Fenced` means another process owns the query. The rest say that stored state and this program do not fit.

An error has a stable `code` (Spark's error class where Spark has one), a sentence that says what, where and
what to do now, and typed `facts`. `str(error)` is `[CODE] sentence`, as Spark prints it.
"""

from __future__ import annotations


class EngineError(Exception):
    """The base of all of them. `code` is stable, `facts` are for programs, the sentence is for people."""

    code = "ENGINE_ERROR"

    def __init__(self, sentence: str, *, code: str | None = None, **facts: object) -> None:
        self.code = code or type(self).code
        self.sentence = sentence
        self.facts = facts
        super().__init__(f"[{self.code}] {sentence}")

    def getCondition(self) -> str:
        """The Spark error class, for instance `UNRESOLVED_COLUMN.WITH_SUGGESTION`."""
        return self.code

    getErrorClass = getCondition

    def getMessage(self) -> str:
        """`[CODE] sentence`."""
        return str(self)

    def getMessageParameters(self) -> dict[str, str]:
        """The facts, as texts. Spark's names of parameters are not kept."""
        return {name: str(fact) for name, fact in self.facts.items()}

    def getSqlState(self) -> str | None:
        """None: five letters of SQLSTATE are not kept."""
        return None

    def getQueryContext(self) -> list[object]:
        """Empty: the sentence shows the place in the text."""
        return []


class PlanError(EngineError):
    """The query cannot be built or may not run: found before any row is read (Spark: AnalysisException)."""

    code = "ANALYSIS_ERROR"


class ParseError(PlanError):
    """SQL text, a DDL string or a data type name that cannot be read."""

    code = "PARSE_SYNTAX_ERROR"


class ArgumentError(PlanError, ValueError):
    """A wrong argument to a call of the PySpark surface (Spark: PySparkValueError, IllegalArgumentException)."""

    code = "INVALID_ARGUMENT"


class ArgumentTypeError(PlanError, TypeError):
    """An argument of the wrong Python type (Spark: PySparkTypeError)."""

    code = "NOT_EXPECTED_TYPE"


class KeyNotThere(PlanError, KeyError):
    """A name that a struct or a row does not have (Spark: PySparkKeyError)."""

    code = "KEY_NOT_EXISTS"

    def __str__(self) -> str:
        return str(self.args[0])


class IndexNotThere(PlanError, IndexError):
    """A position that a struct does not have (Spark: PySparkIndexError)."""

    code = "INDEX_OUT_OF_RANGE"


class RowError(EngineError):
    """A value that an expression may not have met under ANSI rules: overflow, division by zero, a bad cast."""

    code = "ROW_ERROR"


class SettingsError(EngineError):
    """Configuration the process cannot start with: a port in use, a wrong password, a database too old."""

    code = "SETTINGS"


class SourceError(EngineError):
    """A source failed."""

    code = "SOURCE_ERROR"


class SourceUnavailable(SourceError):
    """Not reachable now; the source keeps trying with back-off."""

    code = "SOURCE_UNAVAILABLE"


class SourceBroken(SourceError):
    """Reachable, but what it holds cannot be used; trying again will not help."""

    code = "SOURCE_BROKEN"


class SourceClosed(SourceError):
    """Used after `close()`."""

    code = "SOURCE_CLOSED"


class OffsetLost(SourceError):
    """The rows an epoch needs are no longer there."""

    code = "OFFSET_LOST"


class SinkError(EngineError):
    """A sink failed."""

    code = "SINK_ERROR"


class SinkUnavailable(SinkError):
    """Not reachable now; the epoch is tried again with a bound."""

    code = "SINK_UNAVAILABLE"


class SinkBroken(SinkError):
    """The sink refuses these rows or this table; trying again will not help."""

    code = "SINK_BROKEN"


class SinkClosed(SinkError):
    """Used after `close()`."""

    code = "SINK_CLOSED"


class DatabaseUnavailable(EngineError):
    """PostgreSQL cannot be reached or went away; worth another try."""

    code = "DATABASE_UNAVAILABLE"


class Fenced(EngineError):
    """Another process has taken this query over; this one must not write any more."""

    code = "FENCED"


class LedgerBehind(EngineError):
    """The database lost epochs this process knows as committed (a failover): memory is dropped and rebuilt."""

    code = "LEDGER_BEHIND"


class StateMissing(EngineError):
    """The database holds epochs of the query but not the state they left."""

    code = "STATE_MISSING"


class StateCorrupt(EngineError):
    """A stored state chunk fails its checksum or does not decode."""

    code = "STATE_CORRUPT"


class StateIncompatible(EngineError):
    """The query was changed in a way its stored state cannot follow."""

    code = "STATE_INCOMPATIBLE"


class FormatTooNew(EngineError):
    """Written by a newer version of the engine than this one."""

    code = "FORMAT_TOO_NEW"


class QueryFailed(EngineError):
    """A running query ended by an error; the first cause is in `__cause__` (Spark: StreamingQueryException)."""

    code = "STREAM_FAILED"
