"""Models and what they take."""

from __future__ import annotations

from finalturn._providers.bedrock.families import ModelFamily, family_of

CLAUDE = ModelFamily(status=True, images=True)


def test_a_name_tells_the_family() -> None:
    cases: list[tuple[str, ModelFamily]] = [
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", CLAUDE),
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", CLAUDE),
        ("arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0", CLAUDE),
        ("anthropic.claude-v2:1", ModelFamily(status=True)),
        ("amazon.nova-pro-v1:0", CLAUDE),
        ("us.amazon.nova-2-lite-v1:0", CLAUDE),
        ("us.amazon.nova-micro-v1:0", ModelFamily(status=True)),
        ("meta.llama3-1-70b-instruct-v1:0", ModelFamily(alone=True)),
        ("us.meta.llama4-scout-17b-instruct-v1:0", ModelFamily(alone=True, images=True)),
        ("mistral.mistral-large-2407-v1:0", ModelFamily(alone=True)),
        ("mistral.ministral-3-8b-instruct", ModelFamily(alone=True)),
        ("us.mistral.pixtral-large-2502-v1:0", ModelFamily(alone=True, images=True)),
        ("qwen.qwen3-vl-235b-a22b", ModelFamily(images=True)),
        ("deepseek.r1-v1:0", ModelFamily()),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc", ModelFamily()),
        ("innovation.model", ModelFamily()),
    ]
    for model, family in cases:
        assert family_of(model) == family, model
