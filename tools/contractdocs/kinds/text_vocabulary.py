"""Every name that a document may write as code."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from tools.contractdocs._project import Project
from tools.contractdocs._public import PUBLIC_MODULES
from tools.contractdocs.kinds.text_commands import commands, targets
from tools.contractdocs.kinds.text_shapes import Shapes, shapes
from tools.contractdocs.render import _source

WORDS = "tools/contractdocs/words.toml"

SCHEMAS = "src/finalturn/_serve/formats/schemas"
"""What the files are called that describe what a server sends."""

PYTHON = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "self", "cls", "await", "async"})


@dataclass(frozen=True)
class Vocabulary:
    """The names of one project."""

    project: Project

    @cached_property
    def shapes(self) -> Shapes:
        """What public callables take, and public classes have."""
        return shapes(self.project.api)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Full names: of modules and of what is in them."""
        found = {*PUBLIC_MODULES, *self.project.api.symbols}
        found |= {f"{owner}.{name}" for owner, names in self.shapes.members.items() for name in names}
        return frozenset(found)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The full names that end in a name."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(path.rpartition(".")[2], []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of parameters and fields of anything public."""
        return frozenset(name for one in self.shapes.parameters.values() for name in one or ())

    @cached_property
    def clauses(self) -> frozenset[str]:
        """Ids of clauses, and the contract's families and surfaces."""
        found = {clause.id for clause in self.project.clauses}
        return frozenset(found | {clause.family.value for clause in self.project.clauses})

    @cached_property
    def drift(self) -> frozenset[str]:
        """Codes and names of kinds of drift."""
        from tools.contractdocs.kinds import kinds  # which holds this one's kinds too

        return frozenset(word for kind in kinds() for word in (kind.code, kind.name))

    @cached_property
    def options(self) -> frozenset[str]:
        """Options of every command, and the commands' names."""
        table = commands(self.project)
        return frozenset({"--help", "-h"} | {word for key, names in table.items() for word in (*key, *names)})

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The allow list: a reason for each word."""
        data: dict[str, Any] = tomllib.loads(self.project.files.get(WORDS, ""))
        return {str(word): str(reason) for word, reason in data.get("words", {}).items()}

    @cached_property
    def extras(self) -> frozenset[str]:
        """What ``pip install 'finalturn[extra]'`` may name."""
        data = tomllib.loads(self.project.files.get("pyproject.toml", ""))
        return frozenset(data.get("project", {}).get("optional-dependencies", {}))

    @cached_property
    def requirements(self) -> frozenset[str]:
        """The packages that finalturn and its tools need."""
        data = tomllib.loads(self.project.files.get("pyproject.toml", "")).get("project", {})
        needed = [
            *data.get("dependencies", ()),
            *(one for extra in data.get("optional-dependencies", {}).values() for one in extra),
        ]
        return frozenset(re.split(r"[^\w-]", one)[0] for one in needed)

    @cached_property
    def targets(self) -> frozenset[str]:
        """The Makefile's targets."""
        return targets(self.project)

    @cached_property
    def wire(self) -> frozenset[str]:
        """What stands in the records and documents that a server sends: names of fields, and fixed values."""
        files = [text for file, text in self.project.files.items() if file.startswith(SCHEMAS)]
        return frozenset(word for text in files for word in _wire(_source.parse(text)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Single words that mean something, in Python or in finalturn."""
        found = {*PYTHON, *sys.stdlib_module_names, *self.requirements, *self.words}
        found |= {*self.by_name, *self.parameters, *self.shapes.values, *self.wire}
        return frozenset(found | {part for module in PUBLIC_MODULES for part in module.split(".")})

    @cached_property
    def contract_words(self) -> frozenset[str]:
        """Words that are unmistakably finalturn's: what is almost one of them is a mistake."""
        fields = {
            name
            for owner in ("StructuredOutputConfig", "StreamChunk", "AgentResult", "Message")
            for name in self._fields(owner)
        }
        found = {*self.shapes.values, *self.clauses, *fields}
        return frozenset(word for word in found if re.search(r"[a-z][_-][a-z]", word))

    def _fields(self, owner: str) -> Iterator[str]:
        for path in self.by_name.get(owner, ()):
            yield from self.shapes.members.get(path, ())

    def class_named(self, name: str) -> str | None:
        """The full name of a public class."""
        return next((path for path in self.by_name.get(name, ()) if path in self.shapes.members), None)

    def classes_of(self, variable: str) -> tuple[str, ...]:
        """The public classes that a variable of this name usually holds, such as ``result``."""
        found = []
        for path in self.shapes.members:
            name = path.rpartition(".")[2]
            snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
            if snake == variable or snake.endswith(f"_{variable}"):
                found.append(path)
        return tuple(found)

    def is_file(self, name: str) -> bool:
        """Whether it is a file or a folder of the repository."""
        bare = name.removeprefix("./").rstrip("/")
        return bare in self.project.files or any(file.startswith(f"{bare}/") for file in self.project.files)

    def like(self, word: str, cutoff: float = 0.6) -> str | None:
        """The name that it may have meant."""
        bare = word.strip("\"'`()")
        known = {
            *self.by_name,
            *self.parameters,
            *self.shapes.values,
            *self.clauses,
            *self.paths,
            *self.options,
        }
        known |= {path.removeprefix("finalturn.") for path in self.paths} | self.targets
        close = get_close_matches(bare, sorted(known - {bare}), 1, cutoff)
        return close[0] if close else None


def _wire(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    yield one.target.id
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            for part in ast.walk(node.slice):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value
