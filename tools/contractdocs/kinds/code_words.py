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
about allowed always answer answered apart approval are arguments asked assistant at attempted auth auto
blank body budget busy call calling calls cancelled carry chunk chunks clean close closed coherence
complete completed conflict content conversation cut damaged deciding default done doubled down draining empty
ended error errors event events exact explicit failed fails final finalize forbidden found full gate gone
grammar handler held here hidden history http id image in input internal invalid is isolated iteration
json known large last length lifecycle limit loop malformed marks media messages method mode model most
name native needless never no none not ok on once only order origin out outcome over overloaded own owners
parity pass plain policy predicate propagate provider readonly ready reasoning recorded records refusal
refused repaired replayable reply request required result resume retry reuse round run running runs saved
saving schema script seeded sees serving session should shown shutting signalled silent single skip skipped
sse start started stays stop stopped stops stream streaming streams strict structured success suppresses
surface synthesis synthesizing system terminal text timeout tokens too tool tools trip truncated turn type
unauthorized unavailable undecidable unknown unsupported untouched upheld usage user valid validated
validation view violated was what whole wins work
"""

WORDS = frozenset(_WORDS.split())
"""Every word that names on the wire are made of. A new one is read twice before it is added."""

DECLARED = ("core/", "contract/", "serve/", "testing/conformance/")
"""Where values on the wire are declared."""

PRIVATE = (
    *("core/hold/", "core/markup/", "core/textcalls/", "core/output/"),
    *("serve/ag_ui/", "serve/ai_sdk/", "_serve/requests/front_end.py", "_serve/openapi/operations.py"),
)
"""Where only states of a reader are, the words of other libraries, and headings of a document."""

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
                if file == f"{SRC}_contract/traces/records.py":
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
