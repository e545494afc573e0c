"""Parameters of the interface: what each is, how its text is read, and the sentence where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ...records import UsageError
from ...workspace import AsOf, read_as_of, read_date, read_view_instant


class BadParameterError(UsageError):
    """A parameter whose text can't be read, whatever the data hold."""


Kind = Literal["text", "date", "month", "instant", "flag", "count", "number"]
LONGEST_TEXT: Final = 200
LARGEST_COUNT: Final = 1_000_000
CONTROL: Final = re.compile(r"[\u0000-\u001f\u007f-\u009f]")
MONTH: Final = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an endpoint. In a path it is always required."""

    name: str
    kind: Kind
    summary: str
    place: Literal["path", "query"] = "query"
    required: bool = False
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> Any:
        """The value of a text: str, bool, int, float; a date, month or instant stays text.

        Raises UsageError with the name, the value and what it should be.
        """
        if not 0 < len(text) <= LONGEST_TEXT or CONTROL.search(text):
            raise UsageError(f"{self.name} is no printable text of 1 to {LONGEST_TEXT} characters.")
        if self.choices and text not in self.choices:
            raise UsageError(f"{self.name} is {text!r}; it can be {', '.join(self.choices)}.")
        if self.kind == "flag":
            if text not in ("true", "false"):
                raise UsageError(f"{self.name} is {text!r}; write true or false.")
            return text == "true"
        if self.kind == "count":
            if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= LARGEST_COUNT):
                raise UsageError(f"{self.name} is {text!r}; write a whole number from 1 to {LARGEST_COUNT}.")
            return int(text)
        if self.kind == "date":
            read_date(text, self.name)
        if self.kind == "month" and not MONTH.fullmatch(text):
            raise UsageError(f"{self.name} is {text!r}; write a month as 2026-08.")
        if self.kind == "instant":
            read_view_instant(text)
        return text

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the text."""
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        return dict(_SCHEMAS[self.kind])


_SCHEMAS: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "text": {
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_TEXT,
        "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
    },
    "date": {"type": "string", "format": "date"},
    "month": {"type": "string", "pattern": f"^{MONTH.pattern}$"},
    "instant": {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT},
    "number": {"type": "number"},
}

AS_OF: Final = Parameter("as_of", "instant", "What was known at this instant or date (UTC).")
RECONSTRUCTED: Final = Parameter(
    "reconstructed", "flag", "With as_of: by when the source made it public, from today's archive."
)
FORMAT: Final = Parameter(
    "format", "text", "json (as `--json` prints it) or csv (its rows).", choices=("json", "csv")
)
JSON_ONLY: Final = Parameter("format", "text", "json, as `--json` prints it.", choices=("json",))


def read_parameters(
    parameters: tuple[Parameter, ...], path: Mapping[str, str], query: Mapping[str, list[str]]
) -> dict[str, Any]:
    """Values by name, None for what was not given. Raises BadParameterError naming the parameter and the remedy."""
    known = {p.name for p in parameters if p.place == "query"}
    for name, texts in query.items():
        if name not in known:
            raise BadParameterError(
                f"There is no parameter {name[:LONGEST_TEXT]!r} here; known: {', '.join(sorted(known))}."
            )
        if len(texts) > 1:
            raise BadParameterError(f"{name} is given {len(texts)} times; give it once.")
    try:
        return _values(parameters, path, query)
    except UsageError as error:
        raise BadParameterError(error.sentence) from None


def _values(
    parameters: tuple[Parameter, ...], path: Mapping[str, str], query: Mapping[str, list[str]]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for parameter in parameters:
        text = path.get(parameter.name) if parameter.place == "path" else None
        if parameter.place == "query" and parameter.name in query:
            text = query[parameter.name][0]
        if text is None and parameter.required:
            raise UsageError(
                f"{parameter.name} is missing; {parameter.summary[0].lower()}{parameter.summary[1:]}"
            )
        values[parameter.name] = None if text is None else parameter.read(text)
    return values


def read_view(values: Mapping[str, Any]) -> AsOf | None:
    """The as-of view asked for, or None for the latest. Raises UsageError for what is no time."""
    return read_as_of(values["as_of"], reconstructed=bool(values["reconstructed"]))
