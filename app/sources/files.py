"""Files of a folder, each read once, and files for static use.

A streaming query keeps the list of the files it has seen in its ingest log, one row a file, and its offsets are
positions in that list. So a file is known by its full path for as long as the query lives, an epoch that is read
again reads the same files, and the offset log does not grow with the folder.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import anyio
import orjson
import pyarrow as pa
from anyio import to_thread
from anyio.abc import TaskStatus

from app.engine.contracts import IngestChunk, Offset, Options, Source, SourceContext
from app.engine.options import OptionReader
from app.errors import ArgumentError, FormatTooNew, OffsetLost, PlanError, SourceBroken, SourceClosed
from app.plan import types as t
from app.plan.nodes import Scan
from app.sources.formats.base import Decoder
from app.sources.formats.csv import CsvDecoder
from app.sources.formats.json import JsonDecoder
from app.sources.formats.parquet import ParquetDecoder
from app.sources.formats.text import TextDecoder
from app.sources.paths import FoundFile, check_path, find_files

_VERSION = 1
_CHUNK_FILES = 5_000
_EPOCH_BYTES = 256 << 20
_POLL_S = 1.0
_OPTIONS = ("path", "maxFilesPerTrigger", "ignoreMissingFiles")
_DECODERS: dict[str, Decoder] = {
    "csv": CsvDecoder(),
    "json": JsonDecoder(),
    "parquet": ParquetDecoder(),
    "text": TextDecoder(),
}
_log = logging.getLogger(__name__)


class FileSource:
    """Files in order of modification time. One that is overwritten or appended to is not read again."""

    def __init__(self, decoder: Decoder, options: OptionReader, schema: t.StructType) -> None:
        self._decoder = decoder
        self._options = options
        self._schema = schema
        self._path = options.text("path")
        self._most_files = options.whole("maxFilesPerTrigger", 1 << 31)
        self._files: list[FoundFile] = []
        self._seen: set[str] = set()
        self._frozen_at: int | None = None
        self._whole = False
        self._scope = anyio.CancelScope()
        self._stopped: asyncio.Event | None = None
        self._context: SourceContext | None = None

    @property
    def description(self) -> str:
        return f"FileStreamSource[{self._path}]"

    async def open(self, context: SourceContext) -> None:
        self._context = context
        async for chunk in context.ingest.read(0, await context.ingest.end()):
            self._remember(_decode(chunk.payload))
        await context.tasks.start(self._poll)

    async def initial(self) -> Offset:
        return 0

    async def latest(self, start: Offset) -> Offset:
        """Lists the path, then goes on by `maxFilesPerTrigger` files or, without it, about 256 MiB."""
        if self._frozen_at is None:
            await self._discover()
        start, limit = int(start), len(self._files) if self._frozen_at is None else self._frozen_at
        if self._whole:
            return max(start, limit)
        end, size = start, 0
        while end < limit and end - start < self._most_files:
            size += self._files[end].size
            if size > _EPOCH_BYTES and end > start and not self._options.given("maxFilesPerTrigger"):
                break
            end += 1
        return end

    async def freeze(self, whole: bool) -> None:
        await self._discover()
        self._frozen_at, self._whole = len(self._files), whole

    async def read(self, start: Offset, end: Offset) -> pa.Table:
        """Raises: OffsetLost for a file that is gone (unless `ignoreMissingFiles`), SourceBroken, RowError."""
        return await to_thread.run_sync(self._read, self._files[int(start) : int(end)])

    async def forget(self, end: Offset) -> None:
        """Nothing: the list of files is what keeps a file from being read twice."""

    async def close(self) -> None:
        self._scope.cancel()
        if self._stopped is not None:
            await self._stopped.wait()

    def _read(self, files: Sequence[FoundFile]) -> pa.Table:
        there = [file.path for file in files if not self._missing(file)]
        try:
            return self._decoder.decode(there, self._schema, self._options)
        except OSError as error:
            raise SourceBroken(f"{error.filename} cannot be read: {error.strerror}.") from error

    def _missing(self, file: FoundFile) -> bool:
        now = find_files(file.path)
        if not now:
            if not self._options.flag("ignoreMissingFiles"):
                raise OffsetLost(
                    f"The file {file.path} was listed but is gone before its rows were committed. Put it back, or "
                    "set the option ignoreMissingFiles to true to go on without it.",
                    path=file.path,
                )
            _log.warning("%s: the file %s is gone and is left out", self.description, file.path)
        elif now[0] != file:
            _log.warning("%s: the file %s has changed since it was listed", self.description, file.path)
        return not now

    async def _discover(self) -> None:
        context = self._opened()
        found = await to_thread.run_sync(find_files, self._path)
        fresh = [file for file in found if file.path not in self._seen]
        for at in range(0, len(fresh), _CHUNK_FILES):
            part = fresh[at : at + _CHUNK_FILES]
            await context.ingest.append(IngestChunk(len(self._files), len(part), _encode(part)))
            self._remember(part)

    def _remember(self, files: Sequence[FoundFile]) -> None:
        self._files.extend(files)
        self._seen.update(file.path for file in files)

    async def _poll(self, *, task_status: TaskStatus[None]) -> None:
        context = self._opened()
        self._stopped = asyncio.Event()
        try:
            with self._scope:
                task_status.started()
                while True:
                    await context.clock.sleep(_POLL_S)
                    context.wake()
        finally:
            self._stopped.set()

    def _opened(self) -> SourceContext:
        if self._context is None or self._scope.cancel_called:
            raise SourceClosed(f"{self.description} is not open.")
        return self._context


def _encode(files: Sequence[FoundFile]) -> bytes:
    return bytes([_VERSION]) + orjson.dumps([[file.path, file.size, file.mtime_us] for file in files])


def _decode(payload: bytes) -> list[FoundFile]:
    if payload[0] > _VERSION:
        raise FormatTooNew(
            f"The list of files in the ingest log has format {payload[0]}; this version reads up to {_VERSION}. "
            "Run the newer version that wrote it."
        )
    return [FoundFile(*entry) for entry in orjson.loads(payload[1:])]


class FileFormat:
    """A file format (csv, json, parquet, text), for `read` and for `readStream`.

    A stream needs a schema; a session with `spark.sql.streaming.schemaInference` asks for the static one first.
    """

    def __init__(self, name: str) -> None:
        self._decoder = _DECODERS[name]

    @property
    def names(self) -> tuple[str, ...]:
        return (self._decoder.name,)

    @property
    def option_names(self) -> tuple[str, ...]:
        """As they are spelled in the documentation."""
        return (*_OPTIONS, *self._decoder.option_names)

    def schema(self, options: Options, given: t.StructType | None, streaming: bool) -> t.StructType:
        reader = self._reader(options)
        self._decoder.check(reader, given)
        check_path(reader.text("path"))
        if given is not None:
            return _nullable(given)
        if streaming and self._decoder.name != "text":
            raise ArgumentError(
                "Schema must be specified when creating a streaming source DataFrame. If some files already exist in "
                "the directory, then depending on the file format you may be able to create a static DataFrame on "
                "that directory with 'spark.read.load(directory)' and infer schema from it.",
                code="SCHEMA_NOT_SPECIFIED",
            )
        paths = [file.path for file in find_files(reader.text("path"))]
        if not paths and self._decoder.name != "text":
            raise PlanError(
                f"Unable to infer schema for {self._decoder.name.upper()}: no file is there. It must be specified "
                "manually.",
                code="UNABLE_TO_INFER_SCHEMA",
            )
        return _nullable(self._decoder.infer(paths, reader))

    def stream(self, scan: Scan) -> Source:
        return FileSource(self._decoder, self._scanned(scan), scan.schema)

    def load(self, scan: Scan) -> pa.Table:
        options = self._scanned(scan)
        paths = [file.path for file in find_files(options.text("path"))]
        return self._decoder.decode(paths, scan.schema, options)

    def _scanned(self, scan: Scan) -> OptionReader:
        zone = {"timezone": scan.time_zone} if "timeZone" in self.option_names else {}
        return self._reader({**zone, **dict(scan.options)})

    def _reader(self, options: Options) -> OptionReader:
        reader = OptionReader(self._decoder.name, options, self.option_names)
        reader.required("path", f"'path' is not specified: give load(path) or {self._decoder.name}(path).")
        reader.whole("maxFilesPerTrigger", 1 << 31)
        reader.flag("ignoreMissingFiles")
        return reader


def _nullable(schema: t.StructType) -> t.StructType:
    """The schema without NOT NULL at any depth: a file promises nothing."""
    return t.StructType([t.StructField(f.name, _loose(f.dataType), True, f.metadata) for f in schema])


def _loose(kind: t.DataType) -> t.DataType:
    match kind:
        case t.StructType():
            return _nullable(kind)
        case t.ArrayType(element):
            return t.ArrayType(_loose(element), True)
        case t.MapType(key, value):
            return t.MapType(_loose(key), _loose(value), True)
    return kind
