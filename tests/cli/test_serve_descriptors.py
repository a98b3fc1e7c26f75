"""How many connections there is room for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from finalturn.cli.serve._descriptors import connections_for, raise_descriptors
from tests.cli._command import environment


def test_half_of_the_descriptors_are_for_connections() -> None:
    assert connections_for(1024, 10_000) == 464
    assert connections_for(65_536, 10_000) == 10_000
    assert connections_for(1024, 5) == 5
    assert connections_for(10, 10_000) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_the_limit_is_raised_as_far_as_allowed() -> None:
    code = (
        "import resource as r; from finalturn.cli.serve._descriptors import raise_descriptors as up;"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 300)); assert up() == up() == 300;"
        "assert r.getrlimit(r.RLIMIT_NOFILE) == (300, 300)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(), timeout=60)
    assert raise_descriptors() >= 256
