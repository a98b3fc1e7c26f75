"""Reads a tool's arguments by a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError, MessageFormatError
from finalturn._core.frozen import freeze, thaw
from finalturn._tools.arguments import ArgumentsError, Values, problem_list

__all__ = ["SchemaArguments"]


class SchemaArguments:
    """One JSON object, validated against a JSON Schema of draft 2020-12; each key becomes a keyword."""

    def __init__(self, schema: Mapping[str, Any], label: str) -> None:
        """Check the schema.

        Raises:
            ConfigurationError: it is not a schema of an object.
        """
        from finalturn._jsonschema.validate import problems_finder

        if not isinstance(cast("object", schema), Mapping):
            raise ConfigurationError(f"tool {label}: parameters must be a JSON Schema, as a mapping")
        try:
            self.schema: Mapping[str, Any] = freeze(schema, "parameters")
            self._problems = problems_finder(thaw(self.schema))
        except (MessageFormatError, ConfigurationError) as error:
            reason = str(error).replace("the response_format mapping", "the mapping of its parameters")
            raise ConfigurationError(f"tool {label}: {reason}") from None
        if schema.get("type") != "object":
            raise ConfigurationError(
                f'tool {label}: parameters must describe an object; add "type": "object"'
            )

    def read(self, text: str) -> Values:
        """Validate the text; the values are plain JSON."""
        try:
            arguments = json_text.decode(text)
        except ValueError as error:
            raise ArgumentsError(f"- Invalid JSON: {error}") from None
        try:
            problems = self._problems(arguments)
        except Exception as error:
            raise ArgumentsError(f"- they cannot be checked: {type(error).__name__}") from None
        if problems:
            raise ArgumentsError(problem_list([(problem.path, problem.message) for problem in problems]))
        return Values((), arguments)
