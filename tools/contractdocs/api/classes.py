"""A class as part of the API: its line, its constructor, and its members."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import griffe

from tools.contractdocs.api import signatures
from tools.contractdocs.api.expressions import Home, Writer
from tools.contractdocs.api.markers import LEVELS

_MACHINERY = """
init new post_init init_subclass del repr str eq hash reduce setattr delattr getattr getstate setstate copy
deepcopy
"""
MACHINERY = frozenset(f"__{name}__" for name in _MACHINERY.split())
"""What every object has, or what only makes a class work: nobody calls it by name."""

NAMED = griffe.ParameterKind.keyword_only

Member = tuple[Home, griffe.Function | griffe.Attribute]
"""A public member, after the class that defines it, which may be a private base."""


@dataclass(frozen=True)
class ClassReader:
    """Reads one class.

    Attributes:
        writer: writes the expressions of its module.
        home: where the class is defined.
    """

    writer: Writer
    home: Home

    @cached_property
    def definition(self) -> griffe.Class:
        """The class."""
        found = self.writer.source.object(self.home)
        assert isinstance(found, griffe.Class)
        return found

    @cached_property
    def _parents(self) -> dict[str, ClassReader]:
        """Those of its bases that are defined in the files, by the name that they have here."""
        names = [str(base).partition("[")[0] for base in self.definition.bases]
        homes = {name: self.writer.source.home(self.home[0], name) for name in names}
        return {name: ClassReader(self.writer.at(home[0]), home) for name, home in homes.items() if home}

    @cached_property
    def bases(self) -> list[str]:
        """The bases as they are written; those of a private base in its place."""
        found: list[str] = []
        for base in self.definition.bases:
            parent = self._parents.get(str(base).partition("[")[0])
            private = parent is not None and not parent.is_public
            found += parent.bases if parent and private else [self.writer.write(base)]
        return list(dict.fromkeys(found))

    @property
    def is_public(self) -> bool:
        """Whether users can name it."""
        return self.home in self.writer.public

    @property
    def is_enumeration(self) -> bool:
        """Whether its class attributes are members of an enumeration."""
        return any(base.endswith(("Enum", "Flag")) for base in self.bases)

    @property
    def has_fields(self) -> bool:
        """Whether its constructor is made of its fields."""
        return "dataclass" in self.definition.labels or "NamedTuple" in self.bases

    def signature(self) -> str:
        """The class's line, and that of its constructor."""
        decorators = [self.writer.write(one.value) for one in self.definition.decorators]
        marks = (*LEVELS, "deprecated")
        kept = [f"@{one} " for one in decorators if one.partition("(")[0].rpartition(".")[2] not in marks]
        name, bases = self.home[1], f"({', '.join(self.bases)})" if self.bases else ""
        lines = [f"{''.join(kept)}class {name}{bases}"]
        if self.callable_constructor is not None:
            lines.append(signatures.of_constructor(name, self.callable_constructor, self.writer))
        return "\n".join(lines)

    @cached_property
    def constructor(self) -> griffe.Function | None:
        """``__init__``, or ``__new__`` where there is no other, its own or an inherited one."""
        for name in ("__init__", "__new__"):
            found = self.definition.members.get(name)
            if isinstance(found, griffe.Function):
                return found
        return next((one.constructor for one in self._parents.values() if one.constructor is not None), None)

    @property
    def callable_constructor(self) -> griffe.Function | None:
        """The constructor that users can call: no argument that it needs is of a private class."""
        if self.has_fields:
            fields = sorted(self.fields.values(), key=lambda one: one.kind is NAMED)
            parameters = griffe.Parameters(griffe.Parameter("self"), *fields)
            return griffe.Function("__init__", parameters=parameters, parent=self.definition)
        function, source = self.constructor, self.writer.source
        for one in function.parameters if function else ():
            home = (
                source.home(function.module.path, str(one.annotation).partition("[")[0]) if function else None
            )
            private = home and home not in self.writer.public
            if one.default is None and home and private and isinstance(source.object(home), griffe.Class):
                return None
        return function

    @cached_property
    def fields(self) -> dict[str, griffe.Parameter]:
        """The fields that its constructor takes, inherited ones first."""
        found: dict[str, griffe.Parameter] = {}
        for parent in self._parents.values():
            found.update(parent.fields if parent.has_fields else {})
        keyword_only = "kw_only=True" in "".join(str(one.value) for one in self.definition.decorators)
        for name, member in self.definition.members.items():
            annotation = str(getattr(member, "annotation", None) or "")
            keyword_only = keyword_only or annotation.endswith("KW_ONLY")
            if not isinstance(member, griffe.Attribute) or name.startswith("_") or not annotation:
                continue
            default, taken = signatures.field_default(member.value, self.writer)
            if taken and "property" not in member.labels and not annotation.startswith("ClassVar"):
                kind, written = NAMED if keyword_only else None, self.writer.annotation(member.annotation)
                found[name] = griffe.Parameter(name, annotation=written, kind=kind, default=default or None)
        return found

    @cached_property
    def members(self) -> dict[str, Member]:
        """Its public members, and those of its private bases, which nobody else can name."""
        found: dict[str, Member] = {}
        for parent in reversed(self._parents.values()):
            if not parent.is_public:
                found.update(parent.members)
        for name, member in self.definition.members.items():
            operator = name.startswith("__") and name.endswith("__") and name not in MACHINERY
            public = not name.startswith("_") or name == "__match_args__"
            shown = public or (operator and isinstance(member, griffe.Function))
            if shown and isinstance(member, griffe.Function | griffe.Attribute):
                found[name] = self.home, member
        return dict(sorted(found.items()))
