"""Definitions, made into symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import griffe

from tools.contractdocs import _api_signature as signature
from tools.contractdocs._api_classes import ClassReader, Member
from tools.contractdocs._api_docstring import entries
from tools.contractdocs._api_expressions import Home, Writer
from tools.contractdocs._api_markers import Mark, deprecations, marks
from tools.contractdocs._api_source import Source
from tools.contractdocs._api_symbol import Parameter, Symbol

UNMARKED = Mark("", "")
# A call that is longer is cut: what a clause says stands in the contract, not in the API report.
LONGEST_VALUE = 100


@dataclass(frozen=True)
class Builder:
    """Makes the symbols of one public name.

    Attributes:
        source: the modules.
        public: the public path of each definition that has one.
        home: where the name is defined.
        path: its public path.
    """

    source: Source
    public: Mapping[Home, str]
    home: Home
    path: str

    def symbols(self) -> Iterator[Symbol]:
        """The symbol itself, and the members of a class."""
        match self.source.object(self.home):
            case griffe.Class():
                yield from self._of_class()
            case griffe.Function() as function:
                yield self._of_function(self.path, self.home, self.home[1], function, self._mark())
                yield from self._differing_parameters(self.path, function, self._mark())
            case griffe.Attribute() as attribute:
                yield self._of_constant(attribute)
            case _:
                pass

    def _mark(self) -> Mark:
        return marks(self.source.text(self.home[0])).get(self.home[1], UNMARKED)

    def _of_class(self) -> Iterator[Symbol]:
        reader = ClassReader(self.source, self.public, self.home)
        mark, writer = self._mark(), reader.writer()
        yield self._symbol(
            self.path,
            "class",
            reader.signature(writer),
            mark,
            self.home,
            self.home[1],
            reader.definition,
            parameters=reader.parameters(writer),
            overloads=reader.overloads(writer),
            mentions=frozenset(writer.mentions - {self.path}),
        )
        members = reader.members()
        for name, member in members.items():
            yield self._of_member(reader, name, member, mark)
        if reader.constructor is not None and not reader.has_fields:
            for symbol in self._differing_parameters(self.path, reader.constructor, mark):
                if symbol.name not in members:
                    yield symbol

    def _of_member(self, reader: ClassReader, name: str, member: Member, mark: Mark) -> Symbol:
        qualified = f"{member.home[1]}.{name}"
        own = marks(self.source.text(member.home[0])).get(qualified)
        level = own or mark.fields.get(name) or Mark(mark.level, mark.since)
        path = f"{self.path}.{name}"
        if isinstance(member.object, griffe.Function):
            return self._of_function(path, member.home, qualified, member.object, level)
        attribute = member.object
        writer = Writer(self.source, self.public, member.home[0])
        kind, text = _attribute(reader, name, attribute, writer)
        documented = entries(_docstring(reader.definition)).attributes.get(name, "")
        return self._symbol(
            path,
            kind,
            text,
            level,
            member.home,
            qualified,
            attribute,
            docstring=_docstring(attribute) or documented,
            mentions=frozenset(writer.mentions),
        )

    def _of_function(
        self, path: str, home: Home, qualified: str, function: griffe.Function, mark: Mark
    ) -> Symbol:
        writer = Writer(self.source, self.public, home[0])
        return self._symbol(
            path,
            "method" if "." in qualified else "function",
            signature.of_function(path.rpartition(".")[2], function, writer),
            mark,
            home,
            qualified,
            function,
            parameters=signature.parameters(function, writer),
            overloads=tuple(signature.parameters(one, writer) for one in function.overloads or ()),
            mentions=frozenset(writer.mentions),
        )

    def _differing_parameters(self, path: str, function: griffe.Function, mark: Mark) -> Iterator[Symbol]:
        documented = entries(_docstring(function)).arguments
        for parameter in sorted(function.parameters, key=lambda one: one.name):
            name = parameter.name
            if name not in mark.fields:
                continue
            writer = Writer(self.source, self.public, self.home[0])
            writer.annotation(parameter.annotation)
            yield self._symbol(
                f"{path}.{name}",
                "parameter",
                name,
                mark.fields[name],
                self.home,
                f"{self.home[1]}.{name}",
                function,
                docstring=documented.get(name, ""),
                mentions=frozenset(writer.mentions),
            )

    def _of_constant(self, attribute: griffe.Attribute) -> Symbol:
        writer = Writer(self.source, self.public, self.home[0])
        name, annotation = self.home[1], writer.annotation(attribute.annotation)
        value = writer.write(attribute.value)
        if annotation == "TypeAlias":
            kind, text = "alias", f"{name} = {writer.annotation(attribute.value)}"
        elif name == "__version__":
            kind, text = "constant", f"{name}: str"
        else:
            kind = "constant"
            text = (
                f"{name}: {annotation} = {shortened(value)}" if annotation else f"{name} = {shortened(value)}"
            )
        mentions = frozenset(writer.mentions - {self.path}) if kind == "alias" else frozenset[str]()
        return self._symbol(
            self.path, kind, text, self._mark(), self.home, name, attribute, mentions=mentions
        )

    def _symbol(
        self,
        path: str,
        kind: str,
        text: str,
        mark: Mark,
        home: Home,
        qualified: str,
        found: griffe.Object,
        *,
        docstring: str | None = None,
        parameters: tuple[Parameter, ...] = (),
        overloads: tuple[tuple[Parameter, ...], ...] = (),
        mentions: frozenset[str] = frozenset(),
    ) -> Symbol:
        return Symbol(
            path=path,
            kind=kind,
            signature=text,
            level=mark.level,
            since=mark.since,
            deprecated=deprecations(self.source.text(home[0])).get(qualified, ""),
            docstring=_docstring(found) if docstring is None else docstring,
            file=self.source.file(home[0]),
            line=found.lineno or 1,
            home=f"{home[0]}.{qualified}",
            parameters=parameters,
            overloads=overloads,
            mentions=mentions,
            differing=tuple(mark.fields),
        )


def _attribute(
    reader: ClassReader, name: str, attribute: griffe.Attribute, writer: Writer
) -> tuple[str, str]:
    """The kind and the signature of a member that is no method."""
    annotation, value = _annotation(reader, attribute, writer), writer.write(attribute.value)
    typed = f"{name}: {annotation}" if annotation else name
    if "property" in attribute.labels:
        return "property", typed + (" (writable)" if "writable" in attribute.labels else "")
    if reader.is_enumeration:
        return "member", f"{name} = {value}"
    if reader.has_fields and annotation and not annotation.startswith("ClassVar"):
        default, _ = signature.field_default(attribute.value, writer)
        return "field", f"{typed} = {default}" if default else typed
    if annotation.startswith(("Final", "ClassVar")):
        return "constant", f"{typed} = {shortened(value)}"
    if "class-attribute" in attribute.labels and not annotation:
        return "constant", f"{typed} = {shortened(value)}"
    return "field", typed


def _annotation(reader: ClassReader, attribute: griffe.Attribute, writer: Writer) -> str:
    """As written, or that of the constructor's parameter which the attribute keeps."""
    if attribute.annotation is not None or reader.constructor is None:
        return writer.annotation(attribute.annotation)
    given = {one.name: one.annotation for one in reader.constructor.parameters}
    return writer.annotation(given.get(str(attribute.value)))


def shortened(value: str) -> str:
    """A value; of one that is long and not a literal, how it begins."""
    if len(value) <= LONGEST_VALUE or value[0] in "'\"":
        return value
    opening = value.partition("(")[0]
    first = value[len(opening) + 1 :].partition(", ")[0]
    return f"{opening}({first}, ...)" if opening.isidentifier() else "..."


def _docstring(found: griffe.Object) -> str:
    return "" if found.docstring is None else found.docstring.value
