"""Rules as data: frozen models read from TOML, whose mistakes become one plain sentence.

Kept apart from the package root because pydantic takes time to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import UsageError


class SpecModel(BaseModel):
    """A frozen set of rules that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, allow_inf_nan=False)

    @classmethod
    def read(cls, values: Mapping[str, Any], where: str) -> Self:
        """Read a mapping (a TOML table) found at ``where``, such as ``[grades.h100-sxm]``.

        Raises UsageError with one sentence naming the key, its value and the remedy.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise UsageError(_sentence(cls, error, where)) from None


def _sentence(model: type[BaseModel], error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "the table"
    if first["type"] == "extra_forbidden":
        near = get_close_matches(key, model.model_fields, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(model.model_fields)}."
        return f"{where} has an unknown key {key}; {hint}"
    if first["type"] == "missing":
        return f"{where} lacks the key {key}; add it."
    message = first["msg"].removeprefix("Value error, ")
    if len(first["loc"]) == 0:
        return f"{where}: {message}"
    return f"{where} has {key} = {first['input']!r}: {message[0].lower()}{message[1:].rstrip('.')}."
