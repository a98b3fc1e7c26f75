"""Recorded bodies of chat completions, read with the profile of the server that they come from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import PROFILES, ProfileName
from tests.providers._wire import Read, summary
from tests.providers.test_recordings import ANSWERS, FOLDER, OTHERS, check, cuttings, names

pytestmark = pytest.mark.recordings

OF_A_PROFILE = [entry for entry in ANSWERS if entry["provider"] in PROFILES]


def read(body: bytes, cuts: Iterable[int], profile: Profile) -> Read:
    decoder = WireDecoder(OpenAIChatAnswer(profile, None, "m"))
    events: list[ModelEvent] = []
    start = 0
    for end in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[start:end])
        start = end
    events += decoder.close()
    return summary(events, decoder.failure)


@pytest.mark.parametrize("entry", OF_A_PROFILE, ids=names(OF_A_PROFILE))
def test_an_answer_is_read_as_its_index_says(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    for cuts in cuttings(body):
        check(read(body, cuts, PROFILES[cast("ProfileName", entry["provider"])]), entry["expected"])


@pytest.mark.parametrize("path", OTHERS, ids=[path.name for path in OTHERS])
@pytest.mark.parametrize("name", ["openai", "llamacpp", "deepseek"])
def test_a_body_without_an_index_is_read_the_same_with_a_profile(path: Path, name: ProfileName) -> None:
    body = path.read_bytes()
    whole = read(body, (), PROFILES[name])
    plain = read(body, (), Profile())
    assert (whole.text, whole.reasoning, whole.finish, whole.usage) == (
        plain.text, plain.reasoning, plain.finish, plain.usage
    )  # fmt: skip
    assert [(call.id, call.name, call.arguments) for call in whole.calls] == [
        (call.id, call.name, call.arguments) for call in plain.calls
    ]
    assert str(whole.failure) == str(plain.failure)
    for cuts in cuttings(body):
        got = read(body, cuts, PROFILES[name])
        assert got._replace(failure=None, events=[]) == whole._replace(failure=None, events=[])
