"""The source files as modules, and where a name that a module uses is defined."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import griffe

ROOT = "src/"


class Source:
    """Modules, read when they are asked for.

    Args:
        files: texts, by path from the root of the repository.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def file(self, module: str) -> str:
        """The path of a module's file; "" where there is none."""
        path = ROOT + module.replace(".", "/")
        return next((name for name in (f"{path}.py", f"{path}/__init__.py") if name in self._files), "")

    def text(self, module: str) -> str:
        """The text of a module."""
        return self._files[self.file(module)]

    def module(self, name: str) -> griffe.Module | None:
        """A module; ``None`` when it is not among the files."""
        file = self.file(name)
        return _visit(name, file, self._files[file]) if file else None

    def home(self, module: str, name: str) -> tuple[str, str] | None:
        """The module that defines what a module calls so, and its name there.

        Returns:
            ``None`` for a builtin, for what is defined outside the files, and for what is not there.
        """
        for _ in range(20):  # imports of imports; a circle of them ends too
            found = self.module(module)
            if found is None:
                return None
            if name not in found.members:
                return self._starred(found, name)
            member = found.members[name]
            if not isinstance(member, griffe.Alias):
                return module, name
            module, _, name = member.target_path.rpartition(".")
        return None

    def imported(self, module: str, name: str) -> str:
        """The module that a module has imported under a name; "" where there is none."""
        found = self.module(module)
        member = None if found is None else found.members.get(name)
        return member.target_path if isinstance(member, griffe.Alias) else ""

    def _starred(self, module: griffe.Module, name: str) -> tuple[str, str] | None:
        """Where a name is defined that ``from other import *`` brings into a module."""
        members = module.members.values()
        others = [one.wildcard for one in members if isinstance(one, griffe.Alias) and one.wildcard]
        return next(filter(None, (self.home(other, name) for other in others)), None)

    def object(self, home: tuple[str, str]) -> griffe.Object:
        """What is defined there."""
        module = self.module(home[0])
        assert module is not None
        found = module.members[home[1]]
        assert isinstance(found, griffe.Object)
        return found


@lru_cache(maxsize=1024)
def _visit(name: str, file: str, text: str) -> griffe.Module:
    return griffe.visit(name, Path(file), text)
