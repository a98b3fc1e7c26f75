"""A class as part of the API: its line, its constructor, and its members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import griffe

from tools.contractdocs.api import signatures as signature
from tools.contractdocs.api.expressions import Home, Source, Writer
from tools.contractdocs.api.markers import LEVELS
from tools.contractdocs.api.model import Parameter
from tools.contractdocs.api.signatures import Field

# What every object has, or what only makes a class work: nobody calls it by name.
MACHINERY = frozenset(
    f"__{name}__"
    for name in (
        *("init", "new", "post_init", "init_subclass", "del", "repr", "str", "eq", "hash", "reduce"),
        *("setattr", "delattr", "getattr", "getstate", "setstate", "copy", "deepcopy"),
    )
)
# What a class pattern matches by position.
MATCHED = "__match_args__"


@dataclass(frozen=True)
class Member:
    """A public member.

    Attributes:
        home: of the class that defines it, which may be a private base.
        object: the definition.
    """

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
        homes = [
            self.source.home(self.home[0], str(base).partition("[")[0]) for base in self.definition.bases
        ]
        return [ClassReader(self.source, self.public, home) for home in homes if home is not None]

    @property
    def _is_public(self) -> bool:
        return self.home in self.public

    @cached_property
    def bases(self) -> list[str]:
        """The bases as they are written; those of a private base in its place."""
        found: list[str] = []
        parents = {parent.home[1]: parent for parent in self._parents if not parent._is_public}
        for base in self.definition.bases:
            parent = parents.get(str(base).partition("[")[0])
            found += [self.writer().write(base)] if parent is None else parent.bases
        return list(dict.fromkeys(found))

    @cached_property
    def is_enumeration(self) -> bool:
        """Whether its class attributes are members of an enumeration."""
        return any(base.endswith(("Enum", "Flag")) for base in self.bases)

    @cached_property
    def has_fields(self) -> bool:
        """Whether its constructor is made of its fields."""
        return "dataclass" in self.definition.labels or "NamedTuple" in self.bases

    def signature(self, writer: Writer) -> str:
        """The class's line, and that of its constructor."""
        decorators = [writer.write(one.value) for one in self.definition.decorators]
        kept = [f"@{text} " for text in decorators if _callee(text) not in (*LEVELS, "deprecated")]
        bases = f"({', '.join(self.bases)})" if self.bases else ""
        lines = ["".join(kept) + f"class {self.home[1]}{bases}"]
        if self.has_fields:
            lines.append(signature.of_fields(self.home[1], self.fields(writer)))
        elif self.constructor is not None and self.is_for_callers:
            lines.append(signature.of_constructor(self.home[1], self.constructor, writer))
        return "\n".join(lines)

    @cached_property
    def constructor(self) -> griffe.Function | None:
        """``__init__``, or ``__new__`` where there is no other, its own or an inherited one."""
        for name in ("__init__", "__new__"):
            found = self.definition.members.get(name)
            if isinstance(found, griffe.Function):
                return found
        return next((one.constructor for one in self._parents if one.constructor is not None), None)

    @cached_property
    def is_for_callers(self) -> bool:
        """Whether a caller can make one: no argument that must be given is of a private class."""
        function = self.constructor
        if function is None:
            return False
        must = [one for one in function.parameters if one.default is None and one.annotation is not None]
        homes = [self.source.home(function.module.path, str(one.annotation)) for one in must]
        private = [home for home in homes if home is not None and home not in self.public]
        return not any(isinstance(self.source.object(home), griffe.Class) for home in private)

    def parameters(self, writer: Writer) -> tuple[Parameter, ...]:
        """What its constructor takes."""
        if self.has_fields:
            return tuple(Parameter(one.name, one.default) for one in self.fields(writer))
        found = self.constructor if self.is_for_callers else None
        return () if found is None else signature.parameters(found, writer)

    def overloads(self, writer: Writer) -> tuple[tuple[Parameter, ...], ...]:
        """What each overload of its constructor takes."""
        found = None if self.has_fields else self.constructor
        overloads = None if found is None else found.overloads
        return tuple(signature.parameters(one, writer) for one in overloads or ())

    def fields(self, writer: Writer) -> list[Field]:
        """The fields that its constructor takes, inherited ones first."""
        writer = writer.at(self.home[0])
        found = {
            one.name: one for parent in self._parents if parent.has_fields for one in parent.fields(writer)
        }
        keyword_only = "kw_only=True" in "".join(str(one.value) for one in self.definition.decorators)
        for name, member in self.definition.members.items():
            annotation = str(getattr(member, "annotation", None) or "")
            keyword_only = keyword_only or annotation.endswith("KW_ONLY")
            if not isinstance(member, griffe.Attribute) or name.startswith("_") or not _is_field(member):
                continue
            default, taken = signature.field_default(member.value, writer)
            if taken:
                found[name] = Field(name, writer.annotation(member.annotation), default, keyword_only)
        return list(found.values())

    def members(self) -> dict[str, Member]:
        """Its public members, and those of its private bases, which nobody else can name."""
        found: dict[str, Member] = {}
        for parent in reversed(self._parents):
            if not parent._is_public:
                found.update(parent.members())
        found.update(self._own_members())
        return dict(sorted(found.items()))

    def _own_members(self) -> Iterator[tuple[str, Member]]:
        for name, member in self.definition.members.items():
            if isinstance(member, griffe.Function) and (not name.startswith("_") or _is_operator(name)):
                yield name, Member(self.home, member)
            if isinstance(member, griffe.Attribute) and (not name.startswith("_") or name == MATCHED):
                yield name, Member(self.home, member)


def _is_operator(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in MACHINERY


def _is_field(member: griffe.Attribute) -> bool:
    annotation = "" if member.annotation is None else str(member.annotation)
    return bool(annotation) and "property" not in member.labels and not annotation.startswith("ClassVar")


def _callee(text: str) -> str:
    return text.partition("(")[0].rpartition(".")[2]
