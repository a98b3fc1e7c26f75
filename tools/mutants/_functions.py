"""The small mutants of functions: which functions are mutated, what each must keep, and each small change."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType

from finalturn._core.turn import Judged, Table
from finalturn._support.public_home import defined_in
from tools.mutants._code import Definition, Mutant, Unit, site, statements, swapped, units

PREDICATE = ("predicate-sees-conversation", "predicate-view-readonly", "predicate-errors-propagate")
SURFACES = ("surface-parity", "handler-parity")

OF_RULES = (
    "finalturn._core.turn.guards",
    "finalturn._core.turn.updates",
    "finalturn._core.turn.results",
    "finalturn._core.turn.messages",
    "finalturn._core.turn.shows",
    "finalturn._core.turn.does",
)
"""Modules of functions that rules are made of: each must keep what its rules uphold."""

OF_DRIVER: Mapping[str, Mapping[str, Sequence[str]]] = {
    "finalturn._agent.sync": {
        "drain": (*SURFACES, "close-stops-work", "result-is-last"),
        "run_blocking": (*SURFACES, "close-stops-work", "result-is-last"),
        "SyncStream.__exit__": ("close-stops-work",),
        "SyncStream.close": ("close-stops-work",),
        "_pull": ("surface-parity", "result-is-last"),
    },
    "finalturn._agent.stream": {"AgentStream.__aexit__": ("close-stops-work",)},
    "finalturn._agent.model_call": {
        "ModelCall.next": ("surface-parity", "whole-reply-parity", "result-is-last"),
        "ModelCall._take": (
            "whole-reply-parity",
            "tool-calls-always-stream",
            "tool-call-id-native",
            "usage-complete",
            "reasoning-apart",
        ),
        "ModelCall._take_text": ("surface-parity", "whole-reply-parity", "text-tool-calls-hidden"),
        "ModelCall._take_reasoning": ("reasoning-apart",),
        "ModelCall._reason": ("reasoning-apart",),
        "ModelCall._pass_on": ("surface-parity", "default-mode-streams"),
        "ModelCall._end": (
            "surface-parity",
            "text-tool-calls-hidden",
            "tool-calls-always-stream",
            "usage-complete",
            "reasoning-apart",
        ),
    },
    "finalturn._adapters.events": {"_whole_reply": ("whole-reply-parity",)},
    "finalturn._agent.actions": {
        "Performer.perform": (
            "tool-messages-in-call-order",
            "history-is-what-was-shown",
            "limits-end-cleanly",
            "nested-activity-apart",
            *PREDICATE,
        ),
        "Performer._ask": PREDICATE,
    },
    "finalturn._agent.driver": {
        "Driver._start": ("surface-parity", "limits-end-cleanly"),
        "Driver._read": (
            "result-is-last",
            "close-stops-work",
            "usage-complete",
            "no-doubled-text",
            "limits-end-cleanly",
        ),
        "Driver._fail_call": ("usage-complete", "result-is-last"),
        "Driver._feed": ("surface-parity",),
    },
}
"""Functions of the driver and of output channels. The rest is left to mutants that are written by hand."""


def mutants_of_functions(table: Table) -> Iterator[Mutant]:
    """Every small change of every function between the machine and an output channel."""
    for module, functions in functions_of(table).items():
        for unit in units(module):
            if clauses := functions.get(unit.name):
                yield from mutants_of_function(unit, tuple(clauses))


def mutants_of_function(unit: Unit, clauses: tuple[str, ...]) -> Iterator[Mutant]:
    """Every small change of one function, each of which breaks these clauses."""
    made: Counter[str] = Counter()
    for change in changes_of(unit.node):
        name = f"{unit.module.removeprefix('finalturn.')}.{unit.name}: {change}"
        made[name] += 1
        yield Mutant(
            name=name if made[name] == 1 else f"{name} ({made[name]})",
            file=unit.file,
            line=getattr(change.old, "lineno", change.statement.lineno),
            clauses=clauses,
            install=lambda change=change: swapped([(unit, unit.changed({change.old: change.new}))]),  # type: ignore[misc]
            sites=frozenset({site(unit, change.statement)}),
            units=(unit,),
            pure=unit.module.startswith("finalturn._core."),
        )


def functions_of(table: Table) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """For each module and function that is mutated, the clauses that it must keep."""
    of_parts = clauses_of_parts(table)
    found: dict[str, Mapping[str, Sequence[str]]] = {
        module: {unit.name: of_parts[unit.function] for unit in units(module) if unit.function in of_parts}
        for module in OF_RULES
    }
    judged = _upheld(table, Judged)
    found["finalturn._core.turn.judge"] = {unit.name: judged for unit in units("finalturn._core.turn.judge")}
    found["finalturn._core.turn.machine"] = dict.fromkeys(
        ("Machine.step", "Machine._advance"), _upheld(table)
    )
    return {**found, **OF_DRIVER}


def clauses_of_parts(table: Table) -> Mapping[FunctionType, tuple[str, ...]]:
    """For each function that rules are made of, those that it calls included, what these rules uphold."""
    found: dict[FunctionType, dict[str, None]] = {}
    for rule in table:
        waiting = [*rule.when, *rule.updates, *rule.shows, *rule.does]
        seen: set[object] = set()
        while waiting:
            function = waiting.pop()
            if function in seen or not isinstance(function, FunctionType):
                continue
            seen.add(function)
            found.setdefault(function, {}).update(dict.fromkeys(rule.upholds))
            called = (function.__globals__.get(name) for name in _names_in(function.__code__))
            waiting += [
                other
                for other in called
                if inspect.isfunction(other) and defined_in(other).startswith("finalturn._core")
            ]
    return {function: tuple(clauses) for function, clauses in found.items()}


def _upheld(table: Table, on: type | None = None) -> tuple[str, ...]:
    rules = (rule for rule in table if on in (None, rule.on))
    return tuple(dict.fromkeys(clause for rule in rules for clause in rule.upholds))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names_in(const)


# --- the small changes ------------------------------------------------------------------------------------

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
NEAR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
EMPTY = {"str": '""', "int": "0", "bool": "False"}
"""What a function of this annotation gives when it gives nothing; ``()`` for a sequence."""
NOT_CHANGED = (
    ast.Assert,
    ast.Raise,
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
"""Statements that are left as they are; those in a block of one are not."""


@dataclass(frozen=True)
class Change:
    """One node, and what stands there instead.

    Attributes:
        statement: the statement that it is part of.
        old: the node.
        new: its replacement.
    """

    statement: ast.stmt
    old: ast.AST
    new: ast.AST

    def __str__(self) -> str:
        return f"{_short(self.old)} -> {_short(self.new)}"


def changes_of(node: Definition) -> Iterator[Change]:
    """Every small change of a function. Texts, checks of what is given, and what is raised stay."""
    for statement in statements(node):
        if isinstance(statement, NOT_CHANGED) or _only_checks(statement):
            continue
        yield from _of_statement(statement, node)
        for part in _expressions(statement):
            for child in _walk(part):
                for old, new in _of_expression(child):
                    if ast.dump(old) != ast.dump(new):
                        yield Change(statement, old, new)


def _of_statement(statement: ast.stmt, node: Definition) -> Iterator[Change]:
    match statement:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign():
            yield Change(statement, statement, ast.Pass())
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield Change(statement, statement, ast.Pass())
        case ast.Return(value=ast.expr() as value):
            for instead in _constant_results(node):
                if ast.unparse(value) != instead:
                    yield Change(statement, value, _expression(instead))
        case ast.Return(value=None) | ast.Continue():
            yield Change(statement, statement, ast.Pass())
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare | ast.UnaryOp):
            yield Change(statement, test, ast.UnaryOp(ast.Not(), test))
        case _:
            pass


def _constant_results(node: Definition) -> Iterator[str]:
    annotation = "" if node.returns is None else ast.unparse(node.returns)
    if annotation in EMPTY:
        yield EMPTY[annotation]
    if annotation == "bool":
        yield "True"
    if annotation.startswith(("tuple[Message", "Sequence", "list")):
        yield "()"
    if annotation == "State":
        yield "state"
    if annotation.endswith("| None"):
        yield "None"


def _of_expression(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=right):
            for kinds in (OPPOSITE, NEAR):
                if type(op) in kinds:
                    yield node, ast.Compare(left, [kinds[type(op)]()], right)
            for part in (left, *right):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part, ast.Constant("mutated")
        case ast.BoolOp(op=op, values=values):
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                if not any(_narrows(values[place], other) for other in rest):
                    yield node, rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            for part in (body, orelse):
                if not _narrows(test, part):
                    yield node, part
        case ast.Constant(value=bool() as value):
            yield node, ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield node, ast.Constant(value + 1)
        case ast.BinOp(op=ast.Add(), left=left, right=other):
            yield node, left
            yield node, other
        case ast.Call(func=func, args=args, keywords=keywords):
            if _makes_a_value(func):
                for place in range(len(keywords)):
                    yield node, ast.Call(func, args, keywords[:place] + keywords[place + 1 :])
            for keyword in keywords:
                if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
                    yield keyword.value, ast.Constant("mutated")
        case ast.Tuple(elts=elements, ctx=ast.Load()) | ast.List(elts=elements, ctx=ast.Load()):
            yield from _of_elements(node, elements)
        case ast.ListComp(elt=element, generators=[loop]):
            for condition in loop.ifs:
                left_out = ast.comprehension(
                    loop.target, loop.iter, [one for one in loop.ifs if one is not condition], loop.is_async
                )
                yield node, ast.ListComp(element, [left_out])
            backwards = ast.comprehension(
                loop.target, _expression(f"reversed(list({ast.unparse(loop.iter)}))"), loop.ifs, loop.is_async
            )
            yield node, ast.ListComp(element, [backwards])
        case _:
            pass


def _of_elements(node: ast.AST, elements: list[ast.expr]) -> Iterator[tuple[ast.AST, ast.AST]]:
    if len(elements) == 1 and not isinstance(elements[0], ast.Starred):
        yield node, ast.Tuple([], ast.Load())
    for place in range(len(elements)):
        if len(elements) > 1:
            yield node, ast.Tuple(elements[:place] + elements[place + 1 :], ast.Load())
        if place:
            swapped = [*elements[: place - 1], elements[place], elements[place - 1], *elements[place + 1 :]]
            yield node, ast.Tuple(swapped, ast.Load())


def _narrows(test: ast.expr, part: ast.expr) -> bool:
    """Whether the part needs the test: without it, it asks ``None`` for an attribute."""
    tested = test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        tested = test.left
    elif isinstance(test, ast.UnaryOp):
        tested = test.operand
    used = {ast.dump(one.value) for one in ast.walk(part) if isinstance(one, ast.Attribute)}
    return ast.dump(tested) in used


def _makes_a_value(func: ast.expr) -> bool:
    name = func.id if isinstance(func, ast.Name) else ""
    return name in ("replace", "_end", "_end_ok") or name[:1].isupper()


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement itself, not of the blocks in it, and no annotation."""
    for field, value in ast.iter_fields(statement):
        if field in ("annotation", "returns", "decorator_list", "targets", "target"):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.expr):
                yield one
            elif isinstance(one, ast.withitem):
                yield one.context_expr


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """An expression's parts, but for ``strict=``: what it asserts is true."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.keyword) and child.arg == "strict"):
            yield from _walk(child)


def _only_checks(statement: ast.stmt) -> bool:
    """Whether the statement logs, or refuses what a caller or a provider must not do."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    name = ast.unparse(statement.value.func).rpartition(".")[2].lstrip("_")
    return name.startswith(("expect_", "refuse_", "check", "warn"))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else f"{text[:60]}...{text[-27:]}"
