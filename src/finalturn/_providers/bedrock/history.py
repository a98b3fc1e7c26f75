"""A conversation as the messages of a Converse request.

Beside what all formats of blocks want, the service refuses a request with calls in it that declares no tools,
and it cannot be told that none may be called. So where there are no tools, calls are told in words.
"""

from __future__ import annotations

from typing import Any, ClassVar

from finalturn._core.messages import ContentPart, Message, ToolCall
from finalturn._providers.bedrock.families import ModelFamily
from finalturn._providers.bedrock.images import image_block
from finalturn._providers.blocks.history import FAILED, BlockHistory
from finalturn._providers.blocks.replay import Prefix

# What stands for a result that is blank, which the API refuses.
EMPTY = "(The result is empty.)"


class BedrockHistory(BlockHistory):
    """The messages of a Converse request.

    Args:
        prefix: of what stands before the messages.
        family: what the model takes.
        native: tools are declared, so calls stand as calls.
        thoughts: send thoughts back.
        anywhere: the model does not mind what stands before a thought, but that it is missing.
    """

    # The reference's `ToolUseBlock`.
    longest_id: ClassVar[int] = 64

    def __init__(
        self, prefix: Prefix, *, family: ModelFamily, native: bool, thoughts: bool, anywhere: bool
    ) -> None:
        super().__init__(prefix, thoughts=thoughts, anywhere=anywhere)
        self._family = family
        self._native = native
        # The calls of the last answer, each with the id that it is sent with.
        self._calls: dict[str, tuple[ToolCall, str]] = {}

    def _text_blocks(self, text: str) -> list[dict[str, Any]]:
        return [] if not text or text.isspace() else [{"text": text}]

    def _image_block(self, part: ContentPart) -> dict[str, Any]:
        return image_block(part)

    def _may_share_message(self, content: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> bool:
        return not (self._family.alone and "toolResult" in content[-1] and "toolResult" not in blocks[0])

    def _answer(self, message: Message) -> list[dict[str, Any]]:
        self._calls = {}
        if self._native:
            return super()._answer(message)
        for call in message.tool_calls:
            self._call_block(call)
        return self._text_blocks(message.content)

    def _call_block(self, call: ToolCall) -> dict[str, Any]:
        call_id = self._unique_id(call.id or "")
        self._calls[call.id or ""] = (call, call_id)
        return {"toolUse": {"toolUseId": call_id, "name": call.name, "input": call.arguments}}

    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        failed = message.tool_result is None
        text = message.content if message.content.strip() else FAILED if failed else EMPTY
        call, call_id = self._calls[message.tool_call_id or ""]
        if not self._native:
            self._append("user", [{"text": _result_in_words(call, text)}, *images])
            return
        shown = images if self._family.status else []
        if not shown:
            self._images += images
        result: dict[str, Any] = {"toolUseId": call_id, "content": [{"text": text}, *shown]}
        if failed and self._family.status:
            result["status"] = "error"
        self._append("user", [{"toolResult": result}])


def _result_in_words(call: ToolCall, result: str) -> str:
    arguments = "" if call.error else f" with {call.arguments_json()}"
    return f"Note: the tool {call.name} was called{arguments}. Its result:\n\n{result}"
