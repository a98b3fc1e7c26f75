"""Where the measuring is done: the server, a client for what is done by hand, and the other libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from tools.bench._peers import PeerProcess
from tools.bench._rounds import Case
from tools.bench._serving import sent


@dataclass(frozen=True)
class Site:
    """What every measurement over HTTP needs."""

    server: str
    client: httpx2.AsyncClient
    peers: Sequence[PeerProcess] = ()

    def url(self, script: str, number: int, who: str = "agent") -> str:
        """The base URL of a script that is played for one client alone."""
        return f"{self.server}/{script}/{number}/{who}"

    async def bodies(self, script: str, number: int) -> list[dict[str, Any]]:
        """What the agent has last sent to a script: it is sent by hand as well."""
        return await sent(self.client, self.url(script, number))

    def of_peers(
        self, work: str, script: str, number: int, wanted: Any, *, units: int, **given: Any
    ) -> Mapping[str, Case]:
        """The other libraries' ways to do a piece of work, each with a round of the script for itself."""
        return {
            peer.name: peer.case(work, self.url(script, number, f"{work}{at}"), wanted, units=units, **given)
            for at, peer in enumerate(self.peers)
        }
