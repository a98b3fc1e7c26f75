"""Values that sentences of hand-written files show: ``<!-- value: NAME -->16<!-- end -->``.

Each is read from the code, so that a sentence cannot keep an old one.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.project import Project
from tools.contractdocs.render import _source

Value = Callable[[Project], str]

AGENT = "src/finalturn/agent/_agent.py"
CONFIG = "src/finalturn/agent/_config.py"
RESULT = "src/finalturn/core/result.py"
CHUNKS = "src/finalturn/core/chunks.py"
HTTP = "src/finalturn/providers/_http.py"
DRIVERS = "tests/contract/_drivers.py"
HTTP_DRIVERS = "tests/contract/_http_drivers.py"
PLAY = "tests/contract/_play.py"


def drivers(project: Project) -> tuple[str, ...]:
    """The names of every way to drive a turn."""
    names = ((DRIVERS, "CHUNK_DRIVERS"), (DRIVERS, "TOKEN_DRIVERS"), (HTTP_DRIVERS, "HTTP_DRIVERS"))
    return tuple(key for file, name in names for key in _source.strings(project.files, file, name))


def provider_kinds(project: Project) -> tuple[str, ...]:
    """The names of every kind of provider."""
    return _source.strings(project.files, PLAY, "KINDS")


def events(project: Project) -> tuple[str, ...]:
    """The events of a turn."""
    return _source.members(project.files, CHUNKS, "StreamEvent")


def surfaces(project: Project) -> tuple[str, ...]:
    """The surfaces that clauses speak of."""
    return _source.members(project.files, "src/finalturn/contract/_clause.py", "Surface")


def listed(items: Sequence[str], last: str, *, quoted: bool = False) -> str:
    """``a``, ``b`` and ``c``, as Markdown code."""
    codes = [f'`"{item}"`' if quoted else f"`{item}`" for item in items]
    return codes[0] if len(codes) == 1 else f"{', '.join(codes[:-1])} {last} {codes[-1]}"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _project(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(project.files["pyproject.toml"])["project"]
    return found


def _levels(project: Project) -> Counter[str]:
    return Counter(clause.stability for clause in project.clauses)


def _constant(file: str, name: str) -> Value:
    return lambda project: _number(_source.constant(project.files, file, name))


def _default(file: str, owner: str, name: str) -> Value:
    return lambda project: _number(_source.default(project.files, file, owner, name))


def _literal(file: str, name: str) -> Value:
    return lambda project: listed(_source.literal(project.files, file, name), "or", quoted=True)


VALUES: dict[str, Value] = {
    # The contract
    "clauses": lambda project: str(len(project.clauses)),
    "stable-clauses": lambda project: str(_levels(project)["stable"]),
    "beta-clauses": lambda project: str(_levels(project)["beta"]),
    "families": lambda project: str(len({clause.family for clause in project.clauses})),
    "surfaces": lambda project: listed(surfaces(project), "and"),
    "surface-count": lambda project: str(len(surfaces(project))),
    "drivers": lambda project: listed(drivers(project), "and"),
    "driver-count": lambda project: str(len(drivers(project))),
    "provider-kinds": lambda project: listed(provider_kinds(project), "and"),
    "provider-kind-count": lambda project: str(len(provider_kinds(project))),
    "rules": lambda project: str(len(project.table)),
    # The package
    "python": lambda project: str(_project(project)["requires-python"]).removeprefix(">="),
    "version": lambda project: str(_project(project)["version"]),
    "licence": lambda project: str(_project(project)["license"]),
    "public-modules": lambda project: listed(PUBLIC_MODULES, "and"),
    # What a turn shows and ends with
    "events": lambda project: listed(events(project), "and"),
    "structured-statuses": _literal(RESULT, "StructuredStatus"),
    "stop-reasons": _literal(RESULT, "StopReason"),
    "finish-reasons": _literal("src/finalturn/core/model.py", "FinishReason"),
    "denial-kinds": _literal("src/finalturn/core/protocols.py", "DenialKind"),
    # Defaults and limits; seconds where they are times
    "max-retries": _default(CONFIG, "StructuredOutputConfig", "max_validation_retries"),
    "max-iterations": _default(AGENT, "Agent", "max_iterations"),
    "parallel-tools": _constant("src/finalturn/tools/_run.py", "MOST_AT_A_TIME"),
    "tool-timeout": _constant("src/finalturn/tools/_tool.py", "DEFAULT_TIMEOUT"),
    "coherence-timeout": _default("src/finalturn/gates/_coherence.py", "CoherenceGate", "timeout"),
    "provider-retries": _default("src/finalturn/providers/_openai_chat.py", "OpenAIChat", "max_retries"),
    "connect-timeout": _constant(HTTP, "CONNECT_TIMEOUT"),
    "read-timeout": _constant(HTTP, "READ_TIMEOUT"),
    "hold-limit": _constant("src/finalturn/core/hold/_candidate.py", "LIMIT"),
    "trace-format": _constant("src/finalturn/contract/_trace_file.py", "FORMAT"),
    "json-depth": _constant("src/finalturn/core/json_text.py", "MAX_DEPTH"),
}
"""What stands in a sentence, by name. Lists are Markdown code; numbers are plain."""

LIMITS = (
    "coherence-timeout",
    "connect-timeout",
    "hold-limit",
    "json-depth",
    "parallel-tools",
    "provider-retries",
    "read-timeout",
    "tool-timeout",
    "trace-format",
)
"""Values that someone may have built on, though no signature shows them: a release keeps them."""


def limits(project: Project) -> dict[str, str]:
    """Each of `LIMITS`, as it is."""
    return {name: VALUES[name](project) for name in LIMITS}
