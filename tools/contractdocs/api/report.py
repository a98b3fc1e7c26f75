"""The API report: every public name on a page that can be reviewed, without a line number.

It is also what is read where there is no site: each name has the first sentence of what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tools.contractdocs.api.model import Api, Symbol

PATH = "docs/reference/api.txt"

HEAD = """\
# The public API of finalturn: every name, what it is, its level and the version it is public since, what it
# means in a sentence, and its signature. A field of a class stands below the class.
# Generated from the code by `make docs`. Edit the code.
"""
WIDTH = 100
MEANING = "    # "
"""What the line begins with that says what a name means."""


def report(api: Api) -> str:
    """The report's text: a blank line before each name of a module, none before a member."""
    gaps = ("" if symbol.parent in api.symbols else "\n" for symbol in api.symbols.values())
    return HEAD + "".join(
        f"{gap}{block(symbol)}\n" for gap, symbol in zip(gaps, api.symbols.values(), strict=True)
    )


def block(symbol: Symbol) -> str:
    """What the report says of one name."""
    return "\n".join(_lines(symbol))


def _lines(symbol: Symbol) -> Iterator[str]:
    yield f"{symbol.path} ({symbol.kind}, {symbol.level or 'no level'} since {symbol.since or '?'})"
    if symbol.deprecated:
        yield f"    deprecated: {symbol.deprecated}"
    if meaning := first_sentence(symbol.docstring):
        yield f"{MEANING}{meaning}"
    for line in symbol.signature.splitlines():
        yield from (f"    {part}" for part in wrapped(line))


def first_sentence(docstring: str) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join(docstring.strip().partition("\n\n")[0].split())
    # "e.g." and the like do not end a sentence: what follows one begins with a capital letter.
    found = re.match(r".*?[.:!?](?=$| [A-Z`*])", paragraph)
    return (found[0] if found else paragraph).rstrip(":")


def wrapped(signature: str) -> list[str]:
    """A signature with one parameter to a line, where it is long: so a change of one shows as that one."""
    opening = signature.find("(")
    if len(signature) <= WIDTH or opening < 0 or "class " in signature[:opening]:
        return [signature]
    depth, quote, start, parts = 0, "", opening + 1, [signature[: opening + 1]]
    for at, character in enumerate(signature[opening:], opening):
        if quote:
            quote = "" if character == quote and signature[at - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return [*parts, f"    {signature[start:at].strip()},", signature[at:]]
        elif character == "," and depth == 1:
            parts.append(f"    {signature[start : at + 1].strip()}")
            start = at + 1
    return [signature]


def blocks(text: str) -> Mapping[str, tuple[int, str]]:
    """What a report says: by path, the line and the block."""
    found: dict[str, tuple[int, str]] = {}
    path = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    ") and path:
            at, before = found[path]
            found[path] = at, f"{before}\n{line}"
        elif line and not line.startswith("#"):
            path = line.partition(" ")[0]
            found[path] = number, line
    return found
