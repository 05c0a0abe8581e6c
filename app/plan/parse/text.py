"""SQL text as a row of tokens, read from left to right; the base of the parser.

sqlglot's Spark lexer splits the text: strings with Spark's escapes, back quotes, numbers, comments. Its parser is not
used: it reads the union of thirty dialects and means to translate, so it renames functions (`date_add` becomes
another function's node), has one precedence for `& | ^ || <<` where Spark has four, and passes over what it did not
expect (`a BETWEEN 1 2`, `FROM t *`, `SELECT a, FROM t`). Spark's own grammar is read here instead, and what it does
not have is an error at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NoReturn, TypeVar

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from app.errors import ParseError, PlanError

_SIGNS = ("||", "|>", "->", "=>", "<=>", "==", "!=", "<>", ">=", "<=", "::")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_]+")
_SUFFIXED = re.compile(r"(?P<digits>\d+\.?\d*(?:e[+-]?\d+)?)(?P<suffix>l|s|y|d|f|bd)", re.IGNORECASE)
_CLOSED = re.compile(
    r"""(?P<digits> (?<!\w)[xX]'[^']*[^'0-9a-fA-F][^']*')
    | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | --[^\n]* | /\*.*?\*/
    | (?P<open> ['"`]|/\*)""",
    re.VERBOSE | re.DOTALL,
)
_OPENED = {"'": "string", '"': "string", "`": "name in back quotes"}
_Item = TypeVar("_Item")


class _Lexer(Spark):
    class Tokenizer(Spark.Tokenizer):
        """Every word stays a plain word; whether it is a keyword depends on where it stands."""

        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            sign: kind for sign, kind in Spark.Tokenizer.KEYWORDS.items() if sign in _SIGNS
        }
        COMMANDS: ClassVar[set[TokenType]] = set()


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is word, quoted (a name in back quotes), string, hex, number, sign or end; `text` is without quotes."""

    kind: str
    text: str
    start: int
    end: int
    suffix: str = ""

    @property
    def word(self) -> str:
        """The word in upper case or the sign; empty for names in back quotes and literals."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


class Text:
    """A cursor over the tokens of `sql`; with `raw_strings`, a backslash in a string is just a backslash, with
    `quoted_names`, double quotes hold names."""

    def __init__(self, sql: str, raw_strings: bool = False, quoted_names: bool = False) -> None:
        self.sql = sql
        self._tokens = _tokens(sql, raw_strings, quoted_names)
        self._at = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._at]

    def ahead(self, count: int) -> Token:
        """The token `count` places behind the next one; the last one is of kind end."""
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    def closes(self, count: int) -> bool:
        """Whether nothing of this clause stands `count` places behind the next token."""
        token = self.ahead(count)
        return token.kind == "end" or token.word in (")", ",", ";", "|>")

    def advance(self) -> Token:
        token = self.next
        if token.kind != "end":
            self._at += 1
        return token

    def at(self, *words: str) -> bool:
        """Whether these words and signs come next."""
        return all(self.ahead(i).word == word for i, word in enumerate(words))

    def at_any(self, *words: str) -> bool:
        return self.next.word in words

    def take(self, *words: str) -> bool:
        """Steps over these words and signs if they come next."""
        found = self.at(*words)
        if found:
            self._at += len(words)
        return found

    def take_any(self, *words: str) -> str:
        """The one of these words that comes next, stepped over; empty if none does."""
        return self.advance().word if self.at_any(*words) else ""

    def need(self, *words: str) -> None:
        """Raises: ParseError unless these come next."""
        for word in words:
            if not self.take(word):
                self.fail(f"expected {_shown(word)}")

    def items(self, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """One or more, with commas between."""
        found = [item()]
        while self.take(","):
            found.append(item())
        return tuple(found)

    def wrapped(self, item: Callable[[], _Item]) -> _Item:
        """What stands between parentheses."""
        self.need("(")
        found = item()
        self.need(")")
        return found

    def whole(self, read: Callable[[], _Item]) -> _Item:
        """What `read` finds, which has to be all there is (a closing semicolon aside). Raises: ParseError."""
        if not self.sql.strip():
            self.reject("PARSE_EMPTY_STATEMENT", "Syntax error, unexpected empty statement: there is no text to read.")
        try:
            found = read()
        except RecursionError:
            raise ParseError(
                "The text nests parentheses or functions too deeply; name intermediate results in WITH or in views.",
                code="FAILED_TO_PARSE_TOO_COMPLEX",
            ) from None
        while self.take(";"):
            pass
        if self.next.kind != "end":
            self.fail("nothing was expected here, so an operator, a comma or a keyword may be missing before it")
        return found

    def line(self, token: Token) -> int:
        return self.sql.count("\n", 0, token.start) + 1

    def fail(self, why: str, token: Token | None = None) -> NoReturn:
        """Raises: ParseError that shows `token` (the next one if not given) in its line."""
        token = token or self.next
        raise syntax_error(self.sql, token.start, token.end, why, at_end=token.kind == "end")

    def reject(self, code: str, why: str, first: Token | None = None, last: Token | None = None) -> NoReturn:
        """Raises: ParseError of Spark's class `code` about the text from `first` (the next token if not given) to
        `last` (to `first` if not given), which is well-formed but means nothing."""
        first = first or self.next
        raise rejected(self.sql, first.start, (last or first).end, code, why)

    def unsupported(
        self, what: str, way_out: str, token: Token | None = None, code: str = "UNSUPPORTED_FEATURE"
    ) -> NoReturn:
        """Raises: PlanError for something Spark has and this engine does not."""
        token = token or self.next
        place, picture = _picture(self.sql, token.start, token.end)
        raise PlanError(f"{what} is not supported yet: {way_out} {place}{picture}", code=code, what=what)


def syntax_error(
    sql: str, start: int, end: int, why: str, *, at_end: bool = False, code: str | None = None
) -> ParseError:
    """The error for the text between two offsets, with its line and a caret below it."""
    place, picture = _picture(sql, start, end)
    near = "end of input" if at_end else f"'{sql[start:end]}'"
    what = "" if code else f"Syntax error at or near {near}: "
    return ParseError(f"{what}{why}. {place}{picture}", code=code, near=near)


def rejected(sql: str, start: int, end: int, code: str, why: str) -> ParseError:
    """The error of class `code` for the well-formed text between two offsets."""
    line_number = sql.count("\n", 0, start) + 1
    line_start = sql.rfind("\n", 0, start) + 1
    line_end = sql.find("\n", start)
    shown = sql[line_start : line_end if line_end >= 0 else len(sql)]
    carets = " " * (start - line_start) + "^" * max(1, min(end, line_start + len(shown)) - start)
    place = f"== SQL (line {line_number}, position {start - line_start + 1}) =="
    return ParseError(f"{why}\n{place}\n{shown}\n{carets}", code=code)


def _picture(sql: str, start: int, end: int) -> tuple[str, str]:
    line_number = sql.count("\n", 0, start) + 1
    line_start = sql.rfind("\n", 0, start) + 1
    column = start - line_start
    lines = sql.split("\n")
    carets = "-" * column + "^" * max(1, min(end, line_start + len(lines[line_number - 1])) - start)
    lines.insert(line_number, carets)
    shown = lines if len(lines) <= 12 else lines[max(0, line_number - 5) : line_number + 5]
    return f"(line {line_number}, pos {column})", "\n\n== SQL ==\n" + "\n".join(shown)


def _shown(word: str) -> str:
    return word if word.isalpha() else f"'{word}'"


def _tokens(sql: str, raw_strings: bool, quoted_names: bool) -> list[Token]:
    try:
        raw = _Lexer().tokenize(sql)
    except TokenError as error:
        raise _unclosed(sql) from error
    found: list[Token] = []
    for token in raw:
        source = sql[token.start : token.end + 1]
        text = source[1:-1] if raw_strings and token.token_type is TokenType.STRING else token.text
        quoted = quoted_names and token.token_type is TokenType.STRING and source[0] == '"'
        _check(sql, token.token_type, source, token.start)
        made = _token(TokenType.IDENTIFIER if quoted else token.token_type, text, source, token.start)
        last = found[-1] if found else None
        if made.kind == "number" and last and last.text == "." and last.end == made.start and _free(found):
            found[-1] = Token("number", "0." + made.text, last.start, made.end, made.suffix)
        else:
            found.append(made)
    found.append(Token("end", "", len(sql.rstrip()), len(sql.rstrip()) + 1))
    return found


def _check(sql: str, kind: TokenType, source: str, start: int) -> None:
    """Raises: ParseError for what the lexer takes and Spark does not."""
    if kind is TokenType.NATIONAL_STRING:
        raise rejected(sql, start, start + len(source), "UNSUPPORTED_TYPED_LITERAL", unsupported_literal(source[0]))
    if kind is TokenType.VAR and not _NAME.fullmatch(source) and source.isidentifier():
        why = (
            f"The unquoted identifier {source} is invalid and must be back quoted as: `{source}`. Unquoted identifiers "
            "can only contain ASCII letters, digits, and underbar ('_')"
        )
        raise syntax_error(sql, start, start + len(source), why, code="INVALID_IDENTIFIER")


def unsupported_literal(word: str) -> str:
    """What is wrong with a string behind `word`."""
    return (
        f'Literals of the type "{word.upper()}" are not supported. Supported types are "DATE", "TIMESTAMP_NTZ", '
        '"TIMESTAMP_LTZ", "TIMESTAMP", "INTERVAL", "X", "TIME".'
    )


def _free(found: list[Token]) -> bool:
    """Whether the dot at the end of `found` starts a number (`.5`) and not a field."""
    before = found[-2] if len(found) > 1 else None
    if before is None or before.end != found[-1].start or before.kind == "number":
        return True
    return before.kind == "sign" and before.text not in ")]"


def _token(kind: TokenType, text: str, source: str, start: int) -> Token:
    end = start + len(source)
    if kind is TokenType.IDENTIFIER:
        return Token("quoted", text, start, end)
    if kind in (TokenType.STRING, TokenType.RAW_STRING):
        return Token("string", text, start, end)
    if kind is TokenType.HEX_STRING and source[0] in "xX":
        return Token("hex", text, start, end)
    if kind is TokenType.NUMBER:
        return Token("number" if _NUMBER.fullmatch(source) else "word", source, start, end)
    if kind is TokenType.VAR and (match := _SUFFIXED.fullmatch(source)):
        return Token("number", match["digits"], start, end, match["suffix"].upper())
    if kind in (TokenType.VAR, TokenType.HEX_STRING):
        return Token("word", source, start, end)
    return Token("sign", source, start, end)


def _unclosed(sql: str) -> ParseError:
    for match in _CLOSED.finditer(sql):
        if match.lastgroup == "digits":
            why = f'The value of the typed literal "X" is invalid: {match[0][1:]}. Write hexadecimal digits.'
            return rejected(sql, match.start(), match.end(), "INVALID_TYPED_LITERAL", why)
        if match.lastgroup == "open" and match[0] == "/*":
            why = "Found an unclosed bracketed comment. Please, append */ at the end of the comment."
            return rejected(sql, match.start(), match.end(), "UNCLOSED_BRACKETED_COMMENT", why)
        if match.lastgroup == "open":
            return syntax_error(
                sql, match.start(), match.end(), f"the {_OPENED[match[0]]} that starts here is not closed"
            )
    if sql.count("/*") > sql.count("*/"):
        why = "Found an unclosed bracketed comment. Please, append */ at the end of the comment."
        at = sql.index("/*")
        return rejected(sql, at, at + 2, "UNCLOSED_BRACKETED_COMMENT", why)
    return syntax_error(sql, 0, 1, "the text cannot be split into words")
