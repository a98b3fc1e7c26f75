"""Every public name of the source files, as a symbol."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import griffe

from tools.contractdocs.api import signatures
from tools.contractdocs.api.classes import ClassReader, Member
from tools.contractdocs.api.docstrings import entries
from tools.contractdocs.api.expressions import Home, Source, Writer
from tools.contractdocs.api.markers import Mark, deprecations, marks
from tools.contractdocs.api.model import Api, Listing, Symbol
from tools.contractdocs.modules import PUBLIC_MODULES

UNMARKED = Mark("", "")
LONGEST_VALUE = 100
"""A call that is longer is cut: what a clause says stands in the contract, not in the API report."""


def extract(files: Mapping[str, str]) -> Api:
    """Read the public names out of the source files, by path from the root.

    The order is that of the public modules, and in each of them the alphabet's: where a definition stands
    in its file does not matter.
    """
    reader = _Reader(Source(files))
    symbols = [symbol for home, path in reader.public.items() for symbol in reader.symbols(home, path)]
    return Api({symbol.path: symbol for symbol in sorted(symbols, key=_place)}, tuple(reader.listings))


def _place(symbol: Symbol) -> tuple[int, str]:
    modules = (at for at, module in enumerate(PUBLIC_MODULES) if symbol.path.startswith(f"{module}."))
    return max(modules), symbol.path


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.public: dict[Home, str] = {}
        self.listings: list[Listing] = []
        for module in PUBLIC_MODULES:
            for name, line in _listed(source, module):
                home = source.home(module, name)
                full = "" if home is None else ".".join(home)
                self.listings.append(Listing(module, name, full, source.file(module), line))
                if home is not None:
                    self.public.setdefault(home, f"{module}.{name}")

    def symbols(self, home: Home, path: str) -> Iterator[Symbol]:
        """A public name, and the members of a class."""
        mark = marks(self.source.text(home[0])).get(home[1], UNMARKED)
        match self.source.object(home):
            case griffe.Class():
                yield from self._of_class(home, path, mark)
            case griffe.Function() as function:
                yield self._of_function(path, home, home[1], function, mark)
                yield from self._differing_parameters(home, path, function, mark)
            case griffe.Attribute() as attribute:
                yield self._of_constant(home, path, attribute, mark)
            case _:
                pass

    def _of_class(self, home: Home, path: str, mark: Mark) -> Iterator[Symbol]:
        reader = ClassReader(self.source, self.public, home)
        writer = reader.writer()
        yield self._symbol(
            path,
            "class",
            reader.signature(writer),
            mark,
            home,
            home[1],
            reader.definition,
            parameters=reader.parameters(writer),
            overloads=reader.overloads(writer),
            mentions=frozenset(writer.mentions - {path}),
        )
        members = reader.members()
        for name, member in members.items():
            yield self._of_member(reader, f"{path}.{name}", name, member, mark)
        if reader.constructor is not None and not reader.has_fields:
            for symbol in self._differing_parameters(home, path, reader.constructor, mark):
                if symbol.path.rpartition(".")[2] not in members:
                    yield symbol

    def _differing_parameters(
        self, home: Home, path: str, function: griffe.Function, mark: Mark
    ) -> Iterator[Symbol]:
        """The parameters whose level is not that of what they belong to."""
        documented = entries(_docstring(function)).arguments
        for parameter in sorted(function.parameters, key=lambda one: one.name):
            if (level := mark.fields.get(name := parameter.name)) is None:
                continue
            writer = Writer(self.source, self.public, home[0])
            writer.annotation(parameter.annotation)
            more = {"docstring": documented.get(name, ""), "mentions": frozenset(writer.mentions)}
            yield self._symbol(
                f"{path}.{name}", "parameter", name, level, home, f"{home[1]}.{name}", function, **more
            )

    def _of_member(self, reader: ClassReader, path: str, name: str, member: Member, mark: Mark) -> Symbol:
        home, found = member
        qualified = f"{home[1]}.{name}"
        own = marks(self.source.text(home[0])).get(qualified)
        level = own or mark.fields.get(name) or Mark(mark.level, mark.since)
        if isinstance(found, griffe.Function):
            return self._of_function(path, home, qualified, found, level)
        writer = Writer(self.source, self.public, home[0])
        kind, text = _attribute(reader, name, found, writer)
        said = _docstring(found) or entries(_docstring(reader.definition)).attributes.get(name, "")
        mentions = frozenset(writer.mentions)
        return self._symbol(
            path, kind, text, level, home, qualified, found, docstring=said, mentions=mentions
        )

    def _of_function(
        self, path: str, home: Home, qualified: str, function: griffe.Function, mark: Mark
    ) -> Symbol:
        writer = Writer(self.source, self.public, home[0])
        return self._symbol(
            path,
            "method" if "." in qualified else "function",
            signatures.of_function(path.rpartition(".")[2], function, writer),
            mark,
            home,
            qualified,
            function,
            parameters=signatures.parameters(function, writer),
            overloads=tuple(signatures.parameters(one, writer) for one in function.overloads or ()),
            mentions=frozenset(writer.mentions),
        )

    def _of_constant(self, home: Home, path: str, attribute: griffe.Attribute, mark: Mark) -> Symbol:
        writer = Writer(self.source, self.public, home[0])
        name, annotation = home[1], writer.annotation(attribute.annotation)
        value = shortened(writer.write(attribute.value))
        kind, text = "constant", f"{name}: {annotation} = {value}" if annotation else f"{name} = {value}"
        if annotation == "TypeAlias":
            kind, text = "alias", f"{name} = {writer.annotation(attribute.value)}"
        elif name == "__version__":
            text = f"{name}: str"
        mentions = frozenset(writer.mentions - {path}) if kind == "alias" else frozenset[str]()
        return self._symbol(path, kind, text, mark, home, name, attribute, mentions=mentions)

    def _symbol(
        self,
        path: str,
        kind: str,
        text: str,
        mark: Mark,
        home: Home,
        qualified: str,
        found: griffe.Object,
        **more: Any,
    ) -> Symbol:
        return Symbol(
            path=path,
            kind=kind,
            signature=text,
            level=mark.level,
            since=mark.since,
            deprecated=deprecations(self.source.text(home[0])).get(qualified, ""),
            file=self.source.file(home[0]),
            line=found.lineno or 1,
            home=f"{home[0]}.{qualified}",
            differing=tuple(mark.fields),
            **{"docstring": _docstring(found), **more},
        )


def _attribute(
    reader: ClassReader, name: str, attribute: griffe.Attribute, writer: Writer
) -> tuple[str, str]:
    """The kind and the signature of a member that is no method."""
    annotation, value = writer.annotation(attribute.annotation), writer.write(attribute.value)
    if attribute.annotation is None and reader.constructor is not None:
        # That of the constructor's parameter which the attribute keeps.
        given = {one.name: one.annotation for one in reader.constructor.parameters}
        annotation = writer.annotation(given.get(str(attribute.value)))
    typed = f"{name}: {annotation}" if annotation else name
    if "property" in attribute.labels:
        return "property", typed + (" (writable)" if "writable" in attribute.labels else "")
    if reader.is_enumeration:
        return "member", f"{name} = {value}"
    if reader.has_fields and annotation and not annotation.startswith("ClassVar"):
        default, _ = signatures.field_default(attribute.value, writer)
        return "field", f"{typed} = {default}" if default else typed
    bare = "class-attribute" in attribute.labels and not annotation
    if bare or annotation.startswith(("Final", "ClassVar")):
        return "constant", f"{typed} = {shortened(value)}"
    return "field", typed


def shortened(value: str) -> str:
    """A value; of one that is long and not a literal, how it begins."""
    if len(value) <= LONGEST_VALUE or value[0] in "'\"":
        return value
    opening = value.partition("(")[0]
    first = value[len(opening) + 1 :].partition(", ")[0]
    return f"{opening}({first}, ...)" if opening.isidentifier() else "..."


def _docstring(found: griffe.Object) -> str:
    return "" if found.docstring is None else found.docstring.value


def _listed(source: Source, module: str) -> Iterator[tuple[str, int]]:
    """The names in ``__all__``, and where they stand."""
    for node in ast.parse(source.text(module) if source.file(module) else "").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant):
                    yield str(one.value), one.lineno
        match node:
            case ast.AugAssign(
                target=ast.Name(id="__all__"), value=ast.Attribute(value=ast.Name(id=other), attr="__all__")
            ):
                for listed, _ in _listed(source, source.imported(module, other)):
                    yield listed, node.lineno
            case _:
                pass
