"""What changed in a public name since it was released, and whether code that uses it breaks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias, get_args, get_type_hints

from finalturn.contract import Clause
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import ReleasedSymbol

Passing: TypeAlias = Literal["positional", "either", "keyword", "*", "**"]
"""How an argument is passed."""


@dataclass(frozen=True)
class Parameter:
    """One parameter, or a field; what is not written is ""."""

    name: str
    passing: Passing
    annotation: str = ""
    default: str = ""


@dataclass(frozen=True)
class Call:
    """One way to call something."""

    parameters: tuple[Parameter, ...]
    returns: str
    decorators: str

    def named(self, name: str) -> Parameter | None:
        """The parameter of a name."""
        return next((one for one in self.parameters if one.name == name), None)


@dataclass(frozen=True)
class Signature:
    """All of it.

    Attributes:
        bases: of a class.
        decorators: of a class.
        calls: how it can be called: one for each overload.
        annotation: of a field, property or constant.
        value: of an alias, an enum's member or a constant; the default of a field.
    """

    bases: tuple[str, ...] = ()
    decorators: str = ""
    calls: tuple[Call, ...] = field(default=())
    annotation: str = ""
    value: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The strings of a literal, wherever it stands."""
        return literals(self.value) or literals(self.annotation)


@lru_cache(maxsize=4096)
def signature(text: str) -> Signature:
    """Read a signature; what cannot be read is its value, as written."""
    bases: tuple[str, ...] = ()
    decorators = ""
    calls: list[Call] = []
    for line in text.split("\n"):
        before, found, rest = re.match(r"((?:@\S+(?:\([^)]*\))? )*)(class )?(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        if found:
            node = _parsed(f"class {rest}: ...")
            bases = tuple(ast.unparse(base) for base in node.bases) if isinstance(node, ast.ClassDef) else ()
            decorators = before.strip()
            continue
        node = _parsed(f"{rest}: ..." if re.match(r"(async )?def ", rest) else f"def {rest}: ...")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
            returns = ast.unparse(node.returns) if node.returns else ""
            calls.append(Call(tuple(_parameters(node.args)), returns, f"{before}{kind}".strip()))
    if bases or decorators or calls or re.search(r"(^|\n)(@.* )?class ", text):
        return Signature(bases, decorators, tuple(calls))
    node = _parsed(text)
    if isinstance(node, ast.AnnAssign):
        return Signature(
            annotation=ast.unparse(node.annotation), value=ast.unparse(node.value) if node.value else ""
        )
    if isinstance(node, ast.Assign):
        return Signature(value=ast.unparse(node.value))
    return Signature(value=text)


def _parsed(text: str) -> ast.stmt | None:
    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        return None


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    ordered = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(ordered) - len(arguments.defaults)) + list(arguments.defaults)
    for number, (one, default) in enumerate(zip(ordered, defaults, strict=True)):
        yield _parameter(one, "positional" if number < len(arguments.posonlyargs) else "either", default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, "*", None)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, "keyword", default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, "**", None)


def _parameter(one: ast.arg, passing: Passing, default: ast.expr | None) -> Parameter:
    annotation = ast.unparse(one.annotation) if one.annotation else ""
    return Parameter(one.arg, passing, annotation, ast.unparse(default) if default else "")


def literals(annotation: str) -> tuple[str, ...]:
    """The strings of every ``Literal`` in an annotation."""
    if "Literal[" not in annotation:
        return ()
    try:
        tree = ast.parse(annotation, mode="eval")
    except SyntaxError:
        return ()
    return tuple(
        part.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Subscript) and ast.unparse(one.value) == "Literal"
        for part in ast.walk(one.slice)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def options(annotation: str) -> tuple[str, ...]:
    """The members of a union, as written; a ``Literal`` of several values is a union of them."""
    try:
        node = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return (annotation,)
    return tuple(_options(node))


def _options(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _options(node.left)
        yield from _options(node.right)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        yield from (f"Literal[{ast.unparse(value)}]" for value in values)
    else:
        yield ast.unparse(node)


POSITIONAL = ("positional", "either")


@dataclass(frozen=True)
class Change:
    """One difference.

    Attributes:
        said: in words.
        breaks: whether it breaks code that was right.
        about: the parameter that it is about; "" for none.
    """

    said: str
    breaks: bool
    about: str = ""


def changes(old: ReleasedSymbol, new: Symbol) -> list[Change]:
    """Every difference between a released name and the name as it is."""
    if old.signature == new.signature and old.kind == new.kind:
        return []
    if old.kind != new.kind:
        return [Change(f"it was a {old.kind}, and is a {new.kind}", True)]
    was, now = signature(old.signature), signature(new.signature)
    found = [*_class(was, now), *_calls(was, now), *_values(old.kind, was, now)]
    if not found and _has_new_clauses(was.annotation, now.annotation):
        return []
    return found or [Change(f"it was `{old.signature}`, and is `{new.signature}`", True)]


def _class(was: Signature, now: Signature) -> Iterator[Change]:
    for base in was.bases:
        if base not in now.bases:
            yield Change(f"it no longer is a {base}", True)
    for base in now.bases:
        if base not in was.bases:
            yield Change(f"it is a {base} now", False)
    if was.decorators != now.decorators:
        yield Change(
            f"it was declared {was.decorators or 'plainly'}, and is {now.decorators or 'plain'}", True
        )


def _calls(was: Signature, now: Signature) -> Iterator[Change]:
    """Each way to call it that was must be a way to call it now."""
    for number, old in enumerate(was.calls):
        found = [list(_call(old, new)) for new in now.calls]
        if not found:
            yield Change("it can no longer be called", True)
            return
        unbroken = [one for one in found if not any(change.breaks for change in one)]
        if unbroken:
            best = min(unbroken, key=len)
        else:  # the overload in the same place tells best what happened
            best = found[number] if number < len(found) else min(found, key=len)
        yield from best
        if any(change.breaks for change in best):
            return
    if len(now.calls) > len(was.calls) and was.calls:
        yield Change("there are more ways to call it", False)


def _call(old: Call, new: Call) -> Iterator[Change]:
    if old.decorators != new.decorators:
        yield Change(f"it was {old.decorators or 'plain'}, and is {new.decorators or 'plain'}", True)
    yield from _order(old, new)
    for one in old.parameters:
        other = new.named(one.name)
        if other is None:
            yield Change(f"parameter {one.name} is gone", True, one.name)
        else:
            yield from _passed(one, other)
    for one in new.parameters:
        if old.named(one.name) is None:
            needed = not one.default and one.passing not in ("*", "**")
            said = f"parameter {one.name} is new{', and has no default' if needed else ''}"
            yield Change(said, needed, "" if needed else one.name)
    if old.returns != new.returns:
        narrower = set(options(new.returns)) <= set(options(old.returns)) and bool(new.returns)
        yield Change(
            f"it returned {old.returns or 'nothing'}, and returns {new.returns or 'nothing'}", not narrower
        )


def _order(old: Call, new: Call) -> Iterator[Change]:
    """Arguments that were passed by position must still go where they went."""
    before = [one.name for one in old.parameters if one.passing in POSITIONAL]
    after = [one.name for one in new.parameters if one.passing in POSITIONAL]
    kept = [name for name in before if name in after]
    if kept and after[: len(kept)] != kept:
        said = f"by position it took {', '.join(before)}, and takes {', '.join(after)}"
        yield Change(said, True)


def _passed(old: Parameter, new: Parameter) -> Iterator[Change]:
    name = old.name
    if old.passing != new.passing:
        breaks = (old.passing, new.passing) not in (("keyword", "either"), ("positional", "either"))
        words = {
            "positional": "positional-only",
            "either": "positional or keyword",
            "keyword": "keyword-only",
        }
        yield Change(f"{name} became {words.get(new.passing, new.passing)}", breaks, name)
    if old.default != new.default:
        if not new.default:
            yield Change(f"{name} lost its default {old.default}", True, name)
        elif not old.default:
            yield Change(f"{name} has the default {new.default} now", False, name)
        else:
            yield Change(f"the default of {name} was {old.default}, and is {new.default}", True, name)
    if old.annotation != new.annotation and not _has_new_clauses(old.annotation, new.annotation):
        wider = set(options(old.annotation)) <= set(options(new.annotation)) or not new.annotation
        yield Change(
            f"{name} took {old.annotation or 'anything'}, and takes {new.annotation or 'anything'}",
            not wider,
            name,
        )


def _values(kind: str, was: Signature, now: Signature) -> Iterator[Change]:
    if was.annotation != now.annotation and not _has_new_clauses(was.annotation, now.annotation):
        yield Change(
            f"its type was {was.annotation or 'not said'}, and is {now.annotation or 'not said'}", True
        )
    if was.value == now.value:
        return
    if kind == "alias":
        old, new = was.words or options(was.value), now.words or options(now.value)
        if set(old) <= set(new):
            yield Change(
                f"{', '.join(one for one in new if one not in old) or 'another order'} was added", False
            )
        else:
            yield Change(f"{', '.join(one for one in old if one not in new)} is gone", True)
    elif kind == "field" and was.value and now.value:
        yield Change(f"its default was {was.value}, and is {now.value}", True)
    elif kind == "field" and now.value:
        yield Change(f"it has the default {now.value} now", False)
    else:
        yield Change(f"its value was {was.value or 'none'}, and is {now.value or 'none'}", True)


def _has_new_clauses(was: str, now: str) -> bool:
    """Whether only ids of clauses were added to a type. The changelog names each new clause by itself."""
    old, new = set(options(was)), set(options(now))
    ids = {f"Literal[{clause_id!r}]" for clause_id in get_args(get_type_hints(Clause)["id"])}
    return old <= new and new - old <= ids
