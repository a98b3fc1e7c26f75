"""The small ways in which a function can be wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tools.mutants._code import Definition, statements

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
