"""Kinds of drift between commands in documents and the commands there are."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_documents import written_documents
from tools.contractdocs._project import Project

SHELL = ("", "sh", "shell", "bash", "console")
COMMAND = re.compile(
    r"^(?:[A-Z_]+=\S* )*(?:make|finalturn|pip"
    r"|python3? -m (?:pip|finalturn[\w.]*|tools[\w.]*|pytest|mkdocs))(?=\s|$)"
)
BUILTIN_OPTIONS = frozenset({"--help", "-h"})


def targets(project: Project) -> frozenset[str]:
    """The targets of the Makefile that people call."""
    found = re.findall(r"^((?:[a-z][\w-]*[ \t]*)+):(?!=)", project.files.get("Makefile", ""), re.MULTILINE)
    return frozenset(name for names in found for name in names.split())


def commands(project: Project) -> Mapping[tuple[str, ...], frozenset[str]]:
    """The options of each command of ``finalturn``, by its words; of the root by none."""
    source = tuple(
        sorted((file, text) for file, text in project.files.items() if file.startswith("src/finalturn/_cli/"))
    )
    return _commands(source)


@lru_cache(maxsize=32)
def _commands(source: tuple[tuple[str, str], ...]) -> Mapping[tuple[str, ...], frozenset[str]]:
    groups: dict[str, str] = {}
    found: list[tuple[str, str, frozenset[str]]] = []
    for _, text in source:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "add_typer"
            ):
                name = next((_string(word.value) for word in node.keywords if word.arg == "name"), "")
                groups[ast.unparse(node.args[0]).rpartition(".")[2]] = name
            elif isinstance(node, ast.FunctionDef):
                found += [(group, name, _options(node)) for group, name in _declared(node)]
    table: dict[tuple[str, ...], frozenset[str]] = {(): frozenset()}
    for group, name, options in found:
        words = ((groups[group],) if group in groups else ()) + ((name,) if name else ())
        table[words] = table.get(words, frozenset()) | options
    for name in groups.values():
        table.setdefault((name,), frozenset())
    return table


def _declared(node: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The group and the name of a command that a function is; the name of a callback is ""."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            group = ast.unparse(decorator.func.value).rpartition(".")[2]
            if decorator.func.attr == "callback":
                yield group, ""
            elif decorator.func.attr == "command":
                given = [_string(one) for one in decorator.args]
                given += [_string(word.value) for word in decorator.keywords if word.arg == "name"]
                yield group, given[0] if given else node.name.strip("_").replace("_", "-")


def _options(node: ast.FunctionDef) -> frozenset[str]:
    found: set[str] = set()
    for argument in (*node.args.args, *node.args.kwonlyargs):
        calls = [one for one in ast.walk(argument) if isinstance(one, ast.Call)]
        option = next((one for one in calls if ast.unparse(one.func).endswith("Option")), None)
        if option is not None:
            given = [text for one in option.args if (text := _string(one)).startswith("-")]
            found |= {name for text in given for name in text.split("/")} or {
                "--" + argument.arg.replace("_", "-")
            }
    return frozenset(found)


def _string(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def written(project: Project) -> Iterator[tuple[str, int, str]]:
    """Every command in a document: its file, its line and itself."""
    for file, document in written_documents(project):
        for span in document.spans:
            if COMMAND.match(span.text):
                yield file, span.line, span.text
        for fence in document.fences:
            if fence.language not in SHELL:
                continue
            text = fence.text.replace("\\\n", "  ")
            for number, line in enumerate(text.split("\n"), fence.line + 1):
                bare = re.sub(r"^\s*(?:\$ )?", "", line)
                for part in re.split(r"\s(?:&&|\||;)\s", bare):
                    if COMMAND.match(part.strip()):
                        yield file, number, part.strip()


def problem(project: Project, command: str) -> tuple[str, str] | None:
    """What is wrong with a command, and what to do; ``None`` when it exists."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return "the shell cannot read it", "close the quotes"
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if words[0].startswith("python"):
        module, words = words[2], words[2:]
        if module.startswith("tools"):
            return _module(project, module)
        if module not in ("pip", "finalturn"):
            return None
        words[0] = module.partition(".")[0]
    match words[0]:
        case "make":
            return _make(project, words[1:])
        case "pip":
            return _pip(project, words[1:])
        case _:
            return _finalturn(project, words[1:])


def _module(project: Project, module: str) -> tuple[str, str] | None:
    path = module.replace(".", "/")
    if any(name in project.files for name in (f"{path}/__main__.py", f"{path}.py")):
        return None
    return f"there is no module {module} to run", "mend the name"


def _make(project: Project, words: list[str]) -> tuple[str, str] | None:
    known = targets(project)
    for word in words:
        if word not in known and "=" not in word and not word.startswith("-"):
            return f"the Makefile has no target {word}", _hint(word, known)
    return None


def _pip(project: Project, words: list[str]) -> tuple[str, str] | None:
    data: dict[str, Any] = tomllib.loads(project.files.get("pyproject.toml", ""))
    about = data.get("project", {})
    for word in words:
        match = re.fullmatch(
            r"finalturn(?:\[(?P<extras>[^\]]*)\])?(?:(?P<op>[=<>~!]=?=?)(?P<version>\S+))?", word
        )
        if match is None:
            continue
        extras = about.get("optional-dependencies", {})
        for extra in filter(None, (part.strip() for part in (match["extras"] or "").split(","))):
            if extra not in extras:
                return f"finalturn has no extra {extra}", _hint(extra, extras)
        if match["version"] and match["version"] != about.get("version"):
            return (
                f"it names version {match['version']}; this is {about.get('version')}",
                "name this version, or none",
            )
    return None


def _finalturn(project: Project, words: list[str]) -> tuple[str, str] | None:
    table = commands(project)
    name: tuple[str, ...] = ()
    options = table[()] | BUILTIN_OPTIONS
    for word in words:
        option = word.partition("=")[0]
        if word.startswith("-") and not re.fullmatch(r"-\d.*|-", word):
            if option not in options:
                return f"finalturn{''.join(f' {one}' for one in name)} has no option {option}", _hint(
                    option, options
                )
        elif (*name, word) in table:
            name = (*name, word)
            options = table[name] | BUILTIN_OPTIONS
        elif any(len(key) > len(name) and key[: len(name)] == name for key in table) and not word.startswith(
            "."
        ):
            known = {key[len(name)] for key in table if len(key) > len(name) and key[: len(name)] == name}
            return f"finalturn{''.join(f' {one}' for one in name)} has no command {word}", _hint(word, known)
    return None


def _hint(word: str, known: Mapping[str, object] | frozenset[str] | set[str]) -> str:
    close = get_close_matches(word, sorted(known), 1, 0.5)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known))}"


def _dead(project: Project) -> Iterator[Place]:
    for file, line, command in written(project):
        if found := problem(project, command):
            yield at(file, line, command=command, said=found[0], do=found[1])


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT35",
        name="dead-command",
        what='"{command}" does not work: {said}',
        remedy="{do}",
        why="A command is what readers copy first. One that fails ends their visit.",
        find=_dead,
    ),
)
