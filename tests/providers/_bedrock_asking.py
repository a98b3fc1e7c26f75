"""A provider that asks a server on this machine, and what the server says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finalturn._core.messages import Message
from finalturn._core.model import ModelEnd, ModelRequest, TextDelta
from finalturn._core.result import Usage
from finalturn._providers.http import transport as _transport
from finalturn.providers import Bedrock
from tests.providers._bedrock_wire import START, finish, metadata, text
from tests.providers._server import END, Reply, chunk, document, head

KEY = "key-SENTINEL"
MODEL = "amazon.nova-pro-v1:0"
ARN = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc"
ASK = ModelRequest([Message.user("hi")])
TOKENS = metadata(inputTokens=1, outputTokens=2, totalTokens=3)


def stream(*pieces: bytes) -> Reply:
    return [head(200, "application/vnd.amazon.eventstream") + b"".join(map(chunk, pieces)) + END]


def refusal(words: str, status: int = 400, kind: str = "ValidationException") -> Reply:
    return document({"message": words}, status, f"x-amzn-ErrorType: {kind}:http://x/")


ANSWER = stream(START + text(0, "Hel", "lo") + finish() + TOKENS)
WHOLE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
}
EXPECTED = [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop", Usage(1, 0, 2, 0, 3))]


def without_aws(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Nothing of the machine's own settings is read, there is a key of a user's, and no delay."""
    for name in (
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_PROFILE",
        "AWS_SESSION_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(folder / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "credentials"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    monkeypatch.setattr(_transport, "FIRST_DELAY", 0.0)


def local(url: str, **options: Any) -> Bedrock:
    """A provider that asks a server on this machine."""
    return Bedrock(options.pop("model", MODEL), base_url=url, region="eu-west-1", **options)
