"""What ``import finalturn`` costs, and what it loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import finalturn
from tools.bench._figure import Bound, Section, ratio, times
from tools.bench._rounds import Plan, in_rounds

LIMIT = Bound(1.2)

# Loaded at the first turn, or by what needs them, and never by the import.
HEAVY = {
    *("aiohttp", "http.client", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib3"),
    *("anyio", "asyncio", "jsonschema", "logging", "socket", "ssl", "trio"),
}

_MODEL = "class Model(BaseModel):\n    field: int\n"
_PYDANTIC = "from pydantic import BaseModel, TypeAdapter\n" + _MODEL
_CODE = {
    "pydantic, with one model class": _PYDANTIC,
    "import finalturn": "import finalturn\n",
    "from finalturn import Agent": "from finalturn import Agent\n",
    "the same, with one model class": "from finalturn import Agent\n" + _PYDANTIC,
}
_TIMED = "import time\nstart = time.process_time()\n{code}print(time.process_time() - start)\n"


async def measure(plan: Plan) -> Section:
    """Import in fresh interpreters."""
    found = await in_rounds({name: _case(code) for name, code in _CODE.items()}, plan.slow_rounds)
    reference, *others = found
    figures = [times(name, seconds, "ms") for name, seconds in found.items()]
    limits = {name: None if "class" in name else LIMIT for name in others}
    figures += [
        ratio(f"{name} / pydantic", found[name], found[reference], limit) for name, limit in limits.items()
    ]
    return Section("import", "Import, in fresh interpreters that are already up", _loaded(), tuple(figures))


def _loaded() -> str:
    own = _modules("import finalturn\n") - _modules(_PYDANTIC)
    heavy = sorted(own & HEAVY)
    what = f"among them {', '.join(heavy)}!" if heavy else "none of them an HTTP client, asyncio or anyio"
    return f"It loads {len(own)} modules that pydantic does not, {what}."


def _case(code: str) -> Callable[[], Awaitable[float]]:
    async def case() -> float:
        return float(_run(_TIMED.format(code=code)))

    return case


def _modules(code: str) -> set[str]:
    return set(json.loads(_run(code + "import json, sys\nprint(json.dumps(list(sys.modules)))\n")))


def _run(code: str) -> str:
    source = str(Path(finalturn.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, timeout=120
    )
    return done.stdout
