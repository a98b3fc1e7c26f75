"""What changed in a public name since it was released, and whether code that uses it breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from finalturn._core.turn.table import ClauseId
from tools.contractdocs._api import Symbol
from tools.contractdocs._baseline import ReleasedSymbol
from tools.contractdocs._baseline_signature import Call, Parameter, Signature, options, signature

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
            yield from _parameter(one, other)
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


def _parameter(old: Parameter, new: Parameter) -> Iterator[Change]:
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
    ids = {f"Literal[{clause_id!r}]" for clause_id in get_args(ClauseId)}
    return old <= new and new - old <= ids
