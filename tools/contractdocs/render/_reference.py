"""One page of the reference for each public module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tools.contractdocs._api import Api, Symbol
from tools.contractdocs._project import Project
from tools.contractdocs._public import PUBLIC_MODULES
from tools.contractdocs.render import _source
from tools.contractdocs.render._clause_pages import clause_path
from tools.contractdocs.render._page import badge, link, page, table
from tools.contractdocs.render._public_names import module_file, module_page

INDEX = "reference/index.md"


@dataclass(frozen=True)
class Module:
    """How a module's page is laid out.

    Attributes:
        about: what the module is for, in a few words.
        groups: names by heading. Names that are in no group come last.
    """

    about: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


MODULES: Mapping[str, Module] = {
    "finalturn": Module(
        "agents, messages, tools, and all that you plug in",
        {
            "Agents": ("Agent", "StructuredOutputConfig", "AgentStream", "SyncStream"),
            "What a turn shows": ("StreamChunk", "StreamEvent"),
            "What a turn ends with": (
                *("AgentResult", "StructuredStatus", "StopReason", "Usage", "ProviderSwitch"),
            ),
            "Messages": ("Message", "Role", "ContentPart", "ToolCall"),
            "Tools and gates": (
                *("tool", "Tool", "ToolFailure", "ToolGate", "ToolPolicy", "CoherenceGate", "Denial"),
                "DenialKind",
            ),
            "Functions that you give": ("ShouldFinalize", "StreamHandler"),
            "Observers": ("TurnObserver", "TurnWatch"),
            "Sessions": ("SessionStore", "SessionCatalog", "SessionHistory", "SessionSummary"),
            "Providers": ("Provider", "StreamingProvider", "Capabilities"),
            "What a provider is asked": ("ModelRequest", "ModelSettings", "ToolSpec", "OutputSchema"),
            "What a provider answers": (
                *("ModelResponse", "ModelEvent", "TextDelta", "ReasoningDelta", "ToolCallDelta", "ModelEnd"),
                "FinishReason",
            ),
            "Errors": (
                *("FinalturnError", "ConfigurationError", "ProviderError", "StructuredOutputError"),
                *(
                    "ToolError",
                    "SessionError",
                    "SessionConflictError",
                    "SessionDamagedError",
                    "SessionTimeoutError",
                ),
                *("StreamError", "StreamClosedError", "MessageFormatError"),
                "ProtocolError",
            ),
            "Version": ("__version__",),
        },
    ),
    "finalturn.providers": Module(
        "the models that come with finalturn",
        {
            "From a name": ("infer_provider",),
            "Vendors and servers": (
                *("OpenAIChat", "OpenAIResponses", "Anthropic", "Gemini", "Vertex", "Bedrock"),
            ),
            "A list of providers": ("Fallback",),
            "For tests": ("Scripted",),
        },
    ),
    "finalturn.sessions": Module("where conversations are kept between turns"),
    "finalturn.observers": Module(
        "what observers of turns are told",
        {
            "A turn": ("ObservedTurn", "TurnEvent", "TurnPart", "ContextWatch"),
            "Events": (
                *("TurnPrepared", "RuleFired", "ModelCallStarted", "ModelEventReceived", "ModelCallEnded"),
                *("ToolBatchStarted", "ToolCallStarted", "ToolCallEnded", "PredicateAsked"),
                *("PredicateAnswered", "SaveStarted", "SaveEnded", "ChunkDelivered", "TurnEnded"),
            ),
        },
    ),
    "finalturn.otel": Module("traces of turns, which needs the extra `finalturn[otel]`"),
    "finalturn.gates": Module("ready-made checks for gates"),
    "finalturn.serve": Module("an agent over HTTP, which needs the extra `finalturn[serve]`"),
    "finalturn.testing": Module(
        "for the tests of those who build on finalturn",
        {
            "A scripted server": ("ScriptedServer", "HttpAnswer", "ReceivedRequest"),
            "Recording": ("record", "Recording"),
            "Testing a provider": ("ProviderConformance", "ChatServerConformance", "ScriptedAnswer"),
        },
    ),
    "finalturn.contract": Module(
        "what is promised, and the checks of it",
        {
            "What a clause is": ("CLAUSES", "Clause", "Family", "Surface", "Deprecation", "Check"),
            "Traces": (
                *("Trace", "read_traces", "TraceFormatError"),
                *("verify", "Finding", "Outcome", "Violation", "Undecidable", "Record"),
            ),
            "Records": (
                *("TurnStarted", "CallStarted", "ModelText", "ModelReasoning", "CallEnded", "Shown"),
                *("ToolsStarted", "ToolOutcomeRecorded", "FinalizeAsked", "FinalizeAnswered", "TurnSaved"),
                *("TurnResult", "TurnFailed", "TurnCancelled"),
            ),
        },
    ),
    "finalturn.stability": Module("how long a public name keeps its meaning"),
    "finalturn.local": Module("a small real model that runs on this machine"),
}

AS_A_FILE = "<!-- As a file, this page has little more than names: api.txt has what they mean. -->"
"""What ``:::`` stands for is filled in where the site is made."""

INTRO = """\
Every public name, by module. Whatever is not listed here is private: every other module, and every name that
starts with an underscore.

Each name has a level. A *stable* name keeps its meaning until a major release; a *beta* one may change in a
minor release, with a line in the [changelog](../changelog.md). *Since* is the version that first had it, and
`NEXT` stands for the next release."""


def layout(module: str) -> Module:
    """How a module's page is laid out."""
    return MODULES.get(module) or Module(f"the module {module.rpartition('.')[2]}")


def reference_pages(project: Project) -> dict[str, str]:
    """Every page of the reference, by its path from the root."""
    found = {f"docs/{module_page(module)}": _page(module, project) for module in PUBLIC_MODULES}
    return {f"docs/{INDEX}": _index(), **found}


def _index() -> str:
    rows = (
        (link(f"`{module}`", module_page(module), INDEX), layout(module).about) for module in PUBLIC_MODULES
    )
    report = (
        "[The API report](api.txt) has all of them in one plain file: what each means in a sentence, its"
        " signature, level and version. Whoever reads these pages as files reads that one instead."
    )
    parts = [INTRO, table(("module", "what is in it"), rows), report]
    return page("Reference", "To find a public name, and how long it is kept.", parts)


def _page(module: str, project: Project) -> str:
    file = module_file(module, project.files)
    docstring = ast.get_docstring(_source.parse(project.files[file])) or ""
    names = _source.strings(project.files, file, "__all__")
    parts = [AS_A_FILE, docstring]
    for title, group in _groups(module, names, project).items():
        parts.append(f"## {title}")
        for name in group:
            parts += _name(f"{module}.{name}", project.api)
    if module == "finalturn.contract":
        parts += _clauses(project)
    return page(f"`{module}`", f"To look up a name of {module}, {layout(module).about}.", parts)


def _groups(module: str, names: tuple[str, ...], project: Project) -> dict[str, list[str]]:
    clauses = {clause.id.upper().replace("-", "_") for clause in project.clauses}
    left = {name for name in names if module != "finalturn.contract" or name not in clauses}
    groups: dict[str, list[str]] = {}
    for title, group in layout(module).groups.items():
        groups[title] = [name for name in group if name in left]
        left -= set(group)
    rest = {"More" if groups else "Names": sorted(left)} if left else {}
    return {title: group for title, group in {**groups, **rest}.items() if group}


def _name(path: str, api: Api) -> Iterator[str]:
    symbol = api.symbols.get(path)
    if symbol is not None and symbol.level:
        yield f'<p class="ft-level">{badge(symbol.level, symbol.since)}{_deviating(symbol, api)}</p>'
    if symbol is not None and symbol.deprecated:
        yield f'!!! warning "Deprecated"\n    {symbol.deprecated}'
    option = _option(symbol) if symbol is not None else ""
    yield f"::: {path}\n    options: {{ {option} }}" if option else f"::: {path}"


def _option(symbol: Symbol) -> str:
    """How a name is shown in another way than the rest."""
    if symbol.kind == "constant":
        return "show_attribute_values: false"  # it says nothing that the docstring does not, or is long
    if symbol.kind == "class" and symbol.overloads:
        return "show_overloads: false"  # the docstring has a table of what tells them apart
    return ""


def _deviating(symbol: Symbol, api: Api) -> str:
    """The members whose level or version differs."""
    members = [one for path, one in api.symbols.items() if path.rpartition(".")[0] == symbol.path]
    own = (symbol.level, symbol.since)
    found = (
        f"<br><code>{one.path.rpartition('.')[2]}</code> {badge(one.level, one.since)}"
        for one in members
        if one.level and (one.level, one.since) != own
    )
    return "".join(found)


def _clauses(project: Project) -> Iterator[str]:
    yield "## Clauses"
    yield "Each is a `Clause`, exported under its id in capitals."
    path = module_page("finalturn.contract")
    rows = (
        (
            f"`{clause.id.upper().replace('-', '_')}`",
            link(clause.id, clause_path(clause), path),
            badge(clause.stability, clause.since),
        )
        for clause in project.clauses
    )
    yield table(("constant", "clause", "level"), rows)
