"""A ``match`` over a closed set of kinds has an arm for each, or says what it leaves out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import trees, walk

HERE = "tools/contractdocs/kinds/code_arms.py"

LEFT_OUT: Mapping[tuple[str, str], str] = {
    ("src/finalturn/_contract/checks/ends.py", "Record"): (
        "FinalizeAnswered FinalizeAsked ModelReasoning ModelText ToolOutcomeRecorded ToolsStarted"
        " TurnCancelled TurnFailed TurnSaved TurnStarted"
    ),
    ("src/finalturn/_contract/checks/messages.py", "Record"): (
        "CallEnded FinalizeAnswered ModelReasoning ModelText Shown ToolOutcomeRecorded ToolsStarted"
        " TurnCancelled TurnFailed TurnSaved TurnStarted"
    ),
    ("src/finalturn/_contract/traces/turn.py", "Record"): (
        "CallStarted ToolOutcomeRecorded TurnCancelled TurnFailed TurnStarted"
    ),
    ("src/finalturn/_otel/turn.py", "TurnEvent"): (
        "ChunkDelivered PredicateAnswered PredicateAsked RuleFired SaveEnded SaveStarted ToolBatchStarted"
        " TurnPrepared"
    ),
    ("src/finalturn/_testing/recording/turn.py", "TurnEvent"): (
        "ModelEventReceived SaveStarted ToolCallStarted"
    ),
}
"""What a catch-all passes over in silence, and may: by file and union."""


def _silent(project: Project) -> Iterator[Place]:
    unions = _unions(project)
    used: set[tuple[str, str]] = set()
    for file, tree in trees(project, words=("match ",)):
        for owner, node, hints in _matches(tree):
            union = _union_of(node, hints, unions)
            if union is None:
                continue
            name, members = union
            last = node.cases[-1]
            may = LEFT_OUT.get((file, name), "").split()
            covered = {one for case in node.cases if case.guard is None for one in _whole(case.pattern)}
            if not _is_catch_all(last):
                missing, how = sorted(members - covered), "no arm for"
            elif _is_silent(last):
                used.add((file, name))
                missing, how = sorted(members - covered - {*may}), "only a silent catch-all for"
            else:
                continue
            if missing:
                what = f"the match over {name} in {owner} has {how} {', '.join(missing)}"
                yield at(file, node.lineno, what=what)
    for file, name in sorted(LEFT_OUT.keys() - used):
        what = f"LEFT_OUT has an entry for {name} in {file}, where nothing is left out"
        yield at(HERE, project.line_of(HERE, file), what=what)


def _matches(tree: ast.Module) -> Iterator[tuple[str, ast.Match, Mapping[str, ast.expr]]]:
    """Every ``match``: with the function that it stands in, and what annotates its parameters."""
    for owner, node in walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        annotations = {one.arg: one.annotation for one in every if one.annotation is not None}
        for one in ast.walk(node):
            if isinstance(one, ast.Match):
                yield f"{owner}.{node.name}".lstrip("."), one, annotations


def _union_of(
    node: ast.Match, annotations: Mapping[str, ast.expr], unions: Mapping[str, frozenset[str]]
) -> tuple[str, frozenset[str]] | None:
    """The union that a match is over: that of its subject's annotation, or the smallest with its classes."""
    named = {one for case in node.cases for one in _classes(case.pattern)}
    annotation = annotations.get(node.subject.id) if isinstance(node.subject, ast.Name) else None
    if annotation is not None:
        text = ast.unparse(annotation)
        members = unions.get(text) or frozenset(_flat(_members(annotation), unions))
        return (text, members) if members else None
    fitting = [(len(members), name) for name, members in unions.items() if named <= members]
    # Two members are what tells a match over a union from one that asks about a single kind.
    if len(named) < 2 or not fitting:
        return None
    name = min(fitting)[1]
    return name, unions[name]


def _is_silent(case: ast.match_case) -> bool:
    """Whether an arm does nothing."""
    match case.body:
        case [ast.Pass() | ast.Continue()]:
            return True
        case [ast.Return(value=value)]:
            return value is None or ast.unparse(value) in ("None", "()", "[]", "{}", "''")
        case _:
            return False


def _unions(project: Project) -> dict[str, frozenset[str]]:
    """The unions of classes that the package names: ``A: TypeAlias = B | C``, and unions of these."""
    aliases: dict[str, set[str]] = {}
    for _, tree in trees(project, words=("TypeAlias",)):
        for node in tree.body:
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and ast.unparse(node.annotation).endswith("TypeAlias")
                and node.value is not None
                and (names := _members(node.value))
                # With a `str` among them they are no kinds of ours.
                and all(name[0].isupper() for name in names)
            ):
                aliases[node.target.id] = names
    return {name: frozenset(_flat(members, aliases)) for name, members in aliases.items()}


def _members(value: ast.expr) -> set[str]:
    """The classes of a union; none when it is something else."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        value = ast.parse(value.value, mode="eval").body
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        parts = [_member(value.left), _member(value.right)]
        return set().union(*parts) if all(parts) else set()
    return set()


def _member(value: ast.expr) -> set[str]:
    if isinstance(value, ast.Subscript):
        value = value.value
    if isinstance(value, ast.Name):
        return {value.id}
    return _members(value)


def _flat(members: Set[str], aliases: Mapping[str, Set[str]]) -> Iterator[str]:
    for one in members:
        if one in aliases and aliases[one] != members:
            yield from _flat(aliases[one], aliases)
        else:
            yield one


def _classes(pattern: ast.pattern) -> Iterator[str]:
    """The classes that an arm asks for, at its top."""
    match pattern:
        case ast.MatchClass(cls=cls):
            yield ast.unparse(cls).rpartition(".")[2]
        case ast.MatchOr(patterns=patterns):
            for one in patterns:
                yield from _classes(one)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            yield from _classes(inner)
        case _:
            pass


def _whole(pattern: ast.pattern) -> Iterator[str]:
    """The classes of which an arm takes every instance."""
    match pattern:
        case ast.MatchClass(patterns=[], kwd_patterns=[]):
            yield from _classes(pattern)
        case ast.MatchOr(patterns=patterns):
            for one in patterns:
                yield from _whole(one)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            yield from _whole(inner)
        case _:
            pass


def _is_catch_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT27",
        name="silent-kind",
        what="{what}",
        remedy=(
            "give it an arm; what is left out on purpose stands in LEFT_OUT of"
            " tools/contractdocs/kinds/code_arms.py"
        ),
        why=(
            "A new kind of chunk, record or action goes through every match in the package. One that has no"
            " arm for it drops it without a word, on one surface and not on the others."
        ),
        find=_silent,
    ),
)
