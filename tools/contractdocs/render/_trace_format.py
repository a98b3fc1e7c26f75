"""The page of trace files, from the classes of their records."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import griffe

from finalturn.contract._trace_file import FORMAT, fields_of_records, record_types
from tools.contractdocs.project import Project
from tools.contractdocs.render._page import items, page

PATH = "contract/trace-format.md"

INTRO = """\
A recorded turn is a *trace*: what happened in it, as records in order. [`record`](../reference/testing.md)
writes one for each turn of an agent, and `read_traces` of [`finalturn.contract`](../reference/contract.md)
reads them back. The command tells which clauses a trace decides, and where it breaks one:

```console
$ finalturn contract verify trace.jsonl
```

A trace holds what the model and the person wrote. A file is created so that only its owner can read it."""

FILE = f"""\
A file is JSON Lines in UTF-8: one object a line. The first line says what it is, and which version wrote it:

```json
{{"record": "trace", "format": {FORMAT}, "version": "0.1.0"}}
```

Every other line is a record. It has `record`, its name; `turn`, the 0-based number of the turn that it
belongs to; and the fields below, all of them. Turns that ran at the same time may alternate.

```json
{{"record": "model_text", "turn": 0, "call": 0, "text": "Your order"}}
```

The format's number grows when a record or a field is added or changed. A reader refuses a file with a higher
number."""


def trace_page(project: Project) -> str:
    """The page."""
    types = record_types()
    parts = [INTRO, "## The file", FILE, "## The records"]
    for name, fields in fields_of_records().items():
        parts += _record(name, types[name], fields)
    return page("Trace files", "To read or write a recorded turn.", parts)


def _record(name: str, kind: type[Any], fields: dict[str, str]) -> Iterator[str]:
    words = griffe.Docstring(inspect.getdoc(kind) or "").parse("google")
    described: dict[str, str] = {}
    yield f"### {name}"
    for part in words:
        if isinstance(part, griffe.DocstringSectionText):
            yield part.value
        elif isinstance(part, griffe.DocstringSectionAttributes):
            described = {one.name: " ".join(one.description.split()).removesuffix(".") for one in part.value}
    if fields:
        yield items(_field(field, json, described.get(field, "")) for field, json in fields.items())


def _field(name: str, json: str, meaning: str) -> str:
    return f"`{name}`, {json}: {meaning}" if meaning else f"`{name}`, {json}"
