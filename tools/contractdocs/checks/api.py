"""Public names: their homes, their levels, and what their docstrings say of their signatures."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from tools.contractdocs.api.expressions import NOTHING, literal
from tools.contractdocs.api.model import Symbol, entries
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.modules import module_file
from tools.contractdocs.project import Project

DEPRECATION = re.compile(r"deprecated in (?:NEXT|\d+\.\d+\.\d+): use \S.*; removed in \d+\.\d+\.\d+")

# --- homes, levels and deprecations -----------------------------------------------------------------------


@kind("FT42", "two-homes")
def _two_homes(project: Project) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for module, name, home in project.api.listings:
        path = f"{module}.{name}"
        if first.setdefault(home, path) != path:
            file = module_file(module, project.files)
            line = project.line_of(file, "__all__")
            remedy = "keep it in the __all__ of one of the two modules"
            yield Finding(file, line, f"{path} is public as {first[home]} too", remedy)


@kind("FT41", "no-level")
def _no_level(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        if not symbol.level and symbol.parent not in project.api.symbols:
            how = "@stable(since=NEXT) or @beta(since=NEXT) above it"
            if symbol.kind in ("constant", "alias"):
                how = f'stable(since=NEXT).constant(__name__, "{symbol.name}") below it'
            remedy = f"put {how}, or take it out of __all__"
            yield _of(symbol, f"{symbol.path} is public without a level", remedy)


@kind("FT4A", "deprecated-silently")
def _silent(project: Project) -> Iterator[Finding]:
    remedy = 'write "deprecated in NEXT: use X; removed in 2.0.0"'
    for symbol in project.api.symbols.values():
        if symbol.deprecated and not DEPRECATION.match(symbol.deprecated):
            yield _of(symbol, f"the deprecation of {symbol.path} says {symbol.deprecated!r}", remedy)


@kind("FT49", "stable-mentions-beta")
def _on_beta(project: Project) -> Iterator[Finding]:
    beta = {one.name: path for path, one in project.api.symbols.items() if one.level == "beta"}
    remedy = "make it beta, promote the other, or say that it holds without the other"
    for symbol in project.api.symbols.values():
        # What a member mentions is said of the member; a parameter that is beta may mention what is.
        members = project.api.members.get(symbol.path, ())
        text = symbol.signature
        for one in (one for one in members if one.kind == "parameter"):
            text = re.sub(rf"\b{one.name}: .+?(?=, [\w*]+[:,]|\)$|\) ->)", "", text, flags=re.MULTILINE)
        of_members = {word for one in members for word in re.findall(r"\w+", one.signature)}
        words = set(re.findall(r"\b[A-Z]\w*[a-z]\w*", text)) - of_members
        for name in sorted(words & beta.keys() - {symbol.name}) if symbol.level == "stable" else ():
            what = f"{symbol.path} is stable and has in its signature {beta[name]}, which is beta"
            yield _of(symbol, what, remedy)


def _of(symbol: Symbol, what: str, remedy: str) -> Finding:
    return Finding(symbol.file, symbol.line, what, remedy)


# --- docstrings -------------------------------------------------------------------------------------------


@kind("FT45", "no-docstring")
def _no_docstring(project: Project) -> Iterator[Finding]:
    remedy = "say what it means, its shape and units, and which errors it raises"
    for symbol in project.api.symbols.values():
        operator = symbol.name.startswith("__") and symbol.name not in ("__call__", "__version__")
        clause = symbol.kind == "constant" and f"{symbol.name} = Clause(" in symbol.signature
        # The docstring of their class or function describes the others.
        elsewhere = symbol.kind in ("field", "member", "parameter")
        if not symbol.docstring.strip() and not (operator or clause or elsewhere):
            yield _of(symbol, f"the {symbol.kind} {symbol.path} is public without a docstring", remedy)


@kind("FT46", "undocumented-parameter")
def _undocumented(project: Project) -> Iterator[Finding]:
    remedy = "make Args: and Attributes: name what the signature names, and nothing else"
    for symbol in project.api.symbols.values():
        if not symbol.docstring or symbol.kind not in ("class", "function", "method"):
            continue
        arguments = entries(symbol.docstring, "parameters").keys()
        members = project.api.members.get(symbol.path, ()) if symbol.kind == "class" else ()
        parameters = {one.name for one in symbol.parameters}
        attributes = {one.name for one in members if one.kind != "method"}
        of_fields = entries(symbol.docstring, "attributes").keys() if symbol.kind == "class" else set[str]()
        invents = [*(arguments - parameters), *(of_fields - attributes)]
        described = {one.name for one in members if one.docstring} | arguments
        fields = {one.name for one in members if one.kind in ("field", "member")}
        # What the language or pytest calls takes what these give it.
        machine = symbol.name.startswith(("test_", "pytest_", "__")) and symbol.name != "__call__"
        lacks = set() if machine else (fields | parameters) - described
        problems = [f"does not describe {name}" for name in sorted(lacks)]
        problems += [f"describes {name}, which it does not have" for name in sorted(invents)]
        for problem in problems:
            yield _of(symbol, f"the docstring of {symbol.path} {problem}", remedy)


@kind("FT48", "no-such-error")
def _no_such_error(project: Project) -> Iterator[Finding]:
    public = {symbol.name for symbol in project.api.symbols.values() if symbol.kind == "class"}
    remedy = "name a builtin or a public exception, or make this one public"
    for symbol in project.api.symbols.values():
        raised = entries(symbol.docstring, "raises").keys()
        for name in sorted(raised - public - vars(builtins).keys()):
            what = f"the docstring of {symbol.path} says that it raises {name}, which is no public exception"
            yield _of(symbol, what, remedy)


_VALUE = r"(``[^`]+``|-?\d+(?:\.\d+)?\b|True\b|False\b|None\b)"
_DEFAULT = re.compile(
    rf"\b(?:by default|defaults? to|default is|default|default:),? {_VALUE}|{_VALUE},? by default\b",
    re.IGNORECASE,
)


def said_default(text: str) -> str | None:
    """The literal that an entry of a docstring says is the default; ``None`` when it says none."""
    values = ((match[1] or match[2]).strip("`") for match in _DEFAULT.finditer(text))
    return next((value for value in values if literal(value) is not NOTHING), None)


@kind("FT47", "docstring-default")
def _wrong_default(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        sections = (entries(symbol.docstring, name) for name in ("attributes", "parameters"))
        described = {entry: text for section in sections for entry, text in section.items()}
        for name, default in symbol.parameters:
            said = said_default(described.get(name, ""))
            actual = _actual(project, symbol, name, default)
            if said is not None and (literal(actual) is NOTHING or literal(said) != literal(actual)):
                what = f"the docstring of {symbol.path} says that {name} is {said} by default"
                yield _of(symbol, f"{what}; it is {actual or 'nothing'}", "correct the one that is wrong")


def _actual(project: Project, symbol: Symbol, name: str, default: str) -> str:
    """A default; where a provider's is ``None``, the constant that it stands for and that is called alike."""
    if default == "None" and symbol.path.startswith("finalturn.providers."):
        texts = (text for file, text in project.files.items() if file.startswith("src/finalturn/_providers/"))
        for constant, value in re.findall(r"^([A-Z]+_[A-Z_]+) = (.+)$", "\n".join(texts), re.MULTILINE):
            if name.upper().startswith(constant):
                return str(value)
    return default
