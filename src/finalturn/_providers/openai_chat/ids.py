"""Ids of tool calls, for servers that do not take every id. Pure."""

from __future__ import annotations

import re
import string
from hashlib import blake2b

_ALPHABET = string.digits + string.ascii_letters
_SIZE = 9


def fitting_id(call_id: str, accepted: re.Pattern[str]) -> str:
    """The id, or nine letters and digits in its place: the same for the same id, on calls and results."""
    if accepted.fullmatch(call_id):
        return call_id
    number = int.from_bytes(blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    digits: list[str] = []
    for _ in range(_SIZE):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)
