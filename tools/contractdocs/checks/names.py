"""Names, lists and commands that documents write, against the code that must have them."""

from __future__ import annotations

import builtins
import keyword
import pydoc
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from difflib import get_close_matches
from enum import EnumType
from functools import cache, lru_cache
from io import StringIO
from typing import Any

import typer
from typer.exceptions import TyperException

from finalturn._cli.app import app
from finalturn._cli.serve.command import _app as serve_app
from tools.contractdocs.api.model import entries
from tools.contractdocs.findings import Finding, kind, meant
from tools.contractdocs.markdown import Document, documents, written
from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.project import Project

WORDS = "tools/contractdocs/words.toml"
PYTHON = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names, "self", "cls"}
COMMAND = re.compile(
    r"(?:[A-Z_]+=\S* )*(?:make|finalturn|pip|python3? -m (?:pip|finalturn[\w.]*|tools[\w.]*))(?=\s|$)"
)

# --- names ------------------------------------------------------------------------------------------------

TAGS = {
    "event": "StreamEvent",
    "structured_status": "StructuredStatus",
    "stop_reason": "StopReason",
    "finish_reason": "FinishReason",
}
"""Fields whose value is one of a few words, and the public name that has the words."""
_TAGGED = re.compile(rf"""\b({"|".join(TAGS)})\b["']?\s*\)?\s*(?:[=!]?={{1,2}}|:)\s*["']([^"'\n]*)["']""")
_COMPOUND = re.compile(r"(?<![\w/.#-])[A-Za-z]+(?:_[A-Za-z]+)+(?![\w/])")


@kind("FT33", "dead-name")
def _dead_name(project: Project) -> Iterator[Finding]:
    reasons: dict[str, str] = tomllib.loads(project.files.get(WORDS, "")).get("words", {})
    names = Names(project)
    for file, document in documents(project):
        fences = "\n".join(fence.text for fence in document.fences)
        here = set(re.findall(r"\w+", fences))
        for line, span in document.spans:
            if span in reasons or COMMAND.match(span) or span in fences:
                continue
            if lost := next((one for one in names.lost(span) if one[1] not in here), None):
                yield Finding(file, line, f"`{span}`: {lost[0]}", names.hint(lost[1]))
        for fence in document.fences:
            for said, word, number in names.lost_in_code(fence.text):
                yield Finding(file, fence.line + 1 + number, f"`{word}`: {said}", names.hint(word))
        for one in document.sentences:
            for word in _COMPOUND.findall(re.sub(r"`[^`]*`|\{[^}]*\}|https?://\S+", "", one.text)):
                if word not in names.words | here and word not in reasons:
                    yield Finding(file, one.line, f"{word}: nothing is called {word}", names.hint(word))
    used = "\n".join(text for file, text in project.files.items() if file.endswith(".md"))
    for word, reason in reasons.items():
        if not reason or not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", used):
            said = f'no document writes "{word}"' if reason else f'"{word}" has no reason'
            yield Finding(WORDS, project.line_of(WORDS, word), said, "delete the entry, or mend it")


class Names:
    """What a document for users may write as code.

    Args:
        project: whose source has the names: every word in it is one, comments included.
    """

    def __init__(self, project: Project) -> None:
        self._files = project.files
        self._symbols = project.api.symbols
        self._classes = {one.name: one for one in self._symbols.values() if one.kind == "class"}
        self._parameters = {one.name for symbol in self._symbols.values() for one in symbol.parameters}
        source = (text for file, text in project.files.items() if file.startswith("src/") or file in SETTINGS)
        clauses = {clause.id for clause in project.clauses}
        self.words = {*PYTHON, *clauses}.union(*map(_words, source))
        # Words that are unmistakably finalturn's: what is almost one of them is a mistake.
        members = {one.name for one in self._symbols.values() if one.kind in ("field", "member", "property")}
        options = {option.lstrip("-") for option in _options()}
        self.words |= options
        self._ours = {one for one in members | self._values() | clauses | options if re.search("[_-]", one)}

    def _values(self, of: str = "") -> set[str]:
        """The strings of public literals and enumerations; or of one, by the end of its path."""
        symbols = (one for one in self._symbols.values() if one.kind in ("alias", "member"))
        held = (one for one in symbols if one.path.endswith(of) or one.parent.endswith(of))
        return {value for one in held for value in re.findall(r"'(\w+)'", one.signature)}

    def lost(self, span: str) -> Iterator[tuple[str, str]]:
        """What a code span names that nothing has, and the word that is wrong."""
        bare = span.removeprefix("./").rstrip("/")
        if bare in self._files or any(file.startswith(f"{bare}/") for file in self._files):
            return
        if re.fullmatch(r"[\w./-]+/[\w./-]+|[\w-]+\.(?:py|md|toml|json|yml|txt)", span):
            yield f"there is no file {span}", span
        for path in re.findall(r"[A-Za-z_]\w*(?:\.\w+)+", span):
            owner, _, name = path.rpartition(".")
            if owner in PUBLIC_MODULES and path not in self._symbols and path not in PUBLIC_MODULES:
                yield f"there is no public {path}", path
            # What a variable is called says its class: result, chunk, agent.
            one = self._classes.get(VARIABLES.get(owner, owner.rpartition(".")[2]))
            if one and not self._has(one.path, name):
                yield f"{one.name} has no {name}", f"{one.name}.{name}"
        yield from (lost[:2] for lost in self.lost_in_code(span))
        for word in re.findall(r"(?<![\w.])([a-z_]+)=(?![=\s])", span):
            if word not in self._parameters:
                yield f"nothing public takes {word}", word
        for word in re.findall(r"[A-Za-z_]\w*", span):
            if word not in self.words:
                yield f"nothing is called {word}", word

    def lost_in_code(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Values that a field cannot have, and words that are almost one of ours; and on which line."""
        for match in _TAGGED.finditer(text):
            tag, word = match[1], match[2]
            if word not in (known := self._values(f".{TAGS[tag]}")):
                said = f'no {tag} is "{word}"; there are {", ".join(sorted(known))}'
                yield said, word, text.count("\n", 0, match.start())
        for match in re.finditer(r"[A-Za-z]\w*(?:[_-]\w+)+", text):
            if match[0] not in self.words and get_close_matches(match[0], self._ours, 1, 0.82):
                yield f"nothing is called {match[0]}", match[0], text.count("\n", 0, match.start())

    def _has(self, path: str, name: str) -> bool:
        """Whether a public class has an attribute, its own or one that it inherits."""
        if f"{path}.{name}" in self._symbols or name.startswith("__"):
            return True
        thing = pydoc.locate(path)
        # Of an enumeration only the members have a name and a value.
        thing = next(iter(thing)) if isinstance(thing, EnumType) else thing
        return not name.startswith("_") and hasattr(thing, name)

    def hint(self, word: str) -> str:
        """What a name may have been meant for."""
        short = {path.removeprefix("finalturn.") for path in self._symbols}
        known = {*self._ours, *short, *self._symbols, *self._parameters}
        return meant(word, known - {word}, f"mend it, or list it with a reason in {WORDS}", 0.6)


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


VARIABLES = {
    "agent": "Agent",
    "result": "AgentResult",
    "chunk": "StreamChunk",
    "message": "Message",
    "stream": "AgentStream",
}


SETTINGS = ("pyproject.toml", "Makefile", ".ci/run")
"""Files beside the source whose words are names."""


# --- commands ---------------------------------------------------------------------------------------------


@kind("FT35", "dead-command")
def _dead_command(project: Project) -> Iterator[Finding]:
    for file, document in written(project):
        for line, command in _commands(document):
            if said := _problem(project, command):
                yield Finding(file, line, f'"{command}" does not work: {said}', "mend it, or take it out")


def _commands(document: Document) -> Iterator[tuple[int, str]]:
    yield from ((line, text) for line, text in document.spans if COMMAND.match(text))
    for fence in document.fences:
        if fence.language in ("", "sh", "shell", "bash", "console"):
            joined = fence.text.replace("\\\n", "  ")
            for number, line in enumerate(joined.split("\n"), fence.line + 1):
                for part in re.split(r"\s(?:&&|\||;)\s", re.sub(r"^\s*(?:\$ )?", "", line)):
                    if COMMAND.match(part.strip()):
                        yield number, part.strip()


def _problem(project: Project, command: str) -> str:
    """Why a command does not work; "" when it exists."""
    try:
        words = shlex.split(re.sub(r"^(?:[A-Z_]+=\S* )*", "", command), comments=True)
    except ValueError as error:
        return str(error)
    if words[0].startswith("python"):
        path = words[2].replace(".", "/")
        if path.startswith("tools"):
            known = {f"{path}.py", f"{path}/__main__.py"} & project.files.keys()
            return "" if known else f"there is no module {words[2]} to run"
        words = [words[2].partition(".")[0], *words[3:]]
    if words[0] == "make":
        lines = re.findall(r"^([a-z][\w -]*):(?!=)", project.files["Makefile"], re.MULTILINE)
        targets = {target for line in lines for target in line.split()}
        unknown = [word for word in words[1:] if not re.search(r"^-|=", word) and word not in targets]
        return f"the Makefile has no target {unknown[0]}; {meant(unknown[0], targets, '')}" if unknown else ""
    return _pip(project, words[1:]) if words[0] == "pip" else _finalturn(words[1:])


def _pip(project: Project, words: list[str]) -> str:
    about: dict[str, Any] = tomllib.loads(project.files["pyproject.toml"])["project"]
    extras = about["optional-dependencies"]
    for match in (re.fullmatch(r"finalturn(?:\[([^\]]*)\])?(?:[=<>~!]=?=?(\S+))?", word) for word in words):
        for extra in re.findall(r"[^\s,]+", match[1] or "") if match else ():
            if extra not in extras:
                return f"finalturn has no extra {extra}; {meant(extra, extras, '')}"
        if match and match[2] not in (None, about["version"]):
            return f"it names version {match[2]}; this is {about['version']}"
    return ""


@cache
def _cli() -> Any:
    root: Any = typer.main.get_command(app)
    # It hands its arguments on to a program of its own, which is loaded only then.
    root.commands["serve"] = typer.main.get_command(serve_app)
    return root


@cache
def _options(command: Any = None) -> frozenset[str]:
    """The options of a command, and of those below it; by default, of all."""
    command = command or _cli()
    own = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    below = (_options(one) for one in getattr(command, "commands", {}).values())
    return frozenset({"--help", "-h", *own}).union(*below)


def _finalturn(words: list[str]) -> str:
    try:
        with redirect_stdout(StringIO()):  # a wrong word is told before the help is shown
            _cli().main([*words, "--help"], prog_name="finalturn", standalone_mode=False)
    except TyperException as error:
        return str(error)
    return ""


# --- units ------------------------------------------------------------------------------------------------

UNITS = {"ms": "milliseconds", "kb": "kilobytes", "mb": "megabytes"}
"""Units that names write in another way than sentences."""
_UNIT = re.compile(r"\b(milliseconds|seconds|minutes|hours|days|bytes|kilobytes|megabytes)\b")
_NAMED = re.compile(r"(?:^|_)(seconds|ms|milliseconds|minutes|hours|days|bytes|kb|mb)$|(timeout|delay)$")


@kind("FT36", "wrong-unit")
def _wrong_unit(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        docstring = symbol.docstring
        described = {**entries(docstring, "attributes"), **entries(docstring, "parameters")}
        described[symbol.name] = docstring.partition("\n\n")[0]
        for name, text in described.items():
            if (named := _NAMED.search(name)) and (said := _UNIT.search(text)):
                unit = UNITS.get(named[1], named[1] or "seconds")
                if said[1] != unit:
                    what = f"the docstring of {symbol.path} describes {name} in {said[1]}; it is in {unit}"
                    yield Finding(symbol.file, symbol.line, what, "correct the one that is wrong")
