"""Text and binary: parts, search, regular expressions, padding, encodings, hashes."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe, not_allowed, unless, value


def upper(col: ColumnOrName) -> Column:
    """The text in upper case."""
    return call("upper", col)


def lower(col: ColumnOrName) -> Column:
    """The text in lower case."""
    return call("lower", col)


def ucase(str: ColumnOrName) -> Column:
    """The text in upper case."""
    return call("ucase", str)


def lcase(str: ColumnOrName) -> Column:
    """The text in lower case."""
    return call("lcase", str)


def ascii(col: ColumnOrName) -> Column:
    """The code of the first character."""
    return call("ascii", col)


def base64(col: ColumnOrName) -> Column:
    """Binary as base64 text."""
    return call("base64", col)


def unbase64(col: ColumnOrName) -> Column:
    """The binary that base64 text stands for."""
    return call("unbase64", col)


def ltrim(col: ColumnOrName, trim: ColumnOrName | None = None) -> Column:
    """The text without leading blanks, or without leading characters of `trim`."""
    return call("ltrim", col) if trim is None else call("ltrim", trim, col)


def rtrim(col: ColumnOrName, trim: ColumnOrName | None = None) -> Column:
    """The text without trailing blanks, or without trailing characters of `trim`."""
    return call("rtrim", col) if trim is None else call("rtrim", trim, col)


def trim(col: ColumnOrName, trim: ColumnOrName | None = None) -> Column:
    """The text without blanks at both ends, or without the characters of `trim` there."""
    return call("trim", col) if trim is None else call("trim", trim, col)


def btrim(str: ColumnOrName, trim: ColumnOrName | None = None) -> Column:
    """The text without blanks at both ends, or without the characters of `trim` there."""
    return call("btrim", str, trim)


def concat(*cols: ColumnOrName) -> Column:
    """The texts, binaries or arrays put one behind the other; null if one is null."""
    return call("concat", *cols)


def format_string(format: str, *cols: ColumnOrName) -> Column:
    """The values put into a format as of printf."""
    return call("format_string", lit(format), *cols)


def printf(format: ColumnOrName, *cols: ColumnOrName) -> Column:
    """The values put into a format as of printf."""
    return call("printf", format, *cols)


def concat_ws(sep: str, *cols: ColumnOrName) -> Column:
    """The texts put one behind the other with `sep` between; nulls are passed over."""
    return call("concat_ws", lit(sep), *cols)


def decode(col: ColumnOrName, charset: str) -> Column:
    """Binary read as text of a character set."""
    return call("decode", col, lit(charset))


def encode(col: ColumnOrName, charset: str) -> Column:
    """Text as binary in a character set."""
    return call("encode", col, lit(charset))


def instr(str: ColumnOrName, substr: Column | str) -> Column:
    """The position of `substr` in the text, 1 the first; 0 if it is not there."""
    return call("instr", str, lit(substr))


def overlay(src: ColumnOrName, replace: ColumnOrName, pos: ColumnOrName | int, len: ColumnOrName | int = -1) -> Column:
    """`src` with `len` characters from position `pos` replaced."""
    return call("overlay", src, replace, value(pos), unless(-1, len) if isinstance(len, int) else len)


def substring(str: ColumnOrName, pos: ColumnOrName | int, len: ColumnOrName | int) -> Column:
    """`len` characters (or bytes) from position `pos`, 1 the first; a negative one counts from the end."""
    return call("substring", str, value(pos), value(len))


def substr(str: ColumnOrName, pos: ColumnOrName, len: ColumnOrName | None = None) -> Column:
    """`len` characters from position `pos`, or all from there on."""
    return call("substr", str, pos, len)


def substring_index(str: ColumnOrName, delim: str, count: int) -> Column:
    """The text before the `count`-th `delim`; with a negative count, behind it from the end."""
    return call("substring_index", str, lit(delim), lit(count))


def levenshtein(left: ColumnOrName, right: ColumnOrName, threshold: int | None = None) -> Column:
    """How many characters have to change between the two texts; -1 beyond `threshold`."""
    return call("levenshtein", left, right, maybe(threshold))


def locate(substr: str, str: ColumnOrName, pos: int = 1) -> Column:
    """The position of `substr` in `str` from `pos` on, 1 the first; 0 if it is not there."""
    return call("locate", lit(substr), str, unless(1, pos))


def position(substr: ColumnOrName, str: ColumnOrName, start: ColumnOrName | None = None) -> Column:
    """The position of `substr` in `str` from `start` on, 1 the first; 0 if it is not there."""
    return call("position", substr, str, start)


def lpad(col: ColumnOrName, len: Column | int, pad: Column | str) -> Column:
    """The text filled on the left with `pad`, or cut, to a length."""
    return call("lpad", col, lit(len), lit(pad))


def rpad(col: ColumnOrName, len: Column | int, pad: Column | str) -> Column:
    """The text filled on the right with `pad`, or cut, to a length."""
    return call("rpad", col, lit(len), lit(pad))


def repeat(col: ColumnOrName, n: ColumnOrName | int) -> Column:
    """The text `n` times."""
    return call("repeat", col, value(n))


def split(str: ColumnOrName, pattern: Column | str, limit: ColumnOrName | int = -1) -> Column:
    """The parts of the text between matches of a regular expression, at most `limit` if it is positive."""
    return call("split", str, lit(pattern), unless(-1, limit) if isinstance(limit, int) else limit)


def split_part(src: ColumnOrName, delimiter: ColumnOrName, partNum: ColumnOrName) -> Column:
    """The part number `partNum` of the text between delimiters, 1 the first."""
    return call("split_part", src, delimiter, partNum)


def rlike(str: ColumnOrName, regexp: ColumnOrName) -> Column:
    """True where the regular expression is found in the text."""
    return call("rlike", str, regexp)


def regexp(str: ColumnOrName, regexp: ColumnOrName) -> Column:
    """True where the regular expression is found in the text."""
    return call("regexp", str, regexp)


def regexp_like(str: ColumnOrName, regexp: ColumnOrName) -> Column:
    """True where the regular expression is found in the text."""
    return call("regexp_like", str, regexp)


def regexp_count(str: ColumnOrName, regexp: ColumnOrName) -> Column:
    """How often the regular expression is found."""
    return call("regexp_count", str, regexp)


def regexp_extract(str: ColumnOrName, pattern: str, idx: int) -> Column:
    """Group `idx` of the first match of a regular expression; empty if there is none."""
    return call("regexp_extract", str, lit(pattern), lit(idx))


def regexp_extract_all(str: ColumnOrName, regexp: ColumnOrName, idx: int | Column | None = None) -> Column:
    """Group `idx` (1 if not given) of every match of a regular expression."""
    return call("regexp_extract_all", str, regexp, maybe(idx))


def regexp_replace(string: ColumnOrName, pattern: str | Column, replacement: str | Column) -> Column:
    """The text with every match of a regular expression replaced."""
    return call("regexp_replace", string, lit(pattern), lit(replacement))


def regexp_substr(str: ColumnOrName, regexp: ColumnOrName) -> Column:
    """The first match of a regular expression, null if there is none."""
    return call("regexp_substr", str, regexp)


def initcap(col: ColumnOrName) -> Column:
    """The text with every word capitalised."""
    return call("initcap", col)


def length(col: ColumnOrName) -> Column:
    """The number of characters of a text or bytes of a binary."""
    return call("length", col)


def char_length(str: ColumnOrName) -> Column:
    """The number of characters of a text or bytes of a binary."""
    return call("char_length", str)


def character_length(str: ColumnOrName) -> Column:
    """The number of characters of a text or bytes of a binary."""
    return call("character_length", str)


def octet_length(col: ColumnOrName) -> Column:
    """The number of bytes."""
    return call("octet_length", col)


def bit_length(col: ColumnOrName) -> Column:
    """The number of bits."""
    return call("bit_length", col)


def translate(srcCol: ColumnOrName, matching: str, replace: str) -> Column:
    """The text with each character of `matching` replaced by the one of `replace` at its place."""
    return call("translate", srcCol, lit(matching), lit(replace))


def replace(src: ColumnOrName, search: ColumnOrName, replace: ColumnOrName | None = None) -> Column:
    """The text with `search` replaced everywhere, or taken out."""
    return call("replace", src, search, replace)


def left(str: ColumnOrName, len: ColumnOrName) -> Column:
    """The first `len` characters."""
    return call("left", str, len)


def right(str: ColumnOrName, len: ColumnOrName) -> Column:
    """The last `len` characters."""
    return call("right", str, len)


def contains(left: ColumnOrName, right: ColumnOrName) -> Column:
    """True where `right` is found in `left`."""
    return call("contains", left, right)


def startswith(str: ColumnOrName, prefix: ColumnOrName) -> Column:
    """True where the text starts with `prefix`."""
    return call("startswith", str, prefix)


def endswith(str: ColumnOrName, suffix: ColumnOrName) -> Column:
    """True where the text ends with `suffix`."""
    return call("endswith", str, suffix)


def like(str: ColumnOrName, pattern: ColumnOrName, escapeChar: Column | None = None) -> Column:
    """True where the text fits a LIKE pattern; `escapeChar` instead of the backslash."""
    return call("like", str, pattern, escapeChar)


def ilike(str: ColumnOrName, pattern: ColumnOrName, escapeChar: Column | None = None) -> Column:
    """`like` without regard to case."""
    return call("ilike", str, pattern, escapeChar)


def char(col: ColumnOrName) -> Column:
    """The character with this code."""
    return call("char", col)


def chr(n: ColumnOrName) -> Column:
    """The character with this code."""
    return call("chr", n)


def find_in_set(str: ColumnOrName, str_array: ColumnOrName) -> Column:
    """The position of a text in a list with commas, 0 if it is not there."""
    return call("find_in_set", str, str_array)


def reverse(col: ColumnOrName) -> Column:
    """The text or array from back to front."""
    return call("reverse", col)


def url_encode(str: ColumnOrName) -> Column:
    """The text as it is written in a URL."""
    return call("url_encode", str)


def md5(col: ColumnOrName) -> Column:
    """The MD5 digest in hexadecimal digits."""
    return call("md5", col)


def sha(col: ColumnOrName) -> Column:
    """The SHA-1 digest in hexadecimal digits."""
    return call("sha", col)


def sha1(col: ColumnOrName) -> Column:
    """The SHA-1 digest in hexadecimal digits."""
    return call("sha1", col)


def sha2(col: ColumnOrName, numBits: int) -> Column:
    """The SHA-2 digest of 224, 256 (also 0), 384 or 512 bits in hexadecimal digits. Raises: ArgumentError."""
    if numBits not in (0, 224, 256, 384, 512):
        raise not_allowed("numBits", numBits, "0, 224, 256, 384, 512")
    return call("sha2", col, lit(numBits))
