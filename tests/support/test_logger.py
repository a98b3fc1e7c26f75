"""A library says nothing on its own: it logs, and whoever runs it decides what is shown."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from finalturn._support.logger import logger

SWITCH = """
from finalturn import Agent, ProviderError, StructuredOutputConfig
from finalturn.providers import Fallback, Scripted

{setup}
config = StructuredOutputConfig(final_turn_only=True, single_pass=True)
Agent(Fallback(Scripted(ProviderError("down")), Scripted("Hello")), structured_output=config).run("go")
"""


def stderr_of(setup: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SWITCH.format(setup=setup)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == ""
    return done.stderr


def test_nothing_is_printed_where_logging_is_not_set_up() -> None:
    assert stderr_of("") == ""


def test_what_it_logs_goes_where_logging_is_set_up_to_go() -> None:
    lines = stderr_of("import logging; logging.basicConfig()").splitlines()
    assert lines == [
        "WARNING:finalturn:single_pass falls back to a synthesis call: the provider lacks native_schema",
        "WARNING:finalturn.providers:model call 0 goes from Scripted (1) to Scripted (2): down",
    ]


@pytest.mark.parametrize("name", ["finalturn", "finalturn.providers", "finalturn.serve"])
def test_each_logger_has_one_handler_above_it_that_does_nothing(name: str) -> None:
    assert logger(name) is logger(name) is logging.getLogger(name)
    idle = [one for one in logger().handlers if isinstance(one, logging.NullHandler)]
    assert len(idle) == 1
    assert logger(name).propagate
