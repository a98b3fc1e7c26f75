"""What the tests of the scripted server share."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx2
import pytest

from tests.testing._peer import Peer


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(verify=False, trust_env=False) as found:
        yield found


@pytest.fixture
def peer() -> Iterator[Peer]:
    here, there = socket.socketpair()
    with here, there:
        found = Peer(here, there)
        yield found
        # A thread that still reads wakes up.
        found.connection.close()
