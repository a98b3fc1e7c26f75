"""The examples of front ends, each built into a program that a test drives."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.frontends._need import absent

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "node_modules"
BUILT = MODULES / ".cache" / "finalturn-frontends"
SOURCES = Path(__file__).with_name("clients")
NEEDED = ("@ag-ui/client", "@ai-sdk/react", "ai", "esbuild", "jsdom", "react", "react-dom", "typescript")
SECONDS = 120.0

Kind = Literal["ag-ui", "ag-ui-plain", "ai-sdk", "native"]
Line = tuple[str, str]
"""What kind of line a person sees, and what it says."""


@dataclass(frozen=True)
class Seen:
    """What a person has seen.

    Attributes:
        views: the page after each change.
        statuses: of the answers, as the page's fetch got them.
    """

    views: list[list[Line]]
    statuses: list[int]

    @property
    def last(self) -> list[Line]:
        """What is there at the end."""
        return self.views[-1]

    def ever(self, kind: str, text: str) -> bool:
        """Whether a line has been there."""
        return any((kind, text) in view for view in self.views)


@dataclass(frozen=True)
class Clients:
    """The built clients.

    Attributes:
        node: runs them.
    """

    node: str

    @classmethod
    def build(cls) -> Clients:
        """Build them; where something is missing, the tests are not run."""
        node = shutil.which("node")
        if node is None:
            absent("there is no node")
        missing = [name for name in NEEDED if not (MODULES / name / "package.json").is_file()]
        if missing:
            absent(f"{', '.join(missing)} not installed: npm ci")
        subprocess.run([node, str(SOURCES / "build.mjs"), str(BUILT)], check=True, timeout=SECONDS)
        return cls(node)

    def drive(
        self,
        kind: Kind,
        url: str,
        *steps: dict[str, Any],
        chat: str = "chat-1",
        key: str = "",
        may_complain: bool = False,
    ) -> Seen:
        """Do as a person does, and see what a person sees.

        Args:
            kind: which client.
            url: where the agent is served.
            steps: what is done, in order; see ``clients/person.ts``.
            chat: the client's id of the conversation.
            key: what the client sends with each request, if anything.
            may_complain: whether the client may write to its log.
        """
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        asked = {"url": url, "chat": chat, "headers": headers, "steps": steps}
        said, log = self._run(kind, json.dumps(asked))
        # A client warns of what it does not understand.
        assert may_complain or log == "", log
        views = [[(kind, text) for kind, text in view] for view in said["views"]]
        return Seen(views, said["statuses"])

    def _run(self, kind: str, argument: str) -> tuple[dict[str, Any], str]:
        command: Sequence[str] = [self.node, str(BUILT / f"{kind}.mjs"), argument]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1]), done.stderr
