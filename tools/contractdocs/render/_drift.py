"""One page for each kind of drift, and one for all."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.render._page import link, page, table

PATH = "drift/index.md"

INTRO = """\
A document drifts when the code it speaks of changes and it does not. `make docs-check` looks for each kind
of drift below, and prints one line for each place:

```text
file:line CODE name: what is wrong, with both values -> what to do about it
```

`python -m tools.contractdocs explain CODE` prints the same as the page of a kind."""

GROUPS = {
    "0": "Declarations",
    "1": "Proof",
    "2": "Code",
    "3": "Text",
    "4": "The public names",
    "5": "History",
    "6": "The check itself",
}


def drift_pages(kinds: tuple[Kind, ...]) -> dict[str, str]:
    """Every page, by its path from the root."""
    pages = {f"docs/{PATH}": _index(kinds)}
    for kind in kinds:
        pages[f"docs/{kind_path(kind)}"] = _kind(kind)
    return pages


def kind_path(kind: Kind) -> str:
    """A kind's page, from docs/."""
    return f"drift/{kind.code.lower()}.md"


def _index(kinds: tuple[Kind, ...]) -> str:
    parts = [INTRO]
    for group in sorted({kind.code[2] for kind in kinds}):
        parts.append(f"## {GROUPS.get(group, group)}")
        rows = (_row(kind) for kind in kinds if kind.code[2] == group)
        parts.append(table(("kind", "why it matters"), rows))
    return page("Kinds of drift", "To look up what a finding of make docs-check means.", parts)


def _row(kind: Kind) -> tuple[str, str]:
    first, _, _ = kind.why.partition(". ")
    return f"{link(kind.code, kind_path(kind), PATH)} {kind.name}", f"{first.rstrip('.')}."


def _kind(kind: Kind) -> str:
    parts = [
        f"```text\nfile:line {kind.code} {kind.name}: {kind.what} -> {kind.remedy}\n```",
        "What stands in braces is filled in for the place that was found.",
        "## Why it matters",
        kind.why,
        *(("## What to do", _sentence(kind.remedy)) if "{" not in kind.remedy else ()),
        link("All kinds of drift", PATH, kind_path(kind)),
    ]
    title = f"{kind.code} {kind.name}"
    return page(title, f"To understand a finding of {kind.code}, {kind.name}.", parts)


def _sentence(text: str) -> str:
    whole = f"{text[:1].upper()}{text[1:]}."
    return whole.replace("<", "&lt;").replace("[", "\\[")
