"""How to sample: what is refused before a model is asked."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import pytest

from finalturn import ConfigurationError, ModelSettings

WRONG: list[tuple[str, Any, str]] = [
    ("temperature", "0.5", "temperature must be a number, not '0.5'"),
    ("temperature", math.nan, "temperature must be a number, not nan"),
    ("top_p", True, "top_p must be a number, not True"),
    ("top_p", math.inf, "top_p must be a number, not inf"),
    ("max_tokens", 0, "max_tokens must be a whole number of at least 1, not 0"),
    ("max_tokens", -1, "max_tokens must be a whole number of at least 1, not -1"),
    ("max_tokens", 10.0, "max_tokens must be a whole number of at least 1, not 10.0"),
    ("max_tokens", True, "max_tokens must be a whole number of at least 1, not True"),
    ("seed", 1.5, "seed must be a whole number, not 1.5"),
    ("seed", "7", "seed must be a whole number, not '7'"),
    ("stop", "END", "stop must be a list of texts, not a str; write stop=['END']"),
    ("stop", 7, "stop must be a list of texts, not 7"),
    ("stop", {"END"}, "stop must be a list of texts, not a set"),
    ("stop", ["END", ""], "stop[1] must be a text that is not empty, not ''"),
    ("stop", [None], "stop[0] must be a text that is not empty, not None"),
    ("tool_choice", "", "tool_choice must be one of 'auto', 'required', 'none', not ''"),
    ("tool_choice", "any", "tool_choice must be one of 'auto', 'required', 'none', not 'any'"),
    ("tool_choice", {"type": "auto"}, "tool_choice must be one of 'auto', 'required', 'none', not a dict"),
    ("extra_body", [("a", 1)], "extra_body must be a mapping, not a list"),
]


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_what_cannot_be_meant_is_refused_by_its_name(name: str, value: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^ModelSettings: {re.escape(words)}$"):
        ModelSettings(**{name: value})
    with pytest.raises(ConfigurationError, match=f"^ModelSettings: {re.escape(words)}$"):
        replace(ModelSettings(), **{name: value})


def test_everything_else_is_the_vendors_to_refuse() -> None:
    settings = ModelSettings(
        temperature=7, top_p=0.0, max_tokens=1, seed=-3, stop=("\n", " "), tool_choice="none", extra_body={}
    )
    assert replace(settings) == settings
