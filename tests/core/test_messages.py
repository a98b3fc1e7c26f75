"""Messages: what they take, what they refuse, and that nobody can change them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from enum import Enum
from typing import Any

import pytest
from hypothesis import given

from finalturn._core.errors import FinalturnError, MessageFormatError
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from tests.core._values import MESSAGES, nested

PART = ContentPart.image_url("https://example.org/a.png")
CALL = ToolCall("f", {"a": [1, {"b": None}]}, "c1", provider_data={"sign": ["x"]})


class TestMaking:
    def test_a_role_may_be_a_plain_string(self) -> None:
        assert Message("user", "hi") == Message.user("hi")  # type: ignore[arg-type]
        assert type(Message("tool").role) is Role  # type: ignore[arg-type]

    def test_shortcuts(self) -> None:
        assert Message.system("be brief") == Message(Role.SYSTEM, "be brief")
        assert Message.user("look", PART, PART) == Message(Role.USER, "look", content_parts=(PART, PART))
        assert Message.assistant("hm", tool_calls=[CALL]) == Message(Role.ASSISTANT, "hm", (CALL,))

    def test_lists_become_tuples(self) -> None:
        message = Message(Role.USER, "x", [CALL], content_parts=[PART])  # type: ignore[arg-type]
        assert (message.tool_calls, message.content_parts) == ((CALL,), (PART,))

    def test_an_image_is_an_address_or_data(self) -> None:
        assert (PART.url, PART.data) == ("https://example.org/a.png", None)
        part = ContentPart.image_base64("aGk=", "image/png")
        assert (part.kind, part.url, part.data, part.media_type) == ("image", None, "aGk=", "image/png")


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Message("robot"), "role"),  # type: ignore[arg-type]
        (lambda: Message([]), "role"),  # type: ignore[arg-type]
        (lambda: Message(None), "role"),  # type: ignore[arg-type]
        (lambda: Message(Role.USER, None), "content"),  # type: ignore[arg-type]
        (lambda: Message(Role.USER, b"x"), "content"),  # type: ignore[arg-type]
        (lambda: Message(Role.TOOL, tool_name=1), "tool_name"),  # type: ignore[arg-type]
        (lambda: Message(Role.TOOL, tool_call_id=1), "tool_call_id"),  # type: ignore[arg-type]
        (lambda: Message(Role.TOOL, tool_result=1), "tool_result"),  # type: ignore[arg-type]
        (lambda: Message(Role.TOOL, tool_failure="bad luck"), "tool_failure"),  # type: ignore[arg-type]
        (lambda: Message(Role.TOOL, structured={}), "structured"),  # type: ignore[arg-type]
        (lambda: Message(Role.USER, "", CALL), "tool_calls"),  # type: ignore[arg-type]
        (lambda: Message(Role.USER, "", (CALL, {})), "tool_calls[1]"),  # type: ignore[arg-type]
        (lambda: Message(Role.USER, content_parts="x"), "content_parts"),  # type: ignore[arg-type]
        (lambda: Message.user("x", "y"), "content_parts[0]"),  # type: ignore[arg-type]
        (lambda: ToolCall(None), "name"),  # type: ignore[arg-type]
        (lambda: ToolCall("f", []), "arguments"),  # type: ignore[arg-type]
        (lambda: ToolCall("f", {"a": float("nan")}), "arguments"),
        (lambda: ToolCall("f", {}, 1), "id"),  # type: ignore[arg-type]
        (lambda: ToolCall("f", error=1), "error"),  # type: ignore[arg-type]
        (lambda: ToolCall("f", provider_data="x"), "provider_data"),  # type: ignore[arg-type]
        (lambda: ToolCall("f", provider_data={"a": object()}), "provider_data"),
        (lambda: ContentPart("video", "u"), "kind"),  # type: ignore[arg-type]
        (lambda: ContentPart("image"), "url"),
        (lambda: ContentPart("image", "u", "d", "m"), "url"),
        (lambda: ContentPart("image", 1), "url"),  # type: ignore[arg-type]
        (lambda: ContentPart("image", data=b""), "data"),  # type: ignore[arg-type]
        (lambda: ContentPart("image", data="d"), "media_type"),
        (lambda: ContentPart("image", data="d", media_type=""), "media_type"),
        (lambda: ContentPart("image", "u", media_type=1), "media_type"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_field_is_named(make: Callable[[], object], field: str) -> None:
    with pytest.raises(MessageFormatError) as caught:
        make()
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, FinalturnError)


class TestNobodyCanChangeThem:
    @pytest.mark.parametrize(
        ("thing", "field"), [(Message.user("x"), "content"), (CALL, "name"), (PART, "url")]
    )
    def test_fields_cannot_be_set(self, thing: object, field: str) -> None:
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field, "y")
        with pytest.raises(FrozenInstanceError):
            delattr(thing, field)
        with pytest.raises((AttributeError, TypeError)):
            setattr(thing, "other", "y")  # noqa: B010

    def test_arguments_are_frozen_all_the_way_down(self) -> None:
        arguments: Any = CALL.arguments
        with pytest.raises(TypeError, match="frozen"):
            arguments["a"] = 1
        with pytest.raises(TypeError, match="frozen"):
            arguments["a"].append(2)
        with pytest.raises(TypeError, match="frozen"):
            arguments["a"][1]["b"] = 1
        data: Any = CALL.provider_data
        with pytest.raises(TypeError, match="frozen"):
            data["sign"].clear()

    def test_what_was_given_is_copied(self) -> None:
        given = {"a": [1]}
        call = ToolCall("f", given, provider_data=given)
        given["a"].append(2)
        assert call.arguments == {"a": [1]} == call.provider_data

    def test_they_compare_equal_to_plain_values(self) -> None:
        assert CALL.arguments == {"a": [1, {"b": None}]}
        assert CALL.arguments == {"a": [1, {"b": None}]}

    @given(MESSAGES)
    def test_they_can_be_hashed_copied_and_pickled(self, message: Message) -> None:
        for again in (
            copy.copy(message),
            copy.deepcopy(message),
            pickle.loads(pickle.dumps(message)),
            replace(message),
        ):
            assert again == message
            assert hash(again) == hash(message)
            assert again.to_dict() == message.to_dict()


class TestTheModelsOwnText:
    WRITTEN = '{ "n": 1.00 }'
    CALL = ToolCall("f", {"n": 1.0}, _text=WRITTEN)

    def test_it_is_kept(self) -> None:
        assert self.CALL.arguments_json() == self.WRITTEN
        assert replace(self.CALL, id="c1", name="g").arguments_json() == self.WRITTEN
        assert pickle.loads(pickle.dumps(self.CALL)).arguments_json() == self.WRITTEN
        assert copy.deepcopy(self.CALL).arguments_json() == self.WRITTEN

    def test_it_also_survives_a_change_of_something_else_after_a_copy(self) -> None:
        for again in (copy.deepcopy(self.CALL), pickle.loads(pickle.dumps(self.CALL))):
            assert replace(again, id="c2").arguments_json() == self.WRITTEN

    def test_other_arguments_are_not_what_it_wrote(self) -> None:
        redacted = replace(self.CALL, arguments={"n": "***"})
        assert redacted.arguments_json() == '{"n":"***"}'
        assert replace(redacted, id="c1").arguments_json() == '{"n":"***"}'

    def test_it_makes_no_difference(self) -> None:
        assert ToolCall("f", {"n": 1.0}) == self.CALL
        assert hash(self.CALL) == hash(ToolCall("f", {"n": 1.0}))
        assert "1.00" not in repr(self.CALL)

    def test_without_it_they_are_written_anew(self) -> None:
        assert ToolCall("f", {"n": [1.0, "\ud83d"]}).arguments_json() == '{"n":[1.0,"\ufffd"]}'


def test_depth_is_bounded_so_that_what_is_taken_can_be_written_and_read() -> None:
    ToolCall("f", {"a": nested(MAX_DEPTH - 1)})
    with pytest.raises(MessageFormatError, match=r"^arguments: is nested more than 100 deep$"):
        ToolCall("f", {"a": nested(MAX_DEPTH)})


def test_an_enum_of_strings_stands_for_its_value() -> None:
    class Color(str, Enum):  # noqa: UP042  # not a StrEnum: str() of it is no value
        RED = "red"

    call = ToolCall("f", {Color.RED: [Color.RED]})
    assert call.to_dict()["arguments"] == {"red": ["red"]}
    assert {type(key) for key in call.arguments} == {str}
