"""What stands in messages, traces and requests for ever is spelled right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import SRC, trees

HERE = "tools/contractdocs/kinds/code_words.py"

_WORDS = """
always answer answered apart approval are arguments asked assistant at attempted auto budget call calling
calls cancelled carry chunks clean close coherence complete completed content conversation cut deciding
default done doubled empty ended error errors events exact explicit failed final finalize gate handler
held here hidden history id image in invalid is isolated iteration json known last length lifecycle limit
loop marks messages mode model most name native needless never no none not ok on once order out outcome
own parity pass plain policy predicate propagate readonly ready reasoning recorded refusal refused
repaired replayable reply request required result retry reuse round run running runs saved saving schema
seeded sees should shown signalled silent single skip skipped start started stays stop stops stream
streaming streams strict structured success suppresses surface synthesis synthesizing system terminal text
timeout tokens tool tools trip truncated turn undecidable unknown untouched upheld usage user valid
validated validation view violated was what whole wins work
"""

WORDS = frozenset(_WORDS.split())
"""Every word that names on the wire are made of. A new one is read twice before it is added."""

DECLARED = ("core/", "contract/", "testing/conformance/")
"""Where values on the wire are declared."""

PRIVATE = ("core/hold/", "core/textcalls/", "core/output/")
"""Where only states of a reader are."""

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def _misspelled(project: Project) -> Iterator[Place]:
    seen: set[str] = set()
    for file, line, what, name in _names(project):
        for word in map(str.lower, _PART.findall(name)):
            seen.add(word)
            if word not in WORDS and not word.isdigit():
                near = get_close_matches(word, WORDS, 1, cutoff=0.75)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                said = f"{what} {name!r} has the word {word!r}, which is not known"
                do = f"correct it{hint}; or read it twice, and add it to WORDS of {HERE}"
                yield at(file, line, what=said, do=do)
    for word in sorted(WORDS - seen):
        said = f"WORDS has {word!r}, and no name is made of it"
        yield at(HERE, project.line_of(HERE, '_WORDS = """'), what=said, do="delete it")


def _names(project: Project) -> Iterator[tuple[str, int, str, str]]:
    """Values of enumerations and literals, names of records, ids of clauses: file, line, what, name."""
    for file, tree in trees(project):
        if not file.removeprefix(SRC).startswith(DECLARED) or file.removeprefix(SRC).startswith(PRIVATE):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                if any("Enum" in ast.unparse(base) for base in node.bases):
                    yield from ((file, line, "the value", name) for name, line in _values(node))
                if file == f"{SRC}contract/_records.py":
                    yield file, node.lineno, "the record", node.name
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("Literal", "typing.Literal"):
                for one in ast.walk(node.slice):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        yield file, one.lineno, "the value", one.value


def _values(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for one in node.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            yield str(one.value.value), one.lineno


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT2A",
        name="unknown-word",
        what="{what}",
        remedy="{do}",
        why=(
            "Events, statuses, records and ids of clauses are for ever: clients compare them, and a"
            " misspelled one cannot be corrected. Each is made of words that someone has read twice."
        ),
        find=_misspelled,
    ),
)
