"""What changed in a public name since it was released, and whether code that uses it breaks.

griffe tells what breaks a call; it does not look at types, so what widens or narrows one is told here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import griffe

from finalturn.contract import CLAUSES
from tools.contractdocs.api.expressions import union
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import ReleasedSymbol
from tools.contractdocs.findings import short

DECORATORS = ("@dataclass", "@final", "@runtime_checkable")
"""Those of a class whose meaning users know."""


class Change(NamedTuple):
    """One difference: in words, whether it breaks code that was right, and the parameter it is about."""

    said: str
    breaks: bool
    about: str = ""


def changes(old: ReleasedSymbol, new: Symbol) -> list[Change]:
    """Every difference between a released name and the name as it is."""
    if old.kind != new.kind:
        return [Change(f"it was a {old.kind}, and is a {new.kind}", True)]
    was, now = old.signature.split("\n"), new.signature.split("\n")
    if was == now or old.kind == "parameter":
        return []
    if old.kind == "class":
        return [*_class(was[0], now[0]), *_calls(was[1:], now[1:])]
    return list(_calls(was, now) if old.kind in ("function", "method") else _value(old, new))


def _class(was: str, now: str) -> Iterator[Change]:
    before, after = _parts(was), _parts(now)
    if before != after:
        old, new = (", ".join(sorted(parts)) or "plain" for parts in (before, after))
        yield Change(f"it was {old}, and is {new}", not before <= after)


def _parts(line: str) -> set[str]:
    """The bases of a class, and the decorators that Python has."""
    decorators, _, rest = line.rpartition("class ")
    (node,) = ast.parse(decorators.replace(" @", "\n@") + f"\nclass {rest}: ...").body
    assert isinstance(node, ast.ClassDef)
    decorated = {f"@{ast.unparse(one)}" for one in node.decorator_list}
    bases = {ast.unparse(base) for base in node.bases}
    return bases | {one for one in decorated if one.startswith(DECORATORS)}


def _calls(was: list[str], now: list[str]) -> Iterator[Change]:
    """Each way to call it that was must be a way to call it now."""
    for number, old in enumerate(was):
        ways = [list(_call(old, new)) for new in now]
        unbroken = [way for way in ways if not any(change.breaks for change in way)]
        if not unbroken:
            # The overload in the same place tells best what happened.
            yield from (
                ways[min(number, len(ways) - 1)] if ways else [Change("it can no longer be called", True)]
            )
            return
        yield from min(unbroken, key=len)
    if len(now) > len(was) > 0:
        yield Change("there are more ways to call it", False)


def _call(old: str, new: str) -> Iterator[Change]:
    (declared, was), (declares, now) = (_function(line) for line in (old, new))
    if declared != declares:
        yield Change(f"it was `{declared}`, and is `{declares}`", True)
    breakages = griffe.find_breaking_changes(was.module, now.module)
    values = [value for one in breakages for value in (one.old_value, one.new_value)]
    broken = {value.name for value in values if isinstance(value, griffe.Parameter)}
    olds, news = ({one.name: one for one in function.parameters} for function in (was, now))
    for name in olds | news:
        before, after = olds.get(name), news.get(name)
        took, takes = (str(one.annotation or "") if one else "" for one in (before, after))
        same_type = took == takes or _adds_clauses(took, takes)
        wider = same_type or not (before and takes) or options(took) <= options(takes)
        breaks = name in broken or not wider
        same_rest = before and after and (before.kind, before.default) == (after.kind, after.default)
        if breaks or not (same_type and same_rest):
            said = f"parameter {name} was {_written(before)}, and is {_written(after)}"
            yield Change(said, breaks, name if before or not breaks else "")
    gave, gives = str(was.returns or "None"), str(now.returns or "None")
    if gave != gives:
        yield Change(f"it returned {gave}, and returns {gives}", not options(gives) <= options(gave))


def _written(parameter: griffe.Parameter | None) -> str:
    """A parameter as it stands in a signature of its own, which shows how it is passed."""
    if parameter is None:
        return "not there"
    return f"`{griffe.Function('', parameters=griffe.Parameters(parameter)).signature()}`"


def _function(line: str) -> tuple[str, griffe.Function]:
    """What stands before the parentheses of a signature, and what it says, read by griffe."""
    declared, _, rest = line.partition("(")
    return declared, griffe.visit("signature", Path(), f"def call({rest}: ...").functions["call"]


def _value(old: ReleasedSymbol, new: Symbol) -> Iterator[Change]:
    (head, _, was), (heads, _, now) = (one.signature.partition(" = ") for one in (old, new))
    typed, types = head.partition(": ")[2], heads.partition(": ")[2]
    same_type = typed == types or _adds_clauses(typed, types)
    if same_type and was == now:
        return
    # An alias may take more, and a field a default.
    wider = options(was) <= options(now) if old.kind == "alias" else old.kind == "field" and not was
    before, after = short(old.signature, new.signature), short(new.signature, old.signature)
    yield Change(f"it was `{before}`, and is `{after}`", not (same_type and wider))


def options(annotation: str) -> set[str]:
    """The members of a union, as written; a ``Literal`` of several values is a union of them."""
    found: set[str] = set()
    for part in union(ast.parse(annotation or "None", mode="eval").body):
        if isinstance(part, ast.Subscript) and ast.unparse(part.value) == "Literal":
            values = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
            found |= {f"Literal[{ast.unparse(value)}]" for value in values}
        else:
            found.add(ast.unparse(part))
    return found


def _adds_clauses(was: str, now: str) -> bool:
    """Whether only ids of clauses were added to a type. The changelog names each new clause by itself."""
    ids = {f"Literal[{clause.id!r}]" for clause in CLAUSES}
    return options(was) <= options(now) <= options(was) | ids
