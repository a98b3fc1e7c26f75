"""Signatures and fields, as the API report writes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import griffe

from tools.contractdocs.api.expressions import Writer
from tools.contractdocs.api.model import Parameter

NAMED = griffe.ParameterKind.keyword_only
STARS: dict[griffe.ParameterKind | None, str] = {
    griffe.ParameterKind.var_positional: "*",
    griffe.ParameterKind.var_keyword: "**",
}


class Field(NamedTuple):
    """A field that the constructor of a dataclass or a named tuple takes."""

    name: str
    annotation: str
    default: str
    keyword_only: bool = False

    @property
    def text(self) -> str:
        """As in a signature."""
        return f"{self.name}: {self.annotation}" + (f" = {self.default}" if self.default else "")


def of_function(name: str, function: griffe.Function, writer: Writer) -> str:
    """Its signature: of each overload, one to a line, with the defaults that the implementation has."""
    labels = function.labels
    prefix = next((f"@{label} " for label in ("classmethod", "staticmethod") if label in labels), "")
    prefix += "async def " if "async" in labels else "def "
    return "\n".join(f"{prefix}{name}{text}" for text in _calls(function, writer, constructor=False))


def of_constructor(name: str, function: griffe.Function, writer: Writer) -> str:
    """The signature of a class's constructor, written as a call of the class."""
    return "\n".join(f"{name}{text}" for text in _calls(function, writer, constructor=True))


def of_fields(name: str, fields: Sequence[Field]) -> str:
    """The signature of a constructor that is made of fields."""
    ordered = [field.text for field in fields if not field.keyword_only]
    named = [field.text for field in fields if field.keyword_only]
    return f"{name}({', '.join([*ordered, *(['*'] if named else []), *named])})"


def parameters(function: griffe.Function, writer: Writer) -> tuple[Parameter, ...]:
    """Its parameters, but for private ones and ``self``."""
    writer = writer.at(function.module.path)
    return tuple(
        Parameter(STARS.get(one.kind, "") + one.name, _default(one, writer))
        for one in _public(function)
        if one.name not in ("self", "cls")
    )


def _calls(function: griffe.Function, writer: Writer, *, constructor: bool) -> Iterator[str]:
    writer = writer.at(function.module.path)
    defaults = {one.name: one.default for one in parameters(function, writer)}
    for one in function.overloads or [function]:
        first = next(iter(one.parameters), None)
        # An overload of a constructor says by the annotation of self what it makes.
        makes = (first and first.annotation) if constructor else one.returns
        returns = writer.annotation(makes)
        kept = [
            item
            for item in _public(one)
            if not (item.name in ("self", "cls") and (constructor or item.annotation is None))
        ]
        yield f"({', '.join(_pieces(kept, writer, defaults))})" + (f" -> {returns}" if returns else "")


def _pieces(kept: list[griffe.Parameter], writer: Writer, defaults: dict[str, str]) -> Iterator[str]:
    kinds = [one.kind for one in kept]
    only_positional = [at for at, kind in enumerate(kinds) if kind is griffe.ParameterKind.positional_only]
    for at, one in enumerate(kept):
        if one.kind is NAMED and not {NAMED, griffe.ParameterKind.var_positional}.intersection(kinds[:at]):
            yield "*"
        annotation, default = writer.annotation(one.annotation), _default(one, writer)
        if default == "...":
            default = defaults.get(one.name, default)
        text = STARS.get(one.kind, "") + one.name + (f": {annotation}" if annotation else "")
        equals = " = " if annotation else "="
        yield f"{text}{equals}{default}" if default else text
        if only_positional and at == only_positional[-1]:
            yield "/"


def _default(one: griffe.Parameter, writer: Writer) -> str:
    # griffe gives *args and **kwargs defaults of their own.
    return "" if one.kind in STARS else writer.write(one.default)


def _public(function: griffe.Function) -> list[griffe.Parameter]:
    return [one for one in function.parameters if not one.name.startswith("_")]


def field_default(value: griffe.Expr | str | None, writer: Writer) -> tuple[str, bool]:
    """A dataclass field's default, and whether its constructor takes the field at all.

    ``field(default_factory=list)`` is ``list()``.
    """
    text = writer.write(value)
    call = ast.parse(text, mode="eval").body if text else None
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "field"):
        return text, True
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    taken = "init" not in given or ast.unparse(given["init"]) != "False"
    default = given.get("default")
    if factory := given.get("default_factory"):
        default = factory.body if isinstance(factory, ast.Lambda) else ast.Call(factory, [], [])
    return ("" if default is None else ast.unparse(default)), taken
