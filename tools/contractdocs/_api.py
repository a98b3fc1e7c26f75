"""The public names, read from the source files without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tools.contractdocs._api_build import Builder
from tools.contractdocs._api_expressions import Home
from tools.contractdocs._api_report import report
from tools.contractdocs._api_source import Source
from tools.contractdocs._api_symbol import Api, Listing, Parameter, Symbol
from tools.contractdocs._public import PUBLIC_MODULES

__all__ = ["Api", "Listing", "Parameter", "Symbol", "extract", "report"]


def extract(files: Mapping[str, str]) -> Api:
    """Read the public names out of the source files, by path from the root.

    The order is that of the public modules, and in each of them the alphabet's: where a definition stands
    in its file does not matter.
    """
    source = Source(files)
    public: dict[Home, str] = {}
    listings: list[Listing] = []
    for module in PUBLIC_MODULES:
        for name, line in _listed(source, module):
            home = source.home(module, name)
            full = "" if home is None else ".".join(home)
            listings.append(Listing(module, name, full, source.file(module), line))
            if home is not None:
                public.setdefault(home, f"{module}.{name}")
    symbols = [
        symbol for home, path in public.items() for symbol in Builder(source, public, home, path).symbols()
    ]
    return Api({symbol.path: symbol for symbol in sorted(symbols, key=_place)}, tuple(listings))


def _place(symbol: Symbol) -> tuple[int, str]:
    modules = (at for at, module in enumerate(PUBLIC_MODULES) if symbol.path.startswith(f"{module}."))
    return max(modules), symbol.path


def _listed(source: Source, module: str) -> Iterator[tuple[str, int]]:
    """The names in ``__all__``, and where they stand."""
    if not source.file(module):
        return
    for node in ast.parse(source.text(module)).body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id="__all__")], value=ast.List(elts=names) | ast.Tuple(elts=names)
            ):
                for name in names:
                    if isinstance(name, ast.Constant):
                        yield str(name.value), name.lineno
            case ast.AugAssign(
                target=ast.Name(id="__all__"), value=ast.Attribute(value=ast.Name(id=other), attr="__all__")
            ):
                for listed, _ in _listed(source, source.imported(module, other)):
                    yield listed, node.lineno
            case _:
                pass
