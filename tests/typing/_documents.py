"""The Python fences of the documents as modules, as a reader would save them."""

from __future__ import annotations

import re

from tools.contractdocs.evidence.examples import find
from tools.contractdocs.findings import relative

_NAMED = re.compile(r"# (\w+\.py)\n")


def documents() -> dict[str, str]:
    """Each fence, by the name of its file.

    One that begins with ``# lines.py`` is that file, which others import. Another is named after its page and
    line. The lines of both are those of the fence.
    """
    found: dict[str, str] = {}
    for example in find():
        named = _NAMED.match(example.source)
        page = re.sub(r"\W", "_", relative(example.path).removesuffix(".md"))
        name = named[1] if named else f"{page}_line_{example.start_line}.py"
        assert name not in found, f"two fences are called {name}"
        found[name] = example.source
    return found
