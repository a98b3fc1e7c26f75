"""The public modules, and the files of modules."""

from __future__ import annotations

from collections.abc import Mapping

SRC = "src/finalturn/"

PUBLIC_MODULES = (
    "finalturn",
    "finalturn.providers",
    "finalturn.sessions",
    "finalturn.observers",
    "finalturn.otel",
    "finalturn.prices",
    "finalturn.gates",
    "finalturn.serve",
    "finalturn.testing",
    "finalturn.contract",
    "finalturn.stability",
    "finalturn.local",
)
"""Every other module of the package is private, whatever it is called."""


def module_file(module: str, files: Mapping[str, str]) -> str:
    """The source file of a module, by its full name, from the root.

    Raises:
        LookupError: there is none.
    """
    path = f"src/{module.replace('.', '/')}"
    for name in (f"{path}.py", f"{path}/__init__.py"):
        if name in files:
            return name
    raise LookupError(f"there is no module {module}")
