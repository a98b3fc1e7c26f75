"""Where the measuring is done: the server, a client for what is done by hand, and the other libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2

from tools.bench._rounds import Case
from tools.bench._serving import sent


class Peer(Protocol):
    """Another library, in a process of its own."""

    @property
    def name(self) -> str:
        """What it is called, with its version."""
        ...

    def case(self, work: str, url: str, wanted: Any, /, **given: Any) -> Case | None:
        """Its way to do a piece of work; ``None`` when it has none."""
        ...


@dataclass(frozen=True)
class Site:
    """What every measurement over HTTP needs."""

    server: str
    client: httpx2.AsyncClient
    peers: Sequence[Peer] = field(default=())

    def url(self, script: str, number: int, who: str = "agent") -> str:
        """The base URL of a script that is played for one client alone."""
        return f"{self.server}/{script}/{number}/{who}"

    async def bodies(self, script: str, number: int) -> list[dict[str, Any]]:
        """What the agent has last sent to a script: it is sent by hand as well."""
        return await sent(self.client, self.url(script, number))

    def of_peers(self, work: str, script: str, number: int, wanted: Any, **given: Any) -> Mapping[str, Case]:
        """The other libraries' ways to do a piece of work."""
        found = {
            peer.name: peer.case(work, self.url(script, number, f"peer{at}"), wanted, **given)
            for at, peer in enumerate(self.peers)
        }
        return {name: case for name, case in found.items() if case is not None}
