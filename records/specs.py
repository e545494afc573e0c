"""Rules as data: frozen models read from TOML, whose mistakes become one plain sentence.

Kept apart from the package root because pydantic takes time to import.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import RentmarkError, UsageError
from .instants import parse_date

_IN_OUR_WORDS = {
    "a valid array": "a list",
    "a valid tuple": "a list",
    "a valid dictionary": "a table",
    "an object": "a table",
    "Tuple should": "List should",
    "a valid integer": "a whole number",
    "a valid boolean": "true or false",
}
"""What pydantic says, and how a person who writes TOML says it."""


class SpecModel(BaseModel):
    """A frozen set of rules that refuses keys it does not know and values of another type.

    ``true`` is no number, ``"3"`` is no 3 and ``"yes"`` is no flag; a whole number may stand where a
    number is asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, allow_inf_nan=False)

    @classmethod
    def read(cls, values: Mapping[str, Any], where: str) -> Self:
        """Read a mapping (a TOML table) found at ``where``, such as ``[grades.h100-sxm]``.

        Raises UsageError with one sentence naming the key, its value and the remedy.
        """
        # read as JSON, whose strict types are those of TOML: a list is a list, and a date may be written out
        text = json.dumps(dict(values), default=_written)
        try:
            return cls.model_validate_json(text, strict=True)
        except ValidationError as error:
            raise UsageError(_sentence(cls, error, where)) from None

    @classmethod
    def recorded(cls, values: Mapping[str, Any], where: str) -> Self:
        """Rules as they were once read and recorded, taken as they stand.

        Nothing is asked of them again: what they name may since have left a catalogue. Raises
        RentmarkError for a key that this version does not know.
        """
        unknown = [name for name in values if name not in cls.model_fields]
        if unknown:
            raise RentmarkError(
                f"{where} holds {unknown[0]}, which this version does not know; read it with a later version."
            )
        kept = {name: _as_recorded(cls.model_fields[name].annotation, v, where) for name, v in values.items()}
        return cls.model_construct(**kept)


def _written(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)


def _as_recorded(annotation: Any, value: Any, where: str) -> Any:
    """A recorded JSON value as a field of this annotation holds it."""
    if value is None:
        return None
    if isinstance(annotation, type):
        if issubclass(annotation, SpecModel):
            return annotation.recorded(value, where)
        return parse_date(value) if annotation is date else value
    parts = get_args(annotation)
    if get_origin(annotation) is tuple:
        return tuple(_as_recorded(parts[0], item, where) for item in value)
    if isinstance(value, dict | list | str):
        for part in parts:  # the alternatives of an optional field, or what a type is annotated with
            held = _as_recorded(part, value, where)
            if held is not value:
                return held
    return value


def _sentence(model: type[BaseModel], error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "the table"
    if first["type"] == "extra_forbidden":
        known = _model_at(model, first["loc"][:-1]).model_fields
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(known)}."
        return f"{where} has an unknown key {key}; {hint}"
    if first["type"] == "missing":
        return f"{where} lacks the key {key}; add it."
    message = first["msg"].removeprefix("Value error, ")
    for theirs, ours in _IN_OUR_WORDS.items():
        message = message.replace(theirs, ours)
    message = f"{message.rstrip('.')}."
    if len(first["loc"]) == 0:
        return f"{where}: {message}"
    return f"{where} has {key} = {first['input']!r}: {message[0].lower()}{message[1:]}"


def _model_at(model: type[BaseModel], path: tuple[int | str, ...]) -> type[BaseModel]:
    """The model of the table at a path below a model."""
    for part in path:
        field = model.model_fields.get(str(part))
        found = None if field is None else _model_in(field.annotation)
        model = found or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part)) is not None), None)
