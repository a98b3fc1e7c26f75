"""What changed in a public name since it was released, and whether code that uses it breaks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, get_args, get_type_hints

import griffe

from finalturn.contract import Clause
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.api.signatures import STARS
from tools.contractdocs.baseline import ReleasedSymbol

WIDER = {("keyword-only", "positional or keyword"), ("positional-only", "positional or keyword")}
"""Changes of how a parameter is passed that break no call."""
BY_POSITION = ("positional-only", "positional or keyword")


class Change(NamedTuple):
    """One difference: in words, whether it breaks code that was right, and the parameter it is about."""

    said: str
    breaks: bool
    about: str = ""


class Passed(NamedTuple):
    """A parameter: how it is passed, its annotation and its default; "" for what is not written."""

    how: str
    annotation: str
    default: str


class Call(NamedTuple):
    """One way to call something: its parameters by name, what it returns, and how it is declared."""

    parameters: dict[str, Passed]
    returns: str
    declared: str


class Signature(NamedTuple):
    """A signature of the API report, taken apart."""

    bases: tuple[str, ...] = ()
    decorators: str = ""
    calls: tuple[Call, ...] = ()
    annotation: str = ""
    value: str = ""


@lru_cache(maxsize=4096)
def signature(text: str) -> Signature:
    """Read a signature; what cannot be read is its value, as written."""
    bases: tuple[str, ...] | None = None
    decorators = ""
    calls: list[Call] = []
    for line in text.split("\n"):
        match = re.fullmatch(r"((?:@\S+(?:\([^)]*\))? )*)(class |(?:async )?def )?(.*)", line, re.DOTALL)
        before, word, rest = match.groups() if match else ("", None, line)
        node = _parsed(f"{word or 'def '}{rest}: ...")
        if isinstance(node, ast.ClassDef):
            bases, decorators = tuple(ast.unparse(base) for base in node.bases), before.strip()
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            declared = f"{before}{'async' if isinstance(node, ast.AsyncFunctionDef) else ''}".strip()
            returns = ast.unparse(node.returns) if node.returns else ""
            calls.append(Call(dict(_parameters(ast.unparse(node))), returns, declared))
    if bases is not None or calls:
        return Signature(bases or (), decorators, tuple(calls))
    node = _parsed(text)
    value = getattr(node, "value", None) if isinstance(node, ast.AnnAssign | ast.Assign) else None
    annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
    plain = "" if isinstance(node, ast.AnnAssign) else text
    return Signature(annotation=annotation, value=ast.unparse(value) if value else plain)


def _parsed(text: str) -> ast.stmt | None:
    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        return None


def _parameters(declaration: str) -> Iterator[tuple[str, Passed]]:
    (function,) = griffe.visit("signature", Path(), declaration).functions.values()
    for one in function.parameters:
        # griffe gives *args and **kwargs defaults of their own.
        stars, default = STARS.get(one.kind, ""), str(one.default or "")
        how = stars or (one.kind.value if one.kind else "")
        yield one.name, Passed(how, str(one.annotation or ""), "" if stars else default)


def options(annotation: str) -> tuple[str, ...]:
    """The members of a union, as written; a ``Literal`` of several values is a union of them."""

    def parts(node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            yield from parts(node.left)
            yield from parts(node.right)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            yield from (f"Literal[{ast.unparse(value)}]" for value in values)
        else:
            yield ast.unparse(node)

    try:
        return tuple(parts(ast.parse(annotation, mode="eval").body))
    except SyntaxError:
        return (annotation,)


def changes(old: ReleasedSymbol, new: Symbol) -> list[Change]:
    """Every difference between a released name and the name as it is."""
    if old.kind != new.kind:
        return [Change(f"it was a {old.kind}, and is a {new.kind}", True)]
    was, now = signature(old.signature), signature(new.signature)
    found = [*_class(was, now), *_calls(was, now), *_values(old.kind, was, now)]
    if found or old.signature == new.signature or _adds_clauses(was.annotation, now.annotation):
        return found
    return [Change(f"it was `{old.signature}`, and is `{new.signature}`", True)]


def _class(was: Signature, now: Signature) -> Iterator[Change]:
    yield from (Change(f"it no longer is a {base}", True) for base in was.bases if base not in now.bases)
    yield from (Change(f"it is a {base} now", False) for base in now.bases if base not in was.bases)
    if was.decorators != now.decorators:
        old, new = was.decorators or "plainly", now.decorators or "plain"
        yield Change(f"it was declared {old}, and is {new}", True)


def _calls(was: Signature, now: Signature) -> Iterator[Change]:
    """Each way to call it that was must be a way to call it now."""
    for number, old in enumerate(was.calls):
        ways = [list(_call(old, new)) for new in now.calls]
        if not ways:
            yield Change("it can no longer be called", True)
            return
        unbroken = [one for one in ways if not any(change.breaks for change in one)]
        # The overload in the same place tells best what happened.
        best = min(unbroken, key=len) if unbroken else ways[min(number, len(ways) - 1)]
        yield from best
        if not unbroken:
            return
    if len(now.calls) > len(was.calls) and was.calls:
        yield Change("there are more ways to call it", False)


def _call(old: Call, new: Call) -> Iterator[Change]:
    if old.declared != new.declared:
        yield Change(f"it was {old.declared or 'plain'}, and is {new.declared or 'plain'}", True)
    before, after = (
        [name for name, one in call.parameters.items() if one.how in BY_POSITION] for call in (old, new)
    )
    kept = [name for name in before if name in after]
    if kept and after[: len(kept)] != kept:
        # Arguments that were passed by position must still go where they went.
        yield Change(f"by position it took {', '.join(before)}, and takes {', '.join(after)}", True)
    for name, one in old.parameters.items():
        if name in new.parameters:
            yield from _parameter(name, one, new.parameters[name])
        else:
            yield Change(f"parameter {name} is gone", True, name)
    for name, one in new.parameters.items():
        if name not in old.parameters:
            needed = not one.default and one.how not in ("*", "**")
            said = f"parameter {name} is new{', and has no default' if needed else ''}"
            yield Change(said, needed, "" if needed else name)
    if old.returns != new.returns:
        narrower = bool(new.returns) and set(options(new.returns)) <= set(options(old.returns))
        said = f"it returned {old.returns or 'nothing'}, and returns {new.returns or 'nothing'}"
        yield Change(said, not narrower)


def _parameter(name: str, old: Passed, new: Passed) -> Iterator[Change]:
    if old.how != new.how:
        yield Change(f"{name} became {new.how}", (old.how, new.how) not in WIDER, name)
    if old.default != new.default and not new.default:
        yield Change(f"{name} lost its default {old.default}", True, name)
    elif old.default != new.default and not old.default:
        yield Change(f"{name} has the default {new.default} now", False, name)
    elif old.default != new.default:
        yield Change(f"the default of {name} was {old.default}, and is {new.default}", True, name)
    if old.annotation != new.annotation and not _adds_clauses(old.annotation, new.annotation):
        wider = not new.annotation or set(options(old.annotation)) <= set(options(new.annotation))
        said = f"{name} took {old.annotation or 'anything'}, and takes {new.annotation or 'anything'}"
        yield Change(said, not wider, name)


def _values(kind: str, was: Signature, now: Signature) -> Iterator[Change]:
    if was.annotation != now.annotation and not _adds_clauses(was.annotation, now.annotation):
        old, new = was.annotation or "not said", now.annotation or "not said"
        yield Change(f"its type was {old}, and is {new}", True)
    if was.value == now.value:
        return
    what = "its default" if kind == "field" else "its value"
    if kind == "alias":
        before, after = options(was.value), options(now.value)
        gone = [_bare(one) for one in before if one not in after]
        added = [_bare(one) for one in after if one not in before]
        if gone:
            yield Change(f"{', '.join(gone)} is gone", True)
        else:
            yield Change(f"{', '.join(added) or 'another order'} was added", False)
    elif kind == "field" and now.value and not was.value:
        yield Change(f"it has the default {now.value} now", False)
    else:
        yield Change(f"{what} was {was.value or 'none'}, and is {now.value or 'none'}", True)


def _bare(option: str) -> str:
    return option.removeprefix("Literal['").removesuffix("']")


def _adds_clauses(was: str, now: str) -> bool:
    """Whether only ids of clauses were added to a type. The changelog names each new clause by itself."""
    old, new = set(options(was)), set(options(now))
    ids = {f"Literal[{clause_id!r}]" for clause_id in get_args(get_type_hints(Clause)["id"])}
    return old <= new and new - old <= ids
