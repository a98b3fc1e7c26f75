from __future__ import annotations

import traceback

import pytest

from finalturn._serve.logs.tracebacks import without_text
from tests.serve._agents import SECRET


def fails() -> None:
    raise ValueError(SECRET) from KeyError(SECRET)


def test_where_it_was_raised_but_not_what_it_says() -> None:
    with pytest.raises(ValueError, match=SECRET) as caught:
        fails()
    said = "".join(traceback.format_exception(*without_text(caught.value)))
    assert "in fails" in said and "ValueError" in said
    assert SECRET not in said
