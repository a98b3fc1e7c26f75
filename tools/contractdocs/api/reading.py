"""Every public name of the source files, as a symbol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import griffe

from tools.contractdocs.api import signatures
from tools.contractdocs.api.classes import ClassReader, Member
from tools.contractdocs.api.expressions import NOTHING, Home, Source, Writer, literal
from tools.contractdocs.api.markers import Mark, marks
from tools.contractdocs.api.model import Api, Listing, Symbol, entries
from tools.contractdocs.modules import PUBLIC_MODULES, SRC

UNMARKED = Mark("", "")
LONGEST_VALUE = 100
"""A call that is longer is cut: what a clause says stands in the contract, not in the API report."""


def extract(files: Mapping[str, str]) -> Api:
    """Read the public names out of the source files, by path from the root.

    The order is that of the public modules, and in each of them the alphabet's: where a definition stands
    in its file does not matter.
    """
    return _extract(tuple((name, text) for name, text in files.items() if name.startswith(SRC)))


@lru_cache(maxsize=8)
def _extract(files: tuple[tuple[str, str], ...]) -> Api:
    source = Source(dict(files))
    listed = [(module, name) for module in PUBLIC_MODULES for name in source.listed(module)]
    homes = {f"{module}.{name}": home for module, name in listed if (home := source.home(module, name))}
    public = {home: path for path, home in reversed(homes.items())}  # the first path counts
    reader = _Reader(source, public)
    symbols = [symbol for home, path in public.items() for symbol in reader.symbols(home, path)]
    in_order = {symbol.path: symbol for symbol in sorted(symbols, key=_place)}
    defined = (Listing(*path.rpartition(".")[::2], ".".join(home)) for path, home in homes.items())
    return Api(in_order, tuple(defined))


def _place(symbol: Symbol) -> tuple[int, str]:
    modules = (at for at, module in enumerate(PUBLIC_MODULES) if symbol.path.startswith(f"{module}."))
    return max(modules), symbol.path


class _Reader:
    def __init__(self, source: Source, public: Mapping[Home, str]) -> None:
        self._source = source
        self._public = public

    def symbols(self, home: Home, path: str) -> Iterator[Symbol]:
        """A public name, and the members of a class."""
        mark = marks(self._source.text(home[0])).get(home[1], UNMARKED)
        match self._source.object(home):
            case griffe.Class():
                yield from self._of_class(home, path, mark)
            case griffe.Function() as function:
                yield self._of_function(path, home, function, mark)
                yield from self._differing_parameters(home, path, function, mark)
            case griffe.Attribute() as attribute:
                yield self._of_constant(home, path, attribute, mark)
            case _:
                pass

    def _writer(self, home: Home) -> Writer:
        return Writer(self._source, self._public, home[0])

    def _of_class(self, home: Home, path: str, mark: Mark) -> Iterator[Symbol]:
        reader = ClassReader(self._writer(home), home)
        text = reader.signature()
        parameters = signatures.parameters(reader.callable_constructor, reader.writer)
        yield self._symbol(path, "class", text, mark, home, reader.definition, parameters=parameters)
        for name, member in reader.members.items():
            yield self._of_member(reader, f"{path}.{name}", member, mark)
        if reader.constructor is not None and not reader.has_fields:
            for symbol in self._differing_parameters(home, path, reader.constructor, mark):
                if symbol.name not in reader.members:
                    yield symbol

    def _differing_parameters(
        self, home: Home, path: str, function: griffe.Function, mark: Mark
    ) -> Iterator[Symbol]:
        """The parameters whose level is not that of what they belong to."""
        documented = entries(_docstring(function), "parameters")
        for name in sorted(one.name for one in function.parameters if one.name in mark.fields):
            place, said = (home[0], f"{home[1]}.{name}"), documented.get(name, "")
            yield self._symbol(
                f"{path}.{name}", "parameter", name, mark.fields[name], place, function, docstring=said
            )

    def _of_member(self, reader: ClassReader, path: str, member: Member, mark: Mark) -> Symbol:
        owner, found = member
        home = owner[0], f"{owner[1]}.{found.name}"
        own = marks(self._source.text(home[0])).get(home[1])
        level = own or mark.fields.get(found.name) or mark
        if isinstance(found, griffe.Function):
            return self._of_function(path, home, found, level)
        writer = self._writer(home)
        kind, text = _attribute(reader, found, writer)
        said = _docstring(found) or entries(_docstring(reader.definition), "attributes").get(found.name, "")
        return self._symbol(path, kind, text, level, home, found, docstring=said)

    def _of_function(self, path: str, home: Home, function: griffe.Function, mark: Mark) -> Symbol:
        writer = self._writer(home)
        kind = "method" if "." in home[1] else "function"
        text = signatures.of_function(path.rpartition(".")[2], function, writer)
        parameters = signatures.parameters(function, writer)
        return self._symbol(path, kind, text, mark, home, function, parameters=parameters)

    def _of_constant(self, home: Home, path: str, attribute: griffe.Attribute, mark: Mark) -> Symbol:
        writer = self._writer(home)
        name, annotation = home[1], writer.annotation(attribute.annotation)
        kind, text = "constant", f"{name}: str"
        if annotation == "TypeAlias":
            kind, text = "alias", f"{name} = {writer.annotation(attribute.value)}"
        elif name != "__version__":
            typed = f"{name}: {annotation}" if annotation else name
            text = f"{typed} = {shortened(writer.write(attribute.value))}"
        return self._symbol(path, kind, text, mark, home, attribute)

    def _symbol(
        self, path: str, kind: str, text: str, mark: Mark, home: Home, found: griffe.Object, **more: Any
    ) -> Symbol:
        return Symbol(
            path=path,
            kind=kind,
            signature=text,
            level=mark.level,
            since=mark.since,
            deprecated="" if kind == "parameter" else _deprecated(found),
            file=self._source.file(home[0]),
            line=found.lineno or 1,
            home=".".join(home),
            **{"docstring": _docstring(found), **more},
        )


def _attribute(reader: ClassReader, attribute: griffe.Attribute, writer: Writer) -> tuple[str, str]:
    """The kind and the signature of a member that is no method."""
    name, annotation, value = attribute.name, attribute.annotation, writer.write(attribute.value)
    if annotation is None and reader.constructor is not None:
        # That of the constructor's parameter which the attribute keeps.
        given = {one.name: one.annotation for one in reader.constructor.parameters}
        annotation = given.get(str(attribute.value))
    written = writer.annotation(annotation)
    typed = f"{name}: {written}" if written else name
    if "property" in attribute.labels:
        return "property", typed + (" (writable)" if "writable" in attribute.labels else "")
    if reader.is_enumeration:
        return "member", f"{name} = {value}"
    if reader.has_fields and written and not written.startswith("ClassVar"):
        default, _ = signatures.field_default(attribute.value, writer)
        return "field", f"{typed} = {default}" if default else typed
    bare = "class-attribute" in attribute.labels and not written
    if bare or written.startswith(("Final", "ClassVar")):
        return "constant", f"{typed} = {shortened(value)}"
    return "field", typed


def shortened(value: str) -> str:
    """A value; of one that is long and not a literal, how it begins."""
    if len(value) <= LONGEST_VALUE or value[0] in "'\"":
        return value
    opening, _, rest = value.partition("(")
    return f"{opening}({rest.partition(', ')[0]}, ...)" if opening.isidentifier() else "..."


def _deprecated(found: griffe.Object) -> str:
    """The message of PEP 702's decorator; one that is no literal is as written, and "" is none."""
    for decorator in found.decorators if isinstance(found, griffe.Class | griffe.Function) else ():
        call = decorator.value
        if isinstance(call, griffe.ExprCall) and call.canonical_path.rpartition(".")[2] == "deprecated":
            text = str(call.arguments[0])
            return text if literal(text) is NOTHING else str(literal(text))
    return ""


def _docstring(found: griffe.Object) -> str:
    return "" if found.docstring is None else found.docstring.value
