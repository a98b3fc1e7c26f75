"""What Amazon Bedrock refuses a conversation for.

The shapes are those of the service's model in botocore. The rest is after its reference (`Message`,
`ToolUseBlock`, `ToolResultBlock`), its user guide ("Use a tool to complete a model response") and what it
says when it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from finalturn._providers.bedrock.aws import part_of_botocore
from finalturn._providers.bedrock.families import ModelFamily

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def problems(body: dict[str, Any], family: ModelFamily) -> Iterator[str]:
    """What is wrong with a request."""
    if report := _shape_problems(body):
        yield report
    messages: list[dict[str, Any]] = body["messages"]
    roles = [message["role"] for message in messages]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        yield f"roles {roles}"
    if any(not block["text"].strip() for block in body.get("system", ())):
        yield "a blank system prompt"
    uses = [block["toolUse"] for message in messages for block in message["content"] if "toolUse" in block]
    ids = [use["toolUseId"] for use in uses]
    if len(set(ids)) != len(ids):
        yield "ids that are the same"
    if ids and "toolConfig" not in body:
        yield "calls, and no tools"
    due: list[str] = []
    for place, message in enumerate(messages):
        content = message["content"]
        if not content:
            yield f"{place}: nothing in it"
        results = [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
        if sorted(results) != sorted(due):
            yield f"{place}: results {results} of calls {due}"
        if family.alone and results and len(results) != len(content):
            yield f"{place}: something beside results"
        if any("toolResult" not in block for block in content[: len(results)]):
            yield f"{place}: something before results"
        due = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
        for block in content:
            yield from (f"{place}: {problem}" for problem in _of_block(block, message["role"], family))


def _of_block(block: dict[str, Any], role: str, family: ModelFamily) -> Iterator[str]:
    (kind,) = block
    if role != ("user" if kind in ("image", "toolResult") else "assistant") and kind != "text":
        yield f"{kind} of the {role}"
    if kind == "text" and not block["text"].strip():
        yield "blank text"
    if kind == "toolUse":
        use = block[kind]
        if not NAME.fullmatch(use["toolUseId"]) or not NAME.fullmatch(use["name"]):
            yield f"a call {use['toolUseId']!r} of {use['name']!r}"
        if not isinstance(use["input"], dict):
            yield "an input that is no object"
    if kind == "toolResult":
        result = block[kind]
        if not result["content"]:
            yield "a result of nothing"
        if "status" in result and not family.status:
            yield "a status"
        for part in result["content"]:
            if "image" in part and not family.status:
                yield "an image in a result"
            yield from _of_block(part, "user", family)
    if kind == "reasoningContent":
        thought = block[kind].get("reasoningText", {"signature": "x"})
        if not thought.get("signature"):
            yield "a thought without a signature"


@cache
def _input_shape() -> Any:
    model = part_of_botocore("session").Session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def _shape_problems(body: dict[str, Any]) -> str:
    report: Any = (
        part_of_botocore("validate").ParamValidator().validate({"modelId": "m", **body}, _input_shape())
    )
    return str(report.generate_report()) if report.has_errors() else ""
