"""The API report: every public name on a page that can be reviewed, without a line number.

It is also what is read where there is no site: each name has the first sentence of what it means.
"""

from __future__ import annotations

import re

from tools.contractdocs.api.model import Api
from tools.contractdocs.render.page import filled_in

PATH = "docs/reference/api.txt"

WIDTH = 100


def report(api: Api) -> str:
    """The report's text: a blank line before each name of a module, none before a member."""
    return filled_in("_api.txt", symbols=api.symbols, first_sentence=first_sentence, wrapped=wrapped)


def first_sentence(docstring: str) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join(docstring.strip().partition("\n\n")[0].split())
    # "e.g." and the like do not end a sentence: what follows one begins with a capital letter.
    found = re.match(r".*?[.:!?](?=$| [A-Z`*])", paragraph)
    return (found[0] if found else paragraph).rstrip(":")


_TOKEN = re.compile(r"""'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|[(\[{]|[)\]}]|,""")
"""Of a signature: a string, which hides what is in it; a bracket that opens, or closes; and a comma."""


def wrapped(signature: str) -> list[str]:
    """A signature with one parameter to a line, where it is long: so a change of one shows as that one."""
    opening = signature.partition("(")[0] + "("
    if len(signature) <= WIDTH or opening not in signature or "class " in opening:
        return [signature]
    depth, start, parts = 1, len(opening), [opening]
    for token in _TOKEN.finditer(signature, start):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth == 0:
            return [*parts, f"    {signature[start : token.start()].strip()},", signature[token.start() :]]
        if token[0] == "," and depth == 1:
            parts.append(f"    {signature[start : token.end()].strip()}")
            start = token.end()
    return [signature]
