"""What may be given to a source, and what is said where it may not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.engine.contracts import SourceFormat
from app.errors import PlanError
from app.plan.types import StructType
from app.sources.files import FileFormat
from app.sources.memory import MemoryFormat
from app.sources.rate import RateFormat
from app.sources.socket import SocketFormat

DOCUMENT = Path(__file__).parents[2] / "docs" / "files.md"
HERE = {"host": "localhost", "port": "9999"}


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        (SocketFormat(), {"port": "1"}, 'Set a host to read from with option("host", ...).'),
        (SocketFormat(), {"host": "h"}, 'Set a port to read from with option("port", ...).'),
        (SocketFormat(), {"host": "h", "port": "x"}, "port must be a whole number from 1 to 65535"),
        (SocketFormat(), {"host": "h", "port": "70000"}, "port must be a whole number from 1 to 65535"),
        (SocketFormat(), {**HERE, "host": "a..b"}, "host must be a host name or an address"),
        (SocketFormat(), {**HERE, "includetimestamp": "yes"}, 'includeTimestamp must be set to either "true"'),
        (SocketFormat(), {**HERE, "maxlinebytes": "0"}, "maxLineBytes must be a whole number"),
        (SocketFormat(), {**HERE, "invalidutf8": "drop"}, "invalidUtf8 must be one of deadletter, replace"),
        (SocketFormat(), {**HERE, "hots": "h"}, "has no option 'hots'. Did you mean host?"),
        (RateFormat(), {"rowspersecond": "0"}, "rowsPerSecond must be a whole number"),
        (RateFormat(), {"numpartitions": "0"}, "numPartitions must be a whole number"),
        (RateFormat(), {"rampuptime": "-1s"}, "rampUpTime must be a duration that is not negative"),
        (RateFormat(), {"rowspersec": "1"}, "Did you mean rowsPerSecond?"),
        (FileFormat("csv"), {}, "'path' is not specified"),
        (FileFormat("csv"), {"path": "/", "sep": "ab"}, "sep must be a single character"),
        (FileFormat("csv"), {"path": "/", "mode": "LAX"}, "mode must be one of PERMISSIVE, DROPMALFORMED, FAILFAST"),
        (FileFormat("csv"), {"path": "/", "encoding": "latin1"}, "encoding must be one of UTF-8"),
        (FileFormat("csv"), {"path": "/", "dateformat": "dd.MM.YYYY"}, "Unrecognized datetime pattern"),
        (FileFormat("csv"), {"path": "/", "seperator": ";"}, "has no option 'seperator'"),
        (FileFormat("json"), {"path": "/", "maxfilespertrigger": "x"}, "maxFilesPerTrigger must be a whole number"),
        (FileFormat("text"), {"path": "/gone"}, "Path does not exist: file:/gone"),
        (MemoryFormat(), {}, "make a MemoryStream"),
    ],
)
def test_a_wrong_option_is_refused_with_a_way_out(source: SourceFormat, options: dict[str, str], said: str) -> None:
    with pytest.raises(PlanError) as caught:
        source.schema(options, None, True)
    assert said in caught.value.sentence


def test_columns_are_known_before_anything_runs() -> None:
    assert SocketFormat().schema(HERE, None, True).simpleString() == "struct<value:string>"
    stamped = SocketFormat().schema({**HERE, "includetimestamp": "true"}, None, True)
    assert stamped.simpleString() == "struct<value:string,timestamp:timestamp>"
    assert RateFormat().schema({}, None, True).simpleString() == "struct<timestamp:timestamp,value:bigint>"


@pytest.mark.parametrize("source", [SocketFormat(), RateFormat()])
def test_a_source_with_columns_of_its_own_takes_no_schema(source: SourceFormat) -> None:
    options = HERE if source.names == ("socket",) else {}
    with pytest.raises(PlanError, match="does not support a user-specified schema"):
        source.schema(options, StructType.fromDDL("a int"), True)


@pytest.mark.parametrize("name", ["csv", "json", "parquet", "text"])
def test_the_documentation_names_the_options_of_files(name: str) -> None:
    lines = [line.split("|")[1:3] for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    named = {
        option
        for options, formats in lines
        if formats.strip() == "all" or name in formats.strip().split(", ")
        for option in re.findall("`(\\w+)`", options)
    }
    assert named == set(FileFormat(name).option_names)
