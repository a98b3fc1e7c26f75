"""Public names: their homes, their levels, and what their docstrings say of their signatures."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from tools.contractdocs.api.docstrings import Entries, entries
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.modules import PUBLIC_MODULES, module_file
from tools.contractdocs.project import Project

VERSION = r"(?:NEXT|\d+\.\d+\.\d+)"
EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)

# --- homes, levels and deprecations -----------------------------------------------------------------------


@kind("FT42", "two-homes")
def _two_homes(project: Project) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for listing in project.api.listings:
        path = f"{listing.module}.{listing.name}"
        if listing.home and first.setdefault(listing.home, path) != path:
            what = f"{path} is public as {first[listing.home]} too"
            remedy = "keep it in the __all__ of one of the two modules"
            yield Finding(listing.file, listing.line, what, remedy)


@kind("FT4D", "name-nowhere")
def _nowhere(project: Project) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for one in project.api.listings:
        head = f"__all__ of {one.module} lists {one.name!r}"
        if not one.home:
            remedy = "define or import it there, or take it out of __all__"
            yield Finding(one.file, one.line, f"{head}, which the module does not have", remedy)
        elif (one.module, one.name) in seen:
            yield Finding(one.file, one.line, f"{head} twice", "delete one of the two")
        seen.add((one.module, one.name))


@kind("FT41", "no-level")
def _no_level(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        if not symbol.level and symbol.parent not in project.api.symbols:
            how = "@stable(since=NEXT) or @beta(since=NEXT) above it"
            if symbol.kind in ("constant", "alias"):
                how = f'stable(since=NEXT).constant(__name__, "{symbol.name}") below it'
            yield _of(
                symbol, f"{symbol.path} is public without a level", f"put {how}, or take it out of __all__"
            )


@kind("FT4C", "no-version")
def _no_version(project: Project) -> Iterator[Finding]:
    remedy = "write since=NEXT for what is new, or the version MAJOR.MINOR.PATCH that first had it"
    for symbol in project.api.symbols.values():
        parent = project.api.symbols.get(symbol.parent)
        inherited = parent is not None and _same(parent, symbol)
        if symbol.level and not inherited and not re.fullmatch(VERSION, symbol.since):
            since = f"since {symbol.since!r}" if symbol.since else "without since"
            yield _of(symbol, f"{symbol.path} is {symbol.level} {since}, which is no version", remedy)


@kind("FT4B", "useless-marker")
def _useless(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        members = {member.name: member for member in project.api.members.get(symbol.path, ())}
        known = members.keys() | {one.name.lstrip("*") for one in symbol.parameters}
        for name in symbol.differing:
            if name not in known:
                what = f"names no field, parameter or method of {symbol.path}"
            elif name in members and _same(members[name], symbol):
                what = f"says what {symbol.path} says itself: {symbol.level} since {symbol.since}"
            else:
                continue
            yield _of(
                symbol, f"fields= has an entry {name!r} that {what}", "correct its name, or delete the entry"
            )


def _same(one: Symbol, other: Symbol) -> bool:
    return (one.level, one.since) == (other.level, other.since)


@kind("FT4A", "deprecated-silently")
def _silent(project: Project) -> Iterator[Finding]:
    wanted = {
        "the version that says so": rf"\bdeprecated in {VERSION}",
        "what to use instead": r"\buse \S",
        "the version of removal": r"\bremoved in \d+\.\d+\.\d+",
    }
    for symbol in project.api.symbols.values():
        missing = [words for words, pattern in wanted.items() if not re.search(pattern, symbol.deprecated)]
        if symbol.deprecated and missing:
            lacks = " nor ".join(missing)
            what = f"the deprecation of {symbol.path}, {symbol.deprecated!r}, does not name {lacks}"
            yield _of(symbol, what, 'write "deprecated in NEXT: use X; removed in 2.0.0"')


@kind("FT49", "stable-mentions-beta")
def _on_beta(project: Project) -> Iterator[Finding]:
    symbols = project.api.symbols
    for symbol in symbols.values():
        of_members = {path for one in project.api.members.get(symbol.path, ()) for path in one.mentions}
        for path in sorted(symbol.mentions - of_members):
            if symbol.level == "stable" and path in symbols and symbols[path].level == "beta":
                what = f"{symbol.path} is stable and has in its signature {path}, which is beta"
                yield _of(
                    symbol, what, "make it beta, promote the other, or say that it holds without the other"
                )


def _of(symbol: Symbol, what: str, remedy: str) -> Finding:
    return Finding(symbol.file, symbol.line, what, remedy)


# --- docstrings -------------------------------------------------------------------------------------------


@kind("FT45", "no-docstring")
def _no_docstring(project: Project) -> Iterator[Finding]:
    remedy = "say what it means, its shape and units, and which errors it raises"
    for module in PUBLIC_MODULES:
        file = module_file(module, project.files)
        if not ast.get_docstring(ast.parse(project.files[file])):
            yield Finding(file, 1, f"the module {module} is public without a docstring", remedy)
    for symbol in project.api.symbols.values():
        operator = symbol.name.startswith("__") and symbol.name not in ("__call__", "__version__")
        clause = symbol.kind == "constant" and f"{symbol.name} = Clause(" in symbol.signature
        # The docstring of their class or function describes the others.
        elsewhere = symbol.kind in ("field", "member", "parameter")
        if not symbol.docstring.strip() and not (operator or clause or elsewhere):
            yield _of(symbol, f"the {symbol.kind} {symbol.path} is public without a docstring", remedy)


@kind("FT46", "undocumented-parameter")
def _undocumented(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        if not symbol.docstring or symbol.kind not in ("class", "function", "method"):
            continue
        told = entries(symbol.docstring)
        members = project.api.members.get(symbol.path, ()) if symbol.kind == "class" else ()
        lacks, invents = _differences(symbol, told, members)
        problems = [
            *(f"does not describe {name}" for name in lacks),
            *(f"describes {name}, which it does not have" for name in invents),
        ]
        for problem in problems:
            what = f"the docstring of {symbol.path} {problem}"
            yield _of(
                symbol, what, "make Args: and Attributes: name what the signature names, and nothing else"
            )


def _differences(symbol: Symbol, told: Entries, members: tuple[Symbol, ...]) -> tuple[list[str], list[str]]:
    """What a docstring does not describe, and what it describes in vain."""
    parameters = [one.name for one in symbol.parameters]
    invents = [name for name in told.arguments if name not in parameters]
    described = {one.name for one in members if one.docstring} | told.arguments.keys()
    fields = [one.name for one in members if one.kind in ("field", "member")]
    if symbol.kind == "class":
        known = {one.name for one in members if one.kind != "method"}
        invents += [name for name in told.attributes if name not in known]
    # What the language or pytest calls takes what these give it.
    machine = symbol.name.startswith(("test_", "pytest_", "__")) and symbol.name != "__call__"
    wanted = [] if machine else dict.fromkeys([*fields, *parameters])
    return [name for name in wanted if name not in described], invents


@kind("FT48", "no-such-error")
def _no_such_error(project: Project) -> Iterator[Finding]:
    public = {symbol.name for symbol in project.api.symbols.values() if symbol.kind == "class"}
    for symbol in project.api.symbols.values():
        for name in entries(symbol.docstring).raises:
            if name not in EXCEPTIONS and name not in public:
                what = (
                    f"the docstring of {symbol.path} says that it raises {name}, which is no public exception"
                )
                yield _of(symbol, what, "name a builtin or a public exception, or make this one public")


CONSTANTS = {
    "connect_timeout": "CONNECT_TIMEOUT",
    "read_timeout": "READ_TIMEOUT",
    "max_answer_bytes": "MAX_ANSWER",
    "max_tokens": "MAX_TOKENS",
}
"""What a default of ``None`` stands for, by parameter of a provider: the constant that has it."""

_VALUE = r"(?:``(?P<code>[^`]+)``|(?P<word>-?\d+(?:\.\d+)?\b|True\b|False\b|None\b))"
_DEFAULTS = (
    re.compile(rf"\b(?:by default|defaults? to|default is|default|default:),? {_VALUE}", re.IGNORECASE),
    re.compile(rf"{_VALUE},? by default\b", re.IGNORECASE),
)
_NOTHING = object()


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _NOTHING


def said_default(text: str) -> str | None:
    """The literal that an entry of a docstring says is the default; ``None`` when it says none."""
    matches = (match for pattern in _DEFAULTS for match in pattern.finditer(text))
    values = (match["code"] or match["word"] for match in matches)
    return next((value for value in values if _literal(value) is not _NOTHING), None)


@kind("FT47", "docstring-default")
def _wrong_default(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        told = entries(symbol.docstring)
        described = {**told.attributes, **told.arguments}
        for parameter in symbol.parameters:
            said = said_default(described.get(parameter.name, ""))
            actual = _actual(project, symbol, parameter.name, parameter.default)
            if said is not None and (_literal(actual) is _NOTHING or _literal(said) != _literal(actual)):
                what = f"the docstring of {symbol.path} says that {parameter.name} is {said} by default"
                yield _of(symbol, f"{what}; it is {actual or 'nothing'}", "correct the one that is wrong")


def _actual(project: Project, symbol: Symbol, name: str, default: str) -> str:
    if default != "None" or not symbol.path.startswith("finalturn.providers."):
        return default
    constant = re.compile(rf"^{CONSTANTS.get(name, '-')} = (.+)$", re.MULTILINE)
    texts = (text for file, text in project.files.items() if re.match(r"src/finalturn/_?providers/", file))
    return next((match[1] for text in texts if (match := constant.search(text))), default)


@kind("FT4E", "overload-default")
def _overloads(project: Project) -> Iterator[Finding]:
    for symbol in project.api.symbols.values():
        defaults = {one.name: one.default for one in symbol.parameters}
        every = {(one.name, one.default) for overload in symbol.overloads for one in overload}
        for name, said in sorted(every):
            actual = defaults.get(name, "")
            if said not in ("", "...", actual):
                what = f"an overload of {symbol.path} says that {name} is {said} by default"
                remedy = "give the overloads and the implementation one default"
                yield _of(symbol, f"{what}; it is {actual or 'nothing'}", remedy)
