"""Only the table's emissions make chunks, and only one place tells a token callback of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import SRC, trees, walk

CHUNKS = f"{SRC}_core/chunks.py"
SHOWS = f"{SRC}_core/turn/shows.py"
SURFACE = f"{SRC}_agent/sync.py"

MAKERS = ("StreamChunk", "content_chunk", "_seal")

MAY_MAKE: Mapping[str, str] = {
    CHUNKS: "the class itself",
    SHOWS: "what the rules show",
    f"{SRC}_contract/traces/values.py": "reads recorded chunks from a file; nobody is shown them",
}
"""Files that may make chunks, each with the reason."""


def _outside(project: Project) -> Iterator[Place]:
    makers: set[str] = set()
    for file, tree in trees(project, words=MAKERS):
        for made, line in _makes(tree):
            makers.add(file)
            if file not in MAY_MAKE:
                yield at(
                    file, line, what=f"makes a chunk with {made}(...)", which="in _shows.py or chunks.py"
                )
    for file in MAY_MAKE:
        if file not in makers:
            here = "tools/contractdocs/kinds/code_emissions.py"
            line = project.line_of(here, "MAY_MAKE")
            yield at(here, line, what=f"MAY_MAKE allows {file}, which makes no chunk")


def _makes(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Calls that make a chunk, under whatever name it was imported. A pattern of a ``match`` makes none."""
    names = {name: name for name in MAKERS}
    patterns: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in MAKERS}
        elif isinstance(node, ast.pattern):
            patterns |= {id(one) for one in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in patterns:
            called = ast.unparse(node.func).rpartition(".")
            if (made := names.get(called[2])) is not None and not called[0].startswith("self"):
                yield made, node.lineno


def _bypass(project: Project) -> Iterator[Place]:
    for file, tree in trees(project, words=("StreamHandler", "stream_handler")):
        if file == f"{SRC}_core/protocols.py":
            continue
        for owner, node in walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _calls(file, f"{owner}.{node.name}".lstrip("."), node)


def _calls(file: str, owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Place]:
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    handlers = {one.arg for one in every if one.annotation and "StreamHandler" in ast.unparse(one.annotation)}
    for one in ast.walk(node):
        if not isinstance(one, ast.Call):
            continue
        called = ast.unparse(one.func)
        if called not in handlers and called.rpartition(".")[2] not in ("stream_handler", "_stream_handler"):
            continue
        given = ", ".join(map(ast.unparse, one.args))
        if file != SURFACE:
            yield at(file, one.lineno, owner=owner, what=f"calls the stream_handler with {given}")
        elif [_is_content(argument) for argument in one.args] != [True]:
            yield at(
                file, one.lineno, owner=owner, what=f"tells the stream_handler {given}, not a chunk's content"
            )


def _is_content(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Attribute) and argument.attr == "content"


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT24",
        name="emission-outside-table",
        what="{what}",
        remedy=(
            "return it from a function that a rule shows; what else may make chunks stands in MAY_MAKE of"
            " tools/contractdocs/kinds/code_emissions.py"
        ),
        why=(
            "Everything that anyone can see of a turn is an emission of a rule. A chunk that is made"
            " elsewhere is seen by a person and by no clause."
        ),
        find=_outside,
    ),
    Kind(
        code="FT25",
        name="surface-bypass",
        what="{owner} {what}",
        remedy=f"read the stream of chunks, and pass on content only, in {SURFACE}",
        why=(
            "run and arun show what the chunk stream shows, because they read it. A callback that is told"
            " anything else shows what the machine has decided to hide."
        ),
        find=_bypass,
    ),
)
