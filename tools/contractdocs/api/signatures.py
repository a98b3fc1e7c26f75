"""Signatures and fields, as the API report writes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import griffe

from tools.contractdocs.api.expressions import Writer
from tools.contractdocs.api.model import Parameter

STARS: dict[griffe.ParameterKind | None, str] = {
    griffe.ParameterKind.var_positional: "*",
    griffe.ParameterKind.var_keyword: "**",
}


def of_function(name: str, function: griffe.Function, writer: Writer) -> str:
    """Its signature: of each overload, one to a line, with the defaults that the implementation has."""
    labels = function.labels
    prefix = next((f"@{label} " for label in ("classmethod", "staticmethod") if label in labels), "")
    prefix += "async def " if "async" in labels else "def "
    return "\n".join(prefix + call for call in _calls(name, function, writer, constructor=False))


def of_constructor(name: str, function: griffe.Function, writer: Writer) -> str:
    """The signature of a class's constructor, written as a call of the class."""
    return "\n".join(_calls(name, function, writer, constructor=True))


def parameters(function: griffe.Function | None, writer: Writer) -> tuple[Parameter, ...]:
    """Its parameters, but for private ones and ``self``."""
    if function is None:
        return ()
    writer = writer.at(function.module.path)
    shown = [one for one in function.parameters if not one.name.startswith("_")]
    return tuple(
        # griffe gives *args and **kwargs defaults of their own.
        Parameter(STARS.get(one.kind, "") + one.name, "" if one.kind in STARS else writer.write(one.default))
        for one in shown
        if one.name not in ("self", "cls")
    )


def _calls(name: str, function: griffe.Function, writer: Writer, *, constructor: bool) -> Iterator[str]:
    writer = writer.at(function.module.path)
    defaults = dict(parameters(function, writer))
    for one in function.overloads or [function]:
        first = next(iter(one.parameters), None)
        # An overload of a constructor says by the annotation of self what it makes.
        makes = (first and first.annotation) if constructor else one.returns
        returns = writer.annotation(makes)
        kept = [
            griffe.Parameter(
                item.name,
                annotation=writer.annotation(item.annotation) or None,
                kind=item.kind,
                default=None
                if item.default is None
                else defaults.get(item.name) or writer.write(item.default),
            )
            for item in one.parameters
            if not item.name.startswith("_")
            and not (item.name in ("self", "cls") and (constructor or item.annotation is None))
        ]
        made = griffe.Function(name, parameters=griffe.Parameters(*kept), returns=returns or None)
        yield made.signature()


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
