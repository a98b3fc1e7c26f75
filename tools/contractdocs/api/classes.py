"""A class as part of the API: its line, its constructor, and its members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import griffe

from tools.contractdocs.api import signatures
from tools.contractdocs.api.expressions import Home, Source, Writer
from tools.contractdocs.api.markers import LEVELS
from tools.contractdocs.api.model import Parameter

_MACHINERY = """
init new post_init init_subclass del repr str eq hash reduce setattr delattr getattr getstate setstate copy
deepcopy
"""
MACHINERY = frozenset(f"__{name}__" for name in _MACHINERY.split())
"""What every object has, or what only makes a class work: nobody calls it by name."""


class Member(NamedTuple):
    """A public member, and the class that defines it, which may be a private base."""

    home: Home
    object: griffe.Function | griffe.Attribute


@dataclass(frozen=True)
class ClassReader:
    """Reads one class.

    Attributes:
        source: the modules.
        public: the public path of each definition that has one.
        home: where the class is defined.
    """

    source: Source
    public: Mapping[Home, str]
    home: Home

    @cached_property
    def definition(self) -> griffe.Class:
        """The class."""
        found = self.source.object(self.home)
        assert isinstance(found, griffe.Class)
        return found

    def writer(self) -> Writer:
        """Writes the expressions of the class's module."""
        return Writer(self.source, self.public, self.home[0])

    @cached_property
    def _parents(self) -> list[ClassReader]:
        bases = (str(base).partition("[")[0] for base in self.definition.bases)
        homes = [self.source.home(self.home[0], base) for base in bases]
        return [ClassReader(self.source, self.public, home) for home in homes if home is not None]

    @cached_property
    def bases(self) -> list[str]:
        """The bases as they are written; those of a private base in its place."""
        private = {parent.home[1]: parent for parent in self._parents if parent.home not in self.public}
        found: list[str] = []
        for base in self.definition.bases:
            parent = private.get(str(base).partition("[")[0])
            found += [self.writer().write(base)] if parent is None else parent.bases
        return list(dict.fromkeys(found))

    @property
    def is_enumeration(self) -> bool:
        """Whether its class attributes are members of an enumeration."""
        return any(base.endswith(("Enum", "Flag")) for base in self.bases)

    @property
    def has_fields(self) -> bool:
        """Whether its constructor is made of its fields."""
        return "dataclass" in self.definition.labels or "NamedTuple" in self.bases

    def signature(self, writer: Writer) -> str:
        """The class's line, and that of its constructor."""
        decorators = [writer.write(one.value) for one in self.definition.decorators]
        marks = (*LEVELS, "deprecated")
        kept = [f"@{one} " for one in decorators if one.partition("(")[0].rpartition(".")[2] not in marks]
        bases = f"({', '.join(self.bases)})" if self.bases else ""
        lines = ["".join(kept) + f"class {self.home[1]}{bases}"]
        if self.has_fields:
            lines.append(signatures.of_fields(self.home[1], self.fields(writer)))
        elif self.callable_constructor is not None:
            lines.append(signatures.of_constructor(self.home[1], self.callable_constructor, writer))
        return "\n".join(lines)

    @cached_property
    def constructor(self) -> griffe.Function | None:
        """``__init__``, or ``__new__`` where there is no other, its own or an inherited one."""
        for name in ("__init__", "__new__"):
            found = self.definition.members.get(name)
            if isinstance(found, griffe.Function):
                return found
        return next((one.constructor for one in self._parents if one.constructor is not None), None)

    @property
    def callable_constructor(self) -> griffe.Function | None:
        """The constructor, where no argument that it needs is of a private class."""
        function = self.constructor
        needed = [one for one in function.parameters if one.default is None] if function else []
        for one in needed:
            home = (
                self.source.home(function.module.path, str(one.annotation).partition("[")[0])
                if function
                else None
            )
            if home and home not in self.public and isinstance(self.source.object(home), griffe.Class):
                return None
        return function

    def parameters(self, writer: Writer) -> tuple[Parameter, ...]:
        """What its constructor takes."""
        if self.has_fields:
            return tuple(Parameter(one.name, one.default) for one in self.fields(writer))
        found = self.callable_constructor
        return () if found is None else signatures.parameters(found, writer)

    def overloads(self, writer: Writer) -> tuple[tuple[Parameter, ...], ...]:
        """What each overload of its constructor takes."""
        found = None if self.has_fields else self.constructor
        return tuple(signatures.parameters(one, writer) for one in (found and found.overloads) or ())

    def fields(self, writer: Writer) -> list[signatures.Field]:
        """The fields that its constructor takes, inherited ones first."""
        writer = writer.at(self.home[0])
        parents = (one for one in self._parents if one.has_fields)
        found = {one.name: one for parent in parents for one in parent.fields(writer)}
        keyword_only = "kw_only=True" in "".join(str(one.value) for one in self.definition.decorators)
        for name, member in self.definition.members.items():
            annotation = str(getattr(member, "annotation", None) or "")
            keyword_only = keyword_only or annotation.endswith("KW_ONLY")
            if not isinstance(member, griffe.Attribute) or name.startswith("_") or not annotation:
                continue
            default, taken = signatures.field_default(member.value, writer)
            if taken and "property" not in member.labels and not annotation.startswith("ClassVar"):
                written = writer.annotation(member.annotation)
                found[name] = signatures.Field(name, written, default, keyword_only)
        return list(found.values())

    def members(self) -> dict[str, Member]:
        """Its public members, and those of its private bases, which nobody else can name."""
        found: dict[str, Member] = {}
        for parent in reversed(self._parents):
            if parent.home not in self.public:
                found.update(parent.members())
        for name, member in self.definition.members.items():
            operator = name.startswith("__") and name.endswith("__") and name not in MACHINERY
            public = not name.startswith("_") or name == "__match_args__"
            shown = public or (operator and isinstance(member, griffe.Function))
            if shown and isinstance(member, griffe.Function | griffe.Attribute):
                found[name] = Member(self.home, member)
        return dict(sorted(found.items()))
