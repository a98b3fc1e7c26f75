"""A conversation as the contents of a generateContent request.

Contents are the user's or the model's turns, each a list of parts. What the vendor refuses otherwise, as
its documentation ("Function calling", "Thought signatures") and its errors say:

- A content without parts, or with an empty one.
- Results of tools in another content than the one directly behind their calls, with anything beside
  them, or in another number. So text that follows results is a content of its own. Where calls have no
  ids, only the order tells whose a result is.
- A call that the user's turn, or results, do not directly precede.
- With newer models, a request that ends with the model's turn.
- With Gemini 3 and later, a first call of a response without the signature of the thoughts behind it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from finalturn._core.history import repaired
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.gemini.replay import SIGNATURE, Signatures, signature_of
from finalturn._providers.json_types import as_object, as_text

# What the vendor names as types of images that its models see, by the endings of file names.
_TYPES = {
    "gif": "image/gif",
    "heic": "image/heic",
    "heif": "image/heif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
}

# Where in a call's provider data the vendor's things are.
DATA = "gemini"

BEGIN = "(The conversation begins.)"
CONTINUE = "(Please continue.)"

_Parts: TypeAlias = list[dict[str, Any]]


class Contents(NamedTuple):
    """A conversation.

    Attributes:
        turns: the contents, never empty.
        system: what SYSTEM messages say, wherever they stand.
    """

    turns: list[dict[str, Any]]
    system: list[str]


def contents_of(messages: Sequence[Message], *, signatures: Signatures) -> Contents:
    """Any conversation, in the form that the vendor takes."""
    writer = _Writer(signatures)
    for message in repaired(messages):
        writer.add(message)
    return writer.finish()


class _Writer:
    def __init__(self, signatures: Signatures) -> None:
        self._signatures: Signatures = signatures
        self._turns: list[dict[str, Any]] = []
        self._system: list[str] = []
        # Only the user shows images: those of other messages follow, behind the results of a batch.
        self._images: list[ContentPart] = []
        # The vendor's own ids of the calls whose results are awaited.
        self._ids: dict[str | None, str] = {}
        # These results, in the order of their calls.
        self._results: dict[str | None, dict[str, Any] | None] = {}

    def add(self, message: Message) -> None:
        if message.role is Role.TOOL:
            self._images.extend(message.content_parts)
            self._results[message.tool_call_id] = self._result(message)
            ready = [result for result in self._results.values() if result is not None]
            if len(ready) == len(self._results):
                self._append("user", ready, results=True)
            return
        self._show_images()
        text = [{"text": message.content}] if message.content else []
        if message.role is Role.USER:
            self._append("user", [*text, *map(image_part, message.content_parts)])
            return
        self._images.extend(message.content_parts)
        if message.role is Role.ASSISTANT:
            self._append("model", [*text, *self._calls(message.tool_calls)])
        elif message.content:
            self._system.append(message.content)

    def finish(self) -> Contents:
        self._show_images()
        if not self._turns or self._turns[0]["role"] == "model":
            self._turns.insert(0, {"role": "user", "parts": [{"text": BEGIN}]})
        if self._turns[-1]["role"] == "model":
            self._append("user", [{"text": CONTINUE}])
        return Contents(self._turns, self._system)

    def _append(self, role: str, parts: _Parts, *, results: bool = False) -> None:
        """Put parts into the last content where they belong there, else into a new one."""
        if not parts:
            return
        if self._turns:
            last = self._turns[-1]
            if last["role"] == role and ("functionResponse" in last["parts"][0]) is results:
                last["parts"].extend(parts)
                return
        self._turns.append({"role": role, "parts": parts})

    def _show_images(self) -> None:
        self._append("user", [image_part(image) for image in self._images])
        self._images = []

    def _calls(self, calls: Sequence[ToolCall]) -> _Parts:
        parts: _Parts = []
        self._ids = {}
        self._results = {call.id: None for call in calls}
        for place, call in enumerate(calls):
            data = _replay_data(call)
            function: dict[str, Any] = {"name": function_name(call.name), "args": call.arguments}
            if call_id := as_text(data.get("id")):
                function["id"] = self._ids[call.id] = call_id
            part: dict[str, Any] = {"functionCall": function}
            if signature := signature_of(as_text(data.get(SIGNATURE)), place, self._signatures):
                part[SIGNATURE] = signature
            parts.append(part)
        return parts

    def _result(self, message: Message) -> dict[str, Any]:
        key = "error" if message.tool_result is None else "result"
        response: dict[str, Any] = {
            "name": function_name(message.tool_name or ""),
            "response": {key: message.content},
        }
        if call_id := self._ids.get(message.tool_call_id):
            response["id"] = call_id
        return {"functionResponse": response}


def function_name(name: str) -> str:
    """A name as the vendor takes it: it begins with a letter or an underscore."""
    return name if valid_start(name) else f"_{name}"[:64]


def valid_start(name: str) -> bool:
    """Whether a name begins with a letter or an underscore."""
    return name[:1].isalpha() or name.startswith("_")


def _replay_data(call: ToolCall) -> Mapping[str, Any]:
    return as_object((call.provider_data or {}).get(DATA))


def image_part(image: ContentPart) -> dict[str, Any]:
    """An image with its bytes, or with an address that the vendor fetches it from.

    Vertex AI wants to know the type of the latter: it is the image's ``media_type``, or told by the ending
    of the address.
    """
    if image.data is not None:
        return _inline(image.media_type, image.data)
    url = image.url or ""
    if url[:5].lower() == "data:" and "," in url:
        return _from_data_url(url[5:], image.media_type)
    media_type = image.media_type or _type_of(url)
    return {"fileData": {"fileUri": url} | ({"mimeType": media_type} if media_type else {})}


def _inline(media_type: str | None, data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type or "image/png", "data": data}}


def _from_data_url(content: str, media_type: str | None) -> dict[str, Any]:
    header, _, data = content.partition(",")
    named, *parameters = header.split(";")
    if parameters and parameters[-1].strip().lower() == "base64":
        return _inline(media_type or named, unquote(data) if "%" in data else data)
    return _inline(media_type or named, b64encode(unquote_to_bytes(data)).decode())


def _type_of(url: str) -> str | None:
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    return _TYPES.get(path.rpartition(".")[2].lower())
